"""Real text: a small sample in many scripts, and what every Python brings along.

The sample was written for this suite, a file a script or a group of scripts; it holds both line ends, tables, code in
several languages, emoji, mathematics, and the same words composed and decomposed.

>>> sample_texts()["greek"][:5]
'Νωρίς'
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "texts"
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def sample_texts(folder: Path = SAMPLE) -> dict[str, str]:
    r"""The texts of the sample by name, in the order of their names, with the line ends that they have.

    >>> sample_texts()["line-ends-crlf"].count("\r\n")
    7
    """
    return {path.stem: path.read_bytes().decode() for path in sorted(folder.glob("*.txt"))}


def standard_library_texts(limit_bytes: int, folder: Path = STANDARD_LIBRARY) -> dict[str, str]:
    """Texts that come with Python, each whole and at most `limit_bytes` together: see `size_in_bytes` for how many.

    First CJK text of Python's own tests (not every Python has it), then the help topics, then the modules' sources,
    in an order that does not depend on the file system. A text that no longer fits is passed over. What is missing is
    left out; a Python without sources gives no texts.

    >>> size_in_bytes(standard_library_texts(100_000)) <= 100_000
    True
    """
    texts: dict[str, str] = {}
    left = limit_bytes
    for name, text in _documents(folder):
        size = len(text.encode())
        if size <= left:
            texts[name] = text
            left -= size
        if left < 1000:  # too little for another text; do not read the whole library in search of one
            break
    return texts


def size_in_bytes(texts: Mapping[str, str]) -> int:
    """How many bytes the texts have together, in UTF-8.

    >>> size_in_bytes({"a": "café", "b": "☕"})
    8
    """
    return sum(len(text.encode()) for text in texts.values())


def _documents(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("test/cjkencodings/*-utf8.txt")):
        yield from _document(path, folder)
    for topic, text in sorted(_topics().items()):
        yield f"topics/{topic}", text
    for path in _sources(folder):
        yield from _document(path, folder)


def _topics() -> dict[str, str]:
    try:
        from pydoc_data.topics import topics
    except ImportError:  # some distributions leave it out
        return {}
    return dict(topics)


def _sources(folder: Path) -> Iterator[Path]:
    """The modules, a folder's own before its subfolders': no packages, and no tests, which not every Python has."""
    for parent, folders, files in os.walk(folder):
        left_out = {"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__", "pydoc_data"}
        folders[:] = sorted(set(folders) - left_out)
        yield from (Path(parent, file) for file in sorted(files) if file.endswith(".py"))


def _document(path: Path, folder: Path) -> Iterator[tuple[str, str]]:
    try:
        yield path.relative_to(folder).as_posix(), path.read_bytes().decode()
    except (UnicodeDecodeError, OSError):  # a source in another encoding, or one that cannot be read
        return
