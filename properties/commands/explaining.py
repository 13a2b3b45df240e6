"""`python -m properties explain`: one text step by step, or one claim and all that is known of it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

import reference
from implementations.loader import ImplementationImportError, UnknownImplementation, resolve
from implementations.plugged import CallFailed, Implementation, NotApplicable
from implementations.vocabularies import load_vocabulary
from properties.budgets import BUDGETS
from properties.claims import Claim, all_claims
from properties.counterexample.literal import shortened
from properties.report.html import fact_lines
from properties.report.reading import read
from properties.report.records import Record, claim_of
from properties.report.spec import section_of, why
from properties.report.watch import Watch
from properties.runner import profile_of, try_claim
from reference.cli import special_ids
from reference.encode import pieces_of
from reference.model import Vocabulary

PUBLIC_BUGS = Path(__file__).with_name("public_bugs.toml")
STRENGTH = Path(__file__).parents[1] / "strength" / "record.json"
MOST_PIECES, MOST_STEPS = 20, 40

_Claim = Annotated[str | None, typer.Option("--claim", metavar="ID", help="Explain this claim, such as ENC-2.")]
_Text = Annotated[str | None, typer.Option("--text", help="Explain the encoding of this text.")]
_Impl = Annotated[str, typer.Option("--impl", metavar="SPEC", help="Beside which implementation (or: cost on which).")]
_Merges = Annotated[Path | None, typer.Option("--merges", metavar="FILE", help="The merges: a file of the reference.")]
_Name = Annotated[str | None, typer.Option("--vocabulary", metavar="NAME", help="The merges: a published vocabulary.")]
_Pattern = Annotated[
    str | None, typer.Option("--pattern", help=f"Pre-tokenisation: {', '.join(reference.PATTERNS)}. With --merges.")
]
_Special = Annotated[
    list[str] | None, typer.Option("--special", metavar="TEXT=ID", help="A special token. Repeatable.")
]
_Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE.jsonl", help="What a claim costs: from there, not run now.")
]


def explain(
    claim: _Claim = None,
    text: _Text = None,
    impl: _Impl = "heap",
    merges: _Merges = None,
    vocabulary: _Name = None,
    pattern: _Pattern = None,
    special: _Special = None,
    report: _Report = None,
) -> None:
    """Explain the encoding of a text step by step, beside an implementation's; or a claim, and what is known of it."""
    try:
        if (claim is None) == (text is None):
            raise ValueError("give one of --claim and --text")
        console = Console(highlight=False, soft_wrap=True)
        if claim is not None:
            explain_claim(console, _claim_named(claim), _one(impl), report)
        else:
            made = _vocabulary(merges, vocabulary, pattern, special or [])
            if not explain_text(console, _one(impl), made, text or ""):
                raise typer.Exit(1)
    except (UnknownImplementation, ImplementationImportError, ValueError, OSError) as error:
        told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
        typer.echo(f"error: {told}", err=True)
        raise typer.Exit(2) from None


def _one(spec: str) -> Implementation:
    found = resolve(spec)
    if len(found) > 1:
        raise ValueError(f"--impl={spec} means {len(found)} implementations; explain takes one")
    return found[0]


def _vocabulary(merges: Path | None, name: str | None, pattern: str | None, special: list[str]) -> Vocabulary:
    if (merges is None) == (name is None):
        raise ValueError("give one of --merges FILE and --vocabulary NAME")
    if pattern is not None and pattern not in reference.PATTERNS:
        raise ValueError(f"no pattern {pattern!r}; there are {', '.join(reference.PATTERNS)}")
    split = reference.PATTERNS[pattern] if pattern is not None else None
    ids = special_ids(special)
    if name is not None:
        return load_vocabulary(name, pattern=split, special_tokens=ids or None)
    assert merges is not None
    return Vocabulary(reference.load_merges(merges), ids, split)


# --- a text --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A stretch of text between special tokens, or one of them, and the byte at which it begins."""

    text: str
    start: int
    special: bool


