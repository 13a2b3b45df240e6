"""Section 3: training."""

from collections import Counter

import reference
from implementations.plugged import NotApplicable
from properties.cases.domains import (
    CORPORA,
    CORPORA_OF_TIES,
    CORPORA_WITH_SPECIALS,
    HASH_SEEDS,
    LARGE_CORPORA,
    NO_LESSON,
    PLANTED,
    SHUFFLED,
    TO_SATURATION,
    TWO_CORPORA,
)
from properties.cases.rename import renamed_bytes
from properties.claims import claim
from properties.elsewhere import train_elsewhere
from properties.oracle.certificate import certify, pieces_of, planted, saturated
from reference.model import Vocabulary


def only_declared(impl, tie_rule):
    """Where ties are not declared, nothing is claimed of how they fall: one that looks at other things is no fault."""
    if tie_rule not in (impl.tie_rules or ()):
        raise NotApplicable(f"does not offer {tie_rule}" if impl.tie_rules else "declares no tie rule")


@claim("TRN-1", CORPORA, needs=["train"], share=1.5)
def test_every_merge_has_the_highest_count_at_its_turn(impl, corpus, num_merges, pattern, tie_rule):
    """Every merge that training learns joins a pair whose count, overlapping occurrences counted, no other pair
    exceeds at its turn.
    """
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert not [turn for turn in certify(corpus, pattern, merges).turns if 0 < turn.count < turn.highest]


@claim("TRN-2", CORPORA, needs=["train"])
def test_training_stops_only_when_nothing_is_left(impl, corpus, num_merges, pattern, tie_rule):
    """Training stops only when it has learned the number of merges asked for or when no pair is left."""
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert saturated(certify(corpus, pattern, merges), num_merges)


@claim("TRN-3", CORPORA, needs=["train"])
def test_no_merge_is_learned_that_does_not_occur(impl, corpus, num_merges, pattern, tie_rule):
    """No merge is learned whose pair does not occur at its turn."""
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert not [turn for turn in certify(corpus, pattern, merges).turns if turn.count == 0]


@claim("TRN-4", CORPORA_OF_TIES, needs=["train"], share=1.5)
def test_ties_are_decided_by_the_declared_rule(impl, corpus, num_merges, pattern, tie_rule):
    """Among the pairs of the highest count, the declared tie rule decides."""
    only_declared(impl, tie_rule)
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert merges == reference.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)


@claim("TRN-5", PLANTED, needs=["train"])
def test_a_planted_corpus_trains_to_its_list(impl, merges, pattern, tie_rule, order):
    """A corpus planted so that each pair of a trainable list beats every other at its turn trains to exactly that
    list, whatever the tie rule.
    """
    corpus = shuffled(planted(merges), order)
    assert impl.train(corpus, len(merges) + 3, pattern=pattern, tie_rule=tie_rule) == tuple(merges)


def shuffled(corpus, order):
    """The documents in an order that a text decides."""
    return sorted(corpus, key=lambda document: (order.count(document[:1]), document[::-1]), reverse=len(order) % 2 == 1)


@claim("TRN-6", CORPORA, needs=["train"])
def test_fewer_merges_are_the_beginning_of_more(impl, corpus, num_merges, pattern, tie_rule):
    """Training for fewer merges gives the beginning of what training for more gives."""
    only_declared(impl, tie_rule)
    more = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    fewer = impl.train(corpus, len(more) // 2, pattern=pattern, tie_rule=tie_rule)
    assert fewer == more[: len(more) // 2]


@claim("TRN-7", CORPORA, needs=["train"])
def test_repeating_the_corpus_changes_nothing(impl, corpus, num_merges, pattern, tie_rule):
    """A corpus given several times over trains to the same merges."""
    only_declared(impl, tie_rule)
    once = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert impl.train(list(corpus) * 3, num_merges, pattern=pattern, tie_rule=tie_rule) == once


@claim("TRN-8", SHUFFLED, needs=["train"])
def test_corpora_of_the_same_merges_may_be_joined(impl, corpus, num_merges, pattern, tie_rule, other):
    """Two corpora that train to the same merges train to them also when joined."""
    only_declared(impl, tie_rule)
    first = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    if impl.train(other, num_merges, pattern=pattern, tie_rule=tie_rule) == first:
        assert impl.train([*corpus, *other], num_merges, pattern=pattern, tie_rule=tie_rule) == first


@claim("TRN-9", SHUFFLED, needs=["train"])
def test_the_order_of_documents_does_not_matter_to_static_rules(impl, corpus, num_merges, pattern, tie_rule, other):
    """Under a tie rule that looks only at the pair, the order of the documents does not matter."""
    static = [rule for rule in impl.tie_rules or () if rule in reference.STATIC_TIE_RULES]
    if not static:
        raise NotApplicable("declares no tie rule that looks only at the pair")
    rule = tie_rule if tie_rule in static else static[len(corpus) % len(static)]
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=rule)
    assert impl.train(other, num_merges, pattern=pattern, tie_rule=rule) == merges


@claim("TRN-10", CORPORA, needs=["train"])
def test_nothing_merges_across_pieces_or_documents(impl, corpus, num_merges, pattern, tie_rule):
    """Every token that training makes stands in a piece of a document: nothing merges across two pieces or two
    documents.
    """
    pieces = [piece.encode() for piece in pieces_of(corpus, pattern)]
    for left, right in impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule):
        assert any(left + right in piece for piece in pieces)


