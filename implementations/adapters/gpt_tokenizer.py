"""gpt-tokenizer of npm: tiktoken's vocabularies in plain JavaScript; its `GptEncoding` takes others."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers

Tokenizer = NodeTokenizers("gpt-tokenizer")
