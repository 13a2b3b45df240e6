"""What a plug-in serves, asked in a process of its own: it may crash, and the supervisor must not.

`python -m fuzz.probe SPEC CALL_LIMIT GLOB…` prints one line of JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fuzz.mined import ROOT, constants, own_modules
from fuzz.store import Infrastructure
from fuzz.targets import NoSuchTarget, targets
from implementations.loader import ImplementationImportError, UnknownImplementation, resolve
from properties.runner import profile_of

PATIENCE = 120.0  # seconds


class Usage(Exception):
    """What was asked for cannot be; the message says why."""


@dataclass
class Probed:
    """What came of it. `crashed`: it took the process with it, so that every target is tried with all it may serve."""

    name: str
    names: list[str]
    not_applicable: dict[str, str] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    drawn: list[str] = field(default_factory=list)
    profile: dict[str, Any] = field(default_factory=dict)
    modules: int = 0
    crashed: str = ""


def environment(hash_seed: int = 0) -> dict[str, str]:
    """The environment of our processes: this checkout first, and a hash seed that is written down."""
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH", "")) if part)
    return os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": str(hash_seed)}


def probe(spec: str, call_limit: float, globs: Sequence[str]) -> Probed:
    """Ask a plug-in in a process of its own. Raises `Usage` where it cannot be loaded, else `Infrastructure`."""
    command = [sys.executable, "-m", "fuzz.probe", spec, str(call_limit), *globs]
    try:
        process = subprocess.run(
            command, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return _assumed(spec, globs, f"did not answer within {PATIENCE:g} seconds")
    lines = process.stdout.splitlines()
    if process.returncode == 0 and lines:
        return Probed(**json.loads(lines[-1]))
    if process.returncode == 2:
        raise Usage(process.stderr.strip())
    if process.returncode == 1:
        raise Infrastructure(f"asking what {spec} serves failed:\n{process.stderr.strip()}")
    return _assumed(spec, globs, f"ended the process that asked it (status {process.returncode})")


def _assumed(spec: str, globs: Sequence[str], why: str) -> Probed:
    chosen = targets(globs)
    name = spec.rpartition("/")[2].replace(".py", "").replace(":", ".")
    levels = {target.name: target.claim.level for target in chosen}
    drawn = [target.name for target in chosen if target.drawn]
    return Probed(name, [target.name for target in chosen], levels=levels, drawn=drawn, crashed=why)


def asked(spec: str, call_limit: float, globs: Sequence[str]) -> Probed:
    """What a plug-in serves, asked in this process."""
    found = resolve(spec)
    if len(found) != 1:
        raise Usage(f"{spec!r} means {len(found)} implementations; a campaign takes one: {', '.join(map(str, found))}")
    [implementation] = found
    implementation.call_limit = call_limit
    probed = Probed(implementation.name, [])
    for target in targets(globs):
        why_not = target.claim.not_applicable(implementation)
        if why_not is None:
            probed.names.append(target.name)
            probed.levels[target.name] = target.claim.level
            if target.drawn:
                probed.drawn.append(target.name)
        else:
            probed.not_applicable[target.name] = why_not
    profile = profile_of(implementation)
    texts, numbers = constants(implementation)
    served = ("patterns", "train_patterns", "special_tokens", "tie_rules", "own_vocabulary")
    probed.profile = {name: getattr(profile, name) for name in served} | {"constants": texts, "lengths": numbers}
    probed.modules = len(own_modules(implementation))
    return probed


def main() -> int:
    """Print what a plug-in serves; 2 where it cannot be loaded."""
    spec, call_limit, *globs = sys.argv[1:]
    try:
        print(json.dumps(vars(asked(spec, float(call_limit), globs))))
    except (UnknownImplementation, ImplementationImportError, NoSuchTarget, Usage) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
