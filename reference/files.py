r"""Section 8: the plain merges file, one merge a line.

The first line is `#bpe-merges 1`. Each further line is the left token, one space, and the right token. The file is
ASCII, each line ends with a line feed, and a token is written so that no editor can change it: printable ASCII stands
for itself, save `#` and the backslash; every other byte is `\x` and two hexadecimal digits. Empty lines and lines that
begin with `#` are comments. A carriage return before the line feed is ignored: none can be part of a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from reference.errors import MalformedFile
from reference.model import Merge

HEADER = "#bpe-merges 1"
_PLAIN = set(range(0x21, 0x7F)) - set(b"#\\")
_TOKEN = re.compile(r"""(?:[!"$-\[\]-~]|\\x[0-9a-f]{2})+""")


def dumps_merges(merges: Iterable[Merge]) -> str:
    r"""The text of the file for these merges.

    >>> print(dumps_merges([(b" ", b"w"), (b" w", b"#")]), end="")
    #bpe-merges 1
    \x20 w
    \x20w \x23
    """
    lines = [HEADER, *(f"{escape(left)} {escape(right)}" for left, right in merges)]
    return "".join(line + "\n" for line in lines)


def loads_merges(text: str) -> tuple[Merge, ...]:
    r"""The merges that the text of a file holds. Raises `MalformedFile` naming the line.

    >>> loads_merges("#bpe-merges 1\n# a comment\n\\x20 w\n")
    ((b' ', b'w'),)
    >>> loads_merges("#bpe-merges 1\na b c\n")
    Traceback (most recent call last):
        ...
    reference.errors.MalformedFile: line 2, 'a b c': a merge is two tokens with one space between
    """
    # split at line feeds alone: str.splitlines would also split at U+0085, U+2028 and others
    *lines, rest = text.split("\n")
    if not lines or lines[0].removesuffix("\r") != HEADER:
        raise MalformedFile(f"line 1, {(lines or [rest])[0][:40]!r}: a merges file begins with {HEADER!r}")
    if rest:
        raise MalformedFile(f"line {len(lines) + 1}, {rest[:40]!r}: no line feed at the end; the file was cut short")
    numbered = [(number, line.removesuffix("\r")) for number, line in enumerate(lines, 1)]
    return tuple(parse_merge(number, line) for number, line in numbered if line and not line.startswith("#"))


def parse_merge(number: int, line: str) -> Merge:
    r"""The merge that one line holds. Raises `MalformedFile` naming the line.

    >>> parse_merge(2, "\\x20 w")
    (b' ', b'w')
    """
    tokens = line.split(" ")
    if len(tokens) != 2 or not all(tokens):
        raise MalformedFile(f"line {number}, {line[:40]!r}: a merge is two tokens with one space between")
    for token in tokens:
        if not _TOKEN.fullmatch(token):
            raise MalformedFile(f"line {number}, {token[:40]!r}: a token is printable ASCII and \\x with two digits")
    return unescape(tokens[0]), unescape(tokens[1])


def escape(token: bytes) -> str:
    r"""The token as the file writes it.

    >>> print(escape(b"a#\\\n\xff"))
    a\x23\x5c\x0a\xff
    """
    return "".join(chr(value) if value in _PLAIN else f"\\x{value:02x}" for value in token)


def unescape(written: str) -> bytes:
    r"""The token that is so written.

    >>> unescape("a\\x23\\x5c")
    b'a#\\'
    """
    return re.sub(rb"\\x(..)", lambda match: bytes.fromhex(match[1].decode()), written.encode())


def save_merges(path: str | Path, merges: Iterable[Merge]) -> None:
    """Write the merges to a file. Raises what opening and writing raise.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_merges(f"{folder}/it.merges", [(b"a", b"b")])
    ...     load_merges(f"{folder}/it.merges")
    ((b'a', b'b'),)
    """
    Path(path).write_bytes(dumps_merges(merges).encode("ascii"))


def load_merges(path: str | Path) -> tuple[Merge, ...]:
    """The merges in a file. Raises `MalformedFile` naming the line, and what opening and reading raise.

    That each merge is made of tokens that exist is for `Vocabulary` to check, which knows the base.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "it.merges").write_bytes(b"a b")
    ...     load_merges(Path(folder, "it.merges"))
    Traceback (most recent call last):
        ...
    reference.errors.MalformedFile: line 1, 'a b': a merges file begins with '#bpe-merges 1'
    """
    return loads_merges(Path(path).read_bytes().decode("latin-1"))  # byte for byte; what is no ASCII is refused by line
