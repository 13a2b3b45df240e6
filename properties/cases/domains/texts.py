"""Domains of one vocabulary and one text."""

from collections.abc import Iterator
from itertools import islice

from properties.cases import tables
from properties.cases.domains.domain import (
    TEXT,
    VOCABULARY,
    Case,
    Domain,
    encodable,
    fits_trainable,
    is_one_piece,
    is_plain,
)
from properties.cases.domains.made import doubled, long_texts
from properties.cases.programs import Fragments, Profile, expand, vocabulary_of
from properties.cases.rename import is_ascii_only
from properties.oracle.fast import settled, trainable
from reference.model import Merge, Vocabulary
from reference.pretokenize import PATTERNS


def encoding_case(profile: Profile, vocabulary: str, text: str) -> Case:
    """A vocabulary that the profile serves, and a text of its fragments."""
    if profile.own_vocabulary:
        return {"vocabulary": None, "text": expand(text, Fragments())}
    made, fragments = vocabulary_of(vocabulary, profile)
    return {"vocabulary": made, "text": expand(text, fragments)}


ENCODING = Domain(
    arguments=("vocabulary", "text"),
    build=encoding_case,
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


def one_piece_case(profile: Profile, vocabulary: str, text: str) -> Case:
    """The same where the whole text is one piece."""
    made, fragments = vocabulary_of(vocabulary, profile, one_piece=True)
    return {"vocabulary": made, "text": expand(text, fragments)}


def admits_one_piece(case: Case) -> bool:
    """Whether the text is one piece under a vocabulary that training can give."""
    return encodable(case["text"]) and is_one_piece(case["vocabulary"]) and fits_trainable(case)


ONE_PIECE = Domain(("vocabulary", "text"), one_piece_case, (VOCABULARY, TEXT), admits_one_piece)


def _ascii_piece(profile: Profile, vocabulary: str, text: str) -> Case:
    case = one_piece_case(profile, vocabulary, text)
    merges = tuple((left, right) for left, right in case["vocabulary"].merges if (left + right).isascii())
    spelled = "".join(c if c.isascii() else "abc"[ord(c) % 3] for c in case["text"])
    return {"vocabulary": Vocabulary(merges), "text": spelled}


def _admits_ascii(case: Case) -> bool:
    return admits_one_piece(case) and is_ascii_only(case["vocabulary"], case["text"])


ASCII_PIECE = Domain(("vocabulary", "text"), _ascii_piece, (VOCABULARY, TEXT), _admits_ascii)


def _two_sided(profile: Profile, vocabulary: str, text: str) -> Case:
    case = _ascii_piece(profile, vocabulary, text)
    kept, made = list[Merge](), set[bytes]()
    for left, right in case["vocabulary"].merges:
        built = all(len(side) == 1 or side in made for side in (left, right))
        if left != right and built and trainable(Vocabulary((*kept, (left, right)))):
            kept.append((left, right))
            made.add(left + right)
    return case | {"vocabulary": Vocabulary(tuple(kept))}


TWO_SIDED = Domain(
    ("vocabulary", "text"),
    _two_sided,
    (VOCABULARY, TEXT),
    lambda case: _admits_ascii(case) and all(left != right for left, right in case["vocabulary"].merges),
)


def _patterned(profile: Profile, vocabulary: str, text: str) -> Case:
    case = encoding_case(profile, vocabulary, text)
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
