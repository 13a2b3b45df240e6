"""Mutation testing with the suite as the test: `python -m tests.mutation implementations/heap.py`.

Each mutant is a file of its own in a scratch folder, tried by `strength` until a claim refutes it. What is not refuted
must stand in `ledger.toml` with the reason why it is equivalent: no call can tell it from the original, or only its
speed can. A mutant that is killed for taking too long counts as neither.
"""

import argparse
import sys
import tempfile
import tomllib
from pathlib import Path

from implementations.loader import ImplementationImportError, resolve
from properties.strength.progress import with_progress
from properties.strength.runs import Job, claims_in_order
from tests.mutation.mutants import mutants_of

LEDGER = Path(__file__).with_name("ledger.toml")


def main() -> int:
    """Try the mutants, print the survivors and the score; 1 where a survivor stands in no ledger."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", type=Path)
    parser.add_argument("--budget", default="quick")
    parser.add_argument("--every", type=int, default=1, help="only every so many mutants")
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--scratch", type=Path, help="where the mutants are written (default: a temporary folder)")
    options = parser.parse_args()
    folder = options.scratch or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    mutants = list(mutants_of(options.module.read_text()))[:: options.every]
    ledger = equivalents(options.module.name)
    found, told, crashed = {}, {}, []
    for mutant in mutants:
        path = folder / f"{mutant.name}.py"
        path.write_text(mutant.source)
        try:
            [one] = resolve(str(path))
        except (ImplementationImportError, ValueError):
            crashed.append(mutant.name)
            continue
        found[one.spec, one.name] = one
        told[one.name] = mutant
    order = tuple(claim.id for claim in claims_in_order((), "all") if not claim.id.startswith(("ENC-20", "GRO", "PUB")))
    jobs = [Job(spec, name, order, 0, options.budget, 2.0, 120.0) for spec, name in found]
    runs = {job.name: run for job, run in with_progress(jobs, found, options.resume, options.processes)}
    survivors = [told[name] for name, run in runs.items() if run.refuted is False]
    unknown = [mutant for mutant in survivors if (mutant.was, mutant.became) not in ledger]
    for mutant in survivors:
        known = ledger.get((mutant.was, mutant.became), "")
        print(
            f"survives: line {mutant.line}: {mutant.was!r} -> {mutant.became!r}{'  (' + known + ')' if known else ''}"
        )
    slow = [told[name] for name, run in runs.items() if run.refuted is None]
    for mutant in slow:
        print(f"no result: line {mutant.line}: {mutant.was!r} -> {mutant.became!r}: {runs[mutant.name].note}")
    total, killed = len(mutants), sum(bool(run.refuted) for run in runs.values()) + len(crashed)
    print(
        f"{options.module}: {total} mutants, {killed} refuted ({len(crashed)} at import), {len(survivors)} survive, "
        f"{len(slow)} without result: {killed / total:.1%}; "
        f"{(killed + len(survivors) - len(unknown)) / total:.1%} with the ledger"
    )
    return bool(unknown)


def equivalents(module: str) -> dict[tuple[str, str], str]:
    """The ledger of a module: what became what, and why no call can tell."""
    entries = tomllib.loads(LEDGER.read_text()).get("equivalent", []) if LEDGER.exists() else []
    return {(entry["was"], entry["became"]): entry["why"] for entry in entries if entry["module"] == module}


if __name__ == "__main__":
    sys.exit(main())
