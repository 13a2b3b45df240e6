"""How long to look: one name sets the number of cases and the time of every claim together."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """`cases` and `seconds` that a claim may use; `shrink_seconds` for making a counterexample small."""

    name: str
    cases: int
    seconds: float
    shrink_seconds: float = 10.0

    def of(self, share: float) -> "Budget":
        """The part of this budget that a claim with that share has."""
        return Budget(self.name, max(10, round(self.cases * share)), self.seconds * share, self.shrink_seconds)


BUDGETS = {
    budget.name: budget
    for budget in (
        Budget("quick", cases=40, seconds=0.12, shrink_seconds=5.0),
        Budget("default", cases=300, seconds=1.5),
        Budget("thorough", cases=3_000, seconds=15.0, shrink_seconds=20.0),
        Budget("nightly", cases=50_000, seconds=300.0, shrink_seconds=60.0),
    )
}


def budget_named(name: str) -> Budget:
    """The budget of that name. Raises `ValueError`, which names the choices."""
    if name not in BUDGETS:
        raise ValueError(f"no budget named {name!r}; there are {', '.join(BUDGETS)}")
    return BUDGETS[name]
