"""What the cases of a claim were: how many distinct ones, and what happened in some of them.

The domain of the claim is wrapped, so that every case that it lists or builds passes by; the claim and the runner
know nothing of it. What costs time is computed from a sample, after the claim was tried.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import reference
from properties.cases.domains import Case
from properties.cases.programs import Profile
from properties.claims import Claim
from properties.oracle.fast import oracle_of
from reference.model import Vocabulary
from reference.train import best_pairs

SAMPLE = 40  # cases kept for the facts
LONGEST = 2_000  # characters
MOST_MERGES = 3_000
LESSONS = 12  # trainings looked into for ties


class Watch:
    """Counts the cases of one claim as they pass. Try `.claim` in place of the claim given.

    >>> from properties.claims import all_claims
    >>> watch = Watch(next(claim for claim in all_claims() if claim.id == "ENC-1"))
    >>> _ = watch.claim.domain.case(Profile(), ["", ""]), watch.claim.domain.case(Profile(), ["", ""])
    >>> watch.seen, watch.distinct
    (2, 1)
    """

    def __init__(self, claim: Claim, told: Callable[["Watch"], None] = lambda watch: None) -> None:
        self.of = claim
        self.seen = 0
        self.sample: list[Case] = []
        self._told = told
        self._keys: set[int] = set()
        domain = claim.domain
        watched = replace(domain, build=domain.build and self._building(domain.build), listed=self._listed)
        self.claim = replace(claim, domain=watched)

    @property
    def distinct(self) -> int:
        """How many different cases passed."""
        return len(self._keys)

    def _building(self, build: Callable[..., Case]) -> Callable[..., Case]:
        def built(*arguments: Any) -> Case:
            return self._pass(build(*arguments))

        return built

    def _listed(self, profile: Profile) -> Iterator[Case]:
        return map(self._pass, self.of.domain.listed(profile))

    def _pass(self, case: Case) -> Case:
        self.seen += 1
        key = hash(tuple(_frozen(value) for value in case.values()))
        if key not in self._keys:
            self._keys.add(key)
            if len(self.sample) < SAMPLE:
                self.sample.append(dict(case))
        self._told(self)
        return case


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def facts(sample: list[Case]) -> dict[str, int]:
    """What happened in the cases sampled, by the reference: merges fired, ties met, how long the texts were.

    >>> from reference.model import Vocabulary
    >>> facts([{"vocabulary": Vocabulary(merges=((b"a", b"b"),)), "text": "abab"}])
    {'sampled': 1, 'longest_text': 4, 'most_merges': 1, 'merges_fired': 2, 'cases_with_merges_fired': 1}
    >>> facts([{"corpus": ["ab", "cd"], "num_merges": 1, "pattern": None, "tie_rule": "first-seen"}])
    {'sampled': 1, 'steps': 1, 'ties_met': 1, 'cases_with_ties': 1}
    """
    found = {"sampled": len(sample)}
    texts = [case for case in sample if isinstance(case.get("text"), str)]
    if texts:
        found["longest_text"] = max(len(case["text"]) for case in texts)
    vocabularies = [case["vocabulary"] for case in sample if isinstance(case.get("vocabulary"), Vocabulary)]
    if vocabularies:
        found["most_merges"] = max(len(vocabulary.merges) for vocabulary in vocabularies)
    fired = [count for count in map(_fired, texts) if count is not None]
    if fired:
        found |= {"merges_fired": sum(fired), "cases_with_merges_fired": sum(map(bool, fired))}
    lessons = [counts for counts in map(_ties, [case for case in sample if "corpus" in case][:LESSONS]) if counts]
    if lessons:
        ties = [tied for _, tied in lessons]
        found |= {"steps": sum(steps for steps, _ in lessons), "ties_met": sum(ties)}
        found["cases_with_ties"] = sum(map(bool, ties))
    return found


def _fired(case: Case) -> int | None:
    """How many merges fire in the text of a case, or `None` where that would take long or is not defined."""
    vocabulary, text = case.get("vocabulary"), case["text"]
    if not isinstance(vocabulary, Vocabulary) or len(text) > LONGEST or len(vocabulary.merges) > MOST_MERGES:
        return None
    if vocabulary.end_of_word:
        return None
    try:
        pieces = [piece.encode() for piece in reference.pretokenize(vocabulary.pattern, text)]
        return sum(len(piece) - len(oracle_of(vocabulary).tokens(piece)) for piece in pieces)
    except (ValueError, KeyError):
        return None


def _ties(case: Case) -> tuple[int, int] | None:
    """The steps of a training and how many of them were ties, or `None` where that would take long."""
    corpus = list(case["corpus"])
    if sum(map(len, corpus)) > 300:
        return None
    try:
        steps = list(
            reference.training_steps(
                corpus,
                min(case.get("num_merges", 10), 15),
                pattern=case.get("pattern"),
                tie_rule=case.get("tie_rule", "first-seen"),
            )
        )
    except ValueError:
        return None
    return len(steps), sum(len(best_pairs(step.counts)) > 1 for step in steps)
