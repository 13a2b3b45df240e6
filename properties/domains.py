"""Domains: what the arguments of a claim range over.

A domain reads a few programs (`programs.py`) and gives one case: a value for each argument. It also says which
cases it admits, so that a stored regression is asked only the claims that it fits and a counterexample never
shrinks out of the domain. Some cases are listed: they are tried first, in every run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any

from hypothesis import strategies as st

from properties import tables
from properties.oracle import settled, trainable
from properties.programs import (
    PROGRAM_ALPHABET,
    Fragments,
    Profile,
    expand,
    ids_of,
    lesson_of,
    merges_of,
    vocabulary_of,
)
from reference.model import SINGLE_BYTES, Merge, Vocabulary
from reference.pretokenize import PATTERNS

Case = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Domain:
    """What a claim ranges over.

    `arguments`: the names of a case. `build(profile, *programs)`: the case that the programs write; total.
    `sizes`: the smallest and the largest length of each program. `admits(case)`: whether a case found
    elsewhere belongs here. `listed(profile)`: cases tried before any drawn one. `scope(profile, cases)`: where the
    listed cases are all there are up to a bound, the bound that so many of them complete.
    """

    arguments: tuple[str, ...]
    build: Callable[..., Case] | None = None
    sizes: tuple[tuple[int, int], ...] = ()
    admits: Callable[[Case], bool] = lambda case: True
    listed: Callable[[Profile], Iterator[Case]] = lambda profile: iter(())
    scope: Callable[[Profile, int], str] | None = None

    def strategy(self, profile: Profile) -> st.SearchStrategy[Case]:
        """The Hypothesis strategy of the domain's cases."""
        assert self.build is not None
        build = self.build
        drawn = st.tuples(*(_program(low, high) for low, high in self.sizes))
        return drawn.map(lambda programs: build(profile, *programs))

    def case(self, profile: Profile, programs: Sequence[str]) -> Case:
        """The case of these programs; missing ones are empty, those too many are not read."""
        assert self.build is not None
        given = [*programs, *[""] * len(self.sizes)][: len(self.sizes)]
        return self.build(profile, *(program[:high] for program, (_, high) in zip(given, self.sizes, strict=True)))


