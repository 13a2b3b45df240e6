"""`python -m properties add TEXT --why WHY`: keep a text that broke a tokenizer."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Annotated

import typer

from properties.stored.regressions import REGRESSIONS, MalformedRegression
from properties.stored.regressions import add as store

_Text = Annotated[str, typer.Argument(help="The text; - reads standard input, to the byte.")]
_Why = Annotated[str, typer.Option("--why", help="What goes wrong on it. It may not be empty.")]
_Claims = Annotated[list[str] | None, typer.Option("--claims", help="Only these claims, such as 'ENC-*'. Repeatable.")]
_Id = Annotated[str | None, typer.Option("--id", help="Its name, such as two-spaces; else made from the text.")]
_Literal = Annotated[
    bool, typer.Option("--literal", help=r"""TEXT is a Python literal, such as "\ud800" or b"\xff", quotes and all.""")
]
_Found = Annotated[
    str | None, typer.Option("--found", help="Who or what found it: a link, a command. Else today's date.")
]
_Folder = Annotated[Path, typer.Option("--folder", help="Where to write it.", show_default="regressions")]


def add(
    text: _Text,
    why: _Why,
    claims: _Claims = None,
    id: _Id = None,
    literal: _Literal = False,
    found: _Found = None,
    folder: _Folder = REGRESSIONS,
) -> None:
    """Keep a text as a regression: every implementation is asked every claim on it from now on."""
    try:
        value = read_text(text, literal)
        case = store(value, why, claims=claims or (), id=id, found=found, folder=folder)
    except (MalformedRegression, SyntaxError, ValueError) as error:
        typer.echo(f"not added: {error.msg if isinstance(error, SyntaxError) else error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(f"{case.path}")
    typer.echo(f"pytest properties -k {case.id} --impl=heap")


def read_text(text: str, literal: bool) -> str | bytes:
    """The value that an argument stands for: itself, standard input (bytes where that is no UTF-8), or its literal.

    Raises a `ValueError` or `SyntaxError` where the literal is no str or bytes.

    >>> read_text("a\\\\nb", literal=False), read_text(r'"a\\nb"', literal=True)
    ('a\\\\nb', 'a\\nb')
    """
    value = _standard_input() if text == "-" else text
    if not literal:
        return value
    value = ast.literal_eval(value if isinstance(value, str) else value.decode())
    if not isinstance(value, (str, bytes)):
        raise ValueError(f"{text} is no str or bytes")
    return value


def _standard_input() -> str | bytes:
    content = sys.stdin.buffer.read()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content
