"""tiktoken of npm: the Rust code, compiled to WebAssembly."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers

Tokenizer = NodeTokenizers("tiktoken", bytes_out=True)
