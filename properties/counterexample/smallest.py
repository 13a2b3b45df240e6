"""The small cases in the order of their size: where a fault shows in one of them, the first is its canonical form.

Deleting and renaming end in different places from different starts. A fault that shows in a small case shows in a first
one of all small cases, and that does not depend on where it was found.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

from properties.cases.domains import Case
from properties.cases.exhaustive import LETTERS, corpora_of, lists_of, texts_of
from reference.model import Vocabulary

Size = Callable[[Case], tuple[int, int, str]]

# How many merges over how many letters, with texts up to which length.
ENCODINGS = ((0, 2, 3), (1, 2, 6), (2, 2, 5), (2, 3, 4), (3, 2, 4))
SPECIALS = (("a",), ("ab",), ("a", "aa"), ("aa", "a"), ("a", "ab"), ("ab", "a"), ("ab", "b"), ("b", "ab"), ("a", "b"))


def smaller_cases(case: Case, size: Size) -> Iterator[Case]:
    """Small cases of the same arguments that are smaller than a case, the smallest first; of a few kinds of cases."""
    limit = size(case)
    for smaller in _small(tuple(sorted(case)), case.get("tie_rule", ""), size):
        if size(smaller) >= limit:
            return
        yield smaller


@cache
def _small(arguments: tuple[str, ...], tie_rule: str, size: Size) -> tuple[Case, ...]:
    if arguments == ("text", "vocabulary"):
        found = [*_encodings()]
    elif arguments == ("other", "text", "vocabulary"):
        found = [case | {"other": ""} for case in _with_specials()]
    elif arguments == ("corpus", "num_merges", "pattern", "tie_rule"):
        found = [*_trainings(tie_rule)]
    else:
        return ()
    return tuple(sorted(found, key=size))


def _encodings() -> Iterator[Case]:
    for count, letters, longest in ENCODINGS:
        for merges in lists_of(count, letters):
            vocabulary = Vocabulary(merges)
            for text in texts_of(LETTERS[:letters], longest):
                yield {"vocabulary": vocabulary, "text": text}


def _with_specials() -> Iterator[Case]:
    for specials, merges in product(SPECIALS, ((), ((b"a", b"b"),))):
        ids = {text: 256 + len(merges) + place for place, text in enumerate(specials)}
        vocabulary = Vocabulary(merges, ids)
        for text in ("", *texts_of("ab", 4)):
            yield {"vocabulary": vocabulary, "text": text}


def _trainings(tie_rule: str) -> Iterator[Case]:
    for symbols, num_merges in product(range(2, 6), (1, 2, 3, 9)):
        for corpus in corpora_of(symbols, tie_rule):
            yield {"corpus": corpus, "num_merges": num_merges, "pattern": None, "tie_rule": tie_rule}
