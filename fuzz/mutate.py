"""Changes of an input that mean something to a case: programs, pairs of a list of merges, fragments of a text."""

import random
from collections.abc import Callable

from fuzz.blind import Blind
from fuzz.targets import SEAM


def mutated(
    data: bytes, longest: int, source: random.Random, blind: Blind, otherwise: Callable[[bytes, int], bytes]
) -> bytes:
    """A new input: one in four is a fresh blind one, half of the others are changed as cases are, half as bytes are."""
    choice = source.random()
    if choice < 0.25 or not data:
        return blind.data(source.randrange(1 << 40))[:longest]
    if choice < 0.6:
        return otherwise(data, longest)
    programs = data.split(SEAM)
    place = source.randrange(len(programs))
    programs[place] = source.choice(CHANGES)(programs[place], source).replace(SEAM, b"\xfe")
    return SEAM.join(programs)[:longest]


def crossed(one: bytes, other: bytes, longest: int, source: random.Random) -> bytes:
    """Each program from one of the parents, or the beginning of one and the end of the other.

    >>> crossed(b"ab" + SEAM + b"cd", b"AB" + SEAM + b"CD", 99, random.Random(0))
    b'AB\\xffCD'
    """
    programs = []
    for mine, theirs in zip(one.split(SEAM), other.split(SEAM), strict=False):
        cut = source.randrange(min(len(mine), len(theirs)) + 1)
        programs.append(source.choice([mine, theirs, mine[:cut] + theirs[cut:]]))
    return SEAM.join(programs)[:longest]


def _repeat(program: bytes, source: random.Random) -> bytes:
    start = source.randrange(len(program) + 1)
    part = program[start : start + source.randint(1, 8)]
    return program[:start] + part * source.randint(2, 6) + program[start:]


def _swap_pairs(program: bytes, source: random.Random) -> bytes:
    """Two merges of a list change places: a list's first three characters choose, then two make a merge."""
    pairs = [program[i : i + 2] for i in range(3, len(program), 2)]
    if len(pairs) > 1:
        one, other = source.randrange(len(pairs)), source.randrange(len(pairs))
        pairs[one], pairs[other] = pairs[other], pairs[one]
    return program[:3] + b"".join(pairs)


def _double_pair(program: bytes, source: random.Random) -> bytes:
    start = 3 + 2 * source.randrange(max(1, (len(program) - 3) // 2))
    return program[:start] + program[start : start + 2] + program[start:]


def _drop(program: bytes, source: random.Random) -> bytes:
    start = source.randrange(len(program) + 1)
    return program[:start] + program[start + source.randint(1, 4) :]


def _put(program: bytes, source: random.Random) -> bytes:
    start = source.randrange(len(program) + 1)
    new = bytes(source.choice((source.randrange(0x80, 0xFF), source.randrange(0x20, 0x7F))) for _ in range(2))
    return program[:start] + new + program[start + source.randint(0, 1) :]


def _long(program: bytes, source: random.Random) -> bytes:
    return b"\xdf" + program + bytes([source.randrange(0xD8, 0xE0), source.randrange(0x80)])


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _repeat,
    _swap_pairs,
    _double_pair,
    _drop,
    _put,
    _put,
    _long,
)
