"""What a campaign shows: a table that lives at a terminal, plain lines where the output goes to a file, a last word."""

import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.live import Live
from rich.table import Table

from fuzz.supervisor import Campaign, Line, _span

REFRESH = 2.0  # seconds


class View:
    """Shows a campaign now and then. Use as a context manager; call it with the campaign."""

    def __init__(self, console: Console, report_every: float) -> None:
        self.console, self.report_every = console, report_every
        self.last = self.reported = 0.0
        self.live: Live | None = None

    def __enter__(self) -> "View":
        if self.console.is_terminal:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
        self.reported = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    def __call__(self, campaign: Campaign) -> None:
        """Show how far it has come, if it is time to."""
        now = time.monotonic()
        if self.live is not None and now - self.last > REFRESH:
            self.last = now
            self.live.update(table(campaign), refresh=True)
        elif self.live is None and now - self.reported > self.report_every:
            self.reported = now
            for line in lines(campaign):
                print(line, flush=True)

    def say(self, text: str) -> None:
        """Say something that stays."""
        if self.live is not None:
            self.live.console.print(text, markup=False, highlight=False)
        else:
            print(text, flush=True)


HEADINGS = ("target", "executions", "n/a", "exec/s", "edges", "features", "corpus", "hits", "findings")


def _cells(line: Line) -> tuple[str, ...]:
    counts = line.counts
    rate = counts.executions / counts.seconds if counts.seconds else 0.0
    seen = [str(n) if n else "-" for n in (line.edges, line.features, line.corpus)]
    numbers = (f"{counts.executions:,}", f"{counts.not_applicable:,}", f"{rate:,.0f}")
    return (line.name, *numbers, *seen, f"{counts.hits:,}", str(line.findings))


def table(campaign: Campaign) -> Table:
    """A line for each target."""
    total = sum(line.counts.executions for line in campaign.refresh())
    made = Table(title=f"{campaign.options.impl}: {_span(campaign.elapsed)}, {total:,} executions", expand=False)
    for place, heading in enumerate(HEADINGS):
        made.add_column(heading, justify="right" if place else "left")
    for line in campaign.lines.values():
        made.add_row(*_cells(line), style="red" if line.findings else None)
    return made


def lines(campaign: Campaign) -> Iterator[str]:
    """The same as plain lines, one for each target."""
    every = campaign.refresh()
    total = sum(line.counts.executions for line in every)
    yield f"--- {_span(campaign.elapsed_before + campaign.elapsed)}: {total:,} executions"
    yield "  ".join(f"{heading:>{_width(place)}}" for place, heading in enumerate(HEADINGS))
    for line in every:
        yield "  ".join(f"{cell:>{_width(place)}}" for place, cell in enumerate(_cells(line)))


def _width(place: int) -> int:
    return len(HEADINGS[place]) + 2 if place != 1 else 12


def closing(campaign: Campaign, status: int) -> Iterator[str]:
    """The last word: what was done, what came of it, and what may be left."""
    every = campaign.refresh()
    executions = sum(line.counts.executions for line in every)
    not_applicable = sum(line.counts.not_applicable for line in every)
    spent = campaign.elapsed_before + campaign.elapsed
    yield ""
    yield (
        f"{executions:,} executions of {len(every)} targets by {', '.join(campaign.options.engines)} in {_span(spent)}"
        + (f"; {not_applicable:,} cases not applicable" if not_applicable else "")
    )
    for note in campaign.notes:
        yield f"note: {note}"
    drawn = set(campaign.probed.drawn)
    yield from _news([line for line in every if line.name in drawn], executions)
    yield from _findings(campaign)
    if campaign.canary is not None:
        yield from _canary(campaign)
    for message in campaign.broken:
        yield f"BROKEN: {message}"
    yield {
        0: "No finding.",
        1: "There are findings.",
        3: "This campaign is no success: see BROKEN above.",
        130: "Interrupted; the same command goes on from here.",
    }[status]


def _news(every: list[Line], executions: int) -> Iterator[str]:
    guided = [line for line in every if line.features]
    if guided:
        last = max(guided, key=lambda line: line.news)
        quiet = sum(2 * line.news_at < line.guided for line in guided)
        yield (
            f"Last new feature: {last.name}, {_span(last.news)} into the campaign. In the second half of what atheris "
            f"ran of it, {quiet} of {len(guided)} targets showed none; the others would show more in a longer campaign."
        )
    held = [line for line in every if line.counts.executions and not line.counts.hits]
    clean = min(held, key=lambda line: line.counts.executions, default=None)
    if clean is not None and executions:
        tried = clean.counts.executions
        yield (
            f"Residual risk: of the targets without a failure {clean.name} was tried least, {tried:,} times; of cases "
            f"like these fewer than 1 in {max(1, tried // 3):,} fails (95 % sure). What no generator draws is not in "
            "this figure."
        )


def _findings(campaign: Campaign) -> Iterator[str]:
    from fuzz.findings import stored

    found, broken = stored(campaign.folder.findings)
    for path, finding in found:
        kept = f" [{path.parent.name}]" if path.parent.name != "findings" else ""
        what = "not confirmed" if finding.unconfirmed else "finding"
        yield f"{what} {finding.id}{kept}: {finding.claim} ({finding.level}) {finding.kind}, met {finding.count} times"
        yield f"    {finding.replay(path)}"
    for message in broken:
        yield f"note: {message}"
    waiting = len(list(campaign.folder.artifacts.glob("*.json")))
    if waiting:
        yield f"{waiting} artifacts wait to be looked at; the same command goes on with them"


def _canary(campaign: Campaign) -> Iterator[str]:
    assert campaign.canary is not None
    found = campaign.canary.found
    if found:
        first = min(found, key=lambda finding: finding.seconds)
        yield (
            f"Canary: found again by {first.claim} after {first.executions:,} cases and {_span(first.seconds)}, "
            f"verified {first.verified}, shrunk and written."
        )
    else:
        yield "Canary: NOT found again."


def console() -> Console:
    """The console that a campaign shows itself on."""
    return Console(file=sys.stdout)
