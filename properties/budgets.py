"""How long to look: one name sets the number of cases and the time of every claim together."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Budget:
    """`cases` and `seconds` that a claim may use; `shrink_seconds` for making a counterexample small.

    A stored regression is run on so many of the `vocabularies` that it fits for each claim.
    """

    name: str
    cases: int
    seconds: float
    shrink_seconds: float = 10.0
    vocabularies: int = 2

    def of(self, share: float) -> "Budget":
        """The part of this budget that a claim with that share has."""
        return replace(self, cases=max(10, round(self.cases * share)), seconds=self.seconds * share)


# What takes seconds however small the budget: measured growth, and every text of a few characters of each class.
NOT_WHEN_QUICK = ("GRO", "SPL")

# What a stored case that names no claims is asked in a quick run; in any other, every claim that it fits.
ASKED_WHEN_QUICK = ("VOC-1", "PRE-", "TRN-1", "TRN-4", "ENC-1", "ENC-2", "ENC-3", "DEC-", "SPC-1", "SPC-3", "CHR-")

BUDGETS = {
    budget.name: budget
    for budget in (
        Budget("quick", cases=40, seconds=0.1, shrink_seconds=5.0, vocabularies=1),
        Budget("default", cases=300, seconds=1.5),
        Budget("thorough", cases=3_000, seconds=15.0, shrink_seconds=20.0, vocabularies=100),
        Budget("nightly", cases=50_000, seconds=300.0, shrink_seconds=60.0, vocabularies=100),
    )
}


def budget_named(name: str) -> Budget:
    """The budget of that name. Raises `ValueError`, which names the choices."""
    if name not in BUDGETS:
        raise ValueError(f"no budget named {name!r}; there are {', '.join(BUDGETS)}")
    return BUDGETS[name]
