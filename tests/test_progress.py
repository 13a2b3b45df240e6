"""The line of progress: at a terminal only, and never in the way of what pytest prints."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BASE = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "--budget=quick"]
CLAIMS = ["--claims=DEC-*", "--claims=ENC-2"]


def cleared(**more):
    dropped = ("PYTEST", "COV", "CI", "NO_COLOR")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)} | more


def at_a_terminal(*options, **environment):
    """What a run writes to a terminal, control characters and all, and its exit status."""
    ours, theirs = pty.openpty()
    command = [*BASE, *options]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=cleared(TERM="xterm", COLUMNS="150", **environment),
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
    ) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # Linux: the other end is closed
                break
            if not part:
                break
            written += part
    os.close(ours)
    return written.decode(errors="replace"), process.returncode


def plain(written):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written)


@pytest.mark.parametrize("processes", [[], ["-n2"], ["-p", "no:xdist"]], ids=["one", "two", "without-xdist"])
def test_at_a_terminal_a_line_says_what_goes_on(processes):
    written, status = at_a_terminal("--impl=tests/heap_faults.py:BadLongestMatch", *CLAIMS, *processes)
    text = plain(written)

    assert status == 1
    assert re.search(r"\d+/7", text)
    assert " s left" in text
    assert "refuted: ENC-2 heap_faults.BadLongestMatch" in text
    if "-n2" not in processes:
        assert re.search(r"ENC-2 heap_faults\.BadLongestMatch: \d+ cases|encoding agrees", text)
    # What pytest prints stands as ever, after the line is gone.
    assert "= FAILURES =" in text
    assert re.search(r"1 failed, [56] passed", text)
    assert "INTERNALERROR" not in text
    assert not re.search(r"^properties/test_\w+\.py [.FsxE]", text, re.MULTILINE)


def test_a_green_run_ends_with_its_summary():
    written, status = at_a_terminal("--claims=DEC-*")

    assert status == 0
    assert "heap: 6 claims hold on " in plain(written)
    assert "6 passed" in plain(written)


@pytest.mark.parametrize("options", [["-v"], ["-s"]])
def test_who_wants_pytests_own_lines_has_them(options):
    written, _ = at_a_terminal("--claims=DEC-6", *options)

    assert " s left" not in written
    assert "test_decode.py" in plain(written)


def test_under_ci_pytest_prints_its_dots():
    written, _ = at_a_terminal("--claims=DEC-6", CI="true")

    assert "properties/test_decode.py ." in plain(written)


def test_piped_it_is_quiet():
    done = subprocess.run(
        [*BASE, "--claims=DEC-6"], cwd=ROOT, env=cleared(), capture_output=True, text=True, check=False
    )

    assert "properties/test_decode.py ." in done.stdout
    assert "left" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout
