"""Small scopes, all of them: every list of merges with every text, every weighted corpus, up to a bound.

What only renames the letters is enumerated once (spec, ENC-9 and TRN-18): letters appear in the order a, b, c. The
scopes grow stage by stage; `encoding_scope` and `training_scope` say which bound a number of cases has completed.

>>> [merges for merges in lists_of(1, 2)]
[((b'a', b'a'),), ((b'a', b'b'),)]
>>> list(corpora_of(3, "smallest-ids"))[:2]
[('aaa',), ('aaa', 'aaa')]
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import permutations, product
from math import factorial

import reference
from properties.cases.domains import Case, Domain, covering
from properties.cases.programs import Profile
from properties.oracle.fast import makes_again
from reference.model import Merge, Token, Vocabulary

Choose = Callable[[list[Merge], Mapping[bytes, Token]], Merge]

# How many letters, how many merges, how long the texts: each stage is one finite scope.
ENCODING_STAGES = (
    (2, 1, 8),
    (2, 2, 7),
    (3, 2, 5),
    (2, 3, 6),
    (3, 3, 5),
    (2, 4, 6),
    (2, 3, 9),
    (3, 4, 5),
    (2, 5, 7),
    (3, 5, 6),
)
MOST_SYMBOLS = 10
WEIGHTS = (1, 2, 3)
LETTERS = "abc"

# --- lists of merges -----------------------------------------------------------------------------------------------


def lists_of(count: int, letters: int) -> Iterator[tuple[Merge, ...]]:
    """All lists of so many merges that ENC-3 speaks of over so many letters, one for each way of naming the letters."""
    yield from _longer((), tuple(letter.encode() for letter in LETTERS[:letters]), count)


def _longer(merges: tuple[Merge, ...], symbols: tuple[bytes, ...], count: int) -> Iterator[tuple[Merge, ...]]:
    if len(merges) == count:
        yield merges
        return
    tokens = tuple(dict.fromkeys([*symbols, *(left + right for left, right in merges)]))
    used = {byte for merge in merges for byte in merge[0] + merge[1]}
    for merge in product(tokens, tokens):
        if merge not in merges and not makes_again(merges, merge) and _in_order(b"".join(merge), used, symbols):
            yield from _longer((*merges, merge), symbols, count)


def _in_order(made: bytes, used: set[int], symbols: tuple[bytes, ...]) -> bool:
    """Whether letters not used before come in their order: b only after a, c only after b."""
    met = len(used)
    for byte in made:
        place = symbols.index(bytes([byte]))
        if place > met:
            return False
        met = max(met, place + 1)
    return True


@cache
def size_of(stage: tuple[int, int, int]) -> tuple[int, int]:
    """How many lists a stage has, and how many it would have if every naming of the letters were tried."""
    letters, count, _ = stage
    lists = named = 0
    for merges in lists_of(count, letters):
        used = len({byte for left, right in merges for byte in left + right})
        lists += 1
        named += factorial(letters) // factorial(letters - used)
    return lists, named


@lru_cache(maxsize=8)
def texts_of(letters: str, longest: int) -> tuple[str, ...]:
    """All texts over the letters, the short ones first."""
    return tuple("".join(text) for length in range(1, longest + 1) for text in product(letters, repeat=length))


def _encoding(profile: Profile) -> Iterator[Case]:
    pattern = profile.patterns[0]  # letters alone are one piece under every pattern
    for letters, count, longest in ENCODING_STAGES:
        for merges in lists_of(count, letters):
            yield {"vocabulary": Vocabulary(merges, pattern=pattern), "letters": LETTERS[:letters], "longest": longest}


def encoding_scope(profile: Profile, cases: int) -> str:
    """Which scope so many lists complete."""
    done, saved = "none completed", ""
    tried = 0
    for letters, count, longest in ENCODING_STAGES:
        lists, named = size_of((letters, count, longest))
        if cases < lists:
            break
        cases -= lists
        tried += lists * len(texts_of(LETTERS[:letters], longest))
        done = f"all lists of {count} merges over {letters} letters with all texts up to length {longest}"
        saved = f"; the last of {lists:,} lists in place of {named:,} with the letters renamed"
    return f"{done} ({tried:,} encodings{saved})" if tried else done


def _admits_all_texts(case: Case) -> bool:
    """As small as the enumeration: at most as many texts."""
    vocabulary: Vocabulary = case["vocabulary"]
    return (
        len(case["letters"]) ** case["longest"] <= 3**7
        and case["letters"].isascii()
        and case["letters"].isalpha()
        and len(set(case["letters"])) == len(case["letters"])
        and not vocabulary.special_tokens
        and not vocabulary.end_of_word
        and case["longest"] > 0
    )


ALL_TEXTS = Domain(
    ("vocabulary", "letters", "longest"), admits=_admits_all_texts, listed=_encoding, scope=encoding_scope
)

# --- corpora -------------------------------------------------------------------------------------------------------


@cache
def _words(length: int) -> tuple[str, ...]:
    return tuple("".join(word) for word in product("ab", repeat=length))


def _pieces(symbols: int, shortest: str = "") -> Iterator[tuple[str, ...]]:
    """All sets of different words of at least two letters that have so many symbols together, each in one order."""
    if symbols == 0:
        yield ()
    for length in range(2, symbols + 1):
        for word in _words(length):
            if (length, word) > (len(shortest), shortest):
                for others in _pieces(symbols - length, word):
                    yield (word, *others)


def corpora_of(symbols: int, tie_rule: str) -> Iterator[tuple[str, ...]]:
    """All corpora of different words with weights 1 to 3, with so many symbols before weighting.

    Ties that fall to the pair seen first do not depend on the names of the letters: each corpus is taken in every order
    and under one naming. Those of the other rules do not depend on the order: one order, and every naming.
    """
    by_place = tie_rule not in reference.STATIC_TIE_RULES
    for words in _pieces(symbols):
        for ordered in permutations(words) if by_place else (words,):
            if by_place and "".join(ordered)[0] != "a":
                continue
            for weights in product(WEIGHTS, repeat=len(ordered)):
                yield tuple(word for word, times in zip(ordered, weights, strict=True) for _ in range(times))


@cache
def corpora_count(symbols: int, tie_rule: str) -> int:
    """How many corpora there are of so many symbols."""
    return sum(1 for _ in corpora_of(symbols, tie_rule))


def _training(profile: Profile) -> Iterator[Case]:
    for symbols in range(2, MOST_SYMBOLS + 1):
        for rule in profile.tie_rules or ("first-seen",):
            for corpus in corpora_of(symbols, rule):
                yield {"corpus": corpus, "pattern": profile.train_patterns[0], "tie_rule": rule}


def training_scope(profile: Profile, cases: int) -> str:
    """Which scope so many corpora complete."""
    rules = profile.tie_rules or ("first-seen",)
    completed = tried = 0
    for symbols in range(2, MOST_SYMBOLS + 1):
        size = sum(corpora_count(symbols, rule) for rule in rules)
        if cases - tried < size:
            break
        completed, tried = symbols, tried + size
    if not completed:
        return "none completed"
    ties = f" under {len(rules)} tie rules" if len(rules) > 1 else ""
    return f"all weighted corpora up to {completed} symbols of 2 letters{ties} ({tried:,} trainings)"


def _admits_corpus(case: Case) -> bool:
    words = set(case["corpus"])
    small = sum(map(len, words)) <= MOST_SYMBOLS and len(case["corpus"]) <= 30
    return small and set("".join(words)) <= set("ab") and covering(case["pattern"])


def first_fault(corpus: Sequence[str], merges: Sequence[Merge], choose: Choose | None) -> str:
    """The greedy certificate of a corpus of letters, where each document is one piece; the empty text where it holds.

    As `certificate.certify`, for corpora so small that making an oracle would take longer than the rest; with `choose`,
    the tie rule is certified too.

    >>> first_fault(["aab"], [(b"a", b"a"), (b"aa", b"b")], None)
    ''
    >>> first_fault(["aab"], [(b"a", b"a")], None), first_fault(["aab"], [(b"a", b"a"), (b"a", b"b")], None)
    ('stops while a pair is left', 'merge 1 occurs 0 times, another pair 1 times')
    """
    words = dict(Counter(corpus))
    name_of, token_of = {b"a": "a", b"b": "b"}, {"a": b"a", "b": b"b"}
    ids = {b"a": 97, b"b": 98}
    for rank, merge in enumerate(merges):
        counts = _counts(words)
        highest = max(counts.values(), default=0)
        pair = name_of.get(merge[0], "?") + name_of.get(merge[1], "?")
        if not 0 < counts.get(pair, 0) == highest:
            return f"merge {rank} occurs {counts.get(pair, 0)} times, another pair {highest} times"
        if choose is not None:
            best = [(token_of[both[0]], token_of[both[1]]) for both, count in counts.items() if count == highest]
            if len(best) > 1 and choose(best, ids) != merge:
                return f"merge {rank} breaks a tie otherwise than the declared rule"
        made = merge[0] + merge[1]
        ids.setdefault(made, 256 + rank)
        name = name_of.setdefault(made, chr(0x100 + rank))
        token_of[name] = made
        words = {word.replace(pair, name): times for word, times in words.items()}
    return "stops while a pair is left" if _counts(words) else ""


def _counts(words: dict[str, int]) -> dict[str, int]:
    """The count of each pair, in the order in which they are first seen."""
    counts: dict[str, int] = {}
    for word, times in words.items():
        for place in range(len(word) - 1):
            pair = word[place : place + 2]
            counts[pair] = counts.get(pair, 0) + times
    return counts


ALL_CORPORA = Domain(("corpus", "pattern", "tie_rule"), admits=_admits_corpus, listed=_training, scope=training_scope)
