"""Cases of real text: the suite's own sample of many scripts, and what every Python brings with it."""

from collections.abc import Iterator
from functools import cache

from implementations.heap import Tokenizer
from properties.cases.domains import TRAINING, Case, Domain, is_plain, is_training
from properties.cases.programs import Profile
from properties.cases.sample import sample_texts, standard_library_texts
from reference.model import Vocabulary

STANDARD_LIBRARY_BYTES = 60_000
MERGES = 400


@cache
def texts() -> dict[str, str]:
    """All texts by name, the same in every run on one machine."""
    return sample_texts() | standard_library_texts(STANDARD_LIBRARY_BYTES)


@cache
def vocabulary(pattern: str | None) -> Vocabulary:
    """Merges learned from half of the texts. `heap` trains them; any list would do, and only the reference judges."""
    taught = [text[:3000] for text in list(texts().values())[::2]]
    return Vocabulary(tuple(Tokenizer.train(taught, MERGES, pattern=pattern)), {}, pattern)


def _encoding(profile: Profile) -> Iterator[Case]:
    for place, text in enumerate(texts().values()):
        pattern = profile.patterns[place % len(profile.patterns)]
        part = text if pattern is not None else text[:2000]
        if profile.own_vocabulary:
            yield {"vocabulary": None, "text": part}
        else:
            yield {"vocabulary": profile.vocabulary or vocabulary(pattern), "text": part}


def _training(profile: Profile) -> Iterator[Case]:
    taught = list(texts().values())
    for place, rule in enumerate(profile.tie_rules or ("first-seen",)):
        pattern = profile.train_patterns[place % len(profile.train_patterns)]
        corpus = tuple(text[:500] for text in taught[place % 3 :: 3])
        yield {"corpus": corpus, "num_merges": 50, "pattern": pattern, "tie_rule": rule}


REAL_TEXT = Domain(("vocabulary", "text"), admits=is_plain, listed=_encoding)
REAL_CORPORA = Domain(TRAINING, admits=is_training, listed=_training)
