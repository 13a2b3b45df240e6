"""The ledger: survivors that no call can tell from the original, or that only time or the words of a message tell."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.mutation.mutants import Mutant


LEDGER = Path(__file__).with_name("ledger.toml")
FIELDS = {"module", "function", "was", "became", "nth", "why"}


@dataclass(frozen=True)
class Entry:
    """One survivor, and why it is equivalent."""

    module: str
    function: str
    was: str
    became: str
    why: str
    nth: int = 0

    @property
    def place(self) -> tuple[str, str, str, str, int]:
        """As `Mutant.place`."""
        return self.module, self.function, self.was, self.became, self.nth


def ledger(path: Path = LEDGER) -> dict[tuple[str, str, str, str, int], Entry]:
    """The entries by their mutants. Raises a `ValueError` for an entry that is incomplete or stands there twice."""
    found: dict[tuple[str, str, str, str, int], Entry] = {}
    for given in tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", []):
        if not FIELDS - {"nth"} <= set(given) <= FIELDS or not given["why"].strip():
            raise ValueError(f"an entry of {path.name} has other fields than it should, or no reason: {given}")
        entry = Entry(**given)
        if entry.place in found:
            raise ValueError(f"{path.name}: twice: {entry}")
        found[entry.place] = entry
    return found


def as_toml(mutant: Mutant, why: str = "") -> str:
    """The entry for a mutant, to be pasted into the ledger; the reason is for whoever has read it."""
    fields = {"module": mutant.path, "function": mutant.function, "was": mutant.was, "became": mutant.became}
    fields |= {"nth": mutant.nth} if mutant.nth else {}
    return "[[equivalent]]\n" + "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in {**fields, "why": why}.items()
    )
