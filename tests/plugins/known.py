"""Tokenizers with a known difference each, for the tests of expected failures. `VERSION` names theirs."""

import os

from implementations.heap import Tokenizer

VERSION = os.environ.get("KNOWN_VERSION", "1.2.3")


class LeavesOutUnknown(Tokenizer):
    """Decodes ids that it lacks to nothing; or, changed from outside, holds; or raises something else."""

    version = VERSION

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.known = vocabulary.bytes_of

    def decode(self, ids):
        way = os.environ.get("KNOWN_WAY", "")
        if way == "right":
            return super().decode(ids)
        unknown = [i for i in ids if i not in self.known]
        if unknown and way == "other":
            return "?"
        return super().decode([i for i in ids if i in self.known])


class Bare:
    """The least that can be asked, with the same difference: its runs are short."""

    version = VERSION

    def __init__(self, vocabulary):
        self._whole = LeavesOutUnknown(vocabulary)

    def encode(self, text):
        return self._whole.encode(text)

    def decode(self, ids):
        return self._whole.decode(ids)
