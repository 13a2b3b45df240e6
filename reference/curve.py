"""How an encoding shortens as merges are added: the figures behind `python -m reference curve`.

Not a section of the specification: nothing here is normative.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reference.encode import apply_merge
from reference.model import Vocabulary
from reference.train import Word, corpus_words, training_steps_from

POINTS = 20  # of a curve, about


@dataclass(frozen=True)
class Point:
    """What a number of merges makes of a text: how many tokens stand for its words and bytes, and how many differ.

    A word is a run without white space. An entry is a token of the vocabulary; `used` counts those that the encoding
    of the text holds.

    >>> Point(merges=1, pieces=3, words=3, size_in_bytes=12, tokens=6, entries=257, used=4).tokens_a_word
    2.0
    """

    merges: int
    pieces: int
    words: int
    size_in_bytes: int
    tokens: int
    entries: int
    used: int

    @property
    def tokens_a_word(self) -> float:
        """Tokens for each run without white space; 0 where there is none."""
        return self.tokens / self.words if self.words else 0.0

    @property
    def bytes_a_token(self) -> float:
        """Bytes for each token; 0 where there is none."""
        return self.size_in_bytes / self.tokens if self.tokens else 0.0

    @property
    def never_used(self) -> int:
        """Entries that the encoding of the text does not hold."""
        return self.entries - self.used


def curve(
    start: Vocabulary, corpus: Sequence[str], num_merges: int, tie_rule: str, texts: Sequence[str]
) -> Iterator[Point | None]:
    """After each merge learned from the corpus, the point of the texts where one is due, else None; first, no merges.

    Raises what training and encoding raise.

    >>> for point in curve(Vocabulary(pattern=" ?[a-z]+"), ["low lower"], 3, "first-seen", ["low lower"]):
    ...     print(point.merges, point.tokens, point.entries, point.used)
    0 9 256 6
    1 7 257 5
    2 5 258 4
    3 4 259 4
    """
    words = corpus_words(start, texts)
    sizes = sum(len(text.split()) for text in texts), sum(len(text.encode()) for text in texts)
    yield point_of(start, 0, words, sizes)
    every = max(1, num_merges // POINTS)
    for step in training_steps_from(start, corpus, num_merges, tie_rule):
        words = {apply_merge(word, step.merge): times for word, times in words.items()}
        merges = step.rank + 1
        due = merges % every == 0 or merges == num_merges or all(len(word) == 1 for word in step.words)
        yield point_of(start, merges, words, sizes) if due else None


def point_of(start: Vocabulary, merges: int, words: dict[Word, int], sizes: tuple[int, int]) -> Point:
    """The point for the words of the texts after so many merges; `sizes` are the texts' words and bytes.

    >>> point_of(Vocabulary(), 1, {(b"ab",): 2, (b"a",): 1}, (3, 5)).tokens
    3
    """
    return Point(
        merges=merges,
        pieces=sum(words.values()),
        words=sizes[0],
        size_in_bytes=sizes[1],
        tokens=sum(len(word) * times for word, times in words.items()),
        entries=start.entries + merges,
        used=len({token for word in words for token in word}),
    )


def plot(points: Sequence[Point], path: Path) -> None:
    """Draw the curve. Raises `ModuleNotFoundError` without matplotlib, and what writing the file raises.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot([Point(0, 1, 1, 2, 2, 256, 2), Point(1, 1, 1, 2, 1, 257, 1)], Path(folder, "curve.png"))
    ...     Path(folder, "curve.png").read_bytes()[:4]
    b'\\x89PNG'
    """
    from matplotlib.figure import Figure  # here, so that nothing else of the reference needs it

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    figure.suptitle(f"{points[-1].size_in_bytes:,} bytes, {points[-1].words:,} words, {points[-1].pieces:,} pieces")
    titles = {"tokens_a_word": "tokens a word", "bytes_a_token": "bytes a token"}
    titles |= {"used": "entries used", "never_used": "entries never used"}
    merges = [point.merges for point in points]
    for axes, (name, title) in zip(figure.subplots(2, 2, sharex=True).flat, titles.items(), strict=True):
        values = [getattr(point, name) for point in points]
        axes.plot(merges, values, marker=".")
        axes.set_title(title)
        axes.set_ylim(0, 1.1 * max(1, *values))
        axes.grid(alpha=0.3)
    figure.supxlabel("merges")
    figure.savefig(path, dpi=120)
