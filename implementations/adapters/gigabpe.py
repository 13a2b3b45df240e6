"""gigabpe: a trainer in Rust that reads files and follows Hugging Face's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from implementations.adapters._common import no_special_tokens, offered, package, version_of
from implementations.vocabularies import GPT2_PATTERN, unspelled
from reference.model import Merge, Vocabulary

gigabpe = package("gigabpe", "gigabpe")


class Tokenizer:
    """A trainer only."""

    name = "gigabpe"
    version = version_of("gigabpe")
    tie_rules = ("smallest-ids-mapped",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        raise NotImplementedError("it only trains")

    def encode(self, text: str) -> list[int]:
        """Never reached."""
        raise NotImplementedError

    def decode(self, ids: Iterable[int]) -> str:
        """Never reached."""
        raise NotImplementedError

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """A file for each document. Its alphabet is the bytes that it saw, so it is asked for as many more."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens, "its trainer reserves ids for special tokens but does not cut them out")
        if pattern != GPT2_PATTERN:
            raise NotImplementedError("it splits by GPT-2's pattern only")
        texts = list(corpus)
        if any("\n" in text for text in texts):
            raise NotImplementedError("it reads files line by line, so a document cannot hold a line end")
        alphabet = set().union(*(text.encode() for text in texts))
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"{i}.txt" for i in range(len(texts))]
            for path, text in zip(paths, texts, strict=True):
                path.write_bytes(text.encode())
            _, merges = gigabpe.train_bpe(
                [str(path) for path in paths], len(alphabet) + num_merges, pretokenizer="bytelevel", special_tokens=[]
            )
        return [(unspelled(left), unspelled(right)) for left, right in merges]
