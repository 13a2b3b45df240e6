"""ffbpe: Rust, two tie rules in one trainer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from implementations.adapters._common import (
    WHOLE_TEXT,
    checked_pattern,
    no_special_tokens,
    offered,
    only_bytes,
    package,
    version_of,
)
from implementations.vocabularies import unspelled
from reference.model import Merge, Vocabulary

ffbpe = package("ffbpe", "ffbpe")

_TIE_BREAK = {"smallest-ids": "smallest_pair_id", "largest-bytes": "largest_content"}


def _with_pattern(pattern: str) -> Any:
    return ffbpe.PreTokenizer([], pat_str=pattern)


class Tokenizer:
    """A `BpeEncoder` over bytes. Special tokens always match; decoding gives text only."""

    name = "ffbpe"
    version = version_of("ffbpe")
    tie_rules = tuple(_TIE_BREAK)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        vocab = dict(vocabulary.id_of)
        for text, token_id in vocabulary.special_tokens.items():
            if text.encode() in vocab:
                raise NotImplementedError("it holds special tokens and others in one table")
            vocab[text.encode()] = token_id
        self._encoder = ffbpe.BpeEncoder(
            "byte",
            merges=list(vocabulary.merges),
            vocab=vocab,
            special_tokens=list(vocabulary.special_tokens),
            pat_str=checked_pattern(_with_pattern, vocabulary.pattern),
        )

    def encode(self, text: str) -> list[int]:
        """With special tokens."""
        found: list[int] = self._encoder.encode(text)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._encoder.decode(list(ids))
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
        """Its own splitting, document by document; the merges from the file that it writes."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens, "its trainer is given words, so special tokens would be cut out here")
        counter = ffbpe.PreTokenizer([], pat_str=WHOLE_TEXT if pattern is None else pattern).word_counter()
        for text in corpus:
            counter.add_text(text)
        trainer = ffbpe.BpeTrainer([], unit="byte", initial_alphabet="raw", tie_break=_TIE_BREAK[tie_rule])
        trainer.add_words(counter.words())
        trainer.init_training()
        trainer.train(256 + num_merges)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "merges.txt"
            trainer.validate_model().save_merges_txt(path, format="gpt2")
            rows = path.read_text(encoding="utf-8").splitlines()
        pairs = [row.split(" => ")[0].split(" ") for row in rows if row]  # a pair and its count
        return [(unspelled(left), unspelled(right)) for left, right in pairs]
