"""splintr: a Rust tokenizer with a regular-expression engine of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from implementations.adapters._common import checked_pattern, only_bytes, package, rank_file, version_of
from reference.model import Vocabulary

splintr = package("splintr", "splintr")


def _with_pattern(pattern: str) -> Any:
    return splintr.Tokenizer.from_bytes(rank_file(Vocabulary()), pattern, {})


class Tokenizer:
    """A tokenizer made from tiktoken's file; it trains nothing. Its engine has no possessive quantifiers."""

    name = "splintr"
    version = version_of("splintr-rs")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        self._tokenizer = splintr.Tokenizer.from_bytes(
            rank_file(vocabulary),
            checked_pattern(_with_pattern, vocabulary.pattern),
            dict(vocabulary.special_tokens),
        )

    def encode(self, text: str) -> list[int]:
        """By `encode_with_special`: plain `encode` decides for itself."""
        found: list[int] = self._tokenizer.encode_with_special(text)
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        found: list[int] = self._tokenizer.encode_ordinary(text)
        return found

    def encode_batch(self, texts: Iterable[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._tokenizer.encode_batch_with_special(list(texts))
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """By `decode_lossy`, the one that replaces what is no UTF-8."""
        found: str = self._tokenizer.decode_lossy(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._tokenizer.decode_bytes(list(ids))
        return found

    def stream_decode(self, ids: Iterable[int]) -> Iterable[str]:
        """By its streaming decoder, flushed at the end."""
        decoder: Any = self._tokenizer.streaming_decoder_with_special()
        for token_id in ids:
            yield decoder.add_token(token_id) or ""
        yield decoder.flush()
