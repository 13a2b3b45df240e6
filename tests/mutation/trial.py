"""One mutant in a process of its own: imported in the place of the original, and tried on the suite."""

from __future__ import annotations

import importlib.abc
import importlib.util
import multiprocessing
import os
import resource
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutation.suite import Suite, TimedOut, first_failure, forget_the_project

if TYPE_CHECKING:
    from tests.mutation.mutants import Mutant

STEP_SECONDS = (3, 10)  # of the processor, for one claim or one test of the first round and of the second
LIMIT = 600  # seconds, for one mutant
MEMORY = 4 << 30


@dataclass(frozen=True)
class Result:
    """What came of a mutant: `killed`, `survived` or `timed out`; by what; and after how long."""

    status: str
    by: str
    seconds: float
    second: bool = False


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Imports one module from a text given, whatever its file holds."""

    def __init__(self, name: str, path: Path, source: str) -> None:
        self.name, self.path, self.source = name, path, source

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path) -> bytes:
        return self.source.encode()


def tried(mutant: Mutant, suite: Suite, second: bool = False) -> Result:
    """Try a mutant in a fork of this process."""
    start = time.monotonic()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(mutant, suite, second, theirs))
    process.start()
    theirs.close()
    try:
        status, by = ours.recv() if ours.poll(LIMIT) else ("timed out", "all")
    except EOFError:
        status, by = "killed", "the process ended"
    finally:
        if process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.join()
        ours.close()
    return Result(status, by, round(time.monotonic() - start, 2), second)


def _work(mutant: Mutant, suite: Suite, second: bool, answer) -> None:
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    step = [0]

    def end(status: str, by: str) -> None:
        answer.send((status, by))
        answer.close()
        os._exit(0)

    def next_step() -> None:
        step[0] += 1
        signal.setitimer(signal.ITIMER_PROF, STEP_SECONDS[second])

    signal.signal(signal.SIGPROF, lambda *_: end("timed out", f"step {step[0]}"))
    name = mutant.path.removesuffix(".py").replace("/", ".")
    if name.startswith("reference."):
        forget_the_project()
    else:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Instead(name, Path(mutant.path).resolve(), mutant.source))
    try:
        by = first_failure(name, suite, second, next_step)
        signal.setitimer(signal.ITIMER_PROF, 0)
        end("killed" if by else "survived", by)
    except (TimedOut, MemoryError) as why:
        end("timed out", str(why))
    except BaseException as error:  # of the suite: the mutant broke what judges it
        end("killed", f"{type(error).__name__} in the suite")
