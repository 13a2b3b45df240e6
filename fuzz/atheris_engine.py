"""The atheris engine: libFuzzer follows the coverage of the plug-in's own modules, never of the suite's.

`python -m fuzz.atheris_engine JOB.json [-FLAG…]` runs one target until its time is up. A failing case is written down
and the search goes on; only what ends the process (a segmentation fault, an abort) ends it.

libFuzzer runs itself again for `-merge` and the like, through a shell and by its first argument. That must be a command
that does the same as this process, or it reports success and does nothing: hence `command`.
"""

import faulthandler
import os
import random
import shlex
import signal
import sys
import time
from pathlib import Path
from typing import Any

from fuzz.blind import Blind, seeds
from fuzz.mined import functions, own_modules
from fuzz.mutate import crossed, mutated
from fuzz.store import Infrastructure
from fuzz.targets import SEAM
from fuzz.worker import BROKEN, EVERY, Job, Worker, die_with_parent, limit_memory

LONGEST = 512  # bytes of an input
BLIND_SEEDS = 40
LOOK_AROUND = 256  # executions between two looks at whether the supervisor lives


def load_atheris() -> Any:
    """The module. Raises `Infrastructure` where it is not installed."""
    try:
        import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise Infrastructure(
            "--engine atheris needs the package atheris (Linux): pip install -e '.[fuzz]'; --engine blind needs nothing"
        ) from None
    return atheris


def instrument(atheris: Any, worker: Worker) -> int:
    """Instrument every function of the plug-in's own modules, and say how many.

    Functions are instrumented where they are, not on import: a plug-in may come from a file or be imported already.
    Raises `Infrastructure` where there is nothing to watch.
    """
    atheris.enabled_hooks.add("str")  # startswith and endswith
    done = 0
    for module in own_modules(worker.implementation):
        for function in functions(module):
            try:
                atheris.instrument_func(function)
                done += 1
            except Exception as error:  # a function that atheris cannot rewrite is left as it is
                print(f"not instrumented: {function.__qualname__}: {error!r}", file=sys.stderr)
    if not done:
        raise Infrastructure(
            f"{worker.implementation.name} has no Python code of its own to watch, so atheris would search blindly; "
            "use --engine blind"
        )
    return done


def command(job_path: str) -> str:
    """What a shell runs to do the same as this process."""
    return f"{shlex.quote(sys.executable)} -m fuzz.atheris_engine {shlex.quote(os.path.abspath(job_path))}"


def seed_folder(worker: Worker, number: int) -> Path:
    """A folder with the seeds of a target: some blind cases, and the texts that come with the suite."""
    target = worker.targets[number]
    folder = worker.folder.root / "seeds" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    source = Blind(worker.job.seed, target)
    for index in range(BLIND_SEEDS):
        (folder / f"blind-{index}").write_bytes(source.data(index * 17)[:LONGEST])
    for place, seed in enumerate(seeds()):
        first = source.data(place * 16).split(SEAM)[0]
        (folder / f"seed-{place}").write_bytes(SEAM.join([first] + [seed] * (len(target.sizes) - 1))[:LONGEST])
    return folder


class Harness:
    """The function that libFuzzer calls, and what it needs to know."""

    def __init__(self, worker: Worker, number: int) -> None:
        self.worker, self.number = worker, number
        self.started = self.noted = time.monotonic()
        self.runs = 0

    def one(self, data: bytes) -> None:
        """Run one input."""
        worker, counts = self.worker, self.worker.counts[self.number]
        if self.runs == 0:
            faulthandler.enable()  # not before: libFuzzer does not replace a handler that is there
            signal.setitimer(signal.ITIMER_REAL, 0)  # its alarm would ring in ours, which guards each call
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.runs += 1
        worker.attempt(self.number, counts.next_index, data)
        counts.next_index += 1
        if self.runs % EVERY == 0:
            now = time.monotonic()
            counts.seconds += now - self.noted
            self.noted = now
            worker.flush(self.number)
            if worker.renew or (self.runs % LOOK_AROUND == 0 and worker.orphaned()):
                os._exit(5)


def main(job_path: str, *flags: str) -> int:
    """Run libFuzzer; this does not return unless something is broken."""
    try:
        atheris = load_atheris()
        job = Job.load(job_path)
        if not any(flag.startswith("-merge") for flag in flags):
            die_with_parent()
        worker = Worker(job)
        limit_memory(job.rss_limit)
        print(f"instrumented {instrument(atheris, worker)} functions", file=sys.stderr, flush=True)
        [number] = job.focus
        harness = Harness(worker, number)
        blind = Blind(job.seed, worker.targets[number])

        def mutator(data: bytes, longest: int, seed: int) -> bytes:
            return mutated(data, longest, random.Random(seed), blind, atheris.Mutate)

        def crossover(one: bytes, other: bytes, longest: int, seed: int) -> bytes:
            return crossed(one, other, longest, random.Random(seed))

        arguments = list(flags) or _flags(worker, number)
        atheris.Setup([command(job_path), *arguments], harness.one, custom_mutator=mutator, custom_crossover=crossover)
    except Infrastructure as error:
        print(f"infrastructure: {error}", file=sys.stderr, flush=True)
        return BROKEN
    atheris.Fuzz()
    return BROKEN


def _flags(worker: Worker, number: int) -> list[str]:
    job, name = worker.job, worker.targets[number].name
    corpus = worker.folder.corpus / name
    corpus.mkdir(parents=True, exist_ok=True)
    return [
        str(corpus),
        str(seed_folder(worker, number)),
        f"-max_total_time={max(1, round(job.seconds))}",
        f"-seed={1 + (job.seed * 1_000_003 + job.rounds * job.step + job.first) % 2**31}",
        f"-max_len={LONGEST}",
        "-len_control=0",
        "-timeout=0",  # calls have their own limit, and the supervisor watches the journal
        "-rss_limit_mb=0",  # the process has a limit
        "-print_final_stats=1",
        f"-artifact_prefix={worker.folder.logs}/libfuzzer-",
        *job.extra,
    ]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
