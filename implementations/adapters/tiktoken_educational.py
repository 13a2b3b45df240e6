"""tiktoken's educational module: BPE in plain Python, trainer included, by the bytes that a pair makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from implementations.adapters._common import (
    WHOLE_TEXT,
    in_one_text,
    no_special_tokens,
    offered,
    only_bytes,
    package,
    version_of,
)
from implementations.vocabularies import merges_from_ranks
from reference.model import Merge, Vocabulary

educational = package("tiktoken._educational", "tiktoken")


class Tokenizer:
    """A `SimpleBytePairEncoding`. It has no special tokens, and no whole-piece shortcut."""

    name = "tiktoken._educational"
    version = version_of("tiktoken")
    rank_by = "bytes"
    tie_rules = ("first-seen",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        no_special_tokens(vocabulary)
        self._encoding = educational.SimpleBytePairEncoding(
            pat_str=WHOLE_TEXT if vocabulary.pattern is None else vocabulary.pattern,
            mergeable_ranks=dict(vocabulary.id_of),
        )

    def encode(self, text: str) -> list[int]:
        """Without its pictures."""
        found: list[int] = self._encoding.encode(text, visualise=None)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._encoding.decode(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._encoding.decode_bytes(list(ids))
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
        """By `bpe_train`, whose ranks name tokens, not pairs: the pairs are recovered."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens)
        text, spelling = in_one_text(corpus, pattern)
        ranks = educational.bpe_train(text, 256 + num_merges, spelling, visualise=None)
        return merges_from_ranks(sorted(ranks, key=ranks.__getitem__))[1]
