"""A run as records: dicts that JSON holds, each with a `kind`. `schema.json` says what each holds.

header      who was tested, by which suite, how hard
claim       one claim asked of one implementation
regression  one stored case asked of one implementation
finding     a counterexample: the case, the explanation, the command that runs it again
coverage    what no claim reached of a module
footer      counts. A report without it is of a run that did not end
"""

import datetime
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import reference
from implementations.plugged import CallFailed, Implementation
from properties.budgets import Budget
from properties.claims import Claim
from properties.counterexample.literal import shortened
from properties.report.spec import section_of
from properties.report.watch import Watch, facts
from properties.runner import Outcome

Record = dict[str, Any]
FORMAT = "bpe-conformance-report"
VERSION = 1
ROOT = Path(__file__).resolve().parents[2]
STATUSES = ("passed", "refuted", "not applicable", "error")


class Run(Protocol):
    """What a report has to know of a run: `properties.conftest.Suite` is one."""

    implementations: list[Implementation]
    claims: list[Claim]
    globs: list[str]
    level: str
    seed: int
    call_limit: float
    budget: Budget


def header_of(run: Run) -> Record:
    """The first record of a report."""
    return {
        "kind": "header",
        "format": FORMAT,
        "version": VERSION,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "suite": {"version": _version("bpe-conformance"), "commit": _commit()},
        "implementations": [_declared(implementation) for implementation in run.implementations],
        "claims": len(run.claims),
        "selected": run.globs,
        "level": run.level,
        "seed": run.seed,
        "budget": {"name": run.budget.name, "cases": run.budget.cases, "seconds": run.budget.seconds},
        "call_limit": run.call_limit,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in ("hypothesis", "pytest", "regex")},
        "unicode": reference.UNICODE_VERSION,
    }


def _declared(implementation: Implementation) -> Record:
    try:
        rules, rank_by = implementation.tie_rules, implementation.rank_by
    except CallFailed as error:  # the claims will say so; the report has to be written all the same
        rules, rank_by = None, f"unknown: {error}"
    return {
        "name": implementation.name,
        "title": implementation.title,
        "version": implementation.version,
        "spec": implementation.spec,
        "origin": _relative(implementation.origin),
        "algorithm": implementation.algorithm,
        "rank_by": rank_by,
        "whole_piece_first": implementation.whole_piece_first,
        "own_vocabulary": implementation.own_vocabulary,
        "tie_rules": None if rules is None else list(rules),
        "offers": sorted(implementation.can),
    }


def _relative(origin: str) -> str:
    """A path below this folder or the current one without what is before it: reports are shown to others."""
    for folder in (Path.cwd(), ROOT):
        if origin.startswith(f"{folder}/"):
            return origin.removeprefix(f"{folder}/")
    return origin


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    """The commit of the suite, with a + where files were changed; empty where it is no checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--abbrev=10", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def claim_of(outcome: Outcome, watch: Watch, explanation: str = "", replay: str = "", *, full: bool = False) -> Record:
    """What the test of a claim hands on: its row, and the finding where it is refuted. `full` takes facts too."""
    claim = watch.of
    record: Record = {
        "kind": "claim",
        "claim": claim.id,
        "implementation": outcome.implementation.name,
        "level": claim.level,
        "section": section_of(claim.id),
        "sentence": claim.sentence,
        "status": outcome.status,
        "not_applicable": dict(outcome.not_applicable),
        "cases": outcome.cases,
        "distinct": min(watch.distinct, outcome.cases) if outcome.cases else 0,
        "facts": facts(watch.sample) if full and outcome.cases else {},
        "seconds": round(outcome.seconds, 3),
    }
    if outcome.status == "refuted":
        record["found"] = {
            "kind": "finding",
            "finding": outcome.finding,
            "claim": claim.id,
            "level": claim.level,
            "implementation": outcome.implementation.name,
            "regression": None,
            "after": {"cases": outcome.cases, "seconds": round(outcome.found_after, 3)},
            "witness": {name: shortened(value, 2_000) for name, value in (outcome.case or {}).items()},
            "explanation": explanation,
            "replay": replay,
        }
    return record


_REFUTED = re.compile(r"^(?P<claim>[A-Z]{3}-[0-9]+) \((?P<level>must|should)\) is refuted by ", re.MULTILINE)
_FINDING = re.compile(r"\(finding (?P<id>[0-9a-f]+)\):\n(?P<case>(?:    \w+ = .*\n)*)")
_REPLAY = re.compile(r"^To run it again:  (?P<command>.+)$", re.MULTILINE)


def finding_of_regression(regression: str, implementation: str, text: str) -> Record:
    """The finding that the failure of a stored case tells, read from what it printed."""
    refuted, finding, replay = (pattern.search(text) for pattern in (_REFUTED, _FINDING, _REPLAY))
    lines = finding["case"].splitlines() if finding else []
    return {
        "kind": "finding",
        "finding": finding["id"] if finding else "",
        "claim": refuted["claim"] if refuted else None,
        "level": refuted["level"] if refuted else "must",
        "implementation": implementation,
        "regression": regression,
        "after": None,
        "witness": dict(line.strip().split(" = ", 1) for line in lines),
        "explanation": text,
        "replay": replay["command"] if replay else "",
    }


def footer_of(records: Iterable[Record], seconds: float, exit_status: int) -> Record:
    """The last record of a run that ended: how many rows there are of each status, for each implementation."""
    rows = [record for record in records if record["kind"] in ("claim", "regression")]
    counts: dict[str, Record] = {}
    for row in rows:
        own = counts.setdefault(row["implementation"], {"claims": Counter(), "regressions": Counter(), "cases": 0})
        own[f"{row['kind']}s"][row["status"]] += 1
        own["cases"] += row.get("cases", 0)
    return {
        "kind": "footer",
        "records": len(rows),
        "counts": {
            name: {
                "claims": {status: own["claims"][status] for status in STATUSES},
                "regressions": {status: own["regressions"][status] for status in STATUSES},
                "cases": own["cases"],
            }
            for name, own in counts.items()
        },
        "seconds": round(seconds, 1),
        "exit_status": exit_status,
    }


def of_kind(records: Sequence[Record], kind: str) -> list[Record]:
    """The records of one kind, in their order."""
    return [record for record in records if record["kind"] == kind]
