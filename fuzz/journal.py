"""A worker's journal: the input in hand and its counts, in a file that outlives the worker.

The file is mapped into memory, so that writing costs a fraction of a microsecond and the supervisor reads it while the
worker runs, hangs or is dead. Its space is taken when it is made: a full disk is noticed then, and not as a bus error
in the middle.
"""

import mmap
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from fuzz.store import Infrastructure

MAGIC = b"bpefuzz1"
LONGEST = 8192  # bytes of an input that are kept
_HEAD = struct.Struct("<8sIIIIqdI")  # magic, pid, busy, target, kind, index, started, length
_COUNTS = struct.Struct("<QQQQd")  # executions, not applicable, hits, next index, seconds
_HEAD_SIZE = 64
_STRIDE = 64
KINDS = ("drawn", "listed")


@dataclass(frozen=True)
class InHand:
    """What a worker was busy with."""

    pid: int
    target: int
    kind: str
    index: int
    started: float  # time.time()
    data: bytes


@dataclass
class Counts:
    """How often a target ran in a worker."""

    executions: int = 0
    not_applicable: int = 0
    hits: int = 0
    next_index: int = 0
    seconds: float = 0.0


class Journal:
    """The journal at a path. A worker writes to it, the supervisor reads it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder) / "0", targets=2)
    ...     journal.begin(1, 7, b"abc")
    ...     seen = Journal(Path(folder) / "0", targets=2).in_hand()
    >>> seen.target, seen.index, seen.data
    (1, 7, b'abc')
    """

    def __init__(self, path: Path, targets: int) -> None:
        size = _HEAD_SIZE + LONGEST + targets * _STRIDE
        try:
            with path.open("r+b" if path.exists() and path.stat().st_size == size else "w+b") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                else:  # pragma: no cover
                    file.truncate(size)
                self._map = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise Infrastructure(f"cannot make the journal {path}: {error.strerror or error}") from None
        self.targets = targets
        if self._map[:8] != MAGIC:
            self._map[:] = bytes(size)
            _HEAD.pack_into(self._map, 0, MAGIC, 0, 0, 0, 0, 0, 0.0, 0)

    def begin(self, target: int, index: int, data: bytes, kind: int = 0) -> None:
        """An input is about to be run."""
        kept = data[:LONGEST]
        self._map[_HEAD_SIZE : _HEAD_SIZE + len(kept)] = kept
        _HEAD.pack_into(self._map, 0, MAGIC, os.getpid(), 0, target, kind, index, time.time(), len(kept))
        self._map[12:16] = b"\1\0\0\0"  # busy only when all of it is there: the supervisor reads at any time

    def end(self) -> None:
        """It was run."""
        self._map[12:16] = b"\0\0\0\0"

    def in_hand(self) -> InHand | None:
        """The input that was begun and not ended, if there is one."""
        while True:  # until two looks see the same
            seen = _HEAD.unpack_from(self._map, 0)
            _, pid, busy, target, kind, index, started, length = seen
            data = bytes(self._map[_HEAD_SIZE : _HEAD_SIZE + length])
            if not busy or target >= self.targets:
                return None
            if seen == _HEAD.unpack_from(self._map, 0):
                break
        return InHand(pid, target, KINDS[kind], index, started, data)

    def counts(self, target: int) -> Counts:
        """The counts of a target."""
        return Counts(*_COUNTS.unpack_from(self._map, _HEAD_SIZE + LONGEST + target * _STRIDE))

    def set_counts(self, target: int, counts: Counts) -> None:
        """Write the counts of a target."""
        _COUNTS.pack_into(
            self._map,
            _HEAD_SIZE + LONGEST + target * _STRIDE,
            counts.executions,
            counts.not_applicable,
            counts.hits,
            counts.next_index,
            counts.seconds,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._map.close()
