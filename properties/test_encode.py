"""Section 4: encoding."""

import itertools

from properties.cases.domains import (
    ANY_LIST,
    ASCII_PIECE,
    DEADLY,
    ENCODING,
    FIRST_MERGES,
    LONG_PIECES,
    MANY_MERGES,
    MANY_PIECES,
    NOTHING_TO_ENCODE,
    ONE_PIECE,
    ROUND_TRIP,
    SPLICED_IDS,
    SURROGATES,
    TWO_ORDERS,
    TWO_SIDED,
    TWO_TEXTS_ONE_PIECE,
    VOCABULARIES_ONE_PIECE,
)
from properties.cases.rename import renamed_bytes, renamed_vocabulary, reversed_vocabulary
from properties.claims import claim
from properties.oracle.expected import expected_ids, expected_tokens
from reference.model import Vocabulary


def tokens_by(impl, vocabulary):
    """A function that gives the byte strings of a text's tokens, all by one tokenizer."""
    encode, bytes_of = impl(vocabulary).encode, vocabulary.bytes_of
    return lambda text: [bytes_of[token_id] for token_id in encode(text)]


def tokens_of(impl, vocabulary, text):
    """The byte strings of a text's tokens."""
    return tokens_by(impl, vocabulary)(text)


@claim("ENC-1", ROUND_TRIP, every_algorithm=True, own_vocabulary=True, share=1.5)
def test_decoding_inverts_encoding(impl, vocabulary, text):
    """Decoding the encoding of a text gives that text."""
    tokenizer = impl(vocabulary)
    assert tokenizer.decode(tokenizer.encode(text)) == (tokenizer.normalize(text) if vocabulary is None else text)


