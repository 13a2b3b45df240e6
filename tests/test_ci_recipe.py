"""The recipe for other people's CI is run here: its steps, in a repository made for it; and the pre-commit hook."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "how-to" / "continuous-integration.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
WORKFLOW = BLOCKS[0]
STEPS = WORKFLOW["jobs"]["bpe"]["steps"]
RIGHT = "from implementations.heap import Tokenizer  # noqa: F401\n"
WRONG = RIGHT + "\n\nclass Tokenizer(Tokenizer):\n    def encode(self, text):\n        return list(text.encode())\n"


@pytest.fixture
def repository(tmp_path):
    """A tokenizer's repository with the suite beside it, as the two checkouts leave it."""
    (tmp_path / "bpe-conformance").symlink_to(ROOT, target_is_directory=True)
    return tmp_path


def run(script, folder, **environment):
    cleared = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=folder,
        env=cleared | {"PATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )


@pytest.mark.parametrize(("source", "status"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_the_steps_run(source, status, repository):
    """All but the installation, which this environment is the result of, with a smaller budget."""
    (repository / "tokenizer.py").write_text(source)
    install, judge, show = [step for step in STEPS if "run" in step]
    assert shlex.split(install["run"]) == ["python", "-m", "pip", "install", "-q", "-e", "bpe-conformance"]

    done = run(f"{judge['run']} --budget=quick --claims='ENC-*'", repository)
    assert done.returncode == status, done.stdout[-2000:] + done.stderr[-2000:]
    shown = run(show["run"], repository, GITHUB_STEP_SUMMARY=str(repository / "summary"))
    assert shown.returncode == 0
    assert (repository / "summary").read_text().startswith("# BPE conformance of tokenizer")
    assert {path.name for path in repository.glob("conformance.*")} == {
        f"conformance.{form}" for form in ("md", "jsonl", "html")
    }


def test_what_is_uploaded_is_what_is_written():
    (upload,) = [step for step in STEPS if "upload-artifact" in step.get("uses", "")]

    assert upload["with"]["path"] == "conformance.*"
    assert upload["if"] == "always()"


def test_the_suite_is_checked_out_where_the_steps_look():
    (checkout,) = [step for step in STEPS if "path" in step.get("with", {}) and "checkout" in step["uses"]]

    assert checkout["with"]["path"] == "bpe-conformance"


def test_the_hook_is_the_one_that_the_page_names():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (used,) = BLOCKS[2]["repos"][0]["hooks"]

    assert (used["id"], used["args"]) == (hook["id"], hook["args"])


@pytest.mark.parametrize(("source", "status"), [(RIGHT, 0), (WRONG, 1)], ids=["right", "wrong"])
def test_the_hook_runs(source, status, repository):
    """With the entry and the options of .pre-commit-hooks.yaml, from the tokenizer's repository."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (repository / "tokenizer.py").write_text(source)
    command = shlex.join([*shlex.split(hook["entry"]), *hook["args"], "--claims=ENC-2"])
    done = run(command, repository, PYTHONPATH=str(ROOT))

    assert done.returncode == status, done.stdout[-2000:] + done.stderr[-2000:]
