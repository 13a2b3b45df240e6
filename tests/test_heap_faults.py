"""Each fault of `heap_faults.py` alone is refuted, explained, and with a small counterexample."""

import pytest

from implementations.loader import resolve
from properties.budgets import budget_named
from properties.claims import all_claims
from properties.counterexample.shrink import size
from properties.report.explain import explanation
from properties.runner import failure, profile_of, try_claim

# By which claim, at the least: it is the one that speaks of this very fault.
REFUTED_BY = {
    "BadLeftToRight": "ENC-2",
    "BadLongestMatch": "ENC-2",
    "BadRightmostFirst": "ENC-2",
    "BadStaleEntry": "ENC-2",
    "BadLastSeenTies": "TRN-4",
    "BadNonOverlappingCounts": "TRN-1",
    "BadZeroCountMerge": "TRN-3",
    "BadLossyPattern": "PRE-5",
    "BadShortestSpecialFirst": "SPC-1",
    "BadErrorsIgnore": "DEC-1",
    "BadNegativeIds": "DEC-3",
    "BadAliasedCache": "OBJ-1",
}
FAULTS = resolve("tests/heap_faults.py:Bad*")


def test_every_fault_is_in_the_table():
    assert {fault.name.split(".")[-1] for fault in FAULTS} == set(REFUTED_BY)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_refuted_and_explained(fault):
    [claim] = [made for made in all_claims() if made.id == REFUTED_BY[fault.name.split(".")[-1]]]

    outcome = try_claim(claim, fault, budget_named("default"), profile=profile_of(fault))

    assert outcome.status == "refuted"
    assert failure(claim, fault, outcome.case) is not None
    assert size(outcome.case)[0] < 40
    told = explanation(outcome, "pytest ...")
    assert claim.sentence in told
    assert "To see it outside pytest:" in told


LONGEST_MATCH_SEEDS = 20


def test_longest_match_is_refuted_whatever_the_seed():
    [longest_match] = [fault for fault in FAULTS if fault.name.endswith("LongestMatch")]
    [claim] = [made for made in all_claims() if made.id == "ENC-2"]
    profile = profile_of(longest_match)

    found = [
        try_claim(claim, longest_match, budget_named("default"), profile=profile, seed_number=seed, shrinking=False)
        for seed in range(LONGEST_MATCH_SEEDS)
    ]

    assert [outcome.status for outcome in found] == ["refuted"] * LONGEST_MATCH_SEEDS
