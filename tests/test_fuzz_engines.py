"""The engines beside the blind one, and the silent failures of libFuzzer: each shows, none looks like success."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fuzz.findings import stored
from fuzz.hypothesis_engine import shared_database
from fuzz.journal import Journal
from fuzz.probe import environment, probe
from fuzz.store import Folder, Infrastructure
from fuzz.worker import Job

ROOT = Path(__file__).resolve().parent.parent
PLUG_INS = Path(__file__).parent / "fuzz_plug_ins.py"
needs_atheris = pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")


def fuzz(*arguments, env=None, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *map(str, arguments)],
        env=env or environment(),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )


def atheris_job(out, impl="heap", target="ENC-2", seconds=4.0, **more):
    """A job for one turn of atheris, in a file."""
    probed = probe(impl, 2.0, [target])
    Folder.at(out)
    job = Job(impl, probed.name, str(out), str(out / "corpus"), probed.names, [0], "atheris", **more)
    job.seconds, job.profile, job.call_limit = seconds, probed.profile, 2.0
    return job.save(out / "job.json")


def atheris(job, *flags):
    """One turn, as the supervisor starts it."""
    return subprocess.run(
        [sys.executable, "-m", "fuzz.atheris_engine", str(job), *map(str, flags)],
        env=environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=1500,
    )


# --- atheris


@needs_atheris
def test_atheris_watches_the_plug_in_and_not_the_suite(tmp_path):
    done = atheris(atheris_job(tmp_path))

    assert done.returncode == 0, done.stderr[-2000:]
    assert "instrumented" in done.stderr
    edges = int(done.stderr.rpartition("cov: ")[2].split()[0])
    assert 20 < edges < 400  # of the oracle and the suite it would be thousands
    assert Journal(tmp_path / "journals" / "0", 1).counts(0).executions > 50
    assert list((tmp_path / "corpus" / "ENC-2").iterdir())


@needs_atheris
def test_atheris_finds_and_goes_on(tmp_path):
    done = atheris(atheris_job(tmp_path, f"{PLUG_INS}:TwoSpaces", "PRE-5", seconds=6))
    counts = Journal(tmp_path / "journals" / "0", 1).counts(0)

    assert done.returncode == 0, done.stderr[-2000:]
    assert counts.hits >= 1
    assert counts.executions > counts.hits
    assert list((tmp_path / "artifacts").glob("PRE-5-*.json"))


@needs_atheris
def test_a_segfault_under_atheris_has_an_artifact_and_a_python_stack(tmp_path):
    """faulthandler before Fuzz() would leave neither: libFuzzer does not replace a handler that is there."""
    job = atheris_job(tmp_path, f"{PLUG_INS}:Segfaults", "PRE-5", seconds=20)
    done = atheris(job)
    in_hand = Journal(tmp_path / "journals" / "0", 1).in_hand()

    assert done.returncode == 77, done.stderr[-2000:]
    assert in_hand is not None
    assert "fuzz_plug_ins.py" in done.stderr  # the stack
    assert list((tmp_path / "logs").glob("libfuzzer-crash-*"))


@needs_atheris
def test_a_hard_exit_has_no_artifact_of_libfuzzer_and_still_its_input(tmp_path):
    done = atheris(atheris_job(tmp_path, f"{PLUG_INS}:Exits", "PRE-5", seconds=20))

    assert done.returncode == 3
    assert Journal(tmp_path / "journals" / "0", 1).in_hand() is not None


@needs_atheris
def test_libfuzzers_merge_runs_itself_again_and_keeps_files(tmp_path):
    """With an argument 0 that a shell cannot run, it merges 0 files and reports success."""
    job = atheris_job(tmp_path)
    atheris(job)
    (tmp_path / "new").mkdir()
    done = atheris(job, "-merge=1", tmp_path / "new", tmp_path / "corpus" / "ENC-2", tmp_path / "seeds" / "ENC-2")

    assert done.returncode == 0
    assert len(list((tmp_path / "new").iterdir())) > 3


@needs_atheris
def test_libfuzzers_minimize_crash_runs_itself_again(tmp_path):
    job = atheris_job(tmp_path, f"{PLUG_INS}:Segfaults", "PRE-5")
    crash = tmp_path / "crash"
    crash.write_bytes(b"\x00\x00\x01\xff  two spaces in a long text")
    done = atheris(
        job, "-minimize_crash=1", "-runs=60", f"-exact_artifact_path={tmp_path / 'small'}", "-max_total_time=20", crash
    )

    assert "CRASH_MIN" in done.stderr, done.stderr[-1500:]


@needs_atheris
def test_a_merge_of_nothing_is_3(tmp_path):
    (tmp_path / "empty").mkdir()
    done = fuzz("merge", tmp_path / "into", tmp_path / "empty", "--impl=heap")

    assert done.returncode == 3
    assert "there is no corpus of any target" in done.stderr


@needs_atheris
def test_corpora_of_two_shards_are_merged(tmp_path):
    for shard in (1, 2):
        job = atheris_job(tmp_path / str(shard), first=shard, seconds=3)
        assert atheris(job).returncode == 0
    done = fuzz("merge", tmp_path / "all", tmp_path / "1" / "corpus", tmp_path / "2" / "corpus", "--impl=heap")

    assert done.returncode == 0, done.stderr
    assert "ENC-2: 0 files, " in done.stdout
    assert len(list((tmp_path / "all" / "ENC-2").iterdir())) > 3


@needs_atheris
def test_no_coverage_is_3(tmp_path):
    """A compiled tokenizer shows libFuzzer nothing: a search that looks guided and is not."""
    done = fuzz(
        *("run", f"--impl={PLUG_INS}:NoPython", "--targets=ENC-2", "--engine=atheris", "--time=12", "--workers=1"),
        f"--out={tmp_path}",
    )

    assert done.returncode == 3
    assert "no Python code of its own to watch" in done.stdout


@needs_atheris
def test_all_engines_side_by_side(tmp_path):
    done = fuzz(
        *("run", "--impl=heap", "--targets=ENC-2,TRN-4", "--engine=all", "--time=60", "--workers=1"),
        f"--out={tmp_path}",
        "--report-every=5",
    )
    journals = {path.name.partition("-")[2] for path in (tmp_path / "journals").iterdir()}

    assert done.returncode == 0, done.stdout + done.stderr
    assert {"blind", "atheris", "hypothesis", "listed"} <= journals
    assert "Last new feature: " in done.stdout
    assert list((tmp_path / "corpus").glob("*/*"))


def test_without_atheris_it_says_how_to_get_it(tmp_path):
    (tmp_path / "atheris.py").write_text("raise ImportError('not here')\n")
    hidden = environment()
    hidden["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{hidden['PYTHONPATH']}"
    done = fuzz(
        *("run", "--impl=heap", "--targets=ENC-2", "--engine=atheris", "--time=8", f"--out={tmp_path / 'out'}"),
        env=hidden,
    )

    assert done.returncode == 3
    assert "pip install -e '.[fuzz]'" in done.stdout + done.stderr


# --- hypothesis


def test_hypothesis_rounds_find_too(tmp_path):
    done = fuzz(
        *(
            "run",
            f"--impl={PLUG_INS}:LosesTildes",
            "--targets=ENC-1",
            "--engine=hypothesis",
            "--time=30",
            "--workers=1",
        ),
        "--stop-at=1",
        f"--out={tmp_path}",
    )
    found = stored(tmp_path / "findings")[0]

    assert done.returncode == 1, done.stdout + done.stderr
    assert {finding.engine for _, finding in found} == {"hypothesis"}
    assert any((tmp_path / "hypothesis").iterdir())


@pytest.fixture
def redis_server(tmp_path):
    """Debian's redis-server on a port of its own; its address."""
    pytest.importorskip("redis")
    server = shutil.which("redis-server")
    if server is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )
    for _ in range(100):
        with socket.socket() as probe_socket:
            if probe_socket.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait(10)


