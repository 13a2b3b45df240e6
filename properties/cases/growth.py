"""How the time of encoding and training grows with the text: an exponent, fitted, with an interval.

Texts of one family are made at doubling sizes, each is encoded (or learned from) a few times, and the logarithm of the
processor time is fitted by a line over the logarithm of the size. Its slope is 1 for time in proportion to the text and
2 for the square. The interval comes of resampling the measurements. Processor time is that of the process in which
the implementation lives, so another's work on the machine counts little; what is left of it, repetition takes out.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from implementations.command import CommandImplementation
from implementations.plugged import CallFailed, Implementation, NotApplicable
from properties.cases.domains import Case, Domain
from properties.cases.programs import Profile
from reference.model import Merge, Vocabulary
from reference.pretokenize import PATTERNS

TASKS = ("encode", "train")
FAMILIES = ("a…a", "ab…ab", "dominoes", "random", "no white space")
LIMIT = 1.35  # n log n fits as about 1.1 over these sizes
SMALLEST, LARGEST = 256, 2**17
ENOUGH = 0.06  # seconds: no larger text is tried after that
LEAST = 4e-4  # seconds: shorter times are mostly those of the call itself
REPEATS = 3
RESAMPLES = 200
MERGES = 24  # learned in training
TRIES = 3  # a claim is refuted where each of so many measurements refutes it


@dataclass(frozen=True)
class Fit:
    """An exponent and its interval, of nine resamplings in ten."""

    exponent: float
    low: float
    high: float


def text_of(family: str, size: int) -> str:
    """The text of a family, of so many characters.

    >>> [text_of(family, 6) for family in FAMILIES[:3]]
    ['aaaaaa', 'ababab', 'abcdef']
    """
    if family == "a…a":
        return "a" * size
    if family == "ab…ab":
        return ("ab" * size)[:size]
    if family == "dominoes":
        return ("abcdefghijklm" * (size // 13 + 1))[:size]
    source = random.Random(size)
    letters = "ab cd\n" if family == "random" else "etaoinshrdlu"
    return "".join(source.choices(letters, k=size))


@cache
def merges_of(family: str) -> tuple[Merge, ...]:
    """Merges that have much to do on the family: doublings, chains that one letter moves, pairs of all letters."""
    if family in ("a…a", "ab…ab"):
        first: list[Merge] = [] if family == "a…a" else [(b"a", b"b")]
        unit = b"a" if family == "a…a" else b"ab"
        return (*first, *((unit * 2**i, unit * 2**i) for i in range(8)))
    if family == "dominoes":
        letters = [bytes([code]) for code in b"abcdefghijklm"]
        return tuple(zip(letters[-2::-1], letters[:0:-1], strict=True))
    letters = [bytes([code]) for code in (b"abcd" if family == "random" else b"etaoinshrdlu")]
    pairs = [(left, right) for left in letters for right in letters if left != right]
    return (*pairs, *((left + right, left) for left, right in pairs))


def growth_of(implementation: Implementation) -> Iterator[dict[str, Any]]:
    """Each task and family with its exponent, or with a note why there is none; what the matrix shows."""
    for task in TASKS:
        if task == "train" and "train" not in implementation.can:
            continue
        for family in FAMILIES:
            fit, points, note = None, list[tuple[int, float]](), ""
            try:
                points = points_of(implementation, task, family)
                fit = fitted(points)
                note = "" if fit else "too fast or too slow to fit"
            except NotApplicable as why:
                note = str(why)
            except CallFailed as error:
                note = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            except Exception as error:
                note = f"raises {type(error).__name__}"
            yield {
                "task": task,
                "family": family,
                "exponent": fit and round(fit.exponent, 3),
                "low": fit and round(fit.low, 3),
                "high": fit and round(fit.high, 3),
                "points": [[size, round(seconds, 6)] for size, seconds in points],
                "note": note[:200],
            }


def points_of(implementation: Implementation, task: str, family: str) -> list[tuple[int, float]]:
    """Sizes and processor times, measured where the implementation lives. Raises what its calls raise."""
    if isinstance(implementation, CommandImplementation):
        raise NotApplicable("its processor time is a program's own")
    points: list[tuple[int, float]] = implementation.run(measured, task, family)
    return points


def measured(implementation: Implementation, task: str, family: str) -> list[tuple[int, float]]:
    """Sizes and processor times, until one takes long. A call that hangs ends it, if there are points enough."""
    points: list[tuple[int, float]] = []
    size = SMALLEST
    while size <= LARGEST:
        try:
            times = [_seconds(implementation, task, family, size + i) for i in range(REPEATS)]
        except CallFailed:
            if len({n for n, _ in points}) < 4:
                raise
            break
        points += [(size, seconds) for seconds in times]
        if min(times) > ENOUGH:
            break
        size *= 2
    return points


def _seconds(implementation: Implementation, task: str, family: str, size: int) -> float:
    text = text_of(family, size)
    if task == "train":
        rules = implementation.tie_rules or ("first-seen",)
        return _timed(lambda pattern: implementation.train([text], MERGES, pattern=pattern, tie_rule=rules[0]))
    if implementation.own_vocabulary:
        tokenizer = implementation(None)
        return _clocked(lambda: tokenizer.encode(text))
    return _timed_on(lambda pattern: implementation(Vocabulary(merges_of(family), pattern=pattern)), text)


def _patterns() -> list[str | None]:
    return [None, *(PATTERNS[name] for name in ("gpt2", "cl100k_base", "o200k_base", "whitespace"))]


def _timed(call: Any) -> float:
    """The time of a call with the first pattern that is served."""
    reason = NotApplicable("serves none of the patterns")
    for pattern in _patterns():
        try:
            return _clocked(lambda pattern=pattern: call(pattern))
        except NotApplicable as why:
            reason = why
    raise reason


def _timed_on(make: Any, text: str) -> float:
    reason = NotApplicable("serves none of the patterns")
    for pattern in _patterns():
        try:
            tokenizer = make(pattern)  # a new one every time: none has seen the text
            return _clocked(lambda tokenizer=tokenizer: tokenizer.encode(text))
        except NotApplicable as why:
            reason = why
    raise reason


def _clocked(call: Any) -> float:
    begun = time.process_time()
    call()
    return time.process_time() - begun


def fitted(points: Sequence[tuple[int, float]]) -> Fit | None:
    """The exponent of times by sizes; `None` where fewer than four sizes take long enough.

    >>> fit = fitted([(n, 1e-6 * n * n) for n in (256, 512, 1024, 2048, 4096) for _ in range(3)])
    >>> round(fit.exponent, 2), round(fit.low, 2), round(fit.high, 2)
    (2.0, 2.0, 2.0)
    """
    by_size: dict[int, list[float]] = {}
    for size, seconds in points:
        by_size.setdefault(size, []).append(max(seconds, 1e-9))
    long = {size: times for size, times in by_size.items() if min(times) >= LEAST}
    if len(long) < 4:
        return None
    source = random.Random(0)
    slopes = []
    for _ in range(RESAMPLES):
        sizes = source.choices(list(long), k=len(long))
        if len(set(sizes)) >= 3:
            slopes.append(_slope([(size, min(source.choices(long[size], k=2))) for size in sizes]))
    slopes.sort()
    best = _slope([(size, min(times)) for size, times in long.items()])
    return Fit(best, slopes[len(slopes) // 20], slopes[-1 - len(slopes) // 20])


def _slope(points: Sequence[tuple[int, float]]) -> float:
    sizes = [math.log(size) for size, _ in points]
    times = [math.log(seconds) for _, seconds in points]
    return statistics.linear_regression(sizes, times).slope


def grows_too_fast(implementation: Implementation, task: str, family: str) -> list[Fit]:
    """The fits, where each of a few measurements lies above the limit with its whole interval; else nothing."""
    fits = []
    for _ in range(TRIES):
        fit = fitted(points_of(implementation, task, family))
        if fit is None or fit.low <= LIMIT:
            return []
        fits.append(fit)
    return fits


def _families(profile: Profile) -> Iterator[Case]:
    return iter([{"family": family} for family in FAMILIES])


GROWING = Domain(("family",), admits=lambda case: case["family"] in FAMILIES, listed=_families)
