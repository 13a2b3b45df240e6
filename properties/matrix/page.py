"""The matrix as one HTML file: nothing is fetched from anywhere; for a phone, for the dark, and for print."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from properties.matrix.data import STATUSES, Record, counts

_HERE = Path(__file__).parent
SIGNS = {"holds": "✓", "departs": "≠", "declared": "≈", "not applicable": "·", "not asked": "?"}
CLASSES = {"holds": "ok", "departs": "dep", "declared": "dec", "not applicable": "na", "not asked": "un"}
COUNTED = {
    "holds": "hold",
    "departs": "depart",
    "declared": "depart as listed",
    "not applicable": "not applicable",
    "not asked": "not asked",
}
WORDS = {
    "holds": "holds",
    "departs": "departs",
    "declared": "departs, as listed",
    "not applicable": "not applicable",
    "not asked": "not asked",
}


def html_of(matrix: Record) -> str:
    """The page."""
    sections: dict[str, list[Record]] = {}
    for claim in matrix["claims"]:
        sections.setdefault(claim["section"], []).append(claim)
    rows = [_row(one, matrix["claims"]) for one in matrix["implementations"]]
    return (
        _environment()
        .get_template("template.html")
        .render(
            matrix=matrix,
            sections=sections,
            rows=rows,
            statuses=STATUSES,
            growing=[row for row in rows if row["growth"]],
            families=_families(rows),
            details=Markup(_embedded(matrix)),
        )
    )


def _row(one: Record, claims: list[Record]) -> Record:
    cells = [(claim, one["cells"].get(claim["id"], {"status": "not asked"})) for claim in claims]
    return {
        **one,
        "cells": cells,
        "counts": counts(one["cells"]),
        "growth": {(g["task"], g["family"]): g for g in one.get("growth", [])},
        "departures": [(claim, cell) for claim, cell in cells if cell["status"] in ("departs", "declared")],
        "facts": facts_of(one),
    }


def facts_of(one: Record) -> str:
    """What an implementation declares, in a line."""
    facts = []
    if one.get("algorithm", "bpe") != "bpe":
        facts.append(f"not BPE but {one['algorithm']}")
    if one.get("own_vocabulary"):
        facts.append("brings its own vocabulary")
    if one.get("rank_by") == "bytes":
        facts.append("ranks by the bytes a pair makes")
    if one.get("whole_piece_first"):
        facts.append("whole pieces first")
    if "train" in one.get("offers", ()):
        rules = one.get("tie_rules")
        facts.append(f"trains; ties: {', '.join(rules) if rules else 'none declared'}")
    return "; ".join(facts)


def _families(rows: list[Record]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(key for row in rows for key in row["growth"]))


def _embedded(matrix: Record) -> str:
    """The details of the cells as JSON inside a script element, of which nothing can get out."""
    details: dict[str, Any] = {}
    for one in matrix["implementations"]:
        for claim, cell in one["cells"].items():
            kept = {key: value for key, value in cell.items() if key not in ("finding",)}
            details[f"{one['name']}/{claim}"] = kept
    text = json.dumps(details, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"sign": SIGNS.__getitem__, "kind": CLASSES.__getitem__, "word": WORDS.__getitem__}
    environment.filters["counted"] = COUNTED.__getitem__
    return environment
