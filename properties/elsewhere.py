"""Training in a process of its own, under a hash seed of our choice.

`python -m properties.elsewhere` reads one JSON object on standard input (the `--impl` spec and the lessons) and
writes the merges of each corpus as hex.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from implementations.loader import resolve
from implementations.plugged import CallFailed, Implementation, NotApplicable
from reference.model import Merge

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 60.0  # seconds, for one process with all corpora


def train_elsewhere(
    implementation: Implementation,
    hash_seed: int,
    *,
    corpora: Sequence[Sequence[str]],
    num_merges: int,
    pattern: str | None,
    tie_rule: str,
) -> list[tuple[Merge, ...]]:
    """The merges of each corpus, from a fresh process. Raises `CallFailed` where that process does not answer."""
    if not implementation.spec:
        raise NotApplicable("was not loaded by name, so no other process can load it")
    request = {
        "impl": implementation.spec,
        "name": implementation.name,
        "corpora": corpora,
        "num_merges": num_merges,
        "pattern": pattern,
        "tie_rule": tie_rule,
    }
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    try:
        process = subprocess.run(
            [sys.executable, "-m", "properties.elsewhere"],
            input=json.dumps(request),
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CallFailed(f"training in a process of its own did not end within {LIMIT:g} seconds") from None
    if process.returncode:
        lines = process.stderr.strip().splitlines() or ["it said nothing"]
        raise CallFailed(f"training in a process of its own failed: {lines[-1]}")
    answer = json.loads(process.stdout.splitlines()[-1])
    if isinstance(answer, str):
        raise NotApplicable(answer)
    return [tuple((bytes.fromhex(one), bytes.fromhex(two)) for one, two in merges) for merges in answer]


def main() -> None:
    """Train as standard input asks, and print the merges."""
    request = json.load(sys.stdin)
    implementation = next(i for i in resolve(request["impl"]) if i.name == request["name"])
    answer = []
    for corpus in request["corpora"]:
        lesson = {"pattern": request["pattern"], "tie_rule": request["tie_rule"]}
        try:
            merges = implementation.train(corpus, request["num_merges"], **lesson)
        except NotApplicable as why:
            print("\n" + json.dumps(str(why)))
            return
        answer.append([[left.hex(), right.hex()] for left, right in merges])
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
