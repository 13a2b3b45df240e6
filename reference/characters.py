"""Section 7: the older kind of BPE starts from characters and marks the end of each word.

A vocabulary is of this kind where its `end_of_word` is not empty. White space separates words and is not kept, so
what comes back is the normal form: the words joined by one space.
"""

from __future__ import annotations

import regex

from reference.errors import UnknownCharacter
from reference.model import Vocabulary
from reference.pretokenize import check_covered


def words(vocabulary: Vocabulary, text: str) -> list[str]:
    r"""The words of the text: the runs without white space in the matches of the pattern (`\S+` where there is none).

    Raises `UnknownCharacter` where the text holds the marker or a character outside the base, and `UncoveredText`
    where the pattern leaves anything but white space in no piece.

    >>> vocabulary = Vocabulary(base=(b"l", b"o", b"w", b"_"), end_of_word=b"_")
    >>> words(vocabulary, " low  low ")
    ['low', 'low']
    >>> words(vocabulary, "low law")
    Traceback (most recent call last):
        ...
    reference.errors.UnknownCharacter: 'a' at character 5 of 'low law' is not in the base
    """
    check_characters(vocabulary, text)
    found, end = [], 0
    for match in regex.finditer(vocabulary.pattern or r"\S+", text):
        between = regex.search(r"\S", text, pos=end, endpos=match.start())
        check_covered(text, between.start() if between else match.start(), match.start())
        found += regex.findall(r"\S+", match.group())
        end = match.end()
    between = regex.search(r"\S", text, pos=end)
    check_covered(text, between.start() if between else len(text), len(text))
    return found


def normal_form(vocabulary: Vocabulary, text: str) -> str:
    """The words of the text joined by one space: what decoding its encoding gives. Raises as `words` does.

    >>> normal_form(Vocabulary(base=(b"l", b"o", b"w", b"_"), end_of_word=b"_"), " low  low ")
    'low low'
    """
    return " ".join(words(vocabulary, text))


def characters_of(vocabulary: Vocabulary, word: str) -> tuple[bytes, ...]:
    """The characters of one word, then the marker. Raises `UnknownCharacter` naming the character and its place.

    >>> characters_of(Vocabulary(base=(b"l", b"o", b"w", b"_"), end_of_word=b"_"), "low")
    (b'l', b'o', b'w', b'_')
    """
    check_characters(vocabulary, word)
    return (*(character.encode() for character in word), vocabulary.end_of_word)


def check_characters(vocabulary: Vocabulary, text: str) -> None:
    """Raise `UnknownCharacter` unless every character but white space is in the base, and the marker nowhere.

    A lone surrogate raises `UnicodeEncodeError`.

    >>> check_characters(Vocabulary(base=(b"a", b"_"), end_of_word=b"_"), "a_")
    Traceback (most recent call last):
        ...
    reference.errors.UnknownCharacter: '_' at character 1 of 'a_' is the end-of-word marker
    """
    marker = vocabulary.end_of_word.decode(errors="replace")
    if marker in text:
        raise UnknownCharacter(f"{marker!r} at character {text.index(marker)} of {text!r} is the end-of-word marker")
    base = set(vocabulary.base)
    for place, character in enumerate(text):
        if character.encode() not in base and not regex.match(r"\s", character):
            raise UnknownCharacter(f"{character!r} at character {place} of {text!r} is not in the base")
