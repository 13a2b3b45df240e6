"""What the packages shaped like minbpe share: `merges` from pairs of ids to ids, `vocab` from ids to bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from implementations.adapters._common import (
    WHOLE_TEXT,
    by_value,
    in_one_text,
    merges_of_ids,
    no_special_tokens,
    numbered_merges,
    offered,
    only_bytes,
)
from reference.model import Merge, Vocabulary


class MinbpeShaped:
    """Every merge has an id of its own there, so a list that makes a token twice is refused."""

    make: ClassVar[Callable[[str], Any]]  # from a pattern to the package's tokenizer
    tie_rules: ClassVar[tuple[str, ...] | None] = ("first-seen",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        pairs = numbered_merges(vocabulary)
        self._numbering = by_value(vocabulary)
        self._tokenizer = type(self).make(WHOLE_TEXT if vocabulary.pattern is None else vocabulary.pattern)
        self._fill({pair: 256 + rank for rank, pair in enumerate(pairs)}, dict(vocabulary.special_tokens))

    def _fill(self, merges: dict[tuple[int, int], int], special_tokens: dict[str, int]) -> None:
        self._tokenizer.merges = merges
        self._tokenizer.vocab = self._tokenizer._build_vocab()
        self._tokenizer.register_special_tokens(special_tokens)

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        return self._numbering.ours(self._tokenizer.encode(text, allowed_special="all"))

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        return self._numbering.ours(self._tokenizer.encode_ordinary(text))

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(self._numbering.theirs(ids))
        return found

    @classmethod
    def train(
        cls,
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """On one text: several documents are cut and joined here."""
        if cls.tie_rules is not None:
            offered(tie_rule, cls.tie_rules)
        no_special_tokens(special_tokens, "its trainer cuts no special tokens out")
        text, spelling = in_one_text(corpus, pattern)
        trained = cls.make(spelling)
        cls._learn(trained, text, 256 + num_merges)
        return merges_of_ids(sorted(trained.merges, key=trained.merges.__getitem__))

    @staticmethod
    def _learn(tokenizer: Any, text: str, size: int) -> None:
        tokenizer.train(text, size)
