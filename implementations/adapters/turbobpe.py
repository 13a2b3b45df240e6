"""turbobpe: minbpe with its loops in C. Training merges in batches."""

from __future__ import annotations

from implementations.adapters._common import package, version_of
from implementations.adapters._minbpe import MinbpeShaped

turbobpe = package("turbobpe.regex", "turbobpe")


class Tokenizer(MinbpeShaped):
    """A `RegexTokenizer`. Which of two equal pairs it takes, the history of its table decides: no rule is declared."""

    name = "turbobpe"
    version = version_of("turbobpe")
    isolate = True
    tie_rules = None
    make = turbobpe.RegexTokenizer
