"""`python -m properties strength`: would the suite have noticed? Tried on tokenizers whose faults are known."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from implementations.loader import ImplementationImportError, UnknownImplementation
from implementations.plugged import Implementation
from properties.budgets import budget_named
from properties.strength_runs import AT_ONCE, Job, Run, claims_in_order, implementations_of, run_all, warm_up
from properties.strength_table import Row, summary_of, table_of

PLANTED = "tests/known_wrong/*.py:Bad*"
EXPECTATIONS = ("refuted", "passed")

_Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE.py[:GLOB]]...", help="The tokenizers, as after --impl; * may stand in the path."),
]
_Expect = Annotated[str, typer.Option("--expect", metavar="refuted|passed", help="What should come of each of them.")]
_Seeds = Annotated[int, typer.Option("--seeds", min=1, metavar="N", help="Try each with so many seeds, from 0.")]
_Budget = Annotated[str, typer.Option("--budget", metavar="quick|default|thorough|nightly", help="For each claim.")]
_Level = Annotated[str, typer.Option("--level", metavar="must|all", help="Whether should-claims are asked too.")]
_Claims = Annotated[list[str] | None, typer.Option("--claims", metavar="GLOB", help="Only these claims. Repeatable.")]
_Json = Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the table there as JSON too.")]
_Resume = Annotated[
    Path | None, typer.Option("--resume", metavar="FILE", help="Keep what is done in this file, and go on from it.")
]
_Limit = Annotated[float, typer.Option("--limit", metavar="SECONDS", help="Kill a tokenizer that takes longer.")]
_CallLimit = Annotated[float, typer.Option("--call-limit", metavar="SECONDS", help="For one call.")]
_Processes = Annotated[int, typer.Option("--processes", min=1, metavar="N", help="How many to try at a time.")]


def strength(
    files: _Files = None,
    expect: _Expect = "refuted",
    seeds: _Seeds = 1,
    budget: _Budget = "default",
    level: _Level = "must",
    claims: _Claims = None,
    json_out: _Json = None,
    resume: _Resume = None,
    limit: _Limit = 0,
    call_limit: _CallLimit = 5.0,
    processes: _Processes = AT_ONCE,
) -> None:
    """Try tokenizers whose faults are known; exit 0 only if each is refuted (or, with --expect=passed, none).

    Each is tried in a process of its own and left at its first refutation. Without FILE: the planted bugs.
    """
    start = time.monotonic()
    try:
        if expect not in EXPECTATIONS:
            raise ValueError(f"--expect is {expect!r}; there are {', '.join(EXPECTATIONS)}")
        found = [(spec, one) for spec in files or [PLANTED] for one in implementations_of(spec)]
        seconds = budget_named(budget).seconds
        order = [claim.id for claim in claims_in_order(claims or (), level)]
    except (UnknownImplementation, ImplementationImportError, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    limit = limit or 60 + 100 * seconds
    implementations = {(one.spec, one.name): one for _, one in found}
    jobs = [
        Job(spec, name, tuple(order), seed, budget, call_limit, limit)
        for spec, name in implementations
        for seed in range(seeds)
    ]
    rows = rows_of(jobs, implementations, expect, resume, processes)
    console = console_of()
    console.print(table_of(rows, seeds))
    if json_out is not None:
        json_out.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    console.print(summary_of(rows, expect, time.monotonic() - start), highlight=False)
    if not all(row.as_expected for row in rows):
        console.print("not as expected: " + ", ".join(row.name for row in rows if not row.as_expected), highlight=False)
        raise typer.Exit(1)


def rows_of(
    jobs: Sequence[Job],
    implementations: dict[tuple[str, str], Implementation],
    expected: str,
    journal: Path | None = None,
    processes: int = AT_ONCE,
) -> list[Row]:
    """Run the jobs with a progress bar, and gather them by tokenizer, in the order of the jobs."""
    runs: dict[tuple[str, str], dict[int, Run]] = {(job.spec, job.name): {} for job in jobs}
    for job, run in with_progress(jobs, implementations, journal, processes):
        runs[job.spec, job.name][job.seed] = run
    return [
        Row(name, expected, tuple(by_seed[seed] for seed in sorted(by_seed))) for (_, name), by_seed in runs.items()
    ]


def with_progress(
    jobs: Sequence[Job],
    implementations: dict[tuple[str, str], Implementation],
    journal: Path | None,
    processes: int,
) -> Iterator[tuple[Job, Run]]:
    """The runs as they end; at a terminal, a bar on standard error counts them."""
    warm_up()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Refreshed by hand: a thread of rich's own would be in the middle of something when the process forks.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False, transient=True) as bar:
        task = bar.add_task("", total=len(jobs))
        for job, run in run_all(jobs, implementations, journal=journal, at_once=processes):
            bar.update(task, advance=1, description=f"{job.name[-40:]:40}")
            if sys.stderr.isatty():
                bar.refresh()
            yield job, run


def console_of() -> Console:
    """Standard output; wide enough for a line each where it is no terminal."""
    return Console() if sys.stdout.isatty() else Console(width=140)
