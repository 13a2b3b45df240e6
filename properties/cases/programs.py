"""Where cases come from: short programs, and total interpreters that read them.

A program is a text. Characters below U+F0080 stand for themselves; the 128 characters from U+F0080 on are
operations: a letter of the alphabet, a token of the vocabulary, a special token, white space, a repeat.
Every text is a program and every byte string is one (`from_bytes`), so Hypothesis, the blind generator and
coverage-guided fuzzers all feed the same interpreters, and a local edit of a program stays local in the case.

Drawing one text and expanding it by table is also what makes Hypothesis fast here: one choice a text, in
place of a list of choices.

>>> expand("x" + op(0x80) + op(0x81) + op(0xB8), Fragments(letters=("a", "b")))
'xabb'
"""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from properties.cases import tables
from properties.oracle.fast import Oracle, makes_again, single_bytes
from reference.model import SINGLE_BYTES, Merge, Vocabulary
from reference.pretokenize import PATTERNS

OPERATIONS = 0xF0000  # + 0x80 .. 0xFF; a plane for private use, so no text of a user is taken for a program

PATTERN_WEIGHTS = {"none": 6, "whitespace": 3, "gpt2": 2, "cl100k_base": 2, "o200k_base": 2}


def op(code: int) -> str:
    """The operation of a code from 0x80 to 0xFF.

    >>> hex(ord(op(0x80)))
    '0xf0080'
    """
    return chr(OPERATIONS + code)


def from_bytes(data: bytes) -> str:
    """The program that a byte string is: ASCII stands for itself, bytes from 0x80 up are operations."""
    return codecs.charmap_decode(data, "strict", _CHARACTERS)[0]


_CHARACTERS = "".join(op(code) if code >= 0x80 else chr(code) for code in range(0x100))


def to_bytes(program: str) -> bytes:
    """The byte string of a program; a character that no byte stands for becomes its UTF-8 read as ASCII noise."""
    return b"".join(bytes([_code(character)]) for character in program if _code(character) < 0x100)


def _code(character: str) -> int:
    """A number for each character of a program: its code, or that of its operation."""
    code = ord(character)
    return code - OPERATIONS if code >= OPERATIONS else code


# What is drawn: mostly operations, for on a character that stands for itself hardly any merge is there to fire.
PROGRAM_ALPHABET = "".join(op(code) for code in range(0x80, 0x100)) + "ab .A1'<~_\x00\n"


@dataclass(frozen=True)
class Profile:
    """What an implementation can serve, so that no case is wasted on what it has declared it cannot."""

    patterns: tuple[str | None, ...] = tuple(PATTERNS[name] for name in PATTERN_WEIGHTS)
    train_patterns: tuple[str | None, ...] = tuple(PATTERNS[name] for name in PATTERN_WEIGHTS)
    special_tokens: bool = True
    tie_rules: tuple[str, ...] = ("first-seen",)
    vocabulary: Vocabulary | None = None  # a published one, in place of generated ones
    own_vocabulary: bool = False
    constants: tuple[str, ...] = ()  # texts that its code compares with, where someone has looked
    lengths: tuple[int, ...] = ()  # numbers that its code compares with


@dataclass(frozen=True)
class Fragments:
    """What the operations of a text program stand for."""

    letters: tuple[str, ...] = ("a", "b")
    tokens: tuple[str, ...] = ()
    specials: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()


# --- texts ---------------------------------------------------------------------------------------------------------

LONG = op(0xDF)
REPEATS = (2, 3, 4, 5, 8, 16, 33, 64)
BY_OPERAND: dict[int, tuple[str, ...]] = {  # operation -> the table that the next character points into
    0xC8: tables.WHITE_SPACE,
    0xC9: tables.WHITE_SPACE,
    0xCA: tables.LINES,
    0xCB: tables.UTF8_BORDERS,
    0xCC: tables.NORMALISATION,
    0xCD: tables.NORMALISATION,
    0xCE: tables.COMBINING,
    0xCF: tables.EMOJI,
    0xD0: tables.WORDS,
    0xD1: tables.WORDS,
    0xD2: tables.LOOKALIKES,
    0xD3: tables.PUNCTUATION,
}


