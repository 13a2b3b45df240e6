"""What fuzzing costs: the CPU time of a fuzzed case over that of the bare claim on the same case, as ratios in one run.

`python benchmarks/fuzz_speed.py [--write]`. Blind: decoding, journal, counts, and the supervisor's share. Atheris: the
plug-in instrumented. With `--write` the table goes to docs/fuzzing.md, with the time to find every planted bug from
`fuzz_time_to_find.py --out found.json` where that is given.
"""

import argparse
import contextlib
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from fuzz_time_to_find import SEEDS, summary  # noqa: E402

from benchmarks.page import put  # noqa: E402
from fuzz.blind import Blind  # noqa: E402
from fuzz.probe import environment, probe  # noqa: E402
from fuzz.store import Folder  # noqa: E402
from fuzz.targets import Target, targets  # noqa: E402
from fuzz.worker import Job, Worker, drawn_cases  # noqa: E402
from implementations.plugged import NotApplicable  # noqa: E402
from properties.cases.domains import Domain  # noqa: E402
from properties.cases.programs import vocabulary_of  # noqa: E402
from properties.claims import Claim, ask  # noqa: E402

CHUNK = 32
DOCS = ROOT / "docs" / "fuzzing.md"
RECORDER = """
import os, sys, time
from fuzz import atheris_engine
from fuzz.worker import Worker
recorded, start = [], None
run = atheris_engine.Harness.one
def one(self, data):
    global start
    run(self, data)
    recorded.append(data)
    if len(recorded) == {first}:
        start = time.process_time()
    if len(recorded) == {last}:
        spent = time.process_time() - start
        with open(sys.argv[2], "w") as file:
            file.write(str(spent) + "\\n" + "\\n".join(data.hex() for data in recorded[{first}:]))
        os._exit(0)
atheris_engine.Harness.one = one
atheris_engine.main(sys.argv[1])
"""


def job_for(impl, names, root, **more):
    """A job as the supervisor makes it."""
    probed = probe(impl, 5.0, names)
    folder = Folder.at(Path(root))
    return Job(
        impl, probed.name, str(folder.root), str(folder.corpus), probed.names, [0], profile=probed.profile, **more
    )


def bare(claim, implementation, cases):
    """CPU seconds of the claim on these cases."""
    start = time.process_time()
    for case in cases:
        with contextlib.suppress(NotApplicable):
            ask(claim, implementation, case)
    return time.process_time() - start


def blind_ratios(impl, cases):
    """For each target the seconds of fuzzed and of bare cases, in turns, so that a busy machine slows both.

    Both start without a vocabulary at hand. What the oracle keeps serves whoever comes second: they take turns in that.
    """
    with tempfile.TemporaryDirectory() as root:
        worker = Worker(job_for(impl, [], root))
        gc.collect()
        gc.freeze()  # as a worker does
        ratios = {}
        for number, target in enumerate(worker.targets):
            if not target.drawn:
                continue
            bare(target.claim, worker.implementation, decoded(worker, target, range(CHUNK)))  # warm
            fuzzed = plain = 0.0
            for start in range(0, cases, CHUNK):
                indices = range(start, start + CHUNK)
                if start // CHUNK % 2:
                    fuzzed += attempts(worker, number, indices)
                plain += bare(target.claim, worker.implementation, decoded(worker, target, indices))
                if not start // CHUNK % 2:
                    fuzzed += attempts(worker, number, indices)
            ratios[target.name] = fuzzed, plain
        return ratios


def decoded(worker, target, indices):
    """The cases of blind, made anew."""
    vocabulary_of.cache_clear()
    source = Blind(0, target)
    return [target.case(worker.profile, source.data(index)) for index in indices]


def attempts(worker, number, indices):
    """CPU seconds of these cases in a worker."""
    vocabulary_of.cache_clear()
    worker.counts[number].next_index = indices.start
    before = time.process_time()
    for index, data, case in islice(drawn_cases(worker, number), len(indices)):
        worker.attempt(number, index, data, case)
    worker.flush(number)
    return time.process_time() - before


def empty_target():
    """Executions a second of a target that does nothing, blind."""
    with tempfile.TemporaryDirectory() as root:
        worker = Worker(job_for("heap", ["ENC-2"], root))
        domain = Domain((), lambda profile, text: {}, ((4, 40),))
        worker.targets = [Target(Claim("EMPTY-1", lambda impl: None, domain))]
        count = 20_000
        start = time.process_time()
        for index, data, case in islice(drawn_cases(worker, 0), count):
            worker.attempt(0, index, data, case)
        return count / (time.process_time() - start)


