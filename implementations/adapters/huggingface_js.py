"""@huggingface/tokenizers of npm: tokenizer.json in plain JavaScript."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers

Tokenizer = NodeTokenizers("@huggingface/tokenizers")
