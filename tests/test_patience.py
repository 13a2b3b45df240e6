"""A call is not hung because the machine is busy; one that hangs is found all the same."""

import os
import subprocess
import sys
import time

import pytest

from implementations import patience
from implementations.isolation import isolated
from implementations.loader import resolve
from implementations.patience import BACKSTOP, Patience
from implementations.plugged import CallHung, CommandFailed
from properties.isolating import PRELOAD
from reference.model import Vocabulary

PROGRAM = """
import json, sys, time
for line in sys.stdin:
    if json.loads(line)["op"] == "encode":
        time.sleep(2)
    print(json.dumps({"ids": [7], "ok": True}), flush=True)
"""


def slow(kind, limit, tmp_path):
    """An implementation that takes two seconds to encode `aa`."""
    if kind == "a program":
        path = tmp_path / "program.py"
        path.write_text(PROGRAM)
        [made] = resolve(f"cmd:{sys.executable} {path}")
        made.make.ask({"op": "info"})  # so that its start is not counted
    else:
        [made] = resolve("tests/plugins/deadly.py:Oversleeps")
        made = isolated(made, preload=PRELOAD) if kind == "isolated" else made
        made(Vocabulary()).encode("ab")
    made.call_limit = limit
    return made


def waits_for(monkeypatch, share):
    """Let every process seem to wait for a processor in that share of the time."""
    monkeypatch.setattr(patience, "_waits", lambda process_id: {"1": share * time.monotonic()})


@pytest.mark.parametrize("kind", ["in this process", "isolated", "a program"])
def test_time_spent_waiting_for_a_processor_is_not_counted(kind, monkeypatch, tmp_path):
    plug = slow(kind, 0.5, tmp_path)
    waits_for(monkeypatch, 0.8)
    assert plug(Vocabulary()).encode("aa")  # 0.4 of its two seconds are counted


@pytest.mark.parametrize("kind", ["in this process", "isolated", "a program"])
def test_time_spent_asleep_is_counted(kind, tmp_path):
    plug = slow(kind, 0.2, tmp_path)
    with pytest.raises(CommandFailed if kind == "a program" else CallHung):
        plug(Vocabulary()).encode("aa")


@pytest.mark.parametrize("kind", ["in this process", "a program"])
def test_a_call_that_only_waits_is_hung_after_some_times_its_limit(kind, monkeypatch, tmp_path):
    plug = slow(kind, 0.1, tmp_path)
    waits_for(monkeypatch, 1)
    start = time.monotonic()
    with pytest.raises(CommandFailed if kind == "a program" else CallHung):
        plug(Vocabulary()).encode("aa")
    assert time.monotonic() - start >= 0.1 * BACKSTOP


@pytest.mark.skipif(not patience._waits(os.getpid()), reason="the system does not say who waits")
def test_the_system_says_who_waits():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    crowd = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(6)]
    try:
        start = time.monotonic()
        own = Patience(os.getpid(), start)
        while time.monotonic() - start < 1:
            pass
        assert own.used() < 0.7
    finally:
        os.sched_setaffinity(0, allowed)
        for process in crowd:
            process.kill()
            process.wait()


def test_where_nobody_says_who_waits_the_limit_is_plain_time():
    no_process = 2**22 + 1
    assert patience._waits(no_process) == {}
    assert Patience(no_process, time.monotonic() - 5).used() > 5