def supervision(impl, seconds):
    """The CPU time of the supervisor over that of its worker, from two campaigns: what is paid once drops out."""
    (own, workers), (own_again, workers_again) = (campaign_seconds(impl, length) for length in (seconds // 3, seconds))
    return (own_again - own) / (workers_again - workers)


def campaign_seconds(impl, seconds):
    """The CPU time of a campaign's supervisor, and of its worker."""
    with tempfile.TemporaryDirectory() as root:
        code = (
            "import resource, sys; from fuzz.__main__ import app\n"
            "try: app(sys.argv[1:])\n"
            "except SystemExit: pass\n"
            "for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):\n"
            "    used = resource.getrusage(who); print('CPU', used.ru_utime + used.ru_stime)"
        )
        asked = ["run", f"--impl={impl}", "--targets=TRN-1,TRN-4", f"--time={seconds}", "--workers=1", f"--out={root}"]
        done = subprocess.run(
            [sys.executable, "-c", code, *asked], env=environment(), capture_output=True, text=True, check=False
        )
        own, workers = (float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("CPU"))
        return own, workers


def atheris_ratio(impl, name, cases):
    """Instrumented seconds over bare ones on the inputs that libFuzzer made up."""
    with tempfile.TemporaryDirectory() as root:
        job = job_for(impl, [name], root, engine="atheris", seconds=600.0)
        path, out = job.save(Path(root) / "job.json"), Path(root) / "recorded"
        code = RECORDER.format(first=200, last=200 + cases)
        subprocess.run(
            [sys.executable, "-c", code, str(path), str(out)], env=environment(), capture_output=True, check=False
        )
        spent, *inputs = out.read_text().splitlines()
        worker = Worker(job)
        [target] = targets([name])
        made = [target.case(worker.profile, bytes.fromhex(data)) for data in inputs]
        bare(target.claim, worker.implementation, made[:50])
        return float(spent), bare(target.claim, worker.implementation, made)


def tables(options):
    """The lines of the report."""
    python, today = sys.version.split()[0], time.strftime("%Y-%m-%d")
    yield f"`{options.impl}`, CPython {python}, {os.cpu_count()} cores, {today}. CPU time, other work beside it."
    yield ""
    ratios = blind_ratios(options.impl, options.cases)
    bare_share = sum(plain / fuzzed for fuzzed, plain in ratios.values()) / len(ratios)  # of an hour shared equally
    share = supervision(options.impl, options.seconds)
    each = sorted((pair[0] / pair[1], name) for name, pair in ratios.items())
    yield "| a fuzzed case over the bare claim on the same case | ratio |"
    yield "|---|---|"
    yield f"| blind, all {len(ratios)} targets with equal time each | {1 / bare_share + share:.2f} |"
    yield f"| of that the supervisor | {share:.3f} |"
    yield f"| blind, median of the targets | {statistics.median(ratio for ratio, _ in each):.2f} |"
    above = [f"{name} {ratio:.2f}" for ratio, name in reversed(each) if ratio + share > 1.25]
    yield f"| blind, targets above 1.25 | {', '.join(above) or 'none'} |"
    for name in options.atheris:
        spent, without = atheris_ratio(options.impl, name, options.cases)
        yield f"| atheris, {name} | {spent / without:.2f} |"
    yield f"| an empty target, blind | {empty_target():,.0f} executions a second |"
    if options.found:
        yield ""
        yield from found(json.loads(options.found.read_text()))


def found(results):
    """The time to find of planted bugs, in buckets, and how those are found that no drawn case showed in time."""
    medians = {name: summary(result["finds"], SEEDS) for name, result in results.items()}
    seeds = Counter(tried for _, _, tried in medians.values())
    caps = {find["cap"] for result in results.values() for find in result["finds"].values() if find["seconds"] is None}
    how_many = ", ".join(f"{bugs} with {number} seed{'s' * (number > 1)}" for number, bugs in sorted(seeds.items()))
    yield f"Planted bugs of `tests/known_wrong` ({how_many}), blind, drawn cases alone."
    yield "Median CPU time to the first failure:"
    yield ""
    yield "| within | bugs |"
    yield "|---|---|"
    for limit in (0.1, 1, 10, 60):
        if not caps or limit <= max(caps):
            yield f"| {limit} s | {sum(median <= limit for median, _, _ in medians.values())} of {len(medians)} |"
    missed = [name for name, (median, _, _) in medians.items() if median == float("inf")]
    if missed:
        yield f"| not within {max(caps):.0f} s | {len(missed)} |"
        yield ""
        yield "Of the last, a campaign finds those with its listed cases, which it plays first:"
        yield ""
    shown = [(results[name]["listed"] or "no target", name) for name in missed]
    for target, each in groupby(sorted(shown), key=itemgetter(0)):
        yield f"- {target}: {', '.join(f'`{name}`' for _, name in each)}"


def main():
    """Print the report, or write it to the docs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--impl", default="heap")
    parser.add_argument("--cases", type=int, default=640)
    parser.add_argument("--seconds", type=int, default=30, help="of the campaign whose supervision is measured")
    parser.add_argument("--atheris", nargs="*", default=["ENC-2", "TRN-4", "DEC-1", "OBJ-1"])
    parser.add_argument("--found", type=Path, help="from fuzz_time_to_find.py")
    parser.add_argument("--write", action="store_true", help="into docs/fuzzing.md")
    options = parser.parse_args()
    report = []
    for line in tables(options):
        print(line, flush=True)
        report.append(line)
    if options.write:
        put(DOCS, "measured", report)


if __name__ == "__main__":
    main()
