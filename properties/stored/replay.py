"""Stored regressions as cases: each is asked every claim that it fits."""

import zlib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

from implementations.plugged import Implementation
from properties.cases.domains import Case
from properties.cases.programs import Profile
from properties.claims import Claim
from properties.published import asked_under
from properties.stored.regressions import Regression
from properties.stored.standard import vocabularies_of

NUM_MERGES = 40  # where a stored corpus does not say


def cases_of(regression: Regression, implementation: Implementation, profile: Profile) -> Iterator[Case]:
    """The values that a regression gives, once for each vocabulary or tie rule that it is to be run on."""
    values = dict(regression.replayed)
    if "corpus" in values:
        rules = [values["tie_rule"]] if "tie_rule" in values else profile.tie_rules
        for rule in rules:
            training = {"num_merges": NUM_MERGES, "pattern": None, "other": tuple(reversed(values["corpus"]))} | values
            training["special_tokens"] = tuple(values.get("special_tokens", ()))
            yield training | {"tie_rule": rule}
        return
    if "order" in values:  # merges to plant a corpus for, not those of a vocabulary
        for rule in [values["tie_rule"]] if "tie_rule" in values else profile.tie_rules:
            yield {"merges": (), "pattern": None} | values | {"tie_rule": rule}
        return
    values = _companions(values) | values
    if "ids" in values:
        values["ids"] = list(values["ids"])
    if implementation.own_vocabulary:
        yield values | {"vocabulary": None}
        return
    for vocabulary in vocabularies_of(regression).values():
        chosen = {"kept": len(vocabulary.merges) // 2, "place": 0} | values
        yield chosen | {"vocabulary": profile.vocabulary or vocabulary}


def _companions(values: dict[str, Any]) -> dict[str, Any]:
    """Values for the claims that ask for more than one text."""
    text = values.get("text", "")
    texts = list(values.get("texts", [text, f"{text} {text}", text]))
    return {"text": values.get("text", "".join(texts)), "other": text, "texts": texts, "cut": 50}


def fitting(
    claims: Iterable[Claim], regression: Regression, implementation: Implementation, profile: Profile, most: int = 100
) -> Iterator[tuple[Claim, Case]]:
    """The claims that a regression is asked, each with at most so many of its cases, chosen by the claim's id."""
    cases = list(cases_of(regression, implementation, profile))
    for claim in asked_under(profile, claims):
        if regression.claims and not any(fnmatchcase(claim.id, glob) for glob in regression.claims):
            continue
        if claim.not_applicable(implementation) is not None or claim.domain.build is None:  # listed cases are its own
            continue
        if not _about(regression, claim):
            continue
        first = zlib.crc32(f"{regression.id} {claim.id}".encode()) % (len(cases) or 1)
        asked = [
            {name: values[name] for name in claim.domain.arguments}
            for values in cases[first:] + cases[:first]
            if set(claim.domain.arguments) <= set(values)
        ]
        for case in list(islice((case for case in asked if _admits(claim, case)), most)):
            yield claim, case


def _about(regression: Regression, claim: Claim) -> bool:
    """Whether the regression's own values are among those that the claim ranges over."""
    own = set(regression.replayed) & {"text", "texts", "ids", "corpus", "script", "order"}
    asked = set(claim.domain.arguments)
    if not own:  # a vocabulary alone
        return asked == {"vocabulary"}
    return bool(own & asked) or ("text" in own and "texts" in asked)


def _admits(claim: Claim, case: Case) -> bool:
    try:
        return claim.domain.admits(case)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
