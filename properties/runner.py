"""One claim, one implementation, one budget: an outcome.

The listed cases of the domain come first, then what Hypothesis draws. The first case that refutes the claim ends the
search; it is tried again, shrunk (`shrink.py`) and kept in the outcome. Nothing here knows of pytest.
"""

import random
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase

from implementations.plugged import CallFailed, CallHung, CommandFailed, Implementation, NotApplicable
from properties.budgets import Budget
from properties.cases.domains import Case
from properties.cases.programs import PATTERN_WEIGHTS, Profile
from properties.claims import Claim, ask
from properties.counterexample.shrink import canonical_id, shrink
from properties.published import claim_for
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

PATIENCE = 5
FEWEST_CASES = 10
STATUSES = ("passed", "refuted", "not applicable")


@dataclass
class Outcome:
    """What came of trying a claim: the status, what was tried, and the counterexample where there is one."""

    claim: Claim
    implementation: Implementation
    seed: int
    status: str = "passed"
    cases: int = 0  # tried, the counterexample included
    not_applicable: Counter[str] = field(default_factory=Counter)  # reason -> cases that were not tried for it
    seconds: float = 0.0  # of the search
    found_after: float = 0.0  # seconds to the first counterexample
    case: Case | None = None  # the counterexample, shrunk
    first_case: Case | None = None  # as it was found
    error: BaseException | None = None  # what the check raised on `case`
    stateful: bool = False  # it failed once, and not again on its own
    expected: bool = False  # the failure is listed, and it failed alike (expectations.py)
    complaint: str = ""  # it is listed, and did something else: what to change
    scope: str = ""  # the bound within which every case was tried, for claims that enumerate

    @property
    def finding(self) -> str:
        """The canonical id of the counterexample."""
        return canonical_id(self.claim.id, self.case or {})


class _BudgetSpent(BaseException):
    """Ends a Hypothesis run that has used its time. No `Exception`: Hypothesis would take it for a failure."""


class _Refuted(BaseException):
    """Ends a Hypothesis run at a failure that must not be repeated for long, such as a hang."""


class Trial:
    """The state of one search."""

    def __init__(self, outcome: Outcome, budget: Budget) -> None:
        self.outcome = outcome
        self.budget = budget
        self.start = time.monotonic()

    def spent(self) -> bool:
        """Whether the time is over; for a few cases there is more of it, for the machine may be slow."""
        if not self.outcome.cases and not self.outcome.not_applicable:
            return False  # a claim of which nothing was asked would count as not applicable, and the run as green
        used = time.monotonic() - self.start
        return used > self.budget.seconds * (1 if self.outcome.cases >= FEWEST_CASES else PATIENCE)

    def attempt(self, case: Case) -> None:
        """Check one case; what it raises is noted, and raised again."""
        outcome = self.outcome
        if outcome.first_case is None and self.spent():
            raise _BudgetSpent
        try:
            ask(outcome.claim, outcome.implementation, case)
        except NotApplicable as why:
            outcome.not_applicable[str(why)] += 1
            return
        except Exception as error:
            if outcome.first_case is None:
                outcome.cases += 1
                outcome.found_after = time.monotonic() - self.start
                outcome.first_case, outcome.case, outcome.error = case, case, error
            raise
        outcome.cases += 1


def try_claim(
    claim: Claim,
    implementation: Implementation,
    budget: Budget,
    *,
    profile: Profile | None = None,
    seed_number: int = 0,
    database: Path | ExampleDatabase | None = None,
    first: Iterable[Case] = (),
    shrinking: bool = True,
    programs: Iterable[tuple[str, ...]] | None = None,
) -> Outcome:
    """Try a claim on an implementation. `first` are cases to try before all others, such as stored findings.

    `programs` are taken in place of drawing; with those of `drawn_programs` the cases are the same.
    """
    why_not = claim.not_applicable(implementation)
    if why_not is None:
        profile = profile or profile_of(implementation)
        asked = claim_for(claim, profile)
        claim, why_not = (claim, asked) if isinstance(asked, str) else (asked, None)
    outcome = Outcome(claim, implementation, seed_number)
    if why_not is not None or profile is None:
        outcome.status = "not applicable"
        outcome.not_applicable[why_not or ""] += 1
        return outcome
    trial = Trial(outcome, budget.of(claim.share))
    random_state = random.getstate()
    try:
        _search(trial, profile, first, database, programs)
    finally:
        random.setstate(random_state)
    outcome.seconds = time.monotonic() - trial.start
    if claim.domain.scope is not None:
        outcome.scope = claim.domain.scope(profile, outcome.cases - (outcome.first_case is not None))
    if outcome.first_case is not None:
        outcome.status = "refuted"
        _make_small(outcome, trial.budget if shrinking else replace(trial.budget, shrink_seconds=0))
    elif not outcome.cases:
        outcome.status = "not applicable"
    return outcome


def _search(
    trial: Trial,
    profile: Profile,
    first: Iterable[Case],
    database: Path | ExampleDatabase | None,
    programs: Iterable[tuple[str, ...]] | None,
) -> None:
    claim = trial.outcome.claim
    try:
        for case in first:
            trial.attempt(case)
        for case in claim.domain.listed(profile):
            trial.attempt(case)
        if claim.domain.build is not None and programs is not None:
            for program in programs:
                trial.attempt(claim.domain.case(profile, program))
        elif claim.domain.build is not None:
            _draw(trial, profile, database)
    except (_BudgetSpent, _Refuted):
        return
    except BaseException:
        if trial.outcome.first_case is None:  # a mistake of ours, not of the implementation
            raise


