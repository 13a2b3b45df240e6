"""What the suite costs: each claim on heap, over its own strategies drawing as many cases with an empty body."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from implementations.loader import resolve
from implementations.plugged import Implementation
from properties.budgets import Budget, budget_named
from properties.claims import Claim, all_claims
from properties.runner import profile_of, try_claim

LISTED_ONLY = "only listed cases"


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a claim's cases, and of drawing them."""

    id: str
    cases: int
    full: float
    empty: float
    drawn: bool


def nothing(impl: Implementation, **case: Any) -> None:
    """An empty body."""


def spent(claim: Claim, budget: Budget, heap: Implementation) -> tuple[float, int]:
    """CPU seconds of trying a claim, and on how many cases."""
    start = time.process_time()
    outcome = try_claim(claim, heap, budget, profile=profile_of(heap))
    return time.process_time() - start, outcome.cases


def costs(budget_name: str = "default") -> list[Cost]:
    """All claims, both ways in turn, the smaller of two rounds each; of those that only list cases, one round."""
    [heap] = resolve("heap")
    usual = budget_named(budget_name)
    patient = replace(usual, seconds=60.0)  # the cases end a claim, not the busy machine
    found = []
    for claim in all_claims():
        body = replace(claim, check=nothing)
        full, empty, cases = [], [], 0
        drawn = claim.domain.build is not None
        budget = patient if drawn else usual
        for _ in range(2 if drawn else 1):
            seconds, cases = spent(claim, budget, heap)
            full.append(seconds)
            empty.append(spent(body, budget, heap)[0])
        if cases:
            found.append(Cost(claim.id, cases, min(full), min(empty), drawn))
    return found


def table(found: list[Cost]) -> Iterator[str]:
    """A line for each claim, and the sums."""
    yield "| claim | cases | CPU s | drawing alone | ratio | µs a case |"
    yield "|---|---|---|---|---|---|"
    drawn = [cost for cost in found if cost.drawn]
    total = Cost("**all that draw**", sum(c.cases for c in drawn), sum(c.full for c in drawn), _empty(drawn), True)
    everything = Cost("**all**", sum(c.cases for c in found), sum(c.full for c in found), _empty(found), True)
    for cost in [*found, total, everything]:
        quotient = f"{cost.full / cost.empty:.2f}" if cost.drawn else LISTED_ONLY
        each = cost.full / cost.cases * 1e6
        yield f"| {cost.id} | {cost.cases:,} | {cost.full:.2f} | {cost.empty:.2f} | {quotient} | {each:,.0f} |"


def _empty(found: list[Cost]) -> float:
    return sum(cost.empty for cost in found)
