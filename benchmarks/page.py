"""What was measured, put into a page of the documentation."""

import re
from collections.abc import Iterable
from pathlib import Path

from fuzz.store import write_whole


def put(page: Path, part: str, lines: Iterable[str]) -> None:
    """Put the lines between the comments `<!-- part: … -->` and `<!-- end of part -->` of a page.

    What stands elsewhere stays. Raises `ValueError` where the page has not both, once each.
    """
    found = re.compile(rf"(<!-- {part}: .*? -->\n).*?(<!-- end of {part} -->)", re.DOTALL)
    text, count = found.subn(
        lambda match: match[1] + "".join(f"{line}\n" for line in lines) + match[2], page.read_text(encoding="utf-8")
    )
    if count != 1:
        raise ValueError(f"{page} has {count} parts named {part}, begun and ended by comments; it should have one")
    write_whole(page, text)