def explain_text(console: Console, impl: Implementation, vocabulary: Vocabulary, text: str) -> bool:
    """Print the steps of the reference and where an implementation parts from it; whether they agree."""
    options: dict[str, Any] = {"rank_by": impl.rank_by, "whole_piece_first": impl.whole_piece_first}
    expected = reference.encode(vocabulary, text, **options)
    own = _asked(impl, vocabulary, text)
    cuts = _cuts(vocabulary, own, text) if isinstance(own, list) else None
    console.print(
        Text(f"{shortened(text, 200)}  {len(text)} characters, {len(text.encode())} bytes", style="bold"),
        Text(f"{len(vocabulary.merges):,} merges, ranked by {impl.rank_by}", style="dim"),
        sep="\n",
    )
    parted = False
    for number, (piece, start) in enumerate(_pieces(vocabulary, text)):
        if number == MOST_PIECES:
            console.print(Text("... more pieces", style="dim"))
            break
        for line, here in _piece_lines(vocabulary, piece, start, None if parted else cuts, impl):
            parted = parted or here
            console.print(line)
    console.print(Text(""))
    name = impl.name
    width = max(len(name), len("the reference"))
    console.print(Text(f"{'the reference':{width}}  {_tokens(vocabulary, expected)}"))
    same = own == expected
    told = _tokens(vocabulary, own) if isinstance(own, list) else own
    console.print(Text(f"{name:{width}}  {told}", style="green" if same else "red"))
    console.print(Text("they agree" if same else "they part", style="green" if same else "red bold"))
    return same


def _asked(impl: Implementation, vocabulary: Vocabulary, text: str) -> list[int] | str:
    """What an implementation makes of a text: ids, or what it raised."""
    try:
        return impl(None if impl.own_vocabulary else vocabulary).encode(text)
    except NotApplicable as why_not:
        raise ValueError(f"{impl.name} cannot be asked: {why_not}") from None
    except CallFailed as error:
        return str(error)
    except Exception as error:
        return f"raised {type(error).__name__}: {error}"


def _cuts(vocabulary: Vocabulary, ids: list[int], text: str) -> set[int] | None:
    """The bytes at which tokens end, or `None` where they are not the bytes of the text."""
    tokens = [vocabulary.bytes_of.get(token_id, b"") for token_id in ids]
    if b"".join(tokens) != text.encode():
        return None
    ends = {0}
    for token in tokens:
        ends.add(max(ends) + len(token))
    return ends


def _pieces(vocabulary: Vocabulary, text: str) -> Iterator[tuple[str, int]]:
    """The pieces of a text and where each begins, in bytes; special tokens are no pieces."""
    start = 0
    for part in reference.split_special_tokens(vocabulary.special_tokens, text):
        inside = start
        if part not in vocabulary.special_tokens:
            for piece in pieces_of(vocabulary, part):
                yield piece, inside
                inside += len(piece.encode())
        start += len(part.encode())


def _piece_lines(
    vocabulary: Vocabulary, piece: str, start: int, cuts: set[int] | None, impl: Implementation
) -> Iterator[tuple[Text, bool]]:
    """A piece, its merges one at a time, and whether the implementation parts from the reference at that line."""
    symbols = reference.symbols_of(vocabulary, piece)
    yield Text(f"piece {shortened(piece, 80)}: {_spelled(symbols)}", style="bold cyan"), False
    joined = b"".join(symbols)
    if impl.whole_piece_first and joined in vocabulary.id_of:
        yield Text("    it is a token itself"), False
        return
    own = None if cuts is None or vocabulary.end_of_word else cuts
    tokens: tuple[bytes, ...] = tuple(symbols)
    for number, step in enumerate(reference.merge_steps(vocabulary, symbols, impl.rank_by)):
        if number == MOST_STEPS:
            yield Text("    ... more merges", style="dim"), False
            return
        seam = start + sum(map(len, tokens[: step.place + 1]))
        tokens = step.tokens
        parts = own is not None and seam in own
        line = f"    {step.rank:>6}  {_spelled(step.merge, '+'):16}  at {step.place:<3}  {_spelled(tokens)}"
        if parts:
            note = f"  <- here they part: {impl.name} has not made this merge (a boundary stays at byte {seam})"
            yield Text(line + note, style="red"), True
            own = None
        else:
            yield Text(line), False
    ends = {start + sum(map(len, tokens[:count])) for count in range(1, len(tokens))}
    if own is not None and ends - own:
        told = f"    <- here they part: no merge is left, and {impl.name} joined what lies at byte {min(ends - own)}"
        yield Text(told, style="red"), True


def _tokens(vocabulary: Vocabulary, ids: list[int]) -> str:
    spelled = _spelled([vocabulary.bytes_of.get(token_id, b"?") for token_id in ids[:60]])
    return f"{shortened(ids[:60], 400)}{' ...' if len(ids) > 60 else ''}  {spelled}"


def _spelled(tokens: Any, between: str = "|") -> str:
    """Tokens as people read them: text where it is text, a space as ␠, other bytes as hex."""
    return between.join(_spelled_token(token) for token in tokens)


def _spelled_token(token: bytes) -> str:
    try:
        text = token.decode().replace(" ", "␠")
    except UnicodeDecodeError:
        text = "\ufffd"
    return text if text.isprintable() and "\ufffd" not in text else "".join(f"<{byte:02x}>" for byte in token)


