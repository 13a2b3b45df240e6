"""The folder of a campaign: what is written there is whole or absent, whoever is killed when.

DIR/lock             held by the campaign that runs
DIR/campaign.json    what was asked for, and how far it has come
DIR/journals/        a file for each worker: the input in hand, and its counts
DIR/artifacts/       what refuted a target and has not been looked at
DIR/findings/        ID.toml; flaky/ID.toml for what did not fail every time
DIR/corpus/TARGET/   inputs that reached something new (--corpus DIR puts them elsewhere)
DIR/logs/            what the workers said
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Infrastructure(Exception):
    """Something around the search is broken, so that a silent end would look like success. The message says what."""


class FolderBusy(Exception):
    """Another campaign uses the folder."""


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file so that at any time there is the old one or the new one, on disk.

    Raises `Infrastructure` where the disk is full or the folder gone; the old file stays as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise Infrastructure(f"cannot write {path}: {error.strerror or error}; what stood there is untouched") from None


def _sync_folder(folder: Path) -> None:
    """The name of a new file is on disk only when its folder is; where folders cannot be opened it is not asked."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class Folder:
    """The paths of a campaign's folder."""

    root: Path
    corpus: Path

    @classmethod
    def at(cls, root: Path, corpus: Path | None = None) -> "Folder":
        """The folder, made where it is missing. Raises `Infrastructure` where that cannot be."""
        folder = cls(root.resolve(), (corpus or root / "corpus").resolve())
        try:
            for path in (folder.journals, folder.artifacts, folder.flaky, folder.logs, folder.corpus):
                path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Infrastructure(f"cannot use {root} as a campaign's folder: {error}") from None
        return folder

    @property
    def journals(self) -> Path:
        """A file for each worker."""
        return self.root / "journals"

    @property
    def artifacts(self) -> Path:
        """What has not been looked at."""
        return self.root / "artifacts"

    @property
    def findings(self) -> Path:
        """What has been verified."""
        return self.root / "findings"

    @property
    def flaky(self) -> Path:
        """What did not fail every time."""
        return self.findings / "flaky"

    @property
    def logs(self) -> Path:
        """What the workers said."""
        return self.root / "logs"

    @property
    def campaign(self) -> Path:
        """How far it has come."""
        return self.root / "campaign.json"

    @property
    def signatures(self) -> Path:
        """Which failures are known, for workers that start."""
        return self.root / "signatures.json"

    def read(self, path: Path) -> dict[str, Any]:
        """A JSON object; one that is broken is set aside, never overwritten, and nothing is returned."""
        if not path.exists():
            return {}
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(content, dict):
                raise ValueError("no JSON object")
        except (OSError, ValueError):
            os.replace(path, path.with_name(f"{path.name}.corrupt"))
            return {}
        return content


@contextlib.contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the folder for one campaign. Raises `FolderBusy`; a campaign that was killed holds nothing."""
    path = folder.root / "lock"
    with path.open("a+", encoding="utf-8") as file:
        if not _try_lock(file.fileno()):
            file.seek(0)
            raise FolderBusy(f"{folder.root} is in use by the campaign of process {file.read().strip() or '?'}")
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        yield


def _try_lock(descriptor: int) -> bool:
    """The system's own lock, which ends with the process."""
    try:
        if os.name == "nt":  # pragma: no cover
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
