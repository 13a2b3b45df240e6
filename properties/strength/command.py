"""`python -m properties strength`: would the suite have noticed? Tried on tokenizers whose faults are known."""

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from implementations.loader import ImplementationImportError, UnknownImplementation
from properties.budgets import budget_named
from properties.claims import Claim
from properties.strength.document import document_of_rows
from properties.strength.progress import rows_of
from properties.strength.publish import PLANTED, hold, publish
from properties.strength.runs import AT_ONCE, Job, claims_in_order, implementations_of
from properties.strength.table import Row, summary_of, table_of

EXPECTATIONS = ("refuted", "passed")
LEVELS = {"refuted": "all", "passed": "must"}  # a right tokenizer may leave undone what it only should do

_Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE.py[:GLOB]]...", help="The tokenizers, as after --impl; * may stand in the path."),
]
_Expect = Annotated[str, typer.Option("--expect", metavar="refuted|passed", help="What should come of each of them.")]
_Seeds = Annotated[int, typer.Option("--seeds", min=1, metavar="N", help="Try each with so many seeds, from 0.")]
_Budget = Annotated[str, typer.Option("--budget", metavar="quick|default|thorough|nightly", help="For each claim.")]
_Level = Annotated[
    str | None,
    typer.Option("--level", metavar="must|all", help="Whether should-claims are asked too; else of planted bugs only."),
]
_Claims = Annotated[list[str] | None, typer.Option("--claims", metavar="GLOB", help="Only these claims. Repeatable.")]
_Json = Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the table there as JSON too.")]
_Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="FILE", help="Keep what is done in this file, and go on from it.")
]
_Limit = Annotated[float, typer.Option("--limit", metavar="SECONDS", help="Kill a tokenizer that takes longer.")]
_CallLimit = Annotated[float, typer.Option("--call-limit", metavar="SECONDS", help="For one call.")]
_Matrix = Annotated[
    Path | None, typer.Option("--matrix", metavar="OUT.md", help="Try every planted bug on every claim; publish it.")
]
_Document = Annotated[
    Path | None, typer.Option("--document", metavar="OUT.md", help="Write what refutes each as a page, too.")
]
_Ratchet = Annotated[bool, typer.Option("--ratchet", help="Fail where the suite is weaker or slower than recorded.")]
_Processes = Annotated[int, typer.Option("--processes", min=1, metavar="N", help="How many to try at a time.")]


def strength(
    files: _Files = None,
    expect: _Expect = "refuted",
    seeds: _Seeds = 1,
    budget: _Budget = "default",
    level: _Level = None,
    claims: _Claims = None,
    json_out: _Json = None,
    resume: _Resume = None,
    limit: _Limit = 0,
    call_limit: _CallLimit = 5.0,
    processes: _Processes = AT_ONCE,
    matrix: _Matrix = None,
    document: _Document = None,
    ratchet: _Ratchet = False,
) -> None:
    """Try tokenizers whose faults are known; exit 0 only if each is refuted (or, with --expect=passed, none).

    Each is tried in a process of its own and left at its first refutation. Without FILE: the planted bugs.
    """
    start = time.monotonic()
    if matrix is not None:
        finish(publish(matrix, call_limit, resume, processes), 1, "refuted", start, json_out)
        return
    if ratchet:
        hold_or_fail(call_limit, resume, processes)
        return
    try:
        if level not in (None, "must", "all"):
            raise ValueError(f"--level is {level!r}; there are must, all")
        if expect not in EXPECTATIONS:
            raise ValueError(f"--expect is {expect!r}; there are {', '.join(EXPECTATIONS)}")
        found = [(spec, one) for spec in files or [PLANTED] for one in implementations_of(spec)]
        seconds = budget_named(budget).seconds
        order = claims_in_order(claims or (), level or LEVELS[expect])
    except (UnknownImplementation, ImplementationImportError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    limit = limit or 60 + 100 * seconds
    implementations = {(one.spec, one.name): one for _, one in found}
    jobs = [
        Job(spec, name, asked_under(seed, order, expect), seed, budget, call_limit, limit, expect)
        for seed in range(seeds)  # those of one seed together: they share what is drawn
        for spec, name in implementations
    ]
    rows = rows_of(jobs, implementations, expect, resume, processes)
    if document is not None:
        document.write_text(document_of_rows(rows, {name: one for (_, name), one in implementations.items()}))
    finish(rows, seeds, expect, start, json_out)


def asked_under(seed: int, claims: list[Claim], expect: str) -> tuple[str, ...]:
    """The ids of the claims to ask under a seed: what passes once on listed cases alone passes under every seed."""
    again = expect == "passed" and seed > 0
    return tuple(claim.id for claim in claims if claim.domain.build is not None or not again)


def finish(rows: list[Row], seeds: int, expect: str, start: float, json_out: Path | None) -> None:
    """Print the table and write it; exit 1 unless all went as expected."""
    console = console_of()
    console.print(table_of(rows, seeds))
    if json_out is not None:
        json_out.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    console.print(summary_of(rows, expect, time.monotonic() - start), highlight=False)
    if not all(row.as_expected for row in rows):
        names = ", ".join(row.name for row in rows if not row.as_expected)
        console.print(f"not as expected: {names}", highlight=False)
        raise typer.Exit(1)


def hold_or_fail(call_limit: float, journal: Path | None, processes: int) -> None:
    """Print what the ratchet complains of; exit 1 where there is anything, 2 where there is no record."""
    try:
        found = hold(call_limit, journal, processes)
    except FileNotFoundError as error:
        typer.echo(f"no record to hold the suite to: {error.filename}; --matrix makes one", err=True)
        raise typer.Exit(2) from None
    for complaint in found:
        typer.echo(complaint)
    typer.echo("the suite is weaker than recorded" if found else "the suite is as strong as recorded, and as fast")
    if found:
        raise typer.Exit(1)


def console_of() -> Console:
    """Standard output; wide enough for a line each where it is no terminal."""
    return Console() if sys.stdout.isatty() else Console(width=140)