@cache
def _program(low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(alphabet=PROGRAM_ALPHABET, min_size=low, max_size=high)


# Three characters choose, each further pair is a merge: up to twenty. The least lengths decide how much is drawn:
# Hypothesis draws texts of about twice that.
VOCABULARY = (12, 43)
TEXT = (8, 40)
SHORT = (4, 14)


def fits_trainable(case: Mapping[str, Any]) -> bool:
    """Whether the vocabulary of a case can come of training."""
    return trainable(case["vocabulary"])


def is_one_piece(vocabulary: Vocabulary) -> bool:
    """Whether every text is one piece under this vocabulary."""
    return vocabulary.pattern is None and not vocabulary.special_tokens and not vocabulary.end_of_word


def encodable(text: str) -> bool:
    """Whether a text has UTF-8: it holds no lone surrogate."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def covering(pattern: str | None) -> bool:
    """Whether the pattern is one of those that leave no text uncovered."""
    return pattern in {PATTERNS[name] for name in PATTERNS if name != "whitespace-lossy"}


def is_plain(case: Case) -> bool:
    """A case that the general claims on texts admit."""
    vocabulary = case["vocabulary"]
    if vocabulary is None:
        return encodable(case["text"])
    return encodable(case["text"]) and covering(vocabulary.pattern) and not vocabulary.end_of_word


# --- one vocabulary, one text --------------------------------------------------------------------------------------


def _encoding(profile: Profile, vocabulary: str, text: str) -> Case:
    if profile.own_vocabulary:
        return {"vocabulary": None, "text": expand(text, Fragments())}
    made, fragments = vocabulary_of(vocabulary, profile)
    return {"vocabulary": made, "text": expand(text, fragments)}


ENCODING = Domain(
    arguments=("vocabulary", "text"),
    build=_encoding,
    sizes=(VOCABULARY, TEXT),
    admits=lambda case: is_plain(case) and (case["vocabulary"] is None or fits_trainable(case)),
)


def _every_entry(profile: Profile) -> Iterator[Case]:
    """Each entry of the tables in one text or another, so that every run meets them all."""
    entries = [f"a{entry}b {entry} {entry}c" for table in tables.TEXTS for entry in table]
    texts = ["\x20".join(entries[place::40]) for place in range(40)]
    ends = [*tables.WHITE_SPACE, *tables.LINES, *tables.UTF8_BORDERS, *tables.COMBINING]
    texts += [f"{entry}a{entry}" for entry in ends]
    if not profile.own_vocabulary:
        yield {"vocabulary": Vocabulary(doubled(10), pattern=profile.patterns[0]), "text": "a" * 2047}
    for place, text in enumerate(texts):
        if profile.own_vocabulary:
            yield {"vocabulary": None, "text": text}
        else:
            yield {"vocabulary": Vocabulary(pattern=profile.patterns[place % len(profile.patterns)]), "text": text}


ROUND_TRIP = Domain(ENCODING.arguments, ENCODING.build, ENCODING.sizes, ENCODING.admits, _every_entry)


def _any_list(profile: Profile, vocabulary: str, text: str) -> Case:
    """Every fourth time the text is one token: where that is no encoding of itself, tokenizers part."""
    made, fragments = vocabulary_of(vocabulary, profile, trainable=False)
    if len(text) % 4 == 0 and fragments.tokens and profile.vocabulary is None:
        return {"vocabulary": made, "text": fragments.tokens[len(text) // 4 % len(fragments.tokens)]}
    return {"vocabulary": made, "text": expand(text, fragments)}


def _odd_lists(profile: Profile) -> Iterator[Case]:
    """Lists that no training gives: tokens that no text gives, made twice, or alike when joined by a mark."""
    pattern = profile.patterns[0]
    lists: list[tuple[str, tuple[str, ...]]] = [
        ("aaa", ("a|a", "a|aa")),
        ("baa", ("a|a", "b|a", "ba|a")),
        ("abc", ("b|c", "a|b", "ab|c")),
        ("abcd", ("a|b", "b|c", "a|bc", "c|d", "ab|c")),
        ("abab", ("a|b", "b|a", "a|ba", "ab|a", "aba|b")),
        ("aaaa", ("a|a", "a|aa", "aa|a", "aa|aa")),
    ]
    for text, spelled in lists:
        merges = tuple((left.encode(), right.encode()) for left, right in (merge.split("|") for merge in spelled))
        yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}
        yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": f"{text}{text} {text}"}
    for mark in (" ", "\0", "\t", "\n", ",", "|", "_", "#", "/", "-", ":", "+"):
        odd = mark.encode()
        merges = ((odd, b"b"), (b"a", odd), (b"a" + odd, b"b"))  # (a, _b) and (a_, b), joined by _, are alike
        for text in (f"a{mark}b", f"a{mark}{mark}b", f"{mark}a{mark}b"):
            yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}
        merges = ((b"a", odd), (b"a", b"b"), (b"b", b"c"), (b"a" + odd, b"b"))  # a_ and a are alike up to the mark
        yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": f"a{mark}bc abc"}


ANY_LIST = Domain(
    ("vocabulary", "text"),
    _any_list,
    (VOCABULARY, TEXT),
    lambda case: is_plain(case) and settled(case["vocabulary"]),
    _odd_lists,
)


def _one_piece(profile: Profile, vocabulary: str, text: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    return {"vocabulary": made, "text": expand(text, fragments)}


def _admits_one_piece(case: Case) -> bool:
    return encodable(case["text"]) and is_one_piece(case["vocabulary"]) and fits_trainable(case)


ONE_PIECE = Domain(("vocabulary", "text"), _one_piece, (VOCABULARY, TEXT), _admits_one_piece)


def _patterned(profile: Profile, vocabulary: str, text: str) -> Case:
    case = _encoding(profile, vocabulary, text)
    made: Vocabulary = case["vocabulary"]
    return case | {"vocabulary": Vocabulary(made.merges, {}, made.pattern, made.base, made.end_of_word)}


def _long_patterned(profile: Profile) -> Iterator[Case]:
    merges = ((b"b", b" "), (b"a", b"b"), (b" ", b"ab"), (b"ab", b"ab"), (b"ab", b" "))  # two lie across pieces
    for pattern in profile.patterns:
        for text in ("", "ab ab abab", "b b"):
            yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}
    for text in islice(long_texts(), 16, 18):
        yield {"vocabulary": Vocabulary(merges, pattern=profile.patterns[-1]), "text": text}


NO_SPECIALS = Domain(
    ("vocabulary", "text"),
    _patterned,
    (VOCABULARY, TEXT),
    lambda case: is_plain(case) and not case["vocabulary"].special_tokens and fits_trainable(case),
    _long_patterned,
)


def _white_space(profile: Profile, vocabulary: str, text: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile)
    spaced = Fragments((*fragments.letters, " "), tables.WHITE_SPACE, fragments.specials)
    return {"vocabulary": made, "text": expand(text, spaced)}


def _doubled_spaces(profile: Profile) -> Iterator[Case]:
    # Built from escapes: editors, browsers and issue trackers collapse doubled spaces when they are typed.
    for text in ("\x20\x20two\x20\x20spaces", " two spaces", "a\x20\x20\nb", "\x20" * 7, "x\x20\x20"):
        for pattern in profile.patterns:
            yield {"vocabulary": Vocabulary(pattern=pattern), "text": text}


WHITE_SPACE = Domain(("vocabulary", "text"), _white_space, (VOCABULARY, TEXT), is_plain, _doubled_spaces)


def _with_surrogates(profile: Profile, vocabulary: str, text: str) -> Case:
    if profile.own_vocabulary:
        return {"vocabulary": None, "text": expand(text, Fragments(), surrogates=True) + "\ud800"}
    made, fragments = vocabulary_of(vocabulary, profile)
    written = expand(text, fragments, surrogates=True)
    place = len(text) * 7 % (len(written) + 1)
    if encodable(written):
        written = written[:place] + tables.SURROGATES[len(text) % len(tables.SURROGATES)] + written[place:]
    return {"vocabulary": made, "text": written}


def _surrogates_listed(profile: Profile) -> Iterator[Case]:
    vocabulary = None if profile.own_vocabulary else profile.vocabulary or Vocabulary(pattern=profile.patterns[0])
    for one in tables.SURROGATES:
        for text in (one, f"a{one}", f"{one}a", f"a {one} b", f"{one}\u0301", f"é{one}", f"{one}{one}", f"🙂{one}🙂"):
            yield {"vocabulary": vocabulary, "text": text}


SURROGATES = Domain(
    ("vocabulary", "text"),
    _with_surrogates,
    (VOCABULARY, TEXT),
    lambda case: not encodable(case["text"]),
    _surrogates_listed,
)


def _long(profile: Profile, vocabulary: str, text: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    written = expand(text, fragments, long=True)[:5000]
    if len(written) < 100 and len(text) % 4:
        length = tables.PIECE_LENGTHS[len(text) * 5 % len(tables.PIECE_LENGTHS)]
        written = (written * length)[:length]
    return {"vocabulary": made, "text": written}


def doubled(times: int) -> tuple[Merge, ...]:
    """Merges that make tokens of 2, 4, 8... bytes.

    >>> doubled(2)
    ((b'a', b'a'), (b'aa', b'aa'))
    """
    return tuple((b"a" * 2**power, b"a" * 2**power) for power in range(times))


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


LONG_PIECES = Domain(("vocabulary", "text"), _long, (VOCABULARY, SHORT), _admits_one_piece, _long_listed)


def long_texts() -> Iterator[str]:
    """Many pieces, and some more; pieces of all lengths in one text; long runs of what splitters stumble over."""
    for count in (16, 17, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257):
        yield " ab" * count
    yield "x" * 100 + "\n\n\nb" + "x" * 90 + "!\n//" * 30
    yield " ab" * 1001
    yield "\x20".join(("ab" * length)[:length] for length in tables.PIECE_LENGTHS)
    yield "a".join(character * 1030 for character in (" ", "\n", "=", "1", "\t", "a", "é", "\r\n"))
    for piece in (" cc", " abc d", "a\n"):
        yield piece * 1001
        yield "".join(f"{piece}{i}" for i in range(1100))


def _many_pieces(profile: Profile) -> Iterator[Case]:
    merges = ((b"a", b"b"), (b" ", b"ab"), (b"c", b"c"), (b"ab", b"ab"), (b"\n", b"\n"), (b" ", b" "))
    for text in long_texts():
        for pattern in profile.patterns if len(text) > 1000 else profile.patterns[-1:]:
            if pattern is not None or profile.patterns == (None,):
                yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}


MANY_PIECES = Domain(("vocabulary", "text"), listed=_many_pieces, admits=lambda case: ENCODING.admits(case))


@cache
def many_merges(count: int) -> Vocabulary:
    """A trainable list of many merges: all pairs of letters first, then longer and longer tokens.

    >>> len(many_merges(700).merges), trainable(many_merges(700))
    (700, True)
    """
    letters = [bytes([code]) for code in range(0x21, 0x7F)]
    pairs = [(left, right) for left in letters[:40] for right in letters[40:80]]
    longer = [(left + right, other) for left, right in pairs for other in letters[80:] + letters[:40]]
    return Vocabulary(tuple((pairs + longer)[:count]))


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
    return _is_normal(case) if case["vocabulary"].end_of_word else is_plain(case)


SAVED = Domain(("vocabulary", "text"), _encoding, (VOCABULARY, TEXT), _is_saved, _saved)

NARROW = (128, 256, 512, 2_048, 4_096, 32_768, 65_536)  # where numbers of some width end
CHAINS = b"abcdefghijklmno"


@cache
def narrow_ranks(border: int) -> Vocabulary:
    """A trainable list in which ranks on either side of a border, and neighbours beyond it, decide between merges.

    The merges before them are made of bytes that stand in no text.

    >>> narrow_ranks(128).merges[125:131:2], trainable(narrow_ranks(128))
    (((b'b', b'c'), (b'a', b'b'), (b'h', b'i')), True)
    """
    high = [bytes([code]) for code in range(0x80, 0x100)]
    pairs = [(left, right) for left in high[:64] for right in high[64:]]
    longer = [(left + right, other) for left, right in pairs for other in high[:16]]
    letters = [CHAINS[place : place + 1] for place in range(len(CHAINS))]
    a, b, c, d, e, f, g, h, i, j, k, l, m, n, o = letters  # noqa: E741
    last = [(b, c), (e, f), (a, b), (d, e), (h, i), (g, h), (k, l), (j, k), (n, o), (m, n)]
    return Vocabulary((*(pairs + longer)[: border - 3], *last))


def _many_merges(profile: Profile) -> Iterator[Case]:
    for border in NARROW:
        yield {"vocabulary": narrow_ranks(border), "text": f"{CHAINS.decode()} {CHAINS.decode()[3:]}"}
    for count in (255, 256, 257, 700, 5_000, 66_000):
        vocabulary = many_merges(count)
        made = [left + right for left, right in vocabulary.merges]
        step = max(1, count // 60)
        yield {"vocabulary": vocabulary, "text": b"".join(made[::step]).decode()}
        yield {"vocabulary": vocabulary, "text": b" ".join(made[-40:] + made[250:260]).decode()}


def _among_many(profile: Profile, text: str) -> Case:
    vocabulary = many_merges(700)
    tokens = tuple((left + right).decode() for left, right in vocabulary.merges)
    return {"vocabulary": vocabulary, "text": expand(text, Fragments(("!", "I", "q"), tokens))}


MANY_MERGES = Domain(
    ("vocabulary", "text"),
    _among_many,
    (TEXT,),
    lambda case: _admits_one_piece(case) and len(case["text"]) < 4000,
    _many_merges,
)


def _deadly(profile: Profile) -> Iterator[Case]:
    merges = ((b"a", b"a"), (b" ", b" "), (b"aa", b"aa"), (b"  ", b"  "))
    for text in ("a" * 100_000, " " * 100_000, "\n" * 100_000, "aA1" * 33_333):
        for pattern in profile.patterns:
            yield {"vocabulary": Vocabulary(merges, pattern=pattern), "text": text}


DEADLY = Domain(("vocabulary", "text"), admits=lambda case: len(case["text"]) >= 10_000, listed=_deadly)


def _uncovered(profile: Profile, vocabulary: str, text: str) -> Case:
    made, fragments = vocabulary_of(vocabulary, profile)
    lossy = [PATTERNS["whitespace-lossy"], r"\w+", r"[a-b]+", r" ?\S+"]
    return {
        "vocabulary": Vocabulary(made.merges, pattern=lossy[len(text) % len(lossy)]),
        "text": expand(text, fragments),
    }


def _uncovered_listed(profile: Profile) -> Iterator[Case]:
    yield {"vocabulary": Vocabulary(pattern=PATTERNS["whitespace-lossy"]), "text": "\x20\x20two\x20\x20spaces"}
    yield {"vocabulary": Vocabulary(pattern=r"\w+"), "text": "a b"}


UNCOVERED = Domain(
    ("vocabulary", "text"), _uncovered, (VOCABULARY, TEXT), lambda case: encodable(case["text"]), _uncovered_listed
)

# --- one vocabulary, several values ----------------------------------------------------------------------------------


def _with_other(build: Callable[..., Case], *, trainable_only: bool = True) -> Callable[..., Case]:
    def built(profile: Profile, vocabulary: str, text: str, other: str) -> Case:
        first = build(profile, vocabulary, text)
        return first | {"other": build(profile, vocabulary, other)["text"]}

    return built


TWO_TEXTS_ONE_PIECE = Domain(
    ("vocabulary", "text", "other"),
    _with_other(_one_piece),
    (VOCABULARY, SHORT, SHORT),
    lambda case: _admits_one_piece(case) and encodable(case["other"]),
)

TWO_TEXTS = Domain(
    ("vocabulary", "text", "other"),
    _with_other(_encoding),
    (VOCABULARY, SHORT, SHORT),
    lambda case: ENCODING.admits(case) and encodable(case["other"]),
)


def _texts(profile: Profile, vocabulary: str, *texts: str) -> Case:
    cases = [_encoding(profile, vocabulary, text) for text in texts]
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
    case = _one_piece(profile, vocabulary, text)
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
    return case | {"texts": [*few, *(one + other for one in few for other in few), long[:600], *few, *few]}


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
    case = _encoding(profile, vocabulary, text)
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
    lambda case: _admits_one_piece(case) and 0 <= case["kept"] <= len(case["vocabulary"].merges),
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
    lambda case: _admits_one_piece(case) and 0 <= case["place"] <= max(0, len(case["vocabulary"].merges) - 2),
    _two_orders_listed,
)


def _special(profile: Profile, vocabulary: str, text: str, other: str) -> Case:
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
    _special,
    (VOCABULARY, SHORT, SHORT),
    lambda case: TWO_TEXTS.admits(case) and bool(case["vocabulary"].special_tokens),
)

# --- a vocabulary and ids ------------------------------------------------------------------------------------------


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


def _vocabulary_drawn(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": vocabulary_of(vocabulary, profile, trainable=len(vocabulary) % 2 == 0)[0]}


def _special_vocabulary(profile: Profile, vocabulary: str) -> Case:
    return {"vocabulary": _special(profile, vocabulary, vocabulary[-7:], "")["vocabulary"]}


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

# --- pieces --------------------------------------------------------------------------------------------------------


def _pieces(profile: Profile, pattern: str, text: str) -> Case:
    made, fragments = vocabulary_of(pattern, profile)
    return {"vocabulary": Vocabulary(pattern=made.pattern), "text": expand(text, fragments)}


def _pieces_listed(profile: Profile) -> Iterator[Case]:
    """Where splitters part: contractions and their cases, white space between other things, letters of every age."""
    for pattern in profile.patterns:
        for text in tables.SPLITTING:
            yield {"vocabulary": Vocabulary(pattern=pattern), "text": text}
        for table in tables.TEXTS:
            yield {"vocabulary": Vocabulary(pattern=pattern), "text": "a".join(table) + " " + " ".join(table)}


PIECES = Domain(("vocabulary", "text"), _pieces, ((3, 9), TEXT), is_plain, _pieces_listed)

# --- corpora -------------------------------------------------------------------------------------------------------

CORPUS_PROGRAM = (10, 44)


def _corpus(profile: Profile, corpus: str) -> Case:
    lesson = lesson_of(corpus, profile)
    return {
        "corpus": lesson.corpus,
        "num_merges": lesson.num_merges,
        "pattern": lesson.pattern,
        "tie_rule": lesson.tie_rule,
    }


TRAINING = ("corpus", "num_merges", "pattern", "tie_rule")


def is_training(case: Case) -> bool:
    """A case that the claims on training admit."""
    return covering(case["pattern"]) and all(map(encodable, case["corpus"])) and case["num_merges"] >= 0


def _corpus_listed(profile: Profile) -> Iterator[Case]:
    """The smallest corpora that expose each known bug of incremental trainers."""
    corpora = ["aaa", "baa", "aab", "aaaa", "aaaaa", "abbb", "aa"]
    weighted = [("aab",) * 3, ("aa", "aa"), ("aa", "ab", "ab", "ab"), ("aaab",), ("aaab", "ab"), ("ab", "abbb")]
    ties = [
        (" a", "bc"),
        ("ab", "é"),
        ("é", "ab"),
        ("\x00a", "ab"),
        ("~a", " a", "!a"),
        ("aB", "Ab", "a b"),
        ("þ", "ÿ"),
        ("abc", "cb"),
    ]
    ties += [("ab ba", "bc"), ("a~", "a", "ā", "aa"), ("abab", "cdcd", "ab", "cd"), ("hello", "yellow", "oh")]
    for corpus in [*((text,) for text in corpora), *weighted, *ties, ()]:
        for rule in profile.tie_rules or ("first-seen",):
            yield {"corpus": corpus, "num_merges": 10, "pattern": None, "tie_rule": rule}


def _large_listed(profile: Profile) -> Iterator[Case]:
    """Counts beyond a byte and beyond two, many different pieces, many documents, long documents, many ties."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    many = [chr(0x4E00 + place) for place in range(300)]
    corpora: list[tuple[str, ...]] = [
        (letters, letters[::-1]),
        ("ab" * 256, *["cd"] * 3),
        ("ab" * 128, *["cd"] * 3),
        (*["ab"] * 255, *["cd"] * 256, "ab" * 20),
        (*["ab"] * 257, *["cd"] * 2),
        (*["aab"] * 300, *["cab"] * 290, *["aac"] * 280),
        (*many, *["ab"] * 301, *["cd"] * 300),
        (*["cd"] * 1000, *["ab"] * 1001),
        ("x" + "\u4e00" * 85 + "ab" * 300,),
        tuple(one + two for one in letters[:18] for two in letters[:18]),
        ("".join(chr(0x4E00 + place) for place in range(140)),),
        (*["ab"] * 65_536, *["cd"] * 3),
    ]
    rules = profile.tie_rules or ("first-seen",)
    for place, corpus in enumerate(corpora):
        asked = rules if place == 0 else (rules[place % len(rules)],)
        for rule in asked:
            yield {
                "corpus": corpus,
                "num_merges": 30 if place == 0 else 300 if place == 10 else 4,
                "pattern": None,
                "tie_rule": rule,
            }


def _large(profile: Profile, corpus: str) -> Case:
    """A drawn corpus, its documents many times over, each a different number of times."""
    case = _corpus(profile, corpus)
    times = (1, 8, 127, 128, 255, 256, 257, 300)
    documents = [document for place, document in enumerate(case["corpus"][:6]) for _ in range(times[place * 3 % 8])]
    return case | {"corpus": tuple(documents), "num_merges": min(case["num_merges"], 12)}


LARGE_CORPORA = Domain(TRAINING, _large, (CORPUS_PROGRAM,), is_training, _large_listed)

CORPORA = Domain(TRAINING, _corpus, (CORPUS_PROGRAM,), is_training, _corpus_listed)


def _two_corpora(profile: Profile, corpus: str, other: str) -> Case:
    return _corpus(profile, corpus) | {"other": lesson_of("\x00" * 4 + other, profile).corpus}


TWO_CORPORA = Domain(
    (*TRAINING, "other"),
    _two_corpora,
    (CORPUS_PROGRAM, (2, 24)),
    lambda case: is_training(case) and all(map(encodable, case["other"])),
)


def _shuffled(profile: Profile, corpus: str, order: str) -> Case:
    case = _corpus(profile, corpus)
    keyed = sorted(range(len(case["corpus"])), key=lambda i: (order[i : i + 1], -i))
    return case | {"other": tuple(case["corpus"][i] for i in keyed)}


SHUFFLED = Domain(
    (*TRAINING, "other"),
    _shuffled,
    (CORPUS_PROGRAM, (4, 24)),
    lambda case: is_training(case) and sorted(case["corpus"]) == sorted(case["other"]),
)


def _planted(profile: Profile, merges: str, order: str) -> Case:
    """A trainable list over ASCII, so that every token is a text; the claim builds the corpus of it."""
    symbols = (b"a", b"b", b"c")[: 2 + len(order) % 2]
    made = merges_of(merges, symbols, trainable=True)[:10]
    rules = profile.tie_rules or ("first-seen",)
    pattern = profile.train_patterns[len(order) % len(profile.train_patterns)]  # a word of letters is one piece in each
    return {"merges": made, "pattern": pattern, "tie_rule": rules[len(merges) % len(rules)], "order": order}


def _is_trainable(merges: tuple[Merge, ...]) -> bool:
    try:
        vocabulary = Vocabulary(merges)
    except ValueError:
        return False
    return trainable(vocabulary) and all(set(left + right) <= set(b"abc") for left, right in merges)


PLANTED = Domain(
    ("merges", "pattern", "tie_rule", "order"),
    _planted,
    ((2, 30), (0, 20)),
    lambda case: _is_trainable(tuple(case["merges"])) and covering(case["pattern"]),
)


def _to_saturation(profile: Profile, corpus: str) -> Case:
    return _corpus(profile, corpus) | {"num_merges": 1000}


TO_SATURATION = Domain(
    TRAINING, _to_saturation, (CORPUS_PROGRAM,), lambda case: is_training(case) and case["num_merges"] == 1000
)


def _nothing_to_learn(profile: Profile) -> Iterator[Case]:
    for rule in profile.tie_rules or ("first-seen",):
        for pattern in profile.train_patterns:
            for corpus, num_merges in (((), 5), (("",), 5), (("", "a", ""), 5), (("abab",), 0), ((), 0)):
                yield {"corpus": corpus, "num_merges": num_merges, "pattern": pattern, "tie_rule": rule}


def _teaches_nothing(case: Case) -> bool:
    return case["num_merges"] == 0 or all(len(document.encode()) < 2 for document in case["corpus"])


NO_LESSON = Domain(TRAINING, admits=_teaches_nothing, listed=_nothing_to_learn)


def _hash_seeds(profile: Profile) -> Iterator[Case]:
    """Corpora full of ties, all in one case: each process costs as much as a thousand of them."""
    words = ["abcd", "dcba", "bcad", "xyz", "zyx", "ab cd", "é è", "aa bb cc dd", "badc", "qwertyuiop"]
    corpora = tuple(tuple(words[i : i + n]) for i in range(len(words)) for n in (1, 2, 5))
    rules = profile.tie_rules or ("first-seen",)
    yield {"corpora": corpora, "num_merges": 12, "pattern": profile.train_patterns[0], "tie_rule": rules[0]}


HASH_SEEDS = Domain(("corpora", "num_merges", "pattern", "tie_rule"), listed=_hash_seeds)


def _corpus_with_specials(profile: Profile, corpus: str, specials: str) -> Case:
    case = _corpus(profile, corpus)
    texts = tables.SPECIAL_SETS[len(specials) % len(tables.SPECIAL_SETS)]
    documents = []
    for i, document in enumerate(case["corpus"]):
        inserted = texts[i % len(texts)]
        place = (ord(specials[i % len(specials)]) if specials else i) % (len(document) + 1)
        documents.append(document[:place] + inserted + document[place:])
    return case | {"corpus": tuple(documents), "special_tokens": texts}


CORPORA_WITH_SPECIALS = Domain(
    (*TRAINING, "special_tokens"), _corpus_with_specials, (CORPUS_PROGRAM, (1, 20)), is_training
)

# --- characters ----------------------------------------------------------------------------------------------------

CHARACTERS = "abcdelnorstwé日"


def character_vocabulary(merges: Sequence[Merge], marker: bytes = b"_") -> Vocabulary:
    """A vocabulary of characters with an end-of-word marker, over `CHARACTERS`."""
    base = (*(character.encode() for character in CHARACTERS), marker)
    return Vocabulary(tuple(merges), {}, r"\S+", base, marker)


def _character_merges(program: str, symbols: Sequence[bytes], marker: bytes) -> tuple[Merge, ...]:
    """Merges of characters; the marker stands mostly at the end of a token, as it does in a word."""
    tokens, merges = [*symbols, marker], list[Merge]()
    for left_code, right_code in zip(program[::2], program[1::2], strict=False):
        left, right = tokens[ord(left_code) % len(tokens)], tokens[-1 - ord(right_code) % len(tokens)]
        odd = left.endswith(marker) and ord(right_code) % 3  # a third of those are kept: no word is there to fire them
        if odd or (left, right) in merges or len(left + right) > 40:
            continue
        merges.append((left, right))
        if left + right not in tokens:
            tokens.append(left + right)
    return tuple(merges)


def _characters(profile: Profile, merges: str, text: str) -> Case:
    letters = CHARACTERS[: 3 + len(text) % 4]
    vocabulary = character_vocabulary(_character_merges(merges, [letter.encode() for letter in letters], b"_"))
    words = "".join(letters[ord(c) % len(letters)] if ord(c) % 5 else " " for c in text).split()
    return {"vocabulary": vocabulary, "text": " ".join(words)}


def _is_normal(case: Case) -> bool:
    vocabulary, text = case["vocabulary"], case["text"]
    return (
        bool(vocabulary.end_of_word)
        and text == " ".join(text.split())
        and vocabulary.end_of_word.decode() not in text
        and all(character == " " or character.encode() in vocabulary.base for character in text)
    )


NORMAL_FORM = Domain(("vocabulary", "text"), _characters, ((0, 30), (0, 30)), _is_normal)


def _foreign(profile: Profile, merges: str, text: str) -> Case:
    case = _characters(profile, merges, text)
    place = len(case["text"]) // 2
    return case | {"text": case["text"][:place] + "xЖ🙂q"[len(text) % 4] + case["text"][place:]}


FOREIGN_CHARACTER = Domain(
    ("vocabulary", "text"),
    _foreign,
    ((0, 30), (0, 20)),
    lambda case: (
        bool(case["vocabulary"].end_of_word)
        and any(c != " " and c.encode() not in case["vocabulary"].base for c in case["text"] if encodable(c))
    ),
)
