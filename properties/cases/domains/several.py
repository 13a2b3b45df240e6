"""Domains of one vocabulary and several values: texts, a place to cut at, another order of the merges."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from properties.cases import tables
from properties.cases.domains.domain import SHORT, TEXT, VOCABULARY, Case, Domain, encodable, fits_trainable, is_plain
from properties.cases.domains.texts import ENCODING, admits_one_piece, encoding_case, one_piece_case
from properties.cases.programs import Profile, expand, vocabulary_of
from reference.model import Vocabulary


def _with_other(build: Callable[..., Case], *, trainable_only: bool = True) -> Callable[..., Case]:
    def built(profile: Profile, vocabulary: str, text: str, other: str) -> Case:
        first = build(profile, vocabulary, text)
        return first | {"other": build(profile, vocabulary, other)["text"]}

    return built


TWO_TEXTS_ONE_PIECE = Domain(
    ("vocabulary", "text", "other"),
    _with_other(one_piece_case),
    (VOCABULARY, SHORT, SHORT),
    lambda case: admits_one_piece(case) and encodable(case["other"]),
)


TWO_TEXTS = Domain(
    ("vocabulary", "text", "other"),
    _with_other(encoding_case),
    (VOCABULARY, SHORT, SHORT),
    lambda case: ENCODING.admits(case) and encodable(case["other"]),
)


def _texts(profile: Profile, vocabulary: str, *texts: str) -> Case:
    cases = [encoding_case(profile, vocabulary, text) for text in texts]
    return {"vocabulary": cases[0]["vocabulary"], "texts": [case["text"] for case in cases]}


SEVERAL_TEXTS = Domain(
    ("vocabulary", "texts"),
    _texts,
    (VOCABULARY, SHORT, SHORT, TEXT, SHORT, SHORT),
    lambda case: (
        all(is_plain({"vocabulary": case["vocabulary"], "text": text}) for text in case["texts"])
        and (case["vocabulary"] is None or fits_trainable(case))
    ),
)


def _some_merges(profile: Profile, vocabulary: str, text: str) -> Case:
    case = one_piece_case(profile, vocabulary, text)
    return case | {"kept": len(text) % (len(case["vocabulary"].merges) + 1)}


def _with_specials(profile: Profile) -> Iterator[Case]:
    if profile.special_tokens and not profile.own_vocabulary:
        vocabulary = Vocabulary(((b"a", b"b"), (b"ab", b"a")), {"ab": 300, "<s>": 301}, profile.patterns[0])
        yield {"vocabulary": vocabulary, "texts": ["abab", "<s>", "a<s>ab", "aab", "ba"]}


SEVERAL_TEXTS = replace(SEVERAL_TEXTS, listed=_with_specials)


def _many_calls(profile: Profile, vocabulary: str, *texts: str) -> Case:
    case = _texts(profile, vocabulary, *texts)
    few = case["texts"]
    long = (few[0] + few[1] + "ab") * 200  # tokenizers have been changed for good by a text of some hundred characters
    return case | {"texts": [*few, *(one + other for one in few[:6] for other in few[:6]), long[:600], *few, *few]}


def _alike(profile: Profile) -> Iterator[Case]:
    """Texts that a cache with the wrong key takes for one another, each a call, and all of them pieces of one text."""
    merges = ((b"a", b"a"), (b"aa", b"aa"), (b"i", b"t"), (b"k", b"e"))
    for pattern in profile.patterns[:2]:
        texts = [*tables.ALIKE, " ".join(tables.ALIKE), "\n".join(reversed(tables.ALIKE))]
        specials = {"a ": 300, "it": 301} if profile.special_tokens and pattern is not None else {}
        vocabulary = None if profile.own_vocabulary else profile.vocabulary or Vocabulary(merges, specials, pattern)
        yield {"vocabulary": vocabulary, "texts": texts}


MANY_CALLS = Domain(("vocabulary", "texts"), _many_calls, (VOCABULARY, *[SHORT] * 7), SEVERAL_TEXTS.admits, _alike)


def _cut(profile: Profile, vocabulary: str, text: str) -> Case:
    case = encoding_case(profile, vocabulary, text)
    return case | {"cut": (len(vocabulary) * 37 + len(text) * 11) % 100}


CUT_FILES = Domain(
    ("vocabulary", "text", "cut"),
    _cut,
    (VOCABULARY, SHORT),
    lambda case: ENCODING.admits(case) and 0 <= case["cut"] < 100,
)


FIRST_MERGES = Domain(
    ("vocabulary", "text", "kept"),
    _some_merges,
    (VOCABULARY, TEXT),
    lambda case: admits_one_piece(case) and 0 <= case["kept"] <= len(case["vocabulary"].merges),
)


def _two_orders(profile: Profile, vocabulary: str, text: str) -> Case:
    """A list in which two neighbouring merges that do not build on one another have changed places."""
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    place = len(text) % max(1, len(made.merges) - 1)
    return {"vocabulary": made, "text": expand(text, fragments), "place": place}


def _two_orders_listed(profile: Profile) -> Iterator[Case]:
    for text in ("aab", "xaab", "aabaab"):
        yield {"vocabulary": Vocabulary(((b"a", b"a"), (b"a", b"b"))), "text": text, "place": 0}


TWO_ORDERS = Domain(
    ("vocabulary", "text", "place"),
    _two_orders,
    (VOCABULARY, TEXT),
    lambda case: admits_one_piece(case) and 0 <= case["place"] <= max(0, len(case["vocabulary"].merges) - 2),
    _two_orders_listed,
)


def special_case(profile: Profile, vocabulary: str, text: str, other: str) -> Case:
    """A vocabulary with special tokens, and texts in which they stand as often as letters do."""
    made, fragments = vocabulary_of(vocabulary, profile)
    if not made.special_tokens and profile.special_tokens and profile.vocabulary is None:
        texts = tables.SPECIAL_SETS[len(text) % len(tables.SPECIAL_SETS)]
        made = Vocabulary(made.merges, {special: made.size + i for i, special in enumerate(texts)}, made.pattern)
    specials = tuple(made.special_tokens)
    mixed = replace(fragments, letters=(*fragments.letters, *specials, " "), specials=specials)
    return {"vocabulary": made, "text": expand(text, mixed), "other": expand(other, mixed)}


SPECIAL = Domain(
    ("vocabulary", "text", "other"),
    special_case,
    (VOCABULARY, SHORT, SHORT),
    lambda case: TWO_TEXTS.admits(case) and bool(case["vocabulary"].special_tokens),
)
