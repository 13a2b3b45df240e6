"""mistral-common's Tekken tokenizer: tiktoken, with ids that begin after the special tokens."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from implementations.adapters._common import (
    Numbering,
    byte_ranks,
    checked_pattern,
    no_repeats,
    no_special_tokens,
    only_bytes,
    package,
    version_of,
)
from reference.model import Vocabulary

tekken = package("mistral_common.tokens.tokenizers.tekken", "mistral_common")
base = package("mistral_common.tokens.tokenizers.base", "mistral_common")


def _made(ranks: dict[bytes, int], pattern: str) -> object:
    special = list(tekken.Tekkenizer.DEPRECATED_SPECIAL_TOKENS)
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in sorted(ranks.items(), key=lambda item: item[1])
    ]
    version = base.TokenizerVersion.v3
    made: object = tekken.Tekkenizer(vocab, special, pattern, len(vocab) + len(special), len(special), version)
    return made


def _with_pattern(pattern: str) -> object:
    return _made(byte_ranks(), pattern)


class Tokenizer:
    """A `Tekkenizer` made from the vocabulary. Text never becomes special tokens there; it trains nothing."""

    name = "mistral-common Tekkenizer"
    version = version_of("mistral-common")
    rank_by = "bytes"
    whole_piece_first = True
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        no_repeats(vocabulary)
        no_special_tokens(vocabulary, "text never becomes special tokens there")
        if any(token[0] != i for i, token in enumerate(vocabulary.base)):
            raise NotImplementedError("its first 256 ids are the bytes by value")
        first = len(tekken.Tekkenizer.DEPRECATED_SPECIAL_TOKENS)
        self._numbering = Numbering({i: i + first for i in vocabulary.id_of.values()})
        self._tokenizer = _made(dict(vocabulary.id_of), checked_pattern(_with_pattern, vocabulary.pattern))

    def encode(self, text: str) -> list[int]:
        """Without marks of beginning and end."""
        return self._numbering.ours(self._tokenizer.encode(text, bos=False, eos=False))  # type: ignore[attr-defined]

    def decode(self, ids: Iterable[int]) -> str:
        """Special tokens kept."""
        keep = tekken.SpecialTokenPolicy.KEEP
        theirs = self._numbering.theirs(ids)
        found: str = self._tokenizer.decode(theirs, special_token_policy=keep)  # type: ignore[attr-defined]
        return found
