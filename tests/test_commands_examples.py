"""The examples in Node, C and Rust are compiled here and pass the suite."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "commands"
BUILT = {
    "node": lambda folder: ["node", str(EXAMPLES / "node" / "serve.mjs")],
    "cc": lambda folder: compiled(["cc", "-O2", "-Wall", "-Werror", "-std=c11"], folder, "c/serve.c", "c/tokenizer.c"),
    "rustc": lambda folder: compiled(["rustc", "-O", "-Dwarnings"], folder, "rust/serve.rs"),
}


def compiled(compiler, folder, *sources):
    program = folder / "bpe"
    files = [EXAMPLES / source for source in sources]
    subprocess.run([*compiler, "-o", program, *files], check=True, capture_output=True, timeout=120)
    return [str(program)]


@pytest.mark.parametrize("tool", BUILT)
def test_an_example_is_green(tool, tmp_path):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    command = " ".join(BUILT[tool](tmp_path))
    options = ["--budget=quick", "-q", "-n2", "--claims=[VEDO]*-*", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "properties", f"--impl=cmd:{command}", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-3000:]
    assert " 0 refuted, " in done.stdout


@pytest.mark.parametrize("source", sorted(EXAMPLES.glob("*/serve.*")), ids=lambda path: path.name)
def test_what_speaks_for_a_tokenizer_is_short(source):
    lines = [line for line in source.read_text().splitlines() if line.strip()]

    assert len(lines) <= 40
