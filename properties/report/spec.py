"""The specification as data: the sections, and for each id the sentence, its level and why it is true."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SPEC = Path(__file__).resolve().parents[2] / "docs" / "spec.md"
_SENTENCE = re.compile(r"^> \*\*(?P<id>[A-Z]{3}-[1-9][0-9]*)(?P<should> \(should\))?\.\*\* (?P<sentence>.+)$")
_SECTION = re.compile(r"^## (?P<title>[0-9]+\. .+)$")


@dataclass(frozen=True)
class Sentence:
    """One normative sentence: `why` is what the specification says after it, in Markdown."""

    id: str
    level: str
    section: str
    sentence: str
    why: str


@cache
def sentences(path: Path = SPEC) -> dict[str, Sentence]:
    """The sentences of the specification by id; empty where the file is not there.

    >>> sentences()["ENC-15"].sentence
    'The empty text encodes to no tokens.'
    >>> sentences()["ENC-15"].section
    '4. Encoding'
    """
    if not path.is_file():
        return {}
    return {found.id: found for found in _read(path.read_text(encoding="utf-8").splitlines())}


def why(claim_id: str) -> str:
    """Why a sentence is true, in Markdown; empty where the specification does not say."""
    found = sentences().get(claim_id)
    return found.why if found else ""


def section_of(claim_id: str) -> str:
    """The title of the section in which a sentence stands; else the letters of its id."""
    found = sentences().get(claim_id)
    return found.section if found else claim_id.partition("-")[0]


def _read(lines: list[str]) -> Iterator[Sentence]:
    section = ""
    for number, line in enumerate(lines):
        if match := _SECTION.match(line):
            section = match["title"]
        if match := _SENTENCE.match(line):
            level = "should" if match["should"] else "must"
            yield Sentence(match["id"], level, section, match["sentence"], _reason(lines[number + 1 :]))


def _reason(lines: list[str]) -> str:
    """What stands before the next sentence or heading."""
    kept: list[str] = []
    fenced = False
    for line in lines:
        fenced ^= line.startswith("```")
        if not fenced and (line.startswith("#") or _SENTENCE.match(line)):
            break
        kept.append(line)
    return "\n".join(kept).strip()
