"""One measurement: CPU seconds and peak memory of one call in a fresh process, and rounds of such measurements.

`python -m benchmarks.measure` reads a request as JSON on standard input and prints the result as JSON.
"""

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora import PIECES, natural
from benchmarks.rivals import ENCODERS, PATTERN, THREADS, TRAINERS, heap_trainer
from implementations.heap import Tokenizer

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Request:
    """What to measure. `text`: `natural`, or one of the pieces. `again`: encode once before, and measure the second."""

    what: str  # train or encode
    who: str
    text: str
    size: int
    num_merges: int
    tie_rule: str = "first-seen"
    again: bool = False


@dataclass(frozen=True)
class Result:
    """`failed`: how a call ended that gave nothing, such as `timeout` or the name of an exception."""

    seconds: float = 0.0
    megabytes: float = 0.0
    failed: str = ""


def text_of(request: Request) -> str:
    """The text to measure on, from a file where it takes long to make."""
    if request.text != "natural":
        return PIECES[request.text](request.size)
    path = Path(tempfile.gettempdir()) / f"bpe-benchmark-{os.getuid()}-{request.size}.txt"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_bytes(natural(request.size).encode())
        partial.rename(path)
    return path.read_bytes().decode()


def call_of(request: Request) -> Callable[[], Any]:
    """The call to be measured, everything else done."""
    text = text_of(request)
    pattern = PATTERN if request.text == "natural" else None
    if request.what == "train":
        train = heap_trainer(request.tie_rule) if request.who == "heap" else TRAINERS[request.who]
        return lambda: train(text, request.num_merges, pattern)
    taught = text_of(Request("train", "heap", "natural", 1_000_000, 0)) if pattern else text[:20_000]
    merges = Tokenizer.train([taught], request.num_merges, pattern=pattern)
    encode = ENCODERS[request.who](merges, pattern)
    encode(text if request.again else "a")
    return lambda: encode(text)


def measured(request: Request) -> Result:
    """The call measured in this process."""
    call = call_of(request)
    before, memory = cpu(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call()
    spent = cpu() - before
    return Result(spent, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024)


def cpu() -> float:
    """CPU seconds of this process, the system's included."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def elsewhere(request: Request, limit: int = 600) -> Result:
    """The call measured in a fresh process that has so many CPU seconds; a crash or a panic is a result too."""
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure"],
        input=json.dumps(asdict(request)),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | THREADS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)),  # not the busy machine's time
        check=False,
    )
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Result(failed=f"> {limit} s")
    if process.returncode:
        last = (process.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Result(failed=last.split(":")[0].split(".")[-1][:40])
    return Result(**json.loads(process.stdout.splitlines()[-1]))


def rounds(requests: Sequence[Request], count: int, limit: int = 600) -> dict[Request, list[Result]]:
    """Each request so many times, in turn, so that a busy spell of the machine falls on all of them."""
    results: dict[Request, list[Result]] = {request: [] for request in requests}
    for _ in range(count):
        for request, found in results.items():
            if not (found and found[-1].failed):
                found.append(elsewhere(request, limit))
    return results


def median(results: Sequence[Result]) -> float:
    """The median of the seconds; infinite where a call failed."""
    if any(result.failed for result in results):
        return float("inf")
    return statistics.median(result.seconds for result in results)


def ratio(ours: Sequence[Result], theirs: Sequence[Result]) -> float:
    """The median of the ratios of the rounds."""
    if any(result.failed for result in [*ours, *theirs]):
        return float("nan")
    return statistics.median(one.seconds / other.seconds for one, other in zip(ours, theirs, strict=False))


def main() -> None:
    """Measure what standard input asks, and print the result."""
    print("\n" + json.dumps(asdict(measured(Request(**json.load(sys.stdin))))))


if __name__ == "__main__":
    main()
