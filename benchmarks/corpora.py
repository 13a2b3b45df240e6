"""Text to measure on, made of what is there: the standard library's sources, `pydoc_data`, manual pages.

A text longer than its sources repeats them with variation: in each round other words are respelled, so that the
number of distinct words goes on growing as it does in natural text.
"""

import gzip
import hashlib
import random
import re
import sysconfig
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

MANUAL_PAGES = Path("/usr/share/man")
CUT = 100_000  # characters taken of one file at most, so that none dominates
WORD = re.compile(r"\w{4,}")


def standard_library_files() -> list[Path]:
    """Sources and texts of the standard library, in an order that no folder decides."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    found = [*folder.rglob("*.py"), *folder.rglob("*.txt"), *folder.rglob("*.rst")]
    return _shuffled([path for path in found if "site-packages" not in path.parts])


def manual_page_files() -> list[Path]:
    """Manual pages in languages other than English; none where they are not installed."""
    return _shuffled(list(MANUAL_PAGES.glob("*/man*/*.gz"))) if MANUAL_PAGES.is_dir() else []


def _shuffled(paths: list[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: hashlib.sha256("/".join(path.parts[-3:]).encode()).digest())


def _read(path: Path) -> str:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode()[:CUT]
    except (OSError, UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error):
        return ""


@cache
def _sources() -> tuple[str, ...]:
    """Three parts standard library to one of manual pages, interleaved."""
    library, pages = iter(standard_library_files()), iter(manual_page_files())
    texts: list[str] = []
    sizes = [0, 0]
    files: tuple[Iterator[Path], Iterator[Path]] = (library, pages)
    while True:
        turn = 1 if sizes[1] * 3 < sizes[0] else 0
        path = next(files[turn], None) or next(files[1 - turn], None)
        if path is None:
            return tuple(texts)
        texts.append(_read(path))
        sizes[turn] += len(texts[-1].encode())


def natural(size: int) -> str:
    """About `size` bytes of text: whole files, then the same again with words respelled."""
    texts: list[str] = []
    left, turn = size, 0
    while left > 0:
        for source in _sources():
            text = source if turn == 0 else respelled(source, turn)
            data = text.encode()[:left]
            texts.append(data.decode(errors="ignore"))
            left -= len(data)
            if left <= 0:
                break
        turn += 1
    return "".join(texts)


def respelled(text: str, turn: int) -> str:
    """The text with one word in ten turned by a few letters; the same word in the same way all through one round."""

    @cache
    def word_of(word: str) -> str:
        number = zlib.crc32(f"{turn} {word}".encode())
        place = 1 + number % (len(word) - 1)
        return word[place:] + word[:place] if number % 10 == 0 else word

    return WORD.sub(lambda match: word_of(match[0]), text)


# One piece that is hard on one or another algorithm. Each takes its length.


def fibonacci(size: int) -> str:
    """The Fibonacci word: any run of it stands there again soon, never thrice in a row."""
    one, other = "a", "ab"
    while len(other) < size:
        one, other = other, other + one
    return other[:size]


def dominoes(size: int) -> str:
    """Chained pairs, ab bc cd …: each letter ends one pair and begins the next, so every merge upsets two others."""
    ring = "".join(chr(0x61 + (i * step) % 26) for step in (1, 3, 5, 7, 9, 11) for i in range(26))
    return (ring * (size // len(ring) + 1))[:size]


def four_letters(size: int) -> str:
    """Random letters of an alphabet of four."""
    return "".join(random.Random(4).choices("acgt", k=size))


def random_bytes(size: int) -> str:
    """Characters of one byte each at random. (Bytes from 0x80 up cannot stand alone in a text.)"""
    return "".join(map(chr, random.Random(256).choices(range(128), k=size)))


PIECES: dict[str, Callable[[int], str]] = {
    "aⁿ": lambda size: "a" * size,
    "(ab)ⁿ": lambda size: ("ab" * (size // 2 + 1))[:size],
    "Fibonacci": fibonacci,
    "dominoes": dominoes,
    "acgt": four_letters,
    "random bytes": random_bytes,
    "spaces": lambda size: " " * size,
}
