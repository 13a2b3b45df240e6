"""kitoken: Rust, reads many formats. It looks pairs up by their bytes even where the file lists pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import checked_pattern, package, tokenizer_json, version_of
from reference.model import Vocabulary

kitoken = package("kitoken", "kitoken")


def _made(vocabulary: Vocabulary) -> Any:
    return kitoken.Kitoken.from_tokenizers(tokenizer_json(vocabulary).encode())


def _with_pattern(pattern: str) -> Any:
    return _made(Vocabulary(pattern=pattern))


class Tokenizer:
    """Made from tokenizer.json; it trains nothing. Decoding gives bytes only."""

    name = "kitoken"
    version = version_of("kitoken")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        if vocabulary.pattern is not None:
            checked_pattern(_with_pattern, vocabulary.pattern)
        self._tokenizer = _made(vocabulary)

    def encode(self, text: str) -> list[int]:
        """With special tokens."""
        found: list[int] = self._tokenizer.encode(text, True)
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """Without."""
        found: list[int] = self._tokenizer.encode(text, False)
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._tokenizer.encode_all(list(texts), True)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """Its bytes, read as the contract says."""
        return self.decode_bytes(ids).decode(errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """With special tokens."""
        found: bytes = self._tokenizer.decode(list(ids), True)
        return found