def test_what_one_checkout_finds_the_other_plays_first(tmp_path, redis_server):
    """Two checkouts, two machines but for the network between them."""
    first = None
    for checkout in ("one", "two"):
        root = tmp_path / checkout
        for package in ("reference", "implementations", "properties", "fuzz", "regressions"):
            shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__", "adapters"))
        (root / "plug_in.py").write_text(PLUG_INS.read_text())
        done = fuzz(
            *("run", "--impl=plug_in.py:LosesTildes", "--targets=ENC-1", "--engine=hypothesis", "--time=90"),
            "--stop-at=1",
            *(
                "--workers=1",
                f"--database={redis_server}",
                "--out=out",
                "--seed=7" if checkout == "one" else "--seed=8",
            ),
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
        )
        assert done.returncode == 1, done.stdout + done.stderr
        found = [finding for _, finding in stored(root / "out" / "findings")[0]]
        assert {finding.engine for finding in found} == {"hypothesis"}
        first = min(finding.index for finding in found)
        if checkout == "one":
            assert list(shared_keys(redis_server))
            assert first > 1
    assert first == 1  # its very first case


def shared_keys(address):
    import redis

    return redis.Redis.from_url(address).keys("*")


def test_a_redis_that_does_not_answer_is_said():
    pytest.importorskip("redis")
    with pytest.raises(Infrastructure, match=r"no Redis answers at redis://127.0.0.1:1/0"):
        shared_database("redis://127.0.0.1:1/0")


# --- ClusterFuzzLite


def test_the_build_script_is_a_shell_script_and_the_project_says_what_is_needed():
    folder = ROOT / ".clusterfuzzlite"
    project = (folder / "project.yaml").read_text()

    assert subprocess.run(["sh", "-n", folder / "build.sh"], check=False).returncode == 0
    assert os.access(folder / "build.sh", os.X_OK)
    assert {"language: python", "fuzzing_engines:", "sanitizers:"} <= {
        line.split("  ")[0] for line in project.splitlines()
    }
    assert (folder / "Dockerfile").read_text().startswith("FROM gcr.io/oss-fuzz-base/base-builder-python")


@needs_atheris
def test_a_fuzzer_is_written_with_its_seeds_and_runs_unpackaged(tmp_path):
    written = subprocess.run(
        [sys.executable, "-m", "fuzz.package", "--impl=heap", f"--folder={tmp_path}", "ENC-2", "state"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert written.returncode == 0, written.stderr
    assert {path.name for path in tmp_path.iterdir()} >= {"enc_2_fuzzer.py", "enc_2_fuzzer_seed_corpus.zip"}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "enc_2_fuzzer.py"), "-runs=200"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    assert "cov: " in done.stderr


@needs_atheris
@pytest.mark.skipif(
    importlib.util.find_spec("PyInstaller") is None or "BPE_PACKAGE" not in os.environ,
    reason="takes minutes: BPE_PACKAGE=1 with the extra `package` runs it",
)
def test_packaged_targets_work():
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.package_check"], env=environment(), capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
