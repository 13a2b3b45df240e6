"""Splitting, exhaustively: every short text of characters that a pattern can tell apart.

A pattern sees a character only through its atoms: classes, escapes, literal letters. Two characters that the same
atoms match are the same to it. All code points are sorted by the atoms that match them, and one or two of each sort
stand for the rest; every white space stands for itself, and so do the characters that go wrong elsewhere: case-folding
neighbours of letters in contractions, apostrophes, marks, digits of other scripts, characters assigned late or never.

For a tokenizer that shows no pieces, the vocabulary shows them: it makes one token of every two or three of the
characters, so that a text of three is one token exactly where it is one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

import regex

from properties.cases.domains import Case, Domain, covering
from properties.cases.programs import Profile
from reference.model import SINGLE_BYTES, Merge, Vocabulary

EVERYTHING = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF)
NEIGHBOURS = "ſKİıßẞ"  # what folds, or nearly folds, to a letter that patterns name
OTHERS = "'’ʼ0٠²Ⅷ½\u0301\u0e31\u200d\u200b\u180e\ufeff\x00\x1f\x7f日ʰǅªﬁ🙂_/-\ue000\uffff\u0378"
CORE = "aA1.' \n\r"  # what most texts are made of

_ATOM = regex.compile(
    r"""\[(?:\\.|[^\]\\])+\] | \\[pP]\{[^}]*\} | \\[a-zA-Z] | (?<![\\{?]) [A-Za-z] | ['/\ ]""", regex.VERBOSE
)
_NO_CHARACTER = {r"\b", r"\B", r"\A", r"\Z", r"\z"}


def atoms_of(pattern: str) -> list[str]:
    r"""The parts of a pattern that match one character, each once; letters in both cases.

    >>> atoms_of(r"'(?i:s)|\p{L}+|[^\s]")
    ["'", '(?i:s)', '\\p{L}', '[^\\s]']
    """
    names = regex.sub(r"\(\?(?:[a-zA-Z]+:|[=!<>:])", "(", pattern)
    found = [atom for atom in _ATOM.findall(names) if atom not in _NO_CHARACTER]
    return list(dict.fromkeys(f"(?i:{atom})" if regex.fullmatch("[A-Za-z]", atom) else atom for atom in found))


@cache
def white_space() -> str:
    """Every character that is white space to the `regex` package."""
    return "".join(EVERYTHING[start:end] for start, end in _runs(r"\s"))


@cache
def classes(pattern: str, letters: bool = True) -> dict[tuple[int, ...], str]:
    """From the numbers of the atoms that match a character to the first such characters, ASCII before others.

    Without `letters`, the single letters that a pattern names are letters like all others.
    """
    atoms = [atom for atom in atoms_of(pattern) if letters or not regex.fullmatch(r"\(\?i:.\)", atom)]
    matched = [_runs(atom) for atom in atoms]
    edges = sorted({0, *(edge for runs in matched for run in runs for edge in run)} - {len(EVERYTHING)})
    inside = [_starts_inside(runs, edges) for runs in matched]  # between two edges all characters are of one class
    found: dict[tuple[int, ...], list[str]] = {}
    for place, start in enumerate(edges):
        end = edges[place + 1] if place + 1 < len(edges) else len(EVERYTHING)
        key = tuple(number for number, starts in enumerate(inside) if starts[place])
        found.setdefault(key, []).extend(EVERYTHING[start : min(end, start + 256)])
    return {key: _first_two(characters) for key, characters in found.items()}


def _runs(atom: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(f"(?:{atom})+", EVERYTHING)]


def _starts_inside(runs: list[tuple[int, int]], edges: list[int]) -> list[bool]:
    """For each edge whether it lies in a run; both are in order."""
    found, place = [], 0
    for edge in edges:
        while place < len(runs) and runs[place][1] <= edge:
            place += 1
        found.append(place < len(runs) and runs[place][0] <= edge)
    return found


def _first_two(characters: list[str]) -> str:
    visible = [character for character in characters if "!" <= character <= "~"]
    one = (visible or characters)[0]
    return one + next((c for c in characters if not c.isascii()), "")


@cache
def representatives(pattern: str) -> tuple[str, ...]:
    """One character for each class that the pattern can tell apart, and a second one that is not ASCII, if any."""
    return tuple(dict.fromkeys("".join(classes(pattern).values())))


@cache
def extras(pattern: str) -> tuple[str, ...]:
    """The characters that stand for themselves, beside the representatives."""
    second = "".join(kept[1:] for kept in classes(pattern).values())
    return tuple(dict.fromkeys(white_space() + NEIGHBOURS + OTHERS + second))


@cache
def firsts(pattern: str, letters: bool = True) -> tuple[str, ...]:
    """The first character of each class."""
    return tuple(dict.fromkeys(kept[0] for kept in classes(pattern, letters).values()))


def telling(characters: Sequence[str]) -> tuple[Merge, ...]:
    """A trainable list that makes a token of every one, two and three of the characters in one piece.

    >>> vocabulary = Vocabulary(telling("ab"))
    >>> sorted(token for token in vocabulary.id_of if len(token) == 3)[:3]
    [b'aaa', b'aab', b'aba']
    """
    merges: dict[Merge, None] = {}
    for character in characters:
        data = character.encode()
        for end in range(1, len(data)):
            merges[data[:end], data[end : end + 1]] = None
    symbols = [character.encode() for character in dict.fromkeys(characters)]
    pairs: dict[Merge, int] = {(one, two): rank for rank, (one, two) in enumerate(product(symbols, repeat=2))}
    merges |= dict.fromkeys(pairs)
    for one, two, three in product(symbols, repeat=3):
        first = pairs[one, two] <= pairs[two, three]  # which of the two pairs is merged in a text of the three
        merges[(one + two, three) if first else (one, two + three)] = None
    return tuple(merges)


def _named(profile: Profile) -> list[str]:
    return [pattern for pattern in profile.patterns if pattern is not None]


def _pieces(profile: Profile) -> Iterator[Case]:
    """For tokenizers that show their pieces: four representatives, then three of all characters."""
    cases = []
    for pattern in _named(profile):
        vocabulary, core = Vocabulary(pattern=pattern), firsts(pattern, letters=False)
        wide = tuple(dict.fromkeys([*firsts(pattern), *extras(pattern)]))
        own = [
            {"vocabulary": vocabulary, "texts": [first + "".join(rest) for rest in product(core, repeat=3)]}
            for first in core
        ]
        own += [
            {"vocabulary": vocabulary, "texts": [one + two + three for two, three in product(wide, CORE)]}
            for one in wide
        ]
        cases.append(own)
    yield from _in_turn(cases)


def _encodings(profile: Profile) -> Iterator[Case]:
    """For every tokenizer: three representatives, then each other character among the most common."""
    cases = []
    for pattern in _named(profile):
        core = tuple(dict.fromkeys([*firsts(pattern, letters=False), *firsts(pattern)]))[:14]
        own = [_told(pattern, core, first) for first in core]
        own += [_told(pattern, tuple(dict.fromkeys([*CORE, one])), one) for one in extras(pattern) if one not in CORE]
        cases.append(own)
    yield from _in_turn(cases)


def _told(pattern: str, characters: tuple[str, ...], one: str) -> Case:
    """The texts of up to three of the characters in which one of them stands."""
    texts = ["".join(text) for length in (1, 2, 3) for text in product(characters, repeat=length) if one in text]
    return {"vocabulary": _vocabulary(pattern, characters), "texts": texts}


@cache
def _vocabulary(pattern: str, characters: tuple[str, ...]) -> Vocabulary:
    return Vocabulary(telling(characters), {}, pattern, SINGLE_BYTES)


def _in_turn(cases: Sequence[Sequence[Case]]) -> Iterator[Case]:
    """Of each pattern one, then of each the next: a short run sees all patterns."""
    for place in range(max(map(len, cases), default=0)):
        yield from (own[place] for own in cases if place < len(own))


def _admits(case: Case) -> bool:
    vocabulary = case["vocabulary"]
    return covering(vocabulary.pattern) and vocabulary.pattern is not None and not vocabulary.special_tokens


SPLIT_TEXTS = Domain(("vocabulary", "texts"), admits=_admits, listed=_pieces)
TOLD_SPLITS = Domain(("vocabulary", "texts"), admits=_admits, listed=_encodings)
