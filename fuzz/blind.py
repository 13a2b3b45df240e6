"""The blind engine: case i of seed s is always the same case, on every machine, with nothing but the standard library.

Bytes come from a hash of the seed, the target's name and i; nothing is remembered from one case to the next, so a
finding is a pair of numbers and any part of a campaign can be run again. Sixteen cases in a row share their first
program, the vocabulary: making one takes as long as a whole check. The first sixteen have five: of a slow target there
are few cases, and one vocabulary would be all that it met.
"""

from functools import cache
from hashlib import shake_128
from pathlib import Path

from fuzz.targets import SEAM, Target

SEEDS = Path(__file__).resolve().parent / "seeds"
SHARED = 16  # cases in a row with one vocabulary
LONG_BYTE = 0xDF  # a program that begins with it may be long (properties.cases.programs.LONG)

# How a program's bytes are bent: as they are; letters, tokens, specials and repeats only; ASCII; the first letters.
RAW = bytes(0xFE if byte == 0xFF else byte for byte in range(256))
DENSE = bytes(0x80 + byte % 0x40 for byte in range(256))
ASCII = bytes(0x20 + byte % 0x5F for byte in range(256))
LETTERS = bytes(0x80 + byte % 4 if byte < 0xD0 else 0xB8 + byte % 16 for byte in range(256))
BENT = (RAW, DENSE, RAW, LETTERS, RAW, DENSE, ASCII, RAW)


@cache
def seeds() -> tuple[bytes, ...]:
    """The seeds that come with the suite: texts, in ASCII and operations."""
    return tuple(path.read_bytes().replace(SEAM, b"\xfe") for path in sorted(SEEDS.glob("*.txt")))


class Blind:
    """The cases of one target under one seed.

    >>> from fuzz.targets import targets
    >>> [target] = targets(["ENC-2"])
    >>> Blind(0, target).data(5) == Blind(0, target).data(5) != Blind(1, target).data(5)
    True
    """

    def __init__(self, seed: int, target: Target) -> None:
        self.key = f"{seed} {target.name} ".encode()
        self.sizes = target.sizes
        self.room = 8 * len(self.sizes) + sum(high for _, high in self.sizes)
        self._group, self._first = -1, b""

    def data(self, index: int) -> bytes:
        """The bytes of a case."""
        source = shake_128(self.key + b"%d" % index).digest(self.room)
        if len(self.sizes) == 1:
            return _program(source, *self.sizes[0])
        group = group_of(index)
        if group != self._group:
            low, high = self.sizes[0]
            self._group = group
            self._first = _program(shake_128(self.key + b"v%d" % group).digest(high + 8), low, high)
        programs = [self._first]
        for low, high in self.sizes[1:]:
            programs.append(_program(source, low, high, may_be_seed=True))
            source = source[high + 8 :]
        return SEAM.join(programs)


def group_of(index: int) -> int:
    """The cases of one group share their first program.

    >>> [group_of(index) for index in (0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32)]
    [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]
    """
    return index.bit_length() if index < SHARED else 4 + index // SHARED


def _program(source: bytes, low: int, high: int, *, may_be_seed: bool = False) -> bytes:
    """A program made of the first `high + 8` bytes of a source."""
    how, size, cut, edit = source[0], source[1], source[2], source[3]
    length = low + (size % (high - low + 1) if how & 1 else min(size, cut) % (high - low + 1))
    body = source[8 : 8 + length].translate(BENT[how >> 1 & 7])
    if how >= 0xFC:
        return bytes([LONG_BYTE]) + body[1:]
    if may_be_seed and how >= 0xE8 and seeds():
        chosen = seeds()[edit % len(seeds())][:high]
        place = cut % (len(chosen) + 1)
        return (chosen[:place] + body[: size % 5] + chosen[place + size % 3 :])[:high]
    return body
