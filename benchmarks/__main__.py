"""`python -m benchmarks`: the tables and plots of `benchmarks/RESULTS.md`, one section at a time or all; the guard."""

import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

HERE = Path(__file__).parent
PARTS = HERE.parent / ".benchmarks" / "parts"  # sections measured, so that one can be measured again alone
app = typer.Typer(add_completion=False, no_args_is_help=True)


def training() -> Iterable[str]:
    """Training on natural text."""
    from benchmarks import tables

    yield from tables.training([(1_000_000, 1_000), (10_000_000, 32_000)])
    yield ""
    yield from tables.against_minbpe(1_000_000, 1_000)


def training_large() -> Iterable[str]:
    """The same at 100 MB."""
    from benchmarks import tables

    yield from tables.training([(100_000_000, 32_000)])


def rules() -> Iterable[str]:
    """heap under each tie rule, 10 MB."""
    from benchmarks import tables

    yield from tables.tie_rules(10_000_000, 8_000)


def merges() -> Iterable[str]:
    """Lists of merges compared."""
    from benchmarks import same_merges

    yield from same_merges.compared(1_000_000, 8_000, 8_000)


def encoding() -> Iterable[str]:
    """Encoding natural text."""
    from benchmarks import tables

    yield from tables.encoding(1_000_000, 8_000)


def growth() -> Iterable[str]:
    """One long piece; a plot besides."""
    from benchmarks import plots, tables

    found = tables.growth_measured(
        ["heap", "huggingface", "bpeasy", "rustbpe"], ["heap", "tiktoken", "huggingface", "minbpe's algorithm"]
    )
    plots.growth(found, HERE / "growth.png")
    yield from tables.growth(found)


def oracle() -> Iterable[str]:
    """The oracle, and a plain loop over small corpora."""
    from benchmarks import oracle

    yield from oracle.examples()
    yield ""
    yield f"Small corpora through heap and naive under two tie rules: {oracle.corpora_a_second():,.0f} a CPU second."
    yield f"A drawn case is built from its programs in {oracle.drawing():.0f} µs, without Hypothesis."


def suite() -> Iterable[str]:
    """What the suite costs."""
    from benchmarks import plots
    from benchmarks import suite as measured

    found = measured.costs()
    plots.suite(found, HERE / "suite.png")
    yield from measured.table(found)


SECTIONS: dict[str, Callable[[], Iterable[str]]] = {
    "training": training,
    "training-large": training_large,
    "tie-rules": rules,
    "merges": merges,
    "encoding": encoding,
    "growth": growth,
    "oracle": oracle,
    "suite": suite,
}


@app.command()
def tables(
    only: Annotated[list[str] | None, typer.Argument(help=f"sections: {', '.join(SECTIONS)}; all if none")] = None,
) -> None:
    """Measure, and write RESULTS.md and the plots. All of it takes about two hours, minbpe's merges a third."""
    unknown = set(only or ()) - set(SECTIONS)
    if unknown:
        raise typer.BadParameter(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    PARTS.mkdir(parents=True, exist_ok=True)
    for name in only or SECTIONS:
        lines = [f"## {name}", "", SECTIONS[name].__doc__ or "", ""]
        for line in SECTIONS[name]():
            typer.echo(line)
            lines.append(line)
        (PARTS / f"{name}.md").write_text("\n".join(lines) + "\n")
    write()


def write() -> None:
    """Join the sections measured into RESULTS.md."""
    texts = [path.read_text() for name in SECTIONS if (path := PARTS / f"{name}.md").exists()]
    head = f"# Results\n\nCPU seconds, CPython {platform.python_version()}; medians of interleaved rounds.\n"
    (HERE / "RESULTS.md").write_text("\n".join([head, *texts]))


@app.command()
def guard() -> None:
    """Compare with a fixed loop of pure Python; exit with 1 where a bound is broken."""
    from benchmarks.guard import BOUNDS, broken, loops

    failed = False
    for bound in BOUNDS:
        why = broken(bound)
        failed |= why is not None
        typer.echo(why or f"{bound.name}: {loops(bound):.1f} fixed loops of {bound.allowed:g} allowed")
    raise typer.Exit(failed)


if __name__ == "__main__":
    app()
