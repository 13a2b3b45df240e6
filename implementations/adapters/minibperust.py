"""MiniBpeRust's `RegexTokenizer`: minbpe in plain Python."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._minbpe import MinbpeShaped

minibperust = package("MiniBpeRust", "minibperust")


class Tokenizer(MinbpeShaped):
    """A `RegexTokenizer`."""

    name = "MiniBpeRust RegexTokenizer"
    version = version_of("MiniBpeRust")
    make = minibperust.RegexTokenizer
