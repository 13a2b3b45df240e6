"""One implementation, every claim asked for: the life of one process of the matrix.

Standard input holds the question as JSON; each line of standard output is one answer.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

from implementations.loader import resolve
from implementations.plugged import Implementation
from properties.budgets import budget_named
from properties.claims import Claim, all_claims
from properties.isolating import isolate_each
from properties.matrix.data import Record, cell_of, declared_of
from properties.report.explain import explanation
from properties.runner import Outcome, profile_of, try_claim
from properties.stored.expectations import Expectations


def main() -> None:
    """Answer the question on standard input."""
    question = json.load(sys.stdin)
    # Whatever foreign code prints goes to standard error: the answers have standard output to themselves.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(answer: Record) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    [implementation] = [i for i in resolve(question["spec"]) if i.name == question["name"]]
    [implementation] = isolate_each([implementation], question["isolate"], question["memory_limit"])
    implementation.call_limit = question["call_limit"]
    tell({"implementation": declared_of(implementation)})
    wanted = set(question["claims"])
    claims = [claim for claim in all_claims() if claim.id in wanted]
    _try_all(claims, implementation, question, tell)
    if question["growth"]:
        from properties.cases.growth import growth_of

        for growth in growth_of(implementation):
            tell({"growth": growth})


def _try_all(claims: list[Claim], implementation: Implementation, question: Record, tell: Any) -> None:
    expected = Expectations.of(implementation)
    profile = profile_of(implementation)
    budget = budget_named(question["budget"])

    def search(asked: Claim) -> Outcome:
        return try_claim(asked, implementation, budget, profile=profile, seed_number=question["seed"])

    for claim in claims:
        known = expected.entries.get(claim.id)
        try:
            outcome = search(claim) if known is None else expected.outcome(claim, implementation, search)[0]
            told = _explained(outcome) if outcome.status == "refuted" else ""
            listed = known if outcome.expected or outcome.complaint else None
            tell({"claim": claim.id, "cell": cell_of(outcome, told, listed)})
        except Exception as error:  # a mistake of the suite: it must not look like one of the implementation
            unasked = {"status": "not asked", "cases": 0, "seconds": 0, "reasons": _told(error)}
            tell({"claim": claim.id, "cell": unasked})


def _told(error: Exception) -> dict[str, int]:
    traceback.print_exc()
    return {f"an error of the suite: {type(error).__name__}: {error}"[:300]: 1}


def _explained(outcome: Outcome) -> str:
    command = f"pytest properties --impl={outcome.implementation.spec!r} --claims={outcome.claim.id} --no-expect"
    return explanation(outcome, command)


if __name__ == "__main__":
    main()
