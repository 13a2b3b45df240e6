"""The suite as a user runs it: options, header, errors, failures, the traps of pytest and Hypothesis."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = "tests/plugins/misbehaving.py"


def run(*options, environment=None, timeout=120):
    """What `pytest properties` prints with these options, and its exit status."""
    command = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", *options]
    cleared = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    process = subprocess.run(
        command,
        cwd=ROOT,
        env=cleared | (environment or {}),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return process.returncode, process.stdout + process.stderr


def test_without_impl_heap_is_tested_and_the_header_says_so():
    status, output = run("--claims=ENC-15")

    assert status == 0
    assert "impl: heap 1 (implementations/heap.py)" in output
    assert "(the default; --impl names another)" in output


def test_the_header_names_claims_regressions_budget_and_seed():
    status, output = run("--claims=DEC-*", "--budget=quick", "--seed=7")

    assert status == 0
    assert "suite: 6 claims, " in output
    assert "regressions, budget quick (40 cases or 0.1 s a claim), level must, seed 7" in output
    assert "heap: 6 claims hold on " in output


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--impl=hepa", "no implementation named 'hepa'"),
        ("--impl=tests/nowhere.py", "tests/nowhere.py"),
        ("--claims=ENK-*", "no claim matches 'ENK-*'; there are VOC-*, PRE-*, TRN-*, ENC-*"),
        ("--budget=fast", "no budget named 'fast'; there are quick, default, thorough, nightly"),
        ("--level=may", "no level named 'may'; there are must, all"),
        ("--call-limit=0", "--call-limit must be more than 0 seconds, not 0"),
        ("--impl=tests/heap_faults.py:Good*", "Good*"),
    ],
)
def test_an_option_that_names_nothing_is_told_the_choices(option, said):
    status, output = run(option)

    assert status == pytest.ExitCode.USAGE_ERROR
    assert said in output
    assert "Traceback" not in output


def test_a_file_that_does_not_import_shows_its_own_traceback(tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("def nothing():\n    return 1\n\nraise RuntimeError('not today')\n")

    status, output = run(f"--impl={broken}")

    assert status == pytest.ExitCode.USAGE_ERROR
    assert "RuntimeError: not today" in output
    assert 'broken.py", line 4' in output


@pytest.mark.parametrize("name", ["Hangs", "HangsStubbornly"])
def test_a_hang_is_a_failure_with_that_reason_and_the_run_goes_on(name):
    status, output = run(f"--impl={PLUGINS}:{name}", "--claims=ENC-1", "--claims=DEC-1", "--call-limit=1")

    assert status == 1
    assert "did not return within 1 second" in output
    assert "ENC-1 (must) is refuted" in output
    assert "1 failed, 1 passed" in output


def test_an_exception_is_a_failure_with_its_call_and_a_small_counterexample():
    status, output = run(f"--impl={PLUGINS}:Raises", "--claims=ENC-1")

    assert status == 1
    assert "text = 'aa'" in output
    assert "What was raised: KeyError: 'aa'" in output
    assert "in encode('aa')" in output


def test_an_exit_does_not_end_the_run():
    status, output = run(f"--impl={PLUGINS}:Exits", "--claims=ENC-1", "--claims=DEC-1")

    assert status == 1
    assert "SystemExit: 256" in output
    assert "1 failed, 1 passed" in output


def test_a_wrong_type_is_named():
    status, output = run(f"--impl={PLUGINS}:GivesTuples", "--claims=OBJ-7")

    assert status == 1
    assert "encode('') returned a tuple: (); the contract says list[int]" in output


def test_a_failure_that_does_not_repeat_is_reported_as_such():
    status, output = run(f"--impl={PLUGINS}:Remembers", "--claims=ENC-1")

    assert status == 1
    assert "It failed once and did not when tried again on its own" in output


def test_a_failure_prints_steps_snippet_and_replay_and_the_snippet_runs():
    status, output = run("--impl=tests/heap_faults.py:BadLongestMatch", "--claims=ENC-2", "--seed=3")

    assert status == 1
    assert "^ here they part" in output
    assert "--claims=ENC-2 --seed=3" in output
    lines = output.split("To see it outside pytest:")[1].split("To run it again:")[0].splitlines()
    snippet = "\n".join(line.strip() for line in lines)
    alone = subprocess.run([sys.executable, "-c", snippet], cwd=ROOT, capture_output=True, text=True, check=False)
    assert alone.returncode == 1
    assert "AssertionError" in alone.stderr


def test_what_is_not_offered_is_not_applicable_and_never_passed():
    status, output = run(f"--impl={PLUGINS}:Bare", "--claims=FIL-1", "--claims=TRN-4", "--claims=DEC-4", "-rs")

    assert status == 0
    assert "3 skipped" in output
    assert "DEC-4: offers no decode_bytes" in output
    assert "FIL-1: offers no save" in output
    assert "TRN-4: declares no tie rule" in output


def test_an_undeclared_tie_rule_is_observed():
    status, output = run(f"--impl={PLUGINS}:Bare", "--budget=quick", "-k", "TRN")

    assert status == 0
    assert "ties: declares no rule; observed: smallest-ids" in output


def test_a_vocabulary_that_is_not_served_is_counted_not_failed():
    status, output = run(f"--impl={PLUGINS}:OnlyOnePiece", "--claims=ENC-*", "--claims=PRE-4", "--budget=quick")

    assert status == 0
    assert "not applicable: PRE-4: splits no text" in output


@pytest.mark.parametrize(("level", "status"), [("must", 0), ("all", 1)])
def test_a_should_claim_fails_the_run_only_under_level_all(level, status):
    found, output = run(f"--impl={PLUGINS}:DropsUncovered", "--claims=PRE-4", f"--level={level}")

    assert found == status
    assert "refuted: PRE-4 (should)" in output


def test_k_finds_a_claim_by_its_id():
    status, output = run("-k", "ENC-15")

    assert status == 0
    assert "1 passed" in output


def test_two_implementations_do_not_share_saved_failures():
    """One that passes must not delete what Hypothesis saved for one that fails."""
    folder = ROOT / ".hypothesis" / "bpe"
    options = ("--claims=ENC-2", "--budget=quick")
    run("--impl=tests/heap_faults.py:BadLongestMatch", *options)
    saved = {path for path in folder.glob("heap_faults.BadLongestMatch-*/**/*") if path.is_file()}
    run("--impl=heap", *options)

    assert saved
    assert all(path.exists() for path in saved)


def test_failures_are_saved_under_ci_too():
    """With CI=true Hypothesis's own default profile has no database."""
    folder = ROOT / ".hypothesis" / "bpe"
    run("--impl=tests/heap_faults.py:BadRightmostFirst", "--claims=ENC-2", environment={"CI": "true"})

    assert [path for path in folder.glob("heap_faults.BadRightmostFirst-*/**/*") if path.is_file()]


def test_the_run_works_from_another_folder(tmp_path):
    command = [sys.executable, "-m", "pytest", str(ROOT / "properties"), "--impl=heap", "--claims=ENC-15"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert process.returncode == 0, process.stdout
    assert not (tmp_path / ".hypothesis").exists()


def test_it_runs_in_two_processes():
    status, output = run("--claims=DEC-*", "--budget=quick", "-n", "2")

    assert status == 0
    assert "heap: 6 claims hold on " in output


def test_the_same_seed_tries_the_same_cases():
    first, second = (run("--claims=ENC-*", "--claims=TRN-1", "--budget=quick", "-q")[1] for _ in range(2))

    assert [line for line in first.splitlines() if "claims hold" in line]
    assert [line.split(" on ")[0] for line in first.splitlines() if "claims hold" in line] == [
        line.split(" on ")[0] for line in second.splitlines() if "claims hold" in line
    ]
