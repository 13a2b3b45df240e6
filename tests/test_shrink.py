"""Two findings of one fault end as the same bytes, whatever they were found as."""

import pytest

from implementations.plugged import Implementation
from properties.budgets import BUDGETS
from properties.claims import all_claims
from properties.counterexample.shrink import canonical_id, shrink, size
from properties.counterexample.smallest import smaller_cases
from properties.runner import try_claim
from properties.strength.runs import implementations_of
from reference.model import Vocabulary

CLAIMS = {claim.id: claim for claim in all_claims()}
FAULTS = [
    ("merging", "BadLongestMatch", "ENC-2"),
    ("merging", "BadHighestRankFirst", "ENC-2"),
    ("merging", "BadJoinsFromTheRight", "ENC-3"),
    ("heaps_and_counts", "BadHeapRightmostFirst", "ENC-2"),
    ("overlap", "BadCountsOncePerPiece", "TRN-1"),
    ("overlap", "BadTrainingSkipsRuns", "TRN-1"),
    ("decoding", "BadDropsIncompleteEnd", "DEC-1"),
    ("specials", "BadSpecialsInTableOrder", "SPC-1"),
    ("splitting", "BadDropsSecondSpace", "ENC-1"),
]


@pytest.mark.parametrize(("module", "name", "claim"), FAULTS, ids=[name for _, name, _ in FAULTS])
def test_findings_of_one_fault_are_the_same(module, name, claim):
    [implementation] = implementations_of(f"tests/known_wrong/{module}.py:{name}")
    outcomes = [try_claim(CLAIMS[claim], implementation, BUDGETS["default"], seed_number=seed) for seed in range(4)]

    assert {outcome.status for outcome in outcomes} == {"refuted"}
    assert len({outcome.finding for outcome in outcomes}) == 1
    assert len({repr(outcome.case) for outcome in outcomes}) == 1
    assert {outcome.finding for outcome in outcomes} == {canonical_id(claim, outcomes[0].case)}


def test_merges_that_are_not_used_are_dropped_and_letters_renamed():
    merges = ((b"q", b"r"), (b"x", b"y"), (b"qr", b"q"), (b"y", b"z"), (b"xy", b"z"))

    def fails(case):
        return ((case["vocabulary"].merges or ((b"", b""),))[0][0]) in case["text"].encode() and len(case["text"]) > 1

    small = shrink({"vocabulary": Vocabulary(merges), "text": "zzxyzqq"}, fails)

    assert small == {"vocabulary": Vocabulary(((b"a", b"a"),)), "text": "aa"} or len(small["vocabulary"].merges) <= 1


def test_a_case_that_is_no_small_one_is_only_made_smaller():
    case = {"vocabulary": Vocabulary(((b"a", b"b"),)), "text": "ab" * 40}
    small = shrink(case, lambda other: len(other["text"]) > 50)

    assert size(small) < size(case)
    assert small["text"] == "a" * 51


def test_the_small_cases_come_in_the_order_of_their_size():
    start = {"vocabulary": Vocabulary(((b"a", b"b"), (b"b", b"c"), (b"ab", b"c"))), "text": "abcabc"}
    sizes = [size(case) for case in smaller_cases(start, size)]

    assert sizes == sorted(sizes)
    assert sizes[-1] < size(start)
    assert len(sizes) > 1000


def test_arguments_of_other_kinds_have_no_small_cases():
    assert list(smaller_cases({"vocabulary": Vocabulary(), "ids": [1, 2]}, size)) == []


def test_a_finding_has_one_id_whatever_the_order_of_its_arguments():
    assert canonical_id("A", {"text": "a", "other": "b"}) == canonical_id("A", {"other": "b", "text": "a"})
    assert canonical_id("A", {"text": "a"}) != canonical_id("B", {"text": "a"})


def test_a_hang_is_not_waited_for_at_every_step():
    class Hangs:
        def __init__(self, vocabulary):
            pass

        def encode(self, text):
            while "b" in text:
                pass
            return list(text.encode())

        def decode(self, ids):
            return bytes(ids).decode(errors="replace")

    implementation = Implementation.of(Hangs)
    implementation.call_limit = 0.2
    outcome = try_claim(CLAIMS["VOC-1"], implementation, BUDGETS["quick"])

    assert outcome.status == "refuted"
    assert implementation.call_limit == 0.2
