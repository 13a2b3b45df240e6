"""The matrix as data: what one process reports of a claim, and the JSON of the whole."""

from __future__ import annotations

import datetime
import json
import platform
import shutil
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import reference
from implementations.plugged import CallFailed, Implementation
from implementations.vocabularies import node_modules
from properties.claims import Claim
from properties.counterexample.literal import shortened
from properties.runner import Outcome
from properties.stored.expectations import Expectation

Record = dict[str, Any]
FORMAT, VERSION = "bpe-conformance-matrix", 1
SCHEMA = Path(__file__).with_name("schema.json")
ROOT = Path(__file__).resolve().parents[2]
STATUSES = {
    "holds": "no case refutes it",
    "departs": "a case refutes it",
    "declared": "a case refutes it, and this is known of the package and said where it stands",
    "not applicable": "it cannot be asked of this implementation",
    "not asked": "the run ended before",
}
SECTIONS = {
    "VOC": "Vocabulary",
    "PRE": "Pre-tokenisation",
    "TRN": "Training",
    "ENC": "Encoding",
    "DEC": "Decoding",
    "SPC": "Special tokens",
    "CHR": "Characters",
    "FIL": "Files",
    "OBJ": "The tokenizer as an object",
    "TXT": "Real text",
    "EXH": "Exhaustive scopes",
    "PUB": "Published vocabularies",
    "SPL": "Splitting",
    "GRO": "Growth",
}


def cell_of(outcome: Outcome, explanation: str = "", known: Expectation | None = None) -> Record:
    """What the matrix says of one claim and one implementation."""
    status = {"passed": "holds", "refuted": "departs"}.get(outcome.status, outcome.status)
    cell: Record = {
        "status": "declared" if known is not None and status == "departs" else status,
        "cases": outcome.cases,
        "seconds": round(outcome.seconds, 2),
    }
    if outcome.not_applicable:
        cell["reasons"] = dict(outcome.not_applicable.most_common(4))
    if outcome.status == "refuted":
        error = outcome.error
        cell |= {
            "finding": outcome.finding,
            "witness": {name: shortened(value, 800) for name, value in (outcome.case or {}).items()},
            "raised": without_paths(f"{type(error).__name__}: {str(error)[:600]}".rstrip(": ")),
            "explanation": without_paths(explanation),
            "repeats": not outcome.stateful,
        }
    if known is not None:
        cell |= {"why": known.stored.why, "found": known.stored.found}
    if outcome.complaint:
        cell["complaint"] = outcome.complaint
    return cell


def without_paths(text: str) -> str:
    """A text without what only this machine has: reports are shown to others."""
    for folder in node_modules():
        text = text.replace(str(folder), "node_modules")
    text = text.replace(f"{ROOT}/", "")
    node = shutil.which("node")
    return text.replace(node, "node") if node else text


def declared_of(implementation: Implementation) -> Record:
    """What an implementation says of itself."""
    try:
        rules, rank_by = implementation.tie_rules, implementation.rank_by
    except CallFailed as error:
        rules, rank_by = None, str(error)
    return {
        "name": implementation.name,
        "title": implementation.title,
        "version": implementation.version,
        "spec": implementation.spec,
        "algorithm": implementation.algorithm,
        "rank_by": rank_by,
        "whole_piece_first": implementation.whole_piece_first,
        "own_vocabulary": implementation.own_vocabulary,
        "tie_rules": None if rules is None else list(rules),
        "offers": sorted(implementation.can),
    }


def claims_of(claims: Iterable[Claim]) -> list[Record]:
    """The claims, as the matrix names them."""
    return [
        {
            "id": claim.id,
            "section": SECTIONS.get(claim.id[:3], claim.id[:3]),
            "level": claim.level,
            "sentence": claim.sentence,
        }
        for claim in claims
    ]


def head(claims: Iterable[Claim], budget: str, seed: int) -> Record:
    """The matrix without an implementation."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "date": datetime.date.today().isoformat(),
        "suite": {"version": _version("bpe-conformance"), "commit": _commit()},
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": f"{platform.system()} {platform.machine()}",
        "unicode": reference.UNICODE_VERSION,
        "budget": budget,
        "seed": seed,
        "claims": claims_of(claims),
        "implementations": [],
        "missing": [],
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=10", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def merged(before: Record, now: Record) -> Record:
    """`now`, with what was not asked this time taken from `before`."""
    claims = {claim["id"]: claim for claim in before["claims"]} | {claim["id"]: claim for claim in now["claims"]}
    order = list(SECTIONS)
    place = {c: (order.index(c[:3]) if c[:3] in order else len(order), int(c.partition("-")[2])) for c in claims}
    old = {one["name"]: one for one in before["implementations"]}
    new = {one["name"]: one for one in now["implementations"]}
    found = []
    for name in [*old, *(name for name in new if name not in old)]:
        one = dict(old.get(name, {})) | new.get(name, {})
        one["cells"] = old.get(name, {}).get("cells", {}) | new.get(name, {}).get("cells", {})
        if name in new and not new[name].get("growth") and name in old:
            one["growth"] = old[name].get("growth", [])
        found.append(one)
    names = {one["name"] for one in found}
    missing = {one["name"]: one for one in [*before["missing"], *now["missing"]] if one["name"] not in names}
    return now | {
        "claims": [claims[i] for i in sorted(claims, key=place.__getitem__)],
        "implementations": found,
        "missing": list(missing.values()),
    }


def read(path: Path) -> Record:
    """The matrix in a file. Raises `ValueError` for a file that holds none."""
    try:
        matrix = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(matrix, dict) or (matrix.get("format"), matrix.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path}: is no {FORMAT} of version {VERSION}")
    return matrix


def counts(cells: Record) -> dict[str, int]:
    """How many cells there are of each status, those that there are."""
    found = dict.fromkeys(STATUSES, 0)
    for cell in cells.values():
        found[cell["status"]] += 1
    return {status: count for status, count in found.items() if count}
