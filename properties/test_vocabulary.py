"""Section 1: the vocabulary."""

from properties.cases.domains import ENCODING, VOCABULARIES
from properties.claims import claim


@claim("VOC-1", ENCODING, every_algorithm=True, own_vocabulary=True)
def test_every_id_is_below_the_size(impl, vocabulary, text):
    """Every id that encoding gives is a natural number below the vocabulary's size."""
    tokenizer = impl(vocabulary)
    size = tokenizer.size if vocabulary is None else vocabulary.size
    assert all(0 <= token_id < size for token_id in tokenizer.encode(text))


@claim("VOC-2", VOCABULARIES, share=0.25)
def test_ids_follow_the_order_of_base_and_merges(impl, vocabulary):
    """Base token i has the id i, the token that merge k is the first to make has the id len(base) + k, and decoding
    one such id gives that token's bytes.
    """
    tokenizer = impl(vocabulary)
    for token, token_id in vocabulary.id_of.items():
        assert tokenizer.decode([token_id]) == token.decode(errors="replace")
