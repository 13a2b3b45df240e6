"""`python -m properties claims`: every claim, its level, its sentence and what it needs."""

from collections.abc import Iterable
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from properties.claims import Claim, all_claims, selected
from properties.report.spec import section_of

_Globs = Annotated[list[str] | None, typer.Argument(metavar="[GLOB]...", help="Only these, such as 'ENC-*'.")]
_Markdown = Annotated[bool, typer.Option("--markdown", help="As docs/reference/claims.md has it.")]


def claims(globs: _Globs = None, markdown: _Markdown = False) -> None:
    """List the claims, with the sentence that each one asks."""
    try:
        found = selected(all_claims(), globs) if globs else all_claims()
    except ValueError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    if markdown:
        typer.echo(markdown_of(found), nl=False)
        return
    table = Table("claim", "level", "sentence", "needs", box=None, padding=(0, 2, 0, 0), expand=False)
    for claim in found:
        table.add_row(claim.id, claim.level, claim.sentence, ", ".join(sorted(claim.needs)))
    console = Console(highlight=False)
    console.print(table if console.is_terminal else "\n".join(f"{c.id} {c.level} {c.sentence}" for c in found))


def markdown_of(found: Iterable[Claim]) -> str:
    """The index as a page: a list for each section, which a phone can show."""
    lines = [
        "# The claims",
        "",
        "Made by `python -m properties claims --markdown`; a test holds this page to it. What each sentence means and",
        "why it is true stands in [the specification](../spec.md); `python -m properties explain --claim ENC-2` says",
        "what it costs and what it refutes. Without a member that it *needs*, a claim is not applicable.",
    ]
    for section, group in groupby(found, key=lambda claim: section_of(claim.id)):
        lines += ["", f"## {section}", "", *(_entry(claim) for claim in group)]
    return "\n".join(lines) + "\n"


def _entry(claim: Claim) -> str:
    needs = f"needs {', '.join(f'`{need}`' for need in sorted(claim.needs))}" if claim.needs else ""
    kinds = (("tokenizers that are not BPE", claim.every_algorithm), ("own vocabularies", claim.own_vocabulary))
    others = " and ".join(name for name, asked in kinds if asked)
    notes = "; ".join(filter(None, [needs, f"also asked of {others}" if others else ""]))
    level = "" if claim.level == "must" else f" ({claim.level})"
    return f"- **{claim.id}{level}.** {claim.sentence}{f' *{notes[0].upper()}{notes[1:]}.*' if notes else ''}"
