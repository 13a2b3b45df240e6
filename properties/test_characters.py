"""Section 7: characters with an end-of-word marker."""

import reference
from implementations.plugged import CallFailed
from properties.cases.domains import FOREIGN_CHARACTER, NORMAL_FORM
from properties.claims import claim
from properties.test_decode import refuses


@claim("CHR-1", NORMAL_FORM)
def test_characters_are_encoded_as_the_reference_does(impl, vocabulary, text):
    """An implementation encodes every text in normal form as the reference does."""
    assert impl(vocabulary).encode(text) == reference.encode(vocabulary, text, rank_by=impl.rank_by)


@claim("CHR-2", NORMAL_FORM)
def test_text_in_normal_form_comes_back(impl, vocabulary, text):
    """A text in normal form, its words joined by one space, comes back."""
    tokenizer = impl(vocabulary)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@claim("CHR-3", FOREIGN_CHARACTER)
def test_a_foreign_character_raises(impl, vocabulary, text):
    """A character outside the base raises an exception."""
    assert refuses(impl(vocabulary).encode, text)


@claim("CHR-4", FOREIGN_CHARACTER, level="should")
def test_the_error_names_the_foreign_character(impl, vocabulary, text):
    """The exception for a character outside the base names that character."""
    tokenizer = impl(vocabulary)
    foreign = {c for c in text if c != " " and c.encode() not in vocabulary.base}
    said = ""
    try:
        tokenizer.encode(text)
    except CallFailed:
        raise
    except Exception as error:
        said = str(error)
    assert any(c in said or ascii(c)[1:-1] in said for c in foreign)
