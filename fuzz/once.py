"""One case in a fresh process: does it fail, and how? What a campaign found counts only when it fails here.

`python -m fuzz.once` reads a request, one JSON object on standard input, and answers with one line of JSON. A process
that dies or does not answer is an answer too.
"""

import faulthandler
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fuzz.blind import SHARED, Blind
from fuzz.failures import kind_of, kind_of_exit, signature_of
from fuzz.probe import environment
from fuzz.targets import Target, targets
from fuzz.worker import die_with_parent, implementation_of, limit_memory, profile_from
from implementations.plugged import Implementation, NotApplicable
from properties.cases.domains import Case
from properties.runner import failure

HUNG = "hang"
TIMED_OUT = "Timeout ("  # how faulthandler begins


@dataclass
class Request:
    """Which case of which target, on which implementation. One of `data`, `listed`, `finding` says which case."""

    impl: str
    impl_name: str
    target: str
    profile: dict[str, Any] = field(default_factory=dict)
    data: str | None = None  # hex
    listed: int | None = None
    finding: str | None = None  # the path of a finding
    slow: bool = False  # a case may be a whole scope, or start processes of its own
    warm_up: tuple[int, int, int] | None = None  # seed, from, to: cases of the blind engine to run before
    call_limit: float = 5.0
    rss_limit: int = 2048

    @property
    def patience(self) -> float:
        """Seconds until a process that does not answer hangs. Calls have their own limit: this is for compiled code."""
        return patience(self.call_limit, self.slow)


def patience(call_limit: float, slow: bool) -> float:
    """Seconds that the calls of one case may take together."""
    return 4 * call_limit + (90 if slow else 5)


@dataclass(frozen=True)
class Verdict:
    """What came of it: the kind of failure, or the empty string where the claim held."""

    kind: str
    message: str = ""
    signature: str = ""


def ask(request: Request, hash_seed: int = 0) -> Verdict:
    """The verdict of a fresh process."""
    command = [sys.executable, "-m", "fuzz.once"]
    try:
        process = subprocess.run(
            command,
            input=json.dumps(asdict(request)),
            env=environment(hash_seed),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=request.patience + 120,  # it ends itself; this is for a machine that is busy
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Verdict(HUNG, f"no answer within {request.patience:g} seconds", f"{request.target} {HUNG}")
    try:
        return Verdict(**json.loads(process.stdout.splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        if TIMED_OUT in process.stderr:
            stack = process.stderr.partition(TIMED_OUT)[2]
            return Verdict(
                HUNG, f"no answer within {request.patience:g} seconds{stack[:600]}", f"{request.target} {HUNG}"
            )
        kind = kind_of_exit(process.returncode)
        said = process.stderr.strip().splitlines()[-1:] or [""]
        return Verdict(kind, f"the process ended: {kind} {said[0][:300]}".rstrip(), f"{request.target} {kind}")


def case_of(request: Request, target: Target, implementation: Implementation) -> Case:
    """The case that is asked for. Raises `ValueError` where there is none."""
    if request.finding is not None:
        from fuzz.findings import Finding

        return Finding.load(Path(request.finding)).case(target.claim, implementation.own_vocabulary)
    profile = profile_from(request.profile)
    if request.listed is not None:
        for place, case in enumerate(target.claim.domain.listed(profile)):
            if place == request.listed:
                return case
        raise ValueError(f"{target.name} has no listed case {request.listed}")
    return target.case(profile, bytes.fromhex(request.data or ""))


def judged(request: Request) -> Verdict:
    """The verdict of this process."""
    implementation = implementation_of(request.impl, request.impl_name, request.call_limit)
    [target] = targets([request.target])
    if request.warm_up is not None:
        seed, start, end = request.warm_up
        source, profile = Blind(seed, target), profile_from(request.profile)
        for index in range(start // SHARED * SHARED, end):
            failure(target.claim, implementation, target.case(profile, source.data(index)))
    case = case_of(request, target, implementation)
    faulthandler.dump_traceback_later(request.patience, exit=True)  # from a thread that needs no interpreter
    try:
        target.claim.check(implementation, **case)
    except NotApplicable:
        return Verdict("")
    except BaseException as error:
        return Verdict(kind_of(error), str(error)[:1000], signature_of(target.name, error))
    finally:
        faulthandler.cancel_dump_traceback_later()
    return Verdict("")


def main() -> int:
    """Answer the request on standard input."""
    request = Request(**json.load(sys.stdin))
    die_with_parent()
    limit_memory(request.rss_limit)
    print("\n" + json.dumps(asdict(judged(request))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
