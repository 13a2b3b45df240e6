"""What cases hold that a package is known to do otherwise with: an expected failure may leave the others to the search.

An entry of `*.expected.toml` whose claim fails only on such cases says so, `apart = ["overlapping special tokens"]`:
its witness is played, and the claim is then searched on the cases that hold none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from hypothesis import strategies as st

from implementations.heap import Tokenizer as Heap
from properties.cases.domains import Case, Domain
from properties.cases.programs import Profile
from properties.claims import Claim
from reference.model import Vocabulary


def _special_tokens(case: Case) -> Mapping[str, int]:
    vocabulary = case.get("vocabulary")
    return vocabulary.special_tokens if isinstance(vocabulary, Vocabulary) else {}


def _texts(case: Case) -> Iterator[str]:
    """Every text of a case: its own, those of special tokens, and what its ids decode to."""
    for value in case.values():
        yield from [value] if isinstance(value, str) else filter(_is_text, value) if _is_list(value) else ()
    yield from _special_tokens(case)
    vocabulary = case.get("vocabulary")
    if isinstance(vocabulary, Vocabulary) and "ids" in case:
        yield b"".join(vocabulary.bytes_of.get(token_id, b"") for token_id in case["ids"]).decode(errors="replace")


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _holding(character: str) -> Callable[[Case], bool]:
    return lambda case: any(character in text for text in _texts(case))


def _overlapping(case: Case) -> bool:
    return any(longer.startswith(shorter) for longer, shorter in permutations(_special_tokens(case), 2))


def _also_tokens(case: Case) -> bool:
    vocabulary = case.get("vocabulary")
    return isinstance(vocabulary, Vocabulary) and any(t.encode() in vocabulary.id_of for t in _special_tokens(case))


def _strange(case: Case) -> bool:
    return not all(text.isascii() for text in _special_tokens(case))


def _runs_out(case: Case) -> bool:
    num_merges = case.get("num_merges", 0)
    options = {"pattern": case.get("pattern"), "special_tokens": case.get("special_tokens", ())}
    options["tie_rule"] = case.get("tie_rule", "first-seen")
    corpora = [case[name] for name in ("corpus", "other") if isinstance(case.get(name), (list, tuple))]
    return any(len(Heap.train(corpus, num_merges, **options)) < num_merges for corpus in corpora)


KNOWN: dict[str, Callable[[Case], bool]] = {
    "special tokens": lambda case: bool(_special_tokens(case)),
    "several special tokens": lambda case: len(_special_tokens(case)) > 1,
    "overlapping special tokens": _overlapping,  # of which one begins with another
    "special tokens that are tokens": _also_tokens,
    "special tokens beyond ASCII": _strange,
    "fewer pairs than merges": _runs_out,  # a corpus that has no pair left before the merges asked for are learned
    "nothing": lambda case: case.get("ids") == [] or "" in (case.get("text"), case.get("other")),
    "patterns with $": lambda case: "$" in (getattr(case.get("vocabulary"), "pattern", None) or ""),
    "texts of 500 bytes": lambda case: any(len(text.encode("utf-8", "surrogatepass")) >= 500 for text in _texts(case)),
    "U+0000": _holding("\0"),
    "U+0085": _holding("\x85"),
    "U+2581": _holding("\u2581"),
    "U+FEFF": _holding("\ufeff"),
    "U+FFFD": _holding("\ufffd"),  # or bytes that are no UTF-8
}


@dataclass(frozen=True, eq=False)
class _Apart(Domain):
    """A domain without the cases that hold something known."""

    known: Callable[[Case], bool] = lambda case: False

    def strategy(self, profile: Profile) -> st.SearchStrategy[Case]:
        """The other cases."""
        return super().strategy(profile).filter(lambda case: not self.known(case))


def is_apart(case: Case, names: Iterable[str]) -> bool:
    """Whether the case holds one of these."""
    return any(KNOWN[name](case) for name in names)


def apart(claim: Claim, names: Iterable[str]) -> Claim:
    """The claim, asked only of cases that hold none of these.

    >>> from properties.claims import all_claims
    >>> [spc] = [claim for claim in all_claims() if claim.id == "SPC-5"]
    >>> overlapping = {"vocabulary": Vocabulary((), {"<s>": 300, "<s>>": 301})}
    >>> [apart(spc, names).domain.admits(overlapping) for names in ([], ["overlapping special tokens"])]
    [True, False]
    """
    names, of = tuple(names), claim.domain

    def known(case: Case) -> bool:
        return is_apart(case, names)

    def admits(case: Case) -> bool:
        return not known(case) and of.admits(case)

    def listed(profile: Profile) -> Iterator[Case]:
        return (case for case in of.listed(profile) if not known(case))

    return replace(claim, domain=_Apart(of.arguments, of.build, of.sizes, admits, listed, known=known))
