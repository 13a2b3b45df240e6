"""From an artifact to a finding: verified three times, shrunk, given its canonical id, explained.

`python -m fuzz.examine JOB.json ARTIFACT` is a process of its own for each artifact, so that whatever the plug-in does
to it, the campaign goes on. Its last line of output is a JSON object that says which file it wrote.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.failures import kind_of, kind_of_exit
from fuzz.findings import Finding, arguments_of, path_of, today
from fuzz.once import HUNG, Request, Verdict, ask, case_of
from fuzz.store import Folder, Infrastructure
from fuzz.targets import Target, targets
from fuzz.worker import Job, die_with_parent, implementation_of, limit_memory
from implementations.plugged import Implementation, NotApplicable
from properties.cases.domains import Case
from properties.counterexample.shrink import canonical_id, shrink
from properties.report.explain import explanation
from properties.runner import Outcome

TIMES = 3
SHRINK_SECONDS = 12.0
WARM_UP = 400  # cases before it, where a case fails only after others


class Examination:
    """An artifact on its way to a finding."""

    def __init__(self, job: Job, artifact: dict[str, Any]) -> None:
        self.job, self.artifact = job, artifact
        self.folder = Folder.at(Path(job.root), Path(job.corpus))
        [self.target] = targets([artifact["target"]])
        self.request = Request(
            job.impl,
            job.impl_name,
            artifact["target"],
            job.profile,
            data=None if artifact["listed"] else artifact["data"],
            listed=artifact["index"] if artifact["listed"] else None,
            call_limit=job.call_limit,
            rss_limit=job.rss_limit,
            slow=not self.target.drawn,
        )
        self.note = ""

    def run(self) -> dict[str, Any]:
        """Examine it; what the supervisor needs to know."""
        verdicts = self.verified()
        failed = [verdict for verdict in verdicts if verdict.kind]
        if not failed:
            if self.artifact.get("suspect"):  # in hand when its worker was killed from outside: it did nothing
                return {"status": "innocent"}
            return self.written([], self.artifact["kind"], self.artifact["message"], flaky=True)
        kinds = sorted({verdict.kind for verdict in failed})
        if len(kinds) > 1:
            self.note = f"It fails in different ways: {', '.join(kinds)}."
        return self.written(failed, failed[0].kind, failed[0].message, flaky=len(failed) < TIMES)

    def verified(self) -> list[Verdict]:
        """The verdicts of three fresh processes; the first has the hash seed under which it was found."""
        seeds = [self.artifact["hash_seed"], 1, 2]
        verdicts = [ask(self.request, seed) for seed in seeds]
        if any(verdict.kind for verdict in verdicts) or self.artifact.get("suspect"):
            return verdicts
        if self.artifact["engine"] == "blind" and not self.artifact["listed"]:
            index = self.artifact["index"]
            warm = replace(self.request, warm_up=(self.artifact["seed"], max(0, index - WARM_UP), index))
            again = [ask(warm, seed) for seed in seeds]
            if all(verdict.kind for verdict in again):
                self.note = (
                    f"It fails only after other cases: the plug-in keeps a state. Cases {max(0, index - WARM_UP)} to "
                    f"{index} of seed {self.artifact['seed']} of the blind engine show it every time."
                )
        return verdicts

    def written(self, failed: list[Verdict], kind: str, message: str, *, flaky: bool) -> dict[str, Any]:
        """Shrink the case, write the finding or count it, and say which."""
        implementation = implementation_of(self.job.impl, self.job.impl_name, self.job.call_limit)
        case = case_of(self.request, self.target, implementation)
        kinds = {kind, *(verdict.kind for verdict in failed)}
        shrinker = Shrinker(self.target, implementation, kinds, self.job)
        small, lines = case, list[str]()
        if not flaky:
            small = shrinker.smallest(case, self.still_fails)
            lines = shrinker.explained(small, self.artifact)
        finding_id = canonical_id(self.target.name, small)
        known = path_of(self.folder.findings, finding_id)
        if known is not None:
            return {"status": "known", "path": str(known), "id": finding_id}
        finding = Finding(
            id=finding_id,
            arguments=arguments_of(small),
            claim=self.target.name,
            level=self.target.claim.level,
            impl=self.job.impl,
            impl_name=self.job.impl_name,
            kind=kind,
            message=message,
            verified=f"{len(failed)} of {TIMES}",
            engine=self.artifact["engine"],
            seed=self.artifact["seed"],
            index=self.artifact["index"],
            hash_seed=self.artifact["hash_seed"],
            first_found=today(),
            seconds=round(self.artifact.get("seconds", 0.0), 2),
            executions=self.artifact.get("executions", 0),
            signature=self.artifact["signature"],
            note=self.note,
            explanation=lines,
        )
        path = finding.save(self.folder.flaky if flaky else self.folder.findings)
        return {"status": "flaky" if flaky else "new", "path": str(path), "id": finding_id}

    def still_fails(self, case: Case, kinds: set[str]) -> bool:
        """Whether a fresh process sees the case fail in one of these ways."""
        finding = Finding("shrunk", arguments_of(case), self.target.name, "must", self.job.impl, self.job.impl_name, "")
        finding.first_found = today()
        scratch = self.folder.root / "scratch"
        scratch.mkdir(exist_ok=True)
        path = replace(finding, id=f"shrunk-{os.getpid()}").save(scratch)
        try:
            return ask(replace(self.request, data=None, listed=None, finding=str(path))).kind in kinds
        finally:
            path.unlink()


class Shrinker:
    """Makes a case small. Cases that end the process are tried in children of it."""

    def __init__(self, target: Target, implementation: Implementation, kinds: set[str], job: Job) -> None:
        self.target, self.implementation, self.kinds, self.job = target, implementation, kinds, job
        if kinds & {"CallHung", HUNG}:  # a hang is a hang; shrinking must not take its full time each try
            implementation.call_limit = min(implementation.call_limit, 0.5)

    @property
    def is_hard(self) -> bool:
        """Whether the failure takes the process with it, or would eat its memory."""
        return any(kind.startswith(("killed", "exit", HUNG, "MemoryError")) for kind in self.kinds)

    def smallest(self, case: Case, fresh: Callable[[Case, set[str]], bool]) -> Case:
        """The smallest case that fails in the same way in a fresh process; the case itself where none is smaller."""
        tries = [self.fails_in_child] if self.is_hard else [self.fails, self.fails_in_child]
        for fails in tries:
            small = shrink(case, lambda other, fails=fails: self.admits(other) and fails(other), seconds=SHRINK_SECONDS)  # type: ignore[misc]
            if small == case or fresh(small, self.kinds):
                return small
        return case

    def admits(self, case: Case) -> bool:
        """Whether the case belongs to the claim's domain."""
        try:
            return self.target.claim.domain.admits(case)
        except (ValueError, KeyError, AttributeError, TypeError):
            return False

    def error(self, case: Case) -> BaseException | None:
        """What the check raises."""
        try:
            self.target.claim.check(self.implementation, **case)
        except NotApplicable:
            return None
        except BaseException as error:
            return error
        return None

    def fails(self, case: Case) -> bool:
        """Whether it fails in the same way, here."""
        error = self.error(case)
        return error is not None and kind_of(error) in self.kinds

    def fails_in_child(self, case: Case) -> bool:
        """Whether it fails in the same way, in a child of this process."""
        if not hasattr(os, "fork"):  # pragma: no cover
            return False
        child = os.fork()
        if child == 0:  # pragma: no cover
            with suppress(BaseException):
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                for descriptor in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
                limit_memory(512 if "MemoryError" in self.kinds else self.job.rss_limit)
                os._exit(77 if self.fails(case) else 0)
            os._exit(78)
        return self._ended(child)

    def _ended(self, child: int) -> bool:
        end = time.monotonic() + (2.0 if HUNG in self.kinds else 10.0)
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return code == 77 or kind_of_exit(code) in self.kinds
            time.sleep(0.0005)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return HUNG in self.kinds

    def explained(self, case: Case, artifact: dict[str, Any]) -> list[str]:
        """The explanation that a failing test prints, line by line; short where running it ends the process."""
        if self.is_hard:
            return [
                f"{self.target.name}: {self.target.claim.sentence}",
                f"On this case: {', '.join(sorted(self.kinds))}.",
            ]
        error = self.error(case)
        outcome = Outcome(
            self.target.claim,
            self.implementation,
            artifact["seed"],
            "refuted",
            cases=artifact.get("executions", 0),
            found_after=artifact.get("seconds", 0.0),
            case=case,
            first_case=case,
            error=error,
        )
        name = f"{self.job.root}/findings/{canonical_id(self.target.name, case)}.toml"
        try:
            return explanation(outcome, f"python -m fuzz replay {name}").splitlines()
        except Exception as failed:  # foreign code once more
            return [f"{self.target.name}: {self.target.claim.sentence}", f"Explaining it failed: {failed!r}"]


def main(job_path: str, artifact_path: str) -> int:
    """Examine an artifact and print what came of it."""
    die_with_parent()
    job = Job.load(job_path)
    limit_memory(job.rss_limit)
    try:
        artifact = json.loads(Path(artifact_path).read_text(encoding="utf-8"))
        examination = Examination(job, artifact)
    except (OSError, ValueError, KeyError) as error:
        print(json.dumps({"status": "broken", "message": f"{artifact_path} is no artifact: {error}"}))
        return 0
    try:
        result = examination.run()
    except Infrastructure as error:
        print(json.dumps({"status": "error", "message": str(error)}))
        return 0
    print("\n" + json.dumps(result | {"kind": artifact["kind"], "signature": artifact["signature"]}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
