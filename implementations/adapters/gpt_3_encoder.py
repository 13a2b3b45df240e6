"""gpt-3-encoder of npm: GPT-2 in plain JavaScript, as OpenAI wrote it in Python."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers, TextOnly
from reference.model import Vocabulary


class _Gpt2(NodeTokenizers):
    """Its own vocabulary, without <|endoftext|>: it recognises no special token."""

    own_vocabulary = True

    def __call__(self, vocabulary: Vocabulary | None) -> TextOnly:
        """A tokenizer of its own."""
        made = _Own(self, Vocabulary())
        return made


class _Own(TextOnly):
    size = 50257


Tokenizer = _Gpt2("gpt-3-encoder")
