"""What a domain is, and what cases admit.

See the package for what domains are for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, repeat
from typing import Any

from hypothesis import strategies as st

from properties.cases.programs import PROGRAM_ALPHABET, Profile
from properties.oracle.fast import trainable
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

Case = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Domain:
    """What a claim ranges over.

    `arguments`: the names of a case. `build(profile, *programs)`: the case that the programs write; total.
    `sizes`: the smallest and the largest length of each program. `admits(case)`: whether a case found
    elsewhere belongs here. `listed(profile)`: cases tried before any drawn one. `scope(profile, cases)`: where the
    listed cases are all there are up to a bound, the bound that so many of them complete.
    """

    arguments: tuple[str, ...]
    build: Callable[..., Case] | None = None
    sizes: tuple[tuple[int, int], ...] = ()
    admits: Callable[[Case], bool] = lambda case: True
    listed: Callable[[Profile], Iterator[Case]] = lambda profile: iter(())
    scope: Callable[[Profile, int], str] | None = None

    def strategy(self, profile: Profile) -> st.SearchStrategy[Case]:
        """The Hypothesis strategy of the domain's cases."""
        assert self.build is not None
        build = self.build
        return self.programs().map(lambda programs: build(profile, *programs))

    def programs(self) -> st.SearchStrategy[tuple[str, ...]]:
        """The strategy of what the cases are built from: the same for every profile."""
        return st.tuples(*(_program(low, high) for low, high in self.sizes))

    def case(self, profile: Profile, programs: Sequence[str]) -> Case:
        """The case of these programs; missing ones are empty, those too many are not read."""
        assert self.build is not None
        given = zip(chain(programs, repeat("")), self.sizes, strict=False)
        return self.build(profile, *[program[:high] for program, (_, high) in given])


@cache
def _program(low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(alphabet=PROGRAM_ALPHABET, min_size=low, max_size=high)


# Three characters choose, each further pair is a merge: up to twenty. The least lengths decide how much is drawn:
# Hypothesis draws texts of about twice that.
VOCABULARY = (12, 43)


TEXT = (8, 40)


SHORT = (4, 14)


def fits_trainable(case: Mapping[str, Any]) -> bool:
    """Whether the vocabulary of a case can come of training."""
    return trainable(case["vocabulary"])


def is_one_piece(vocabulary: Vocabulary) -> bool:
    """Whether every text is one piece under this vocabulary."""
    return vocabulary.pattern is None and not vocabulary.special_tokens and not vocabulary.end_of_word


def encodable(text: str) -> bool:
    """Whether a text has UTF-8: it holds no lone surrogate."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def covering(pattern: str | None) -> bool:
    """Whether the pattern is one of those that leave no text uncovered."""
    return pattern in {PATTERNS[name] for name in PATTERNS if name != "whitespace-lossy"}


def is_plain(case: Case) -> bool:
    """A case that the general claims on texts admit."""
    vocabulary = case["vocabulary"]
    if vocabulary is None:
        return encodable(case["text"])
    return encodable(case["text"]) and covering(vocabulary.pattern) and not vocabulary.end_of_word
