"""`python -m properties`: the commands of the suite, each in a module of its own."""

import typer

from properties.commands.add import add
from properties.commands.against import against
from properties.commands.claims_index import claims
from properties.commands.counts import counts
from properties.commands.explaining import explain
from properties.matrix.command import matrix
from properties.report.compare import compare
from properties.strength.command import strength

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Ask a BPE tokenizer what must hold of it.",
)
app.command()(add)
app.command()(against)
app.command()(claims)
app.command()(counts)
app.command()(explain)
app.command()(compare)
app.command()(matrix)
app.command()(strength)


@app.callback()
def main() -> None:
    """Ask a BPE tokenizer what must hold of it."""


if __name__ == "__main__":
    app()
