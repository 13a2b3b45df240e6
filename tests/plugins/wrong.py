"""Plug-ins with one mistake each of the kind that a newcomer makes: what is printed is in tests/test_errors.py."""

from implementations.heap import Tokenizer


class NoDecode:
    def __init__(self, vocabulary):
        self._heap = Tokenizer(vocabulary)

    def encode(self, text):
        return self._heap.encode(text)


class NoEncode:
    def __init__(self, vocabulary):
        self._heap = Tokenizer(vocabulary)

    def decode(self, ids):
        return self._heap.decode(ids)


class TakesNothing:
    def encode(self, text):
        return []

    def decode(self, ids):
        return ""


class ReturnsNone(Tokenizer):
    def encode(self, text):
        super().encode(text)


class ReturnsTuple(Tokenizer):
    def encode(self, text):
        return tuple(super().encode(text))


class ReturnsGenerator(Tokenizer):
    def encode(self, text):
        yield from super().encode(text)


class ReturnsBooleans(Tokenizer):
    def encode(self, text):
        return [number != 0 for number in super().encode(text)]


class ReturnsFloats(Tokenizer):
    def encode(self, text):
        return [float(number) for number in super().encode(text)]


class ReturnsStrings(Tokenizer):
    def encode(self, text):
        return [str(number) for number in super().encode(text)]


class ReturnsNumpyIds(Tokenizer):
    def encode(self, text):
        import numpy

        return list(numpy.array(super().encode(text), dtype=numpy.int64))


class ReturnsNumpyArray(Tokenizer):
    def encode(self, text):
        import numpy

        return numpy.array(super().encode(text), dtype=numpy.int64)


class DecodesToBytes(Tokenizer):
    def decode(self, ids):
        return super().decode(ids).encode()


class DecodesStrictly(Tokenizer):
    def decode(self, ids):
        return self.decode_bytes(ids).decode()


class DecodeBytesToText(Tokenizer):
    def decode_bytes(self, ids):
        return "".join(map(chr, super().decode_bytes(ids)))

    def decode(self, ids):
        return super().decode_bytes(ids).decode(errors="replace")


class BatchOfTuples(Tokenizer):
    def encode_batch(self, texts):
        return tuple(super().encode_batch(texts))


class PiecesAsMatches(Tokenizer):
    def pretokenize(self, text):
        return iter(super().pretokenize(text))


class StreamOfBytes(Tokenizer):
    def stream_decode(self, ids):
        return (part.encode() for part in super().stream_decode(ids))


class TrainsToStrings(Tokenizer):
    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        merges = Tokenizer.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        return [(left.decode("latin-1"), right.decode("latin-1")) for left, right in merges]


class TrainsToTokens(Tokenizer):
    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        merges = Tokenizer.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        return [left + right for left, right in merges]


class TrainsToADict(Tokenizer):
    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        merges = Tokenizer.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        return {merge: rank for rank, merge in enumerate(merges)}


class TrainTakesPositions(Tokenizer):
    @staticmethod
    def train(corpus, num_merges):
        return ()


class RaisesOnUnknownBytes(Tokenizer):
    def encode(self, text):
        return super().encode(text.encode("ascii").decode())
