"""Section 13: splitting, exhaustively."""

import reference
from properties.cases.splitting import SPLIT_TEXTS, TOLD_SPLITS
from properties.claims import claim
from properties.oracle.expected import expected_ids


@claim("SPL-1", SPLIT_TEXTS, needs=["pretokenize"], share=4)
def test_short_texts_of_all_classes_are_cut_as_the_pattern_says(impl, vocabulary, texts):
    """Every text of three or four characters, one for each class that the pattern can tell apart, is cut into the
    matches of the pattern.
    """
    tokenizer = impl(vocabulary)
    for text in texts:
        assert tokenizer.pretokenize(text) == reference.pretokenize(vocabulary.pattern, text)


@claim("SPL-2", TOLD_SPLITS, share=8)
def test_tokens_show_the_cuts_between_characters_of_all_classes(impl, vocabulary, texts):
    """Under merges that join any three of the characters that the pattern can tell apart, a text of up to three is one
    token exactly where it is one piece.
    """
    tokenizer = impl(vocabulary)
    for text in texts:
        assert tokenizer.encode(text) == expected_ids(vocabulary, text)
