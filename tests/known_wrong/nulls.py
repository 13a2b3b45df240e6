"""Null implementations: what a suite that checks nothing would let pass. They offer every member."""

from tests.known_wrong.base import TIE_KEYS


class NullNothing:
    """Gives nothing for everything."""

    tie_rules = tuple(TIE_KEYS)

    def __init__(self, vocabulary):
        pass

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return ()

    @classmethod
    def load(cls, path):
        return cls(None)

    def save(self, path):
        pass

    def encode(self, text):
        return []

    encode_ordinary = pretokenize = encode_batch = encode

    def decode(self, ids):
        return ""

    def decode_bytes(self, ids):
        return b""

    def stream_decode(self, ids):
        return iter(())


class NullIdentity(NullNothing):
    """Gives the bytes of the text and back, with no merges, patterns or special tokens."""

    def encode(self, text):
        return list(text.encode())

    encode_ordinary = encode

    def encode_batch(self, texts):
        return [self.encode(text) for text in texts]

    def pretokenize(self, text):
        return [text]

    def decode_bytes(self, ids):
        return bytes(ids)

    def decode(self, ids):
        return bytes(ids).decode(errors="replace")

    def stream_decode(self, ids):
        yield self.decode(ids)


class NullConstant(NullNothing):
    """Gives the same for everything."""

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return ((b"a", b"b"),)

    def encode(self, text):
        return [97]

    encode_ordinary = encode

    def encode_batch(self, texts):
        return [[97] for _ in texts]

    def pretokenize(self, text):
        return ["a"]

    def decode(self, ids):
        return "a"

    def decode_bytes(self, ids):
        return b"a"

    def stream_decode(self, ids):
        yield "a"


class NullRaises(NullNothing):
    """Raises from every call."""

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        raise RuntimeError("null")

    @classmethod
    def load(cls, path):
        raise RuntimeError("null")

    def save(self, path):
        raise RuntimeError("null")

    def encode(self, text):
        raise RuntimeError("null")

    encode_ordinary = encode_batch = pretokenize = decode = decode_bytes = stream_decode = encode
