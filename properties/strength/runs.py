"""Tokenizers tried one by one, each in a process of its own: is it refuted, by which claim, after how much?

The modules, the claims and their tables are loaded once; each tokenizer is then tried in a fork of that process, so
that what one does (a cache that it fills, a module that it changes, a hang) touches no other. Two run at a time. One
that takes too long is killed, and what ended is written to a journal, from which a later run goes on.

Every claim is tried with the smallest budget first, in the order of `claim_order.json`, which was computed from the
kill matrix; what survives that is tried with the budget asked for. Of what is expected to pass, all would survive: it
is tried with the budget asked for at once, and Hypothesis draws once for all that are tried with the same seed.
"""

import gc
import hashlib
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from implementations.loader import resolve
from implementations.plugged import Implementation
from properties.budgets import BUDGETS, Budget
from properties.claims import CLAIMS, Claim, all_claims
from properties.counterexample.literal import literal
from properties.counterexample.shrink import size
from properties.runner import Outcome, drawn_programs, profile_of, try_claim

ROOT = Path(__file__).resolve().parents[2]
ORDER = Path(__file__).with_name("claim_order.json")
AT_ONCE = 2
SLOW = 8  # claims with at least this share of the budget wait for the second round
SHRINK_SECONDS = 1.0  # enough for the size of a counterexample; pytest takes longer and shows it


