"""Packages targets as OSS-Fuzz does, in a clean folder, and asks whether they work: `python -m fuzz.package_check`.

What is packaged may start, run and see nothing: sources, data and modules that are found by name are easily left out,
and nobody is told. So each packaged target must run its seeds, report coverage, and find a planted bug.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from fuzz.mined import ROOT
from fuzz.probe import environment
from fuzz.store import Infrastructure

PACKAGES = ("reference", "implementations", "properties", "fuzz", "regressions")
CRASHED = 77
EDGES = 10  # a target that sees fewer edges of a whole tokenizer sees nothing; one that only decodes sees 19 of heap


def check(names: list[str], impl: str, canary: str, seconds: int) -> None:
    """Package targets of a tokenizer and of a planted bug. Raises `Infrastructure`, which says what did not work."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "adapters"))
        broken = []
        for name in names:
            try:
                typer.echo(_works(folder, impl, name))
            except (Infrastructure, subprocess.TimeoutExpired) as error:
                typer.echo(f"fuzz: {error}", err=True)
                broken.append(name)
        program = _packaged(folder, canary, "ENC-2")
        typer.echo(f"{program.name} of the planted bug: {_finds(folder, program, seconds)}")
        if broken:
            raise Infrastructure(f"{len(broken)} of {len(names)} packaged targets do not work: {', '.join(broken)}")


def _works(folder: Path, impl: str, name: str) -> str:
    """Package one target and run its seeds; returns what to say of it. The program is removed: it takes 50 MB."""
    program = _packaged(folder, impl, name)
    edges = _runs_its_seeds(folder, program)
    size = program.stat().st_size >> 20
    program.unlink()
    return f"{program.name}: {size} MB, {edges} edges on its seeds"


def _packaged(folder: Path, impl: str, name: str) -> Path:
    out = folder / "fuzzers"
    _run([sys.executable, "-m", "fuzz.package", "--impl", impl, "--folder", str(out), name], folder, 300)
    [script] = sorted(out.glob(f"{name.lower().replace('-', '_')}_fuzzer.py"))
    options = (out / "pyinstaller.options").read_text(encoding="utf-8").split()
    command = [sys.executable, "-m", "PyInstaller", "--onefile", "--noconfirm", "--log-level=ERROR", *options]
    places = ["--distpath", str(out), "--workpath", str(folder / "build"), "--specpath", str(folder / "build")]
    _run([*command, *places, "--name", f"{script.stem}.pkg", str(script)], folder, 7200)
    return out / f"{script.stem}.pkg"


def _runs_its_seeds(folder: Path, program: Path) -> int:
    """The edges that a packaged target reports on its seeds, alone in a folder without sources."""
    corpus = folder / "corpus" / program.stem
    with zipfile.ZipFile(program.parent / f"{program.stem}_seed_corpus.zip") as archive:
        archive.extractall(corpus)
    said = _run([str(program), str(corpus), "-runs=500"], corpus.parent, 600, clean=True)
    found = re.findall(r"cov: (\d+)", said)
    edges = int(found[-1]) if found else 0
    if edges < EDGES:
        raise Infrastructure(f"{program.name} sees {edges} edges: the tokenizer was left out or not instrumented")
    return edges


def _finds(folder: Path, program: Path, seconds: int) -> str:
    place = folder / "crashes"
    place.mkdir()
    command = [
        str(program),
        f"-max_total_time={seconds}",
        f"-artifact_prefix={place}/",
        "-max_len=512",
        "-len_control=0",
    ]
    said = _run(command, place, seconds + 300, expected=CRASHED, clean=True)
    [artifact] = list(place.glob("crash-*"))
    _run([str(program), str(artifact)], place, 300, expected=CRASHED, clean=True)
    executed = re.findall(r"#(\d+)", said)
    return f"found after {executed[-1] if executed else '?'} executions, and again from its artifact"


def _run(command: list[str], folder: Path, seconds: float, expected: int = 0, *, clean: bool = False) -> str:
    """Run a program in a folder; without our paths where it must stand alone."""
    names = environment()
    if clean:
        names = {name: value for name, value in names.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    else:
        names["PYTHONPATH"] = str(folder)
    process = subprocess.run(
        command, cwd=folder, env=names, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
    )
    said = process.stdout + process.stderr
    if process.returncode != expected:
        short = " ".join(part if len(part) < 60 else "…" for part in command[:6])
        raise Infrastructure(f"{short} ended with {process.returncode}, not {expected}:\n{said[-2000:]}")
    return said


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Targets.", show_default="ENC-2")] = None,
    impl: Annotated[str, typer.Option(help="What to package.")] = "heap",
    canary: Annotated[str, typer.Option(help="The planted bug.")] = "fuzz.canary:Canary",
    seconds: Annotated[int, typer.Option(help="In which it must be found.")] = 60,
) -> None:
    """Package targets in a clean folder and see that they work. Exit status: 0 they do, 3 they do not."""
    try:
        check(names or ["ENC-2"], impl, canary, seconds)
    except (Infrastructure, subprocess.TimeoutExpired) as error:
        typer.echo(f"fuzz: {error}", err=True)
        raise typer.Exit(3) from None


if __name__ == "__main__":
    typer.run(main)
