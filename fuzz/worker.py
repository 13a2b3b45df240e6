"""A worker: a long-lived process that runs cases of the targets of a campaign and leaves an artifact for each failure.

`python -m fuzz.worker JOB.json` reads what to do; the supervisor (`supervisor.py`) writes that file and looks after
the process. What is in hand and what was counted stands in a journal, so that nothing depends on how the worker ends.
"""

import ctypes
import gc
import hashlib
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import count, groupby
from pathlib import Path
from typing import Any

from fuzz.blind import Blind, group_of
from fuzz.failures import kind_of, signature_of, worth_keeping
from fuzz.journal import Journal
from fuzz.store import Folder, Infrastructure, write_whole
from fuzz.targets import Target, targets
from implementations.loader import resolve
from implementations.plugged import Implementation, NotApplicable
from properties.cases.domains import Case
from properties.cases.programs import Profile
from properties.claims import ask

BROKEN = 3  # exit: something around the search is broken; the log says what
RENEW = 5  # exit: memory ran out and was not given back; start anew
EVERY = 16  # cases between two times that counts are put where the supervisor sees them


@dataclass
class Job:
    """What a worker is to do. `names` are all targets of the campaign, `focus` the places of those to run now."""

    impl: str
    impl_name: str
    root: str
    corpus: str
    names: list[str]
    focus: list[int]
    engine: str = "blind"
    worker: str = "0"
    seed: int = 0
    first: int = 0
    step: int = 1
    seconds: float = 10.0
    call_limit: float = 5.0
    rss_limit: int = 2048  # megabytes
    hash_seed: int = 0
    slow: list[int] = field(default_factory=list)  # the places of targets whose cases may take long
    started: float = 0.0  # when the campaign did, time.time()
    rounds: int = 0  # how often this target has had a turn before
    database: str | None = None
    profile: dict[str, Any] = field(default_factory=dict)  # from `probe.py`
    rests: dict[str, int] = field(default_factory=dict)  # target -> it runs only every so many rounds
    extra: list[str] = field(default_factory=list)  # for libFuzzer

    def save(self, path: Path) -> Path:
        """Write the job to a file."""
        write_whole(path, json.dumps(asdict(self)))
        return path

    @classmethod
    def load(cls, path: str | Path) -> "Job":
        """The job in a file."""
        return cls(**json.loads(Path(path).read_text(encoding="utf-8")))


def implementation_of(spec: str, name: str, call_limit: float) -> Implementation:
    """The implementation of that name among those that a spec means."""
    implementation = next(i for i in resolve(spec) if i.name == name)
    implementation.call_limit = call_limit
    return implementation


def profile_from(fields: dict[str, Any]) -> Profile:
    """The profile that `probe.py` found; lists become tuples again."""
    values: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in fields.items()}
    return Profile(**values)


