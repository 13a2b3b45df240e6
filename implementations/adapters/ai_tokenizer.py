"""ai-tokenizer of npm: plain JavaScript, tables of strings and of bytes."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers

Tokenizer = NodeTokenizers("ai-tokenizer")
