"""Planted bugs: calls from several threads disturb one another. Each gives way in the middle, so that it shows."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from tests.known_wrong.base import GPT2, Base, vocabulary

TEXTS = [f"{letter} ab{letter} ba{letter}" * 3 for letter in "cdefghij"]


def in_threads(method, **fields):
    """Whether the calls from eight threads give what the same calls give one after the other."""

    def witness(make):
        tokenizer = make(vocabulary("a b", "b a", pattern=GPT2, **fields))
        call = getattr(tokenizer, method)
        inputs = [tokenizer.encode(text) for text in TEXTS] if method.startswith("decode") else TEXTS
        serial = [call(value) for value in inputs]
        with ThreadPoolExecutor(8) as threads:
            rounds = [list(threads.map(call, inputs)) for _ in range(20)]
        return all(found == serial for found in rounds)

    return witness


def give_way():
    time.sleep(0.00001)


class BadSharedIds(Base):
    """Collects the ids of a text in a list of the tokenizer.

    Stands for: a trap of scratch that threads share
    """

    fault = "threads"
    witness = in_threads("encode")

    def encode_text(self, text):
        self.ids = []
        for piece in self.pretokenize(text):
            self.ids += self.encode_piece(piece)
            give_way()
        return list(self.ids)


class BadSharedTokens(Base):
    """Merges in a list of the tokenizer.

    Stands for: a trap of scratch that threads share
    """

    fault = "threads"
    witness = in_threads("encode")

    def merge_all(self, symbols):
        self.tokens = list(symbols)
        while (pair := self.choose(self.tokens)) is not None:
            give_way()
            self.tokens = self.join(self.tokens, pair)
        return self.tokens


class BadSharedByAllTokenizers(Base):
    """Keeps the text at work in a place that all tokenizers share.

    Stands for: a trap of scratch that threads share
    """

    fault = "threads"
    witness = in_threads("encode")

    def encode(self, text):
        BadSharedByAllTokenizers.text = text
        give_way()
        return super().encode(self.text)


class BadSharedBytes(Base):
    """Collects the bytes that it decodes in a buffer of the tokenizer.

    Stands for: a trap of scratch that threads share
    """

    fault = "threads"
    witness = in_threads("decode")

    def decode_bytes(self, ids):
        self.buffer = bytearray()
        for token_id in ids:
            self.buffer += self.token_bytes(token_id)
            give_way()
        return bytes(self.buffer)


class BadAlreadyBorrowed(Base):
    """Raises when a call comes while another is at work.

    Stands for: https://github.com/huggingface/transformers/issues/47085
    """

    fault = "threads"
    witness = in_threads("encode")
    at_work = False

    def encode(self, text):
        if self.at_work:
            raise RuntimeError("Already borrowed")
        self.at_work = True
        try:
            give_way()
            return super().encode(text)
        finally:
            self.at_work = False


class BadSettingOfOneCall(Base):
    """Ordinary encoding switches special tokens off for the whole tokenizer while it works.

    Stands for: https://github.com/huggingface/transformers/issues/47085
    """

    fault = "threads"
    specials = True

    def witness(make):
        tokenizer = make(vocabulary(special_tokens={"ab": 300}))
        calls = [tokenizer.encode, tokenizer.encode_ordinary] * 4
        serial = [call("abab") for call in calls]
        with ThreadPoolExecutor(8) as threads:
            rounds = [list(threads.map(lambda call: call("abab"), calls)) for _ in range(20)]
        return all(found == serial for found in rounds)

    def encode(self, text):
        give_way()
        return super().encode(text) if self.specials else self.encode_text(text)

    def encode_ordinary(self, text):
        self.specials = False
        give_way()
        ids = self.encode_text(text)
        self.specials = True
        return ids


class BadOtherThreads(Base):
    """Only the thread that made the tokenizer sees its merges.

    Stands for: a trap of scratch that threads share
    """

    fault = "threads"
    witness = in_threads("encode")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.own = threading.local()
        self.own.ranks = self.ranks

    def rank(self, pair):
        return getattr(self.own, "ranks", {}).get(pair, float("inf"))


class BadBatchInThreads(Base):
    """Encodes a batch in threads and gives the results in the order in which they end.

    Stands for: a trap of output that overtakes
    """

    fault = "threads"

    def witness(make):
        return make(vocabulary("a b")).encode_batch(["ab" * 50, "a", "b" * 30, ""])

    def encode_batch(self, texts):
        done = []

        def work(text):
            time.sleep(len(text) / 2000)
            done.append(self.encode(text))

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, texts))
        return done