class Worker:
    """The state of a worker. `attempt` runs one case; everything that it raises is noted."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.folder = Folder.at(Path(job.root), Path(job.corpus))
        self.implementation = implementation_of(job.impl, job.impl_name, job.call_limit)
        self.profile = profile_from(job.profile)
        by_name = {target.name: target for target in targets()}
        self.targets: list[Target] = [by_name[name] for name in job.names]
        self.journal = Journal(self.folder.journals / job.worker, len(self.targets))
        self.counts = [self.journal.counts(number) for number in range(len(self.targets))]
        self.known: Counter[str] = Counter(self.folder.read(self.folder.signatures))
        self.parent = os.getppid()
        self.stopped = False
        self.renew = False

    def attempt(self, number: int, index: int, data: bytes, case: Case | None = None, *, listed: bool = False) -> bool:
        """Run a case: that of the data, made already or not, or a listed one. Whether it held (or was not asked)."""
        target, counts = self.targets[number], self.counts[number]
        held, starved = True, False
        case = case if case is not None else self.case_of(target, data)
        self.journal.begin(number, index, data, int(listed))
        try:
            ask(target.claim, self.implementation, case)
            counts.executions += 1
        except NotApplicable:
            counts.not_applicable += 1
        except BaseException as error:
            counts.executions += 1
            held, starved = False, isinstance(error, MemoryError)
            self._failed(number, index, data, error, listed)
        self.journal.end()
        if starved and not given_back(self.job.rss_limit):  # asked when the error, and what its frames hold, is gone
            self.renew = True
        return held

    def case_of(self, target: Target, data: bytes) -> Case:
        """The case of some bytes. The decoder is total: where it fails, it is we who are wrong, not the plug-in."""
        try:
            return target.case(self.profile, data)
        except Exception as error:
            raise Infrastructure(f"{target.name} has no case for the bytes {data.hex()}: {error!r}") from error

    def _failed(self, number: int, index: int, data: bytes, error: BaseException, listed: bool) -> None:
        target, counts = self.targets[number], self.counts[number]
        counts.hits += 1
        signature = signature_of(target.name, error)
        self.known[signature] += 1
        if worth_keeping(self.known[signature]):
            message = str(error)[:1000]
            details: dict[str, Any] = {"signature": signature, "kind": kind_of(error), "message": message}
            details |= {"executions": counts.executions}
            leave_artifact(self.folder, self.job, target.name, index, data, listed, details)

    def flush(self, number: int) -> None:
        """Put the counts of a target where the supervisor sees them."""
        self.journal.set_counts(number, self.counts[number])

    def orphaned(self) -> bool:
        """Whether the supervisor is gone."""
        return os.getppid() != self.parent


def leave_artifact(
    folder: Folder, job: Job, target: str, index: int, data: bytes, listed: bool, details: dict[str, Any]
) -> Path:
    """Write an artifact: everything that is needed to run the failure again."""
    content = {
        "target": target,
        "engine": job.engine,
        "seed": job.seed,
        "index": index,
        "listed": listed,
        "data": data.hex(),
        "hash_seed": job.hash_seed,
        "seconds": time.time() - job.started if job.started else 0.0,
        "impl": job.impl,
        "impl_name": job.impl_name,
        "call_limit": job.call_limit,
        "rss_limit": job.rss_limit,
        **details,
    }
    digest = hashlib.sha256(f"{target} {listed} {index if listed else data.hex()}".encode()).hexdigest()[:16]
    path = folder.artifacts / f"{target}-{digest}.json"
    if not path.exists():
        write_whole(path, json.dumps(content))
    return path


# --- the engines that need nothing else --------------------------------------------------------------------------


def run_listed(worker: Worker) -> None:
    """The listed cases of each target, once; of lists without end as many as a small part of the time allows."""
    most = max(5.0, worker.job.seconds / 50)
    for number in worker.job.focus:
        target, counts = worker.targets[number], worker.counts[number]
        started = time.monotonic()
        for index, case in enumerate(target.claim.domain.listed(worker.profile)):
            if worker.stopped or worker.renew or worker.orphaned() or time.monotonic() - started > most:
                break
            if worker.job.rests.get(target.name, 1) > 2:  # it has ended the process twice: not over the whole list
                break
            if index >= counts.next_index:
                worker.attempt(number, index, b"", case, listed=True)
                counts.next_index = index + 1
                worker.flush(number)
        counts.seconds += time.monotonic() - started
        worker.flush(number)


def run_blind(worker: Worker) -> None:
    """All targets in turn, each for a short while, until the time is up."""
    job = worker.job
    end = time.monotonic() + job.seconds
    sources = {number: drawn_cases(worker, number) for number in job.focus}
    turn = 0
    while time.monotonic() < end and not worker.stopped and not worker.renew:
        for number, source in sources.items():
            if turn % job.rests.get(worker.targets[number].name, 1) == 0:
                _slice(worker, number, source, min(end, time.monotonic() + turn_seconds(turn)))
            if worker.stopped or worker.renew or worker.orphaned() or time.monotonic() >= end:
                return
        turn += 1


def drawn_cases(worker: Worker, number: int) -> Iterator[tuple[int, bytes, Case]]:
    """The blind cases of a target that fall to this worker, without end, from where it stopped.

    A group is made at a time: a processor that goes to and fro between making and checking is slower at both.
    """
    target, step = worker.targets[number], worker.job.step
    source = Blind(worker.job.seed, target)
    first = _first_index(worker.counts[number].next_index, worker.job.first, step)
    for _, indices in groupby(count(first, step), group_of):
        made = [(index, source.data(index)) for index in indices]
        yield from [(index, data, worker.case_of(target, data)) for index, data in made]


def turn_seconds(turn: int) -> float:
    """How long a target has in its n-th turn: what shows at once shows before any target gets a long one.

    >>> turn_seconds(0), turn_seconds(3), turn_seconds(20)
    (0.004, 0.032, 1.0)
    """
    return min(1.0, 0.004 * 2.0 ** min(turn, 10))


def _slice(worker: Worker, number: int, source: Iterator[tuple[int, bytes, Case]], end: float) -> None:
    """Some cases of one target, at least one."""
    counts = worker.counts[number]
    started = time.monotonic()
    for place, (index, data, case) in enumerate(source):
        worker.attempt(number, index, data, case)
        counts.next_index = index + worker.job.step
        if place % EVERY == EVERY - 1:
            worker.flush(number)
        if time.monotonic() >= end or worker.stopped or worker.renew:
            break
    counts.seconds += time.monotonic() - started
    worker.flush(number)


def _first_index(at_least: int, first: int, step: int) -> int:
    """The smallest index from `at_least` on that falls to this worker.

    >>> _first_index(0, 1, 3), _first_index(5, 1, 3), _first_index(7, 1, 3)
    (1, 7, 7)
    """
    return at_least + (first - at_least) % step


# --- the process -------------------------------------------------------------------------------------------------


def prepare_process(worker: Worker) -> None:
    """Stop at SIGTERM after the case in hand; leave Ctrl-C to the supervisor; die with it; never eat all memory."""

    def stop(*_: object) -> None:
        worker.stopped = True

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    limit_memory(worker.job.rss_limit)
    gc.collect()
    gc.freeze()  # what was imported stays: no collection needs to walk over it


def die_with_parent() -> None:
    """Where the system offers it, be killed when the supervisor is."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def limit_memory(megabytes: int) -> None:
    """Memory beyond the limit is refused: a MemoryError with the input in hand, not a machine that swaps."""
    if sys.platform == "linux" and megabytes:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def given_back(megabytes: int) -> bool:
    """Whether less than half of the memory limit is in use, after memory ran out. Without a limit, never sure."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])  # of data and stack
    except OSError:
        return False
    return pages * os.sysconf("SC_PAGE_SIZE") < megabytes << 19


def engines() -> Iterator[str]:
    """The names of the engines."""
    yield from ("blind", "atheris", "hypothesis")


def main(path: str) -> int:
    """Do the job in a file; the exit status."""
    try:
        job = Job.load(path)
        worker = Worker(job)
        prepare_process(worker)
        if job.engine == "hypothesis":
            from fuzz.hypothesis_engine import run_hypothesis

            run_hypothesis(worker)
        else:
            {"blind": run_blind, "listed": run_listed}[job.engine](worker)
    except Infrastructure as error:
        print(f"infrastructure: {error}", file=sys.stderr, flush=True)
        return BROKEN
    return RENEW if worker.renew else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
