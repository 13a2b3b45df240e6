"""`--no-expect` and `--expect-fix`: the pytest side of `expectations.py`."""

from collections.abc import Callable, Iterable

import pytest

from implementations.plugged import Implementation
from properties.claims import Claim, all_claims
from properties.runner import Outcome
from properties.stored.apart import apart
from properties.stored.expectations import Expectation, Expectations, expectation_of, write


def add_expectation_options(group: pytest.OptionGroup) -> None:
    """The options of this module."""
    group.addoption("--no-expect", action="store_true", help="search every claim, whatever *.expected.toml says")
    group.addoption(
        "--expect-fix", action="store_true", help="write the *.expected.toml of each --impl anew, after a whole run"
    )


class Book:
    """What is expected of each implementation, and what came; written down at the end where that is wanted."""

    def __init__(self, config: pytest.Config) -> None:
        self.ignoring: bool = config.getoption("--no-expect")
        self.fixing: bool = config.getoption("--expect-fix")
        self.other_vocabulary = config.getoption("--vocabulary", None) is not None
        self.outcomes: dict[str, dict[str, Outcome]] = {}
        self._expectations: dict[str, Expectations] = {}
        self._kept: dict[str, dict[str, Expectation]] = {}
        self._stored: dict[str, dict[str, Outcome]] = {}
        if self.fixing:
            why = self._partial(config)
            if why:
                raise ValueError(f"--expect-fix takes a whole run, and this one has {why}")

    @staticmethod
    def _partial(config: pytest.Config) -> str:
        found = [
            ("--no-expect", config.getoption("--no-expect")),
            ("--claims", config.getoption("--claims")),
            ("-k", config.getoption("-k")),
            ("--budget", config.getoption("--budget") != "default"),
            ("--vocabulary", config.getoption("--vocabulary", None)),
            ("-n", config.getoption("numprocesses", None)),
        ]
        return " and ".join(name for name, given in found if given)

    def of(self, implementation: Implementation) -> Expectations:
        """What is expected to fail; read once. Raises `MalformedExpectation`, a `ValueError`."""
        if self.ignoring or self.other_vocabulary:  # the witnesses are of vocabularies of their own
            return Expectations(None)
        if implementation.name not in self._expectations:
            self._expectations[implementation.name] = Expectations.of(implementation)
        return self._expectations[implementation.name]

    def outcome(self, claim: Claim, implementation: Implementation, search: Callable[[Claim], Outcome]) -> Outcome:
        """The outcome of the witness where the claim is expected to fail, and of a search elsewhere."""
        expected = self.of(implementation)
        if claim.id not in expected.entries:
            outcome = search(claim)
        else:
            outcome, alike = expected.outcome(claim, implementation, search)
            if self.fixing and alike:
                self._kept.setdefault(implementation.name, {})[claim.id] = expected.entries[claim.id]
            elif self.fixing and outcome.complaint:
                outcome = search(claim)
        self.outcomes.setdefault(implementation.name, {})[claim.id] = outcome
        return outcome

    def unexpected(self, claims: Iterable[Claim], implementation: Implementation) -> list[Claim]:
        """Those of the claims that are not expected to fail, or fail on some cases only, without these.

        What is no sentence of the spec is asked where none is expected to fail.
        """
        expected = self.of(implementation).entries
        sentences = {claim.id for claim in all_claims()}
        kept = [claim for claim in claims if not expected or claim.id in sentences]
        parted = {i: entry.apart for i, entry in expected.items() if entry.apart}
        return [
            apart(claim, parted[claim.id]) if claim.id in parted else claim
            for claim in kept
            if claim.id not in expected or claim.id in parted
        ]

    def note(self, outcome: Outcome) -> None:
        """Take in a stored case that refuted a claim: for a claim that no search refutes, it is the witness."""
        self._stored.setdefault(outcome.implementation.name, {}).setdefault(outcome.claim.id, outcome)

    def reason(self, claim: Claim, implementation: Implementation) -> str:
        """Why a failure is expected."""
        stored = self.of(implementation).entries[claim.id].stored
        return f"{stored.why} ({stored.found})"

    def lines(self, implementation: Implementation) -> list[str]:
        """For the summary: how many failed as expected, and what is listed for other versions."""
        outcomes = self.outcomes.get(implementation.name, {})
        expected = sorted(i for i, outcome in outcomes.items() if outcome.expected)
        lines = [f"    as expected: {', '.join(expected)} ({self.of(implementation).path})"] if expected else []
        others = self.of(implementation).others
        if others:
            lines.append(f"    {others} expected failures are listed for other versions than {implementation.version}")
        return lines

    def fix(self, implementations: list[Implementation]) -> list[str]:
        """Write the files anew; what was done, or why not."""
        if not self.fixing:
            return []
        claims = {claim.id for claim in all_claims()}
        lines, files = [], dict[str, list[Expectation]]()
        for implementation in implementations:
            outcomes = self.outcomes.get(implementation.name, {})
            missing = claims - set(outcomes)
            stored = self._stored.get(implementation.name, {})
            outcomes |= {i: o for i, o in stored.items() if i in outcomes and outcomes[i].status != "refuted"}
            expected = self.of(implementation)
            if missing:
                lines.append(f"not written for {implementation.name}: {len(missing)} claims were not asked")
            elif expected.path is None:
                lines.append(f"not written for {implementation.name}: it comes from no file")
            else:
                kept = self._kept.get(implementation.name, {})
                entries = [
                    kept.get(i) or expectation_of(outcome, expected.entries.get(i))
                    for i, outcome in outcomes.items()
                    if outcome.status == "refuted" and not outcome.stateful
                ]
                files.setdefault(str(expected.path), []).extend(entries)
                write(expected.path, files[str(expected.path)])
                lines.append(f"{expected.path}: {len(entries)} expected failures of {implementation.name}")
        return lines
