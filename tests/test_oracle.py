"""The fast oracle is the reference: on an exhaustive scope, and on drawn cases."""

import itertools

from hypothesis import given, settings

import reference
from properties.cases.domains import ANY_LIST, ENCODING
from properties.cases.programs import Profile
from properties.oracle.expected import expected_ids, tokens_of_piece
from properties.oracle.fast import Oracle, oracle_of, trainable
from reference.model import Vocabulary


def lists_of_merges(symbols, length):
    """Every well-formed list of at most so many merges over the symbols."""
    lists = [()]
    yield ()
    for _ in range(length):
        longer = []
        for merges in lists:
            tokens = dict.fromkeys([*symbols, *(left + right for left, right in merges)])
            longer += [(*merges, pair) for pair in itertools.product(tokens, repeat=2) if pair not in merges]
        yield from longer
        lists = longer


def test_the_oracle_equals_both_definitions_on_an_exhaustive_scope(capsys):
    texts = [bytes(t) for n in range(7) for t in itertools.product(b"ab", repeat=n)]
    lists = list(lists_of_merges((b"a", b"b"), 3))
    for merges in lists:
        vocabulary = Vocabulary(merges)
        oracle = Oracle(vocabulary)
        for text in texts:
            symbols = [text[i : i + 1] for i in range(len(text))]
            expected = reference.encode_piece(vocabulary, symbols)
            assert oracle.tokens(text) == expected

    with capsys.disabled():
        print(f"\n  oracle = reference on {len(lists)} lists of up to 3 merges x {len(texts)} texts of up to 6 bytes")


@settings(max_examples=150, deadline=None)
@given(ENCODING.strategy(Profile()) | ANY_LIST.strategy(Profile()))
def test_expected_ids_are_those_of_the_reference(case):
    assert expected_ids(case["vocabulary"], case["text"]) == reference.encode(case["vocabulary"], case["text"])


@settings(max_examples=100, deadline=None)
@given(ANY_LIST.strategy(Profile()))
def test_the_sparse_oracle_is_the_oracle(case):
    import properties.oracle.expected as expected

    piece = case["text"].encode()[:200]
    whole = oracle_of(case["vocabulary"]).tokens(piece)
    before, expected.SPARSE_FROM = expected.SPARSE_FROM, 0
    try:
        assert tokens_of_piece(case["vocabulary"], piece) == whole
    finally:
        expected.SPARSE_FROM = before


def test_trainable_lists_are_those_whose_tokens_are_the_two_sides_of_their_merge():
    assert trainable(Vocabulary(((b"a", b"b"), (b"ab", b"ab"))))
    assert not trainable(Vocabulary(((b"a", b"a"), (b"a", b"aa"))))
    # Every token encodes to itself here, and still no corpus trains to this list: the second merge never fires.
    assert not trainable(Vocabulary(((b"a", b"a"), (b"a", b"aa"), (b"aa", b"a"))))


@settings(max_examples=60, deadline=None)
@given(ENCODING.strategy(Profile()))
def test_a_planted_corpus_of_a_trainable_list_trains_to_it(case):
    from properties.oracle.certificate import planted

    merges = case["vocabulary"].merges
    if all((left + right).isascii() for left, right in merges):
        assert reference.train(planted(merges), len(merges)) == merges
