"""quicktok: C++, with the published vocabularies."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

quicktok = package("quicktok", "quicktok")


class Tokenizer(Published):
    """Its cl100k_base."""

    name = "quicktok"
    version = version_of("quicktok-v1")
    isolate = True
    make = quicktok.get_encoding


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"


class Compared(Tokenizer):
    """Its cl100k_base, given the same vocabulary from outside."""

    own_vocabulary = False
