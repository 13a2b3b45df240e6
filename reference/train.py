"""Section 3: training counts the pairs, joins the commonest one everywhere, and begins again.

A word is the tokens of one piece so far. Equal pieces have equal words, so each word is held once, with how often it
occurs, in the order of first appearance. Every step counts anew: slow, and plainly what the definition says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from reference.encode import apply_merge, pieces_of, symbols_of
from reference.model import SINGLE_BYTES, Merge, Token, Vocabulary
from reference.special import split_special_tokens

Word = tuple[bytes, ...]
TieRule = Callable[[list[Merge], Mapping[bytes, Token]], Merge]  # from the best pairs, first seen first, and the ids

PRINTABLE_ORDER = [*range(33, 127), *range(161, 173), *range(174, 256)]
PRINTABLE_ORDER += [value for value in range(256) if value not in PRINTABLE_ORDER]


@dataclass(frozen=True)
class Step:
    """One step of training: the merge learned, its count, all counts it was chosen from, and the words after it."""

    rank: int
    merge: Merge
    count: int
    counts: dict[Merge, int]
    words: dict[Word, int]


def train(
    corpus: Iterable[str],
    num_merges: int,
    *,
    pattern: str | None = None,
    tie_rule: str = "first-seen",
    special_tokens: Iterable[str] = (),
    base: tuple[bytes, ...] = SINGLE_BYTES,
    end_of_word: bytes = b"",
) -> tuple[Merge, ...]:
    """The merges learned from the corpus, in order: as many as asked for, or fewer where no pair is left.

    Each text of the corpus is a document: nothing merges across two. Special tokens are cut out and teach nothing.
    Raises a `ValueError` for an unknown tie rule, a negative number of merges, or a text that cannot be encoded.

    >>> train(["aaabdaaabac"], 3)
    ((b'a', b'a'), (b'aa', b'a'), (b'aaa', b'b'))
    >>> train(["low lower"], 2, base=(b"l", b"o", b"w", b"e", b"r", b"_"), end_of_word=b"_")
    ((b'l', b'o'), (b'lo', b'w'))
    """
    start = starting_vocabulary(pattern, special_tokens, base, end_of_word)
    return tuple(step.merge for step in training_steps_from(start, corpus, num_merges, tie_rule))


def training_steps(
    corpus: Iterable[str],
    num_merges: int,
    *,
    pattern: str | None = None,
    tie_rule: str = "first-seen",
    special_tokens: Iterable[str] = (),
    base: tuple[bytes, ...] = SINGLE_BYTES,
    end_of_word: bytes = b"",
) -> Iterator[Step]:
    """The steps of `train`, one after the other. Raises as `train` does.

    >>> for step in training_steps(["abab", "ab"], 2):
    ...     print(step.rank, step.merge, step.count, step.words)
    0 (b'a', b'b') 3 {(b'ab', b'ab'): 1, (b'ab',): 1}
    1 (b'ab', b'ab') 1 {(b'abab',): 1, (b'ab',): 1}
    """
    start = starting_vocabulary(pattern, special_tokens, base, end_of_word)
    return training_steps_from(start, corpus, num_merges, tie_rule)


def starting_vocabulary(
    pattern: str | None, special_tokens: Iterable[str], base: tuple[bytes, ...], end_of_word: bytes
) -> Vocabulary:
    """The vocabulary that training starts from: no merges yet. Raises `MalformedVocabulary`.

    >>> starting_vocabulary(None, ["<end>"], SINGLE_BYTES, b"").special_tokens
    {'<end>': 256}
    """
    special_ids = {text: len(base) + i for i, text in enumerate(dict.fromkeys(special_tokens))}
    return Vocabulary((), special_ids, pattern, base, end_of_word)


def training_steps_from(start: Vocabulary, corpus: Iterable[str], num_merges: int, tie_rule: str) -> Iterator[Step]:
    """The steps of training on the corpus: count, choose, merge, and again.

    >>> [step.merge for step in training_steps_from(Vocabulary(), ["aab"], 9, "largest-bytes")]
    [(b'a', b'b'), (b'a', b'ab')]
    """
    choose = tie_rule_named(tie_rule)
    if num_merges < 0:
        raise ValueError(f"{num_merges} merges were asked for: the number of merges is a natural number")
    words, ids = corpus_words(start, corpus), dict(start.id_of)
    for rank in range(num_merges):
        counts = count_pairs(words)
        if not counts:
            return
        merge = choose(best_pairs(counts), ids)
        ids.setdefault(merge[0] + merge[1], len(start.base) + rank)
        # two words of different bytes stay different, so no two entries fall together
        words = {apply_merge(word, merge): times for word, times in words.items()}
        yield Step(rank, merge, counts[merge], counts, words)


def corpus_words(vocabulary: Vocabulary, corpus: Iterable[str]) -> dict[Word, int]:
    """The words of the corpus, in the order of first appearance, each with how often it occurs.

    >>> corpus_words(Vocabulary(pattern=" ?[a-z]+", special_tokens={"<end>": 256}), ["a b b<end>b"])
    {(b'a',): 1, (b' ', b'b'): 2, (b'b',): 1}
    """
    words: dict[Word, int] = {}
    for document, copies in Counter(corpus).items():
        for part in split_special_tokens(vocabulary.special_tokens, document):
            if part not in vocabulary.special_tokens:
                for piece in pieces_of(vocabulary, part):
                    word = symbols_of(vocabulary, piece)
                    words[word] = words.get(word, 0) + copies
    return words


def count_pairs(words: Mapping[Word, int]) -> dict[Merge, int]:
    """How often each pair of neighbours occurs, overlapping occurrences counted, in the order first seen.

    >>> count_pairs({(b"a", b"a", b"a", b"a"): 1, (b"a", b"b"): 5})
    {(b'a', b'a'): 3, (b'a', b'b'): 5}
    """
    counts: dict[Merge, int] = {}
    for word, times in words.items():
        for pair in pairwise(word):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def best_pairs(counts: Mapping[Merge, int]) -> list[Merge]:
    """The pairs of the highest count, in the order first seen.

    >>> best_pairs({(b"a", b"b"): 2, (b"b", b"a"): 1, (b"c", b"a"): 2})
    [(b'a', b'b'), (b'c', b'a')]
    """
    highest = max(counts.values())
    return [pair for pair, count in counts.items() if count == highest]


def first_seen(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The pair met first when the words are scanned in order of their first appearance, each left to right.

    >>> first_seen([(b"b", b"a"), (b"a", b"b")], {})
    (b'b', b'a')
    """
    return best[0]


