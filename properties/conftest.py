"""The pytest side of the suite: the options, the header, one test for each claim and implementation, the summary."""

import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from implementations.loader import ImplementationImportError, UnknownImplementation, resolve
from implementations.plugged import Implementation
from implementations.shapes import SHAPES, with_shape
from properties.budgets import BUDGETS, NOT_WHEN_QUICK, budget_named
from properties.cases.programs import Profile
from properties.claims import Claim, Judge, all_claims, selected
from properties.declared import check_declared
from properties.interrupt import Interrupt
from properties.isolating import add_isolation_options, isolate_as_asked
from properties.observe import observed_tie_rule
from properties.progress import configure as configure_progress
from properties.progress import told_of
from properties.published import add_vocabulary_option, keep_tokenizers, vocabulary_asked
from properties.report.explain import explanation
from properties.report.plugin import add_options as add_report_options
from properties.report.plugin import configure as configure_reports
from properties.report.plugin import row_of
from properties.report.watch import Watch
from properties.runner import Outcome, profile_of, try_claim
from properties.stored.expecting import Book, add_expectation_options
from properties.stored.regressions import load

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("must", "all")
INTERRUPT = "bpe-interrupt"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The suite's own options."""
    group = parser.getgroup("bpe", "BPE conformance")
    group.addoption("--impl", action="append", metavar="SPEC", help="what to test; repeatable (default: heap)")
    group.addoption("--shape", metavar="|".join(SHAPES), help="the shape of the files after --impl, if not recognised")
    group.addoption("--claims", action="append", metavar="GLOB", help="only these claims, such as 'ENC-*'; repeatable")
    group.addoption("--level", default="must", metavar="|".join(LEVELS), help="whether should-claims fail the run")
    group.addoption("--budget", default="default", metavar="|".join(BUDGETS), help="cases and time of every claim")
    group.addoption("--seed", type=int, default=0, metavar="N", help="what the drawn cases start from (default: 0)")
    group.addoption("--call-limit", type=float, default=10.0, metavar="SECONDS", help="for one call (default: 10)")
    add_report_options(group)
    add_isolation_options(group)
    add_expectation_options(group)
    add_vocabulary_option(group)


class Suite:
    """What one run asks of whom: the options, read once, and the profile of each implementation."""

    def __init__(self, config: pytest.Config) -> None:
        self.specs: list[str] = config.getoption("--impl") or ["heap"]
        if config.getoption("--shape"):
            self.specs = [with_shape(spec, config.getoption("--shape")) for spec in self.specs]
        self.globs: list[str] = config.getoption("--claims") or []
        self.level: str = config.getoption("--level")
        self.seed: int = config.getoption("--seed")
        self.call_limit: float = config.getoption("--call-limit")
        self.named = bool(config.getoption("--impl"))
        if self.level not in LEVELS:
            raise ValueError(f"no level named {self.level!r}; there are {', '.join(LEVELS)}")
        if self.call_limit <= 0:
            raise ValueError(f"--call-limit must be more than 0 seconds, not {self.call_limit:g}")
        self.budget = budget_named(config.getoption("--budget"))
        self.implementations = list({i.name: i for spec in self.specs for i in resolve(spec)}.values())
        for implementation in self.implementations:
            implementation.call_limit = self.call_limit
            check_declared(implementation)
        self.implementations = isolate_as_asked(self.implementations, config)
        self.claims = selected(all_claims(), self.globs) if self.globs else all_claims()
        load()  # a mistake in a stored case is told before anything runs
        self.book = Book(config)
        self.named_vocabulary: str | None = config.getoption("--vocabulary")
        self.vocabulary = vocabulary_asked(config)
        for implementation in self.implementations if self.vocabulary is not None else ():
            keep_tokenizers(implementation)
        self._profiles: dict[str, Profile] = {}

    def profile(self, implementation: Implementation) -> Profile:
        """What an implementation can serve; asked once."""
        if implementation.name not in self._profiles:
            self._profiles[implementation.name] = profile_of(implementation, self.vocabulary)
        return self._profiles[implementation.name]

    def database(self, implementation: Implementation) -> Path:
        """Where Hypothesis keeps failures: a folder for each implementation, or one would delete another's."""
        origin = zlib.crc32(f"{implementation.origin}".encode())
        return ROOT / ".hypothesis" / "bpe" / f"{implementation.name}-{origin:08x}"

    def replay(self, implementation: Implementation, selection: str) -> str:
        """The command that runs one test again."""
        options = [f"--impl={implementation.spec!r}", selection]
        if self.budget.name != "default":
            options.append(f"--budget={self.budget.name}")
        if self.seed:
            options.append(f"--seed={self.seed}")
        if self.level != "must":
            options.append(f"--level={self.level}")
        if self.named_vocabulary:
            options.append(f"--vocabulary={self.named_vocabulary}")
        return f"pytest properties {' '.join(options)}"

    def explain(self, outcome: Outcome, selection: str) -> str:
        """A refuted claim, explained."""
        return explanation(outcome, self.replay(outcome.implementation, selection))


