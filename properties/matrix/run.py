"""A process for each implementation, as many at a time as there are cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from implementations.isolation import MEMORY_LIMIT
from implementations.loader import MissingPackage, UnknownImplementation, built_in, resolve
from implementations.plugged import Implementation
from properties.claims import Claim
from properties.matrix.data import Record, head, merged

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = os.cpu_count() or 1


@dataclass(frozen=True)
class Wanted:
    """How hard to look, at what."""

    claims: Sequence[Claim]
    budget: str = "default"
    seed: int = 0
    call_limit: float = 10.0
    isolate: str = "process"
    memory_limit: float = MEMORY_LIMIT
    growth: bool = False
    at_once: int = AT_ONCE


@dataclass
class Progress:
    """Called as the run goes on; this one says nothing."""

    def begun(self, name: str, claims: int) -> None:
        """The claims of an implementation are asked from now on."""

    def asked(self, name: str, claim: str) -> None:
        """One was asked."""

    def ended(self, name: str) -> None:
        """An implementation is done."""


def gathered(specs: Iterable[str]) -> tuple[list[Implementation], list[Record]]:
    """The implementations, and the built-in ones whose package is missing where `all` were asked for.

    Raises what `resolve` raises.
    """
    found: dict[str, Implementation] = {}
    missing = []
    for spec in specs:
        for one in built_in() if spec == "all" else [spec]:
            try:
                found |= {implementation.name: implementation for implementation in resolve(one)}
            except MissingPackage as error:
                if spec != "all":
                    raise
                missing.append({"name": one, "reason": str(error)})
    if not found:
        raise UnknownImplementation("no implementation was named")
    return list(found.values()), missing


def matrix_of(
    implementations: Sequence[Implementation],
    wanted: Wanted,
    progress: Progress | None = None,
    done: Callable[[Record], None] = lambda matrix: None,
) -> Record:
    """The matrix. `done` is given what there is of it whenever an implementation is through."""
    progress = progress or Progress()
    matrix = head(wanted.claims, wanted.budget, wanted.seed)
    with ThreadPoolExecutor(wanted.at_once) as pool:
        running = [pool.submit(_row, implementation, wanted, progress) for implementation in implementations]
        rows = {}
        for ended in as_completed(running):
            row = ended.result()
            rows[row["name"]] = row
            matrix["implementations"] = [rows[i.name] for i in implementations if i.name in rows]
            done(matrix)
    return matrix


def _row(implementation: Implementation, wanted: Wanted, progress: Progress) -> Record:
    """Ask one implementation in a process of its own."""
    question = {
        "spec": implementation.spec,
        "name": implementation.name,
        "claims": [claim.id for claim in wanted.claims],
        "budget": wanted.budget,
        "seed": wanted.seed,
        "call_limit": wanted.call_limit,
        "isolate": wanted.isolate,
        "memory_limit": wanted.memory_limit,
        "growth": wanted.growth,
    }
    row: Record = {"name": implementation.name, "title": implementation.name, "version": "", "cells": {}, "growth": []}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    progress.begun(implementation.name, len(wanted.claims))
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            [sys.executable, "-m", "properties.matrix.one"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            env=environment,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question))
        process.stdin.close()
        for line in process.stdout:
            answer = json.loads(line)
            if "implementation" in answer:
                row |= answer["implementation"]
            elif "growth" in answer:
                row["growth"].append(answer["growth"])
            else:
                row["cells"][answer["claim"]] = answer["cell"]
                progress.asked(implementation.name, answer["claim"])
        process.stdout.close()
        status = process.wait()
        if status:
            noise.seek(max(0, noise.seek(0, os.SEEK_END) - 3000))
            last = noise.read().decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            reason = {f"the process that asked ended with {status}: {last[0][:300]}": 1}
            unasked = {"status": "not asked", "cases": 0, "seconds": 0, "reasons": reason}
            for claim in wanted.claims:
                row["cells"].setdefault(claim.id, unasked)
    progress.ended(implementation.name)
    return row


def updated(path: Path, matrix: Record) -> Record:
    """The matrix with the cells of an earlier one, at `path`, that were not asked this time."""
    from properties.matrix.data import read

    return merged(read(path), matrix) if path.is_file() else matrix
