"""rs-bpe: linear-time BPE in Rust, with two published vocabularies compiled in and no special tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

rs_bpe = package("rs_bpe.bpe", "rs_bpe")


def _encoding(name: str) -> Any:
    return getattr(rs_bpe.openai, name)()


class Tokenizer(Published):
    """Its cl100k_base. It recognises no special tokens, so encoding is ordinary encoding."""

    name = "rs-bpe"
    version = version_of("rs-bpe")
    isolate = True
    make = _encoding

    def encode(self, text: str) -> list[int]:
        """As the package does it."""
        found: list[int] = self._tokenizer.encode(text)
        return found

    encode_ordinary = encode

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """Without the statistics that come with it."""
        found: list[list[int]] = self._tokenizer.encode_batch(list(texts))[0]
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids))
        return found

    decode_bytes = None  # type: ignore[assignment]  # it has none


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"
