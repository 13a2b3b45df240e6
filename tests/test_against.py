"""Two plug-ins compared: alike, apart with the smallest text, or not to be asked."""

import subprocess
import sys
from pathlib import Path

import pytest

import reference
from implementations.loader import resolve
from properties.commands.against import compared, outcome, told
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
FAULTS = "tests/heap_faults.py"


@pytest.fixture
def merges(tmp_path) -> Path:
    path = tmp_path / "merges.txt"
    reference.save_merges(path, ((b"a", b"a"), (b"b", b"aa"), (b"t", b"h"), (b"th", b"e"), (b" ", b"the")))
    return path


def run(*options):
    command = [sys.executable, "-m", "properties", "against", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_two_that_encode_alike(merges):
    status, output = run("--impl=heap", "--against=naive", f"--merges={merges}", "--seconds=1")
    assert status == 0, output
    assert "heap and naive encode" in output
    assert "texts alike" in output


def test_two_that_part_the_smallest_text_and_the_merge(merges):
    options = ["--impl=heap", f"--against={FAULTS}:BadRightmostFirst", f"--merges={merges}"]
    status, output = run(*options, "--seconds=10")
    assert status == 1, output
    assert "text = 'aaa'" in output
    assert "[256, 97]" in output
    assert "[97, 256]" in output
    assert "heap gives what the reference gives." in output
    assert "here they part" in output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--impl=heap", "--against=nobody", "--vocabulary=gpt2"], "no implementation named 'nobody'"),
        (["--impl=heap", "--against=naive"], "either --vocabulary or --merges"),
        (["--impl=heap", "--against=naive", "--vocabulary=nothing"], "neither a file nor a known vocabulary"),
        (["--impl=heap", f"--against={FAULTS}:Bad*", "--vocabulary=gpt2"], "name one"),
        (["--impl=heap"], "--against"),
    ],
)
def test_what_cannot_be_asked(options, said):
    status, output = run(*options)
    assert status == 2
    assert said in " ".join(output.split())


def test_a_plug_in_that_does_not_serve_the_vocabulary_cannot_be_asked(merges):
    options = ["--impl=heap", "--against=tests/plugins/misbehaving.py:OnlyOnePiece", f"--merges={merges}"]
    status, output = run(*options, "--pattern=gpt2")
    assert status == 2
    assert "OnlyOnePiece cannot be asked: splits no text" in output


def test_a_death_is_a_difference():
    from properties.isolating import isolate_each

    heap, deadly = isolate_each([*resolve("heap"), *resolve("tests/plugins/deadly.py:Segfaults")])
    vocabulary = Vocabulary(((b"a", b"b"),))
    parting, tried = compared(heap, deadly, vocabulary, seconds=5)
    assert parting is not None
    assert tried
    assert len(parting.text) == 2
    assert "SIGSEGV" in parting.other
    assert any("SIGSEGV" in line for line in told(heap, deadly, vocabulary, parting))
    deadly.close()


def test_two_exceptions_are_alike():
    [raises] = resolve("tests/plugins/misbehaving.py:Raises")
    assert outcome(raises, Vocabulary(), "aa") == "raises"
