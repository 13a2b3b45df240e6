"""The generators are held to account: how often a drawn case is about what matters, and what plain text would give.

Each rate is asserted at half to two thirds of what was measured, so that a change that halves it fails. The measured
rates are printed by `python -m tests.test_generators`.
"""

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import reference
from properties.budgets import BUDGETS
from properties.cases.domains import (
    ANY_LIST,
    ASCII_PIECE,
    CORPORA,
    CORPORA_WITH_SPECIALS,
    ENCODING,
    IDS,
    LONG_PIECES,
    MANY_CALLS,
    ONE_PIECE,
    SPECIAL,
    SPLICED_IDS,
    SURROGATES,
    TO_SATURATION,
    TWO_SIDED,
    WHITE_SPACE,
    encodable,
)
from properties.cases.programs import Profile
from properties.claims import all_claims
from properties.oracle.certificate import certify, pieces_of
from properties.oracle.expected import tokens_of_piece
from properties.oracle.fast import trainable
from properties.runner import try_claim
from properties.strength.runs import implementations_of

EXAMPLES = 400
PROFILE = Profile(tie_rules=tuple(reference.TIE_RULES))


@cache
def drawn(domain, number=0):
    """Cases as the runner draws them."""
    return tuple(_collected(domain.strategy(PROFILE), number))


def _collected(strategy, number=0):
    cases = []

    @seed(number)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(case):
        cases.append(case)

    collect()
    return cases


# --- facts of a case -----------------------------------------------------------------------------------------------


def pieces(case):
    """The pieces that are encoded, with their tokens."""
    vocabulary = case["vocabulary"]
    for part in reference.split_special_tokens(vocabulary.special_tokens, case["text"]):
        if part not in vocabulary.special_tokens:
            for piece in reference.pretokenize(vocabulary.pattern, part):
                yield piece, tokens_of_piece(vocabulary, piece.encode())


def merges_fired(case):
    return sum(len(piece.encode()) - len(tokens) for piece, tokens in pieces(case))


def has_rich_piece(case):
    """A piece in which at least three merges fired and at least three tokens are left."""
    return any(len(tokens) >= 3 and len(piece.encode()) - len(tokens) >= 3 for piece, tokens in pieces(case))


def has_run(case):
    """Three equal bytes in a row of which a merge of the list makes one token with itself."""
    doubled = {left for left, right in case["vocabulary"].merges if left == right}
    return any(token * 3 in case["text"].encode() for token in doubled)


def specials_met(case):
    parts = reference.split_special_tokens(case["vocabulary"].special_tokens, case["text"])
    return [part in case["vocabulary"].special_tokens for part in parts]


def has_adjacent_specials(case):
    return any(one and two for one, two in pairwise(specials_met(case)))


def has_overlapping_specials(case):
    """Two special tokens of the vocabulary begin at places where they share a character."""
    text, specials = case["text"], case["vocabulary"].special_tokens
    spans = sorted((i, i + len(one)) for one in specials for i in range(len(text)) if text.startswith(one, i))
    return any(two[0] < one[1] for one, two in pairwise(spans))


def longest_piece(case):
    return max((len(piece.encode()) for piece, _ in pieces(case)), default=0)


def meets_tie(case):
    """A step of training at which several pairs have the highest count."""
    steps = reference.training_steps(case["corpus"], min(case["num_merges"], 8), pattern=case["pattern"])
    return any(sum(n == step.count for n in step.counts.values()) > 1 for step in steps)


def counts_overlap(case):
    """A piece with three equal characters in a row, where overlapping and applied occurrences part."""
    return any(a == b == c for piece in pieces_of(case["corpus"], case["pattern"]) for a, b, c in triples(piece))


def triples(text):
    return zip(text, text[1:], text[2:], strict=False)


def has_repeated_piece(case):
    return any(n > 1 for n in pieces_of(case["corpus"], case["pattern"]).values())


def learns(case):
    return len(reference.train(case["corpus"], min(case["num_merges"], 12), pattern=case["pattern"]))


