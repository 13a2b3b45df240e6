"""From a counterexample to the smallest one: merges and text together, in one canonical form.

The values are made smaller, not the choices that drew them: whatever engine found a case, it ends as the same bytes
and has the same id. Every step is deterministic.

>>> def fails(case): return "b" in case["text"] and len(case["text"]) > 2
>>> shrink({"text": "hello bob, hello"}, fails)
{'text': 'abb'}
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from properties.cases.domains import Case
from properties.counterexample.literal import literal
from properties.counterexample.smallest import smaller_cases
from reference.model import SINGLE_BYTES, Merge, Vocabulary

Fails = Callable[[Case], bool]


def shrink(case: Case, fails: Fails, *, seconds: float = 10.0) -> Case:
    """The smallest failing case that deleting, simplifying and renaming reach within the time, from a failing one."""
    end = time.monotonic() + seconds
    while (smaller := _first(_steps(case), fails, end)) is not None:
        case = smaller
    small = _renamed(case, fails)
    return _first(smaller_cases(small, size), fails, end) or small


def _first(cases: Iterable[Case], fails: Fails, end: float) -> Case | None:
    """The first that fails; `None` too where the time ends before: then no more are made, for large ones take long."""
    for case in cases:
        if time.monotonic() > end:
            return None
        if fails(case):
            return case
    return None


def size(case: Case) -> tuple[int, int, str]:
    """What `shrink` makes smaller: the length of all values, then how far they are from the first letters."""
    spelled = literal({name: _plain(value) for name, value in case.items()})
    return _length(list(case.values())), sum(map(_distance, spelled)), spelled


def _distance(character: str) -> int:
    """How far a character is from the first letter; everything else comes after the small letters."""
    return ord(character) - ord("a") if "a" <= character <= "z" else 100 + ord(character)


def canonical_id(claim_id: str, case: Case) -> str:
    """A short id of a finding: equal for equal cases of one claim, on every machine."""
    spelled = literal({name: _plain(value) for name, value in sorted(case.items())})
    return hashlib.sha256(f"{claim_id} {spelled}".encode()).hexdigest()[:10]


def _plain(value: Any) -> Any:
    if isinstance(value, Vocabulary):
        return (value.merges, sorted(value.special_tokens.items()), value.pattern, len(value.base), value.end_of_word)
    return value


def _length(value: Any) -> int:
    """How much there is to read in a value."""
    if isinstance(value, Vocabulary):
        return _length(value.merges) + _length(list(value.special_tokens)) + (value.pattern is not None)
    if isinstance(value, str):
        return 1 + len(value.encode(errors="surrogatepass"))
    if isinstance(value, bytes):
        return 1 + len(value)
    if isinstance(value, (list, tuple)):
        return 1 + sum(map(_length, value))
    return 1


def _steps(case: Case) -> Iterator[Case]:
    """Simpler cases, the boldest first: one value changed, or two that belong together."""
    for name, value in case.items():
        for simpler in _simpler(name, value):
            yield case | {name: simpler}
    if "vocabulary" in case and "text" in case:
        yield from _with_fewer_letters(case)


def _with_fewer_letters(case: Case) -> Iterator[Case]:
    """Merges and text together: every occurrence of a letter becomes another one that stands there too."""
    letters = sorted({letter for letter in _letters(case.items()) if letter.isalpha()})
    for late, early in combinations(reversed(letters), 2):
        fewer = _swap(case, late, early, one_way=True)
        if fewer is not None:
            yield fewer


def _simpler(name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, Vocabulary):
        yield from _simpler_vocabularies(value)
    elif isinstance(value, str) and name not in ("tie_rule", "pattern"):
        yield from _simpler_texts(value)
    elif name == "pattern" and value is not None:
        yield None
    elif name == "merges":
        yield from _without_merges(tuple(value))
    elif isinstance(value, (list, tuple)) and name != "special_tokens":
        yield from _simpler_sequences(value)
    elif isinstance(value, int) and not isinstance(value, bool) and name != "place":
        yield from _simpler_numbers(value)


def _simpler_numbers(value: int) -> Iterator[int]:
    sign = -1 if value < 0 else 1
    for candidate in dict.fromkeys((0, sign, value // 2, value - sign)):
        if abs(candidate) < abs(value):
            yield candidate


def _simpler_texts(text: str) -> Iterator[str]:
    for start, end in _cuts(len(text)):
        yield text[:start] + text[end:]
    for place, character in enumerate(text[:80]):
        for other in _SIMPLEST[: _SIMPLEST.index(character) if character in _SIMPLEST else None]:
            yield text[:place] + other + text[place + 1 :]


_SIMPLEST = "ab "  # what a character may become, the simplest first


def _simpler_sequences(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start, end in _cuts(len(values)):
        yield _like(values, [*values[:start], *values[end:]])
    for place, value in enumerate(values[:40]):
        for simpler in _simpler("", value):
            yield _like(values, [*values[:place], simpler, *values[place + 1 :]])


def _like(values: Sequence[Any], items: list[Any]) -> Sequence[Any]:
    return tuple(items) if isinstance(values, tuple) else items


def _cuts(length: int) -> Iterator[tuple[int, int]]:
    """What to cut out: halves first, then smaller and smaller parts, single ones last."""
    width = length
    while width >= 1:
        starts = range(0, length, width) if width * 64 >= length else range(0, length, max(width, length // 64))
        for start in starts:
            yield start, min(length, start + width)
        width = width // 2


def _simpler_vocabularies(vocabulary: Vocabulary) -> Iterator[Vocabulary]:
    for merges in _without_merges(vocabulary.merges):
        yield from _rebuilt(vocabulary, merges=merges)
    for text in vocabulary.special_tokens:
        rest = {other: i for other, i in vocabulary.special_tokens.items() if other != text}
        yield from _rebuilt(vocabulary, special_tokens=rest)
    if vocabulary.pattern is not None:
        yield from _rebuilt(vocabulary, pattern=None)


def _without_merges(merges: tuple[Merge, ...]) -> Iterator[tuple[Merge, ...]]:
    """Shorter well-formed lists: some merges left out, and with them those that build on them."""
    for start, end in _cuts(len(merges)):
        kept, made = [], set(SINGLE_BYTES)
        base = {side for merge in merges for side in merge if len(side) == 1}
        made |= base
        for place, (left, right) in enumerate(merges):
            if not start <= place < end and left in made and right in made:
                kept.append((left, right))
                made.add(left + right)
        yield tuple(kept)


def _rebuilt(vocabulary: Vocabulary, **changes: Any) -> Iterator[Vocabulary]:
    """The vocabulary with some fields changed and its special ids closed up; nothing where that is malformed."""
    fields = {
        "merges": vocabulary.merges,
        "special_tokens": dict(vocabulary.special_tokens),
        "pattern": vocabulary.pattern,
        "base": vocabulary.base,
        "end_of_word": vocabulary.end_of_word,
    } | changes
    dropped = len(vocabulary.merges) - len(fields["merges"])
    for shift in (dropped, 0) if dropped else (0,):
        specials = {text: i - shift for text, i in fields["special_tokens"].items()}
        try:
            yield Vocabulary(**fields | {"special_tokens": specials})
        except ValueError:
            continue


# --- canonical letters ---------------------------------------------------------------------------------------------


def _renamed(case: Case, fails: Fails) -> Case:
    """The case with its characters renamed to a, b, c in the order in which they appear, where it still fails.

    >>> _renamed({"merges": ((b"x", b"a"),), "text": "xa x"}, lambda case: True)
    {'merges': ((b'a', b'b'),), 'text': 'abca'}
    """
    for place, wanted in enumerate("abcdefghijklmnop"):
        letters = list(dict.fromkeys(_letters(case.items())))  # anew: the last swap may have moved two
        if place < len(letters) and letters[place] != wanted:
            swapped = _swap(case, letters[place], wanted)
            if swapped is not None and fails(swapped):
                case = swapped
    return case


def _letters(values: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The ASCII characters of the values, in order; those of other characters' UTF-8 are left alone."""
    for name, value in values:
        if isinstance(value, Vocabulary):
            yield from _letters([("", value.merges)])
        elif name == "script":  # (what is called, text)
            yield from _letters(("", text) for _, text in value)
        elif isinstance(value, bytes):
            yield from (chr(byte) for byte in value if byte < 0x80)
        elif isinstance(value, str) and name not in ("pattern", "tie_rule"):
            yield from (c for c in value if c.isascii())
        elif isinstance(value, (list, tuple)):
            yield from _letters(("", part) for part in value)


def _swap(case: Case, one: str, other: str, *, one_way: bool = False) -> Case | None:
    """The case with two characters exchanged, or with the first become the other; `None` where that is malformed."""
    back = other if one_way else one
    table = str.maketrans({one: other, other: back})
    raw = bytes.maketrans(f"{one}{other}".encode(), f"{other}{back}".encode())

    def swapped(name: str, value: Any) -> Any:
        if isinstance(value, Vocabulary):
            merges = tuple((left.translate(raw), right.translate(raw)) for left, right in value.merges)
            specials = {text.translate(table): i for text, i in value.special_tokens.items()}
            return Vocabulary(merges, specials, value.pattern, value.base, value.end_of_word)
        if name in ("pattern", "tie_rule"):
            return value
        if name == "script":
            return tuple((step, text.translate(table)) for step, text in value)
        if isinstance(value, str):
            return value.translate(table)
        if isinstance(value, bytes):
            return value.translate(raw)
        if isinstance(value, (list, tuple)):
            return type(value)(swapped("", item) for item in value)
        return value

    try:
        return {name: swapped(name, value) for name, value in case.items()}
    except ValueError:
        return None
