"""Runs with a progress bar, gathered into rows."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from implementations.plugged import Implementation
from properties.strength.runs import AT_ONCE, Job, Run, run_all, warm_up
from properties.strength.table import Row


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
