"""Section 10: real text."""

import reference
from properties.cases.real_text import REAL_CORPORA, REAL_TEXT
from properties.claims import claim
from properties.oracle.certificate import certify, saturated
from properties.oracle.expected import expected_ids
from properties.test_train import only_declared


@claim("TXT-1", REAL_TEXT, every_algorithm=True, own_vocabulary=True)
def test_real_text_comes_back(impl, vocabulary, text):
    """Real text in many scripts comes back from decoding its encoding."""
    tokenizer = impl(vocabulary)
    assert tokenizer.decode(tokenizer.encode(text)) == (tokenizer.normalize(text) if vocabulary is None else text)


@claim("TXT-2", REAL_TEXT, share=2)
def test_real_text_is_encoded_as_the_reference_does(impl, vocabulary, text):
    """Real text is encoded as the reference does."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)


@claim("TXT-3", REAL_CORPORA, needs=["train"], share=2)
def test_merges_of_real_text_pass_the_certificate(impl, corpus, num_merges, pattern, tie_rule):
    """Merges trained on real text pass the greedy certificate."""
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    certificate = certify(corpus, pattern, merges)
    assert all(0 < turn.count == turn.highest for turn in certificate.turns)
    assert saturated(certificate, num_merges)


@claim("TXT-4", REAL_CORPORA, needs=["train"], share=2)
def test_real_text_trains_to_the_merges_of_the_declared_rule(impl, corpus, num_merges, pattern, tie_rule):
    """Real text trains to the merges of the declared tie rule."""
    only_declared(impl, tie_rule)
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert merges == reference.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
