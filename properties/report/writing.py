"""Records to files: whole or not at all, so that nobody ever reads half a report."""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from properties.report.html import html_of
from properties.report.markdown import markdown_of
from properties.report.records import Record


def jsonl_of(records: Sequence[Record]) -> str:
    """One JSON object a line, ASCII only.

    >>> jsonl_of([{"kind": "header"}, {"kind": "footer"}])
    '{"kind": "header"}\\n{"kind": "footer"}\\n'
    """
    return "".join(json.dumps(record) + "\n" for record in records)


FORMATS: dict[str, Callable[[Sequence[Record]], str]] = {"html": html_of, "jsonl": jsonl_of, "md": markdown_of}


@dataclass(frozen=True)
class Destination:
    """One report asked for: its format and its file."""

    format: str
    path: Path

    @classmethod
    def of(cls, written: str) -> "Destination":
        """What `html:FILE` and the like mean. Raises a `ValueError` that lists the choices.

        >>> Destination.of("md:out.md").format
        'md'
        >>> Destination.of("pdf:out.pdf")
        Traceback (most recent call last):
            ...
        ValueError: --report is html:FILE, jsonl:FILE or md:FILE, not 'pdf:out.pdf'
        """
        form, _, path = written.partition(":")
        if form not in FORMATS or not path:
            raise ValueError(f"--report is html:FILE, jsonl:FILE or md:FILE, not {written!r}")
        return cls(form, Path(path).absolute())

    def write(self, records: Sequence[Record]) -> None:
        """Write the report; the file that was there stands until the new one is complete. Raises a `ValueError`."""
        try:
            replace_text(self.path, FORMATS[self.format](records))
        except OSError as error:
            raise ValueError(f"--report={self.format}:{self.path}: {error.strerror}") from None


def replace_text(path: Path, text: str) -> None:
    """Write a file under another name beside it, then give it its name."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)  # mkstemp makes files that only their owner reads
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
