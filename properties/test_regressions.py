"""Every stored case of `regressions/`, asked every claim that it fits."""

import pytest

from implementations.isolation import IsolatedImplementation
from properties.beyond import beyond
from properties.budgets import ASKED_WHEN_QUICK
from properties.claims import all_claims
from properties.runner import Outcome, failure
from properties.stored.regressions import Regression, load
from properties.stored.replay import fitting

REGRESSIONS = load()
CLAIMS_ASKED = [*all_claims(), *beyond()]


@pytest.mark.parametrize("regression", REGRESSIONS, ids=lambda regression: regression.id)
def test_regression(impl, regression: Regression, suite):
    """A stored case refutes no claim that it fits."""
    asked = 0
    claims = suite.book.unexpected(CLAIMS_ASKED, impl)
    if suite.budget.name == "quick" and not regression.claims:
        claims = [claim for claim in claims if claim.id.startswith(ASKED_WHEN_QUICK)]
    for claim, case in fitting(claims, regression, impl, suite.profile(impl), suite.budget.vocabularies):
        error = failure(claim, impl, case)
        if error is not None and isinstance(impl, IsolatedImplementation):
            impl.restart()  # what other cases left behind in its process is no answer to this one
            error = failure(claim, impl, case)
        asked += 1
        if error is not None and (claim.level == "must" or suite.level == "all"):
            outcome = Outcome(claim, impl, suite.seed, "refuted", asked, case=case, first_case=case, error=error)
            suite.book.note(outcome)
            heading = f"regression {regression.id} ({regression.place}): {regression.why}"
            pytest.fail(f"{heading}\n\n{suite.explain(outcome, f'-k {regression.id}')}", pytrace=False)
    if not asked:
        pytest.skip("fits no claim that can be asked of this implementation")
