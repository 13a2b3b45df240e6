"""`python -m properties counts FILE...`: how many tokens texts take, under merges of one's own and published ones."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import reference
from implementations.heap import Tokenizer
from implementations.vocabularies import load_vocabulary
from reference.cli import pattern_named, read_text
from reference.model import Vocabulary

_Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Texts in UTF-8.")]
_Merges = Annotated[list[Path] | None, typer.Option("--merges", metavar="FILE", help="Merges to count by. Repeatable.")]
_Names = Annotated[
    list[str] | None, typer.Option("--vocabulary", metavar="NAME", help="A published vocabulary. Repeatable.")
]
_Pattern = Annotated[str, typer.Option("--pattern", help="Pre-tokenisation for --merges.")]


def counts(files: _Files, merges: _Merges = None, vocabulary: _Names = None, pattern: _Pattern = "gpt2") -> None:
    """Count the tokens of texts: tokens, tokens a word, bytes a token. Without merges, a byte is a token."""
    try:
        texts = [read_text(path) for path in files]
        rows = [row("single bytes", Vocabulary(), texts)]
        for path in merges or []:
            made = Vocabulary(reference.load_merges(path), pattern=pattern_named(pattern))
            rows.append(row(path.name, made, texts))
        missing = []
        for name in vocabulary or []:
            try:
                rows.append(row(name, load_vocabulary(name), texts))
            except ValueError as error:
                missing.append(f"not counted: {error}")
    except (ValueError, OSError) as error:
        told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
        typer.echo(f"error: {told}", err=True)
        raise typer.Exit(2) from None
    table = Table("vocabulary", "entries", "tokens", "tokens a word", "bytes a token", box=None)
    for column in table.columns[1:]:
        column.justify = "right"
    for cells in rows:
        table.add_row(*cells)
    Console(highlight=False).print(table)
    for line in missing:
        typer.echo(line, err=True)
    if missing:
        raise typer.Exit(1)


def row(name: str, vocabulary: Vocabulary, texts: list[str]) -> tuple[str, ...]:
    """One line of the table.

    >>> row("bytes", Vocabulary(), ["a b", "caf\\u00e9"])
    ('bytes', '256', '8', '2.67', '1.00')
    """
    tokenizer = Tokenizer(vocabulary)
    tokens = sum(len(tokenizer.encode_ordinary(text)) for text in texts)
    words = sum(len(text.split()) for text in texts)
    size = sum(len(text.encode()) for text in texts)
    ratios = f"{tokens / max(1, words):.2f}", f"{size / max(1, tokens):.2f}"
    return name, f"{vocabulary.entries:,}", f"{tokens:,}", *ratios
