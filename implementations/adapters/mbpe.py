"""mbpe: Mojo, with the published vocabularies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

mbpe = package("mbpe", "mbpe")


def _encoding(name: str) -> Any:
    return mbpe.get_encoding(name.removesuffix("_base"))


class Tokenizer(Published):
    """Its cl100k_base."""

    name = "mbpe"
    version = version_of("mbpe")
    isolate = True
    make = _encoding

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids))
        return found


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"


class Compared(Tokenizer):
    """Its cl100k_base, given the same vocabulary from outside."""

    own_vocabulary = False
