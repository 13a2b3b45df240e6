"""`python -m tests.mutation MODULE...`: every small change of a module is noticed by the suite, or it is told."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from tests.mutation.carry import carried, source_at
from tests.mutation.ledger import LEDGER, as_toml, ledger
from tests.mutation.mutants import Mutant, mutants_in
from tests.mutation.page import page_of
from tests.mutation.suite import SUITES, Suite, warm_up
from tests.mutation.trial import Result, tried

RESULTS = Path("mutants/results.jsonl")


def main() -> int:
    """0 where every mutant asked for was killed or is in the ledger; 1 where not; 2 where the original fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=main.__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of this folder; with none: {', '.join(SUITES)}")
    parser.add_argument("--tests", nargs="+", default=[], metavar="FILE", help="what judges a module not listed")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help=f"kept there ({RESULTS})")
    parser.add_argument("--round", type=int, choices=(1, 2), default=2, help="1: leave out the second, longer round")
    parser.add_argument("--again", action="store_true", help="try again what was not killed")
    parser.add_argument("--unjudged", action="store_true", help="leave alone what is in the ledger")
    parser.add_argument("--since", metavar="REVISION", help="take over what is known of functions unchanged since then")
    parser.add_argument("--ledger", type=Path, default=LEDGER, metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="OUT.md", help="write the page from the results, and try nothing")
    options = parser.parse_args()
    modules, entries, known = options.modules or list(SUITES), ledger(options.ledger), results_in(options.results)
    for path in modules if options.since else ():
        now = Path(path).read_text(encoding="utf-8")
        for key, result in carried(path, source_at(options.since, path), now, known).items():
            known[key] = kept(key, path, result, options.results)
    if options.page:
        found = {path: [(one, known.get(one.key)) for one in mutants_in(path)] for path in modules}
        options.page.write_text(page_of(found, entries), encoding="utf-8")
        return 0
    options.results.parent.mkdir(parents=True, exist_ok=True)
    unknown = 0
    for path in modules:
        suite = SUITES.get(path, Suite((), tuple(options.tests)))
        warm_up(path)
        if not stands(path, suite, options.round):
            return 2
        mutants = mutants_in(path)
        for number, mutant in enumerate(mutants, 1):
            result = known.get(mutant.key)
            judged = result is not None and options.unjudged and mutant.place in entries
            if result is None or (options.again and result.status != "killed" and not judged):
                result = kept(mutant.key, path, tried(mutant, suite), options.results)
            if options.round == 2 and result.status == "survived" and not result.second and not judged:
                result = kept(mutant.key, path, tried(mutant, suite, second=True), options.results)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(mutants)}", end="", file=sys.stderr)
            known[mutant.key] = result
            if result.status == "survived" and mutant.place not in entries:
                print(f"# line {mutant.line}\n{as_toml(mutant)}", flush=True)
                unknown += 1
        ended = [known[mutant.key].status for mutant in mutants]
        told = ", ".join(f"{ended.count(status)} {status}" for status in ("killed", "timed out", "survived"))
        print(f"{path}: {len(mutants)} mutants, {told}", flush=True)
    return bool(unknown)


def stands(path: str, suite: Suite, rounds: int) -> bool:
    """Whether the module passes as it is; otherwise every mutant would be killed."""
    original = Mutant(path, "", 0, "", "", 0, Path(path).read_text(encoding="utf-8"))
    for second in (False, True)[:rounds]:
        result = tried(original, suite, second)
        if result.status != "survived":
            print(f"{path}: the module itself {result.status}: {result.by}", file=sys.stderr)
            return False
    return True


def kept(key: str, module: str, result: Result, path: Path) -> Result:
    """The result, written to the file first."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"key": key, "module": module} | asdict(result)) + "\n")
    return result


def results_in(path: Path) -> dict[str, Result]:
    """The results that a file keeps, by the keys of the mutants; of several the last holds."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        entry = json.loads(line)
        found[entry["key"]] = Result(entry["status"], entry["by"], entry["seconds"], entry["second"])
    return found


if __name__ == "__main__":
    sys.exit(main())
