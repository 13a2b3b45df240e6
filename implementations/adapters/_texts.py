"""A small text for the tokenizers that bring a vocabulary of their own, and its frequent parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

TEXTS: tuple[str, ...] = (
    "The quick brown fox jumps over the lazy dog, and the dog does not mind.",
    "A tokenizer cuts text into pieces; the pieces have numbers, and the numbers give the text back.",
    "Words that come often become one piece: the, and, ing, tion, wordpiece, unigram.",
    "naïve café, 42 apples, 3.14159; Übung macht den Meister; ça va?",
    "low lower lowest, new newer newest, wide wider widest.",
)
"""Fixed, so that the vocabulary is the same everywhere."""


def frequent_parts(words: Iterable[str], least: int, longest: int) -> dict[str, int]:
    """The parts of two characters and more that occur so often, with their counts, in alphabetic order.

    >>> frequent_parts(["the", "then"], 2, 3)
    {'he': 2, 'th': 2, 'the': 2}
    """
    counts = Counter(
        word[i:j] for word in words for i in range(len(word)) for j in range(i + 2, min(i + longest, len(word)) + 1)
    )
    return {part: counts[part] for part in sorted(counts) if counts[part] >= least}
