"""sentencepiece: Unigram with byte fallback and NFKC, its default."""

from __future__ import annotations

import io
from collections.abc import Iterable

from implementations.adapters._common import package, version_of
from implementations.adapters._texts import TEXTS

sentencepiece = package("sentencepiece", "sentencepiece")


class Tokenizer:
    """Trained at construction. Not BPE: it is asked only what holds for every tokenizer."""

    name = "sentencepiece Unigram"
    version = version_of("sentencepiece")
    algorithm = "unigram"
    own_vocabulary = True
    isolate = True

    def __init__(self, vocabulary: None) -> None:
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS),
            model_writer=written,
            model_type="unigram",
            vocab_size=400,
            byte_fallback=True,
            hard_vocab_limit=False,
            num_threads=1,
            minloglevel=2,
        )
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        self.size: int = self._processor.get_piece_size()

    def encode(self, text: str) -> list[int]:
        """As the package does it."""
        found: list[int] = self._processor.encode(text)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._processor.decode(list(ids))
        return found

    def normalize(self, text: str) -> str:
        """By its own normaliser: NFKC, spaces joined and cut off at the ends. U+2581 is how it writes a space."""
        found: str = self._processor.normalize(text)
        return found.replace("\u2581", " ").strip(" ")
