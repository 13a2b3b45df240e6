"""Exponents: of known times, of tokenizers known to be quick or slow, and on a machine that is not quiet."""

import math
import random

import pytest

from implementations.heap import Tokenizer
from implementations.loader import resolve
from implementations.plugged import Implementation, NotApplicable
from properties.cases.growth import FAMILIES, LIMIT, fitted, grows_too_fast, growth_of, merges_of, points_of, text_of
from properties.claims import all_claims
from properties.runner import failure
from reference.model import Vocabulary

CLAIMS = {claim.id: claim for claim in all_claims()}


class Quadratic(Tokenizer):
    """Looks at the whole rest of the text for each character of it."""

    def encode(self, text):
        for start in range(0, len(text), 4):
            sum(1 for _ in range(start, len(text), 4))
        return super().encode(text)


class Bare:
    """Declares nothing."""

    def __init__(self, vocabulary): ...

    def encode(self, text):
        return list(text.encode())

    def decode(self, ids):
        return bytes(ids).decode(errors="replace")


def points(exponent, noise, seed=0):
    source = random.Random(seed)
    sizes = [512 * 2**i for i in range(8) for _ in range(3)]
    return [(n, 1e-6 * n**exponent * math.exp(source.gauss(0, noise))) for n in sizes]


@pytest.mark.parametrize("exponent", [1.0, 1.1, 1.5, 2.0])
def test_the_exponent_of_known_times_is_found(exponent):
    fit = fitted(points(exponent, 0.05))
    assert fit.low <= fit.exponent + 0.05
    assert abs(fit.exponent - exponent) < 0.05


def test_noise_raises_no_alarm_and_hides_no_square():
    for seed in range(50):
        assert fitted(points(1.05, 0.35, seed)).low < LIMIT
        assert fitted(points(2.0, 0.35, seed)).low > LIMIT


def test_too_few_sizes_give_no_exponent():
    assert fitted([(256, 1.0), (512, 2.0), (1024, 4.0)]) is None
    assert fitted([(n, 1e-6) for n in (256, 512, 1024, 2048, 4096)]) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_the_merges_of_a_family_are_a_vocabulary_and_its_texts_have_the_size(family):
    assert Vocabulary(merges_of(family)).merges
    assert [len(text_of(family, size)) for size in (1, 255, 1000)] == [1, 255, 1000]


def test_a_quadratic_encoder_is_seen():
    fits = grows_too_fast(Implementation.of(Quadratic), "encode", "a…a")
    assert fits
    assert all(fit.low > LIMIT for fit in fits)


def test_a_quadratic_encoder_that_says_it_is_linear_is_refuted():
    assert isinstance(failure(CLAIMS["GRO-1"], Implementation.of(Quadratic), {"family": "a…a"}), AssertionError)


def test_one_that_says_nothing_is_not_asked():
    with pytest.raises(NotApplicable, match="does not declare near_linear"):
        CLAIMS["GRO-1"].check(Implementation.of(Bare), family="a…a")


@pytest.mark.parametrize("family", FAMILIES)
def test_heap_grows_as_it_says(family):
    [heap] = resolve("heap")
    assert heap.near_linear
    assert failure(CLAIMS["GRO-1"], heap, {"family": family}) is None
    assert failure(CLAIMS["GRO-2"], heap, {"family": family}) is None


def test_the_rows_of_the_matrix():
    rows = list(growth_of(Implementation.of(Bare)))
    assert [row["family"] for row in rows] == list(FAMILIES)
    assert {row["task"] for row in rows} == {"encode"}
    assert all((row["exponent"] is None) == bool(row["note"]) for row in rows)


def test_a_program_is_not_measured():
    with pytest.raises(NotApplicable, match="a program's own"):
        points_of(resolve("cmd:some-program")[0], "encode", "a…a")
