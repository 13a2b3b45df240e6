"""bpeasy: a trainer in Rust, with a tokenizer that wraps tiktoken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from implementations.adapters._common import (
    WHOLE_TEXT,
    Numbering,
    byte_ranks,
    checked_pattern,
    no_repeats,
    no_special_tokens,
    offered,
    only_bytes,
    package,
    version_of,
)
from implementations.vocabularies import merges_from_ranks
from reference.model import Merge, Vocabulary

bpeasy = package("bpeasy", "bpeasy")
tokenizer = package("bpeasy.tokenizer", "bpeasy")

LONGEST_TOKEN = 1 << 20  # its trainer wants a limit


def _with_pattern(pattern: str) -> object:
    return tokenizer.BPEasyTokenizer(byte_ranks(), pattern)


class Tokenizer:
    """A `BPEasyTokenizer`. It numbers special tokens itself, after all others and in the order given."""

    name = "bpeasy"
    version = version_of("bpeasy")
    rank_by = "bytes"
    whole_piece_first = True
    tie_rules = ("smallest-ids",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        no_repeats(vocabulary)
        special = list(vocabulary.special_tokens)
        if any(text.encode() in vocabulary.id_of for text in special):
            raise NotImplementedError("it holds special tokens and others in one table")
        theirs = {token_id: token_id for token_id in vocabulary.id_of.values()}
        theirs |= {vocabulary.special_tokens[text]: len(theirs) + i for i, text in enumerate(special)}
        self._numbering = Numbering(theirs)
        self._tokenizer = tokenizer.BPEasyTokenizer(
            dict(vocabulary.id_of), checked_pattern(_with_pattern, vocabulary.pattern), special
        )

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        return self._numbering.ours(self._tokenizer.encode(text, allowed_special="all"))

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(self._numbering.theirs(ids))
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
        """Its ranks name tokens, not pairs: the pairs are recovered."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens)
        spelling = WHOLE_TEXT if pattern is None else pattern
        ranks = bpeasy.train_bpe(iter(corpus), spelling, LONGEST_TOKEN, 256 + num_merges)
        return merges_from_ranks(sorted(ranks, key=ranks.__getitem__))[1]
