"""Section 11: exhaustive scopes."""

import reference
from properties.cases.exhaustive import ALL_CORPORA, ALL_TEXTS, first_fault, texts_of
from properties.claims import claim
from properties.oracle.expected import expected_ids
from properties.oracle.fast import oracle_of


@claim("EXH-1", ALL_TEXTS, share=4)
def test_small_lists_and_texts_all_agree_with_the_reference(impl, vocabulary, letters, longest):
    """On every list of merges and every text within the bound, encoding agrees with the reference."""
    encode = impl(vocabulary).encode
    by_pair = impl.rank_by == "pair" and not impl.whole_piece_first
    oracle, id_of = oracle_of(vocabulary), vocabulary.id_of
    declared = {"rank_by": impl.rank_by, "whole_piece_first": impl.whole_piece_first}
    for text in texts_of(letters, longest):
        if by_pair:
            expected = [id_of[token] for token in oracle.tokens(text.encode())]
        else:
            expected = expected_ids(vocabulary, text, **declared)
        assert encode(text) == expected, f"on {text!r}: not {expected}"


@claim("EXH-2", ALL_CORPORA, needs=["train"], share=4)
def test_small_corpora_all_pass_the_certificate(impl, corpus, pattern, tie_rule):
    """On every weighted corpus within the bound, training passes the greedy certificate and the declared tie rule."""
    merges = impl.train(corpus, 100, pattern=pattern, tie_rule=tie_rule)
    declared = tie_rule in (impl.tie_rules or ())
    fault = first_fault(corpus, merges, reference.TIE_RULES[tie_rule] if declared else None)
    assert not fault, fault
