"""Which lines and branches of the plugged-in Python module no claim reached, by coverage.py.

An author sees at once what the suite did not exercise of theirs. The measuring starts before the module is imported,
and goes on in the worker processes of `-n`; programs of `cmd:` and what runs in processes of its own are not measured.
"""

import importlib.util
import json
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from properties.report.records import ROOT, Record

_FILE = re.compile(r"(?:(?:lesson|minbpe|cs336):)?(?P<path>.*\.py)(?::[^:/\\]+)?", re.DOTALL)


def files_of(specs: Iterable[str]) -> list[Path]:
    """The Python files that hold what is plugged in, found without importing them. Raises a `ValueError`.

    >>> [path.name for path in files_of(["heap", "implementations.naive:Tokenizer"])]
    ['heap.py', 'naive.py']
    """
    return [_file_of(spec).resolve() for spec in specs]


def _file_of(spec: str) -> Path:
    if spec.startswith("cmd:") or spec == "all":
        raise ValueError(f"--coverage measures one Python module; {spec!r} is none")
    if match := _FILE.fullmatch(spec):
        return Path(match["path"])
    if ":" in spec:
        try:
            found = importlib.util.find_spec(spec.partition(":")[0])
        except (ImportError, ValueError):
            found = None
        if found is None or not found.origin or not found.origin.endswith(".py"):
            raise ValueError(f"--coverage measures one Python module; {spec!r} names none that is written in Python")
        return Path(found.origin)
    places = [ROOT / "implementations" / f"{spec}.py", ROOT / "implementations" / "adapters" / f"{spec}.py"]
    return next((place for place in places if place.is_file()), places[0])


class Measured:
    """A measuring of files, started when made. Raises a `ValueError` where coverage.py is not installed."""

    def __init__(self, specs: Iterable[str]) -> None:
        try:
            from coverage import Coverage
        except ImportError:
            raise ValueError('--coverage needs coverage.py: pip install -e ".[coverage]"') from None
        self.files = files_of(specs)
        self._coverage = Coverage(
            data_file=None, branch=True, include=[str(path) for path in self.files], config_file=False, messages=False
        )
        self._coverage.start()

    def stop(self) -> bytes:
        """Stop, and give what was measured as bytes, for `add` in another process."""
        self._coverage.stop()
        return self._coverage.get_data().dumps()

    def add(self, dumped: bytes) -> None:
        """Take in what another process measured."""
        from coverage import CoverageData

        data = CoverageData(no_disk=True)
        data.loads(dumped)
        self._coverage.get_data().update(data)

    def records(self) -> list[Record]:
        """One record for each file: what was reached and what was not. Call `stop` first."""
        from coverage.exceptions import NoDataError

        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            try:
                self._coverage.json_report(outfile=file.name)
            except NoDataError:
                return []
            measured: dict[str, Any] = json.loads(Path(file.name).read_text(encoding="utf-8"))
        return [_record(path, found) for path, found in measured["files"].items()]


def _record(path: str, found: dict[str, Any]) -> Record:
    summary = found["summary"]
    return {
        "kind": "coverage",
        "file": path,
        "lines": {"all": summary["num_statements"], "reached": summary["covered_lines"]},
        "branches": {"all": summary["num_branches"], "reached": summary["covered_branches"]},
        "missed_lines": found["missing_lines"],
        "missed_branches": found["missing_branches"],
    }


def told(record: Record) -> list[str]:
    """A record as lines for people.

    >>> lines = {"all": 9, "reached": 7}
    >>> branches = {"all": 4, "reached": 3}
    >>> print("\\n".join(told({"file": "mine.py", "lines": lines, "branches": branches,
    ...     "missed_lines": [3, 4], "missed_branches": [[2, 3], [8, -1]]})))
    mine.py: 7 of 9 lines and 3 of 4 branches reached
        lines that no claim reached: 3-4
        branches that no claim took: 2 to 3, 8 to the end
    """
    lines, branches = record["lines"], record["branches"]
    head = (
        f"{record['file']}: {lines['reached']} of {lines['all']} lines and "
        f"{branches['reached']} of {branches['all']} branches reached"
    )
    told = [head]
    if record["missed_lines"]:
        told.append(f"    lines that no claim reached: {spans(record['missed_lines'])}")
    if record["missed_branches"]:
        told.append(f"    branches that no claim took: {_branches(record['missed_branches'])}")
    return told


def spans(lines: Iterable[int]) -> str:
    """Line numbers, runs of them as spans.

    >>> spans([1, 2, 3, 7, 9, 10])
    '1-3, 7, 9-10'
    """
    runs: list[list[int]] = []
    for line in sorted(lines):
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _branches(branches: Iterable[list[int]]) -> str:
    return ", ".join(f"{start} to {end if end > 0 else 'the end'}" for start, end in branches)