def _draw(trial: Trial, profile: Profile, database: Path | ExampleDatabase | None) -> None:
    """Hypothesis draws the cases; it does not shrink them, `shrink.py` does."""
    claim, implementation = trial.outcome.claim, trial.outcome.implementation

    def body(case: Case) -> None:
        try:
            trial.attempt(case)
        except CallFailed:
            raise _Refuted from None

    # Hypothesis finds the failures of earlier runs by a digest of this function: it must differ from claim to claim.
    body.__qualname__ = body.__name__ = claim.check.__name__
    body.__doc__ = claim.id
    test: Any = given(claim.domain.strategy(profile))(body)
    test.hypothesis.inner_test._hypothesis_internal_add_digest = f"{claim.id} {implementation.name}".encode()
    _run(test, claim, trial.outcome.seed, trial.budget.cases, database)


def drawn_programs(claim: Claim, seed_number: int, cases: int) -> list[tuple[str, ...]]:
    """What Hypothesis draws for a claim while no case refutes it. Drawing costs more than many a claim."""
    found: list[tuple[str, ...]] = []

    def keep(programs: tuple[str, ...]) -> None:
        found.append(programs)

    _run(given(claim.domain.programs())(keep), claim, seed_number, cases, None)
    return found


def _run(test: Any, claim: Claim, number: int, cases: int, database: Path | ExampleDatabase | None) -> None:
    """Run what `given` made, with as many cases as are asked for."""
    test = seed(claim_seed(claim, number))(test)
    settings(
        max_examples=cases,
        database=DirectoryBasedExampleDatabase(database) if isinstance(database, Path) else database,
        deadline=None,
        derandomize=False,  # CI's own profile sets this and saves nothing
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )(test)()


def claim_seed(claim: Claim, number: int) -> int:
    """The seed of one claim in a run: the claims of one domain are tried on different cases."""
    return zlib.crc32(f"{number} {claim.id}".encode())


def _make_small(outcome: Outcome, budget: Budget) -> None:
    """Shrink the counterexample in the outcome, and keep the error of the smallest."""
    claim, implementation, case = outcome.claim, outcome.implementation, outcome.first_case
    assert case is not None
    kind = _kind(outcome.error)
    limit = implementation.call_limit
    if isinstance(outcome.error, (CallHung, CommandFailed)):
        implementation.call_limit = min(limit, 1.0)  # a hang is a hang; shrinking must not take its full time each try
    errors: dict[str, BaseException] = {}

    def fails(case: Case) -> bool:
        error = failure(claim, implementation, case)
        if error is None or _kind(error) != kind:
            return False
        errors["last"] = error
        return True

    try:
        if not fails(case):
            outcome.stateful = True
        elif budget.shrink_seconds:
            small = shrink(case, lambda other: _admitted(claim, other) and fails(other), seconds=budget.shrink_seconds)
            implementation.call_limit = limit  # what takes one second may not take ten
            if fails(small):
                outcome.case, outcome.error = small, errors["last"]
    finally:
        implementation.call_limit = limit


def failure(claim: Claim, implementation: Implementation, case: Case) -> Exception | None:
    """What a case raises against a claim, or `None` where it holds or cannot be asked."""
    try:
        ask(claim, implementation, case)
    except NotApplicable:
        return None
    except Exception as error:
        return error
    return None


def _admitted(claim: Claim, case: Case) -> bool:
    try:
        return claim.domain.admits(case)
    except (ValueError, KeyError, AttributeError, TypeError):
        return False


def _kind(error: BaseException | None) -> str:
    """What must stay the same while a counterexample shrinks."""
    return type(error).__name__


def profile_of(implementation: Implementation, vocabulary: Vocabulary | None = None) -> Profile:
    """What an implementation can serve, found by asking it for each pattern, and for special tokens."""
    if implementation.own_vocabulary:
        return Profile(own_vocabulary=True, vocabulary=vocabulary)
    patterns = [PATTERNS[name] for name in PATTERN_WEIGHTS]
    rules = implementation.tie_rules or ("first-seen",)
    can_train = "train" in implementation.can

    def trains(pattern: str | None) -> Callable[[], Any]:
        return lambda: implementation.train(["a b"], 1, pattern=pattern, tie_rule=rules[0])

    def encodes(vocabulary: Vocabulary) -> Callable[[], Any]:
        return lambda: implementation(vocabulary).encode("a b")

    served = tuple(p for p in patterns if _serves(encodes(Vocabulary(pattern=p))))
    taught = tuple(p for p in patterns if can_train and _serves(trains(p)))
    pattern = served[0] if served else None
    specials = _serves(encodes(Vocabulary(special_tokens={"<s>": 256}, pattern=pattern)))
    return Profile(served or (None,), taught or (None,), specials, rules, vocabulary)


def _serves(call: Callable[[], Any]) -> bool:
    """Whether a call is served. One that fails is: the claims will say what is wrong with it."""
    try:
        call()
    except NotApplicable:
        return False
    except Exception:
        return True
    return True
