"""The pytest side of the reports: the options, and what is gathered while a run goes on.

Each test hands on its record in `user_properties`, which pytest-xdist carries from its workers; the process that the
user started gathers them, and writes the files at the start (a run that has not ended) and at the end.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

from properties.report.reached import Measured, told
from properties.report.records import Record, Run, claim_of, finding_of_regression, footer_of, header_of
from properties.report.watch import Watch
from properties.report.writing import Destination
from properties.runner import Outcome

CLAIM, REGRESSION = "bpe", "bpe-regression"


def add_options(group: pytest.OptionGroup) -> None:
    """`--report` and `--coverage`."""
    group.addoption(
        "--report",
        action="append",
        metavar="FORMAT:FILE",
        help="write a report: html:FILE, jsonl:FILE or md:FILE; repeatable",
    )
    group.addoption(
        "--coverage", action="store_true", help="say which lines of the plugged-in Python module no claim reached"
    )


def configure(config: pytest.Config, run_of: Callable[[pytest.Config], Run], specs: list[str]) -> None:
    """Register what `--report` and `--coverage` need. Raises `pytest.UsageError` for what cannot be done."""
    try:
        destinations = [Destination.of(written) for written in config.getoption("--report") or []]
        # Before anything is plugged in: what runs at import counts as reached.
        measured = Measured(specs) if config.getoption("--coverage") else None
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    if destinations or measured:
        config.pluginmanager.register(Reports(config, run_of, destinations, measured), "bpe-reports")


class Reports:
    """Gathers the records of a run, and writes its reports."""

    def __init__(
        self,
        config: pytest.Config,
        run_of: Callable[[pytest.Config], Run],
        destinations: list[Destination],
        measured: Measured | None,
    ) -> None:
        self.config = config
        self.run_of = run_of
        self.destinations = destinations
        self.measured = measured
        self.start = time.monotonic()
        self.header: Record = {}
        self.rows: list[Record] = []
        self.findings: list[Record] = []
        self.collected: int | None = None
        self.ended: set[str] = set()
        self.coverage: list[Record] = []

    @property
    def worker(self) -> bool:
        """Whether this is a worker of pytest-xdist, which gathers nothing."""
        return hasattr(self.config, "workerinput")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Write the header alone: a run that is killed leaves no report of an earlier one behind."""
        if self.worker or self.config.option.collectonly:
            return
        self.header = header_of(self.run_of(self.config))
        try:
            for destination in self.destinations:
                destination.write([self.header])
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let stored cases say which they are."""
        for item in items:
            given = getattr(getattr(item, "callspec", None), "params", {})
            if "regression" in given and "impl" in given:
                stored = given["regression"]
                told = {"regression": stored.id, "implementation": given["impl"].name, "why": stored.why}
                item.user_properties.append((REGRESSION, told))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """How many tests there are to run."""
        self.collected = len(session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in the record of a test that ended."""
        if self.worker:
            return
        if report.when == "teardown":
            self.ended.add(report.nodeid)
        if report.when != "call" and not report.failed:
            return
        properties: dict[str, Any] = dict(report.user_properties)
        if CLAIM in properties:
            record = dict(properties[CLAIM])
            found = record.pop("found", None)
            if found:
                record["finding"] = found["finding"]
                self.findings.append(found)
            self.rows.append(record)
        elif REGRESSION in properties:
            self._stored(properties[REGRESSION], report)
        elif report.failed:
            self.rows.append(_error(report))

    def _stored(self, about: Record, report: pytest.TestReport) -> None:
        status = {"passed": "passed", "failed": "refuted", "skipped": "not applicable"}[report.outcome]
        row = {"kind": "regression", **about, "status": status, "seconds": round(report.duration, 3)}
        if report.failed:
            found = finding_of_regression(about["regression"], about["implementation"], report.longreprtext)
            row["finding"] = found["finding"]
            self.findings.append(found)
        self.rows.append(row)

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist need not be installed
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist measured."""
        dumped = getattr(node, "workeroutput", {}).get("bpe-coverage")
        if self.measured and dumped:
            self.measured.add(dumped)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports; with a footer if every test collected was run."""
        if self.measured:
            dumped = self.measured.stop()
            if self.worker:
                output: dict[str, Any] = self.config.workeroutput  # type: ignore[attr-defined]
                output["bpe-coverage"] = dumped
        if self.worker or not self.header:
            return
        self.coverage = self.measured.records() if self.measured else []
        records = [self.header, *self._in_order(), *self.findings, *self.coverage]
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and self._complete():
            records.append(footer_of(records, time.monotonic() - self.start, int(exitstatus)))
        for destination in self.destinations:
            destination.write(records)

    def _complete(self) -> bool:
        """Whether all that was collected has ended; under pytest-xdist the workers collect, so nothing may be left."""
        if self.collected:
            return len(self.ended) >= self.collected
        nodes = getattr(self.config.pluginmanager.getplugin("dsession"), "sched", None)
        return bool(self.ended) and not getattr(nodes, "has_pending", False)

    def _in_order(self) -> list[Record]:
        """The rows in the order of the specification, whatever order the workers ended in."""
        order = {claim.id: number for number, claim in enumerate(self.run_of(self.config).claims)}
        last = len(order)
        return sorted(
            self.rows,
            key=lambda row: (row["kind"], order.get(row.get("claim", ""), last), row.get("regression", "")),
        )

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the reports are, and what no claim reached."""
        for record in self.coverage:
            for line in told(record):
                terminalreporter.line(line)
        for destination in self.destinations:
            terminalreporter.line(f"report: {destination.path}")


def _error(report: pytest.TestReport) -> Record:
    """The row of a test that failed without a verdict: a mistake of the suite, or a process that died."""
    return {
        "kind": "claim",
        "claim": report.nodeid.rpartition("::")[2].partition("[")[0],
        "implementation": report.nodeid.rpartition("[")[2].rstrip("]"),
        "level": "must",
        "section": "Errors",
        "sentence": report.longreprtext.strip().splitlines()[-1] if report.longreprtext.strip() else "no reason given",
        "status": "error",
        "not_applicable": {},
        "cases": 0,
        "distinct": 0,
        "facts": {},
        "seconds": round(report.duration, 3),
    }


def row_of(config: pytest.Config, outcome: Outcome, watch: Watch, explanation: str, replay: str) -> Record:
    """What the test of a claim hands on; the facts of its cases only where a report will show them."""
    return claim_of(outcome, watch, explanation, replay, full=bool(config.getoption("--report")))
