"""Whole campaigns: faults of the plug-in become findings, nothing is lost, and the exit status tells the truth."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fuzz.findings import Finding, stored
from fuzz.journal import Journal
from fuzz.probe import environment

PLUG_INS = Path(__file__).parent / "fuzz_plug_ins.py"
FAULTS = {
    "Raises": {"RuntimeError"},
    "Panics": {"CallCrashed"},
    "Segfaults": {"killed by SIGSEGV"},
    "Aborts": {"killed by SIGABRT"},
    "Exits": {"exit 3"},
    "Hangs": {"CallHung"},
    "EatsMemory": {"MemoryError", "CallHung"},
}


def command(*arguments):
    return [sys.executable, "-m", "fuzz", *map(str, arguments)]


def fuzz(*arguments, **more):
    return subprocess.run(
        command(*arguments), env=environment(), capture_output=True, text=True, check=False, timeout=600, **more
    )


def run(out, impl, *arguments, seconds=8, targets="PRE-5"):
    """A short campaign in which white space is tried first: PRE-5 lists doubled spaces."""
    return fuzz(
        *("run", f"--impl={impl}", f"--targets={targets}", f"--time={seconds}", "--workers=1", f"--out={out}"),
        *("--call-limit=1", "--rss-limit=700", *arguments),
    )


def bad(name):
    return f"{PLUG_INS}:{name}"


# --- exit statuses


def test_time_up_without_a_finding_is_0_and_says_what_is_left(tmp_path):
    done = run(tmp_path, "heap", seconds=20)  # on a busy machine a worker takes some to start

    assert done.returncode == 0, done.stdout + done.stderr
    assert "No finding." in done.stdout
    assert "executions of 1 targets by blind" in done.stdout
    assert "Residual risk: " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--impl=hepa"], "did you mean 'heap'?"),
        (["--impl=heap", "--targets=ENK-*"], "no target matches 'ENK-*'"),
        (["--impl=heap", "--engine=afl"], "no engine named 'afl'; there are blind, atheris, hypothesis, all"),
        (["--impl=heap", "--time=soon"], "'soon' is no length of time"),
        (["--impl=heap", "--shard=3/2"], "--shard=3/2 is not of the form i/n"),
        (["--impl=heap", "--engine=hypothesis", "--time=5s"], "5 seconds are too few for hypothesis"),
    ],
)
def test_what_cannot_be_asked_is_2_and_says_why(arguments, message, tmp_path):
    done = fuzz("run", *arguments, f"--out={tmp_path}")

    assert done.returncode == 2
    assert message in done.stderr


def test_python_without_asserts_is_refused(tmp_path):
    for flags, more in ((["-O"], {}), ([], {"PYTHONOPTIMIZE": "1"})):
        done = subprocess.run(
            [sys.executable, *flags, "-m", "fuzz", "run", "--impl=heap", f"--out={tmp_path}"],
            env=environment() | more,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "drops the assert statements that judge" in done.stderr


def test_a_target_that_never_ran_is_3(tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(4)\nfrom implementations.naive import Tokenizer\n")
    done = run(tmp_path / "out", slow, seconds=1, targets="ENC-1")

    assert done.returncode == 3
    assert "BROKEN: never ran: ENC-1" in done.stdout


def test_an_interrupt_is_130_and_clean(tmp_path):
    campaign = subprocess.Popen(
        command("run", "--impl=heap", "--targets=ENC-1", "--time=60", "--workers=1", f"--out={tmp_path}"),
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for_cases(tmp_path)
    campaign.send_signal(signal.SIGINT)
    said, _ = campaign.communicate(timeout=60)

    assert campaign.returncode == 130
    assert "Interrupted; the same command goes on from here." in said
    assert no_process_works_in(tmp_path)


def wait_for_cases(out, cases=1):
    """Wait until the blind worker has done something; the place of the journal."""
    journal = out / "journals" / "0-blind"
    for _ in range(600):
        if journal.exists() and Journal(journal, 1).counts(0).executions >= cases:
            return journal
        time.sleep(0.1)
    raise AssertionError("no case was run")


def no_process_works_in(folder):
    for _ in range(50):
        lines = [path.read_bytes() for path in commands()]
        if not any(str(folder).encode() in line for line in lines):
            return True
        time.sleep(0.1)
    return False


def commands():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            path.read_bytes()
        except OSError:
            continue
        if path.parent.name != str(os.getpid()):
            yield path


# --- faults of the plug-in


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_becomes_a_finding_with_its_input(name, tmp_path):
    done = run(tmp_path, bad(name), "--stop-at=1", seconds=60)
    found, broken = stored(tmp_path / "findings")

    assert done.returncode == 1, done.stdout + done.stderr
    assert not broken
    assert {finding.kind for _, finding in found} <= FAULTS[name]
    for path, finding in found:
        assert finding.verified == "3 of 3"
        assert "  " in finding.arguments["text"], path
        assert len(finding.arguments["text"]) < 8
    assert not any(path.suffix == ".tmp" for path in tmp_path.rglob("*"))


def test_a_hang_in_compiled_code_is_ended_from_outside(tmp_path):
    done = run(tmp_path, bad("HangsInC"), "--call-limit=0.2", "--stop-at=1", seconds=120, targets="ENC-1")

    assert done.returncode == 1, done.stdout + done.stderr
    assert {finding.kind for _, finding in stored(tmp_path / "findings")[0]} == {"hang"}


def test_a_flaky_failure_is_kept_apart(tmp_path):
    done = run(tmp_path, bad("Flaky"), "--stop-at=1", seconds=60, targets="ENC-1")
    found = stored(tmp_path / "findings")[0]

    assert done.returncode == 1
    assert found
    assert all(path.parent.name == "flaky" for path, _ in found)
    assert all(finding.verified != "3 of 3" for _, finding in found)


# --- from a finding to a regression


def test_a_finding_is_found_shown_kept_and_fails_pytest(tmp_path):
    out, regressions = tmp_path / "out", tmp_path / "regressions"
    regressions.mkdir()
    impl = bad("TwoSpaces")
    run(out, impl, "--stop-at=1", seconds=60)
    [(path, finding)] = stored(out / "findings")[0][:1]

    assert finding.id in fuzz("findings", out).stdout
    again = fuzz("replay", path)
    assert again.returncode == 1
    assert "PRE-5 (must) is refuted by" in again.stdout
    assert fuzz("replay", path, "--impl=heap").returncode == 0

    kept = fuzz("keep", finding.id, "--why=Two spaces became one.", f"--dir={out}", f"--regressions={regressions}")
    assert kept.returncode == 0, kept.stderr
    [written] = regressions.glob("*.toml")
    assert 'why = "Two spaces became one."' in written.read_text()
    assert f"pytest properties -k pre-5-{finding.id}" in kept.stdout
    twice = fuzz("keep", finding.id, "--why=Again.", f"--dir={out}", f"--regressions={regressions}")
    assert twice.returncode == 0
    assert "kept already: " in twice.stdout


# --- nothing is lost


def test_after_kill_9_of_the_supervisor_it_goes_on_where_it_was(tmp_path):
    arguments = ("run", "--impl=heap", "--targets=ENC-1", "--workers=1", f"--out={tmp_path}")
    campaign = subprocess.Popen(command(*arguments, "--time=120"), env=environment(), stdout=subprocess.DEVNULL)
    journal = wait_for_cases(tmp_path, 64)
    campaign.kill()
    campaign.wait()
    assert no_process_works_in(tmp_path)  # its workers are gone too
    before = Journal(journal, 1).counts(0)

    done = fuzz(*arguments, "--time=6")
    after = Journal(journal, 1).counts(0)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "going on after" in done.stdout
    assert after.executions > before.executions
    assert after.next_index >= before.next_index + (after.executions - before.executions)


def test_a_worker_that_is_killed_loses_nothing_and_is_started_again(tmp_path):
    arguments = ("run", "--impl=heap", "--targets=ENC-1", "--workers=1", f"--out={tmp_path}", "--time=20")
    campaign = subprocess.Popen(command(*arguments), env=environment(), stdout=subprocess.PIPE, text=True)
    journal = wait_for_cases(tmp_path, 16)
    worker = Journal(journal, 1).in_hand()
    for _ in range(1000):
        worker = worker or Journal(journal, 1).in_hand()
    before = Journal(journal, 1).counts(0)
    os.kill(worker.pid, signal.SIGKILL)
    said, _ = campaign.communicate(timeout=120)

    assert campaign.returncode == 0, said  # what it had in hand was innocent
    assert Journal(journal, 1).counts(0).executions > before.executions
    assert not list((tmp_path / "artifacts").glob("*.json"))


def test_two_campaigns_do_not_share_a_folder(tmp_path):
    arguments = ("run", "--impl=heap", "--targets=ENC-1", "--workers=1", f"--out={tmp_path}")
    first = subprocess.Popen(command(*arguments, "--time=60"), env=environment(), stdout=subprocess.DEVNULL)
    try:
        wait_for_cases(tmp_path)
        second = fuzz(*arguments, "--time=5")
    finally:
        first.terminate()
        first.wait(60)

    assert second.returncode == 2
    assert f"in use by the campaign of process {first.pid}" in second.stderr


def test_a_folder_of_another_campaign_is_refused(tmp_path):
    run(tmp_path, "heap", seconds=4)
    other = run(tmp_path, "naive", seconds=4)

    assert other.returncode == 2
    assert "holds a campaign of another impl (heap, not naive); name another --out" in other.stderr


def test_broken_files_are_said_and_set_aside(tmp_path):
    run(tmp_path, bad("TwoSpaces"), seconds=5)
    (tmp_path / "campaign.json").write_text('{"half')
    (tmp_path / "artifacts" / "PRE-5-x.json").write_text("{")
    (tmp_path / "findings" / "broken.toml").write_text("[[case]\n")
    done = run(tmp_path, bad("TwoSpaces"), seconds=5)

    assert done.returncode == 1
    assert "campaign.json could not be read and was set aside" in done.stdout
    assert "PRE-5-x.json is no artifact and was set aside" in done.stdout
    assert "broken.toml is no finding" in done.stdout
    assert (tmp_path / "findings" / "broken.toml").exists()


@pytest.mark.skipif(not os.access("/dev/full", os.W_OK) or sys.platform != "linux", reason="needs tmpfs")
def test_a_full_disk_is_said_and_destroys_nothing(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no right to mount a tmpfs")
    try:
        first = run(small / "out", "heap", seconds=5, targets="ENC-1")
        (small / "fill").write_bytes(b"")
        with (small / "fill").open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 1024)
            except OSError:
                pass
        second = run(small / "out", "heap", seconds=5, targets="ENC-1")

        assert first.returncode == 0, first.stdout + first.stderr
        assert second.returncode == 3
        assert "No space left on device" in second.stdout + second.stderr
        assert json.loads((small / "out" / "campaign.json").read_text())["impl"] == "heap"
        assert Journal(small / "out" / "journals" / "0-blind", 1).counts(0).executions > 0
    finally:
        subprocess.run(["umount", "-l", small], check=False)


def test_a_merge_that_was_killed_in_the_middle_is_put_right(tmp_path):
    corpus = tmp_path / "corpus"
    for name in ("ENC-1.old", "ENC-1.merging", "ENC-2", "ENC-2.old"):
        (corpus / name).mkdir(parents=True)
        (corpus / name / name).write_bytes(b"input")
    run(tmp_path, "heap", seconds=3, targets="ENC-1")

    assert {path.name: [file.name for file in path.iterdir()] for path in corpus.iterdir()} == {
        "ENC-1": ["ENC-1.old"],
        "ENC-2": ["ENC-2"],
    }


# --- the canary


def test_the_canary_is_found_again(tmp_path):
    done = run(tmp_path, "heap", "--canary", seconds=20, targets="ENC-2")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Canary: found again by ENC-2 after" in done.stdout


def test_a_canary_that_is_not_found_is_3(tmp_path):
    done = run(tmp_path, "heap", "--canary=heap", seconds=6, targets="ENC-2")

    assert done.returncode == 3
    assert "the canary was not found again" in done.stdout


# --- shards


def test_shards_try_different_cases(tmp_path):
    tried = []
    for shard in (1, 2):
        run(tmp_path / str(shard), "heap", f"--shard={shard}/2", seconds=12, targets="TRN-5")
        counts = Journal(tmp_path / str(shard) / "journals" / "0-blind", 1).counts(0)
        assert counts.executions > 1
        tried.append(counts.next_index % 2)

    assert sorted(tried) == [0, 1]


def test_findings_of_two_machines_are_listed_once(tmp_path):
    for machine in ("one", "two"):
        folder = tmp_path / machine / "findings"
        folder.mkdir(parents=True)
        made = Finding("0123456789", {"text": "a"}, "ENC-1", "must", "heap", "heap", "AssertionError", count=3)
        made.first_found = "2026-01-01 10:00"
        made.save(folder)
    listed = fuzz("findings", tmp_path / "one", tmp_path / "two").stdout

    assert listed.count("0123456789  ENC-1") == 1
    assert "met 6 times" in listed
