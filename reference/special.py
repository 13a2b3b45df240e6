"""Section 6: special tokens are recognised before anything else, and the text between them stands alone."""

from __future__ import annotations

from collections.abc import Collection


def split_special_tokens(special_tokens: Collection[str], text: str) -> list[str]:
    """The text cut at its special tokens: the leftmost first, the longest where several begin at one place.

    The parts, joined, are the text. No part is empty.

    >>> split_special_tokens({"<a>": 256, "<a><b>": 257}, "x<a><b><a>y")
    ['x', '<a><b>', '<a>', 'y']
    """
    parts, start, place = [], 0, 0
    while place < len(text):
        special = longest_special_token_at(special_tokens, text, place)
        if special:
            parts += [text[start:place], special]
            start = place + len(special)
        place += len(special) or 1
    return [part for part in [*parts, text[start:]] if part]


def longest_special_token_at(special_tokens: Collection[str], text: str, place: int) -> str:
    """The longest special token that begins at this place of the text, or `""`.

    >>> longest_special_token_at(["<a>", "<a><b>"], "x<a><b>", 1)
    '<a><b>'
    """
    return max((special for special in special_tokens if text.startswith(special, place)), key=len, default="")
