"""Section 1: the vocabulary, the one value that everything else speaks of.

A token is its byte string. A merge is the pair of tokens that it joins.

    Token  = int             the number by which text holds a token
    Merge  = (bytes, bytes)  left and right
    rank   = int             the place of a merge in the order learned; the lowest is applied first
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

import regex

from reference.errors import MalformedVocabulary

Token = int
Merge = tuple[bytes, bytes]

SINGLE_BYTES: tuple[bytes, ...] = tuple(bytes([value]) for value in range(256))


class FrozenDict(dict[str, int]):
    """A dict that can be hashed, pickled and compared, and never changed.

    >>> FrozenDict({"<s>": 256})["<t>"] = 257
    Traceback (most recent call last):
        ...
    TypeError: a vocabulary cannot be changed
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, int]]]:
        return FrozenDict, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a vocabulary cannot be changed")

    __setitem__ = __delitem__ = __ior__ = update = _refuse
    setdefault = pop = popitem = clear = _refuse


@dataclass(frozen=True)
class Vocabulary:
    """Everything that encoding and decoding need (spec, section 1).

    Raises `MalformedVocabulary`, a `ValueError`, where it is not well-formed.

    >>> vocabulary = Vocabulary(merges=((b"a", b"b"), (b"ab", b"c")), special_tokens={"<end>": 300})
    >>> vocabulary.ranks[b"ab", b"c"], vocabulary.id_of[b"abc"], vocabulary.bytes_of[300]
    (1, 257, b'<end>')
    >>> vocabulary.size, vocabulary.entries
    (301, 259)
    """

    merges: tuple[Merge, ...] = ()
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    pattern: str | None = None
    base: tuple[bytes, ...] = SINGLE_BYTES
    end_of_word: bytes = b""

    def __post_init__(self) -> None:
        object.__setattr__(self, "merges", tuple((left, right) for left, right in self.merges))
        object.__setattr__(self, "special_tokens", FrozenDict(self.special_tokens))
        object.__setattr__(self, "base", tuple(self.base))
        if self.base is not SINGLE_BYTES or self.end_of_word:
            _check_base(self.base, self.end_of_word)
        _check_merges(self.base, self.merges)
        if self.special_tokens:
            _check_special_tokens(self.special_tokens, set(self.id_of.values()))
        _check_pattern(self.pattern)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:  # kept, since a published vocabulary has 200,000 merges and is a key of many tables
        return hash((self.merges, self.special_tokens, self.pattern, self.base, self.end_of_word))

    @cached_property
    def ranks(self) -> dict[Merge, int]:
        """From a merge to its rank."""
        return {merge: rank for rank, merge in enumerate(self.merges)}

    @cached_property
    def id_of(self) -> dict[bytes, Token]:
        """From a token's bytes to its id. Special tokens are not among them: they are texts, not tokens' bytes."""
        ids = dict(zip(self.base, range(len(self.base)), strict=True))
        for rank, (left, right) in enumerate(self.merges):
            ids.setdefault(left + right, len(self.base) + rank)  # the first merge to make a token gives it its id
        return ids

    @cached_property
    def bytes_of(self) -> dict[Token, bytes]:
        """From an id to the token's bytes, special tokens included."""
        ordinary = dict(zip(self.id_of.values(), self.id_of.keys(), strict=True))
        return ordinary | {token_id: text.encode() for text, token_id in self.special_tokens.items()}

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return max(self.bytes_of, default=-1) + 1

    @property
    def entries(self) -> int:
        """How many tokens there are: the base, the tokens made by merges, the special tokens."""
        return len(self.bytes_of)


def _check_base(base: tuple[bytes, ...], end_of_word: bytes) -> None:
    seen: set[bytes] = set()
    for i, token in enumerate(base):
        if not isinstance(token, bytes) or not token or token in seen:
            raise MalformedVocabulary(f"base token {i}, {token!r}, is empty, no byte string, or stands there twice")
        seen.add(token)
    if end_of_word and end_of_word not in seen:
        raise MalformedVocabulary(f"the end-of-word marker {end_of_word!r} is not a base token")


def _check_merges(base: Iterable[bytes], merges: tuple[Merge, ...]) -> None:
    made, seen = set(base), set[Merge]()
    for rank, merge in enumerate(merges):
        for side, token in zip(("left", "right"), merge, strict=True):
            if token not in made:
                raise MalformedVocabulary(
                    f"merge {rank}, {merge!r}: its {side} side {token!r} is neither a base token "
                    "nor made by an earlier merge"
                )
        if merge in seen:
            raise MalformedVocabulary(f"merge {rank}, {merge!r}: the same pair stands earlier")
        seen.add(merge)
        made.add(merge[0] + merge[1])


def _check_special_tokens(special_tokens: Mapping[str, int], taken: set[int]) -> None:
    for text, token_id in special_tokens.items():
        if not isinstance(text, str) or not text:
            raise MalformedVocabulary(f"special token {text!r}: its text must be a str and not empty")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise MalformedVocabulary(f"special token {text!r}: a lone surrogate has no UTF-8")
        if not isinstance(token_id, int) or token_id < 0:
            raise MalformedVocabulary(f"special token {text!r}: its id {token_id!r} is no natural number")
        if token_id in taken:
            raise MalformedVocabulary(f"special token {text!r}: its id {token_id} is another token's")
        taken.add(token_id)


def _check_pattern(pattern: str | None) -> None:
    try:
        regex.compile(pattern or "")
    except regex.error as error:
        raise MalformedVocabulary(f"the pattern {pattern!r} is not a regular expression: {error}") from None
