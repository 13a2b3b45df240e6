"""`python -m properties against`: two plug-ins on the same vocabulary. Do they encode alike, and if not, where not?

For whoever converts a tokenizer from one format to another, or one package into another. Neither plug-in is right by
itself: where they part, each is also compared with the reference, under the way of ranking that it declares.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

import reference
from implementations.loader import ImplementationImportError, UnknownImplementation, resolve
from implementations.plugged import CallFailed, Implementation, NotApplicable
from properties.cases.programs import PROGRAM_ALPHABET, Profile
from properties.counterexample.literal import literal, shortened
from properties.counterexample.shrink import shrink
from properties.isolating import isolate_each
from properties.published import PUBLISHED_TEXT, SPLICED, byte_level, keep_tokenizers
from properties.report.explain import encoding_parts
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

_One = Annotated[str, typer.Option("--impl", help="One plug-in, as pytest properties takes it.")]
_Other = Annotated[str, typer.Option("--against", help="The other.")]
_Vocabulary = Annotated[str | None, typer.Option("--vocabulary", help="A published vocabulary, by name or file.")]
_Merges = Annotated[Path | None, typer.Option("--merges", help="A file of merges, as python -m reference writes it.")]
_Pattern = Annotated[str, typer.Option("--pattern", help="Of the file of merges: a name, or a regular expression.")]
_Seconds = Annotated[float, typer.Option(help="How long to look, after the texts that are always tried.")]
_Seed = Annotated[int, typer.Option(help="What the texts start from.")]
_Isolate = Annotated[str, typer.Option(help="auto, process or none, as pytest properties takes it.")]
_Limit = Annotated[float, typer.Option("--call-limit", help="Seconds for one call.")]


@dataclass(frozen=True)
class Parting:
    """The smallest text found on which two implementations differ, and what each makes of it."""

    text: str
    one: Any
    other: Any


def against(
    impl: _One,
    against: _Other,
    vocabulary: _Vocabulary = None,
    merges: _Merges = None,
    pattern: _Pattern = "none",
    seconds: _Seconds = 20.0,
    seed: _Seed = 0,
    isolate: _Isolate = "auto",
    call_limit: _Limit = 10.0,
) -> None:
    """Compare two plug-ins on one vocabulary. Exit status: 0 they encode alike, 1 they do not, 2 cannot be asked."""
    try:
        both = isolate_each([_only(impl), _only(against)], isolate)
        chosen = _chosen(vocabulary, merges, pattern)
        for implementation in both:
            implementation.call_limit = call_limit
            keep_tokenizers(implementation)
            _check_served(implementation, chosen)
        parting, tried = compared(both[0], both[1], chosen, seconds=seconds, seed=seed)
    except (UnknownImplementation, ImplementationImportError, NotApplicable, ValueError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    if parting is None:
        typer.echo(f"{both[0].name} and {both[1].name} encode {tried:,} texts alike.")
        return
    for line in told(both[0], both[1], chosen, parting):
        typer.echo(line)
    raise typer.Exit(1)


def _only(spec: str) -> Implementation:
    found = resolve(spec)
    if len(found) != 1:
        raise ValueError(f"{spec!r} means {len(found)} implementations: {', '.join(i.name for i in found)}; name one")
    return found[0]


def _chosen(vocabulary: str | None, merges: Path | None, pattern: str) -> Vocabulary:
    if (vocabulary is None) == (merges is None):
        raise ValueError("either --vocabulary or --merges says what both are made of")
    if vocabulary is not None:
        return byte_level(vocabulary)
    assert merges is not None
    return Vocabulary(reference.load_merges(merges), pattern=PATTERNS.get(pattern, pattern))


def _check_served(implementation: Implementation, vocabulary: Vocabulary) -> None:
    """Raises `NotApplicable` where the vocabulary is not served at all."""
    try:
        implementation(vocabulary).encode("a")
    except NotApplicable as why:
        raise NotApplicable(f"{implementation.name} cannot be asked: {why}") from None
    except Exception:
        return  # it is served, and fails: the comparison says how


def compared(
    one: Implementation, other: Implementation, vocabulary: Vocabulary, *, seconds: float = 20.0, seed: int = 0
) -> tuple[Parting | None, int]:
    """Where two implementations part, if they do, and how many texts were tried."""

    def parts(case: dict[str, Any]) -> bool:
        return bool(outcome(one, vocabulary, case["text"]) != outcome(other, vocabulary, case["text"]))

    end = time.monotonic() + seconds
    tried = 0
    for always, text in _texts(vocabulary, seed):
        if not always and time.monotonic() > end:
            break
        tried += 1
        if parts({"text": text}):
            small = shrink({"text": text}, parts, seconds=20.0)["text"]
            return Parting(small, outcome(one, vocabulary, small), outcome(other, vocabulary, small)), tried
    return None, tried


def outcome(implementation: Implementation, vocabulary: Vocabulary, text: str) -> Any:
    """The ids of a text, or what kind of exception there is instead. Two exceptions are alike whatever they say."""
    try:
        return implementation(vocabulary).encode(text)
    except NotApplicable:
        return "not applicable"
    except CallFailed as error:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return "raises"


def _texts(vocabulary: Vocabulary, seed: int) -> Iterator[tuple[bool, str]]:
    """Texts, and whether each is always tried: real ones first, then those that the domains write."""
    profile = Profile(vocabulary=vocabulary)
    for case in PUBLISHED_TEXT.listed(profile):
        yield True, case["text"]
    source = random.Random(seed)
    while True:
        program = "".join(source.choices(PROGRAM_ALPHABET, k=source.randint(4, 60)))
        yield False, PUBLISHED_TEXT.case(profile, [program])["text"]
        if vocabulary.merges:
            ids = SPLICED.case(profile, [program])["ids"]
            yield False, b"".join(vocabulary.bytes_of[i] for i in ids).decode()


def told(one: Implementation, other: Implementation, vocabulary: Vocabulary, parting: Parting) -> Iterator[str]:
    """The text, both encodings, and for each implementation the first merge where it leaves the reference."""
    yield f"{one.name} and {other.name} part on"
    yield f"    text = {literal(parting.text)}"
    for implementation, result in ((one, parting.one), (other, parting.other)):
        yield f"{implementation.name:>16} {_spelled(vocabulary, result)}"
    for implementation, result in ((one, parting.one), (other, parting.other)):
        if isinstance(result, list):
            lines = encoding_parts(implementation, vocabulary, parting.text, result)
            yield ""
            yield (
                f"{implementation.name}, beside the reference:"
                if lines
                else (f"{implementation.name} gives what the reference gives.")
            )
            yield from (f"    {line}" for line in lines)


def _spelled(vocabulary: Vocabulary, result: Any) -> str:
    if not isinstance(result, list):
        return str(result)
    tokens = "|".join(vocabulary.bytes_of.get(i, b"?").decode(errors="replace") for i in result[:60])
    return f"{shortened(result, 300)}  {tokens!r}"
