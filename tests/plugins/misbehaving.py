"""Plug-ins that do not behave: what the suite must survive and report."""

import sys
import time

from implementations.heap import Tokenizer


class Hangs(Tokenizer):
    """Never comes back from a text that holds two a."""

    def encode(self, text):
        while text.count("a") > 1:
            time.sleep(0.01)
        return super().encode(text)


class HangsStubbornly(Tokenizer):
    """The same, and catches everything on the way."""

    def encode(self, text):
        while text.count("a") > 1:
            try:
                time.sleep(0.01)
            except Exception:
                continue
        return super().encode(text)


class Raises(Tokenizer):
    """Raises on a text that holds two a."""

    def encode(self, text):
        if text.count("a") > 1:
            raise KeyError("aa")
        return super().encode(text)


class Exits(Tokenizer):
    """Ends the process, or would."""

    def encode(self, text):
        if text.count("a") > 1:
            sys.exit(256)
        return super().encode(text)


class GivesTuples(Tokenizer):
    """Returns what is no list."""

    def encode(self, text):
        return tuple(super().encode(text))


class Remembers(Tokenizer):
    """Fails on every call from the tenth in this process on, once."""

    calls = 0

    def encode(self, text):
        Remembers.calls += 1
        if Remembers.calls == 10:
            return []
        return super().encode(text)


class Bare:
    """Only what is required; declares nothing, trains greedily with the ties of the smallest ids."""

    def __init__(self, vocabulary):
        self._heap = Tokenizer(vocabulary)

    def encode(self, text):
        return self._heap.encode(text)

    def decode(self, ids):
        return self._heap.decode(ids)

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return Tokenizer.train(
            corpus, num_merges, pattern=pattern, tie_rule="smallest-ids", special_tokens=special_tokens
        )


class OnlyOnePiece(Tokenizer):
    """Serves vocabularies without a pattern only."""

    def __init__(self, vocabulary):
        if vocabulary.pattern is not None:
            raise NotImplementedError("splits no text")
        super().__init__(vocabulary)


class DropsUncovered(Tokenizer):
    """Drops in silence what the pattern leaves uncovered."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        if vocabulary.pattern:
            import regex

            self._pieces_of = regex.compile(vocabulary.pattern).findall