@claim("TRN-11", CORPORA, needs=["train"])
def test_single_bytes_teach_nothing(impl, corpus, num_merges, pattern, tie_rule):
    """Documents of fewer than two bytes teach nothing."""
    only_declared(impl, tie_rule)
    padded = [small for document in corpus for small in ("", document, "b", "")]
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert impl.train(["", "a", *padded, "a"], num_merges, pattern=pattern, tie_rule=tie_rule) == merges


@claim("TRN-12", CORPORA_WITH_SPECIALS, needs=["train"])
def test_special_tokens_are_cut_out_of_the_corpus(impl, corpus, num_merges, pattern, tie_rule, special_tokens):
    """Special tokens are cut out of the corpus and teach nothing: the text on either side is a document of its own."""
    specials = dict.fromkeys(special_tokens, 0)
    parts = [part for document in corpus for part in reference.split_special_tokens(specials, document)]
    without = [part for part in parts if part not in specials]
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
    certificate = certify(without, pattern, merges)
    assert all(0 < turn.count == turn.highest for turn in certificate.turns)
    assert saturated(certificate, num_merges)
    if tie_rule in (impl.tie_rules or ()):
        assert merges == impl.train(without, num_merges, pattern=pattern, tie_rule=tie_rule)


@claim("TRN-13", CORPORA, needs=["train"])
def test_the_same_corpus_trains_to_the_same_merges(impl, corpus, num_merges, pattern, tie_rule):
    """The same corpus trains to the same merges every time, from a list or from a one-shot iterator."""
    listed = impl.train(list(corpus), num_merges, pattern=pattern, tie_rule=tie_rule)
    assert impl.train(list(corpus), num_merges, pattern=pattern, tie_rule=tie_rule) == listed
    assert impl.train(iter(corpus), num_merges, pattern=pattern, tie_rule=tie_rule) == listed


@claim("TRN-14", HASH_SEEDS, needs=["train"], share=8)
def test_the_hash_seed_changes_nothing(impl, corpora, num_merges, pattern, tie_rule):
    """The same corpus trains to the same merges in every process, whatever the hash seed."""
    lesson = {"corpora": corpora, "num_merges": num_merges, "pattern": pattern, "tie_rule": tie_rule}
    first, *others = (train_elsewhere(impl, hash_seed, **lesson) for hash_seed in (0, 1, 2))
    assert others == [first] * len(others)


@claim("TRN-15", CORPORA, needs=["train"])
def test_no_token_is_made_twice(impl, corpus, num_merges, pattern, tie_rule):
    """No two merges of a training make the same token."""
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    made = [left + right for left, right in merges]
    assert len(set(made)) == len(made)


@claim("TRN-16", TO_SATURATION, needs=["train"], share=0.7)
def test_after_full_training_every_piece_is_one_token(impl, corpus, num_merges, pattern, tie_rule):
    """Trained until no pair is left, every piece of the corpus encodes to one token."""
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    tokenizer = impl(Vocabulary(merges))
    for piece in pieces_of(corpus, pattern):
        assert len(tokenizer.encode(piece)) == 1


