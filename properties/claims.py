"""What a claim is: a sentence of the spec, a short check of it, and the domain on which it is tried.

    @claim("ENC-1", ENCODING)
    def test_decoding_inverts_encoding(impl, vocabulary, text):
        \"\"\"Decoding the encoding of a text gives that text.\"\"\"
        tokenizer = impl(vocabulary)
        assert tokenizer.decode(tokenizer.encode(text)) == text

The same lines run under pytest, from a stored regression and from the fuzzers: all of them call
`claim.check(impl, **case)`, which raises an exception where the case refutes the claim.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

from implementations.isolation import IsolatedImplementation
from implementations.plugged import Implementation, alarms_answered
from properties.cases.domains import Domain

CLAIMS: dict[str, "Claim"] = {}


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of the spec and how it is tried.

    `needs`: the optional members without which it cannot be asked. `every_algorithm`: it holds of tokenizers that are
    not BPE too. `own_vocabulary`: it can be asked of a tokenizer that brings its vocabulary. `share`: its part of the
    budget; 1 is the usual.
    """

    id: str
    check: Callable[..., None]
    domain: Domain
    level: str = "must"
    needs: frozenset[str] = frozenset()
    every_algorithm: bool = False
    own_vocabulary: bool = False
    share: float = 1.0

    @property
    def sentence(self) -> str:
        """The spec's sentence: the first paragraph of the check's docstring on one line."""
        return " ".join(inspect.cleandoc(self.check.__doc__ or "").split("\n\n")[0].split())

    def not_applicable(self, impl: Implementation) -> str | None:
        """Why this claim cannot be asked of an implementation, or `None` where it can."""
        if impl.algorithm != "bpe" and not self.every_algorithm:
            return f"holds of BPE; this is {impl.algorithm}"
        if impl.own_vocabulary and not self.own_vocabulary:
            return "brings its own vocabulary"
        missing = sorted(self.needs - impl.can)
        return f"offers no {' and no '.join(missing)}" if missing else None


class Judge(Protocol):
    """Tries a claim on an implementation and reports; the fixture of `conftest.py`."""

    def __call__(self, claim: Claim, impl: Implementation) -> None:
        """Fails the test where the claim is refuted."""


def claim(
    id: str,
    domain: Domain,
    *,
    level: str = "must",
    needs: Iterable[str] = (),
    every_algorithm: bool = False,
    own_vocabulary: bool = False,
    share: float = 1.0,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a check under the id of its sentence, and return it as a pytest test."""

    def register(check: Callable[..., None]) -> Callable[..., None]:
        if id in CLAIMS:
            raise ValueError(f"{id} is claimed twice: {CLAIMS[id].check.__name__} and {check.__name__}")
        made = Claim(id, check, domain, level, frozenset(needs), every_algorithm, own_vocabulary, share)
        CLAIMS[id] = made

        def test(impl: Implementation, judge: Judge) -> None:
            judge(made, impl)

        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__doc__, test.__module__ = check.__doc__, check.__module__
        # Where the claim stands, for node ids, editors and tracebacks.
        test.__code__ = test.__code__.replace(
            co_filename=check.__code__.co_filename, co_firstlineno=check.__code__.co_firstlineno, co_name=check.__name__
        )
        test.claim = made  # type: ignore[attr-defined]
        return test

    return register


def all_claims() -> list[Claim]:
    """Every claim, in the order of the spec: the test modules are imported, section by section."""
    import properties

    for module in pkgutil.iter_modules([str(Path(properties.__file__).parent)]):
        if module.name.startswith("test_"):
            importlib.import_module(f"properties.{module.name}")
    return sorted(CLAIMS.values(), key=_place)


SECTIONS = ("VOC", "PRE", "TRN", "ENC", "DEC", "SPC", "CHR", "FIL", "OBJ", "TXT", "EXH", "PUB", "SPL", "GRO")


def _place(made: Claim) -> tuple[int, int]:
    section, _, number = made.id.partition("-")
    return SECTIONS.index(section), int(number)


def ask(made: Claim, implementation: Implementation, case: Mapping[str, Any]) -> None:
    """Check a case where the implementation lives, in this process or in its own; raises what the check raises."""
    if isinstance(implementation, IsolatedImplementation):
        implementation.run(check_named, made.check.__module__, made.id, made.check.__name__, case)
    else:
        with alarms_answered():
            made.check(implementation, **case)


def check_named(implementation: Implementation, module: str, id: str, name: str, case: Mapping[str, Any]) -> None:
    """Check a case of the claim that another process calls by its module, its id and the name of its check."""
    home = importlib.import_module(module)
    found = CLAIMS.get(id)
    check = found.check if found and found.check.__name__ == name else getattr(home, name)  # `beyond` registers none
    with alarms_answered():
        check(implementation, **case)


def selected(claims: Iterable[Claim], globs: Iterable[str]) -> list[Claim]:
    """The claims whose id one of the globs matches. Raises `ValueError`, which names the choices, where none does."""
    claims, globs = list(claims), list(globs)
    for glob in globs:
        if not any(fnmatchcase(made.id, glob) for made in claims):
            sections = ", ".join(f"{section}-*" for section in dict.fromkeys(made.id[:3] for made in claims))
            raise ValueError(f"no claim matches {glob!r}; there are {sections}, and single ids such as {claims[0].id}")
    return [made for made in claims if any(fnmatchcase(made.id, glob) for glob in globs)]
