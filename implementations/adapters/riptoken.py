"""riptoken: tiktoken's `CoreBPE` anew, in Rust."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import byte_ranks, checked_pattern, only_bytes, package, version_of
from reference.model import Vocabulary

riptoken = package("riptoken", "riptoken")


def _with_pattern(pattern: str) -> Any:
    return riptoken.CoreBPE(byte_ranks(), {}, pattern)


class Tokenizer:
    """A `CoreBPE` made from the vocabulary; it trains nothing."""

    name = "riptoken"
    version = version_of("riptoken")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        self._special = set(vocabulary.special_tokens)
        self._core = riptoken.CoreBPE(
            dict(vocabulary.id_of),
            dict(vocabulary.special_tokens),
            checked_pattern(_with_pattern, vocabulary.pattern),
        )

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        found: list[int] = self._core.encode(text, self._special)
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        found: list[int] = self._core.encode_ordinary(text)
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._core.encode_batch(list(texts), self._special)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._core.decode(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._core.decode_bytes(list(ids))
        return found
