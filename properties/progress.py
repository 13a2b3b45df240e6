"""A line at the terminal: which claim, how many cases, how long still.

Only where pytest writes to a terminal in its usual way: piped, verbose, with `-s` or under CI nothing is shown, and
pytest prints what it always prints. The line replaces pytest's dots, never its words: it is erased before anything
else is written, and what is refuted is told at once.
"""

import os
import time
from typing import Any

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.text import Text

from properties.report.watch import Watch

EVERY = 0.1  # seconds between two drawings


def configure(config: pytest.Config) -> None:
    """Show the line if this run is at a terminal."""
    reporter: Any = config.pluginmanager.getplugin("terminalreporter")
    if hasattr(config, "workerinput") or reporter is None or not wanted(config, reporter):
        return
    config.pluginmanager.register(Line(config, reporter), "bpe-progress")


def wanted(config: pytest.Config, reporter: Any) -> bool:
    """Whether pytest writes its usual dots to a terminal that can erase a line."""
    usual = config.option.verbose == 0 and config.option.capture != "no" and not config.option.collectonly
    plain = os.environ.get("TERM", "dumb") == "dumb" or os.environ.get("CI") or config.option.usepdb
    return bool(usual and not plain and reporter.isatty)


def told_of(config: pytest.Config, watch: Watch, name: str) -> None:
    """A case passed: draw the line if it is time. Costs next to nothing where there is no line."""
    line: Line | None = config.pluginmanager.getplugin("bpe-progress")
    if line is not None:
        line.case(watch, name)


class Line:
    """The line, and what is known of the run."""

    def __init__(self, config: pytest.Config, reporter: Any, console: Console | None = None) -> None:
        self.config = config
        self.reporter = reporter
        # The reporter's own file: what tests write elsewhere is captured.
        self.console = console or Console(file=reporter._tw._file, force_terminal=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bar = Progress(
            *columns,
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.task: TaskID | None = None
        self.start = self.drawn = time.monotonic()
        self.total = self.done = self.cases = 0

    # pytest's own dots give way

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """No letter for what passed, was skipped or failed; the categories are pytest's."""
        if not isinstance(report, pytest.TestReport) or (report.when != "call" and report.passed):
            return None
        if hasattr(report, "wasxfail"):
            return ("xfailed" if report.skipped else "xpassed"), "", ""
        if report.failed and report.when != "call":
            return "error", "", ""
        return report.outcome, "", ""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """How many tests there are."""
        self.total = len(session.items) or self.total
        self._begin()

    @pytest.hookimpl(optionalhook=True)  # pytest-xdist need not be installed
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """How many tests there are, under pytest-xdist."""
        self.total = len(ids)
        self._begin()

    def _begin(self) -> None:
        if self.task is None and self.total:
            self.reporter.showfspath = False
            self.reporter._show_progress_info = False
            self.start = time.monotonic()
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total, left="")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self._draw(_title(nodeid))

    def case(self, watch: Watch, name: str) -> None:
        """A case of the claim in hand passed by."""
        if time.monotonic() - self.drawn >= EVERY:
            self._draw(f"{watch.of.id} {name}: {watch.seen:,} cases")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test ended: count it, and say at once if it is refuted."""
        properties: dict[str, Any] = dict(report.user_properties)
        record: dict[str, Any] = properties.get("bpe", {})
        self.cases += record.get("cases", 0) if report.when == "call" else 0
        if self.task is not None and report.failed:
            name = record.get("claim") or _title(report.nodeid)
            self.bar.console.print(Text(f"refuted: {name} {record.get('implementation', '')}".rstrip(), style="red"))
        if report.when == "teardown":
            self.done += 1
            self._draw()

    def _draw(self, title: str | None = None) -> None:
        if self.task is None or (title is None and time.monotonic() - self.drawn < EVERY):
            return
        self.drawn = time.monotonic()
        described = None if title is None else f"{title[:44]:44}"
        self.bar.update(self.task, completed=self.done, description=described, left=self.left())
        self.bar.refresh()

    def left(self) -> str:
        """How long still, by the tests done so far."""
        if not self.done:
            return ""
        seconds = (time.monotonic() - self.start) / self.done * (self.total - self.done)
        return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"

    def _end(self) -> None:
        if self.task is not None:
            self.bar.stop()
            self.task = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Erase the line before pytest writes what came of it."""
        self._end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """Erase the line before pytest says that it was interrupted."""
        self._end()


def _title(nodeid: str) -> str:
    """A test in a few words.

    >>> _title("properties/test_encode.py::test_greedy[heap]")
    'greedy [heap]'
    """
    return nodeid.rpartition("::")[2].removeprefix("test_").replace("_", " ").replace("[", " [", 1)
