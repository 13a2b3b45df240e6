"""The tables of `RESULTS.md`: training, encoding, growth, each a list of lines."""

import math
import statistics
from collections.abc import Iterator, Sequence

from benchmarks.corpora import PIECES
from benchmarks.measure import Request, Result, median, ratio, rounds
from benchmarks.rivals import ENCODERS, TRAINERS, installed
from implementations.heap import Tokenizer

ROUNDS = 5
SIZES = (10_000, 100_000, 1_000_000)
GROWTH_LIMIT = 10  # CPU seconds
Growth = dict[tuple[str, str, str], list[list[Result]]]  # (what, piece, who) -> by size, by round


def training(sizes: Sequence[tuple[int, int]], count: int = ROUNDS) -> Iterator[str]:
    """Training on natural text, each rival where it is installed; minbpe's algorithm at the smallest size only."""
    yield "| text | merges | who | CPU s | heap : it | peak MB |"
    yield "|---|---|---|---|---|---|"
    for size, num_merges in sizes:
        who = [name for name in TRAINERS if installed(name) and name != "minbpe's algorithm"]
        found = rounds([Request("train", name, "natural", size, num_merges) for name in who], count)
        ours = next(iter(found.values()))
        for request, results in found.items():
            yield row(f"{size / 1e6:g} MB | {num_merges:,} | {request.who}", ours, results)


def row(head: str, ours: Sequence[Result], results: Sequence[Result]) -> str:
    """One line: seconds, our time over theirs, memory."""
    if results[-1].failed:
        return f"| {head} | {results[-1].failed} | | |"
    memory = statistics.median(result.megabytes for result in results)
    return f"| {head} | {median(results):.2f} | {ratio(ours, results):.2f} | {memory:.0f} |"


def against_minbpe(size: int, num_merges: int, tried: int = 20) -> Iterator[str]:
    """minbpe's algorithm for a few merges, and what all would take: a step costs as much as there are tokens left."""
    heap = Request("train", "heap", "natural", size, num_merges)
    few = Request("train", "minbpe's algorithm", "natural", size, tried)
    found = rounds([heap, few], ROUNDS)
    share = steps_share(size, num_merges, tried)
    factor = 1 / share / ratio(found[heap], found[few])
    slow, fast = median(found[few]), median(found[heap])
    yield f"minbpe's algorithm on {size / 1e6:g} MB: {slow:.1f} s for {tried} merges, which visit {share:.2%} of the"
    yield f"tokens that {num_merges:,} merges visit. heap: {fast:.2f} s for all of them, **{factor:,.0f} times faster**"
    yield "(extrapolated by tokens visited)."


def steps_share(size: int, num_merges: int, tried: int) -> float:
    """The part of the tokens visited in all steps that the first few steps visit."""
    from benchmarks.measure import text_of
    from benchmarks.rivals import PATTERN
    from implementations.heap import TIE_KEYS, Trainer, count_pieces

    pieces = count_pieces([text_of(Request("train", "heap", "natural", size, 0))], PATTERN)
    left = sum(len(piece.encode()) * times for piece, times in pieces.items())
    trainer = Trainer(pieces, TIE_KEYS["first-seen"])
    visited = []
    for _ in range(num_merges):
        pair = trainer._best()
        if pair is None:
            break
        visited.append(left)
        left -= trainer.counts[pair]  # an overlapping count is too large by a little
        trainer._merge(pair)
    return sum(visited[:tried]) / sum(visited)


def tie_rules(size: int, num_merges: int, count: int = ROUNDS) -> Iterator[str]:
    """heap under each tie rule."""
    requests = [Request("train", "heap", "natural", size, num_merges, rule) for rule in Tokenizer.tie_rules]
    found = rounds(requests, count)
    first = found[requests[0]]
    yield "| tie rule | CPU s | over first-seen |"
    yield "|---|---|---|"
    for request, results in found.items():
        yield f"| {request.tie_rule} | {median(results):.2f} | {ratio(results, first):.2f} |"


def encoding(size: int, num_merges: int, count: int = ROUNDS) -> Iterator[str]:
    """Encoding natural text, with merges learned from 1 MB: text not seen before, and the same once more."""
    requests = [
        Request("encode", who, "natural", size, num_merges, again=again)
        for who in ENCODERS
        if installed(who)
        for again in (False, True)
    ]
    found = rounds(requests, count)
    yield "| who | text | MB/s | heap, same text : it |"
    yield "|---|---|---|---|"
    for request, results in found.items():
        ours = found[Request("encode", "heap", "natural", size, num_merges, again=request.again)]
        times = "once more" if request.again else "fresh"
        speed = size / 1e6 / median(results)
        yield f"| {request.who} | {times} | {speed:.2f} | {1 / ratio(ours, results):.2f} |"


def growth_measured(who_trains: Sequence[str], who_encodes: Sequence[str], count: int = ROUNDS) -> Growth:
    """One piece of each kind at each size; once a call fails or takes too long, larger sizes are not tried."""
    found: Growth = {}
    for what, names in (("train", who_trains), ("encode", who_encodes)):
        for piece in PIECES:
            for who in filter(installed, names):
                results = found[what, piece, who] = []
                for size in SIZES:
                    if results and results[-1][-1].failed:
                        break
                    request = Request(what, who, piece, size, 200)
                    results.append(rounds([request], count if who == "heap" else 1, GROWTH_LIMIT)[request])
    return found


def growth(found: Growth) -> Iterator[str]:
    """Seconds by size, and the exponent from the smallest to the largest with the range over the rounds."""
    yield f"| | piece | who | {' | '.join(f'{size:,}' for size in SIZES)} | exponent | MB at the end |"
    yield "|---|---|---|" + "---|" * len(SIZES) + "---|---|"
    for (what, piece, who), by_size in found.items():
        cells = [results[-1].failed or f"{median(results):.3f}" for results in by_size]
        cells += ["–"] * (len(SIZES) - len(cells))
        last = by_size[-1][-1]
        yield f"| {what} | {piece} | {who} | {' | '.join(cells)} | {exponent(by_size)} | {last.megabytes:.0f} |"


def exponent(by_size: Sequence[Sequence[Result]]) -> str:
    """The exponent with the least and the greatest of the rounds; nothing where there is too little to tell from."""
    good = [results for results in by_size if not results[-1].failed]
    if len(good) < 2:
        return "–"
    span = math.log(SIZES[len(good) - 1] / SIZES[0])
    # A call of less than a millisecond is below what the clock and the start of a call let one tell.
    found = [
        math.log(max(last.seconds, 1e-3) / max(first.seconds, 1e-3)) / span
        for first, last in zip(good[0], good[-1], strict=False)
    ]
    return f"{statistics.median(found):.2f} ({min(found):.2f}–{max(found):.2f})"