@claim("ENC-2", ENCODING, share=2)
def test_encoding_agrees_with_the_reference_on_trainable_lists(impl, vocabulary, text):
    """An implementation encodes every text as the reference does, for every trainable list of merges."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)


@claim("ENC-3", ANY_LIST, share=2)
def test_encoding_agrees_with_the_reference_on_any_list(impl, vocabulary, text):
    """An implementation encodes every text as the reference does under the declared way of ranking, for any
    well-formed list of merges in which no merge makes a token that is a side of an earlier one.
    """
    declared = {"rank_by": impl.rank_by, "whole_piece_first": impl.whole_piece_first}
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text, **declared)


@claim("ENC-4", ONE_PIECE)
def test_no_merge_is_left_to_do(impl, vocabulary, text):
    """No two neighbouring tokens of an encoding are a merge."""
    tokens = tokens_of(impl, vocabulary, text)
    assert not [pair for pair in itertools.pairwise(tokens) if pair in vocabulary.ranks]


@claim("ENC-5", ONE_PIECE)
def test_every_run_of_tokens_is_the_encoding_of_its_bytes(impl, vocabulary, text):
    """Every run of neighbouring tokens of an encoding is itself the encoding of its bytes."""
    tokenizer = impl(vocabulary)
    ids = tokenizer.encode(text)[:40]
    for start in range(0, len(ids), 1 + len(ids) // 8):
        for end in range(start + 1, len(ids) + 1, 1 + len(ids) // 8):
            run = b"".join(vocabulary.bytes_of[token_id] for token_id in ids[start:end])
            if run.isascii():  # other bytes may be no text
                assert tokenizer.encode(run.decode()) == ids[start:end]


@claim("ENC-6", SPLICED_IDS)
def test_tokens_are_canonical_exactly_when_neighbours_are(impl, vocabulary, ids):
    """A sequence of tokens is the encoding of its bytes exactly when each pair of neighbours in it is."""
    tokenizer = impl(vocabulary)

    def canonical(some):
        return tokenizer.encode(b"".join(vocabulary.bytes_of[i] for i in some).decode()) == some

    if all(vocabulary.bytes_of[token_id].isascii() for token_id in ids):  # pairs of other bytes may be no text
        assert canonical(ids) == (
            all(canonical([one, two]) for one, two in itertools.pairwise(ids)) and all(canonical([i]) for i in ids)
        )


@claim("ENC-7", TWO_TEXTS_ONE_PIECE)
def test_texts_encode_apart_exactly_when_a_boundary_lies_between(impl, vocabulary, text, other):
    """Two texts encode, joined, to their encodings joined exactly when the joined encoding has a boundary between
    them.
    """
    tokenizer = impl(vocabulary)
    joined = tokenizer.encode(text + other)
    ends, place = {0}, 0
    for token_id in joined:
        place += len(vocabulary.bytes_of[token_id])
        ends.add(place)
    assert (joined == tokenizer.encode(text) + tokenizer.encode(other)) == (len(text.encode()) in ends)


@claim("ENC-8", FIRST_MERGES)
def test_tokens_of_all_merges_nest_in_those_of_the_first(impl, vocabulary, text, kept):
    """Under the first merges only, a text encodes to the encodings of the tokens that all merges make of it, one
    after the other.
    """
    by_first = tokens_by(impl, Vocabulary(vocabulary.merges[:kept]))
    coarse, fine = tokens_of(impl, vocabulary, text), by_first(text)
    place = 0
    for token in coarse:
        inside = []
        while len(b"".join(inside)) < len(token):
            inside.append(fine[place])
            place += 1
        assert b"".join(inside) == token
        if token.isascii():
            assert inside == by_first(token.decode())
    assert place == len(fine)


@claim("ENC-9", ASCII_PIECE)
def test_renaming_bytes_renames_tokens(impl, vocabulary, text):
    """Renaming the bytes of the text and of the merges renames the bytes of the tokens and changes nothing else."""
    tokens = tokens_of(impl, renamed_vocabulary(vocabulary), renamed_bytes(text.encode()).decode())
    assert tokens == [renamed_bytes(token) for token in tokens_of(impl, vocabulary, text)]


@claim("ENC-10", TWO_SIDED)
def test_reversed_text_under_reversed_merges_gives_reversed_tokens(impl, vocabulary, text):
    """Where no merge joins a token with itself, the reversed text under reversed merges encodes to the reversed
    tokens.
    """
    backwards = tokens_of(impl, reversed_vocabulary(vocabulary), text[::-1])
    assert [token[::-1] for token in backwards[::-1]] == tokens_of(impl, vocabulary, text)


@claim("ENC-11", ONE_PIECE)
def test_merges_that_cannot_occur_may_be_left_out(impl, vocabulary, text):
    """Merges whose bytes do not stand in the text may be left out."""
    kept = tuple(merge for merge in vocabulary.merges if merge[0] + merge[1] in text.encode())
    assert tokens_of(impl, vocabulary, text) == tokens_of(impl, Vocabulary(kept), text)


@claim("ENC-12", TWO_ORDERS)
def test_the_order_of_the_merges_decides(impl, vocabulary, text, place):
    """The order of the merges decides: given two orders that part on a text, an implementation follows the one it
    was given.
    """
    merges = list(vocabulary.merges)
    merges[place : place + 2] = merges[place : place + 2][::-1]
    for ordered in (vocabulary, Vocabulary(tuple(merges))) if well_formed(merges) else ():
        declared = {"rank_by": impl.rank_by, "whole_piece_first": impl.whole_piece_first}
        assert tokens_of(impl, ordered, text) == expected_tokens(ordered, text, **declared)


def well_formed(merges):
    """Whether each merge builds on earlier ones only."""
    try:
        return bool(Vocabulary(tuple(merges)))
    except ValueError:
        return False


@claim("ENC-13", VOCABULARIES_ONE_PIECE)
def test_every_token_encodes_to_itself(impl, vocabulary):
    """Every token of a trainable list encodes to itself alone."""
    tokenizer = impl(vocabulary)
    for token, token_id in vocabulary.id_of.items():
        if token_id >= len(vocabulary.base) and token.isascii():
            assert tokenizer.encode(token.decode()) == [token_id]


@claim("ENC-14", VOCABULARIES_ONE_PIECE, share=0.6)
def test_parents_are_recoverable(impl, vocabulary):
    """Under the merges before its own, a token of a trainable list encodes to the two sides of its merge."""
    for rank, (left, right) in enumerate(vocabulary.merges):
        if (left + right).isascii():
            before = Vocabulary(vocabulary.merges[:rank])
            assert tokens_of(impl, before, (left + right).decode()) == [left, right]


@claim("ENC-15", NOTHING_TO_ENCODE, every_algorithm=True, own_vocabulary=True, share=0.2)
def test_the_empty_text_has_no_tokens(impl, vocabulary):
    """The empty text encodes to no tokens."""
    assert impl(vocabulary).encode("") == []


@claim("ENC-16", SURROGATES, every_algorithm=True, own_vocabulary=True)
def test_lone_surrogates_are_refused_or_kept(impl, vocabulary, text):
    """Text with a lone surrogate raises a ValueError or comes back exactly; it never becomes ids that decode to
    another text.
    """
    tokenizer = impl(vocabulary)
    for member in ("encode", "encode_ordinary") if "encode_ordinary" in impl.can else ("encode",):
        try:
            ids = getattr(tokenizer, member)(text)
        except ValueError:
            continue
        assert tokenizer.decode(ids) == text


@claim("ENC-17", LONG_PIECES, share=2)
def test_the_length_of_a_piece_changes_nothing(impl, vocabulary, text):
    """The length of a piece changes nothing: pieces of a thousand bytes are encoded as short ones are."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)


@claim("ENC-18", MANY_PIECES, share=2)
def test_the_number_of_pieces_changes_nothing(impl, vocabulary, text):
    """The number of pieces in a text changes nothing: a thousand pieces are encoded as one is."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)


@claim("ENC-19", MANY_MERGES, share=0.5)
def test_the_number_of_merges_changes_nothing(impl, vocabulary, text):
    """The number of merges changes nothing: merges of rank 256, 65,536 and beyond apply as the first ones do."""
    assert impl(vocabulary).encode(text) == expected_ids(vocabulary, text)


@claim("ENC-20", DEADLY, level="should", share=10)
def test_long_runs_of_one_character_are_encoded_in_time(impl, vocabulary, text):
    """A text of a hundred thousand equal characters is encoded within the time limit of a call."""
    tokenizer = impl(vocabulary)
    assert tokenizer.decode(tokenizer.encode(text)) == text
