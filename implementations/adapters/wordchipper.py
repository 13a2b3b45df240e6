"""wordchipper: Rust, for the vocabularies that OpenAI publishes; it reads the ranks from a cache folder."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from implementations.adapters._common import (
    CL100K_SPELLINGS,
    no_special_tokens,
    only_bytes,
    only_trainable,
    package,
    rank_file,
    version_of,
)
from reference.model import Vocabulary

wordchipper = package("wordchipper", "wordchipper")


@contextlib.contextmanager
def _cached(ranks: bytes) -> Iterator[None]:
    """The ranks where wordchipper looks for those of cl100k_base."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "io.crates.wordchipper" / "openai" / "cl100k_base" / "cl100k_base.tiktoken"
        place.parent.mkdir(parents=True)
        place.write_bytes(ranks)
        before = os.environ.get("XDG_CACHE_HOME")
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["XDG_CACHE_HOME"]
            else:
                os.environ["XDG_CACHE_HOME"] = before


class Tokenizer:
    """Its cl100k_base, with our ranks. Its pattern and special tokens are built in; it trains nothing."""

    name = "wordchipper"
    version = version_of("wordchipper")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        only_trainable(vocabulary)
        no_special_tokens(vocabulary, "its special tokens are built in")
        if vocabulary.pattern not in CL100K_SPELLINGS:
            raise NotImplementedError("only the patterns of published vocabularies are built in")
        with _cached(rank_file(vocabulary)):
            self._tokenizer = wordchipper.Tokenizer.from_pretrained("openai:cl100k_base")
        self._ordinary = wordchipper.SpecialFilter.include_none()

    def encode(self, text: str) -> list[int]:
        """None of its own special tokens allowed."""
        found: list[int] = self._tokenizer.encode(text, self._ordinary)
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._tokenizer.encode_batch(list(texts), self._ordinary)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._tokenizer.decode_bytes(list(ids))
        return found
