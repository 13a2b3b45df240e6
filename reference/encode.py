"""Section 4: encoding replays the merges of a vocabulary on each piece of a text.

Two definitions are written out, apart from one another. They agree on every well-formed list of merges. `encode` uses
the first. Ranking by bytes is a third meaning, which some tokenizers declare; it differs on untrainable lists only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reference.characters import characters_of, words
from reference.errors import UnknownCharacter
from reference.model import Merge, Token, Vocabulary
from reference.pretokenize import pretokenize
from reference.special import split_special_tokens

RANK_BY = ("pair", "bytes")


@dataclass(frozen=True)
class MergeStep:
    """One merge at one place: its rank, the two tokens, the index of the left one, and the tokens after it."""

    rank: int
    merge: Merge
    place: int
    tokens: tuple[bytes, ...]


def encode(vocabulary: Vocabulary, text: str, *, rank_by: str = "pair", whole_piece_first: bool = False) -> list[Token]:
    """The ids of the text, special tokens recognised.

    Raises `UncoveredText` where the pattern leaves text out, `UnknownCharacter` where a symbol is not in the base, and
    `UnicodeEncodeError` (a `ValueError`) for a lone surrogate.

    >>> encode(Vocabulary(merges=((b"a", b"b"),), special_tokens={"<end>": 300}), "abb<end>")
    [256, 98, 300]
    """
    ids: list[Token] = []
    for part in split_special_tokens(vocabulary.special_tokens, text):
        if part in vocabulary.special_tokens:
            ids.append(vocabulary.special_tokens[part])
        else:
            ids += encode_ordinary(vocabulary, part, rank_by=rank_by, whole_piece_first=whole_piece_first)
    return ids


def encode_ordinary(
    vocabulary: Vocabulary, text: str, *, rank_by: str = "pair", whole_piece_first: bool = False
) -> list[Token]:
    """The ids of the text, special tokens taken for text. Raises as `encode` does.

    >>> encode_ordinary(Vocabulary(merges=((b"a", b"b"),), special_tokens={"ab": 300}), "ab")
    [256]
    """
    ids: list[Token] = []
    for piece in pieces_of(vocabulary, text):
        symbols = symbols_of(vocabulary, piece)
        tokens = tokens_of(vocabulary, symbols, rank_by=rank_by, whole_piece_first=whole_piece_first)
        ids += [vocabulary.id_of[token] for token in tokens]
    return ids


def pieces_of(vocabulary: Vocabulary, text: str) -> list[str]:
    """The pieces of a text without special tokens: section 2, or the words of section 7.

    >>> pieces_of(Vocabulary(pattern=" ?[a-z]+"), "a b")
    ['a', ' b']
    """
    return words(vocabulary, text) if vocabulary.end_of_word else pretokenize(vocabulary.pattern, text)


def symbols_of(vocabulary: Vocabulary, piece: str) -> tuple[bytes, ...]:
    r"""What a piece is before any merge: its single bytes, or its characters and the end-of-word marker.

    Raises `UnknownCharacter` for a byte or character outside the base.

    >>> symbols_of(Vocabulary(), "é")
    (b'\xc3', b'\xa9')
    """
    if vocabulary.end_of_word:
        return characters_of(vocabulary, piece)
    symbols = tuple(bytes([value]) for value in piece.encode())
    for place, symbol in enumerate(symbols):
        if symbol not in vocabulary.id_of:  # no merge makes a single byte
            raise UnknownCharacter(f"{symbol!r} at byte {place} of {piece!r} is not in the base")
    return symbols


def tokens_of(
    vocabulary: Vocabulary, symbols: Sequence[bytes], *, rank_by: str = "pair", whole_piece_first: bool = False
) -> tuple[bytes, ...]:
    """The tokens of one piece under a declared meaning of encoding. Raises a `ValueError` for an unknown `rank_by`.

    >>> vocabulary = Vocabulary(merges=((b"a", b"a"), (b"a", b"aa")))
    >>> tokens_of(vocabulary, (b"a", b"a", b"a"))
    (b'aa', b'a')
    >>> tokens_of(vocabulary, (b"a", b"a", b"a"), whole_piece_first=True)
    (b'aaa',)
    """
    whole = b"".join(symbols)
    if whole_piece_first and whole in vocabulary.id_of:
        return (whole,)
    if rank_by not in RANK_BY:
        raise ValueError(f"no way of ranking {rank_by!r}; there are {', '.join(RANK_BY)}")
    return encode_piece(vocabulary, symbols) if rank_by == "pair" else lowest_rank_by_bytes(vocabulary, symbols)


def encode_piece(vocabulary: Vocabulary, symbols: Sequence[bytes]) -> tuple[bytes, ...]:
    """Definition 1: every merge in order, each applied wherever it can be.

    >>> encode_piece(Vocabulary(merges=((b"a", b"a"), (b"b", b"aa"))), (b"b", b"a", b"a", b"a"))
    (b'baa', b'a')
    """
    tokens = tuple(symbols)
    for merge in vocabulary.merges:
        if merge[0] in tokens and merge[1] in tokens:  # otherwise there is nothing to do
            tokens = apply_merge(tokens, merge)
    return tokens


def apply_merge(tokens: Sequence[bytes], merge: Merge) -> tuple[bytes, ...]:
    """The tokens with each occurrence of the pair joined, found from left to right, none overlapping another.

    >>> apply_merge((b"a", b"a", b"a", b"b", b"a", b"a"), (b"a", b"a"))
    (b'aa', b'a', b'b', b'aa')
    """
    joined: list[bytes] = []
    place = 0
    while place < len(tokens):
        found = tuple(tokens[place : place + 2]) == merge
        joined.append(merge[0] + merge[1] if found else tokens[place])
        place += 2 if found else 1
    return tuple(joined)


def lowest_rank_first(vocabulary: Vocabulary, symbols: Sequence[bytes]) -> tuple[bytes, ...]:
    """Definition 2: of all pairs of neighbours that are a merge, join the one of lowest rank, the leftmost; repeat.

    >>> lowest_rank_first(Vocabulary(merges=((b"a", b"a"), (b"b", b"aa"))), (b"b", b"a", b"a", b"a"))
    (b'baa', b'a')
    """
    tokens = tuple(symbols)
    for step in merge_steps(vocabulary, symbols, rank_by="pair"):
        tokens = step.tokens
    return tokens


def lowest_rank_by_bytes(vocabulary: Vocabulary, symbols: Sequence[bytes]) -> tuple[bytes, ...]:
    """As definition 2, where a pair ranks as its joined bytes do: a pair may be joined that is itself no merge.

    >>> lowest_rank_by_bytes(Vocabulary(merges=((b"a", b"a"), (b"a", b"aa"))), (b"a", b"a", b"a"))
    (b'aaa',)
    """
    tokens = tuple(symbols)
    for step in merge_steps(vocabulary, symbols, rank_by="bytes"):
        tokens = step.tokens
    return tokens


def merge_steps(vocabulary: Vocabulary, symbols: Sequence[bytes], rank_by: str = "pair") -> Iterator[MergeStep]:
    """The merges that make the encoding of one piece, one at a time. Raises a `ValueError` for an unknown `rank_by`.

    >>> for step in merge_steps(Vocabulary(merges=((b"a", b"b"), (b"ab", b"ab"))), (b"a", b"b", b"a", b"b")):
    ...     print(step.rank, step.place, step.tokens)
    0 0 (b'ab', b'a', b'b')
    0 1 (b'ab', b'ab')
    1 0 (b'abab',)
    """
    tokens = tuple(symbols)
    while candidates := ranked_pairs(vocabulary, tokens, rank_by):
        rank, place = min(candidates)
        merge = tokens[place], tokens[place + 1]
        tokens = (*tokens[:place], merge[0] + merge[1], *tokens[place + 2 :])
        yield MergeStep(rank, merge, place, tokens)


def ranked_pairs(vocabulary: Vocabulary, tokens: Sequence[bytes], rank_by: str) -> list[tuple[int, int]]:
    """Rank and place of every pair of neighbours that can be joined. Raises a `ValueError` for an unknown `rank_by`.

    >>> ranked_pairs(Vocabulary(merges=((b"a", b"b"), (b"b", b"a"))), (b"b", b"a", b"b"), "pair")
    [(1, 0), (0, 1)]
    """
    pairs = list(enumerate(pairwise(tokens)))
    if rank_by == "pair":
        return [(vocabulary.ranks[pair], place) for place, pair in pairs if pair in vocabulary.ranks]
    if rank_by == "bytes":
        ids = [(vocabulary.id_of.get(left + right, -1), place) for place, (left, right) in pairs]
        return [(i - len(vocabulary.base), place) for i, place in ids if i >= len(vocabulary.base)]
    raise ValueError(f"no way of ranking {rank_by!r}; there are {', '.join(RANK_BY)}")
