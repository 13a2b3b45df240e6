"""How much of its time limit a call has used: the time counts in which it ran or slept, not that in which it waited.

A limit in plain time calls a call hung on a busy machine that would be quick on an idle one; a limit in processor time
never ends the call that sleeps or is deadlocked. Linux says of each thread how long it was ready to run and did not run
(`/proc/PID/task/TID/schedstat`, second number), and that is taken off. Where nobody says, nothing is taken off.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import ClassVar

BACKSTOP = 6  # after so many times its limit a call is hung, however long it waited for a processor
_FRESH = 0.1  # seconds for which a look at a process serves those that begin after it: the error is in their favour


class Patience:
    """How long one process has been at something, waiting for a processor not counted.

    >>> patience = Patience(os.getpid(), time.monotonic())
    >>> time.sleep(0.02)
    >>> patience.used() >= 0.005  # who sleeps waits for no processor
    True
    """

    __slots__ = ("_process_id", "_waits", "since")
    _looks: ClassVar[dict[int, tuple[float, dict[str, float]]]] = {}  # process id -> when, and what was seen

    def __init__(self, process_id: int, since: float) -> None:
        """Patience with what begins now; `since` is now, as `time.monotonic` says it."""
        seen, waits = self._looks.get(process_id, (0.0, {}))
        if since - seen > _FRESH:
            if len(self._looks) >= 16:  # processes end; of those at work there are few
                self._looks.clear()
            waits = _waits(process_id)
            self._looks[process_id] = since, waits
        self._process_id, self.since, self._waits = process_id, since, waits

    def used(self) -> float:
        """Seconds of the limit that are used: at least a `BACKSTOP`th of those that have passed."""
        passed = time.monotonic() - self.since
        waits = _waits(self._process_id)
        waited = max((seconds - self._waits.get(thread, 0.0) for thread, seconds in waits.items()), default=0.0)
        return max(passed - waited, passed / BACKSTOP)


def _waits(process_id: int) -> dict[str, float]:
    """Seconds for which each thread of a process was ready to run and did not run; empty where nobody says."""
    waits = {}
    try:
        for thread in os.listdir(f"/proc/{process_id}/task"):
            waits[thread] = int(Path(f"/proc/{process_id}/task/{thread}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):  # no Linux, or a thread that has just ended
        pass
    return waits
