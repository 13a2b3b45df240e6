"""@microsoft/tiktokenizer of npm: plain JavaScript."""

from __future__ import annotations

from implementations.adapters._node import NodeTokenizers

Tokenizer = NodeTokenizers("@microsoft/tiktokenizer")
