"""Which tie rule a trainer follows that declares none: observed, and named in the report."""

import random
from collections.abc import Iterator

import reference
from implementations.plugged import Implementation
from properties.cases.programs import Profile

CORPORA = 60


def observed_tie_rule(implementation: Implementation, profile: Profile) -> str:
    """The known rules that explain every training on tie-rich corpora, or `none of the known rules`."""
    pattern = profile.train_patterns[0]
    candidates = list(reference.TIE_RULES)
    for corpus in _tie_rich():
        try:
            merges = implementation.train(corpus, 12, pattern=pattern, tie_rule="first-seen")
        except Exception as error:
            return f"not observed: training raised {type(error).__name__}"
        candidates = [r for r in candidates if reference.train(corpus, 12, pattern=pattern, tie_rule=r) == merges]
        if not candidates:
            return "none of the known rules"
    return " or ".join(candidates)


def _tie_rich() -> Iterator[list[str]]:
    """Small corpora in which most steps are ties. Always the same ones."""
    source = random.Random(0)
    for _ in range(CORPORA):
        yield ["".join(source.choices("abcZé~", k=source.randint(2, 7))) for _ in range(source.randint(1, 4))]
