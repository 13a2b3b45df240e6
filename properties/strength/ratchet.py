"""The record that the next run is held to: no survivor, no claim that went blind, no slower kills.

Times are compared as multiples of a fixed loop of plain Python, timed in the same run: another machine, or the same one
under load, is slower at both.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from implementations.plugged import Implementation
from properties.strength.matrix import Matrix
from properties.strength.runs import Job, Run
from properties.strength.table import Row

RECORD = Path(__file__).with_name("record.json")
WITNESSES = 3  # of what each claim refutes, so many are kept in the record
SLOWER = 2.0


def calibration() -> float:
    """Seconds that the fixed loop takes: the median of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        counts: dict[int, int] = {}
        for number in range(60_000):
            counts[number * 7919 % 1009] = counts.get(number * 7919 % 1009, 0) + 1
        times.append(time.perf_counter() - start)
    return median(times)


def record_of(matrix: Matrix, rows: Sequence[Row], loop: float) -> dict[str, Any]:
    """What is kept of a run: the median time to the refutation, and for each claim a few of what it refutes.

    Those that no other claim refutes come first, then those that it refutes the fastest.
    """
    claims = {claim for row in matrix.cells.values() for claim in row}
    witnesses = {}
    for claim in sorted(claims):
        alone = set(matrix.killed_alone_by(claim))
        killed = sorted(
            matrix.killed_by(claim), key=lambda name: (name not in alone, matrix.cells[name][claim].seconds)
        )
        if killed:
            witnesses[claim] = killed[:WITNESSES]
    return {"loop": loop, "seconds": _median_seconds(rows), "witnesses": witnesses}


def write_record(record: Mapping[str, Any], path: Path = RECORD) -> None:
    """Keep a record."""
    path.write_text(json.dumps(record, indent=1) + "\n")


def read_record(path: Path = RECORD) -> dict[str, Any]:
    """The record kept. Raises `FileNotFoundError` where there is none."""
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def witness_jobs(
    record: Mapping[str, Any], implementations: Mapping[tuple[str, str], Implementation], call_limit: float
) -> list[Job]:
    """Each claim on what it is recorded to refute."""
    spec_of = {name: spec for spec, name in implementations}
    return [
        Job(spec_of[name], name, (claim,), 0, "default", call_limit)
        for claim, names in record["witnesses"].items()
        for name in names
        if name in spec_of
    ]


def blind_claims(record: Mapping[str, Any], runs: Sequence[tuple[Job, Run]]) -> list[str]:
    """The claims that refute nothing any more of what they are recorded to refute."""
    seeing = {job.claims[0] for job, run in runs if run.refuted}
    asked = {job.claims[0] for job, _ in runs}
    return [claim for claim in record["witnesses"] if claim in asked and claim not in seeing]


def complaints(record: Mapping[str, Any], rows: Sequence[Row], blind: Sequence[str], loop: float) -> list[str]:
    """What the ratchet does not let through; empty where all is as good as recorded."""
    found = [f"survives: {row.name}" for row in rows if not row.as_expected]
    found += [f"refutes nothing any more of what it is recorded to refute: {claim}" for claim in blind]
    recorded, now = record["seconds"] / record["loop"], _median_seconds(rows) / loop
    if now > SLOWER * recorded:
        found.append(f"the median time to the refutation is {now / recorded:.1f} times the recorded one")
    return found


def _median_seconds(rows: Sequence[Row]) -> float:
    return median([row.seconds for row in rows if row.claims] or [0.0])
