"""`python -m properties compare A.jsonl B.jsonl`: what a change fixed and what it broke."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from properties.report.reading import Report, UnreadableReport, read
from properties.report.records import Record

_Before = Annotated[Path, typer.Argument(metavar="BEFORE.jsonl", help="The report of the run before.")]
_After = Annotated[Path, typer.Argument(metavar="AFTER.jsonl", help="The report of the run after.")]
HELD, FAILED = ("passed",), ("refuted", "error")
FEW = 5  # named where rows stand in one run only


@dataclass
class Changes:
    """What became of each row: a line for people, by what it means."""

    fixed: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    differently: list[str] = field(default_factory=list)  # refuted before and after, by another counterexample
    unchanged: int = 0
    only_before: list[str] = field(default_factory=list)
    only_after: list[str] = field(default_factory=list)


def compare(before: _Before, after: _After) -> None:
    """Say what is fixed, broken and unchanged between two runs; exit 1 if anything is broken, 2 for no whole report."""
    try:
        first, second = read(before), read(after)
        changes = changes_of(first, second)
    except UnreadableReport as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    for line in _differences(first.header, second.header):
        typer.echo(f"note: {line}")
    for name, lines in (
        ("fixed", changes.fixed),
        ("broken", changes.broken),
        ("refuted differently", changes.differently),
    ):
        for line in lines:
            typer.echo(f"{name}: {line}")
    for name, lines in (("before", changes.only_before), ("after", changes.only_after)):
        if lines:
            more = f" and {len(lines) - FEW} more" if len(lines) > FEW else ""
            typer.echo(f"only in the run {name}: {', '.join(lines[:FEW])}{more}")
    typer.echo(f"{len(changes.fixed)} fixed, {len(changes.broken)} broken, {changes.unchanged} unchanged")
    if changes.broken:
        raise typer.Exit(1)


def changes_of(before: Report, after: Report) -> Changes:
    """What changed, row by row. Where each run tested one implementation, they are compared whatever their names.

    Broken is what held and is refuted now, and what held and is no longer asked: a green that shrinks is no green.
    """
    renamed = {}
    if len(before.implementations) == len(after.implementations) == 1:
        renamed = {before.implementations[0]: after.implementations[0]}
    elif not set(before.implementations) & set(after.implementations):
        raise UnreadableReport(
            f"nothing to compare: {before.path} is of {', '.join(before.implementations)}, "
            f"{after.path} of {', '.join(after.implementations)}"
        )
    rows = {(renamed.get(name, name), row_id): row for (name, row_id), row in before.rows.items()}
    changes = Changes()
    for key in [*rows, *(key for key in after.rows if key not in rows)]:
        _note(changes, ": ".join(key), rows.get(key), after.rows.get(key))
    return changes


def _note(changes: Changes, title: str, old: Record | None, new: Record | None) -> None:
    if old is None or new is None:
        (changes.only_after if old is None else changes.only_before).append(title)
        return
    was, now = old["status"], new["status"]
    if now in FAILED and was not in FAILED:
        changes.broken.append(f"{title}: {was}, now {now}{_finding(new)}")
    elif was in HELD and now not in HELD:
        reasons = "; ".join(new.get("not_applicable", {}))
        changes.broken.append(f"{title}: {was}, now {now}{f' ({reasons})' if reasons else ''}")
    elif was in FAILED and now not in FAILED:
        changes.fixed.append(f"{title}: {was}, now {now}")
    elif was in FAILED and old.get("finding") != new.get("finding"):
        changes.differently.append(f"{title}{_finding(new)}")
        changes.unchanged += 1
    else:
        changes.unchanged += 1


def _finding(row: Record) -> str:
    return f" (finding {row['finding']})" if row.get("finding") else ""


def _differences(old: Record, new: Record) -> list[str]:
    """In what two runs differ that may be the reason of a change."""
    lines = []
    for name in ("suite", "budget", "level", "seed", "selected", "python", "unicode"):
        if old[name] != new[name]:
            lines.append(f"{name} was {_told(old[name])}, now {_told(new[name])}")
    return lines


def _told(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{part}" for part in value.values() if part)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "everything"
    return str(value)
