"""Hugging Face's tokenizers: Unigram over bytes, so that nothing is unknown."""

from __future__ import annotations

from collections.abc import Iterable

from implementations.adapters._common import package, version_of
from implementations.adapters._texts import TEXTS

tokenizers = package("tokenizers", "huggingface")


class Tokenizer:
    """Trained at construction. Not BPE: it is asked only what holds for every tokenizer."""

    name = "tokenizers Unigram"
    version = version_of("tokenizers")
    algorithm = "unigram"
    own_vocabulary = True
    isolate = True

    def __init__(self, vocabulary: None) -> None:
        made = tokenizers.Tokenizer(tokenizers.models.Unigram())
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = tokenizers.decoders.ByteLevel()
        trainer = tokenizers.trainers.UnigramTrainer(
            vocab_size=400,
            initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
            special_tokens=[],
            show_progress=False,
        )
        made.train_from_iterator(TEXTS, trainer)
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
