"""The command line: `python -m reference train | encode | decode | curve`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from reference.curve import Point, curve, plot
from reference.decode import decode
from reference.encode import encode
from reference.files import load_merges, save_merges
from reference.model import SINGLE_BYTES, Merge, Vocabulary
from reference.pretokenize import PATTERNS
from reference.show import frames, show
from reference.train import TIE_RULES, Step, starting_vocabulary, training_steps_from

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
Item = TypeVar("Item")

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Texts in UTF-8, each a document.")]
NumMerges = Annotated[int, typer.Option("--merges", help="How many merges to learn.")]
Ties = Annotated[str, typer.Option("--ties", help=f"The tie rule: {', '.join(TIE_RULES)}.")]
PatternName = Annotated[str, typer.Option("--pattern", help=f"Pre-tokenisation: {', '.join(PATTERNS)}.")]
Special = Annotated[list[str], typer.Option("--special", help="A special token, cut out of the texts. Repeatable.")]
SpecialIds = Annotated[list[str], typer.Option("--special", help="A special token, as TEXT=ID. Repeatable.")]
MergesFile = Annotated[Path, typer.Option("--merges", help="A file that `train --output` wrote.")]


@app.callback()
def main() -> None:
    """Byte-pair encoding as the specification says it: slow, plain, exact."""


@app.command("train")
def train_command(
    files: Files,
    merges: NumMerges,
    ties: Ties = "first-seen",
    pattern: PatternName = "gpt2",
    special: Special = [],  # noqa: B006 - typer copies it
    top: Annotated[int, typer.Option(help="How many of the best pairs to show at each step.")] = 3,
    output: Annotated[Path | None, typer.Option(help="Write the merges to this file.")] = None,
    play: Annotated[bool, typer.Option("--show", help="Play the merges: the words after each of them.")] = False,
    pause: Annotated[float, typer.Option(help="Seconds for each merge that is played.", min=0)] = 0.6,
) -> None:
    """Learn merges from texts, and print each with its count and the pairs that it won against."""
    with errors_in_one_line():
        start = starting_vocabulary(pattern_named(pattern), special, SINGLE_BYTES, b"")
        corpus = [read_text(path) for path in files]
        steps = training_steps_from(start, corpus, merges, ties)
        learned = played(steps, pause) if play else printed(with_progress(steps, merges), top)
        if len(learned) < merges:
            typer.echo(f"no pair is left after {len(learned)} merges", err=True)
        if output:
            save_merges(output, learned)
            typer.echo(f"{len(learned)} merges written to {output}", err=True)


def printed(steps: Iterable[Step], top: int) -> list[Merge]:
    """Print a line for each step; returns the merges learned.

    >>> printed([Step(0, (b"a", b"b"), 3, {(b"a", b"b"): 3}, {})], 1)
        0  a+b 3
    [(b'a', b'b')]
    """
    learned = []
    for step in steps:
        tell(step_line(step, top))
        learned.append(step.merge)
    return learned


def tell(line: str) -> None:
    """Print a line; to nowhere once nobody reads on (`| head`), for what is learned is still to be written."""
    try:
        print(line)  # not typer.echo, which writes past a progress bar
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def played(steps: Iterable[Step], pause: float) -> list[Merge]:
    """Play the steps, at a terminal each for `pause` seconds; returns the merges learned.

    >>> played([Step(0, (b"a", b"b"), 3, {}, {(b"ab",): 3})], 0)
    merge 0: a+b, 3 times
      3 x  ab
    [(b'a', b'b')]
    """
    learned: list[Merge] = []

    def noted() -> Iterator[Step]:
        for step in steps:
            learned.append(step.merge)
            yield step

    show(frames(noted()), Console(), pause)
    return learned


@app.command("encode")
def encode_command(
    merges: MergesFile,
    text: Annotated[str, typer.Argument(help="The text, or - for standard input.")],
    pattern: PatternName = "gpt2",
    special: SpecialIds = [],  # noqa: B006 - typer copies it
) -> None:
    """Print the ids of a text."""
    with errors_in_one_line():
        vocabulary = Vocabulary(load_merges(merges), special_ids(special), pattern_named(pattern))
        content = decoded("standard input", sys.stdin.buffer.read()) if text == "-" else text
        typer.echo(" ".join(map(str, encode(vocabulary, content))))


@app.command("decode", context_settings={"ignore_unknown_options": True})  # so that -1 is an id, and unknown as such
def decode_command(
    merges: MergesFile,
    ids: Annotated[list[str], typer.Argument(metavar="IDS...", help="The ids, or - for standard input.")],
    special: SpecialIds = [],  # noqa: B006 - typer copies it
) -> None:
    """Print the text of ids."""
    with errors_in_one_line():
        vocabulary = Vocabulary(load_merges(merges), special_ids(special))
        given = decoded("standard input", sys.stdin.buffer.read()).split() if ids == ["-"] else ids
        typer.echo(decode(vocabulary, [number(written) for written in given]))


@app.command("curve")
def curve_command(
    files: Files,
    merges: NumMerges,
    ties: Ties = "first-seen",
    pattern: PatternName = "gpt2",
    special: Special = [],  # noqa: B006 - typer copies it
    on: Annotated[list[Path], typer.Option(help="Measure these texts instead. Repeatable.")] = [],  # noqa: B006
    output: Annotated[Path, typer.Option(help="The picture to draw.")] = Path("curve.png"),
    table_only: Annotated[bool, typer.Option("--table-only", help="Draw no picture.")] = False,
) -> None:
    """Tokens a word, bytes a token, entries used and never used, against the number of merges."""
    with errors_in_one_line():
        if not (table_only or find_spec("matplotlib")):
            raise ValueError(
                "the picture needs matplotlib, the extra `plot`: pip install -e '.[plot]'; or --table-only"
            )
        start = starting_vocabulary(pattern_named(pattern), special, SINGLE_BYTES, b"")
        corpus = [read_text(path) for path in files]
        points = curve(start, corpus, merges, ties, [read_text(path) for path in on] or corpus)
        due = [point for point in with_progress(points, merges + 1) if point]
        Console().print(curve_table(due))
        if not table_only:
            plot(due, output)
            typer.echo(f"drawn to {output}", err=True)


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn an error of the user's into one line on standard error and the exit code 1.

    >>> with errors_in_one_line():
    ...     pass
    """
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read the output has enough of it: typer ends in silence
    except (ValueError, OSError) as error:
        told = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
        typer.echo("error: " + " ".join(told.split("\n")), err=True)
        raise typer.Exit(1) from None


