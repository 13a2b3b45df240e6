"""A fast stand-in for the reference: a token is one character, a merge is one `str.replace`.

Replaying the merges in order, each over the whole piece from left to right without overlap, is what
`str.replace` does. It is spec section 4 in the words of another data type, and it is ten to fifty times
faster. `tests/test_oracle.py` proves it equal to the reference on an exhaustive scope, and the runner
gives one case in fifty to the reference as well.

>>> from reference.model import Vocabulary
>>> oracle = Oracle(Vocabulary(merges=((b"a", b"b"), (b"ab", b"c"))))
>>> oracle.tokens(b"abcab")
(b'abc', b'ab')
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from reference.model import Merge, Vocabulary

SMALL, SHORT = (
    100,
    64,
)  # from so many merges on, of tokens of up to so many bytes, only merges inside a token are replayed
FIRST_MADE = 0x10000  # above the surrogates; base tokens take the numbers from 0, at most 0xD800 of them


class Oracle:
    """The encoder of one vocabulary, for pieces. `tokens(piece)` gives the tokens' byte strings."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.character_of = characters_of(vocabulary.base).copy()
        self.steps: list[tuple[str, str]] = []
        for merge in vocabulary.merges:
            self.append(merge)

    @cached_property
    def token_of(self) -> dict[str, bytes]:
        """From a character to its token; asked for when all merges are there."""
        return dict(zip(self.character_of.values(), self.character_of.keys(), strict=True))

    def append(self, merge: Merge) -> None:
        """Learn one more merge; a token that was made before keeps its character."""
        left, right = (self.character_of[side] for side in merge)
        made = self.character_of.setdefault(merge[0] + merge[1], chr(FIRST_MADE + len(self.steps)))
        self.steps.append((left + right, made))

    def replayed(self, symbols: Iterable[bytes]) -> str:
        """The piece after all merges, one character a token."""
        piece = "".join(map(self.character_of.__getitem__, symbols))
        for pair, made in self.steps:
            piece = piece.replace(pair, made)
        return piece

    def tokens(self, piece: bytes) -> tuple[bytes, ...]:
        """The tokens of a piece of single bytes."""
        return tuple(map(self.token_of.__getitem__, self.replayed(single_bytes(piece))))


@lru_cache(maxsize=64)  # nearly all vocabularies have the same base
def characters_of(base: tuple[bytes, ...]) -> dict[bytes, str]:
    """The character of each base token. To be copied before it is changed."""
    return {token: chr(i) for i, token in enumerate(base)}


def single_bytes(piece: bytes) -> Sequence[bytes]:
    """The piece as byte strings of length one."""
    return [piece[i : i + 1] for i in range(len(piece))]


@lru_cache(maxsize=256)
def oracle_of(vocabulary: Vocabulary) -> Oracle:
    """The oracle of a vocabulary, kept for the vocabularies met last."""
    return Oracle(vocabulary)


@lru_cache(maxsize=1024)
def trainable(vocabulary: Vocabulary) -> bool:
    """Whether some corpus trains to these merges: before its merge, each token is the two sides of it (spec, ENC-14).

    >>> trainable(Vocabulary(merges=((b"a", b"a"), (b"a", b"aa"))))
    False
    """
    oracle = Oracle(Vocabulary(base=vocabulary.base))
    ranks_of: dict[bytes, list[int]] = {}
    for rank, (left, right) in enumerate(vocabulary.merges):
        made = left + right
        piece = "".join(map(oracle.character_of.__getitem__, _symbols(vocabulary, made)))
        # Only merges whose bytes stand in the token can change it; of a long list these are a few.
        for earlier in _inside(made, ranks_of) if rank > SMALL and len(made) <= SHORT else range(rank):
            pair, merged = oracle.steps[earlier]
            piece = piece.replace(pair, merged)
        if piece != oracle.character_of[left] + oracle.character_of[right]:
            return False
        oracle.append((left, right))
        ranks_of.setdefault(made, []).append(rank)
    return True


def _inside(token: bytes, ranks_of: dict[bytes, list[int]]) -> list[int]:
    """The ranks of the merges that make a part of a token, in order."""
    parts = {token[start:end] for start in range(len(token)) for end in range(start + 2, len(token) + 1)}
    return sorted(rank for part in parts for rank in ranks_of.get(part, ()))


def makes_again(merges: Iterable[Merge], merge: Merge) -> bool:
    """Whether a merge makes a token that is a side of an earlier one.

    There replaying in order and lowest rank first part, and tokenizers with them: nothing is claimed of such lists.

    >>> makes_again([(b"b", b"c"), (b"a", b"b"), (b"ab", b"c"), (b"abc", b"d")], (b"a", b"bc"))
    True
    """
    return any(merge[0] + merge[1] in sides for sides in merges)


@lru_cache(maxsize=1024)
def settled(vocabulary: Vocabulary) -> bool:
    """Whether no merge makes a token that is a side of an earlier one (spec, ENC-3)."""
    sides: set[bytes] = set()
    for left, right in vocabulary.merges:
        if left + right in sides:
            return False
        sides |= {left, right}
    return True


def _symbols(vocabulary: Vocabulary, token: bytes) -> Sequence[bytes]:
    if not vocabulary.end_of_word:
        return single_bytes(token)
    word = token.removesuffix(vocabulary.end_of_word)
    marker = [vocabulary.end_of_word] if word != token else []
    return [*(character.encode() for character in word.decode()), *marker]
