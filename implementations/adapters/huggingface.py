"""Hugging Face's tokenizers: BPE over bytes, model and trainer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from implementations.adapters._common import (
    checked_pattern,
    no_special_tokens,
    offered,
    package,
    tokenizer_json,
    version_of,
)
from implementations.vocabularies import unspelled
from reference.model import Merge, Vocabulary

tokenizers = package("tokenizers", "huggingface")


def _with_pattern(pattern: str) -> Any:
    if re.search(r"\{[\d,]+\}\+", pattern):  # Oniguruma reads x{1,3}+ as x{1,3} repeated, not as possessive
        raise ValueError("Oniguruma has no possessive {m,n}+")
    return tokenizers.Tokenizer.from_str(tokenizer_json(Vocabulary(pattern=pattern)))


def _pattern(pattern: str | None) -> str | None:
    return None if pattern is None else checked_pattern(_with_pattern, pattern)


class Tokenizer:
    """Made from tokenizer.json, as people exchange it."""

    name = "tokenizers"
    version = version_of("tokenizers")
    tie_rules = ("smallest-ids-mapped",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        _pattern(vocabulary.pattern)
        self._use(tokenizer_json(vocabulary))

    def _use(self, spelling: str) -> None:
        self._tokenizer = tokenizers.Tokenizer.from_str(spelling)
        self._ordinary = tokenizers.Tokenizer.from_str(spelling)
        self._ordinary.encode_special_tokens = True  # "encode the special tokens' text"

    def encode(self, text: str) -> list[int]:
        """Added tokens are recognised."""
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """By a second tokenizer that is set to take special tokens for text."""
        found: list[int] = self._ordinary.encode(text, add_special_tokens=False).ids
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        batch = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in batch]

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it, special tokens included."""
        found: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return found

    def save(self, path: str) -> None:
        """As tokenizer.json."""
        self._tokenizer.save(str(path))

    @classmethod
    def load(cls, path: str) -> Tokenizer:
        """From tokenizer.json."""
        made = cls.__new__(cls)
        made._use(Path(path).read_text(encoding="utf-8"))
        return made

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """By `BpeTrainer` with the 256 bytes as alphabet and no least frequency."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens, "its trainer reserves ids for special tokens but does not cut them out")
        trained = tokenizers.Tokenizer.from_str(tokenizer_json(Vocabulary(pattern=_pattern(pattern))))
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=256 + num_merges,
            min_frequency=0,
            show_progress=False,
            special_tokens=[],
            initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
            limit_alphabet=256,
        )
        trained.train_from_iterator(iter(corpus), trainer)
        return [(unspelled(left), unspelled(right)) for left, right in json.loads(trained.to_str())["model"]["merges"]]