def with_progress(items: Iterable[Item], total: int) -> Iterable[Item]:
    """The items, with a bar on standard error while they come; without one where that is no terminal.

    >>> list(with_progress("ab", 2))
    ['a', 'b']
    """
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        return items
    return track(items, "training", total=total, transient=True)


def pattern_named(name: str) -> str | None:
    """The pattern of that name. Raises a `ValueError` that lists the choices.

    >>> pattern_named("gpt3")
    Traceback (most recent call last):
        ...
    ValueError: no pattern 'gpt3'; there are none, whitespace, whitespace-lossy, gpt2, cl100k_base, o200k_base
    """
    if name not in PATTERNS:
        raise ValueError(f"no pattern {name!r}; there are {', '.join(PATTERNS)}")
    return PATTERNS[name]


def read_text(path: Path) -> str:
    """The text of a file, its line ends as they are. Raises a `ValueError` naming the place that is no UTF-8.

    >>> read_text(Path(__file__))[:3]
    '\"\"\"'
    """
    return decoded(str(path), path.read_bytes())


def decoded(name: str, data: bytes) -> str:
    """The bytes as text. Raises a `ValueError` naming the place that is no UTF-8.

    >>> decoded("it.txt", b"a\\xff")
    Traceback (most recent call last):
        ...
    ValueError: it.txt: no UTF-8 at byte 1
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: no UTF-8 at byte {error.start}") from None


def special_ids(written: Iterable[str]) -> dict[str, int]:
    """Special tokens from TEXT=ID. Raises a `ValueError` naming the one that is not so written.

    >>> special_ids(["<a=b>=300"])
    {'<a=b>': 300}
    """
    return {text: number(digits) for text, _, digits in (special.rpartition("=") for special in written)}


def number(written: str) -> int:
    """The id that is so written. Raises a `ValueError`.

    >>> number("-1")
    -1
    """
    if not written.removeprefix("-").isdecimal():
        raise ValueError(f"{written!r} is no id: an id is a natural number")
    return int(written)


def step_line(step: Step, top: int) -> str:
    """One step of training: its rank, the merge and its count, then the best pairs that it won against.

    >>> print(step_line(Step(0, (b" ", b"t"), 7, {(b"h", b"e"): 5, (b" ", b"t"): 7}, {}), 3))
        0  ␠+t 7                       h+e 5
    """
    others = sorted((pair for pair in step.counts if pair != step.merge), key=step.counts.__getitem__, reverse=True)
    shown = [f"{visible(pair)} {step.counts[pair]}" for pair in [step.merge, *others[: max(0, top - 1)]]]
    return f"{step.rank:5}  {shown[0]:26}  {', '.join(shown[1:])}".rstrip()


def visible(pair: tuple[bytes, bytes]) -> str:
    r"""The two tokens with what cannot be seen written as an escape, and a space as ␠.

    >>> print(visible((b" a", b"\n\xff")))
    ␠a+\n\xff
    """
    texts = [token.decode(errors="backslashreplace") for token in pair]
    return "+".join("".join(map(visible_character, text.replace(" ", "␠"))) for text in texts)


def visible_character(character: str) -> str:
    r"""The character, or its escape where it cannot be printed.

    >>> print(visible_character("\u2028"))
    \u2028
    """
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def curve_table(points: Iterable[Point]) -> Table:
    """The points as a table.

    >>> curve_table([Point(0, 1, 1, 2, 2, 256, 2)]).row_count
    1
    """
    table = Table("merges", "tokens", "tokens a word", "bytes a token", "entries", "used", "never used")
    for column in table.columns:
        column.justify = "right"
    for point in points:
        ratios = f"{point.tokens_a_word:.3f}", f"{point.bytes_a_token:.3f}"
        counts = point.entries, point.used, point.never_used
        table.add_row(str(point.merges), str(point.tokens), *ratios, *map(str, counts))
    return table
