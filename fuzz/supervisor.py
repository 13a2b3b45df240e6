"""A campaign: workers started and watched, artifacts made into findings, everything counted, a plain word at the end.

Nothing of the plug-in runs in this process. Whatever happens to a worker, what it was busy with is in its journal; what
happens to this process loses nothing but the table on the screen: start it again and it goes on.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fuzz.findings import BrokenFinding, Finding, stored
from fuzz.journal import Counts, Journal
from fuzz.probe import Probed, Usage, environment, probe
from fuzz.slots import Ended, Slot
from fuzz.store import Folder, Infrastructure, locked, write_whole
from fuzz.worker import BROKEN, RENEW, Job, leave_artifact

NOTHING, FOUND, USAGE, INFRASTRUCTURE, INTERRUPTED = 0, 1, 2, 3, 130
ENGINES = ("blind", "atheris", "hypothesis")
TICK = 0.1  # seconds between two looks
SAVE_EVERY = 10.0
ATHERIS_AT_LEAST = 3.0  # seconds of a turn: it takes one to start
MERGE_FROM = 60  # files of a corpus
KILLED = getattr(signal, "SIGKILL", 9)
STATES = {0: "done", RENEW: "renewed", 72: "stopped", -signal.SIGTERM: "stopped"}


@dataclass
class Options:
    """What was asked for."""

    impl: str
    out: Path
    targets: list[str] = field(default_factory=list)
    engines: list[str] = field(default_factory=lambda: ["blind"])
    seconds: float = 3600.0
    workers: int = 1
    shard: tuple[int, int] = (1, 1)
    corpus: Path | None = None
    canary: str | None = None
    rss_limit: int = 2048
    call_limit: float = 5.0
    seed: int = 0
    database: str | None = None
    level: str = "must"
    report_every: float = 60.0
    merge_every: float = 600.0
    stop_at: int = 0  # findings after which to stop; 0 for never
    drain: float = 120.0  # seconds for artifacts that wait when the time is up


@dataclass
class Line:
    """What is known of one target."""

    name: str
    counts: Counts = field(default_factory=Counts)
    edges: int = 0
    features: int = 0
    corpus: int = 0
    news: float = 0.0  # seconds into the campaign of its last new feature
    news_at: int = 0  # executions under atheris until then
    guided: int = 0  # executions under atheris
    findings: int = 0


class Campaign:
    """One run of `python -m fuzz run`."""

    def __init__(self, options: Options, say: Callable[[str], None] = print) -> None:
        self.options, self.say = options, say
        self.folder = Folder.at(options.out, options.corpus)
        self.probed: Probed = Probed("", [])
        self.notes: list[str] = []
        self.broken: list[str] = []
        self.interrupted = False
        self.slots: list[Slot] = []
        self.canary: Canary | None = None
        self.lines: dict[str, Line] = {}
        self.rests: dict[str, int] = {}
        self.examined: Counter[str] = Counter()
        self.examination: tuple[subprocess.Popen[str], Path] | None = None
        self.found = Counter[str]()
        self.elapsed_before = 0.0
        self.turns: dict[str, int] = {}
        self.merged: dict[str, int] = {}
        self.merge_next = 0.0
        self.strikes = 0
        self.new_findings: list[str] = []
        self.start = self.saved = time.monotonic()
        self.stopped = 0.0

    # --- from start to end

    def run(self, show: "Callable[[Campaign], None]") -> int:
        """Run it to the end; the exit status. `show` is called now and then. Raises `Usage` and `FolderBusy`."""
        with locked(self.folder):
            self.prepare()
            self.start = self.saved = time.monotonic()
            for signum in (signal.SIGINT, signal.SIGTERM):
                signal.signal(signum, self._interrupt)
            try:
                while not self.over():
                    self.tick()
                    show(self)
                    time.sleep(TICK)
            except Infrastructure as error:
                self.broken.append(str(error))
            self.finish(show)
        return self.status()

    def prepare(self) -> None:
        """Ask the plug-in what it serves, see that the folder is of the same campaign, take up what was left."""
        options = self.options
        self.probed = probe(options.impl, options.call_limit, options.targets)
        if not self.probed.names:
            reasons = "; ".join(sorted(set(self.probed.not_applicable.values())))
            raise Usage(f"none of these targets can be asked of {options.impl}: {reasons}")
        if self.probed.crashed:
            self.notes.append(f"asked what it serves, the plug-in {self.probed.crashed}; every target is tried")
        self._choose_engines()
        self._take_up()
        self.lines = {name: Line(name) for name in self.probed.names}
        self.slots = [Slot(str(number), self.folder) for number in range(options.workers)]
        if options.canary:
            self.canary = Canary(self, options.canary)

    def _choose_engines(self) -> None:
        """Leave atheris out of `all` where it cannot work, and say so; see that there is time for a turn of each."""
        options, drawn = self.options, len(self.probed.drawn)
        if "atheris" in options.engines and len(options.engines) > 1:
            why = "is not installed" if not _has_atheris() else ""
            why = why or ("finds no Python code of the plug-in to watch" if not self.probed.modules else "")
            if why:
                options.engines = [engine for engine in options.engines if engine != "atheris"]
                self.notes.append(f"without atheris: it {why}")
        guided = [engine for engine in options.engines if engine != "blind"]
        needed = drawn * ATHERIS_AT_LEAST / self._processes_of_each() if guided else 0.0
        if needed > options.seconds:
            raise Usage(
                f"{options.seconds:.0f} seconds are too few for {' and '.join(guided)} on {drawn} targets: at least "
                f"{needed:.0f}, or fewer --targets, or more --workers"
            )

    def _take_up(self) -> None:
        """Go on where an earlier run of the same campaign ended, however it ended."""
        asked = {"impl": self.options.impl, "seed": self.options.seed, "names": self.probed.names}
        state = self.folder.read(self.folder.campaign)
        if self.folder.campaign.with_name("campaign.json.corrupt").exists() and not state:
            self.notes.append("campaign.json could not be read and was set aside; the journals say how far it had come")
        elif state:
            before = {name: state.get(name) for name in asked}
            if before != asked:
                what = next(name for name in asked if before[name] != asked[name])
                raise Usage(
                    f"{self.folder.root} holds a campaign of another {what} "
                    f"({_short(before[what])}, not {_short(asked[what])}); name another --out"
                )
            self.elapsed_before = float(state.get("elapsed", 0.0))
            self.turns = state.get("turns", {})
            self.rests = state.get("rests", {})
            self.notes.append(f"going on after {_span(self.elapsed_before)}")
        self.examined = Counter(self.folder.read(self.folder.signatures))
        for path in self.folder.journals.iterdir():
            self._suspect(path)
        self._end_merges()
        for path in self.folder.root.glob("**/.*.tmp"):
            path.unlink(missing_ok=True)  # half written when its writer was killed
        self.save()

    def _suspect(self, path: Path) -> None:
        """What a worker had in hand when all were killed: perhaps it was that, so it is looked at."""
        if path.suffix == ".other":
            return
        if path.stat().st_size != _journal_size(len(self.probed.names)):
            os.replace(path, path.with_suffix(".other"))
            self.notes.append(f"the journal {path.name} is of another list of targets and was set aside")
            return
        try:
            journal = Journal(path, len(self.probed.names))
            in_hand = journal.in_hand()
        except (Infrastructure, IndexError):
            return
        if in_hand is not None:
            job = self.job("blind", path.name, [])
            details = {"signature": f"{self.probed.names[in_hand.target]} left in hand", "kind": "left in hand"}
            name, listed = self.probed.names[in_hand.target], in_hand.kind == "listed"
            more = {"message": "its worker was killed", "suspect": True}
            leave_artifact(self.folder, job, name, in_hand.index, in_hand.data, listed, details | more)
            journal.end()
        journal.close()

    def _end_merges(self) -> None:
        """Put right what a merge left that was killed between taking the old corpus away and putting the new one."""
        if self.options.corpus is not None:
            return
        for old in self.folder.corpus.glob("*.old"):
            corpus = old.with_suffix("")
            if corpus.exists():
                shutil.rmtree(old, ignore_errors=True)
            else:
                os.replace(old, corpus)
        for half in self.folder.corpus.glob("*.merging"):
            shutil.rmtree(half, ignore_errors=True)

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True

    @property
    def elapsed(self) -> float:
        """Seconds that this run has searched."""
        return (self.stopped or time.monotonic()) - self.start

    def over(self) -> bool:
        """Whether there is a reason to stop."""
        enough = 0 < self.options.stop_at <= len(self.new_findings)
        broken = bool(self.broken) and self.strikes >= 3
        return self.interrupted or broken or enough or self.elapsed >= self.options.seconds

    def tick(self) -> None:
        """Look after everything once."""
        for slot in self.slots:
            self._look_after(slot)
        self._examine()
        if self.canary is not None:
            self.canary.tick()
        if time.monotonic() - self.saved > SAVE_EVERY:
            self.save()

    def finish(self, show: "Callable[[Campaign], None]") -> None:
        """Stop the workers, look at the artifacts that wait, say how it went."""
        self.stopped = time.monotonic()
        slots = [*self.slots, *([self.canary.slot] if self.canary else [])]
        while any(slot.process is not None for slot in slots):
            for slot in slots:
                slot.stop()
                ended = slot.watch()
                if ended is not None:
                    self._account(slot, ended)
            time.sleep(TICK / 2)
        enough = 0 < self.options.stop_at <= len(self.new_findings)
        until = time.monotonic() + (5.0 if self.interrupted or enough else self.options.drain)
        while (self.examination or self._next_artifact()) and time.monotonic() < until and not self.broken_disk():
            self._examine()
            show(self)
            time.sleep(TICK)
            if self.interrupted and until - time.monotonic() > 5.0:
                until = time.monotonic() + 5.0
        if self.canary is not None:
            self.canary.finish()
        try:
            self.save()
        except Infrastructure as error:
            self.broken.append(str(error))

    def broken_disk(self) -> bool:
        """Whether nothing can be written any more."""
        return any("cannot write" in message for message in self.broken)

    # --- workers

    def job(self, engine: str, worker: str, focus: list[int], **more: Any) -> Job:
        """A job for a worker of this campaign."""
        options = self.options
        return Job(
            options.impl,
            self.probed.name,
            str(self.folder.root),
            str(self.folder.corpus),
            self.probed.names,
            focus,
            engine,
            worker,
            seed=options.seed,
            call_limit=options.call_limit,
            rss_limit=options.rss_limit,
            started=time.time() - self.elapsed_before - self.elapsed,
            database=options.database,
            profile=self.probed.profile,
            rests=self.rests,
            slow=[place for place, name in enumerate(self.probed.names) if name not in self.probed.drawn],
            **more,
        )

    def _look_after(self, slot: Slot) -> None:
        ended = slot.watch()
        if slot.process is not None and slot.job is not None and slot.job.engine == "atheris":
            self._coverage(slot, slot.job)
        if ended is not None:
            self._account(slot, ended)
        if slot.process is None and not self.over():
            job = self._next_job(slot)
            if job is not None:
                flags = [] if job.engine != "merge" else self._merge_flags(job)
                slot.start(job, *flags)

    def _next_job(self, slot: Slot) -> Job | None:
        """What a free slot does next: the listed cases first, then its engines in turn."""
        left = self.options.seconds - self.elapsed
        number = int(slot.name)
        every = list(range(len(self.probed.names)))
        if number == 0 and not self.turns.get("listed"):
            return self.job("listed", "0-listed", every, seconds=left, hash_seed=self.options.seed)
        engines, slots = self.options.engines, len(self.slots)
        rotation = engines[number::slots] if slots < len(engines) else [engines[number % len(engines)]]
        turn = self.turns[slot.name] = self.turns.get(slot.name, -1) + 1
        engine = rotation[turn % len(rotation)]
        drawn = [place for place in every if self.probed.names[place] in set(self.probed.drawn)]
        if not drawn:
            return None
        if engine == "blind":
            return self._blind_job(slot, drawn, left, alone=len(rotation) == 1)
        return self._turn_job(slot, engine, drawn, left)

    def _blind_job(self, slot: Slot, drawn: list[int], left: float, *, alone: bool) -> Job:
        number, (shard, shards) = int(slot.name), self.options.shard
        seconds = left if alone else min(left, max(5.0, self.options.seconds / 20))
        return self.job(
            "blind",
            f"{slot.name}-blind",
            drawn,
            seconds=seconds,
            first=(shard - 1) * len(self.slots) + number,
            step=shards * len(self.slots),
            hash_seed=(self.options.seed * 31 + number + self.turns[slot.name]) % 2**32,
        )

    def _turn_job(self, slot: Slot, engine: str, drawn: list[int], left: float) -> Job:
        """One target's turn under an engine that takes one at a time; now and then a merge of its corpus."""
        shard, shards = self.options.shard
        if engine == "atheris" and (merge := self._merge_due()) is not None:
            return self.job("merge", f"{slot.name}-merge", [merge], seconds=left)
        turn = self.turns[engine] = self.turns.get(engine, -1) + 1
        two_rounds = self.options.seconds * self._processes_of_each() / len(drawn) / 2
        return self.job(
            engine,
            f"{slot.name}-{engine}",
            [drawn[turn % len(drawn)]],
            seconds=min(left, 300.0, max(ATHERIS_AT_LEAST, two_rounds) - 1),
            rounds=turn // len(drawn),
            first=(shard - 1) * len(self.slots) + int(slot.name),
            step=shards * len(self.slots),
            hash_seed=(self.options.seed * 31 + turn) % 2**32,
        )

    def _processes_of_each(self) -> float:
        """How many workers each engine has, on average."""
        return self.options.workers / len(self.options.engines)

    def _account(self, slot: Slot, ended: Ended) -> None:
        """What a process that ended means: an artifact, a mistake around the search, or nothing."""
        job = ended.job
        if job.engine == "merge":
            self._merge_ended(job, ended)
            return
        self._coverage(slot, job)
        if ended.code == BROKEN and ended.in_hand is None:
            self._strike(f"{job.engine}: {_last_line(ended.log)}")
        elif ended.in_hand is not None and not (slot.stopping and ended.code in STATES):
            self._fault(slot, ended)
        elif ended.code not in STATES and not ended.killed_for:
            self._strike(
                f"a {job.engine} worker ended with status {ended.code} before its first case:\n{ended.log[-800:]}"
            )
        else:
            self.strikes = 0
            if job.engine == "listed" and ended.code == 0 and not self.over():
                self.turns["listed"] = 1
            if job.engine == "atheris" and slot.coverage() is None and ended.code == 0:
                self._strike(f"atheris reported no coverage of {self.probed.names[job.focus[0]]}:\n{ended.log[-800:]}")

    def _strike(self, message: str) -> None:
        """A mistake around the search. At the third in a row the campaign ends: it would do nothing for hours."""
        self.strikes += 3 if message.startswith(("atheris: infra", "hypothesis: infra", "blind: infra")) else 1
        if message not in self.broken:
            self.broken.append(message)

    def _fault(self, slot: Slot, ended: Ended) -> None:
        """The plug-in took the process with it: its input becomes an artifact, and the target rests more often."""
        in_hand, job = ended.in_hand, ended.job
        assert in_hand is not None
        from fuzz.failures import kind_of_exit

        name = self.probed.names[in_hand.target]
        # Killed from outside, or when the time was up and it did not end: the input may be innocent.
        suspect = ended.killed_for == "stopped" or (ended.code == -KILLED and not ended.killed_for)
        kind = "hang" if ended.killed_for == "stopped" else ended.killed_for or kind_of_exit(ended.code)
        details = {"signature": f"{name} {kind}", "kind": kind, "message": ended.log[-1000:]}
        listed = in_hand.kind == "listed"
        journal = slot.journal(job)
        counts = journal.counts(in_hand.target)
        counts.executions, counts.hits = counts.executions + 1, counts.hits + (not suspect)
        counts.next_index = max(counts.next_index, in_hand.index + 1)
        journal.set_counts(in_hand.target, counts)
        more = {"executions": counts.executions, "suspect": suspect}
        leave_artifact(self.folder, job, name, in_hand.index, in_hand.data, listed, details | more)
        if not suspect:
            self.rests[name] = min(64, 2 * self.rests.get(name, 1))
        self.strikes = 0

    def _coverage(self, slot: Slot, job: Job) -> None:
        """Take over what libFuzzer reports."""
        if job.engine != "atheris":
            return
        line, status = self.lines[self.probed.names[job.focus[0]]], slot.coverage()
        if status is None:
            return
        _, edges, features = status
        line.edges = max(line.edges, edges)
        if features > line.features:
            line.features, line.news = features, self.elapsed_before + self.elapsed
            line.news_at = self.count(line.name, "atheris").executions

    # --- merging

    def _merge_due(self) -> int | None:
        """A target whose corpus has grown since it was last merged; never in a folder that others use too."""
        if self.options.corpus is not None or self.elapsed < self.merge_next:
            return None
        for place, name in enumerate(self.probed.names):
            files = _files(self.folder.corpus / name)
            if files >= MERGE_FROM and files > 1.5 * self.merged.get(name, 0):
                self.merged[name] = files
                return place
        self.merge_next = self.elapsed + self.options.merge_every
        return None

    def _merge_flags(self, job: Job) -> list[str]:
        corpus = self.folder.corpus / self.probed.names[job.focus[0]]
        fresh = corpus.with_name(f"{corpus.name}.merging")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        return ["-merge=1", str(fresh), str(corpus)]

    def _merge_ended(self, job: Job, ended: Ended) -> None:
        """Put the merged corpus in place of the old one; where the merge failed the old one stays, and it is said."""
        name = self.probed.names[job.focus[0]]
        corpus = self.folder.corpus / name
        fresh = corpus.with_name(f"{name}.merging")
        if ended.killed_for == "stopped" or ended.code == 72 or self.over():
            shutil.rmtree(fresh, ignore_errors=True)
            return
        files = _files(fresh)
        if ended.code != 0 or not files:
            self.broken.append(f"the merge of {name} failed with status {ended.code} and {files} files")
            return
        old = corpus.with_name(f"{name}.old")
        os.replace(corpus, old)
        os.replace(fresh, corpus)
        shutil.rmtree(old, ignore_errors=True)
        self.merged[name] = files

    # --- findings

    def _waiting(self) -> list[Path]:
        return [path for path in self.folder.artifacts.glob("*.json") if not path.name.startswith(".")]

    def _examine(self) -> None:
        """Let a process of its own look at one artifact after another."""
        if self.examination is not None:
            process, path = self.examination
            if process.poll() is None:
                return
            self.examination = None
            self._examined(path, process)
        waiting = self._next_artifact()
        if waiting is not None:
            job = self.job("examine", "examine", []).save(self.folder.root / "job-examine.json")
            command = [sys.executable, "-m", "fuzz.examine", str(job), str(waiting)]
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment(),
                errors="replace",
            )
            self.examination = process, waiting

    def _next_artifact(self) -> Path | None:
        """The artifact whose signature was looked at least often; those of one looked at often enough are dropped."""
        waiting = []
        for path in self._waiting():
            try:
                content = json.loads(path.read_text(encoding="utf-8"))
                waiting.append((self.examined[content["signature"]], path.stat().st_mtime, path))
            except (OSError, ValueError, KeyError):
                os.replace(path, path.with_suffix(".broken"))
                self.notes.append(f"{path.name} is no artifact and was set aside as {path.stem}.broken")
        waiting.sort()
        if self.stopped:  # what is of a kind that was looked at can wait for another run
            waiting = [entry for entry in waiting if not entry[0]]
        while len(waiting) > 20 and waiting[-1][0] >= 32:
            waiting.pop()[2].unlink(missing_ok=True)
        return waiting[0][2] if waiting else None

    def _examined(self, path: Path, process: "subprocess.Popen[str]") -> None:
        """Count what came of an artifact; only then is it removed."""
        said = process.stdout.read() if process.stdout else ""
        try:
            result = json.loads(said.strip().splitlines()[-1])
        except (IndexError, ValueError):
            result = {"status": "error", "message": f"looking at {path.name} failed: {said[-600:]}"}
        status = result["status"]
        if status == "error":
            self.broken.append(result["message"])
            if "cannot write" in result["message"]:  # keep the artifact for a time when there is space
                raise Infrastructure(result["message"])
            os.replace(path, path.with_suffix(".unexamined"))
            return
        self.found[status] += 1
        if status in ("new", "flaky"):
            self.new_findings.append(result["path"])
            self.announce(Path(result["path"]))
        elif status == "known":
            self._count(Path(result["path"]))
        signature = result.get("signature", "")
        self.examined[signature] = max(1, 2 * self.examined[signature])
        write_whole(self.folder.signatures, json.dumps(self.examined))
        path.unlink(missing_ok=True)

    def _count(self, path: Path) -> None:
        try:
            finding = Finding.load(path)
            finding.count += 1
            finding.save(path.parent)
        except BrokenFinding as error:
            self.notes.append(str(error))

    def announce(self, path: Path) -> None:
        """Say that there is a new finding."""
        try:
            finding = Finding.load(path)
        except BrokenFinding as error:
            self.broken.append(str(error))
            return
        kept = "flaky " if path.parent == self.folder.flaky else ""
        self.say(
            f"{kept}finding {finding.id}: {finding.claim} ({finding.level}) {finding.kind}, {finding.engine}, "
            f"after {finding.executions:,} cases of it and {_span(finding.seconds)}: {path}"
        )

    # --- counts

    def count(self, name: str, engine: str = "") -> Counts:
        """The counts of a target, all workers together, or those of one engine."""
        place, total = self.probed.names.index(name), Counts()
        for journal in self._journals(engine):
            counts = journal.counts(place)
            total.executions += counts.executions
            total.not_applicable += counts.not_applicable
            total.hits += counts.hits
            total.seconds += counts.seconds
        return total

    def _journals(self, engine: str) -> list[Journal]:
        known = {path.name: journal for slot in self.slots for path, journal in self._of(slot)}
        for path in self.folder.journals.iterdir():
            if path.name not in known and path.stat().st_size == _journal_size(len(self.probed.names)):
                journal = Journal(path, len(self.probed.names))
                self.slots[0].journals[path.name] = known[path.name] = journal
        return [journal for worker, journal in known.items() if worker.endswith(engine)]

    def _of(self, slot: Slot) -> list[tuple[Path, Journal]]:
        return [(self.folder.journals / worker, journal) for worker, journal in slot.journals.items()]

    def refresh(self) -> list[Line]:
        """The line of each target, as of now."""
        findings = Counter(finding.claim for _, finding in stored(self.folder.findings)[0])
        for line in self.lines.values():
            line.counts = self.count(line.name)
            line.guided = self.count(line.name, "atheris").executions
            line.corpus = _files(self.folder.corpus / line.name)
            line.findings = findings[line.name]
        return list(self.lines.values())

    def save(self) -> None:
        """Write down how far it has come. Raises `Infrastructure` where that cannot be done."""
        self.saved = time.monotonic()
        state = {
            "impl": self.options.impl,
            "seed": self.options.seed,
            "names": self.probed.names,
            "elapsed": self.elapsed_before + self.elapsed,
            "turns": self.turns,
            "rests": self.rests,
            "options": {name: str(value) for name, value in asdict(self.options).items()},
        }
        write_whole(self.folder.campaign, json.dumps(state, indent=1))

    # --- the end

    def never_ran(self) -> list[str]:
        """Targets of which no case was tried."""
        return [
            name for name in self.probed.names if not (self.count(name).executions or self.count(name).not_applicable)
        ]

    def status(self) -> int:
        """The exit status."""
        found = [finding for _, finding in stored(self.folder.findings)[0]]
        counted = [finding for finding in found if finding.level == "must" or self.options.level == "all"]
        counted = [finding for finding in counted if not finding.unconfirmed]
        if self.interrupted:
            return INTERRUPTED
        if self.never_ran() and not 0 < self.options.stop_at <= len(self.new_findings):
            self.broken.append(f"never ran: {', '.join(self.never_ran())}; give them more --time")
        if self.canary is not None and not self.canary.found:
            self.broken.append("the canary was not found again: the chain from search to finding is broken")
        if self.broken:
            return INFRASTRUCTURE
        return FOUND if counted else NOTHING


