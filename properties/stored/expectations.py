"""Expected failures: what a package is known to do otherwise, with the smallest case that shows it.

They stand beside the adapter, in `implementations/adapters/NAME.expected.toml`:

    [[failure]]
    id = "dec-2"
    merges = '[]'                    the witness, spelled as the cases of regressions/ are
    ids = '[300]'
    why = "Ids that it lacks are left out, as its documentation says."
    found = "a link, or the package's own words"
    claims = ["DEC-2"]
    signature = "AssertionError after decode([300]) -> ''"
    versions = ">=0.23,<0.24"
    apart = ["overlapping special tokens"]   where other cases are searched all the same: apart.py

The witness is played first and the claim is not searched: a random search is never the judge of what is known. Failing
alike is expected; holding, or failing otherwise, fails the run, which then says what to change. Where the version at
hand is outside of `versions`, the entry is not in force.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from implementations.plugged import CallCrashed, CallFailed, CallHung, Implementation, NotApplicable
from properties.cases.domains import Case
from properties.claims import Claim, ask
from properties.counterexample.literal import shortened
from properties.report.explain import calls_of
from properties.runner import Outcome
from properties.stored.apart import KNOWN, apart, is_apart
from properties.stored.regressions import Regression, dumps, fields_of, toml_string
from properties.stored.regressions import case_of as case_of_table
from reference.model import Vocabulary

NOT_LOOKED_INTO = "Not looked into yet."
NOT_REPORTED = "python -m pytest properties --expect-fix"


class MalformedExpectation(ValueError):
    """A file of expected failures that cannot be read; the message names the file and the entry."""


@dataclass(frozen=True)
class Expectation:
    """One failure that is expected: the stored case with its reason, the signature, the versions."""

    stored: Regression
    signature: str
    versions: str = ""
    apart: tuple[str, ...] = ()  # names of `apart.KNOWN`: the claim is searched on the cases that hold none of them

    @property
    def claim(self) -> str:
        """The id of the claim."""
        return self.stored.claims[0]

    def case(self, claim: Claim, implementation: Implementation) -> Case:
        """The witness as arguments of the claim."""
        values = dict(self.stored.replayed)
        for name in ("ids", "texts"):
            if name in values:
                values[name] = list(values[name])
        if "vocabulary" in claim.domain.arguments:
            values["vocabulary"] = None if implementation.own_vocabulary else _vocabulary(values)
        missing = set(claim.domain.arguments) - set(values)
        if missing:
            raise MalformedExpectation(f"{self.stored.place}: {self.claim} needs {', '.join(sorted(missing))}")
        return {name: values[name] for name in claim.domain.arguments}


def _vocabulary(values: Mapping[str, Any]) -> Vocabulary:
    fields = ("merges", "special_tokens", "pattern", "base", "end_of_word")
    return Vocabulary(**{name: values[name] for name in fields if name in values})


@dataclass(frozen=True)
class Played:
    """What became of an expectation: the outcome of the witness, and what to change where it is not as expected."""

    outcome: Outcome
    complaint: str = ""


class Expectations:
    """The expected failures of one implementation, in force for its version."""

    def __init__(self, path: Path | None, entries: Iterable[Expectation] = (), others: int = 0) -> None:
        self.path = path
        self.entries = {entry.claim: entry for entry in entries}
        self.others = others  # for other versions

    @classmethod
    def of(cls, implementation: Implementation) -> Expectations:
        """Those that stand beside its file. Raises `MalformedExpectation`."""
        path = path_of(implementation)
        if path is None or not path.is_file():
            return cls(path)
        entries = [e for e in read(path) if e.stored.id == id_of(implementation.name, e.claim)]
        kept = [entry for entry in entries if in_range(implementation.version, entry.versions)]
        return cls(path, kept, len(entries) - len(kept))

    def outcome(
        self, claim: Claim, implementation: Implementation, search: Callable[[Claim], Outcome]
    ) -> tuple[Outcome, bool]:
        """The outcome of a claim that is expected to fail, and whether it failed as listed.

        Where the entry sets some cases apart, the others are searched too, and what they refute is the outcome.
        """
        played, entry = self.play(claim, implementation), self.entries[claim.id]
        outcome = played.outcome
        outcome.expected, outcome.complaint = not played.complaint, played.complaint
        if outcome.expected and entry.apart:
            searched = search(apart(claim, entry.apart))
            if searched.status == "refuted":
                return searched, False
            outcome.cases += searched.cases
        return outcome, outcome.expected

    def play(self, claim: Claim, implementation: Implementation) -> Played:
        """Try the witness of a claim that is expected to fail."""
        entry = self.entries[claim.id]
        outcome = Outcome(claim, implementation, 0)
        where = f"{entry.stored.place} expects {implementation.name} to fail {claim.id}"
        try:
            case = entry.case(claim, implementation)
            implementation.restart()  # some keep a state: the witness fails from a new one
            ask(claim, implementation, case)
        except NotApplicable as why:
            outcome.status = "not applicable"
            outcome.not_applicable[str(why)] += 1
            return Played(outcome, f"{where}; its witness cannot be asked any more ({why}): remove the entry")
        except MalformedExpectation as error:
            return Played(outcome, str(error))
        except Exception as error:
            outcome.status, outcome.cases, outcome.error = "refuted", 1, error
            outcome.case = outcome.first_case = case
            found = signature_of(outcome)
            if found == entry.signature:
                return Played(outcome)
            return Played(
                outcome,
                f"{where} with\n    {entry.signature}\nand its witness now fails with\n    {found}\n"
                "Look at it again: correct the signature, or run the whole suite with --expect-fix.",
            )
        outcome.cases = 1
        return Played(outcome, f"{where}, and its witness now holds: remove the entry, or run with --expect-fix.")


def path_of(implementation: Implementation) -> Path | None:
    """Where its expected failures would stand: beside the file it comes from."""
    match = re.fullmatch(r"(.*)\.py(:[^:]*)?", implementation.origin, re.DOTALL)
    if not match:
        return None
    path = Path(match[1] + ".expected.toml")
    root = Path(__file__).resolve().parents[2]
    return path if path.is_absolute() or path.parent.is_dir() else root / path


def id_of(name: str, claim_id: str) -> str:
    """The id of an entry: several attributes of one file share the file.

    >>> id_of("quicktok.O200k", "DEC-2")
    'quicktok-o200k-dec-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", f"{name} {claim_id}".lower()).strip("-")


