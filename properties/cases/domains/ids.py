"""Domains of a vocabulary and ids."""

from collections.abc import Iterator

from properties.cases.domains.domain import VOCABULARY, Case, Domain, fits_trainable, is_one_piece
from properties.cases.programs import Profile, ids_of, vocabulary_of
from reference.model import Vocabulary


def _ids(profile: Profile, vocabulary: str, ids: str) -> Case:
    made, _ = vocabulary_of(vocabulary, profile)
    return {"vocabulary": made, "ids": ids_of(ids, made)}


def _known(case: Case) -> bool:
    known = case["vocabulary"].bytes_of
    return all(token_id in known for token_id in case["ids"]) and not case["vocabulary"].end_of_word


def _ids_listed(profile: Profile) -> Iterator[Case]:
    plain = Vocabulary(special_tokens={"<s>": 256, "<s><s>": 259} if profile.special_tokens else {})
    special = [256] if profile.special_tokens else [0x53]
    for space in (0x20, 0x0A, 0x0D, 0x09, 0x00, 0x85):
        for ids in ([space], [0x61, space], [space, 0x61], [space, space, 0x61, space, space], [0x61, space, 0x62]):
            yield {"vocabulary": plain, "ids": ids}
        yield {"vocabulary": plain, "ids": [space, *special, space, 0x61]}
    yield {"vocabulary": plain, "ids": special * 2}
    for text in ("é", "€", "🙂", "\ufeff", "a\x00b"):
        for cut in range(len(text.encode())):
            yield {"vocabulary": plain, "ids": [*text.encode()[: cut + 1], 0x61]}
            yield {"vocabulary": plain, "ids": [*text.encode()[: cut + 1], 0x20, 0x61, *text.encode()[: cut + 1]]}
            yield {"vocabulary": plain, "ids": list(text.encode()[cut:])}
    for bad in ([0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x99]):
        yield {"vocabulary": plain, "ids": bad}


IDS = Domain(("vocabulary", "ids"), _ids, (VOCABULARY, (3, 30)), _known, _ids_listed)


def _ids_one_piece(profile: Profile, vocabulary: str, ids: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    letters = [made.id_of[bytes([byte])] for byte in "".join(fragments.letters).encode()]
    drawn = ids_of(ids, made)
    return {"vocabulary": made, "ids": [i if i >= len(made.base) else letters[i % len(letters)] for i in drawn]}


def _spliced(case: Case) -> bool:
    if not (is_one_piece(case["vocabulary"]) and _known(case) and fits_trainable(case)):
        return False
    try:
        b"".join(case["vocabulary"].bytes_of[i] for i in case["ids"]).decode()
    except UnicodeDecodeError:
        return False
    return True


SPLICED_IDS = Domain(("vocabulary", "ids"), _ids_one_piece, (VOCABULARY, (2, 20)), _spliced)


def _unknown(profile: Profile, vocabulary: str, ids: str) -> Case:
    """Where a merge makes a token that was there before, the id that it would have had is unknown too."""
    made, _ = vocabulary_of(vocabulary, profile, trainable=False)
    case: Case = {"vocabulary": made, "ids": ids_of(ids, made)}
    free = [i for i in range(made.size + 2) if i not in made.bytes_of]
    chosen = [
        free[0],
        made.size,
        free[0],
        made.size + 1,
        free[0],
        2**16,
        2**31 - 1,
        2**31,
        2**32,
        2**32 + 97,
        2**63,
        2**64 + 1,
    ]
    unknown = next(i for i in chosen[len(ids) % len(chosen) :] + chosen if i not in made.bytes_of)
    place = len(case["ids"]) // 2
    return {"vocabulary": made, "ids": [*case["ids"][:place], unknown, *case["ids"][place:]]}


def _has_unknown(case: Case) -> bool:
    return any(i >= 0 and i not in case["vocabulary"].bytes_of for i in case["ids"])


UNKNOWN_IDS = Domain(("vocabulary", "ids"), _unknown, (VOCABULARY, (0, 12)), _has_unknown)


def _negative(profile: Profile, vocabulary: str, ids: str) -> Case:
    case = _ids(profile, vocabulary, ids)
    size = case["vocabulary"].size
    chosen = [-1, -2, -size, -256, -257, -(2**31), -(2**63)][len(ids) % 7]
    place = len(case["ids"]) // 2
    return {"vocabulary": case["vocabulary"], "ids": [*case["ids"][:place], chosen, *case["ids"][place:]]}


NEGATIVE_IDS = Domain(
    ("vocabulary", "ids"), _negative, (VOCABULARY, (0, 12)), lambda case: any(i < 0 for i in case["ids"])
)
