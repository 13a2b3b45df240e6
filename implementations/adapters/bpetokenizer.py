"""bpetokenizer: minbpe in plain Python, special tokens looked up piece by piece."""

from __future__ import annotations

from typing import Any

from implementations.adapters._common import package, version_of
from implementations.adapters._minbpe import MinbpeShaped

bpetokenizer = package("bpetokenizer", "bpetokenizer")


class Tokenizer(MinbpeShaped):
    """A `BPETokenizer`."""

    name = "bpetokenizer"
    version = version_of("bpetokenizer")
    make = bpetokenizer.BPETokenizer

    def _fill(self, merges: dict[tuple[int, int], int], special_tokens: dict[str, int]) -> None:
        self._tokenizer.merges = merges
        self._tokenizer.vocab = self._tokenizer._build_vocab()
        self._tokenizer._special_tokens(special_tokens)

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        return self._numbering.ours(self._tokenizer.encode(text, special_tokens="all"))

    def encode_ordinary(self, text: str) -> list[int]:
        """No special token allowed."""
        return self._numbering.ours(self._tokenizer.encode(text, special_tokens="none"))

    @staticmethod
    def _learn(tokenizer: Any, text: str, size: int) -> None:
        tokenizer.train(text, size)
