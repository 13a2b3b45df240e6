"""bpe-rs: a trainer in Rust that is told no number of merges, and an encoder."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Sequence

from implementations.adapters._common import (
    WHOLE_TEXT,
    by_value,
    in_one_text,
    merges_of_ids,
    no_special_tokens,
    numbered_merges,
    only_bytes,
    package,
    version_of,
)
from reference.model import Merge, Vocabulary

bpe_rs = package("bpe_rs", "bpe_rs")


class Tokenizer:
    """A `BPETokenizer`. Training goes on as long as it likes; the first merges asked for are what is given."""

    name = "bpe-rs"
    version = version_of("bpe-rs")
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        no_special_tokens(vocabulary)
        if vocabulary.size > 1 << 16:
            raise NotImplementedError("its ids have 16 bits")
        self._numbering = by_value(vocabulary)
        merges = [(pair, 256 + rank) for rank, pair in enumerate(numbered_merges(vocabulary))]
        self._tokenizer = bpe_rs.BPETokenizer(WHOLE_TEXT if vocabulary.pattern is None else vocabulary.pattern)
        self._tokenizer._merges = merges
        self._tokenizer._vocab = bpe_rs.tokenizer._build_vocab_list(merges)

    def encode(self, text: str) -> list[int]:
        """As the package does it."""
        return self._numbering.ours(self._tokenizer.encode(text))

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
        """In a folder of its own, since it leaves a folder `data` where it runs."""
        no_special_tokens(special_tokens)
        text, spelling = in_one_text(corpus, pattern)
        trained = bpe_rs.BPETokenizer(spelling)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            trained.train(text)
        return merges_of_ids(pair for pair, _ in trained._merges)[:num_merges]
