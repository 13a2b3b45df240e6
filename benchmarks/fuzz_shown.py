"""Ten planted bugs, from nothing to a failing test: `python benchmarks/fuzz_shown.py [--write]`.

For each a campaign until its first finding, `keep`, and the pytest run that then fails. All in a copy of the suite, so
that the regressions of this checkout stay as they are. With `--write` the table goes to docs/fuzzing.md.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.page import put  # noqa: E402
from fuzz.findings import stored  # noqa: E402
from fuzz.package_check import PACKAGES  # noqa: E402
from fuzz.probe import environment  # noqa: E402

DOCS = ROOT / "docs" / "fuzzing.md"
BUGS = (
    "splitting.py:BadDropsSecondSpace",
    "merging.py:BadMergesLeftToRight",
    "ties.py:BadTiesLastSeen",
    "heaps_and_counts.py:BadHeapChecksLengthOnly",
    "overlap.py:BadCountsWithoutOverlap",
    "specials.py:BadShortestSpecialFirst",
    "decoding.py:BadDecodesTokenByToken",
    "surrogates.py:BadSurrogatesToQuestionMark",
    "caches.py:BadCacheGivenAway",
    "files.py:BadFileOfSpaces",
)


def command(copy, *arguments):
    """Run a module of the copy; the finished process."""
    names = environment() | {"PYTHONPATH": str(copy)}
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=copy, env=names, capture_output=True, text=True, check=False
    )


def shown(copy, bug, seconds):
    """The row of a bug. Raises `RuntimeError` with what was printed where anything went otherwise."""
    impl, out = f"tests/known_wrong/{bug}", f"fuzz-out/{bug.partition(':')[2]}"
    ran = command(
        copy, "fuzz", "run", f"--impl={impl}", "--stop-at=1", f"--time={seconds}", "--workers=1", f"--out={out}"
    )
    found, _ = stored(copy / out / "findings")
    if ran.returncode != 1 or not found:
        raise RuntimeError(f"{bug}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    finding = min((finding for _, finding in found), key=lambda finding: finding.seconds)
    kept = command(copy, "fuzz", "keep", finding.id, "--why=A planted bug.", f"--dir={out}")
    name = re.search(r"pytest properties -k (\S+)", kept.stdout)
    started = time.monotonic()
    tested = command(copy, "pytest", "properties", "-q", f"-k={name[1]}", f"--impl={impl}")
    took = time.monotonic() - started
    if tested.returncode != 1 or "refuted" not in tested.stdout:
        raise RuntimeError(f"{bug}: pytest ended with {tested.returncode}\n{kept.stdout}{tested.stdout}{tested.stderr}")
    cells = f"`{bug}`", finding.claim, f"{finding.seconds:.1f} s", f"{finding.executions:,}", size(finding.arguments)
    return "| " + " | ".join([*cells, f"`{finding.id}`", f"{took:.1f} s"]) + " |"


def size(arguments):
    """How large a counterexample is.

    >>> size({"merges": ((b"a", b"b"),), "text": "abab"})
    '1 merge, text of 4'
    """
    parts = []
    for name, value in arguments.items():
        if name == "merges":
            parts.append(f"{len(value)} merge{'' if len(value) == 1 else 's'}")
        elif name in ("text", "other"):
            parts.append(f"{name} of {len(value)}")
        elif name == "corpus":
            parts.append(f"corpus of {sum(map(len, value))} in {len(value)}")
        elif name in ("texts", "ids", "special_tokens"):
            parts.append(f"{len(value)} {name.replace('_', ' ')}")
    return ", ".join(parts)


def main():
    """Print the table, or write it to the docs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120, help="for each, at most")
    parser.add_argument("--write", action="store_true", help="into docs/fuzzing.md")
    options = parser.parse_args()
    lines = [
        f"CPython {sys.version.split()[0]}, one of {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}, other work "
        f"beside it (load {os.getloadavg()[0]:.0f}). Seconds of the clock, from the start of the search.",
        "",
        "| planted bug | target | found after | cases of it | counterexample | id | pytest fails within |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        for package in (*PACKAGES, "tests"):
            shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for bug in BUGS:
            lines.append(shown(copy, bug, options.seconds))
            print(lines[-1], flush=True)
    if options.write:
        put(DOCS, "shown", lines)


if __name__ == "__main__":
    main()
