"""Within a bound, every case: the definitions of encoding are one function where the specification says so.

`pytest tests/test_reference_scope.py -s` prints the scope.
"""

from collections import Counter
from itertools import pairwise, product

import pytest

from reference import Vocabulary, encode_piece, lowest_rank_by_bytes, lowest_rank_first, train

LETTERS = (b"a", b"b")
MERGES = 3
LENGTH = 8


def well_formed_lists(letters, most):
    """All well-formed lists of merges over the letters, one of each two that differ in the letters' names only."""
    seen = set()
    for merges in grow((), letters, most):
        renamed = tuple(tuple(side.translate(bytes.maketrans(b"ab", b"ba")) for side in merge) for merge in merges)
        if renamed not in seen:
            seen.add(merges)
            yield merges


def grow(merges, letters, most):
    yield merges
    if len(merges) < most:
        tokens = dict.fromkeys([*letters, *(left + right for left, right in merges)])
        for merge in product(tokens, repeat=2):
            if merge not in merges:
                yield from grow((*merges, merge), letters, most)


def vocabulary_of(merges):
    return Vocabulary(merges, base=LETTERS)


def symbols(token):
    return tuple(bytes([value]) for value in token)


def trainable(merges):
    """Every merge makes its token of the token's bytes alone: no earlier merge does, and none stands in the way.

    That every token encodes to itself under the whole list would not be enough: in (a, a), (a, aa), (aa, a) the
    token aaa does, by the third merge, and the second never fires.
    """
    return all(
        encode_piece(vocabulary_of(merges[:rank]), symbols(left + right)) == (left, right)
        for rank, (left, right) in enumerate(merges)
    )


LISTS = list(well_formed_lists(LETTERS, MERGES))
TRAINABLE = [merges for merges in LISTS if trainable(merges)]
TEXTS = [text for length in range(LENGTH + 1) for text in product(LETTERS, repeat=length)]


def test_the_scope_is_what_it_says(capsys):
    with capsys.disabled():
        print(
            f"\nscope: {len(LISTS)} well-formed lists of at most {MERGES} merges over two letters up to renaming "
            f"({len(TRAINABLE)} of them trainable), times {len(TEXTS)} texts of at most {LENGTH} letters: "
            f"{len(LISTS) * len(TEXTS)} comparisons"
        )
    assert len(TEXTS) == 2 ** (LENGTH + 1) - 1
    # by hand, each half of what it is without renaming: 4 pairs of letters, 9 - 1 pairs of three tokens for the second
    # merge, and 16 - 2 of four for the third, as no two merges that come first and second make the same token
    assert Counter(len(merges) for merges in LISTS) == {0: 1, 1: 4 // 2, 2: 4 * 8 // 2, 3: 4 * 8 * 14 // 2}


def test_replaying_every_merge_is_taking_the_lowest_rank_first():
    for merges in LISTS:
        vocabulary = vocabulary_of(merges)
        for text in TEXTS:
            assert encode_piece(vocabulary, text) == lowest_rank_first(vocabulary, text), (merges, text)


def test_ranking_by_bytes_is_ranking_by_pair_on_trainable_lists():
    for merges in TRAINABLE:
        vocabulary = vocabulary_of(merges)
        for text in TEXTS:
            assert lowest_rank_by_bytes(vocabulary, text) == encode_piece(vocabulary, text), (merges, text)


def test_ranking_by_bytes_parts_from_ranking_by_pair_on_an_untrainable_list():
    merges = ((b"a", b"a"), (b"a", b"aa"))
    assert merges in LISTS
    assert merges not in TRAINABLE
    assert encode_piece(vocabulary_of(merges), symbols(b"aaa")) == (b"aa", b"a")
    assert lowest_rank_by_bytes(vocabulary_of(merges), symbols(b"aaa")) == (b"aaa",)


def test_no_shorter_list_and_no_shorter_text_part_the_two():
    parted = {
        (len(merges), len(text))
        for merges in LISTS
        for text in TEXTS[: 2**6 - 1]
        if lowest_rank_by_bytes(vocabulary_of(merges), text) != encode_piece(vocabulary_of(merges), text)
    }
    assert min(parted) == (2, 3)


def test_replaying_is_not_taking_the_lowest_rank_first_on_a_list_out_of_order():
    """Why a list must be well-formed: (b, aa) before (a, a). No `Vocabulary` holds it, so the loops stand here."""
    merges = [(b"b", b"aa"), (b"a", b"a")]
    with pytest.raises(ValueError, match="merge 0"):
        vocabulary_of(merges)
    assert replay(merges, symbols(b"baa")) == (b"b", b"aa")
    assert lowest_first(merges, symbols(b"baa")) == (b"baa",)
    assert replay([(b"a", b"a"), (b"b", b"aa")], symbols(b"baa")) == (b"baa",)


def replay(merges, tokens):
    for merge in merges:
        tokens = join_first(tokens, merge) if merge in pairwise(tokens) else tokens
    return tuple(tokens)


def lowest_first(merges, tokens):
    while present := [merge for merge in merges if merge in pairwise(tokens)]:
        tokens = join_first(tokens, present[0])
    return tuple(tokens)


def join_first(tokens, merge):
    place = list(pairwise(tokens)).index(merge)
    return (*tokens[:place], merge[0] + merge[1], *tokens[place + 2 :])


def test_the_trainable_lists_are_those_that_a_planted_corpus_trains_to():
    for merges in LISTS:
        for tie_rule in ("first-seen", "largest-bytes"):
            learned = train(planted(merges), len(merges), base=LETTERS, tie_rule=tie_rule)
            assert (learned == merges) == trainable(merges), merges


def planted(merges):
    """The bytes of each token, many times over, and the more often the earlier its merge, so that no pair ties."""
    return [
        (left + right).decode() for i, (left, right) in enumerate(merges) for _ in range(10 ** (len(merges) - 1 - i))
    ]
