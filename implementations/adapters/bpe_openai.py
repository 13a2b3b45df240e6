"""bpe-openai: GitHub's linear-time BPE in Rust, with the published vocabularies."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

bpe_openai = package("bpe_openai", "bpe_openai")


class Tokenizer(Published):
    """Its cl100k_base."""

    name = "bpe-openai"
    version = version_of("bpe-openai")
    isolate = True
    make = bpe_openai.get_encoding


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"


class Compared(Tokenizer):
    """Its cl100k_base, given the same vocabulary from outside."""

    own_vocabulary = False
