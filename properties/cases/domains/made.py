"""Vocabularies and texts made by a rule: of doubled lengths, of many merges, of ranks at a border, of many pieces."""

from collections.abc import Iterator
from functools import cache

from properties.cases import tables
from reference.model import Merge, Vocabulary


def doubled(times: int) -> tuple[Merge, ...]:
    """Merges that make tokens of 2, 4, 8... bytes.

    >>> doubled(2)
    ((b'a', b'a'), (b'aa', b'aa'))
    """
    return tuple((b"a" * 2**power, b"a" * 2**power) for power in range(times))


def long_texts() -> Iterator[str]:
    """Many pieces, and some more; pieces of all lengths in one text; long runs of what splitters stumble over."""
    for count in (16, 17, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257):
        yield " ab" * count
    yield "x" * 100 + "\n\n\nb" + "x" * 90 + "!\n//" * 30
    yield " ab" * 1001
    yield "\x20".join(("ab" * length)[:length] for length in tables.PIECE_LENGTHS)
    yield "a".join(character * 1030 for character in (" ", "\n", "=", "1", "\t", "a", "é", "\r\n"))
    for piece in (" cc", " abc d", "a\n"):
        yield piece * 1001
        yield "".join(f"{piece}{i}" for i in range(1100))


@cache
def many_merges(count: int) -> Vocabulary:
    """A trainable list of many merges: all pairs of letters first, then longer and longer tokens.

    >>> from properties.oracle.fast import trainable
    >>> len(many_merges(700).merges), trainable(many_merges(700))
    (700, True)
    """
    letters = [bytes([code]) for code in range(0x21, 0x7F)]
    pairs = [(left, right) for left in letters[:40] for right in letters[40:80]]
    longer = [(left + right, other) for left, right in pairs for other in letters[80:] + letters[:40]]
    return Vocabulary(tuple((pairs + longer)[:count]))


NARROW = (128, 256, 512, 2_048, 4_096, 32_768, 65_536)  # where numbers of some width end


CHAINS = b"abcdefghijklmno"


@cache
def narrow_ranks(border: int) -> Vocabulary:
    """A trainable list in which ranks on either side of a border, and neighbours beyond it, decide between merges.

    The merges before them are made of bytes that stand in no text.

    >>> from properties.oracle.fast import trainable
    >>> narrow_ranks(128).merges[125:131:2], trainable(narrow_ranks(128))
    (((b'b', b'c'), (b'a', b'b'), (b'h', b'i')), True)
    """
    high = [bytes([code]) for code in range(0x80, 0x100)]
    pairs = [(left, right) for left in high[:64] for right in high[64:]]
    longer = [(left + right, other) for left, right in pairs for other in high[:16]]
    letters = [CHAINS[place : place + 1] for place in range(len(CHAINS))]
    a, b, c, d, e, f, g, h, i, j, k, l, m, n, o = letters  # noqa: E741
    last = [(b, c), (e, f), (a, b), (d, e), (h, i), (g, h), (k, l), (j, k), (n, o), (m, n)]
    return Vocabulary((*(pairs + longer)[: border - 3], *last))
