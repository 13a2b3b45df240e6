"""What a mutant is tried on, in the order that ends soonest: until a claim is refuted or a test fails.

The first round is a glance at the claims that refute most, the examples in docstrings and the quick ones of the tests;
the second, for what survives that, is every claim at the quick budget and the other tests.

Nothing of the project may be imported before the mutant stands in its place: all imports of it are inside.
"""

import doctest
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PROJECT = ("reference", "implementations", "properties")
GLANCES = 18  # claims
HANGS = 3  # claims in which a call hangs, then the mutant is given up
CALL_LIMIT = 4.0  # seconds


@dataclass(frozen=True)
class Suite:
    """For a module: the implementations that are asked all claims, and the files with its tests."""

    implementations: tuple[str, ...]
    tests: tuple[str, ...]
    slow: str = ""  # as after pytest's -k: tests that wait for the second round
    left_out: str = ""  # the same: tests that are not asked at all


OF_THE_REFERENCE = Suite(
    ("heap",),
    ("tests/test_reference.py", "tests/test_worked_examples.py", "tests/test_reference_scope.py"),
    slow="cover_every or B6 or B10 or scope",
    left_out="standard_library or curve",  # a process of its own, another module
)
SUITES = {
    "implementations/heap.py": Suite(
        ("heap",),
        ("tests/test_heap.py", "tests/test_growth_heap.py"),
        slow="cut_short",
        left_out="every_tie_rule or n_log_n or linear",  # EXH-2 has the same scope; speed is no kill
    ),
    "implementations/naive.py": Suite(("naive",), ("tests/test_naive.py",)),
    **{
        f"reference/{name}.py": OF_THE_REFERENCE
        for name in ("model", "pretokenize", "train", "encode", "decode", "special", "characters", "files")
    },
}


class TimedOut(BaseException):
    """A call hung, or took all memory: no kill."""


def warm_up(path: str) -> None:
    """Import what every mutant of this module leaves as it is."""
    for name in ("hypothesis.strategies", "pytest", "regex", "rich.progress", "typer"):
        importlib.import_module(name)
    if path.startswith("implementations/"):
        importlib.import_module("properties.strength.runs").warm_up()


def first_failure(name: str, suite: Suite, second: bool, next_step: Callable[[], None]) -> str:
    """What refutes the module imported under this name, or "" where nothing does. Raises `TimedOut`.

    `next_step` is called before each claim and each test.
    """
    next_step()
    try:
        module = importlib.import_module(name)
    except Exception as error:
        return f"import: {type(error).__name__}"
    claims = _claims(suite, next_step, second)
    tests = (_examples(module), _tests(suite, next_step, second))
    steps = (*tests, claims) if second or name.startswith("reference.") else (claims, *tests)
    return next((failure for step in steps for failure in step), "")


def _claims(suite: Suite, next_step: Callable[[], None], second: bool) -> Iterator[str]:
    from implementations.loader import resolve
    from implementations.plugged import CallHung
    from properties.budgets import BUDGETS, NOT_WHEN_QUICK, Budget
    from properties.runner import profile_of, try_claim
    from properties.strength.runs import claims_in_order

    passed_over = (*NOT_WHEN_QUICK, "PUB", "ENC-20")
    claims = [claim for claim in claims_in_order((), "all") if not claim.id.startswith(passed_over)]
    budget = BUDGETS["quick"] if second else Budget("glance", cases=20, seconds=0.05)
    claims = claims if second else claims[:GLANCES]
    for spec in suite.implementations:
        (implementation,) = resolve(spec)
        implementation.call_limit = CALL_LIMIT
        profile, hangs = profile_of(implementation), 0
        for claim in claims:
            next_step()
            outcome = try_claim(claim, implementation, budget, profile=profile, shrinking=False)
            if outcome.status != "refuted":
                continue
            if not isinstance(outcome.error, CallHung | MemoryError):
                yield claim.id
            hangs += 1
            implementation.call_limit = 1.0
            if hangs == HANGS:
                break
        if hangs:
            raise TimedOut("a call hung")


def _examples(module) -> Iterator[str]:
    """Of the module; for one of the reference, of all of the reference."""
    beside = [one for name, one in sys.modules.items() if name.startswith("reference.")]
    for one in [module, *(beside if module in beside else ())]:
        if doctest.testmod(one).failed:
            yield f"examples in {one.__name__}"


def _tests(suite: Suite, next_step: Callable[[], None], second: bool) -> Iterator[str]:
    if not suite.tests or (second and not suite.slow):
        return
    import pytest
    from hypothesis import settings

    class Watch:
        failure = ""
        out_of_memory = False

        def pytest_runtest_logstart(self) -> None:
            next_step()

        def pytest_runtest_logreport(self, report) -> None:
            if report.failed:
                self.failure = self.failure or report.nodeid

        def pytest_exception_interact(self, call) -> None:
            self.out_of_memory |= isinstance(call.excinfo.value, MemoryError)

        def pytest_collectreport(self, report) -> None:
            if report.failed:
                self.failure = self.failure or report.nodeid

    settings.register_profile("mutation", derandomize=True, database=None)
    settings.load_profile("mutation")
    watch = Watch()
    arguments = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    asked = [f"{'' if second else 'not '}({suite.slow})"] if suite.slow else []
    asked += [f"not ({suite.left_out})"] if suite.left_out else []
    arguments += ["-k", " and ".join(asked)]
    ignored = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    status = pytest.main([*arguments, *ignored, *suite.tests], plugins=[watch])
    if watch.out_of_memory:
        raise TimedOut("no memory left")
    if watch.failure or status not in (0, 5):  # 5: there is no test
        yield watch.failure or f"pytest: {status!s}"


def forget_the_project() -> None:
    """Drop the modules of the project, so that they are imported anew, the mutant among them."""
    for name in list(sys.modules):
        if name.partition(".")[0] in PROJECT:
            del sys.modules[name]