class Canary:
    """A planted bug searched for beside the real one, through the same chain, in a folder of its own."""

    def __init__(self, campaign: Campaign, spec: str) -> None:
        out = campaign.folder.root / "canary" / str(time.time_ns())
        options = replace(campaign.options, impl=spec, out=out, canary=None, engines=["blind"], workers=1, corpus=None)
        options.targets = ["ENC-*"] if not campaign.options.targets else campaign.options.targets
        self.campaign = Campaign(options, say=lambda text: None)
        self.campaign.prepare()
        self.campaign.turns["listed"] = 1
        self.campaign.start = self.campaign.saved = time.monotonic()
        self.slot = self.campaign.slots[0]

    @property
    def found(self) -> list[Finding]:
        """The findings of the canary."""
        return [finding for _, finding in stored(self.campaign.folder.findings)[0]]

    def tick(self) -> None:
        """Search until it is found."""
        if self.campaign.new_findings or self.found:
            self.slot.stop()
            self.slot.watch()
        else:
            self.campaign.tick()

    def finish(self) -> None:
        """Look at what waits."""
        until = time.monotonic() + 60
        while not self.found and (self.campaign.examination or self.campaign._waiting()) and time.monotonic() < until:
            self.campaign._examine()
            time.sleep(TICK)
        if self.campaign.examination is not None:
            self.campaign.examination[0].kill()


def _has_atheris() -> bool:
    from importlib.util import find_spec

    return find_spec("atheris") is not None


def _files(folder: Path) -> int:
    try:
        return sum(1 for _ in os.scandir(folder))
    except OSError:
        return 0


def _journal_size(targets: int) -> int:
    from fuzz.journal import LONGEST

    return 64 + LONGEST + targets * 64


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if "infrastructure: " in line] or text.strip().splitlines()[-1:]
    return lines[-1] if lines else "it said nothing"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) < 60 else f"{text[:57]}..."


def _span(seconds: float) -> str:
    """A length of time, for people.

    >>> _span(3.21), _span(75), _span(7290)
    ('3.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
