"""rustbpe: a trainer in Rust. It encodes only what it trained itself: no vocabulary can be put in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from implementations.adapters._common import WHOLE_TEXT, no_special_tokens, offered, package, version_of
from implementations.vocabularies import merges_from_ranks
from reference.model import Merge, Vocabulary

rustbpe = package("rustbpe", "rustbpe")


class Tokenizer:
    """A trainer only."""

    name = "rustbpe"
    version = version_of("rustbpe")
    tie_rules = ("smallest-ids",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        raise NotImplementedError("it takes no merges: it encodes only what it trained itself")

    def encode(self, text: str) -> list[int]:
        """Never reached."""
        raise NotImplementedError

    def decode(self, ids: Iterable[int]) -> str:
        """Never reached."""
        raise NotImplementedError

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """Its ranks name tokens, not pairs: the pairs are recovered."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens)
        trained = rustbpe.Tokenizer()
        trained.train_from_iterator(iter(corpus), 256 + num_merges, pattern=WHOLE_TEXT if pattern is None else pattern)
        in_order = sorted(trained.get_mergeable_ranks(), key=lambda item: item[1])
        return merges_from_ranks([bytes(token) for token, _ in in_order])[1]