# --- a claim -------------------------------------------------------------------------------------------------------


def _claim_named(claim_id: str) -> Claim:
    claims = {claim.id: claim for claim in all_claims()}
    if claim_id not in claims:
        sections = ", ".join(f"{section}-1" for section in dict.fromkeys(known[:3] for known in claims))
        raise ValueError(f"no claim {claim_id!r}; there are {sections} and so on: python -m properties claims")
    return claims[claim_id]


def explain_claim(console: Console, claim: Claim, impl: Implementation, report: Path | None) -> None:
    """Print a claim: sentence, reason, cost, planted bugs that it refutes, public bugs of its kind."""
    console.print(Text(f"{claim.id} ({claim.level}), {section_of(claim.id)}", style="bold"))
    console.print(Text(f"\n    {claim.sentence}", style="bold cyan"))
    _head(console, "Why it is true")
    reason = why(claim.id)
    if console.is_terminal and reason:
        console.print(Markdown(reason))
    else:
        console.print(reason or "The specification does not say.", markup=False)
    _head(console, "Of whom it is asked")
    console.print(f"{_asked_of(claim)}", markup=False)
    _head(console, "What it costs")
    for line in cost_lines(claim, impl, report):
        console.print(line, markup=False)
    _head(console, "Which planted bugs it refutes")
    for line in planted_lines(claim.id):
        console.print(line, markup=False)
    _head(console, "Public bugs of its kind")
    for line in public_lines(claim.id):
        console.print(line, markup=False)


def _head(console: Console, title: str) -> None:
    console.print(Text(f"\n{title}", style="bold"))


def _asked_of(claim: Claim) -> str:
    needs = f"tokenizers that offer {' and '.join(sorted(claim.needs))}" if claim.needs else "every tokenizer"
    kinds = "of any algorithm" if claim.every_algorithm else "of BPE"
    own = ", those that bring their own vocabulary included" if claim.own_vocabulary else ""
    return f"{needs}, {kinds}{own}; over {', '.join(claim.domain.arguments)}"


def cost_lines(claim: Claim, impl: Implementation, report: Path | None) -> list[str]:
    """What a claim costs: from a report, or measured now at the default budget."""
    if report is not None:
        found = read(report)
        rows = [row for (_, row_id), row in found.rows.items() if row_id == claim.id]
        if not rows:
            raise ValueError(f"{report}: asks {claim.id} of nobody")
        return [line for row in rows for line in _cost(row, f"budget {found.header['budget']['name']}, {report.name}")]
    watch = Watch(claim)
    outcome = try_claim(watch.claim, impl, BUDGETS["default"], profile=profile_of(impl), shrinking=False)
    return _cost(claim_of(outcome, watch, full=True), "budget default, run now")


def _cost(row: Record, measured: str) -> list[str]:
    if row["status"] == "not applicable":
        return [f"{row['implementation']}: not applicable: {'; '.join(row['not_applicable'])}"]
    head = (
        f"{row['implementation']}: {row['status']}; {row['cases']:,} cases, {row['distinct']:,} of them distinct, "
        f"in {row['seconds']:.2f} s ({measured})"
    )
    return [head, *(f"    {line}" for line in fact_lines(row))]


def planted_lines(claim_id: str, path: Path = STRENGTH) -> list[str]:
    """Which planted bugs a claim refutes, from the record of the kill matrix; or how to make that."""
    try:
        witnesses: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))["witnesses"]
    except (OSError, ValueError, KeyError, TypeError):
        return ["not known here: `python -m properties strength --matrix docs/strength.md` tries them all, for an hour"]
    if claim_id not in witnesses:
        return ["none of those that were tried on it"]
    return [
        *witnesses[claim_id],
        "these first: what it alone refutes, then what it refutes fastest; docs/strength.md has all",
    ]


@cache
def public_bugs() -> list[dict[str, Any]]:
    """The kinds of public bugs, each with its claims and its bugs."""
    kinds: list[dict[str, Any]] = tomllib.loads(PUBLIC_BUGS.read_text(encoding="utf-8"))["kind"]
    return kinds


def public_lines(claim_id: str) -> list[str]:
    """The public bugs of a claim's kinds, a line each.

    >>> public_lines("DEC-3")[0]
    'ids that nobody has'
    """
    lines: list[str] = []
    for kind in public_bugs():
        if claim_id in kind["claims"]:
            lines += [kind["name"], *(f"    {what}: {url}" for url, what in kind["bugs"])]
    return lines or ["none that we know of"]
