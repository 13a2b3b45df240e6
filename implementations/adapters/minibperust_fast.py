"""MiniBpeRust's `FastRegexTokenizer`: training and ordinary encoding in Rust, the rest as in minbpe."""

from __future__ import annotations

from collections.abc import Sequence

from implementations.adapters._common import WHOLE_TEXT, checked_pattern, no_special_tokens, package, version_of
from implementations.adapters._minbpe import MinbpeShaped
from reference.model import Vocabulary

minibperust = package("MiniBpeRust", "minibperust")


def _with_pattern(pattern: str) -> object:
    return minibperust.FastRegexTokenizer(pattern).encode_ordinary("a")


class Tokenizer(MinbpeShaped):
    """A `FastRegexTokenizer`. Its batch knows no special tokens."""

    name = "MiniBpeRust FastRegexTokenizer"
    version = version_of("MiniBpeRust")
    isolate = True
    make = minibperust.FastRegexTokenizer

    def __init__(self, vocabulary: Vocabulary) -> None:
        checked_pattern(_with_pattern, vocabulary.pattern or WHOLE_TEXT)
        super().__init__(vocabulary)
        self._vocabulary = vocabulary

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        no_special_tokens(self._vocabulary, "its batch knows no special tokens")
        return [self._numbering.ours(ids) for ids in self._tokenizer.encode_batch(list(texts))]
