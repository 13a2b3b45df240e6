"""The exhaustive scopes hold what they say: every list, text and corpus once, up to the names of the letters."""

from itertools import permutations, product

import pytest

import reference
from implementations.heap import Tokenizer
from properties.budgets import BUDGETS, Budget
from properties.cases.exhaustive import (
    ALL_CORPORA,
    ENCODING_STAGES,
    corpora_of,
    encoding_scope,
    first_fault,
    lists_of,
    size_of,
    texts_of,
    training_scope,
)
from properties.cases.programs import Profile
from properties.claims import all_claims
from properties.oracle import fast as oracle
from properties.oracle.certificate import certify, saturated
from properties.oracle.fast import makes_again
from properties.runner import try_claim
from properties.strength.runs import implementations_of
from reference.model import Vocabulary

CLAIMS = {claim.id: claim for claim in all_claims()}


def every_list(count, letters):
    """All lists of the scope under every naming, plainly."""
    symbols = [letter.encode() for letter in "abc"[:letters]]
    found = [()]
    for _ in range(count):
        found = [
            (*merges, merge)
            for merges in found
            for merge in product([*dict.fromkeys([*symbols, *(one + two for one, two in merges)])], repeat=2)
            if merge not in merges and not makes_again(merges, merge)
        ]
    return found


def namings(merges, letters):
    for names in permutations(b"abc"[:letters]):
        table = bytes.maketrans(b"abc"[:letters], bytes(names))
        yield tuple((left.translate(table), right.translate(table)) for left, right in merges)


@pytest.mark.parametrize(("count", "letters"), [(1, 2), (2, 2), (3, 2), (1, 3), (2, 3)])
def test_each_list_is_there_under_one_naming(count, letters):
    once = list(lists_of(count, letters))
    named = [other for merges in once for other in set(namings(merges, letters))]

    assert sorted(named) == sorted(every_list(count, letters))
    assert size_of((letters, count, 1)) == (len(once), len(named))


def test_all_texts():
    assert texts_of("ab", 2) == ("a", "b", "aa", "ab", "ba", "bb")
    assert len(texts_of("abc", 5)) == 3 + 9 + 27 + 81 + 243


def test_each_corpus_is_there_once_under_the_order_or_the_naming_that_matters():
    seen, named = list(corpora_of(5, "first-seen")), list(corpora_of(5, "smallest-ids"))

    assert len(set(seen)) == len(seen)
    assert len(set(named)) == len(named)
    assert all("".join(corpus).startswith("a") for corpus in seen)
    assert {frozenset(corpus) for corpus in named} > {frozenset(corpus) for corpus in seen}


def test_the_small_certificate_agrees_with_the_large_one():
    for corpus in corpora_of(4, "smallest-ids"):
        right = reference.train(corpus, 9)
        for merges in (right, right[:-1], right[::-1], (*right, (b"a", b"b")), ((b"a", b"b"), *right)):
            certificate = certify(corpus, None, merges)
            valid = all(0 < turn.count == turn.highest for turn in certificate.turns) and saturated(certificate, 99)

            assert (first_fault(corpus, merges, None) == "") == valid, (corpus, merges)


def test_the_small_certificate_knows_the_tie_rules():
    for rule, choose in reference.TIE_RULES.items():
        for corpus in corpora_of(4, rule):
            assert first_fault(corpus, reference.train(corpus, 9, tie_rule=rule), choose) == ""
    merges = reference.train(["ab", "ba"], 9, tie_rule="largest-bytes")

    assert "declared rule" in first_fault(["ab", "ba"], merges, reference.TIE_RULES["smallest-bytes"])


def test_the_bound_that_is_told_is_the_one_completed():
    profile = Profile(tie_rules=("first-seen",))
    (letters, _, longest), (lists, _) = ENCODING_STAGES[0], size_of(ENCODING_STAGES[0])

    assert encoding_scope(profile, lists - 1) == "none completed"
    assert encoding_scope(profile, lists).startswith(f"all lists of 1 merges over {letters} letters")
    assert f"up to length {longest}" in encoding_scope(profile, lists)
    assert training_scope(profile, 5) == "none completed"
    assert training_scope(profile, 6 + 12) == "all weighted corpora up to 3 symbols of 2 letters (18 trainings)"


@pytest.mark.parametrize("claim", ["EXH-1", "EXH-2"])
def test_the_outcome_tells_the_bound(claim):
    [implementation] = implementations_of("heap")
    outcome = try_claim(CLAIMS[claim], implementation, Budget("short", 10, 0.3))

    assert outcome.status == "passed"
    assert outcome.scope.startswith("all ")


def test_corpora_up_to_seven_symbols_show_every_fault_of_an_incremental_trainer():
    """The scope of the spec: two letters, weights from one to three. What shows nowhere in it is told by name."""
    scope = [corpus for symbols in range(2, 6) for corpus in corpora_of(symbols, "first-seen")]
    first_seen = reference.TIE_RULES["first-seen"]

    def shows(implementation):
        for corpus in scope:
            try:
                merges = implementation.train(corpus, 99, pattern=None, tie_rule="first-seen")
            except Exception:
                return True
            if first_fault(corpus, merges, first_seen):
                return True
        return False

    faults = implementations_of("tests/known_wrong/heaps_and_counts.py:Bad*")
    trainers = [fault for fault in faults if fault.make.train.__func__ is not Tokenizer.train]
    hidden = {fault.name for fault in trainers if not shows(fault)}

    assert len(trainers) - len(hidden) >= 10
    assert not {name for name in hidden if "Count" in name and "Heap" not in name}


def test_merges_inside_a_token_are_enough_to_tell_what_can_be_trained(monkeypatch):
    lists = [merges for count, letters in ((2, 3), (3, 2), (4, 2)) for merges in lists_of(count, letters)]
    in_full = [oracle.trainable.__wrapped__(Vocabulary(merges)) for merges in lists]
    monkeypatch.setattr(oracle, "SMALL", -1)

    assert [oracle.trainable.__wrapped__(Vocabulary(merges)) for merges in lists] == in_full
    assert len(set(in_full)) == 2


def test_a_budget_of_nothing_completes_nothing():
    assert ALL_CORPORA.scope(Profile(), 0) == "none completed"
    assert BUDGETS["quick"].of(4).seconds > 0
