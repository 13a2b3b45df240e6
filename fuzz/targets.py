"""Targets: every claim, and what `properties.beyond` adds, fed by bytes.

A target is not written, it is what a claim's domain makes of bytes: they are split at 0xFF into programs, and the
domain builds a case of these. Every byte string is a case, and a local change of it is a local change of the case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from properties.beyond import beyond
from properties.cases.domains import Case
from properties.cases.programs import Profile, from_bytes
from properties.claims import Claim, all_claims
from properties.published import asked_under

SEAM = b"\xff"


class NoSuchTarget(ValueError):
    """No target of that name; the message names the choices."""


@dataclass(frozen=True, eq=False)
class Target:
    """A claim and the bytes that are cases of it."""

    claim: Claim

    @property
    def name(self) -> str:
        """The claim's id."""
        return self.claim.id

    @property
    def drawn(self) -> bool:
        """Whether there are cases beside the listed ones."""
        return self.claim.domain.build is not None

    @cached_property
    def sizes(self) -> tuple[tuple[int, int], ...]:
        """The smallest and the largest length of each program."""
        return self.claim.domain.sizes

    def case(self, profile: Profile, data: bytes) -> Case:
        """The case that the bytes are.

        >>> [enc] = targets(["ENC-1"])
        >>> enc.case(Profile(), b"" + SEAM + b"hello")["text"]
        'hello'
        """
        return self.claim.domain.case(profile, [from_bytes(part) for part in data.split(SEAM)])


def targets(globs: Sequence[str] = ()) -> list[Target]:
    """The targets whose name one of the globs matches, all where there are none. Raises `NoSuchTarget`.

    Two kinds of claims are pytest's alone: those on one published vocabulary, asked with --vocabulary, and those on
    growth, which measure time, and a campaign keeps every core busy.

    >>> [target.name for target in targets(["DEC-[12]", "state"])]
    ['DEC-1', 'DEC-2', 'state']
    """
    every = [*(c for c in asked_under(Profile(), all_claims()) if not c.id.startswith("GRO-")), *beyond()]
    for glob in globs:
        if not any(fnmatchcase(claim.id, glob) for claim in every):
            sections = dict.fromkeys(f"{claim.id.partition('-')[0]}-*" for claim in every if "-" in claim.id)
            names = ", ".join([*sections, *(claim.id for claim in beyond())])
            raise NoSuchTarget(f"no target matches {glob!r}; there are {names}, and single ids such as ENC-2")
    return [Target(claim) for claim in every if not globs or any(fnmatchcase(claim.id, glob) for glob in globs)]
