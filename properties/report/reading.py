"""A report in JSON lines, read back and held to its form."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from properties.report.records import FORMAT, VERSION, Record, of_kind


class UnreadableReport(ValueError):
    """The file is no report, or that of a run that did not end; the message says which."""


@dataclass(frozen=True)
class Report:
    """The records of one finished run."""

    path: Path
    records: list[Record]

    @property
    def header(self) -> Record:
        """Who was tested, and how."""
        return self.records[0]

    @property
    def footer(self) -> Record:
        """The counts."""
        return self.records[-1]

    @cached_property
    def rows(self) -> dict[tuple[str, str], Record]:
        """Claims and regressions by implementation and id."""
        claims = {(row["implementation"], row["claim"]): row for row in of_kind(self.records, "claim")}
        stored = {(row["implementation"], row["regression"]): row for row in of_kind(self.records, "regression")}
        return claims | stored

    @property
    def implementations(self) -> list[str]:
        """The names of what was tested."""
        return [declared["name"] for declared in self.header["implementations"]]


def read(path: Path) -> Report:
    """The report in a file. Raises `UnreadableReport`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UnreadableReport(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UnreadableReport(f"{path}: no report: it is no UTF-8") from None
    records = [_record(path, number, line) for number, line in enumerate(lines, 1)]
    if not records or records[0].get("format") != FORMAT:
        raise UnreadableReport(f"{path}: no report: --report=jsonl:FILE writes one")
    if records[0].get("version") != VERSION:
        raise UnreadableReport(f"{path}: version {records[0].get('version')}; this suite reads version {VERSION}")
    if records[-1].get("kind") != "footer":
        raise UnreadableReport(f"{path}: a run that did not end: its footer is missing")
    return Report(path, records)


def _record(path: Path, number: int, line: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
        raise UnreadableReport(f"{path}: line {number} is no record of a report")
    return record
