"""bpe-lite: plain Python, GPT-2's split built in."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from implementations.adapters._common import offered, only_bytes, package, version_of
from implementations.vocabularies import GPT2_PATTERN
from reference.model import Merge, Vocabulary

tokenizer = package("bpe_lite.tokenizer", "bpe_lite")
training = package("bpe_lite.train", "bpe_lite")


class Tokenizer:
    """Made from its two tables. Its trainer reads a file, and starts a process for it."""

    name = "bpe-lite"
    version = version_of("bpe-lite")
    tie_rules = ("largest-bytes",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        if vocabulary.pattern != GPT2_PATTERN:
            raise NotImplementedError("it splits by GPT-2's pattern only")
        if any(text.encode() in vocabulary.id_of for text in vocabulary.special_tokens):
            raise NotImplementedError("it holds special tokens and others in one table")
        special = list(vocabulary.special_tokens)
        self._tokenizer = tokenizer.Tokenizer(dict(vocabulary.bytes_of), list(vocabulary.merges), special)

    def encode(self, text: str) -> list[int]:
        """With special tokens."""
        found: list[int] = self._tokenizer.encode(text)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids))
        return found

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """One file; documents are kept apart by a special token of ours, as its manual does with <|endoftext|>."""
        offered(tie_rule, Tokenizer.tie_rules)
        if pattern != GPT2_PATTERN:
            raise NotImplementedError("it splits by GPT-2's pattern only")
        texts = list(corpus)
        if any("\r" in text for text in texts):
            raise NotImplementedError("it reads the file in text mode, which makes every \\r a line end")
        between = "<|document|>"
        while any(between in text for text in (*texts, *special_tokens)):
            between += ">"
        special = [*special_tokens, between]
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder) / "corpus.txt"
            path.write_bytes(between.join(texts).encode())
            _, merges = training.train(str(path), 256 + len(special) + num_merges, special, n_jobs=1)
        return [(left, right) for left, right in merges]
