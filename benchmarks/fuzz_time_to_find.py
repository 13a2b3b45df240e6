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

from rich.progress import Progress, TimeElapsedColumn

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from dataclasses import replace  # noqa: E402

from fuzz.blind import Blind  # noqa: E402
from fuzz.mined import constants  # noqa: E402
from fuzz.store import write_whole  # noqa: E402
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
    long = ("TXT-", "EXH-", "SPL-")  # lists that take seconds come last
    for target in sorted(targets(), key=lambda target: target.name.startswith(long)):
        if target.claim.not_applicable(implementation) is None:
            for case in target.claim.domain.listed(profile):
                if failure(target.claim, implementation, case) is not None:
                    return {"target": target.name}
    return {"target": ""}


def wanted(finds, cap):
    """Whether a seed is to be tried: it was not yet, or for less time and in vain. Not after `GIVEN_UP` in vain."""

    def of(seed):
        find = finds.get(str(seed))
        if find is not None:
            return find["seconds"] is None and find["cap"] < cap
        tried = list(finds.values())
        return len(tried) < GIVEN_UP or any(each["seconds"] is not None for each in tried)

    return of


def summary(finds, seeds):
    """The median of the seeds tried, those without a find counted as infinite, and how many found it of how many."""
    tried = [finds[str(seed)] for seed in range(seeds) if str(seed) in finds]
    times = [find["seconds"] if find["seconds"] is not None else float("inf") for find in tried]
    return statistics.median(times or [float("inf")]), sum(time < float("inf") for time in times), len(times)


def planted(glob, every):
    """The planted bugs."""
    paths = sorted((ROOT / "tests" / "known_wrong").glob(glob))
    return [i for path in paths if "class Bad" in path.read_text() for i in resolve(f"{path}:Bad*")][::every]


def main():
    """Measure every bug that matches, seed after seed, and write what came of it as it goes; the same goes on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("fuzz-time-to-find.json"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--cap", type=float, default=CAP)
    parser.add_argument("--files", default="*.py")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the bugs")
    options = parser.parse_args()
    results = json.loads(options.out.read_text()) if options.out.exists() else {}
    bugs = planted(options.files, options.every)
    with Progress(*Progress.get_default_columns(), TimeElapsedColumn()) as progress:
        for seed in range(options.seeds):
            for implementation in progress.track(bugs, description=f"seed {seed}"):
                finds = results.setdefault(implementation.name, {"listed": None, "finds": {}})["finds"]
                if not wanted(finds, options.cap)(seed):
                    continue
                find = in_child(first_find, implementation, seed, options.cap) | {"cap": options.cap}
                finds[str(seed)] = {"seconds": None} | find
                write_whole(options.out, json.dumps(results, indent=1))
        for implementation in progress.track(bugs, description="listed"):
            result = results[implementation.name]
            _, found, tried = summary(result["finds"], options.seeds)
            if 2 * found <= tried and result["listed"] is None:
                result["listed"] = in_child(shown_by_listed, implementation).get("target", "")
                write_whole(options.out, json.dumps(results, indent=1))
    report(results, options.seeds)


def report(results, seeds):
    """A line for each bug, the slowest last."""
    lines = [(summary(result["finds"], seeds), name, result) for name, result in results.items()]
    for (median, found, tried), name, result in sorted(lines, key=lambda line: line[:2]):
        shown = sorted({find.get("target", "") for find in result["finds"].values()} - {""})
        listed = f"   listed: {result['listed'] or 'none'}" if result["listed"] is not None else ""
        print(f"{name:45} {found}/{tried}  {median:8.3f} s  {', '.join(shown)}{listed}")


if __name__ == "__main__":
    main()