SUITE = pytest.StashKey[Suite]()


def suite_of(config: pytest.Config) -> Suite:
    """The suite of a run. Raises `pytest.UsageError` for options that name nothing."""
    if SUITE not in config.stash:
        try:
            config.stash[SUITE] = Suite(config)
        except (UnknownImplementation, ImplementationImportError, ValueError) as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[SUITE]


@pytest.hookimpl(trylast=True)  # when the terminal reporter is there
def pytest_configure(config: pytest.Config) -> None:
    """Reports, and the line of progress, where they are wanted."""
    configure_reports(config, suite_of, config.getoption("--impl") or ["heap"])
    configure_progress(config)
    config.pluginmanager.register(Interrupt(), INTERRUPT)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Who is tested, with what, and how to run it again."""
    if getattr(config, "workerinput", None) is not None:
        return []
    suite = suite_of(config)
    lines = [
        f"impl: {_described(i)}{'' if suite.named else '  (the default; --impl names another)'}"
        for i in suite.implementations
    ]
    lines.append(
        f"suite: {len(suite.claims)} claims, {len(load())} regressions, budget {suite.budget.name} "
        f"({suite.budget.cases} cases or {suite.budget.seconds:g} s a claim), level {suite.level}, seed {suite.seed}"
    )
    return lines


def _described(implementation: Implementation) -> str:
    version = f" {implementation.version}" if implementation.version else ""
    offers = ", ".join(sorted(implementation.can)) or "nothing optional"
    return f"{implementation.name}{version} ({implementation.origin}): offers {offers}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each implementation."""
    if "impl" in metafunc.fixturenames:
        implementations = suite_of(metafunc.config).implementations
        metafunc.parametrize("impl", implementations, ids=[implementation.name for implementation in implementations])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the claims selected; let -k find claims by id."""
    suite = suite_of(config)
    wanted = {claim.id for claim in suite.claims}
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        claim: Claim | None = getattr(getattr(item, "function", None), "claim", None)
        if claim is not None:
            item.extra_keyword_matches.add(claim.id)
        within = "impl" in getattr(item, "fixturenames", ())
        (dropped if suite.globs and within and (claim is None or claim.id not in wanted) else kept).append(item)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


@pytest.fixture(scope="session")
def suite(pytestconfig: pytest.Config) -> Suite:
    """The options of the run."""
    return suite_of(pytestconfig)


@pytest.fixture
def judge(suite: Suite, request: pytest.FixtureRequest) -> Judge:
    """Tries a claim on an implementation: passes, fails with an explanation, or skips as not applicable."""

    def judged(claim: Claim, impl: Implementation) -> None:
        if suite.budget.name == "quick" and claim.id.startswith(NOT_WHEN_QUICK) and not suite.globs:
            pytest.skip(f"{claim.id} takes longer than the quick budget; --budget=default asks it")
        interrupt: Interrupt = request.config.pluginmanager.getplugin(INTERRUPT)

        def passed(watch: Watch) -> None:
            interrupt.again()
            told_of(request.config, watch, impl.name)

        watch = Watch(claim, passed)
        outcome = suite.book.outcome(
            watch.claim,
            impl,
            lambda asked: try_claim(
                asked,
                impl,
                suite.budget,
                profile=suite.profile(impl),
                seed_number=suite.seed,
                database=suite.database(impl),
            ),
        )
        selection = f"--claims={claim.id}"
        text = suite.explain(outcome, selection) if outcome.status == "refuted" else ""
        row = row_of(request.config, outcome, watch, text, suite.replay(impl, selection))
        request.node.user_properties.append(("bpe", _record(outcome) | row))
        if outcome.complaint:
            pytest.fail(f"{outcome.complaint}\n\n{text}", pytrace=False)
        if outcome.expected:
            pytest.xfail(f"expected: {suite.book.reason(claim, impl)}")
        if outcome.status == "refuted":
            if claim.level == "should" and suite.level == "must":
                pytest.xfail(f"{claim.id} is a should-claim, refuted: {text}")
            pytest.fail(text, pytrace=False)
        if outcome.status == "not applicable":
            pytest.skip(f"{claim.id} not applicable: {'; '.join(outcome.not_applicable) or 'no case could be asked'}")

    return judged


def _record(outcome: Outcome) -> dict[str, object]:
    return {
        "claim": outcome.claim.id,
        "level": outcome.claim.level,
        "implementation": outcome.implementation.name,
        "status": outcome.status,
        "cases": outcome.cases,
        "seconds": round(outcome.seconds, 3),
        "not_applicable": dict(outcome.not_applicable),
        "scope": outcome.scope,
        "expected": outcome.expected,
    }


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """A line for each implementation: how many claims held, on how many cases; what could not be asked; ties."""
    suite = suite_of(config)
    reports = [report for group in terminalreporter.stats.values() for report in group]
    records = [
        record
        for report in reports
        for name, record in getattr(report, "user_properties", [])
        if name == "bpe" and getattr(report, "when", "") == "call"
    ]
    if not records:
        return
    terminalreporter.section("BPE conformance")
    for implementation in suite.implementations:
        own = [record for record in records if record["implementation"] == implementation.name]
        counts = Counter(record["status"] for record in own)
        cases = sum(record["cases"] for record in own)
        terminalreporter.line(
            f"{implementation.name}: {counts['passed']} claims hold on {cases:,} cases, {counts['refuted']} refuted, "
            f"{counts['not applicable']} not applicable"
        )
        for record in own:
            if record["status"] == "refuted" and not record["expected"]:
                terminalreporter.line(f"    refuted: {record['claim']} ({record['level']})")
            elif record["scope"]:
                terminalreporter.line(f"    {record['claim']} completed {record['scope']}")
        for line in suite.book.lines(implementation):
            terminalreporter.line(line)
        for reason, ids in _reasons(own):
            terminalreporter.line(f"    not applicable: {', '.join(ids)}: {reason}")
        if implementation.tie_rules is None and "train" in implementation.can and not suite.globs:
            observed = observed_tie_rule(implementation, suite.profile(implementation))
            terminalreporter.line(f"    ties: declares no rule; observed: {observed}")
    for line in suite.book.fix(suite.implementations):
        terminalreporter.line(line)


def _reasons(records: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    reasons: dict[str, list[str]] = {}
    for record in records:
        if record["status"] == "not applicable":
            reasons.setdefault("; ".join(record["not_applicable"]) or "no case could be asked", []).append(
                record["claim"]
            )
    return list(reasons.items())
