"""Each exit code of docs/reference/exit-codes.md, met."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
BASE = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "-q", "--budget=quick"]
MET = {
    0: ["--claims=ENC-15"],
    1: ["--impl=tests/plugins/wrong.py:ReturnsNone", "--claims=ENC-15"],
    4: ["--impl=hepa"],
    5: ["-k", "nothing_of_that_name"],
}


def run(arguments, **options):
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, **options)


def test_every_code_of_the_page_is_met_here():
    codes = {int(code) for code in re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE)}

    assert codes == {*MET, 2, 3}


@pytest.mark.parametrize("code", MET)
def test_a_run_ends_with(code):
    assert run([*BASE, *MET[code]]).returncode == code


def heeds_interrupts():
    """What a shell starts in the background ignores SIGINT, and so does all that it starts, these tests too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_run_ends_with_2_and_its_report_has_no_footer(tmp_path):
    report = tmp_path / "it.jsonl"
    command = [*BASE[:-1], "--budget=thorough", "--claims=ENC-*", f"--report=jsonl:{report}"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=ROOT, preexec_fn=heeds_interrupts, **pipes) as process:
        deadline = time.monotonic() + 60
        while not report.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert process.returncode == 2
    assert '"kind": "footer"' not in report.read_text()


COLLECTED = """
import gc, signal

def pytest_runtest_call(item):
    def interrupted(phase, details):
        gc.callbacks.remove(interrupted)
        signal.raise_signal(signal.SIGINT)  # Python drops what this raises
    gc.callbacks.append(interrupted)
"""
SWALLOWED = """
import signal

class Tokenizer:
    def __init__(self, vocabulary):
        pass
    def encode(self, text):
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            return list(text.encode())
    def decode(self, ids):
        return bytes(ids).decode()
"""


@pytest.mark.parametrize(("source", "option"), [(COLLECTED, "-p"), (SWALLOWED, "--impl")], ids=["-p", "--impl"])
def test_an_interrupt_that_is_dropped_ends_the_run_all_the_same_and_refutes_nothing(tmp_path, source, option):
    (tmp_path / "drops.py").write_text(source)
    value = "drops" if option == "-p" else str(tmp_path / "drops.py")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = run([*BASE, "--claims=ENC-*", option, value], env=environment, preexec_fn=heeds_interrupts)

    assert done.returncode == 2
    assert "KeyboardInterrupt" in done.stdout
    assert "refuted" not in done.stdout


def test_an_error_inside_ends_with_3(tmp_path):
    (tmp_path / "breaks.py").write_text("def pytest_runtest_protocol(item):\n    raise RuntimeError('inside')\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = run([*BASE, "--claims=ENC-15", "-p", "breaks"], env=environment)

    assert done.returncode == 3


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["claims", "DEC-*"], 0),
        (["claims", "X-*"], 2),
        (["explain", "--claim", "ENC-15"], 0),
        (["explain", "--text", "a"], 2),
        (["add", "a", "--why", ""], 1),
        (["add", "a"], 2),
        (["compare", "nowhere", "nowhere"], 2),
        (["strength", "--expect=x"], 2),
    ],
    ids=str,
)
def test_a_command_ends_with(arguments, code):
    assert run([sys.executable, "-m", "properties", *arguments]).returncode == code


def test_explaining_a_text_ends_with_whether_they_agree(tmp_path):
    from reference import save_merges

    save_merges(tmp_path / "it.merges", ((b"a", b"a"), (b"aa", b"a")))
    command = [sys.executable, "-m", "properties", "explain", "--text", "aaaa", "--merges", str(tmp_path / "it.merges")]
    assert run(command).returncode == 0
    parted = run([*command, "--impl", "tests/heap_faults.py:BadLongestMatch"])
    assert parted.returncode == 1
    assert "<- here they part: heap_faults.BadLongestMatch has not made this merge" in parted.stdout
    assert "they part" in parted.stdout