def splits_character(case):
    """Ids whose tokens are no UTF-8 on their own somewhere."""
    return any(not is_text(case["vocabulary"].bytes_of[i]) for i in case["ids"])


def is_text(data):
    try:
        return data.decode() is not None
    except UnicodeDecodeError:
        return False


def rate(domain, fact):
    cases = drawn(domain)
    return sum(bool(fact(case)) for case in cases) / len(cases)


def mean(domain, fact):
    cases = drawn(domain)
    return sum(map(fact, cases)) / len(cases)


def distinct_texts(domain):
    return len({(case["vocabulary"], case["text"]) for case in drawn(domain)}) / len(drawn(domain))


# --- the table: what, how measured, the least ----------------------------------------------------------------------

RATES = {
    "ENCODING merges fired": (lambda: mean(ENCODING, merges_fired), 12),
    "ENCODING some merge fired": (lambda: rate(ENCODING, merges_fired), 0.5),
    "ENCODING a piece of 3 merges and 3 tokens": (lambda: rate(ENCODING, has_rich_piece), 0.3),
    "ENCODING special tokens met": (lambda: rate(ENCODING, lambda case: any(specials_met(case))), 0.13),
    "ENCODING text beyond ASCII": (lambda: rate(ENCODING, lambda case: not case["text"].isascii()), 0.35),
    "ENCODING different cases": (lambda: distinct_texts(ENCODING), 0.9),
    "ONE_PIECE merges fired": (lambda: mean(ONE_PIECE, merges_fired), 15),
    "ONE_PIECE a piece of 3 merges and 3 tokens": (lambda: rate(ONE_PIECE, has_rich_piece), 0.45),
    "ONE_PIECE a run of a token that merges with itself": (lambda: rate(ONE_PIECE, has_run), 0.25),
    "ASCII_PIECE a piece of 3 merges and 3 tokens": (lambda: rate(ASCII_PIECE, has_rich_piece), 0.4),
    "TWO_SIDED a piece of 3 merges and 3 tokens": (lambda: rate(TWO_SIDED, has_rich_piece), 0.2),
    "ANY_LIST the list is not trainable": (
        lambda: rate(ANY_LIST, lambda case: not trainable(case["vocabulary"])),
        0.35,
    ),
    "ANY_LIST a token made twice": (lambda: rate(ANY_LIST, makes_a_token_twice), 0.2),
    "ANY_LIST the text is one token of the list": (lambda: rate(ANY_LIST, is_one_token), 0.18),
    "SPECIAL a special token met": (lambda: rate(SPECIAL, lambda case: any(specials_met(case))), 0.45),
    "SPECIAL adjacent special tokens": (lambda: rate(SPECIAL, has_adjacent_specials), 0.16),
    "SPECIAL overlapping special tokens": (lambda: rate(SPECIAL, has_overlapping_specials), 0.1),
    "SURROGATES a lone surrogate": (lambda: rate(SURROGATES, lambda case: not encodable(case["text"])), 1),
    "SURROGATES text on either side of it": (lambda: rate(SURROGATES, surrounds_surrogate), 0.6),
    "WHITE_SPACE two white spaces in a row": (lambda: rate(WHITE_SPACE, has_doubled_space), 0.5),
    "LONG_PIECES a piece of more than 128 bytes": (lambda: rate(LONG_PIECES, lambda c: longest_piece(c) > 128), 0.28),
    "LONG_PIECES a piece of more than 512 bytes": (lambda: rate(LONG_PIECES, lambda c: longest_piece(c) > 512), 0.16),
    "MANY_CALLS calls": (lambda: mean(MANY_CALLS, lambda case: len(case["texts"])), 50),
    "IDS bytes that are no text on their own": (lambda: rate(IDS, splits_character), 0.5),
    "SPLICED_IDS neighbours that are a merge": (lambda: rate(SPLICED_IDS, holds_a_merge), 0.22),
    "CORPORA ties met": (lambda: rate(CORPORA, meets_tie), 0.55),
    "CORPORA merges learned": (lambda: mean(CORPORA, learns), 4),
    "CORPORA three equal characters in a row": (lambda: rate(CORPORA, counts_overlap), 0.45),
    "CORPORA a piece that stands there twice": (lambda: rate(CORPORA, has_repeated_piece), 0.37),
    "CORPORA several documents": (lambda: rate(CORPORA, lambda case: len(case["corpus"]) > 1), 0.55),
    "TO_SATURATION merges learned": (lambda: mean(TO_SATURATION, learns), 5),
    "CORPORA_WITH_SPECIALS a special token between letters": (
        lambda: rate(CORPORA_WITH_SPECIALS, special_inside),
        0.55,
    ),
}


