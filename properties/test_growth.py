"""Section 14: growth."""

from implementations.plugged import NotApplicable
from properties.cases.growth import GROWING, LIMIT, grows_too_fast
from properties.claims import claim


def only_near_linear(impl):
    """Asked only of implementations that declare it."""
    if not impl.near_linear:
        raise NotApplicable("does not declare near_linear")


@claim("GRO-1", GROWING, every_algorithm=True, own_vocabulary=True, share=4)
def test_encoding_takes_time_nearly_in_proportion(impl, family):
    """The time to encode a text grows nearly in proportion to its length, if that is declared."""
    only_near_linear(impl)
    fits = grows_too_fast(impl, "encode", family)
    assert not fits, f"exponents above {LIMIT}: {', '.join(f'{fit.exponent:.2f}' for fit in fits)}"


@claim("GRO-2", GROWING, needs=["train"], share=4)
def test_training_takes_time_nearly_in_proportion(impl, family):
    """The time to learn a few merges grows nearly in proportion to the corpus, if that is declared."""
    only_near_linear(impl)
    fits = grows_too_fast(impl, "train", family)
    assert not fits, f"exponents above {LIMIT}: {', '.join(f'{fit.exponent:.2f}' for fit in fits)}"
