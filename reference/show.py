"""Training watched: a frame for each merge, the words after it, the new token marked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from reference.train import Step, Word

MOST_WORDS = 12


def frames(steps: Iterable[Step], most_words: int = MOST_WORDS) -> Iterator[Group]:
    """A frame for each step, in order. Nothing in it depends on time or terminal.

    >>> step = Step(0, (b"a", b"b"), 3, {(b"a", b"b"): 3, (b"b", b"c"): 1}, {(b"ab", b"c"): 3})
    >>> for line in next(frames([step])).renderables:
    ...     print(line.plain)
    merge 0: a+b, 3 times (ahead of b+c 1)
      3 x  ab|c
    """
    for step in steps:
        hidden = len(step.words) - most_words
        more = [Text(f"       ... {hidden} more words", style="dim")] if hidden > 0 else []
        yield Group(heading(step), *words_of(step, most_words), *more)


def heading(step: Step) -> Text:
    """The merge, its count, and the best of the pairs that it won against.

    >>> heading(Step(7, (b"a", b"b"), 1, {(b"a", b"b"): 1}, {})).plain
    'merge 7: a+b, once'
    """
    others = sorted((pair for pair in step.counts if pair != step.merge), key=step.counts.__getitem__, reverse=True)
    told = ", ".join(f"{'+'.join(map(spelled, pair))} {step.counts[pair]}" for pair in others[:3])
    times = "once" if step.count == 1 else f"{step.count} times"
    merge = "+".join(map(spelled, step.merge))
    return Text(f"merge {step.rank}: {merge}, {times}" + (f" (ahead of {told})" if told else ""), style="bold")


def words_of(step: Step, most: int) -> Iterator[Text]:
    """The words that hold the new token first, each with how often it occurs.

    >>> [line.plain for line in words_of(Step(0, (b"a", b"b"), 3, {}, {(b"x",): 2, (b"ab",): 3}), 9)]
    ['  3 x  ab', '  2 x  x']
    """
    made = step.merge[0] + step.merge[1]
    chosen: Mapping[Word, int] = step.words
    for word in islice(sorted(chosen, key=lambda word: made not in word), most):
        line = Text(f"{chosen[word]:>3} x  ")
        for place, token in enumerate(word):
            line.append("|" if place else "").append(spelled(token), style="reverse" if token == made else "")
        yield line


def spelled(token: bytes) -> str:
    r"""A token as people read it: a space as ␠, what cannot be printed as an escape.

    >>> print(spelled(b" a"), spelled(b"\xf0\n"))
    ␠a \xf0\n
    """
    text = token.decode(errors="backslashreplace").replace(" ", "␠")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def show(shown: Iterable[Group], console: Console, pause: float) -> None:
    """Play the frames at a terminal, each for `pause` seconds; print them one below the other elsewhere.

    >>> show(frames([Step(0, (b"a", b"b"), 1, {}, {(b"ab",): 1})]), Console(width=40), 0)
    merge 0: a+b, once
      1 x  ab
    """
    if not console.is_terminal:
        for frame in shown:
            console.print(frame, soft_wrap=True, highlight=False)
        return
    with Live(console=console, auto_refresh=False) as live:
        for frame in shown:
            live.update(frame, refresh=True)
            time.sleep(pause)
