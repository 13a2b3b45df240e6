"""Section 12: published vocabularies."""

import itertools

from implementations.plugged import NotApplicable
from properties.claims import claim
from properties.oracle.expected import expected_ids
from properties.published import (
    EVERY_TOKEN,
    PREFIXES,
    PUBLISHED_TEXT,
    SPLICED,
    first_merges,
    is_one_piece_of,
    one_piece,
    token_texts,
)


def as_one_piece(impl, vocabulary):
    """A tokenizer and the vocabulary it was made of: without the pattern where that is served, else with it."""
    try:
        return impl(one_piece(vocabulary)), one_piece(vocabulary)
    except NotApplicable:
        return impl(vocabulary), vocabulary


@claim("PUB-1", EVERY_TOKEN, share=100)
def test_every_published_token_encodes_to_itself(impl, vocabulary, first, count):
    """Every token of a published vocabulary that is a text encodes to itself alone."""
    tokenizer, made_of = as_one_piece(impl, vocabulary)
    for text, token_id in token_texts(vocabulary)[first : first + count]:
        if text not in made_of.special_tokens and is_one_piece_of(made_of, text):
            assert tokenizer.encode(text) == [token_id]


@claim("PUB-2", PREFIXES, share=60)
def test_published_tokens_come_apart_into_their_sides(impl, vocabulary, count):
    """Under the first merges only, a later token of a published vocabulary encodes to the two sides of its merge, if
    these are there.
    """
    fewer = first_merges(vocabulary, count)
    tokenizer = impl(fewer)
    for left, right in vocabulary.merges[count:]:
        if left in fewer.id_of and right in fewer.id_of and (text := text_of(left + right)) is not None:
            assert tokenizer.encode(text) == [fewer.id_of[left], fewer.id_of[right]]


def text_of(token):
    """The token as a text, or None where it is none."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


@claim("PUB-3", SPLICED, share=2)
def test_published_tokens_are_canonical_exactly_when_neighbours_are(impl, vocabulary, ids):
    """A sequence of tokens of a published vocabulary, each a text, is the encoding of its bytes exactly when each pair
    of neighbours in it is.
    """
    tokenizer = impl(one_piece(vocabulary))

    def canonical(some):
        return tokenizer.encode(b"".join(vocabulary.bytes_of[i] for i in some).decode()) == list(some)

    assert canonical(ids) == all(map(canonical, itertools.pairwise(ids)))


@claim("PUB-4", PUBLISHED_TEXT, share=4)
def test_published_vocabularies_encode_text_as_the_reference_does(impl, vocabulary, text):
    """Under a published vocabulary, an implementation encodes every text as the reference does."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)