@dataclass(frozen=True)
class Job:
    """What one process does: try one tokenizer with one seed on the claims named, in their order."""

    spec: str
    name: str
    claims: tuple[str, ...]
    seed: int = 0
    budget: str = "default"
    call_limit: float = 10.0
    limit: float = 120.0  # seconds, then the process is killed
    expect: str = "refuted"

    @property
    def key(self) -> str:
        """What the journal knows this job by; another key where any file changed that may change the result."""
        described = f"{asdict(self)} {_fingerprint(self.spec.rpartition(':')[0] or self.spec)}"
        return hashlib.sha256(described.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Run:
    """What came of a job. `refuted` is `None` where the process was killed or broke down; `note` says so."""

    name: str
    seed: int
    refuted: bool | None
    claim: str = ""
    examples: int = 0
    seconds: float = 0.0  # to the refutation, or of the whole search
    counterexample: str = ""
    size: int = 0  # of the counterexample, shrunk
    finding: str = ""
    note: str = ""


def implementations_of(spec: str) -> list[Implementation]:
    """The tokenizers of a file, where `*` may stand in the path as well; files without a match are passed over.

    Raises `UnknownImplementation` or `ImplementationImportError` as `resolve` does, where nothing matches at all.
    """
    path, colon, attribute = spec.partition(".py:")
    paths = sorted(ROOT.glob(f"{path}.py")) or sorted(Path().glob(f"{path}.py")) if "*" in path and colon else []
    if not paths:
        return resolve(spec)
    found: list[Implementation] = []
    for file in paths:
        where = os.path.relpath(file)
        try:
            found += resolve(f"{where}:{attribute}")
        except ValueError:
            continue
    return found or resolve(f"{os.path.relpath(paths[0])}:{attribute}")


def claims_in_order(globs: Sequence[str] = (), level: str = "must") -> list[Claim]:
    """The claims, those first that refute most in the least time."""
    from properties.claims import selected

    claims = selected(all_claims(), globs) if globs else all_claims()
    order: list[str] = json.loads(ORDER.read_text()) if ORDER.exists() else []
    place = {claim_id: number for number, claim_id in enumerate(order)}
    kept = [claim for claim in claims if level == "all" or claim.level == "must"]
    return sorted(kept, key=lambda claim: place.get(claim.id, len(place)))


def rounds(budget: Budget) -> tuple[Budget, ...]:
    """The budgets to try all claims with, one after the other."""
    quick = BUDGETS["quick"]
    return (quick, budget) if budget.cases > quick.cases else (budget,)


def run_here(job: Job, implementation: Implementation) -> Run:
    """Try a tokenizer in this process, until the first claim that it refutes."""
    start = time.monotonic()
    implementation.call_limit = job.call_limit
    by_id = {claim.id: claim for claim in all_claims()}
    profile = profile_of(implementation)
    examples = 0
    *early, _ = budgets = rounds(BUDGETS[job.budget]) if job.expect == "refuted" else (BUDGETS[job.budget],)
    for budget in budgets:
        # The slow claims are not asked early; after that first of all: what is left by then may be theirs alone.
        slow = [claim_id for claim_id in job.claims if by_id[claim_id].share >= SLOW]
        others = [claim_id for claim_id in job.claims if claim_id not in slow]
        late = [*slow, *others] if early else [*others, *slow]
        for claim_id in others if budget in early else late:
            before = time.monotonic() - start
            outcome = try_claim(
                by_id[claim_id],
                implementation,
                replace(budget, shrink_seconds=SHRINK_SECONDS),
                profile=profile,
                seed_number=job.seed,
                programs=_programs(job, claim_id) if job.expect == "passed" else None,
            )
            examples += outcome.cases
            if outcome.status == "refuted":
                return _refuted(job, outcome, examples, before + outcome.found_after)
    return Run(job.name, job.seed, False, "", examples, round(time.monotonic() - start, 4))


def _programs(job: Job, claim_id: str) -> tuple[tuple[str, ...], ...] | None:
    """What Hypothesis draws for a claim, from the memory that a process shares with those forked from it."""
    claim = CLAIMS[claim_id]
    if claim.domain.build is None:
        return None
    return _drawn(claim, job.seed, BUDGETS[job.budget].of(claim.share).cases)


@lru_cache(maxsize=128)  # more than there are claims: those of one seed are at hand
def _drawn(claim: Claim, seed: int, cases: int) -> tuple[tuple[str, ...], ...]:
    return tuple(drawn_programs(claim, seed, cases))


def _refuted(job: Job, outcome: Outcome, examples: int, seconds: float) -> Run:
    case = outcome.case or {}
    spelled = ", ".join(f"{name}={literal(value)}" for name, value in case.items())
    return Run(
        job.name,
        job.seed,
        True,
        outcome.claim.id,
        examples,
        round(seconds, 4),
        spelled if len(spelled) <= 2_000 else f"{spelled[:2_000]}... ({len(spelled):,} characters)",
        size(case)[0],
        outcome.finding,
        f"{type(outcome.error).__name__}" + (", not repeatable" if outcome.stateful else ""),
    )


# --- processes -----------------------------------------------------------------------------------------------------


def warm_up() -> None:
    """Load what every process needs, once: claims, tables, Hypothesis, the vocabularies that take long to make."""
    for implementation in resolve("heap"):
        profile = profile_of(implementation)
        for claim in all_claims():
            if claim.id not in ("ENC-20", "TRN-14"):  # slow, and they leave nothing behind that another needs
                try_claim(claim, implementation, Budget("warm-up", cases=2, seconds=0.02), profile=profile)
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all of it


@dataclass
class _Running:
    job: Job
    process: BaseProcess
    answer: Connection
    start: float


def run_all(
    jobs: Iterable[Job],
    implementations: dict[tuple[str, str], Implementation],
    *,
    journal: Path | None = None,
    at_once: int = AT_ONCE,
) -> Iterator[tuple[Job, Run]]:
    """What comes of each job, in the order in which they end; those in the journal first."""
    done = _read(journal)
    waiting, running = [], list[_Running]()
    for job in jobs:
        if job.key in done:
            yield job, done[job.key]
        else:
            waiting.append(job)
    waiting.reverse()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # by way of `finally`: nothing is left running
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                job = waiting.pop()
                for claim_id in job.claims if job.expect == "passed" else ():
                    _programs(job, claim_id)  # before the process is forked
                running.append(_start(job, implementations[job.spec, job.name]))
            for one, run in _ended(running):
                running.remove(one)
                _write(journal, one.job, run)
                yield one.job, run
    finally:
        signal.signal(signal.SIGTERM, before)
        for one in running:
            _kill(one)


def _start(job: Job, implementation: Implementation) -> _Running:
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    # A forked process has the tokenizer already; any other has to load it by name.
    given = implementation if context.get_start_method() == "fork" else None
    process: BaseProcess = context.Process(target=_work, args=(job, given, theirs))  # type: ignore[attr-defined]
    process.start()
    theirs.close()
    return _Running(job, process, ours, time.monotonic())


def _work(job: Job, implementation: Implementation | None, answer: Connection) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # so that it can be killed together with what it starts
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # what a tokenizer prints is no part of the table
    os.dup2(nowhere, 2)
    try:
        found = implementation or next(i for i in resolve(job.spec) if i.name == job.name)
        run = run_here(job, found)
    except BaseException as error:  # of ours, or so foreign that no guard holds it
        run = Run(job.name, job.seed, None, note=f"broke off: {type(error).__name__}: {str(error)[:200]}")
    answer.send(run)
    answer.close()
    os._exit(0)  # threads that a tokenizer left behind must not keep the process


def _ended(running: Sequence[_Running]) -> Iterator[tuple[_Running, Run]]:
    """Those that answered, ended without an answer or ran out of time; waits for a moment at most."""
    ready = wait([one.answer for one in running], timeout=0.2)
    for one in list(running):
        if one.answer in ready:
            try:
                run = one.answer.recv()
            except EOFError:
                run = Run(one.job.name, one.job.seed, None, note="the process ended without an answer")
            _kill(one)
            yield one, run
        elif time.monotonic() - one.start > one.job.limit:
            _kill(one)
            yield one, Run(one.job.name, one.job.seed, None, note=f"killed after {one.job.limit:g} seconds")


def _kill(one: _Running) -> None:
    if one.process.pid is not None and hasattr(os, "killpg"):
        try:
            os.killpg(one.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            one.process.kill()
    else:
        one.process.kill()
    one.process.join()
    one.answer.close()


# --- the journal ---------------------------------------------------------------------------------------------------


def _read(journal: Path | None) -> dict[str, Run]:
    """The runs of a journal by the keys of their jobs; a last line that was cut short is not read."""
    runs = {}
    if journal is not None and journal.exists():
        for line in journal.read_text().splitlines():
            try:
                entry = json.loads(line)
                key = entry.pop("key")
                runs[key] = Run(**entry)
            except (ValueError, TypeError, KeyError):
                continue
    return runs


def _write(journal: Path | None, job: Job, run: Run) -> None:
    if journal is not None and run.refuted is not None:
        journal.parent.mkdir(parents=True, exist_ok=True)
        with journal.open("a") as file:
            file.write(json.dumps({"key": job.key} | asdict(run)) + "\n")


@cache
def _fingerprint(path: str) -> str:
    """A digest of the suite and of the file with the tokenizers, with those beside it."""
    digest = hashlib.sha256(sys.version.encode())
    asked = [ROOT / "properties" / room for room in ("oracle", "cases", "cases/domains", "counterexample")]
    folders = [ROOT / "properties", *asked, ROOT / "reference", ROOT / "implementations"]
    beside = Path(path).parent if path.endswith(".py") else None
    for folder in [*folders, *([beside] if beside else [])]:
        for file in sorted(folder.glob("*.py")):
            digest.update(file.read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()
