"""The heap tokenizer grows as it should, in time and in memory, and its two ways to hold a piece train alike."""

import itertools
import math
import random
import time
import tracemalloc

import pytest

from benchmarks.corpora import PIECES
from implementations import heap
from implementations.heap import Tokenizer
from implementations.naive import Tokenizer as Naive

SMALL, LARGE = 10_000, 80_000
EXPONENT = 1.5  # measured: 1.0 to 1.2; a quadratic step gives 2


def seconds(call):
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def exponent(work):
    """That of the growth from the small to the large size; a few tries, for others use this machine too."""
    found = math.inf
    for _ in range(3):
        ratio = seconds(lambda: work(LARGE)) / max(seconds(lambda: work(SMALL)), 1e-4)
        found = min(found, math.log(ratio) / math.log(LARGE / SMALL))
        if found <= EXPONENT:
            break
    return found


@pytest.mark.parametrize("kind", PIECES)
def test_training_on_one_piece_is_nearly_linear(kind):
    assert exponent(lambda size: Tokenizer.train([PIECES[kind](size)], 200)) <= EXPONENT


@pytest.mark.parametrize("kind", PIECES)
def test_encoding_one_piece_is_nearly_linear(kind):
    merges = tuple(Tokenizer.train([PIECES[kind](5_000)], 200))
    tokenizer = Tokenizer(heap.Vocabulary(merges))
    assert exponent(lambda size: tokenizer.encode(PIECES[kind](size))) <= EXPONENT


def peak(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["aⁿ", "acgt"])
def test_memory_is_linear(kind):
    tokenizer = Tokenizer(heap.Vocabulary(tuple(Tokenizer.train([PIECES[kind](2_000)], 50))))
    small, large = PIECES[kind](5_000), PIECES[kind](40_000)
    assert peak(lambda: Tokenizer.train([large], 50)) < 12 * peak(lambda: Tokenizer.train([small], 50))
    assert peak(lambda: tokenizer.encode(large)) < 12 * peak(lambda: tokenizer.encode(small))


# Words and chains


def strings(letters, longest):
    return ["".join(word) for length in range(longest + 1) for word in itertools.product(letters, repeat=length)]


@pytest.mark.parametrize("bound", [0, 3])
def test_chains_and_words_train_as_naive_under_every_tie_rule(monkeypatch, bound, capsys):
    monkeypatch.setattr(heap, "LONG", bound)
    cases = 0
    scope = [[word] for word in strings("ab", 9)] + [
        list(words) for words in itertools.product(strings("ab", 4), repeat=2)
    ]
    for corpus in scope:
        for rule in Tokenizer.tie_rules:
            assert Tokenizer.train(corpus, 9, tie_rule=rule) == Naive.train(corpus, 9, tie_rule=rule), (corpus, rule)
            cases += 1
    with capsys.disabled():
        print(f"\npieces longer than {bound} as chains: {cases} trainings", end=" ")


# When the heap takes over from replacing.
TAKING_OVER = {"never": {}, "at once": {"CHARACTERS": 0}, "after a few merges": {"LOOKING": 1_500}}


@pytest.fixture(params=TAKING_OVER)
def all_pieces_long(request, monkeypatch):
    for name, value in ({"SHORT": 0} | TAKING_OVER[request.param]).items():
        monkeypatch.setattr(heap, name, value)


@pytest.mark.usefixtures("all_pieces_long")
def test_long_pieces_are_encoded_as_naive_does_for_any_well_formed_list():
    rng = random.Random(4)
    for _ in range(3_000):
        merges, made = {}, ["a", "b", "c"]
        for _ in range(rng.randint(0, 12)):
            left, right = rng.choice(made), rng.choice(made)
            merges[left.encode(), right.encode()] = None
            made.append(left + right)
        vocabulary = heap.Vocabulary(tuple(merges))
        text = "".join(rng.choices(made, k=rng.randint(0, 8)))
        assert Tokenizer(vocabulary).encode(text) == Naive(vocabulary).encode(text), (vocabulary, text)


@pytest.mark.usefixtures("all_pieces_long")
def test_long_pieces_are_encoded_as_naive_does_for_every_list_of_two_merges():
    for first in itertools.product([b"a", b"b"], repeat=2):
        for second in itertools.product([b"a", b"b", b"".join(first)], repeat=2):
            if second != first:
                vocabulary = heap.Vocabulary((first, second))
                for text in strings("ab", 7):
                    assert Tokenizer(vocabulary).encode(text) == Naive(vocabulary).encode(text), (vocabulary, text)


def test_a_corpus_of_short_and_long_pieces_trains_as_naive(monkeypatch):
    monkeypatch.setattr(heap, "LONG", 6)
    rng = random.Random(3)
    for _ in range(300):
        corpus = ["".join(rng.choices("abc", k=rng.randint(0, 14))) for _ in range(rng.randint(1, 6))]
        rule = rng.choice(Tokenizer.tie_rules)
        assert Tokenizer.train(corpus, 30, tie_rule=rule) == Naive.train(corpus, 30, tie_rule=rule), (corpus, rule)


def test_garbage_collection_goes_on_after_training():
    import gc

    assert gc.isenabled()
    Tokenizer.train(["ab"], 1)
    assert gc.isenabled()
    with pytest.raises(UnicodeEncodeError):
        Tokenizer.train(["a\ud800"], 1)
    assert gc.isenabled()
    gc.disable()
    try:
        Tokenizer.train(["ab"], 1)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_ids_are_characters_and_back_also_where_a_character_is_a_lone_surrogate():
    ids = [97, 0xD800, 0xDFFF, 0x10FFFF]
    assert heap.to_text(ids) == "a\ud800\udfff\U0010ffff"
    assert heap.to_ids(heap.to_text(ids)) == ids


def test_ids_above_the_last_character_are_merged_all_the_same():
    cache = heap.PieceCache(heap.Vocabulary(((b"a", b"a"),)))
    cache.size, cache.products[0] = 0x110001, 0x110000  # as after a million merges more
    assert cache.merged([97] * 200) == [0x110000] * 100
