"""A finding on disk: `findings/ID.toml`, values that anyone can read, and how to see it again.

The first half is a case in the form of `regressions/*.toml`; the second, `[finding]`, says of which claim, on which
implementation, how it fails, how often it was met, and explains it. `keep` moves the first half to `regressions/`.
"""

import datetime
import os
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.store import write_whole
from implementations.plugged import Implementation
from properties.cases.domains import Case
from properties.claims import Claim
from properties.stored.regressions import (
    OF_A_VOCABULARY,
    REGRESSIONS,
    Regression,
    dumps,
    fields_of,
    load,
    loads,
    save,
)
from reference.model import Vocabulary

SEAM = "\n[finding]\n"


class BrokenFinding(ValueError):
    """A file that is no finding; the message names it."""


@dataclass
class Finding:
    """A case that refutes a claim on an implementation."""

    id: str
    arguments: dict[str, Any]
    claim: str
    level: str
    impl: str
    impl_name: str
    kind: str
    message: str = ""
    verified: str = ""  # how often it failed of how often it was tried, each time in a fresh process
    engine: str = ""
    seed: int = 0
    index: int = 0
    hash_seed: int = 0
    count: int = 1
    first_found: str = ""
    seconds: float = 0.0  # from the start of the campaign
    executions: int = 0  # of its target until then
    signature: str = ""
    note: str = ""
    explanation: list[str] = field(default_factory=list)

    @property
    def unconfirmed(self) -> bool:
        """Whether it hung once and never again: on a busy machine any call may take its time."""
        return self.verified.startswith("0 of") and self.kind in ("CallHung", "hang")

    def replay(self, path: Path | str) -> str:
        """The command that shows it again."""
        return f"python -m fuzz replay {shlex.quote(str(path))}"

    def regression(self, why: str = "", found: str = "") -> Regression:
        """The case as a regression. Raises `MalformedRegression` where it cannot be one."""
        who = found or f"{self.first_found[:10]}, python -m fuzz run --impl={self.impl}"
        name = f"{self.claim.lower()}-{self.id}"
        return Regression(name, why or f"Refutes {self.claim}: {self.kind}.", who, self.arguments)

    def case(self, claim: Claim, own_vocabulary: bool = False) -> Case:
        """The arguments as the claim takes them."""
        return case_of(self.arguments, claim, own_vocabulary)

    def save(self, folder: Path) -> Path:
        """Write it; the file is whole or absent."""
        path = folder / f"{self.id}.toml"
        fields = {name: value for name, value in vars(self).items() if name not in ("arguments",)}
        fields["replay"] = self.replay(path)
        lines = [f"{name} = {_toml(value)}" for name, value in fields.items()]
        write_whole(path, dumps([self.regression()]) + SEAM + "\n".join(lines) + "\n")
        return path

    @classmethod
    def load(cls, path: Path) -> "Finding":
        """The finding in a file. Raises `BrokenFinding`, which names the file."""
        try:
            text = path.read_text(encoding="utf-8")
            case, _, rest = text.partition(SEAM)
            fields = tomllib.loads(rest)
            fields.pop("replay", None)
            [regression] = loads(case + "\n", path)
            return cls(arguments=dict(regression.arguments), **fields)
        except (OSError, ValueError, TypeError) as error:
            raise BrokenFinding(f"{path} is no finding: {error}") from None


def _toml(value: Any) -> str:
    if isinstance(value, (bool, int, float)):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    if isinstance(value, list):
        return "[\n" + "".join(f"    {_toml(part)},\n" for part in value) + "]"
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return f"\\\\u{code:04x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# --- cases and arguments ------------------------------------------------------------------------------------------


def arguments_of(case: Case) -> dict[str, Any]:
    """The arguments of a regression that holds a case.

    >>> arguments_of({"vocabulary": Vocabulary(((b"a", b"b"),)), "text": "ab"})
    {'merges': ((b'a', b'b'),), 'text': 'ab'}
    """
    arguments: dict[str, Any] = {}
    for name, value in case.items():
        if isinstance(value, Vocabulary):
            arguments |= fields_of(value)
        elif value is not None or name == "pattern":
            arguments[name] = _frozen(value)
    return arguments


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


LISTS = ("ids", "texts")  # what claims take as lists, and regressions keep as tuples


def case_of(arguments: dict[str, Any], claim: Claim, own_vocabulary: bool = False) -> Case:
    """The case of a claim that the arguments of a regression hold: the inverse of `arguments_of`."""
    case: Case = {}
    for name in claim.domain.arguments:
        if name == "vocabulary":
            own = {key: arguments[key] for key in OF_A_VOCABULARY if key in arguments}
            case[name] = None if own_vocabulary else Vocabulary(**own)
        elif name in arguments:
            case[name] = list(arguments[name]) if name in LISTS else arguments[name]
    return case


# --- all of a folder -----------------------------------------------------------------------------------------------


def stored(folder: Path) -> tuple[list[tuple[Path, Finding]], list[str]]:
    """The findings of a folder, flaky ones and kept ones included, and what is wrong with files that are none."""
    found, broken = [], []
    for path in sorted([*folder.glob("*.toml"), *folder.glob("*/*.toml")]):
        try:
            found.append((path, Finding.load(path)))
        except BrokenFinding as error:
            broken.append(str(error))
    return found, broken


def path_of(folder: Path, finding_id: str) -> Path | None:
    """Where a finding stands, flaky or kept ones included."""
    return next((path for path in sorted(folder.rglob(f"{finding_id}.toml"))), None)


def keep(path: Path, why: str, regressions: Path = REGRESSIONS) -> tuple[Regression, bool]:
    """Move a finding to the regressions, where every run plays it; what the campaign goes on counting stays behind.

    The regression, and whether it is new: the same case may be stored already. Raises `MalformedRegression`.
    """
    finding = Finding.load(path)
    who = f"python -m fuzz run --impl={finding.impl}, finding {finding.id} ({finding.claim})"
    case = finding.regression(why, f"{finding.first_found[:10]}, {who}")
    known = next((other for other in load(regressions) if other.value == case.value), None)
    if known is None:
        written = save(case, regressions)
    kept = path.parent.parent if path.parent.name in ("flaky", "kept") else path.parent
    (kept / "kept").mkdir(exist_ok=True)
    os.replace(path, kept / "kept" / path.name)
    return (known, False) if known is not None else (loads(written.read_text(encoding="utf-8"), written)[0], True)


def today() -> str:
    """The date and the minute."""
    return datetime.datetime.now().isoformat(" ", "minutes")


def own_vocabulary(implementation: Implementation) -> bool:
    """Whether an implementation brings its own vocabulary; one that cannot be asked does not."""
    try:
        return implementation.own_vocabulary
    except Exception:
        return False
