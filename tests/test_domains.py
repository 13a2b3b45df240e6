"""The domains: every program is a case, a domain admits its own cases, and the same program is the same case."""

import random

import pytest
from hypothesis import given, settings

from implementations.loader import resolve
from properties.cases import domains
from properties.cases.domains import Domain
from properties.cases.programs import Profile, from_bytes, to_bytes
from properties.claims import all_claims
from properties.runner import failure

DOMAINS = {name: value for name, value in vars(domains).items() if isinstance(value, Domain)}
DRAWN = {name: domain for name, domain in DOMAINS.items() if domain.build is not None}


@pytest.mark.parametrize("name", DRAWN)
def test_every_byte_string_is_a_case(name):
    source = random.Random(0)
    domain = DRAWN[name]
    for _ in range(300):
        programs = [from_bytes(source.randbytes(source.randint(0, 60))) for _ in domain.sizes]
        case = domain.case(Profile(), programs)

        assert set(case) == set(domain.arguments)
        assert domain.case(Profile(), programs) == case


@pytest.mark.parametrize("name", DRAWN)
def test_a_domain_admits_most_of_its_own_cases(name):
    """Where a program can miss, as ids that are no text in SPLICED_IDS do, the claim says so itself."""
    source = random.Random(1)
    domain = DRAWN[name]
    cases = [domain.case(Profile(), [from_bytes(source.randbytes(20)) for _ in domain.sizes]) for _ in range(200)]

    assert sum(map(domain.admits, cases)) >= 100


@pytest.mark.parametrize("name", DOMAINS)
def test_listed_cases_have_the_arguments_of_the_domain(name):
    for case, _ in zip(DOMAINS[name].listed(Profile()), range(50), strict=False):
        assert set(case) == set(DOMAINS[name].arguments)


@pytest.mark.parametrize("name", DRAWN)
def test_hypothesis_draws_cases(name):
    seen = []

    @settings(max_examples=20, deadline=None, database=None)
    @given(DRAWN[name].strategy(Profile()))
    def draw(case):
        seen.append(case)

    draw()
    assert len(seen) >= 10


def test_a_byte_program_goes_there_and_back():
    data = bytes(range(256))

    assert to_bytes(from_bytes(data)) == data


def test_claims_can_be_driven_by_fuzz_one_input():
    """The claims take the implementation as an argument; Hypothesis's fuzz target binds drawn arguments only."""
    [fault] = resolve("tests/heap_faults.py:BadLongestMatch")
    [claim] = [made for made in all_claims() if made.id == "ENC-2"]
    found = []

    @settings(database=None, deadline=None)
    @given(claim.domain.strategy(Profile()))
    def target(case):
        error = failure(claim, fault, case)
        if error is not None:
            found.append(case)
            raise error

    source = random.Random(2)
    for _ in range(400):
        try:
            target.hypothesis.fuzz_one_input(source.randbytes(400))
        except AssertionError:
            break
    assert found
