"""A small text for the tokenizers that train a vocabulary of their own."""

from __future__ import annotations

TEXTS: tuple[str, ...] = (
    "The quick brown fox jumps over the lazy dog, and the dog does not mind.",
    "A tokenizer cuts text into pieces; the pieces have numbers, and the numbers give the text back.",
    "Words that come often become one piece: the, and, ing, tion, wordpiece, unigram.",
    "naïve café, 42 apples, 3.14159; Übung macht den Meister; ça va?",
    "low lower lowest, new newer newest, wide wider widest.",
)
"""Fixed, so that the vocabulary is the same everywhere."""
