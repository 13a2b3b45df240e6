"""How long the blind engine takes to find each planted bug: `python benchmarks/fuzz_time_to_find.py --out found.json`.

For each bug of tests/known_wrong and each of ten seeds: the CPU seconds and the cases until the first failure, all
targets in turn as a worker takes them, in a child process of its own. Listed cases are left out: they do not depend on
the seed, and a campaign plays them first. A seed that needs more than 60 CPU seconds counts as not found.
"""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dataclasses import replace  # noqa: E402

from fuzz.blind import Blind  # noqa: E402
from fuzz.mined import constants  # noqa: E402
from fuzz.targets import targets  # noqa: E402
from fuzz.worker import turn_seconds  # noqa: E402
from implementations.loader import resolve  # noqa: E402
from properties.runner import failure, profile_of  # noqa: E402

SEEDS = 10
CAP = 60.0  # CPU seconds
GIVEN_UP = 3  # seeds without a find in a row, before any find: the others are not tried


def in_child(function, *arguments):
    """What a function returns, run in a child: planted bugs keep state in their classes, hang and exit."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            answer = function(*arguments)
        except BaseException as error:
            answer = {"error": repr(error)[:200]}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {"seconds": 0.0, "cases": 0, "target": "the process ended"}


def first_find(implementation, seed, cap):
    """CPU seconds and cases to the first failure, and the target that showed it."""
    implementation.call_limit = 2.0
    texts, numbers = constants(implementation)
    profile = replace(profile_of(implementation), constants=texts, lengths=numbers)
    asked = [t for t in targets() if t.drawn and t.claim.not_applicable(implementation) is None]
    sources = [(target, Blind(seed, target)) for target in asked]
    places = dict.fromkeys((target.name for target in asked), 0)
    start, cases = time.process_time(), 0
    turn = 0
    while time.process_time() - start < cap:
        for target, source in sources:
            until = time.process_time() + turn_seconds(turn)
            while True:
                cases += 1
                case = target.case(profile, source.data(places[target.name]))
                places[target.name] += 1
                try:
                    error = failure(target.claim, implementation, case)
                except BaseException as panic:
                    error = panic
                if error is not None:
                    spent = time.process_time() - start
                    return {"seconds": round(spent, 4), "cases": cases, "target": target.name}
                if time.process_time() >= until:
                    break
            if time.process_time() - start >= cap:
                break
        turn += 1
    return {"seconds": None, "cases": cases, "target": ""}


def shown_by_listed(implementation):
    """The target whose listed cases show a bug that no drawn case did; a campaign plays those first."""
    implementation.call_limit = 5.0
    profile = profile_of(implementation)
    start = time.process_time()
    for target in targets():
        if target.claim.not_applicable(implementation) is None and not target.name.startswith("EXH"):
            for case in target.claim.domain.listed(profile):
                if failure(target.claim, implementation, case) is not None:
                    return {"target": target.name, "seconds": round(time.process_time() - start, 2)}
    return {"target": "", "seconds": None}


def of_bug(implementation, seeds, cap):
    """The finds of each seed."""
    finds = []
    for seed in range(seeds):
        if len(finds) >= GIVEN_UP and all(find.get("seconds") is None for find in finds):
            break
        finds.append(in_child(first_find, implementation, seed, cap))
    return finds


def summary(finds, seeds):
    """The median of the seeds, those without a find counted as infinite."""
    times = [find["seconds"] if find.get("seconds") is not None else float("inf") for find in finds]
    times += [float("inf")] * (seeds - len(times))
    return statistics.median(times), sum(t < float("inf") for t in times)


def main():
    """Measure every bug that matches, and write what came of it as it goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("fuzz-time-to-find.json"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--cap", type=float, default=CAP)
    parser.add_argument("--files", default="*.py")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the bugs")
    options = parser.parse_args()
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    paths = sorted((ROOT / "tests" / "known_wrong").glob(options.files))
    bugs = [i for path in paths if "class Bad" in path.read_text() for i in resolve(f"{path}:Bad*")]
    for implementation in bugs[:: options.every]:
        if implementation.name in results:
            continue
        finds = of_bug(implementation, options.seeds, options.cap)
        results[implementation.name] = finds
        median, found = summary(finds, options.seeds)
        listed = in_child(shown_by_listed, implementation) if found <= options.seeds // 2 else {}
        finds[0]["listed"] = listed.get("target", "")
        shown = sorted({find.get("target", "") for find in finds} - {""})
        print(
            f"{implementation.name:45} {found}/{options.seeds}  {median:8.3f} s  {', '.join(shown)}"
            f"{'   listed: ' + (finds[0]['listed'] or 'none') if listed else ''}",
            flush=True,
        )
        options.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
