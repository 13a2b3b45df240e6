"""Every planted bug tried on every claim: what each claim refutes, what it alone refutes, and in which order to ask."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from implementations.plugged import Implementation
from properties.claims import Claim, all_claims
from properties.strength.runs import ORDER, Job, Run

Cells = dict[str, dict[str, Run]]  # tokenizer -> claim -> what came of it


@dataclass
class Matrix:
    """What came of each tokenizer on each claim."""

    cells: Cells = field(default_factory=dict)

    def add(self, job: Job, run: Run) -> None:
        """Enter a run of one claim; a refutation is not overwritten."""
        row = self.cells.setdefault(job.name, {})
        claim = job.claims[0]
        if claim not in row or not row[claim].refuted:
            row[claim] = run

    def killers(self, name: str) -> list[str]:
        """The claims that refute a tokenizer."""
        return [claim for claim, run in self.cells[name].items() if run.refuted]

    def killed_by(self, claim: str) -> list[str]:
        """The tokenizers that a claim refutes."""
        return [name for name, row in self.cells.items() if claim in row and row[claim].refuted]

    def killed_alone_by(self, claim: str) -> list[str]:
        """Those that no other claim refutes."""
        return [name for name in self.killed_by(claim) if self.killers(name) == [claim]]

    @property
    def survivors(self) -> list[str]:
        """Those that no claim refutes."""
        return [name for name in self.cells if not self.killers(name)]

    def seconds_to_kill(self, name: str) -> float | None:
        """The shortest time that a claim takes to refute it."""
        return min((run.seconds for run in self.cells[name].values() if run.refuted), default=None)

    def median_seconds(self, claim: str) -> float | None:
        """The median time that a claim takes to refute what it refutes."""
        times = [self.cells[name][claim].seconds for name in self.killed_by(claim)]
        return median(times) if times else None


def jobs_of(
    implementations: Iterable[Implementation], claims: Sequence[Claim], budget: str, call_limit: float, limit: float
) -> list[Job]:
    """One job for each tokenizer and claim."""
    return [
        Job(one.spec, one.name, (claim.id,), 0, budget, call_limit, limit)
        for one in implementations
        for claim in claims
    ]


def order_of(matrix: Matrix) -> list[str]:
    """The claims in the order that refutes all tokenizers in the least time, chosen one by one.

    Next is the claim that refutes most of what is left for each second that it takes on what is left.
    """
    left = set(matrix.cells)
    claims = list(dict.fromkeys(claim for row in matrix.cells.values() for claim in row))
    order = list[str]()

    def worth(claim: str) -> tuple[float, float]:
        runs = [matrix.cells[name][claim] for name in left if claim in matrix.cells[name]]
        seconds = sum(run.seconds for run in runs) + 0.001
        return sum(bool(run.refuted) for run in runs) / seconds, -seconds

    while claims:
        best = max(claims, key=worth)
        claims.remove(best)
        order.append(best)
        left -= set(matrix.killed_by(best))
    return order


def write_order(matrix: Matrix, path: Path = ORDER) -> None:
    """Keep the order for the next run of `strength`."""
    path.write_text(json.dumps(order_of(matrix), indent=1) + "\n")


def by_claim(matrix: Matrix) -> Mapping[str, Claim]:
    """The claims that were asked, by id."""
    asked = {claim for row in matrix.cells.values() for claim in row}
    return {claim.id: claim for claim in all_claims() if claim.id in asked}