def expand(program: str, fragments: Fragments, *, long: bool = False, surrogates: bool = False) -> str:
    """The text that a program writes, given what its operations stand for.

    With `long`, pieces may be stretched to the lengths of `tables.PIECE_LENGTHS` and there may be a thousand of
    them; with `surrogates`, lone surrogates may stand in the text. Without, there are none. A program that begins
    with `LONG` asks for `long` itself.
    """
    long = long or program.startswith(LONG)
    parts: list[str] = []
    codes = iter(program)
    for character in codes:
        code = ord(character) - OPERATIONS
        if 0x80 <= code <= 0xFF:
            _operate(code, codes, parts, fragments, long, surrogates)
        elif surrogates or not "\ud800" <= character <= "\udfff":
            parts.append(character)
    return "".join(parts)


def _operate(
    code: int, codes: Iterator[str], parts: list[str], fragments: Fragments, long: bool, surrogates: bool
) -> None:
    if code < 0x98:
        parts.append(fragments.letters[code % len(fragments.letters)])
    elif code < 0xB0:
        parts.append(_of(fragments.tokens or fragments.letters, code - 0x98 + _operand(codes) * 24))
    elif code < 0xB8:
        _special(code, codes, parts, fragments)
    elif code < 0xC0:
        if parts:
            parts.append(parts[-1] * (min(REPEATS[code - 0xB8] - 1, 1 + 256 // (len(parts[-1]) + 1))))
    elif code < 0xC8:
        parts.append(" ")
    elif code == 0xD2 and fragments.constants:
        parts.append(_of(fragments.constants, _operand(codes)))
    elif code in BY_OPERAND:
        parts.append(_of(BY_OPERAND[code], _operand(codes)))
    elif code < 0xD8:
        parts.append(fragments.letters[0] * (1 + code % 4))
    elif code < 0xE0:
        if long:
            _stretch(code, _operand(codes), parts, (*tables.PIECE_LENGTHS, *fragments.lengths))
    elif code < 0xE4:
        if surrogates:
            parts.append(_of(tables.SURROGATES, _operand(codes)))
    elif code < 0xE8 and parts:
        parts.append("".join(parts[-(code - 0xE0) :])[:256])  # the last few fragments once more
    else:
        parts.append(_of(fragments.letters, code))


def _special(code: int, codes: Iterator[str], parts: list[str], fragments: Fragments) -> None:
    if not fragments.specials:
        parts.append(_of(fragments.letters, code))
        return
    special = _of(fragments.specials, _operand(codes))
    cut = len(special) // 2
    shapes = {0xB4: special[: cut + 1], 0xB5: special[cut:], 0xB6: special * 2, 0xB7: special[:-1]}
    parts.append(shapes.get(code, special))


def _stretch(code: int, operand: int, parts: list[str], lengths: Sequence[int]) -> None:
    """One piece of a wanted length, or many pieces."""
    unit = (parts[-1] if parts else "a") or "a"
    if code == 0xDF and operand % 4 == 0:
        parts.append(f"{unit[:8]} " * 1001)
    else:
        length = lengths[operand % len(lengths)]
        parts.append((unit * length)[: max(0, length - (len(parts[-1]) if parts else 0))])


def _operand(codes: Iterator[str]) -> int:
    return _code(next(codes, "\x00"))


def _of(table: Sequence[str], number: int) -> str:
    return table[number % len(table)]


# --- vocabularies --------------------------------------------------------------------------------------------------


def pattern_of(number: int, patterns: Sequence[str | None]) -> str | None:
    """One of the patterns that an implementation serves, `None` and the short ones more often."""
    drawn = _weighted(tuple(patterns))
    return drawn[number % len(drawn)]


@cache
def _weighted(patterns: tuple[str | None, ...]) -> tuple[str | None, ...]:
    weights = {PATTERNS[name]: weight for name, weight in PATTERN_WEIGHTS.items()}
    return tuple(pattern for pattern in patterns for _ in range(weights.get(pattern, 1)))


def alphabet_of(number: int) -> tuple[str, ...]:
    """An alphabet of one to four characters; every second time one of the first few."""
    count = len(tables.ALPHABETS)
    return tables.ALPHABETS[number % count if number % (2 * count) < count else number % 4]


def merges_of(program: str, symbols: Sequence[bytes], *, trainable: bool) -> tuple[Merge, ...]:
    """A well-formed list of merges over a few symbols, two characters a merge; no token is made after a merge of it.

    With `trainable`, a pair is kept only where the token that it makes is, before that merge, just these two: the
    lists that some corpus trains to (spec, section 4).
    """
    tokens, merges = list(symbols), list[Merge]()
    oracle = Oracle(_NO_MERGES)
    for left, right in zip(program[::2], program[1::2], strict=False):
        merge = (_token(tokens, left), _token(tokens, right))
        if not trainable and _code(left) >= 0xE8:
            merge = _another_way(merges, tokens, _code(right)) or merge
        made = merge[0] + merge[1]
        if merge in merges or len(made) > 64 or makes_again(merges, merge):
            continue
        if trainable and not _is_two_sides(oracle, merge):
            continue
        merges.append(merge)
        oracle.append(merge)
        if made not in tokens:
            tokens.append(made)
    return tuple(merges)


def _another_way(merges: Sequence[Merge], tokens: Sequence[bytes], number: int) -> Merge | None:
    """A merge that makes a token once more, of two other sides: no training does, and ids and ranks part there."""
    ways = [
        (made[:cut], made[cut:])
        for made in dict.fromkeys(left + right for left, right in merges)
        for cut in range(1, len(made))
        if made[:cut] in tokens and made[cut:] in tokens and (made[:cut], made[cut:]) not in merges
    ]
    return ways[number % len(ways)] if ways else None


_NO_MERGES = Vocabulary()  # made once: checking a base of 256 tokens takes longer than a small list of merges


def _token(tokens: Sequence[bytes], character: str) -> bytes:
    code = _code(character)
    return tokens[code % len(tokens)] if code < 0xC0 else tokens[-1 - code % len(tokens)]  # the newest as often


def _is_two_sides(oracle: Oracle, merge: Merge) -> bool:
    left, right = (oracle.character_of[side] for side in merge)
    return oracle.replayed(single_bytes(merge[0] + merge[1])) == left + right


def special_tokens_of(number: int, first_free: int) -> dict[str, int]:
    """No special tokens every second time; else a set of them, with dense ids or with gaps and in reverse."""
    if number % 2:
        return {}
    texts = _SETS[number // 2 % len(_SETS)]
    ids = range(first_free, first_free + len(texts))
    if number // 64 % 2:
        ids = range(first_free + 5 + 3 * len(texts), first_free + 5, -3)
    return dict(zip(texts, ids, strict=True))


_SETS = tables.SPECIAL_SETS


@lru_cache(maxsize=256)  # the texts of one case ask for the same vocabulary again
def vocabulary_of(
    program: str, profile: Profile, *, trainable: bool = True, one_piece: bool = False
) -> tuple[Vocabulary, Fragments]:
    """A vocabulary and its fragments: the first three characters choose, the others are pairs of tokens.

    With `one_piece` there is no pattern and there are no special tokens.
    """
    if profile.vocabulary is not None:
        return profile.vocabulary, fragments_of(profile.vocabulary, profile)
    first, second, third = (_code(character) for character in (program + "\x00\x00\x00")[:3])
    letters = alphabet_of(first)
    pattern = None if one_piece else pattern_of(second, profile.patterns)
    if pattern is not None and first % 2 and " " not in letters:
        letters = (*letters, " ")  # so that merges lie across the seams of pieces
    symbols = list(dict.fromkeys(bytes([byte]) for byte in "".join(letters).encode()))
    merges = merges_of(program[3:], symbols, trainable=trainable)
    plain = one_piece or not profile.special_tokens
    vocabulary = Vocabulary(
        merges=merges,
        special_tokens={} if plain else special_tokens_of(third, len(SINGLE_BYTES) + len(merges)),
        pattern=pattern,
    )
    specials = tuple(vocabulary.special_tokens)
    return vocabulary, Fragments(letters, readable(merges), specials, profile.constants, profile.lengths)


def fragments_of(vocabulary: Vocabulary, profile: Profile) -> Fragments:
    """The fragments of a vocabulary that was not generated here."""
    specials = tuple(vocabulary.special_tokens)
    letters = ("a", "b", "e", "t")
    return Fragments(letters, readable(vocabulary.merges), specials, profile.constants, profile.lengths)


def readable(merges: Sequence[Merge]) -> tuple[str, ...]:
    """The tokens made by merges that are texts, the newest first.

    >>> readable([(b"a", b"b"), (b"\\xc3", b"a")])
    ('ab',)
    """
    texts = []
    for left, right in reversed(merges):
        try:
            texts.append((left + right).decode())
        except UnicodeDecodeError:
            continue
    return tuple(dict.fromkeys(texts))


# --- ids -----------------------------------------------------------------------------------------------------------


def ids_of(program: str, vocabulary: Vocabulary, *, specials: bool = True) -> list[int]:
    """Ids of three pools: single bytes (the high ones more often), made tokens, special tokens."""
    base = len(vocabulary.base)
    made = [token_id for token_id in vocabulary.id_of.values() if token_id >= base]
    special = sorted(vocabulary.special_tokens.values()) if specials else []
    ids = []
    for character in program:
        code = _code(character)
        if code < 0x80 or not (made or special):
            ids.append(code % base)
        elif code < 0xC0 or not special:
            ids.append(made[-1 - code % len(made)] if made and code < 0xE0 else (code ^ 0x40) % base)
        elif code < 0xE0:
            ids.append(special[code % len(special)])
        else:
            ids.append((code ^ 0x40) % base)
    return ids


# --- corpora -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lesson:
    """What training is asked: the documents, how many merges, the pattern, the tie rule."""

    corpus: tuple[str, ...]
    num_merges: int
    pattern: str | None
    tie_rule: str


def lesson_of(program: str, profile: Profile) -> Lesson:
    """A small corpus over a few letters, full of ties, runs and repeated pieces.

    The first four characters choose alphabet, pattern, tie rule and number of merges; the others write the documents.
    """
    head = [_code(character) for character in (program + "\x00" * 4)[:4]]
    letters = alphabet_of(head[0])
    pattern = pattern_of(head[1], profile.train_patterns)
    rules = profile.tie_rules or ("first-seen",)
    documents = _documents(program[4:], Fragments(letters), spaced=pattern is not None)
    return Lesson(documents, 1000 if head[3] % 3 == 0 else head[3] % 12, pattern, rules[head[2] % len(rules)])


RUN, DOCUMENT = 64, 512  # characters, at most


def _documents(program: str, fragments: Fragments, *, spaced: bool) -> tuple[str, ...]:
    documents, current = list[str](), list[str]()
    codes = iter(program)
    for character in codes:
        code = _code(character)
        if code < 0xC0:
            current.append(fragments.letters[code % len(fragments.letters)])
        elif code < 0xD0:
            current.append(" " if spaced else fragments.letters[-1])
        elif code < 0xE0:
            documents.append(_bounded(current))
            current = []
        elif code < 0xE8:
            documents += [_bounded(current)] * (code - 0xDE)  # weights: the same piece two to nine times
        elif code < 0xF0 and current:
            current.append((current[-1] * (code - 0xE6))[:RUN])  # runs; a run of runs grows without bound
        elif code < 0xF8 and spaced:
            current.append(_of(BY_OPERAND[0xC8 + code % 12], _operand(codes)))
        else:
            current += current[-4:]
    return (*documents, _bounded(current))


def _bounded(parts: list[str]) -> str:
    """A document, cut where it grows so long that training takes seconds."""
    return "".join(parts)[:DOCUMENT]
