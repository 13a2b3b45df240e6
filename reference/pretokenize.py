"""Section 2: pre-tokenisation cuts a text into pieces. Nothing ever merges across two pieces."""

from __future__ import annotations

import regex

from reference.errors import UncoveredText

PATTERNS: dict[str, str | None] = {
    "none": None,
    "whitespace": r" ?[^\s]+|\s+",
    "whitespace-lossy": r" ?[^\s]+|\n",  # leaves doubled spaces uncovered: kept as a warning
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

# What \p{L} matches depends on the Unicode version that the `regex` package was built with. The package states it
# in prose only, so it is found by asking for one character that each version was the first to assign.
_FIRST_ASSIGNED = {
    "15.0": "\U0001e030",  # MODIFIER LETTER CYRILLIC SMALL A
    "15.1": "\U0002ebf0",  # CJK UNIFIED IDEOGRAPH-2EBF0
    "16.0": "\U000105c0",  # TODHRI LETTER A
    "17.0": "\U00016ea0",  # BERIA ERFE CAPITAL LETTER ARKAB
    "18.0": "\U0003d000",  # the first character of the Seal block
}


def _unicode_version() -> str:
    known = [version for version, character in _FIRST_ASSIGNED.items() if regex.match(r"\P{Cn}", character)]
    return known[-1] if known else "older than 15.0"


UNICODE_VERSION: str = _unicode_version()


def pretokenize(pattern: str | None, text: str) -> list[str]:
    r"""The pieces of the text: the matches of the pattern, from left to right.

    Without a pattern, the text is one piece. An empty match is no piece.
    Raises `UncoveredText` naming the place where the pattern leaves text in no piece.

    >>> pretokenize(PATTERNS["whitespace"], "to be  or\n")
    ['to', ' be', '  ', 'or', '\n']
    >>> pretokenize(None, "to be"), pretokenize(None, "")
    (['to be'], [])
    >>> pretokenize(r"\w+", "to be")
    Traceback (most recent call last):
        ...
    reference.errors.UncoveredText: the pattern leaves ' ' at character 2 of 'to be' in no piece
    """
    if pattern is None:
        return [text] if text else []
    pieces, end = [], 0
    for match in regex.finditer(pattern, text):
        check_covered(text, end, match.start())
        pieces.append(match.group())
        end = match.end()
    check_covered(text, end, len(text))
    return [piece for piece in pieces if piece]


def check_covered(text: str, start: int, end: int) -> None:
    """Raise `UncoveredText` unless nothing stands between the two places.

    >>> check_covered("to be", 2, 2)
    """
    if start != end:
        excerpt = text[max(0, start - 10) : end + 10]
        raise UncoveredText(f"the pattern leaves {text[start:end]!r} at character {start} of {excerpt!r} in no piece")
