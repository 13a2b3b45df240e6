"""The oracle and the reference on the suite's own small examples, and how many corpora a plain loop gets through."""

import itertools
import statistics
import time
from collections.abc import Callable, Iterator

import reference
from implementations.heap import Tokenizer as Heap
from implementations.naive import Tokenizer as Naive
from properties.cases.domains import ENCODING
from properties.cases.programs import Profile
from properties.oracle.fast import Oracle
from reference.model import Vocabulary

EXAMPLES = {
    "12 letters of abc": ("abcabcaabbcc", ["abcabcaabbcc"]),
    "50 letters of ab": ("aabab" * 10, ["aabab" * 10]),
    "50 times a": ("a" * 50, ["a" * 50]),
    "mixed scripts": ("naïve café 日本語 🙂 ελληνικά", ["naïve café 日本語 🙂 ελληνικά"]),
}
MERGES = 20


def microseconds(call: Callable[[], object], number: int = 100, count: int = 7) -> float:
    """CPU microseconds of a call, median of a few rounds."""
    found = []
    for _ in range(count):
        start = time.process_time()
        for _ in range(number):
            call()
        found.append((time.process_time() - start) / number * 1e6)
    return statistics.median(found)


def examples() -> Iterator[str]:
    """Microseconds of one text of at most fifty characters under at most twenty merges."""
    yield "| text | reference µs | oracle µs | oracle made anew µs | reference : oracle |"
    yield "|---|---|---|---|---|"
    for name, (text, corpus) in EXAMPLES.items():
        vocabulary = Vocabulary(tuple(reference.train(corpus, MERGES)))
        oracle, piece = Oracle(vocabulary), text.encode()
        symbols = reference.symbols_of(vocabulary, text)
        slow = microseconds(lambda v=vocabulary, s=symbols: reference.encode_piece(v, s))  # type: ignore[misc]
        fast = microseconds(lambda o=oracle, p=piece: o.tokens(p))  # type: ignore[misc]
        anew = microseconds(lambda v=vocabulary, p=piece: Oracle(v).tokens(p))  # type: ignore[misc]
        yield f"| {name} | {slow:.1f} | {fast:.1f} | {anew:.1f} | {slow / fast:.0f} |"


def small_corpora() -> list[list[str]]:
    """Every text over ab up to 8 letters and over abc up to 5, and every two of texts over ab up to 3."""
    ab = ["".join(letters) for n in range(9) for letters in itertools.product("ab", repeat=n)]
    abc = ["".join(letters) for n in range(6) for letters in itertools.product("abc", repeat=n)]
    short = [text for text in ab if len(text) <= 3]
    return [[text] for text in ab + abc] + [list(texts) for texts in itertools.product(short, repeat=2)]


def corpora_a_second(rules: tuple[str, ...] = ("first-seen", "smallest-bytes")) -> float:
    """Small corpora through both implementations and two tie rules, compared, a CPU second."""
    corpora = small_corpora()
    start = time.process_time()
    for corpus in corpora:
        for rule in rules:
            if Heap.train(corpus, 9, tie_rule=rule) != Naive.train(corpus, 9, tie_rule=rule):
                raise AssertionError((corpus, rule))
    return len(corpora) / (time.process_time() - start)


def drawing() -> float:
    """Microseconds of building one drawn case from its programs, without Hypothesis."""
    programs = ["".join(chr(0xF0080 + (i * 37 + j * 11) % 128) for i in range(20)) for j in range(50)]
    return microseconds(lambda: [ENCODING.case(Profile(), [p, p]) for p in programs], number=1) / len(programs)
