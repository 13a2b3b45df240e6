"""cminbpe: minbpe with a backend in C, which is what is used here."""

from __future__ import annotations

from typing import Any

from implementations.adapters._common import package, version_of
from implementations.adapters._minbpe import MinbpeShaped

cminbpe = package("cminbpe.regex", "cminbpe")


class Tokenizer(MinbpeShaped):
    """A `RegexTokenizer` with `backend="c"`. Which of two equal pairs it takes follows no known rule."""

    name = "cminbpe"
    version = version_of("cminbpe")
    isolate = True
    tie_rules = None
    make = cminbpe.RegexTokenizer

    def _fill(self, merges: dict[tuple[int, int], int], special_tokens: dict[str, int]) -> None:
        self._tokenizer.merges = merges
        self._tokenizer._build_vocab()  # sets it, where minbpe returns it
        self._tokenizer.register_special_tokens(special_tokens)

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        return self._numbering.ours(self._tokenizer.encode(text, allowed_special="all", backend="c"))

    def encode_ordinary(self, text: str) -> list[int]:
        """By the same backend, no special token allowed: `encode_ordinary` itself is the Python loop."""
        return self._numbering.ours(self._tokenizer.encode(text, allowed_special="none", backend="c"))

    @staticmethod
    def _learn(tokenizer: Any, text: str, size: int) -> None:
        tokenizer.train(text, size, backend="c")