def in_range(version: str, versions: str) -> bool:
    """Whether a version is in a range such as `>=0.23,<0.24`. Raises `ValueError` for what is no range.

    >>> in_range("0.23.3", ">=0.23,<0.24"), in_range("0.24", ">=0.23,<0.24"), in_range("", "==1")
    (True, False, True)
    """
    for clause in filter(None, versions.split(",")):
        match = re.fullmatch(r"\s*(==|>=|<=|>|<)\s*([0-9][0-9A-Za-z.+-]*)\s*", clause)
        if not match:
            raise ValueError(f"{clause!r} is no version with ==, >=, <=, > or < in front")
        one, other = _numbers(version), _numbers(match[2])
        holds = {
            "==": one[: len(other)] == other,
            ">=": one >= other,
            "<=": one <= other,
            ">": one > other,
            "<": one < other,
        }
        if one and not holds[match[1]]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:4])


def read(path: Path) -> list[Expectation]:
    """The entries of a file. Raises `MalformedExpectation`."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("failure", [])
    except (OSError, ValueError) as error:
        raise MalformedExpectation(f"{path}: {error}") from None
    found: list[Expectation] = []
    for number, table in enumerate(tables, 1):
        place = f"{path}: failure {number}"
        signature, versions = table.pop("signature", ""), table.pop("versions", "")
        names = table.pop("apart", [])
        try:
            stored = case_of_table(table, path, number)
            in_range("1", versions)
        except ValueError as error:
            raise MalformedExpectation(f"{place}: {error}") from None
        if len(stored.claims) != 1 or not isinstance(signature, str) or not signature:
            raise MalformedExpectation(f"{place}: needs one claim under claims, and a signature")
        if not isinstance(names, list) or not KNOWN.keys() >= set(map(str, names)):
            raise MalformedExpectation(f"{place}: apart is a list of some of: {', '.join(KNOWN)}")
        if stored.id in [entry.stored.id for entry in found]:
            raise MalformedExpectation(f"{place}: {stored.id} stands twice")
        found.append(Expectation(stored, signature, versions, tuple(names)))
    return found


def signature_of(outcome: Outcome) -> str:
    """How a counterexample fails, in one line that is the same in every run."""
    error = outcome.error
    kind = type(error).__name__
    if isinstance(error, CallHung):
        return kind
    if isinstance(error, CallCrashed):
        why = re.search(r"SIG[A-Z0-9]+|exited with \d+|no Exception but \w+|of memory", str(error))
        return f"{kind}: {why[0] if why else 'unknown'}"
    if isinstance(error, CallFailed):
        why = re.search(r"returned an? \w+|answered nothing|exited|answered", str(error))
        return f"{kind}: {why[0]}" if why else kind
    outcome.implementation.restart()
    calls = [call for call in calls_of(outcome) if call.member != "Tokenizer"]
    if not isinstance(error, AssertionError) or not calls:
        return kind
    last = calls[-1]
    result = type(last.result).__name__ if isinstance(last.result, BaseException) else shortened(last.result, 100)
    return f"{kind} after {last.member}({', '.join(shortened(a, 60) for a in last.arguments)}) -> {result}"


# --- writing


def write(path: Path, entries: Iterable[Expectation]) -> None:
    """The file that holds these entries; no file where there are none."""
    text = "\n".join(_spelled(entry) for entry in entries)
    if text:
        path.write_text(_HEAD + text, encoding="utf-8")
        read(path)  # a file that does not read back is worth nothing
    else:
        path.unlink(missing_ok=True)


_HEAD = '# What this package does otherwise than the spec says: docs/implementations.md, "Expected failures".\n\n'


def _spelled(entry: Expectation) -> str:
    lines = dumps([entry.stored]).replace("[[case]]", "[[failure]]", 1)
    lines += f"signature = {toml_string(entry.signature)}\n"
    lines += f"versions = {toml_string(entry.versions)}\n" if entry.versions else ""
    return lines + (f"apart = [{', '.join(map(toml_string, entry.apart))}]\n" if entry.apart else "")


def expectation_of(outcome: Outcome, before: Expectation | None = None) -> Expectation:
    """The entry for a counterexample. The words of the entry that stood there before are kept, and what it set apart,
    where the counterexample is of that kind.
    """
    name, claim = outcome.implementation.name, outcome.claim
    words = (before.stored.why, before.stored.found) if before else (NOT_LOOKED_INTO, NOT_REPORTED)
    stored = Regression(id_of(name, claim.id), *words, arguments_of(outcome.case or {}), (claim.id,))
    versions = before.versions if before else _from(outcome.implementation)
    names = before.apart if before and is_apart(outcome.case or {}, before.apart) else ()
    return Expectation(stored, signature_of(outcome), versions, names)


def _from(implementation: Implementation) -> str:
    """The minor version at hand: what a later one does is to be looked at again."""
    numbers = _numbers(implementation.version)
    return f"=={'.'.join(map(str, numbers))}" if numbers else ""


def arguments_of(case: Case) -> dict[str, Any]:
    """A case as the arguments of a stored one: a vocabulary by its fields."""
    arguments = {name: value for name, value in case.items() if name != "vocabulary"}
    vocabulary = case.get("vocabulary")
    if isinstance(vocabulary, Vocabulary):
        arguments = fields_of(vocabulary) | arguments
    return arguments or {"text": ""}  # of a vocabulary of its own: nothing else says that there is a case
