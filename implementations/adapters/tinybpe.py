"""tinybpe: C, with pieces cut in Python."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Iterable, Iterator, Sequence

import regex

from implementations.adapters._common import (
    WHOLE_TEXT,
    by_value,
    merges_of_ids,
    no_special_tokens,
    numbered_merges,
    offered,
    only_bytes,
    package,
    version_of,
)
from reference.model import Merge, Vocabulary

tinybpe = package("tinybpe", "tinybpe")


@contextlib.contextmanager
def _warnings_unheeded() -> Iterator[None]:
    """What a warning does must not depend on whether the caller turns warnings into errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Tokenizer:
    """Made from merges as pairs of ids. Its trainer takes pieces: the pattern is applied here, as its manual does."""

    name = "tinybpe"
    version = version_of("tinybpe")
    tie_rules = ("first-seen",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        if not vocabulary.merges:
            raise NotImplementedError("it takes no empty list of merges")
        self._numbering = by_value(vocabulary)
        with _warnings_unheeded():  # it warns of its own default, no special tokens
            self._tokenizer = tinybpe.Tokenizer(
                numbered_merges(vocabulary),
                pat_str=vocabulary.pattern,
                special_tokens=dict(vocabulary.special_tokens) or None,
            )

    def encode(self, text: str) -> list[int]:
        """With special tokens."""
        return self._numbering.ours(self._tokenizer.encode(text))

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        return self._numbering.ours(self._tokenizer.encode_ordinary(text))

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        with _warnings_unheeded():  # of an unknown id, which it then leaves out
            # Of some ids it gives a result and an error as well. Called so, Python always sees the error; called
            # directly, from some number of calls on it does not, and what comes of it is chance.
            found: str = operator.call(self._tokenizer.decode, self._numbering.theirs(ids))
        return found

    def stream_decode(self, ids: Iterable[int]) -> Iterator[str]:
        """By its callback. What is left at the end it keeps to itself."""
        parts: list[str] = []
        take = self._tokenizer.stream_decode(parts.append)
        for token_id in self._numbering.theirs(ids):
            operator.call(take, token_id)
        yield from parts

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """A text is nothing but its pieces here, so several documents need no joining."""
        offered(tie_rule, Tokenizer.tie_rules)
        no_special_tokens(special_tokens, "its trainer cuts no special tokens out")
        split = regex.compile(WHOLE_TEXT if pattern is None else pattern)
        pieces = [piece.encode() for text in corpus for piece in split.findall(text)]
        trainer = tinybpe.Trainer("", preprocess=lambda _: pieces)
        trainer.train(num_merges)
        return merges_of_ids(trainer.merges)
