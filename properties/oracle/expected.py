"""What the reference says: ids of a text, by the checked fast oracle where it stands in for the textbook loop.

One case in fifty goes to the reference itself as well, in every run, and must come out the same.
"""

import itertools
from collections.abc import Collection
from functools import lru_cache

import reference
from properties.oracle.fast import Oracle, oracle_of, single_bytes
from reference.model import Token, Vocabulary

CHECK_EVERY = 50
SPARSE_FROM = 3_000  # merges; from here on only those that can fire on a piece are replayed

_counter = itertools.count()


def expected_ids(
    vocabulary: Vocabulary, text: str, *, rank_by: str = "pair", whole_piece_first: bool = False
) -> list[Token]:
    """The ids that the reference gives. Raises what the reference raises.

    >>> expected_ids(Vocabulary(merges=((b"a", b"b"),), special_tokens={"<s>": 300}), "ab<s>b")
    [256, 300, 98]
    """
    if rank_by != "pair" or whole_piece_first or vocabulary.end_of_word:
        return reference.encode(vocabulary, text, rank_by=rank_by, whole_piece_first=whole_piece_first)
    ids: list[Token] = []
    for part in parts_of(vocabulary.special_tokens, text):
        if part in vocabulary.special_tokens:
            ids.append(vocabulary.special_tokens[part])
        else:
            for piece in reference.pretokenize(vocabulary.pattern, part):
                ids += [vocabulary.id_of[token] for token in tokens_of_piece(vocabulary, piece.encode())]
    if next(_counter) % CHECK_EVERY == 0 and len(text) < 400 and len(vocabulary.merges) < SPARSE_FROM:
        assert ids == reference.encode(vocabulary, text), (
            f"the oracle and the reference part on {text!r}, {vocabulary!r}"
        )
    return ids


def parts_of(special_tokens: Collection[str], text: str) -> list[str]:
    """The text cut at its special tokens. Where none stands in it, there is no need to look at every place."""
    if any(special in text for special in special_tokens):
        return reference.split_special_tokens(special_tokens, text)
    return [text] if text else []


def expected_tokens(
    vocabulary: Vocabulary, text: str, *, rank_by: str = "pair", whole_piece_first: bool = False
) -> list[bytes]:
    """The tokens' byte strings that the reference gives."""
    ids = expected_ids(vocabulary, text, rank_by=rank_by, whole_piece_first=whole_piece_first)
    return [vocabulary.bytes_of[token_id] for token_id in ids]


def tokens_of_piece(vocabulary: Vocabulary, piece: bytes) -> tuple[bytes, ...]:
    """The tokens of a piece of bytes, by the oracle."""
    if len(vocabulary.merges) < SPARSE_FROM or len(piece) > 5_000:
        return oracle_of(vocabulary).tokens(piece)
    # Merges whose bytes do not stand in the piece may be left out (spec, ENC-11).
    longest = max_length(vocabulary)
    inside = {piece[i : i + n] for i in range(len(piece)) for n in range(2, min(longest, len(piece) - i) + 1)}
    ranks_of = ranks_by_token(vocabulary)
    oracle = Oracle(Vocabulary(base=vocabulary.base))
    for rank in sorted(rank for token in inside for rank in ranks_of.get(token, ())):
        oracle.append(vocabulary.merges[rank])
    token_of = {character: token for token, character in oracle.character_of.items()}
    return tuple(map(token_of.__getitem__, oracle.replayed(single_bytes(piece))))


@lru_cache(maxsize=16)
def ranks_by_token(vocabulary: Vocabulary) -> dict[bytes, list[int]]:
    """From a token to the ranks of the merges that make it; several in untrainable lists."""
    ranks: dict[bytes, list[int]] = {}
    for rank, (left, right) in enumerate(vocabulary.merges):
        ranks.setdefault(left + right, []).append(rank)
    return ranks


@lru_cache(maxsize=16)
def max_length(vocabulary: Vocabulary) -> int:
    """The length of the longest token in bytes."""
    return max(map(len, vocabulary.id_of))
