"""Whether features of the case guide a search that sees no code: `python benchmarks/fuzz_guidance.py`.

A compiled tokenizer shows no coverage. What a case does can be seen all the same, from the reference's side: which
merges fire one after the other, how long the runs are, how many ties there are. Here inputs that show a new feature are
kept, and half of the cases are changes of these. For planted bugs in encoding, ten seeds each, the CPU seconds to the
first failure of ENC-3, with and without. What came of it stands in docs/fuzzing.md.
"""

import argparse
import itertools
import random
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

from fuzz_time_to_find import in_child  # noqa: E402

from fuzz.blind import Blind  # noqa: E402
from fuzz.mutate import crossed, mutated  # noqa: E402
from fuzz.targets import targets  # noqa: E402
from implementations.loader import resolve  # noqa: E402
from properties.oracle.fast import oracle_of, single_bytes  # noqa: E402
from properties.runner import failure, profile_of  # noqa: E402

FILES = ("merging", "ranks", "overlap", "heaps_and_counts", "widths", "saturation")
KEPT = 4_000


def features(case):
    """What a case does, by the reference: merges that fire one after the other, how often, runs, pieces."""
    vocabulary, text = case["vocabulary"], case["text"]
    oracle = oracle_of(vocabulary)
    piece = "".join(map(oracle.character_of.__getitem__, single_bytes(text.encode(errors="ignore"))))
    found, before = set(), -1
    for rank, (pair, made) in enumerate(oracle.steps):
        times = piece.count(pair)
        if times:
            found.add(("after", before, rank))
            found.add(("times", rank, times.bit_length()))
            found.add(("same", rank, pair[0] == pair[1], (made * 2) in piece))
            before = rank
            piece = piece.replace(pair, made)
    run = longest = 1
    for one, other in itertools.pairwise(text):
        run = run + 1 if one == other else 1
        longest = max(longest, run)
    found |= {("run", longest.bit_length()), ("length", len(text).bit_length()), ("tokens", len(piece).bit_length())}
    return found


def scrambled(data, longest, source):
    """A change of single bytes, as libFuzzer makes them."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        changed[source.randrange(len(changed))] = source.randrange(256)
    return bytes(changed[:longest])


def search(implementation, seed, cap, guided):
    """CPU seconds to the first failure."""
    implementation.call_limit = 2.0
    profile = profile_of(implementation)
    [target] = targets(["ENC-3"])
    blind, source = Blind(seed, target), random.Random(seed)
    seen, corpus = set(), []
    start, cases = time.process_time(), 0
    while time.process_time() - start < cap:
        data = blind.data(cases)
        if guided and corpus and source.random() < 0.5:
            one = source.choice(corpus)
            if source.random() < 0.3:
                data = crossed(one, source.choice(corpus), 512, source)
            else:
                data = mutated(one, 512, source, blind, lambda d, n: scrambled(d, n, source))
        case = target.case(profile, data)
        cases += 1
        if failure(target.claim, implementation, case) is not None:
            return {"seconds": time.process_time() - start, "cases": cases}
        if guided:
            new = features(case) - seen
            if new:
                seen |= new
                if len(corpus) < KEPT:
                    corpus.append(data)
    return {"seconds": None, "cases": cases}


def main():
    """Compare, bug by bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cap", type=float, default=10.0)
    parser.add_argument("--most", type=int, default=40, help="bugs")
    options = parser.parse_args()
    better = worse = 0
    bugs = [i for name in FILES for i in resolve(f"{ROOT}/tests/known_wrong/{name}.py:Bad*")][: options.most]
    for implementation in bugs:
        medians = []
        for guided in (False, True):
            finds = [in_child(search, implementation, seed, options.cap, guided) for seed in range(options.seeds)]
            times = [find["seconds"] if find.get("seconds") is not None else options.cap for find in finds]
            medians.append(statistics.median(times))
        if medians[0] >= options.cap and medians[1] >= options.cap:
            continue  # no fault of encoding
        better += medians[1] < 0.8 * medians[0]
        worse += medians[1] > 1.25 * medians[0]
        print(f"{implementation.name:45} without {medians[0]:7.3f} s   with {medians[1]:7.3f} s", flush=True)
    print(f"with features: clearly sooner for {better} bugs, clearly later for {worse}")


if __name__ == "__main__":
    main()
