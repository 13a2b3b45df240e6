"""What the packages with fixed vocabularies share: they serve one that they bring, or that very one from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, ClassVar

from implementations.adapters._common import CL100K_SPELLINGS
from implementations.vocabularies import GPT2_PATTERN, KNOWN, O200K_PATTERN
from reference.model import Merge, Vocabulary

# Of the two that are asked for: how many merges, the last of them, and the patterns that cut alike.
_MARKS: dict[str, tuple[int, Merge, tuple[str, ...]]] = {
    "cl100k_base": (100000, (b" Con", b"veyor"), CL100K_SPELLINGS),
    "o200k_base": (199742, (b" coc", b"os"), (O200K_PATTERN,)),
    "gpt2": (50000, (b" g", b"azed"), (GPT2_PATTERN,)),
}


class Published:
    """The package's own vocabulary, made by `Tokenizer(None)`.

    A subclass with `own_vocabulary = False` takes that vocabulary from outside, for comparison with other plug-ins, and
    refuses every other. Packages number published tokens as published, which is how `load_vocabulary` numbers them too.
    """

    encoding: ClassVar[str] = "cl100k_base"
    make: ClassVar[Callable[[str], Any]]  # from the encoding's name
    own_vocabulary = True
    rank_by = "bytes"
    whole_piece_first = True

    def __init__(self, vocabulary: Vocabulary | None) -> None:
        if vocabulary is not None:
            _recognise(vocabulary, self.encoding)
        self._tokenizer = _made(type(self).make, self.encoding)
        self.size = max(KNOWN[self.encoding].special_tokens.values()) + 1

    def encode(self, text: str) -> list[int]:
        """All special tokens allowed."""
        found: list[int] = self._tokenizer.encode(text, allowed_special="all")
        return found

    def encode_ordinary(self, text: str) -> list[int]:
        """As the package names it."""
        found: list[int] = self._tokenizer.encode_ordinary(text)
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids))
        return found

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """As the package does it."""
        found: bytes = self._tokenizer.decode_bytes(list(ids))
        return found


@lru_cache(maxsize=4)  # some take seconds to load
def _made(make: Callable[[str], Any], encoding: str) -> Any:
    return make(encoding)


def _recognise(vocabulary: Vocabulary, encoding: str) -> None:
    count, last, patterns = _MARKS[encoding]
    if len(vocabulary.merges) != count or vocabulary.merges[-1] != last:
        raise NotImplementedError(f"it serves {encoding} only")
    if vocabulary.pattern not in patterns or vocabulary.special_tokens != KNOWN[encoding].special_tokens:
        raise NotImplementedError(f"it serves {encoding} only, with its own pattern and special tokens")
