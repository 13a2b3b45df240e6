"""Section 6: special tokens."""

import unicodedata
from functools import lru_cache

import reference
from properties.cases.domains import SPECIAL, SPECIAL_VOCABULARIES
from properties.claims import claim
from properties.oracle.expected import expected_ids
from reference.model import Vocabulary


@lru_cache(maxsize=64)
def without_special_tokens(vocabulary):
    """The same vocabulary, every text ordinary."""
    return Vocabulary(vocabulary.merges, {}, vocabulary.pattern, vocabulary.base, vocabulary.end_of_word)


def near_misses(vocabulary):
    """What some tokenizers take for a special token: its other forms and cases, and what is left when an end is cut."""
    for special in list(vocabulary.special_tokens)[:2]:
        forms = [unicodedata.normalize("NFD", special), unicodedata.normalize("NFKC", special)]
        cases = [special.upper(), special.lower(), special.swapcase()]
        yield from dict.fromkeys([*forms, *cases, special[1:], special[:-1], f"{special[:1]} {special[1:]}"])


@claim("SPC-1", SPECIAL, share=0.35)
def test_special_tokens_are_recognised_before_everything_else(impl, vocabulary, text, other):
    """A special token is recognised before pre-tokenisation, the leftmost first and the longest at one place, and the
    text between is encoded as if it stood alone.
    """
    tokenizer, ordinary = impl(vocabulary), impl(without_special_tokens(vocabulary))
    for between in ("", *vocabulary.special_tokens, *near_misses(vocabulary)):
        ids = []
        for part in reference.split_special_tokens(vocabulary.special_tokens, text + between + other):
            special = vocabulary.special_tokens.get(part)
            ids += ordinary.encode(part) if special is None else [special]
        assert tokenizer.encode(text + between + other) == ids


@claim("SPC-2", SPECIAL)
def test_a_special_token_parts_two_texts(impl, vocabulary, text, other):
    """Where no special token straddles the seam, a special token between two texts gives its id between their
    encodings.
    """
    tokenizer = impl(vocabulary)
    for special, token_id in vocabulary.special_tokens.items():
        parts = reference.split_special_tokens(vocabulary.special_tokens, text + special + other)
        before = reference.split_special_tokens(vocabulary.special_tokens, text)
        after = reference.split_special_tokens(vocabulary.special_tokens, other)
        if parts == [*before, special, *after]:
            ids = [*tokenizer.encode(text), token_id, *tokenizer.encode(other)]
            assert tokenizer.encode(text + special + other) == ids


@claim("SPC-3", SPECIAL, needs=["encode_ordinary"])
def test_ordinary_encoding_knows_no_special_tokens(impl, vocabulary, text, other):
    """Ordinary encoding takes the text of a special token for text."""
    for special in vocabulary.special_tokens:
        written = text + special + other
        expected = expected_ids(without_special_tokens(vocabulary), written)
        assert impl(vocabulary).encode_ordinary(written) == expected


@claim("SPC-4", SPECIAL_VOCABULARIES, share=0.5)
def test_the_id_of_a_special_token_decodes_to_its_text(impl, vocabulary):
    """The id of a special token decodes to its text."""
    tokenizer = impl(vocabulary)
    for special, token_id in vocabulary.special_tokens.items():
        assert tokenizer.decode([token_id]) == special


@claim("SPC-5", SPECIAL_VOCABULARIES, share=0.5)
def test_a_special_token_alone_is_its_id_alone(impl, vocabulary):
    """A special token on its own encodes to its id alone."""
    tokenizer = impl(vocabulary)
    for special, token_id in vocabulary.special_tokens.items():
        assert tokenizer.encode(special) == [token_id]
