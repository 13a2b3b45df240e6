"""Domains of a vocabulary alone."""

from collections.abc import Iterator

from properties.cases import tables
from properties.cases.domains.domain import VOCABULARY, Case, Domain, fits_trainable, is_one_piece
from properties.cases.domains.made import doubled, many_merges
from properties.cases.domains.several import special_case
from properties.cases.programs import Profile, vocabulary_of
from reference.model import Merge, Vocabulary


def _vocabulary_drawn(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": vocabulary_of(vocabulary, profile, trainable=len(vocabulary) % 2 == 0)[0]}


def _special_vocabulary(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": special_case(profile, vocabulary, vocabulary[-7:], "")["vocabulary"]}


def _far_ids(profile: Profile) -> Iterator[Case]:
    """Ids around which numbers of some width end, or characters have no place."""
    for token_id in (256, 32_768 + 97, 40_000, 56_000, 65_536, 65_536 + 97, 70_000, 2**24 + 97):
        if profile.special_tokens:
            yield {"vocabulary": Vocabulary((), {"<s>": token_id, "<t>": 300}, profile.patterns[0])}
    for texts in tables.SPECIAL_SETS if profile.special_tokens else ():
        ids = {special: 256 + place for place, special in enumerate(texts)}
        yield {"vocabulary": Vocabulary((), ids, profile.patterns[-1])}


SPECIAL_VOCABULARIES = Domain(
    ("vocabulary",), _special_vocabulary, (VOCABULARY,), lambda case: bool(case["vocabulary"].special_tokens), _far_ids
)


def _nothing(profile: Profile) -> Iterator[Case]:
    if profile.own_vocabulary:
        yield {"vocabulary": None}
        return
    specials = {"<s>": 256} if profile.special_tokens else {}
    for pattern in profile.patterns:
        yield {"vocabulary": Vocabulary(pattern=pattern)}
        yield {"vocabulary": Vocabulary(special_tokens=specials, pattern=pattern)}


NOTHING_TO_ENCODE = Domain(("vocabulary",), listed=_nothing)


def _hostile(profile: Profile) -> Iterator[Case]:
    """Vocabularies whose tokens are made of what text files trip over; and one of more merges than a byte counts."""
    pattern = profile.patterns[0]
    characters = ("\r\n", *" \t\r\n\x0b\x0c\x85\xa0\u2028\u2029\ufeff\x00#\\\"'\x1a\x7f,:;=/", "\u0120", "é")
    for start in range(6):
        merges, specials = list[Merge](), dict[str, int]()
        for character in characters[start::6]:
            symbols = [bytes([byte]) for byte in character.encode()]
            merges += [(symbols[0], b"a"), (b"a", symbols[-1]), (symbols[-1], symbols[0]), (b"a" + symbols[-1], b"a")]
            specials |= {f"{character}x{character}": 70_000 + len(merges)} if profile.special_tokens else {}
        yield {"vocabulary": Vocabulary(tuple(dict.fromkeys(merges)), specials, pattern)}
    spelled = (
        "\\|n",
        "\\|t",
        "\\|s",
        "\\|r",
        "\\|\\",
        "\\n|a",
        "&|#",
        "%|2",
        "\\|0",
        "\\|x",
        "\\|u",
        '"|,',
        "#|a",
        "#|#",
        "//|a",
        "/|/",
    )
    written = [tuple(side.encode() for side in merge.split("|")) for merge in sorted(spelled, key=len)]
    yield {"vocabulary": Vocabulary(tuple((left, right) for left, right in written), pattern=pattern)}
    yield {"vocabulary": Vocabulary(many_merges(290).merges, pattern=pattern)}
    yield {"vocabulary": Vocabulary(pattern=pattern)}


HOSTILE = Domain(
    ("vocabulary",), _vocabulary_drawn, (VOCABULARY,), lambda case: not case["vocabulary"].end_of_word, _hostile
)


def _vocabulary_only(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": vocabulary_of(vocabulary, profile)[0]}


def _long_tokens(profile: Profile) -> Iterator[Case]:
    yield {"vocabulary": Vocabulary(doubled(10), pattern=profile.patterns[0])}
    yield {"vocabulary": Vocabulary(many_merges(700).merges, pattern=profile.patterns[0])}


VOCABULARIES = Domain(
    ("vocabulary",),
    _vocabulary_only,
    (VOCABULARY,),
    lambda case: fits_trainable(case) and not case["vocabulary"].end_of_word,
    _long_tokens,
)


def _vocabulary_one_piece(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": vocabulary_of(vocabulary, profile, one_piece=True)[0]}


VOCABULARIES_ONE_PIECE = Domain(
    ("vocabulary",),
    _vocabulary_one_piece,
    (VOCABULARY,),
    lambda case: is_one_piece(case["vocabulary"]) and fits_trainable(case),
)
