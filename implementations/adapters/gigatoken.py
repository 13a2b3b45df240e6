"""gigatoken: Rust; a trainer and a tokenizer for the splits that it knows by heart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from implementations.adapters._common import no_special_tokens, offered, package, tokenizer_json, version_of
from implementations.vocabularies import GPT2_PATTERN
from reference.model import Merge, Vocabulary

gigatoken = package("gigatoken", "gigatoken")
rust = package("gigatoken.gigatoken_rs", "gigatoken")

_TIE_BREAKING = {"smallest-ids-mapped": "huggingface", "smallest-ids": "raw_token_ids"}


def _spelled(vocabulary: Vocabulary) -> str:
    """GPT-2's split as GPT-2's own file has it: part of ByteLevel."""
    data = json.loads(tokenizer_json(vocabulary))
    if vocabulary.pattern == GPT2_PATTERN:
        data["pre_tokenizer"] = data["decoder"] | {"use_regex": True}
    return json.dumps(data)


class Tokenizer:
    """Made from tokenizer.json. Any pattern but a published one is refused. Special tokens always match."""

    name = "gigatoken"
    version = version_of("gigatoken")
    tie_rules = tuple(_TIE_BREAKING)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        if vocabulary.pattern is None:
            raise NotImplementedError("it always splits: without a Split it takes GPT-2's, whatever `use_regex` says")
        spelling = _spelled(vocabulary)
        try:
            gigatoken.Tokenizer.from_json(_spelled(Vocabulary(pattern=vocabulary.pattern)))
        except Exception as error:
            raise NotImplementedError(f"it splits by published patterns only: {error}") from error
        self._tokenizer = gigatoken.Tokenizer.from_json(spelling)

    def encode(self, text: str) -> list[int]:
        """Its array as a list."""
        ids: Any = self._tokenizer.encode(text)
        found: list[int] = ids.tolist()
        return found

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """On several threads."""
        found: list[list[int]] = self._tokenizer.encode_batch_list(list(texts))
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """Its bytes, read as the contract says."""
        return self.decode_bytes(ids).decode(errors="replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._tokenizer.backend.decode(list(ids))
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
        """Documents in one buffer with a separator that stands in none of them."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens, "its trainer reserves ids for special tokens but does not cut them out")
        if pattern != GPT2_PATTERN:
            raise NotImplementedError("its trainer splits by GPT-2's pattern only")
        texts = [text.encode() for text in corpus]
        separator = b"\xff"  # no UTF-8 holds it
        _, merges = rust.train_bpe(
            separator.join(texts), 256 + num_merges, [], _TIE_BREAKING[tie_rule], separator=separator
        )
        return [(bytes(left), bytes(right)) for left, right in merges]
