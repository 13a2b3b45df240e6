"""Training checked without training: the merges are replayed and every count is taken anew.

A piece is a text of one character a token, as in `oracle.py`, so that counting and merging run in C. Occurrences are
counted overlapping; a piece that stands in the corpus n times counts n times.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add

import reference
from properties.oracle.expected import parts_of
from properties.oracle.fast import Oracle, single_bytes
from reference.model import Merge, Vocabulary

NO_MERGES = Vocabulary()


@dataclass(frozen=True)
class Turn:
    """One merge at its turn: its count, and the highest count of any pair then."""

    rank: int
    merge: Merge
    count: int
    highest: int


@dataclass(frozen=True)
class Certificate:
    """All turns, and the highest count that is left after the last."""

    turns: tuple[Turn, ...]
    left_over: int


def certify(
    corpus: Iterable[str], pattern: str | None, merges: Sequence[Merge], special_tokens: Iterable[str] = ()
) -> Certificate:
    """Replay merges over a corpus. A merge whose sides nothing has made counts zero.

    >>> certificate = certify(["aaab"], None, [(b"a", b"a"), (b"aa", b"b")])
    >>> [(turn.count, turn.highest) for turn in certificate.turns], certificate.left_over
    ([(2, 2), (0, 1)], 1)
    """
    oracle = Oracle(NO_MERGES)
    pieces = pieces_of(corpus, pattern, special_tokens)
    words = {"".join(map(oracle.character_of.__getitem__, single_bytes(p.encode()))): n for p, n in pieces.items()}
    turns = tuple(_turns(oracle, words, merges))
    return Certificate(turns, max(_pair_counts(words).values(), default=0))


def pieces_of(corpus: Iterable[str], pattern: str | None, special_tokens: Iterable[str] = ()) -> Counter[str]:
    """The pieces of all documents, with how often each stands there."""
    specials = frozenset(special_tokens)
    pieces: Counter[str] = Counter()
    for document, copies in Counter(corpus).items():
        for part in parts_of(specials, document):
            if part not in specials:
                for piece in reference.pretokenize(pattern, part):
                    pieces[piece] += copies
    return pieces


def _turns(oracle: Oracle, words: dict[str, int], merges: Sequence[Merge]) -> Iterator[Turn]:
    for rank, merge in enumerate(merges):
        counts = _pair_counts(words)
        left, right = (oracle.character_of.get(side, "\uffff") for side in merge)
        yield Turn(rank, merge, counts.get(left + right, 0), max(counts.values(), default=0))
        if "\uffff" in (left, right):
            continue
        oracle.append(merge)
        pair, made = oracle.steps[-1]
        merged = [(word.replace(pair, made), times) for word, times in words.items()]
        words.clear()
        words.update(merged)  # no two become the same: each token stands for one run of bytes


def _pair_counts(words: Mapping[str, int]) -> dict[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for word, times in words.items():
        for pair in map(add, word, word[1:]):
            counts[pair] += times
    return counts


def saturated(certificate: Certificate, num_merges: int) -> bool:
    """Whether training went on until there was nothing left to do."""
    return len(certificate.turns) == num_merges or certificate.left_over == 0


def planted(merges: Sequence[Merge], lead: int = 1) -> tuple[str, ...]:
    """A corpus that trains to exactly these merges, whatever the tie rule (theory: a trainable list is its own corpus).

    Every token is a document, as often as it takes for each pair to beat every other at its turn by `lead`: the
    weights are chosen from the last merge to the first, for documents of earlier tokens are single tokens by then.

    >>> planted([(b"a", b"b"), (b"ab", b"a")])
    ('ab', 'aba')
    """
    weights: list[int] = [0] * len(merges)
    for turn in reversed(range(len(merges))):
        oracle = Oracle(NO_MERGES)
        for merge in merges[:turn]:
            oracle.append(merge)
        counts: Counter[str] = Counter()
        for later in range(turn + 1, len(merges)):
            word = oracle.replayed(single_bytes(b"".join(merges[later])))
            counts.update({pair: n * weights[later] for pair, n in _pair_counts({word: 1}).items()})
        own = "".join(oracle.character_of[side] for side in merges[turn])
        highest = max((count for pair, count in counts.items() if pair != own), default=0)
        weights[turn] = max(1, highest + lead - counts[own])
    return tuple(b"".join(merge).decode() for merge, n in zip(merges, weights, strict=True) for _ in range(n))
