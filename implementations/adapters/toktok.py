"""toktok: Rust, with the published vocabularies. Its manual knows counting only; this is the full interface below."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

toktok = package("toktok", "toktok")


class Tokenizer(Published):
    """Its cl100k_base."""

    name = "toktok"
    version = version_of("toktok-rs")
    isolate = True
    make = toktok._encoding


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"


class Compared(Tokenizer):
    """Its cl100k_base, given the same vocabulary from outside."""

    own_vocabulary = False
