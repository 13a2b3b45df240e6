"""subword-nmt: BPE as it began, on the characters of words, each word ended by a marker."""

from __future__ import annotations

import io
from collections.abc import Iterable

from implementations.adapters._common import no_special_tokens, package, version_of
from reference.model import Vocabulary

apply_bpe = package("subword_nmt.apply_bpe", "subword_nmt")

MARKER = "</w>"  # the package's own: the vocabulary's is spelled as this one
SEPARATOR = "@@"


class Tokenizer:
    """Codes of version 0.1, where the marker is a symbol of its own. Its trainer writes those of 0.2 only: not offered.

    It gives segments of text without the marker. That the marker was merged shows only in the merges: where they leave
    it open, the text is refused.
    """

    name = "subword-nmt"
    version = version_of("subword-nmt")

    def __init__(self, vocabulary: Vocabulary) -> None:
        if not vocabulary.end_of_word:
            raise NotImplementedError("it works on characters and an end-of-word marker")
        no_special_tokens(vocabulary)
        self._vocabulary, self._marker = vocabulary, vocabulary.end_of_word
        rows = [f"{self._spelled(left)} {self._spelled(right)}" for left, right in vocabulary.merges]
        if any(len(row.split()) != 2 or row.startswith("#version") for row in rows):
            raise NotImplementedError("its file separates by white space")
        if not rows:
            raise NotImplementedError("its file holds a merge at least")
        self._bpe = apply_bpe.BPE(io.StringIO("\n".join(rows) + "\n"), separator=SEPARATOR)

    def _spelled(self, token: bytes) -> str:
        if token.endswith(self._marker):
            return token.removesuffix(self._marker).decode() + MARKER
        return token.decode()

    def encode(self, text: str) -> list[int]:
        """Segments by `segment`, numbered."""
        if SEPARATOR in text or MARKER in text:
            raise NotImplementedError("its output cannot be read where the text holds @@ or </w>")
        ids: list[int] = []
        for segment in self._bpe.segment(text).split(" "):
            token = segment.removesuffix(SEPARATOR).encode()
            ids += [self._number(token)] if segment.endswith(SEPARATOR) else self._ended(token)
        return ids if text else []

    def _ended(self, token: bytes) -> list[int]:
        """The last segment of a word, with the marker merged into it or after it."""
        known, whole = self._vocabulary.id_of, token + self._marker
        if whole not in known:
            return [self._number(token), known[self._marker]]
        if token in known and (token, self._marker) not in self._vocabulary.ranks:
            raise NotImplementedError("its output does not say whether the marker was merged")
        return [known[whole]]

    def _number(self, token: bytes) -> int:
        """Beyond the vocabulary where it gives a segment that is no token: it refuses no character."""
        return self._vocabulary.id_of.get(token, self._vocabulary.size + sum(token))

    def decode(self, ids: Iterable[int]) -> str:
        """By the recipe of its manual: the separator and the space after it go."""
        tokens = [self._spelled(self._vocabulary.bytes_of[i]) for i in ids]
        segments = [
            token.removesuffix(MARKER) + (" " if token.endswith(MARKER) else f"{SEPARATOR} ") for token in tokens
        ]
        return "".join(segments).replace(f"{SEPARATOR} ", "").removesuffix(" ")
