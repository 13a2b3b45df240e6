"""Domains of characters with an end-of-word marker."""

from collections.abc import Sequence

from properties.cases.domains.domain import Case, Domain, encodable
from properties.cases.programs import Profile
from reference.model import Merge, Vocabulary

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


def is_normal(case: Case) -> bool:
    """Whether the text is in the normal form: words of known characters joined by one space, no marker in them."""
    vocabulary, text = case["vocabulary"], case["text"]
    return (
        bool(vocabulary.end_of_word)
        and text == " ".join(text.split())
        and vocabulary.end_of_word.decode() not in text
        and all(character == " " or character.encode() in vocabulary.base for character in text)
    )


NORMAL_FORM = Domain(("vocabulary", "text"), _characters, ((0, 30), (0, 30)), is_normal)


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
