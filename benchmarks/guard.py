"""Bounds on speed that hold on any machine: each is a ratio to a fixed loop of pure Python, measured beside it.

The bounds are three to five times what was measured, so that a busy machine does not break them; what they catch is a
step that has become quadratic, a cache that is not asked, an oracle that is no longer fast.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.corpora import four_letters, natural
from benchmarks.rivals import PATTERN
from implementations.heap import Tokenizer
from implementations.loader import resolve
from properties.oracle.expected import expected_ids
from reference.model import Vocabulary


def calibration() -> None:
    """The fixed loop: a dict, a list, small numbers; some ten milliseconds."""
    counts: dict[int, int] = {}
    for number in range(100_000):
        counts[number % 1000] = counts.get(number % 1000, 0) + number


@dataclass(frozen=True)
class Bound:
    """What is measured, what was measured when the bound was set, and the most that is allowed, in fixed loops."""

    name: str
    make: Callable[[], Callable[[], object]]
    measured: float
    allowed: float


def _training() -> Callable[[], object]:
    text = natural(200_000)
    return lambda: Tokenizer.train([text], 1000, pattern=PATTERN)


def _one_piece() -> Callable[[], object]:
    text = four_letters(50_000)
    return lambda: Tokenizer.train([text], 200)


def _vocabulary() -> Vocabulary:
    return Vocabulary(tuple(Tokenizer.train([natural(100_000)], 500, pattern=PATTERN)), {}, PATTERN)


def _fresh() -> Callable[[], object]:
    vocabulary, text = _vocabulary(), natural(200_000)
    return lambda: Tokenizer(vocabulary).encode(text)


def _warm() -> Callable[[], object]:
    tokenizer, text = Tokenizer(_vocabulary()), natural(500_000)
    tokenizer.encode(text)
    return lambda: tokenizer.encode(text)


def _long_piece() -> Callable[[], object]:
    tokenizer = Tokenizer(Vocabulary(tuple(Tokenizer.train(["a" * 5_000], 20))))
    return lambda: tokenizer.encode("a" * 50_000)


def _small_cases() -> Callable[[], object]:
    [heap] = resolve("heap")
    merges = ((b"a", b"b"), (b"ab", b"a"), (b"b", b"b"), (b"aba", b"bb"))

    def cases() -> None:
        for number in range(100):
            vocabulary = Vocabulary(merges[: number % 5], {"<s>": 300} if number % 2 else {})
            tokenizer = heap(vocabulary)
            text = "abbab<s>ba" * 3
            assert tokenizer.encode(text) == expected_ids(vocabulary, text)
            tokenizer.decode([97, 98])

    return cases


BOUNDS = (
    Bound("training, 200 kB of text, 1,000 merges", _training, 9.0, 36.0),
    Bound("training, one piece of 50,000 letters, 200 merges", _one_piece, 16.0, 64.0),
    Bound("encoding, 200 kB of fresh text", _fresh, 6.0, 24.0),
    Bound("encoding, 500 kB of text seen before", _warm, 5.0, 20.0),
    Bound("encoding, one piece of 50,000 letters", _long_piece, 8.0, 32.0),
    Bound("a hundred small cases through the guard and the oracle", _small_cases, 1.2, 6.0),
)


def loops(bound: Bound, rounds: int = 5) -> float:
    """The time of what is measured, in fixed loops: the median of the rounds' ratios."""
    call, ratios = bound.make(), []
    for _ in range(rounds):
        start = time.process_time()
        calibration()
        middle = time.process_time()
        call()
        ratios.append((time.process_time() - middle) / (middle - start))
    return statistics.median(ratios)


def broken(bound: Bound) -> str | None:
    """What is said of a bound that is broken; it is measured once more before it is said."""
    found = min(loops(bound), float("inf"))
    if found > bound.allowed:
        found = min(found, loops(bound))
    if found <= bound.allowed:
        return None
    return f"{bound.name}: {found:.1f} fixed loops; {bound.allowed:g} are allowed, {bound.measured:g} were measured"
