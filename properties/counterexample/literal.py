"""Values as Python literals of ASCII only: what a report shows, a snippet runs and a regression stores."""

from typing import Any

from reference.model import SINGLE_BYTES, Vocabulary


def literal(value: Any) -> str:
    r"""A Python expression for a value, in ASCII.

    >>> literal("caf\xe9"), literal(Vocabulary(merges=((b"a", b"b"),)))
    ("'caf\\xe9'", "Vocabulary(merges=((b'a', b'b'),))")
    """
    if isinstance(value, Vocabulary):
        return f"Vocabulary({', '.join(_fields(value))})"
    return ascii(value)


def _fields(vocabulary: Vocabulary) -> list[str]:
    fields = []
    if vocabulary.merges:
        fields.append(f"merges={vocabulary.merges!r}")
    if vocabulary.special_tokens:
        fields.append(f"special_tokens={dict(vocabulary.special_tokens)!a}")
    if vocabulary.pattern is not None:
        fields.append(f"pattern={vocabulary.pattern!a}")
    if vocabulary.base != SINGLE_BYTES:
        fields.append(f"base={vocabulary.base!r}")
    if vocabulary.end_of_word:
        fields.append(f"end_of_word={vocabulary.end_of_word!r}")
    return fields


def shortened(value: Any, width: int = 400) -> str:
    """The literal, with its middle left out where it is longer than `width`.

    >>> shortened("a" * 1000, 20)
    "'aaaaaaa ... aaaaaa' (1,002 characters)"
    """
    spelled = literal(value)
    if len(spelled) <= width:
        return spelled
    half = (width - 5) // 2
    return f"{spelled[: half + 1]} ... {spelled[-half:]} ({len(spelled):,} characters)"
