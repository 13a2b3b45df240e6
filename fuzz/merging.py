"""Corpora of several machines made one, by libFuzzer's own merge."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.atheris_engine import load_atheris
from fuzz.probe import environment, probe
from fuzz.store import Folder, Infrastructure
from fuzz.worker import Job

PATIENCE = 3600.0  # seconds for one target


def merge_corpora(impl: str, into: Path, others: Sequence[Path]) -> Iterator[str]:
    """Merge target by target, and say what was added. Raises `Infrastructure` where a merge fails or has nothing."""
    load_atheris()
    probed = probe(impl, 5.0, [])
    names = [name for name in probed.drawn if any((folder / name).is_dir() for folder in others)]
    if not names:
        raise Infrastructure(f"there is no corpus of any target in {', '.join(map(str, others))}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Folder.at(Path(scratch), into)
        for name in names:
            corpus = into / name
            corpus.mkdir(parents=True, exist_ok=True)
            before = _files(corpus)
            place = probed.names.index(name)
            job = Job(
                impl, probed.name, scratch, str(into), probed.names, [place], "merge", "merge", profile=probed.profile
            ).save(folder.root / "job.json")
            sources = [str(other / name) for other in others if (other / name).is_dir()]
            _run(job, ["-merge=1", str(corpus), *sources], name)
            if not _files(corpus):
                raise Infrastructure(f"the merge of {name} ended well and has 0 files")
            yield f"{name}: {before} files, {_files(corpus) - before} added"


def _run(job: Path, flags: list[str], name: str) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "fuzz.atheris_engine", str(job), *flags],
        env=environment(),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    if process.returncode != 0 or "MERGE-OUTER" not in process.stderr:
        raise Infrastructure(f"the merge of {name} failed with status {process.returncode}:\n{process.stderr[-800:]}")


def _files(folder: Path) -> int:
    return sum(1 for path in folder.iterdir() if path.is_file())
