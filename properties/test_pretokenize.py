"""Section 2: pre-tokenisation."""

import reference
from properties.cases.domains import NO_SPECIALS, PIECES, UNCOVERED, WHITE_SPACE
from properties.claims import claim
from reference.model import Vocabulary


@claim("PRE-1", PIECES, needs=["pretokenize"])
def test_pieces_join_to_the_text(impl, vocabulary, text):
    """The pieces of a text, joined, are that text."""
    assert "".join(impl(vocabulary).pretokenize(text)) == text


@claim("PRE-2", PIECES, needs=["pretokenize"])
def test_pieces_are_the_matches_of_the_pattern(impl, vocabulary, text):
    """The pieces of a text are the matches of the pattern, found from left to right."""
    assert impl(vocabulary).pretokenize(text) == reference.pretokenize(vocabulary.pattern, text)


@claim("PRE-3", NO_SPECIALS)
def test_nothing_merges_across_two_pieces(impl, vocabulary, text):
    """The encoding of a text is the encodings of its pieces, one after the other: nothing merges across two pieces."""
    alone = impl(Vocabulary(vocabulary.merges))
    pieces = reference.pretokenize(vocabulary.pattern, text)
    assert impl(vocabulary).encode(text) == [token_id for piece in pieces for token_id in alone.encode(piece)]


@claim("PRE-4", UNCOVERED, level="should")
def test_uncovered_text_is_not_dropped_in_silence(impl, vocabulary, text):
    """Where a pattern leaves text uncovered, encoding raises an error or keeps that text; it never drops it in
    silence.
    """
    tokenizer = impl(vocabulary)
    try:
        ids = tokenizer.encode(text)
    except ValueError:
        return
    assert tokenizer.decode(ids) == text


@claim("PRE-5", WHITE_SPACE)
def test_white_space_comes_back_whole(impl, vocabulary, text):
    """A run of white space comes back with every character that it had, doubled spaces included."""
    tokenizer = impl(vocabulary)
    assert tokenizer.decode(tokenizer.encode(text)) == text