def smallest_bytes(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The smallest pair of byte strings, the left ones compared first.

    >>> smallest_bytes([(b"ab", b"c"), (b"a", b"d")], {})
    (b'a', b'd')
    """
    return min(best)


def largest_bytes(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The largest pair of byte strings, the left ones compared first.

    >>> largest_bytes([(b"ab", b"c"), (b"a", b"d")], {})
    (b'ab', b'c')
    """
    return max(best)


def smallest_ids(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The smallest pair of ids, the left ones compared first.

    >>> smallest_ids([(b"ab", b"c"), (b"d", b"a")], {b"a": 97, b"c": 99, b"d": 100, b"ab": 256})
    (b'd', b'a')
    """
    return min(best, key=lambda pair: (ids[pair[0]], ids[pair[1]]))


def smallest_ids_mapped(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """As `smallest_ids`, the single bytes numbered in GPT-2's order: first the printable ones, then the others.

    Single bytes come before all other tokens.

    >>> smallest_ids_mapped([(b" ", b"a"), (b"b", b"a")], {b" ": 32, b"a": 97, b"b": 98})
    (b'b', b'a')
    """

    def mapped(token: bytes) -> tuple[bool, int]:
        return (False, PRINTABLE_ORDER.index(token[0])) if len(token) == 1 else (True, ids[token])

    return min(best, key=lambda pair: (mapped(pair[0]), mapped(pair[1])))


def shortest_then_smallest(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The pair whose joined bytes are shortest; among those of one length, whose joined bytes are smallest.

    >>> shortest_then_smallest([(b"ab", b"c"), (b"d", b"a"), (b"c", b"a")], {})
    (b'c', b'a')
    """
    return min(best, key=lambda pair: (len(pair[0] + pair[1]), pair[0] + pair[1]))


def smallest_concatenation(best: list[Merge], ids: Mapping[bytes, Token]) -> Merge:
    """The pair whose joined characters are smallest; where one is a prefix of the other, the longer wins.

    UTF-8 keeps the order of the characters, so the bytes are compared, with an end greater than any byte.

    >>> smallest_concatenation([(b"a", b"b"), (b"ab", b"c"), (b"b", b"a")], {})
    (b'ab', b'c')
    """
    return min(best, key=lambda pair: (*pair[0], *pair[1], 256))


TIE_RULES: dict[str, TieRule] = {
    "first-seen": first_seen,
    "smallest-bytes": smallest_bytes,
    "largest-bytes": largest_bytes,
    "smallest-ids": smallest_ids,
    "smallest-ids-mapped": smallest_ids_mapped,
    "shortest-then-smallest": shortest_then_smallest,
    "smallest-concatenation": smallest_concatenation,
}
STATIC_TIE_RULES = tuple(name for name in TIE_RULES if name != "first-seen")  # these look only at the pair


def tie_rule_named(name: str) -> TieRule:
    """The tie rule of that name. Raises a `ValueError` that lists the choices.

    >>> tie_rule_named("first")
    Traceback (most recent call last):
        ...
    ValueError: no tie rule 'first'; there are first-seen, smallest-bytes, largest-bytes, smallest-ids, \
smallest-ids-mapped, shortest-then-smallest, smallest-concatenation
    """
    if name not in TIE_RULES:
        raise ValueError(f"no tie rule {name!r}; there are {', '.join(TIE_RULES)}")
    return TIE_RULES[name]
