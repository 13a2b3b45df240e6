"""What a run of `strength` prints: a line for each tokenizer, and how many went as expected."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from properties.strength.runs import Run


@dataclass(frozen=True)
class Row:
    """One tokenizer over all seeds."""

    name: str
    expected: str  # "refuted" or "passed"
    runs: tuple[Run, ...]

    @property
    def as_expected(self) -> bool:
        """Whether every seed went as expected; a run without a result did not."""
        return all(run.refuted is (self.expected == "refuted") for run in self.runs)

    @property
    def refuted(self) -> bool | None:
        """Whether some seed refuted it; `None` where none did and one has no result."""
        if any(run.refuted for run in self.runs):
            return True
        return None if any(run.refuted is None for run in self.runs) else False

    @property
    def censored(self) -> int:
        """How many seeds did not refute it."""
        return sum(not run.refuted for run in self.runs)

    @property
    def examples(self) -> float:
        """The median number of cases, over the seeds that refuted it, or over all where none did."""
        return median(run.examples for run in self._counted)

    @property
    def seconds(self) -> float:
        """The median time, over the same seeds."""
        return median(run.seconds for run in self._counted)

    @property
    def claims(self) -> list[str]:
        """The claims that refuted it, the most frequent first."""
        return [claim for claim, _ in Counter(run.claim for run in self.runs if run.refuted).most_common()]

    @property
    def smallest(self) -> Run:
        """The run with the smallest counterexample, or the first."""
        return min((run for run in self.runs if run.refuted), key=lambda run: run.size, default=self.runs[0])

    @property
    def notes(self) -> list[str]:
        """What is to be said of runs without a result."""
        return list(dict.fromkeys(run.note for run in self.runs if run.refuted is None))

    @property
    def _counted(self) -> list[Run]:
        return [run for run in self.runs if run.refuted] or list(self.runs)

    def as_json(self) -> dict[str, Any]:
        """The row for `--json`."""
        return {
            "name": self.name,
            "expected": self.expected,
            "refuted": self.refuted,
            "claim": self.claims[0] if self.claims else None,
            "examples": self.examples,
            "seconds": self.seconds,
            "counterexample": self.smallest.counterexample or None,
            "size": self.smallest.size,
            "finding": self.smallest.finding or None,
            "as_expected": self.as_expected,
            "seeds": len(self.runs),
            "censored": self.censored,
            "notes": self.notes,
        }


def table_of(rows: Sequence[Row], seeds: int) -> Table:
    """A line for each tokenizer; over several seeds, medians and how many seeds did not refute it."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    table.add_column("tokenizer", no_wrap=True)
    table.add_column("")
    table.add_column("by")
    table.add_column("examples", justify="right")
    table.add_column("seconds", justify="right")
    if seeds > 1:
        table.add_column("not by", justify="right")
    table.add_column("size", justify="right")
    for row in rows:
        verdict = {True: "refuted", False: "passed", None: "no result"}[row.refuted]
        table.add_row(
            row.name,
            verdict if row.as_expected else f"[bold red]{verdict.upper()}[/]",
            ", ".join(row.claims) or "; ".join(row.notes) or "-",
            f"{row.examples:,.0f}",
            f"{row.seconds:.2f}",
            *([f"{row.censored}/{seeds} seeds"] if seeds > 1 else []),
            str(row.smallest.size) if row.claims else "-",
        )
    return table


def summary_of(rows: Sequence[Row], expected: str, seconds: float) -> str:
    """One line: how many of how many, and the median time of those refuted."""
    good = sum(row.as_expected for row in rows)
    times = [row.seconds for row in rows if row.claims]
    took = f"; median {median(times):.2f} s to the refutation" if times else ""
    return f"{good} of {len(rows)} {expected}, as expected, in {seconds:.0f} s{took}"
