"""Domains of one vocabulary and one text where something is large: a piece, the number of pieces or of merges."""

from collections.abc import Iterator
from functools import cache

from properties.cases import tables
from properties.cases.domains.characters import character_vocabulary, is_normal
from properties.cases.domains.domain import SHORT, TEXT, VOCABULARY, Case, Domain, is_plain
from properties.cases.domains.made import CHAINS, NARROW, doubled, long_texts, many_merges, narrow_ranks
from properties.cases.domains.texts import ENCODING, admits_one_piece, encoding_case
from properties.cases.programs import Fragments, Profile, expand, vocabulary_of
from reference.model import SINGLE_BYTES, Vocabulary


def _long(profile: Profile, vocabulary: str, text: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    written = expand(text, fragments, long=True)[:5000]
    if len(written) < 100 and len(text) % 4:
        length = tables.PIECE_LENGTHS[len(text) * 5 % len(tables.PIECE_LENGTHS)]
        written = (written * length)[:length]
    return {"vocabulary": made, "text": written}


def _long_listed(profile: Profile) -> Iterator[Case]:
    """Pieces of the lengths at which buffers end, and of one more or less; a merge lies across each such place."""
    alternating = ((b"a", b"b"), (b"ab", b"ab"), (b"b", b"a"))
    doubling = (*doubled(10), (b"aa", b"b"))
    for length in tables.PIECE_LENGTHS:
        yield {"vocabulary": Vocabulary(alternating), "text": ("ab" * length)[:length]}
        yield {"vocabulary": Vocabulary(alternating), "text": "x" * (length - 1) + "ab"}
        yield {"vocabulary": Vocabulary(doubling), "text": "a" * length}
        yield {"vocabulary": Vocabulary(doubling), "text": f"{'a' * length}b"}
    yield {"vocabulary": Vocabulary(), "text": "é" * 1025}


LONG_PIECES = Domain(("vocabulary", "text"), _long, (VOCABULARY, SHORT), admits_one_piece, _long_listed)


def _many_pieces(profile: Profile) -> Iterator[Case]:
    merges = ((b"a", b"b"), (b" ", b"ab"), (b"c", b"c"), (b"ab", b"ab"), (b"\n", b"\n"), (b" ", b" "))
    for text in long_texts():
        for pattern in profile.patterns if len(text) > 1000 else profile.patterns[-1:]:
            if pattern is not None or profile.patterns == (None,):
                yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}


MANY_PIECES = Domain(("vocabulary", "text"), listed=_many_pieces, admits=lambda case: ENCODING.admits(case))


def _saved(profile: Profile) -> Iterator[Case]:
    """What files have lost: the pattern, the order of the base, the marker, a second merge that makes one token."""
    pattern = profile.patterns[0]
    across = ((b"a", b" "), (b" ", b"a"), (b"a", b"a"))
    yield {"vocabulary": Vocabulary(across, pattern=profile.patterns[-1]), "text": "a a aa"}
    twice = ((b"a", b"b"), (b"b", b"c"), (b"a", b"bc"), (b"ab", b"c"), (b"c", b"d"))
    yield {"vocabulary": Vocabulary(twice, pattern=pattern), "text": "abc bcd cd"}
    yield {"vocabulary": Vocabulary(((b"a", b"b"),), {}, pattern, SINGLE_BYTES[::-1]), "text": "ab b\x00"}
    merges = ((b"l", b"o"), (b"w", b"_"), (b"lo", b"w_"))
    yield {"vocabulary": character_vocabulary(merges), "text": "low lo wow"}


def _is_saved(case: Case) -> bool:
    return is_normal(case) if case["vocabulary"].end_of_word else is_plain(case)


SAVED = Domain(("vocabulary", "text"), encoding_case, (VOCABULARY, TEXT), _is_saved, _saved)


def _many_merges(profile: Profile) -> Iterator[Case]:
    for border in NARROW:
        yield {"vocabulary": narrow_ranks(border), "text": f"{CHAINS.decode()} {CHAINS.decode()[3:]}"}
    for count in (255, 256, 257, 700, 5_000, 66_000):
        vocabulary = many_merges(count)
        made = [left + right for left, right in vocabulary.merges]
        step = max(1, count // 60)
        text = b" ".join([b"".join(made[::step]), *made[-40:], *made[250:260]])
        yield {"vocabulary": vocabulary, "text": text.decode()}


@cache
def _fragments_of_many() -> Fragments:
    return Fragments(("!", "I", "q"), tuple((left + right).decode() for left, right in many_merges(700).merges))


def _among_many(profile: Profile, text: str) -> Case:
    return {"vocabulary": many_merges(700), "text": expand(text, _fragments_of_many())}


MANY_MERGES = Domain(
    ("vocabulary", "text"),
    _among_many,
    (TEXT,),
    lambda case: admits_one_piece(case) and len(case["text"]) < 4000,
    _many_merges,
)


def _deadly(profile: Profile) -> Iterator[Case]:
    merges = ((b"a", b"a"), (b" ", b" "), (b"aa", b"aa"), (b"  ", b"  "))
    for text in ("a" * 100_000, " " * 100_000, "\n" * 100_000, "aA1" * 33_333):
        for pattern in profile.patterns:
            yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}


DEADLY = Domain(("vocabulary", "text"), admits=lambda case: len(case["text"]) >= 10_000, listed=_deadly)
