"""The processes of a campaign: started, watched, ended. What one was busy with when it died is never lost."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.journal import InHand, Journal
from fuzz.once import patience
from fuzz.probe import environment
from fuzz.store import Folder
from fuzz.worker import Job

GRACE = 5.0  # seconds from SIGTERM to SIGKILL
STATUS = re.compile(r"^#(\d+)\s.*?cov: (\d+) ft: (\d+)(?: corp: (\d+)/)?", re.MULTILINE)


@dataclass
class Ended:
    """How a process ended: its status, why we killed it where we did, what it was busy with."""

    job: Job
    code: int
    killed_for: str
    in_hand: InHand | None
    log: str


@dataclass
class Slot:
    """A place for one worker process at a time."""

    name: str
    folder: Folder
    process: "subprocess.Popen[bytes] | None" = None
    job: Job | None = None
    killed_for: str = ""
    stopping: float = 0.0
    journals: dict[str, Journal] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        """What the process says."""
        return self.folder.logs / f"{self.name}.log"

    def journal(self, job: Job) -> Journal:
        """The journal of a job's worker."""
        if job.worker not in self.journals:
            self.journals[job.worker] = Journal(self.folder.journals / job.worker, len(job.names))
        return self.journals[job.worker]

    def start(self, job: Job, *flags: str) -> None:
        """Start a process for the job. Its group is its own: Ctrl-C is for the supervisor alone."""
        path = job.save(self.folder.root / f"job-{self.name}.json")
        module = "fuzz.atheris_engine" if job.engine in ("atheris", "merge") else "fuzz.worker"
        self.journal(job).end()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, str(path), *flags],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(job.hash_seed),
                start_new_session=True,
            )
        self.job, self.killed_for, self.stopping = job, "", 0.0

    def stop(self) -> None:
        """Ask the process to end after the case in hand; insist after a while."""
        if self.process is None or self.process.poll() is not None:
            return
        now = time.monotonic()
        if not self.stopping:
            self.stopping = now
            self.process.terminate()
        elif now - self.stopping > GRACE:
            self.kill("stopped")

    def kill(self, why: str) -> None:
        """End the process and its children at once."""
        if self.process is not None and self.process.poll() is None:
            self.killed_for = self.killed_for or why
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (OSError, AttributeError):
                self.process.kill()

    def watch(self) -> Ended | None:
        """Kill what hangs or grows without end; say how the process ended, once it has."""
        if self.process is None or self.job is None:
            return None
        code = self.process.poll()
        journal = self.journal(self.job)
        in_hand = journal.in_hand()
        if code is None:
            if in_hand is not None and in_hand.pid == self.process.pid:
                limit = patience(self.job.call_limit, in_hand.target in self.job.slow)
                if time.time() - in_hand.started > limit:
                    self.kill("hang")
            if self.job.rss_limit and resident(self.process.pid) > self.job.rss_limit:
                self.kill("memory")
            return None
        mine = in_hand if in_hand is not None and in_hand.pid == self.process.pid else None
        ended = Ended(self.job, code, self.killed_for, mine, self.said())
        journal.end()
        self.process = self.job = None
        return ended

    def said(self, last: int = 4000) -> str:
        """The end of the log."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - last))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def coverage(self) -> tuple[int, int, int] | None:
        """Executions, edges and features that libFuzzer reported last."""
        found = STATUS.findall(self.said(20_000))
        return (int(found[-1][0]), int(found[-1][1]), int(found[-1][2])) if found else None


def resident(pid: int) -> float:
    """The memory of a process in megabytes; 0 where that cannot be read.

    >>> resident(os.getpid()) >= 0
    True
    """
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
