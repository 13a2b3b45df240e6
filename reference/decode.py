"""Section 5: decoding joins the bytes of the tokens and reads them as UTF-8."""

from __future__ import annotations

from collections.abc import Iterable

from reference.errors import UnknownToken
from reference.model import Token, Vocabulary


def decode(vocabulary: Vocabulary, ids: Iterable[Token]) -> str:
    r"""The text of the ids, with U+FFFD where their bytes are no UTF-8. Raises `UnknownToken` naming the id.

    For a vocabulary of characters (section 7) each marker is a space, and the last one is dropped.

    >>> decode(Vocabulary(), [0xC3, 0xA9]), decode(Vocabulary(), [0xC3])
    ('é', '\ufffd')
    >>> decode(Vocabulary(base=(b"l", b"o", b"w", b"_"), end_of_word=b"_"), [0, 1, 2, 3, 0, 1, 3])
    'low lo'
    """
    joined = join_words(vocabulary, list(ids)) if vocabulary.end_of_word else decode_bytes(vocabulary, ids)
    return joined.decode(errors="replace")


def decode_bytes(vocabulary: Vocabulary, ids: Iterable[Token]) -> bytes:
    """The bytes of the ids, joined and unchanged. Raises `UnknownToken` naming the id.

    >>> decode_bytes(Vocabulary(merges=((b"a", b"b"),)), [256, 99])
    b'abc'
    >>> decode_bytes(Vocabulary(), [97, -1])
    Traceback (most recent call last):
        ...
    reference.errors.UnknownToken: the vocabulary has no token with the id -1
    """
    return b"".join(token_bytes(vocabulary, token_id) for token_id in ids)


def token_bytes(vocabulary: Vocabulary, token_id: Token) -> bytes:
    """The bytes of one token. Raises `UnknownToken` naming the id.

    >>> token_bytes(Vocabulary(special_tokens={"<end>": 256}), 256)
    b'<end>'
    """
    if token_id not in vocabulary.bytes_of:
        raise UnknownToken(f"the vocabulary has no token with the id {token_id!r}")
    return vocabulary.bytes_of[token_id]


def join_words(vocabulary: Vocabulary, ids: list[Token]) -> bytes:
    """The bytes of the ids with each end-of-word marker written as one space, save one at the very end: it is dropped.

    The text of a special token stays as it is. Raises `UnknownToken` naming the id.

    >>> vocabulary = Vocabulary(base=(b"a", b"_"), end_of_word=b"_", special_tokens={"<_>": 9})
    >>> join_words(vocabulary, [0, 1, 9]), join_words(vocabulary, [0, 1, 0, 1])
    (b'a <_>', b'a a')
    """
    special_ids = set(vocabulary.special_tokens.values())
    parts = [token_bytes(vocabulary, token_id) for token_id in ids]
    for i, token_id in enumerate(ids):
        if token_id not in special_ids:
            last = i == len(ids) - 1
            part = parts[i].removesuffix(vocabulary.end_of_word) if last else parts[i]
            parts[i] = b" ".join(part.rsplit(vocabulary.end_of_word))  # from the right: the marker ends a word
    return b"".join(parts)
