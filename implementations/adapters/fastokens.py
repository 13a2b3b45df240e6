"""fastokens: Rust over PCRE2, reads tokenizer.json."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import (
    Numbering,
    checked_pattern,
    no_repeats,
    only_bytes,
    package,
    tokenizer_json,
    version_of,
)
from reference.model import Vocabulary

fastokens = package("fastokens._native", "fastokens")


def _with_pattern(pattern: str) -> Any:
    return fastokens.Tokenizer.from_json_str(tokenizer_json(Vocabulary(pattern=pattern)))


class Tokenizer:
    """Made from tokenizer.json, pairs in the file's order; it trains nothing and decodes to text only."""

    name = "fastokens"
    version = version_of("fastokens")
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        if vocabulary.pattern is not None:
            checked_pattern(_with_pattern, vocabulary.pattern)
        no_repeats(vocabulary)
        first = len(vocabulary.id_of)  # ids with a gap among them are refused as "unsupported model type: Other"
        numbers = {text: first + i for i, text in enumerate(vocabulary.special_tokens)}
        theirs = {token_id: token_id for token_id in vocabulary.id_of.values()}
        self._numbering = Numbering(theirs | {vocabulary.special_tokens[text]: numbers[text] for text in numbers})
        dense = Vocabulary(vocabulary.merges, numbers, vocabulary.pattern, vocabulary.base)
        self._tokenizer = fastokens.Tokenizer.from_json_str(tokenizer_json(dense))

    def encode(self, text: str) -> list[int]:
        """Added tokens are recognised."""
        return self._numbering.ours(self._tokenizer.encode(text).ids)

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        return self._numbering.ours(self._tokenizer.encode_ordinary(text).ids)

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        return [self._numbering.ours(encoding.ids) for encoding in self._tokenizer.encode_batch(list(texts))]

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(self._numbering.theirs(ids), skip_special_tokens=False)
        return found