def makes_a_token_twice(case):
    made = Counter(left + right for left, right in case["vocabulary"].merges)
    return any(n > 1 for n in made.values())


def is_one_token(case):
    return case["text"].encode() in {left + right for left, right in case["vocabulary"].merges}


def surrounds_surrogate(case):
    places = [place for place, character in enumerate(case["text"]) if not encodable(character)]
    return any(0 < place < len(case["text"]) - 1 for place in places)


def has_doubled_space(case):
    return any(a.isspace() and b.isspace() for a, b in pairwise(case["text"]))


def holds_a_merge(case):
    tokens = [case["vocabulary"].bytes_of[i] for i in case["ids"]]
    return any(pair in case["vocabulary"].ranks for pair in pairwise(tokens))


def special_inside(case):
    return any(special in document[1:-1] for document in case["corpus"] for special in case["special_tokens"])


@pytest.mark.parametrize("what", RATES)
def test_rate(what):
    measure, least = RATES[what]

    assert measure() >= least


LONGEST_MATCH = "tests/known_wrong/merging.py:BadLongestMatch"


@pytest.mark.parametrize("number", range(20))
def test_longest_match_is_refuted_by_every_seed(number):
    """On trainable lists alone, where greedy longest match is right more often than not."""
    [implementation] = implementations_of(LONGEST_MATCH)
    [claim] = [claim for claim in all_claims() if claim.id == "ENC-2"]
    outcome = try_claim(claim, implementation, BUDGETS["default"], seed_number=number, shrinking=False)

    assert outcome.status == "refuted"


def plain_text_cases():
    """The same vocabularies with the texts of `st.text()`."""
    vocabularies = st.sampled_from([case["vocabulary"] for case in drawn(ENCODING)])
    return _collected(st.builds(dict, vocabulary=vocabularies, text=st.text()))


def test_plain_text_exercises_next_to_nothing():
    plain = plain_text_cases()
    fired = sum(map(merges_fired, plain)) / len(plain)

    assert mean(ENCODING, merges_fired) > 100 * fired
    assert rate(ENCODING, has_rich_piece) > 10 * sum(map(has_rich_piece, plain)) / len(plain)


def test_plain_text_as_a_corpus_meets_few_counts_above_one():
    plain = _collected(st.lists(st.text(), min_size=1, max_size=6))

    def highest(corpus):
        return max((turn.highest for turn in certify(corpus, None, [(b"\xff", b"\xff")]).turns), default=0)

    ours = sum(highest(case["corpus"]) > 2 for case in drawn(CORPORA)) / len(drawn(CORPORA))

    assert ours > 2 * sum(highest([t for t in corpus if encodable(t)]) > 2 for corpus in plain) / len(plain)


def main():
    for what, (measure, least) in RATES.items():
        print(f"{what:55} {measure():8.3f}  at least {least}")
    plain = plain_text_cases()
    print(f"{'st.text() merges fired':55} {sum(map(merges_fired, plain)) / len(plain):8.3f}")
    print(f"{'st.text() a piece of 3 merges and 3 tokens':55} {sum(map(has_rich_piece, plain)) / len(plain):8.3f}")


if __name__ == "__main__":
    main()
