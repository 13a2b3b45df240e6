"""`python -m properties matrix`: every claim of every implementation, as a page, JSON, Markdown and badges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from implementations.isolation import MEMORY_LIMIT
from implementations.loader import ImplementationImportError, UnknownImplementation
from properties.budgets import budget_named
from properties.claims import all_claims, selected
from properties.matrix.data import Record, counts
from properties.matrix.data import read as read_matrix
from properties.matrix.page import COUNTED, html_of
from properties.matrix.run import AT_ONCE, Progress, Wanted, gathered, matrix_of, updated
from properties.matrix.words import badge_of, markdown_of

_Impl = Annotated[list[str] | None, typer.Option("--impl", help="What to ask; repeatable. All that are installed.")]
_Output = Annotated[Path, typer.Option("--output", "-o", help="The page; the JSON is written beside it.")]
_Budget = Annotated[str, typer.Option(help="Cases and time of every claim.")]
_Claims = Annotated[list[str] | None, typer.Option(help="Only these claims, such as 'ENC-*'. Repeatable.")]
_Seed = Annotated[int, typer.Option(help="What the drawn cases start from.")]
_Limit = Annotated[float, typer.Option("--call-limit", help="Seconds for one call.")]
_Memory = Annotated[float, typer.Option("--memory-limit", help="GiB of each implementation.")]
_AtOnce = Annotated[int, typer.Option("--at-once", "-n", help="Implementations at a time.")]
_Growth = Annotated[bool, typer.Option("--growth/--no-growth", help="Measure how time grows with the text, too.")]
_Update = Annotated[bool, typer.Option("--update", help="Keep the cells of the JSON there that are not asked now.")]
_Markdown = Annotated[Path | None, typer.Option("--markdown", help="Write the matrix as Markdown, too.")]
_Badges = Annotated[Path | None, typer.Option("--badges", help="A folder for a badge of each implementation.")]
_From = Annotated[Path | None, typer.Option("--from", help="Ask nothing: read this JSON.")]


def matrix(
    impl: _Impl = None,
    output: _Output = Path("matrix.html"),
    budget: _Budget = "default",
    claims: _Claims = None,
    seed: _Seed = 0,
    call_limit: _Limit = 10.0,
    memory_limit: _Memory = MEMORY_LIMIT,
    at_once: _AtOnce = AT_ONCE,
    growth: _Growth = False,
    update: _Update = False,
    markdown: _Markdown = None,
    badges: _Badges = None,
    source: _From = None,
) -> None:
    """Ask every implementation every claim, each in a process of its own, and show what came in one page.

    Exit status: 0 when the matrix is written, whatever it says; 2 for options that name nothing.
    """
    console = Console(stderr=True)
    try:
        if source is not None:
            made = read_matrix(source)
        else:
            budget_named(budget)
            chosen = selected(all_claims(), claims) if claims else all_claims()
            implementations, missing = gathered(impl or ["all"])
            wanted = Wanted(chosen, budget, seed, call_limit, "process", memory_limit, growth, at_once)
            beside = output.with_suffix(".json")
            output.parent.mkdir(parents=True, exist_ok=True)
            bars = Bars(
                TextColumn("{task.description:24}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[claim]:8}"),
                TimeElapsedColumn(),
                console=console,
                transient=True,
                disable=not console.is_terminal,
            )
            with bars:
                made = matrix_of(
                    implementations,
                    wanted,
                    _Shown(bars, len(implementations), console),
                    lambda part: _keep(beside.with_suffix(".part.json"), part),
                )
            made["missing"] = missing
            if update:
                made = updated(beside, made)
            beside.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
            beside.with_suffix(".part.json").unlink(missing_ok=True)
    except (UnknownImplementation, ImplementationImportError, ValueError) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(html_of(made), encoding="utf-8")
    written = [str(output)]
    if markdown is not None:
        markdown.write_text(markdown_of(made), encoding="utf-8")
        written.append(str(markdown))
    if badges is not None:
        badges.mkdir(parents=True, exist_ok=True)
        for one in made["implementations"]:
            (badges / f"{one['name']}.svg").write_text(badge_of(one), encoding="utf-8")
        written.append(f"{badges}/")
    for one in made["implementations"]:
        told = ", ".join(f"{count} {COUNTED[status]}" for status, count in counts(one["cells"]).items())
        typer.echo(f"{one['name']} {one['version']}: {told}")
    typer.echo(f"written: {', '.join(written)}")


def _keep(path: Path, part: Record) -> None:
    path.write_text(json.dumps(part), encoding="utf-8")


class _Shown(Progress):
    """Two bars or more: all implementations, and each that is being asked."""

    def __init__(self, bars: Bars, count: int, console: Console) -> None:
        self.bars, self.console = bars, console
        self.all = bars.add_task("implementations", total=count, claim="")
        self.tasks: dict[str, TaskID] = {}

    def begun(self, name: str, claims: int) -> None:
        self.tasks[name] = self.bars.add_task(name, total=claims, claim="")

    def asked(self, name: str, claim: str) -> None:
        self.bars.update(self.tasks[name], advance=1, claim=claim)

    def ended(self, name: str) -> None:
        self.bars.remove_task(self.tasks[name])
        self.bars.advance(self.all)
        if not self.console.is_terminal:
            self.console.print(f"{name}: done", markup=False)