@claim("TRN-17", TWO_CORPORA, needs=["train"], share=0.7)
def test_corpora_that_share_no_byte_do_not_meddle(impl, corpus, num_merges, pattern, tie_rule, other):
    """Two corpora that share no byte train, joined, to an interleaving of what each trains to alone."""
    only_declared(impl, tie_rule)
    used = set("".join(corpus).encode())
    apart = [document.translate(str.maketrans("abcd", "WXYZ")) for document in other]
    apart = ["".join(c for c in document if c in "WXYZ") for document in apart]
    if used & set(b"WXYZ"):
        return
    alone = impl.train(corpus, 1000, pattern=pattern, tie_rule=tie_rule)
    foreign = impl.train(apart, 1000, pattern=pattern, tie_rule=tie_rule)
    both = impl.train([*corpus, *apart], 1000, pattern=pattern, tie_rule=tie_rule)
    assert tuple(merge for merge in both if not set(b"".join(merge)) & set(b"WXYZ")) == alone
    assert tuple(merge for merge in both if set(b"".join(merge)) & set(b"WXYZ")) == foreign


@claim("TRN-18", CORPORA, needs=["train"])
def test_renaming_bytes_renames_merges(impl, corpus, num_merges, pattern, tie_rule):
    """Renaming the bytes of the corpus renames the bytes of the merges and changes nothing else, under first-seen
    ties.
    """
    if "first-seen" not in (impl.tie_rules or ()):
        raise NotApplicable("does not offer first-seen ties")
    if not all(document.isascii() for document in corpus):
        return
    pieces = [piece for document in corpus for piece in reference.pretokenize(pattern, document)]
    renamed = [renamed_bytes(piece.encode()).decode() for piece in pieces]
    merges = impl.train(pieces, num_merges, pattern=None, tie_rule="first-seen")
    again = impl.train(renamed, num_merges, pattern=None, tie_rule="first-seen")
    assert again == tuple((renamed_bytes(left), renamed_bytes(right)) for left, right in merges)


@claim("TRN-19", NO_LESSON, needs=["train"])
def test_nothing_is_learned_from_nothing(impl, corpus, num_merges, pattern, tie_rule):
    """An empty corpus, or no merges asked for, trains to no merges."""
    assert impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule) == ()


@claim("TRN-20", CORPORA, needs=["train"])
def test_encoding_saves_what_the_merges_applied(impl, corpus, num_merges, pattern, tie_rule):
    """The tokens that encoding saves on the corpus are the applications of the merges: each merge of two different
    tokens saves exactly its count.
    """
    merges = impl.train(corpus, min(num_merges, 12), pattern=pattern, tie_rule=tie_rule)
    vocabulary = Vocabulary(merges)
    tokenizer = impl(vocabulary)
    applied: Counter[bytes] = Counter()
    parents = {left + right: (left, right) for left, right in reversed(merges)}
    for piece, times in pieces_of(corpus, pattern).items():
        todo = [vocabulary.bytes_of[token_id] for token_id in tokenizer.encode(piece)]
        while todo:
            token = todo.pop()
            if token in parents:
                applied[token] += times
                todo += parents[token]
    for turn in certify(corpus, pattern, merges).turns:
        if turn.merge[0] != turn.merge[1]:
            assert applied[b"".join(turn.merge)] == turn.count
        else:
            assert applied[b"".join(turn.merge)] <= turn.count <= 2 * applied[b"".join(turn.merge)]


@claim("TRN-21", PLANTED, needs=["train"])
def test_noise_below_the_lead_changes_nothing(impl, merges, pattern, tie_rule, order):
    """Noise that adds fewer occurrences to any pair than the winning pair leads by changes no merge."""
    noise = ["".join("abc"[ord(c) % 3] for c in order[i : i + 5]) for i in range(0, len(order), 5)]
    lead = 1 + sum(map(len, noise))
    corpus = shuffled([*planted(merges, lead), *noise], order)
    assert impl.train(corpus, len(merges), pattern=pattern, tie_rule=tie_rule) == tuple(merges)


@claim("TRN-22", LARGE_CORPORA, needs=["train"], share=0.2)
def test_the_size_of_the_corpus_changes_nothing(impl, corpus, num_merges, pattern, tie_rule):
    """The size of the corpus changes nothing: counts of 256, of 65,536 and beyond, hundreds of different pieces and
    thousands of documents are counted as few are.
    """
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    certificate = certify(corpus, pattern, merges)
    assert all(0 < turn.count == turn.highest for turn in certificate.turns)
    assert saturated(certificate, num_merges)
    if tie_rule in (impl.tie_rules or ()) and len(corpus) < 5_000:
        assert merges == reference.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
