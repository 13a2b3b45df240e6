"""Hugging Face's tokenizers: Unigram over bytes, so that nothing is unknown."""

from __future__ import annotations

import math
from collections.abc import Iterable

from implementations.adapters._common import package, version_of
from implementations.adapters._texts import TEXTS, frequent_parts
from implementations.vocabularies import BYTE_TO_CHARACTER

tokenizers = package("tokenizers", "huggingface")


class Tokenizer:
    """The bytes, and the frequent parts of a fixed text. (Its trainer would give another vocabulary every time.)

    Not BPE: it is asked only what holds for every tokenizer.
    """

    name = "tokenizers Unigram"
    version = version_of("tokenizers")
    algorithm = "unigram"
    own_vocabulary = True
    isolate = True

    def __init__(self, vocabulary: None) -> None:
        splitter = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        words = [word for text in TEXTS for word, _ in splitter.pre_tokenize_str(text)]
        counts = dict.fromkeys(BYTE_TO_CHARACTER.values(), 1) | frequent_parts(words, 3, 6)
        total = sum(counts.values())
        made = tokenizers.Tokenizer(
            tokenizers.models.Unigram([(piece, math.log(count / total)) for piece, count in counts.items()])
        )
        made.pre_tokenizer = splitter
        made.decoder = tokenizers.decoders.ByteLevel()
        self._tokenizer = made
        self.size: int = made.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """As the package does it."""
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return found
