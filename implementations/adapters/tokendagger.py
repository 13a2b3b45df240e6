"""TokenDagger: tiktoken's interface over C++ and PCRE2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import byte_ranks, checked_pattern, only_bytes, package, version_of
from reference.model import Vocabulary

tokendagger = package("tokendagger", "tokendagger")


def _with_pattern(pattern: str) -> Any:
    return tokendagger.Encoding("pattern", pat_str=pattern, mergeable_ranks=byte_ranks(), special_tokens={})


class Tokenizer:
    """An `Encoding` made from the vocabulary; it trains nothing; a piece that is a token is taken whole."""

    name = "tokendagger"
    version = version_of("tokendagger")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        self._encoding = tokendagger.Encoding(
            "conformance",
            pat_str=checked_pattern(_with_pattern, vocabulary.pattern),
            mergeable_ranks=dict(vocabulary.id_of),
            special_tokens=dict(vocabulary.special_tokens),
        )

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        found: list[int] = self._encoding.encode(text, allowed_special="all")
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        found: list[int] = self._encoding.encode_ordinary(text)
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._encoding.encode_batch(list(texts), allowed_special="all")
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._encoding.decode(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._encoding.decode_bytes(list(ids))
        return found
