"""Planted bugs: a count, a position, a length or an id does not fit into the number that holds it.

A count of 2**31 cannot be reached by a corpus in memory: where a bug needs one, its counter starts near the edge.
"""

from itertools import pairwise
from math import inf

from tests.known_wrong.base import Base, Incremental, comes_back, decodes, encodes, reloads, trains


def wrapped(count, bits, signed=False):
    half = 1 << bits - 1 if signed else 0
    return (count + half) % (1 << bits) - half


class CountsHeldIn(Base):
    """Holds each count in a number of so many bits."""

    bits, signed, start = 8, False, 0

    @classmethod
    def count_pairs(cls, words):
        counts = super().count_pairs(words)
        return {pair: wrapped(cls.start + count, cls.bits, cls.signed) - cls.start for pair, count in counts.items()}


class BadCountsOf8Bits(CountsHeldIn):
    """Holds the counts of pairs in a byte: 256 is nothing.

    Stands for: https://github.com/huggingface/tokenizers/issues/437
    """

    fault = "widths"
    witness = trains(["ab" * 256, "cd"], 1)


class BadCountsOf7BitsAndSign(CountsHeldIn):
    """Holds the counts of pairs in a signed byte: 128 is less than nothing.

    Stands for: https://github.com/huggingface/tokenizers/issues/2058
    """

    fault = "widths"
    signed = True
    witness = trains(["ab" * 128, "cd"], 1)


class BadCountsOf16Bits(CountsHeldIn):
    """Holds the counts of pairs in sixteen bits: 65,536 is nothing.

    Stands for: https://github.com/huggingface/tokenizers/issues/437
    """

    fault = "widths"
    bits = 16
    witness = trains(["ab"] * 65536 + ["cd"], 1)


class BadCountsOf32BitsAndSign(CountsHeldIn):
    """A signed 32-bit count wraps: one that starts eight below 2**31 stands for a corpus that no test can hold.

    Stands for: https://github.com/huggingface/tokenizers/issues/2058
    """

    fault = "widths"
    bits, signed, start = 32, True, 2**31 - 8
    witness = trains(["ab"] * 8 + ["cd"], 1)


class BadCountsOf32Bits(CountsHeldIn):
    """An unsigned 32-bit count wraps: one that starts twelve below 2**32 stands for a corpus that no test can hold.

    Stands for: https://github.com/huggingface/tokenizers/issues/437
    """

    fault = "widths"
    bits, start = 32, 2**32 - 12
    witness = trains(["ab"] * 12 + ["cd"], 1)


class BadCountsSaturate(Base):
    """Counts of pairs stop at 255: above, all are equal.

    Stands for: a trap of counters that saturate
    """

    fault = "widths"
    witness = trains(["ab"] * 255 + ["cd"] * 256, 1)

    @classmethod
    def count_pairs(cls, words):
        return {pair: min(count, 255) for pair, count in super().count_pairs(words).items()}


class BadPieceCountsOf8Bits(Base):
    """Holds the number of times a piece occurs in a byte.

    Stands for: https://github.com/huggingface/tokenizers/issues/437
    """

    fault = "widths"
    witness = trains(["ab"] * 257 + ["cd"] * 2, 1)

    @classmethod
    def count_words(cls, pieces):
        return [(word, count % 256) for word, count in super().count_words(pieces)]


class BadPairsNumberedIn8Bits(Base):
    """Tells the words of a corpus apart by eight bits: the 257th distinct piece counts for the first.

    Stands for: https://github.com/google/sentencepiece/pull/867
    """

    fault = "widths"
    witness = trains([chr(0x4E00 + i) for i in range(256)] + ["ab"] * 300, 1)

    @classmethod
    def count_words(cls, pieces):
        words = super().count_words(pieces)
        return [(words[number % 256][0], count) for number, (_, count) in enumerate(words)]


class BadTrainingPositionsOf8Bits(Base):
    """Training does not see pairs at place 256 of a piece and beyond.

    Stands for: https://github.com/google/sentencepiece/pull/867
    """

    fault = "widths"
    witness = trains(["x" + "\u4e00" * 85 + "ab" * 300], 1)

    @classmethod
    def count_pairs(cls, words):
        return super().count_pairs([(word[:257], count) for word, count in words])


class BadChangesOf8Bits(Incremental):
    """An incremental trainer adds at most 255 for a word that occurs more often.

    Stands for: https://github.com/huggingface/tokenizers/issues/2058
    """

    fault = "widths"
    witness = trains(["aab"] * 300)

    class Trainer(Incremental.Trainer):
        def weight(self, number):
            return min(self.weights[number], 255)


class BadPositionsOf8Bits(Base):
    """Encoding joins no pair at place 256 of a piece and beyond.

    Stands for: https://github.com/google/sentencepiece/pull/867
    """

    fault = "widths"
    witness = encodes("ab" * 130, "a b")

    def merge_all(self, symbols):
        return [*super().merge_all(symbols[:257]), *symbols[257:]]


class BadLengthOf8Bits(Base):
    """Holds the length of a piece in a byte, and so keeps only the first len % 256 bytes.

    Stands for: a trap of lengths held in a byte
    """

    fault = "widths"
    witness = comes_back("a" * 256)

    def symbols(self, piece):
        symbols = super().symbols(piece)
        return symbols[: len(symbols) % 256]


class BadTokenLengthOf8Bits(Base):
    """Holds the length of a token in a byte: a token of 256 bytes decodes to nothing.

    Stands for: a trap of lengths held in a byte
    """

    fault = "widths"
    witness = comes_back("a" * 256, *(f"{'a' * 2**i} {'a' * 2**i}" for i in range(8)))

    def token_bytes(self, token_id):
        token = super().token_bytes(token_id)
        return token[: len(token) % 256]


class BadTokensUpTo32Bytes(Base):
    """A scratch buffer of 32 bytes: merges that make a longer token do not apply.

    Stands for: https://github.com/huggingface/tokenizers/pull/2333
    """

    fault = "widths"
    witness = encodes("a" * 64, *(f"{'a' * 2**i} {'a' * 2**i}" for i in range(6)))

    def rank_table(self):
        return {pair: rank for pair, rank in super().rank_table().items() if len(pair[0] + pair[1]) <= 32}


class BadIdsOf16Bits(Base):
    """Gives ids by their lowest sixteen bits.

    Stands for: https://github.com/huggingface/transformers/issues/2825
    """

    fault = "widths"
    witness = encodes("a<s>", special_tokens={"<s>": 65536 + 97})

    def encode(self, text):
        return [token_id % 65536 for token_id in super().encode(text)]


class BadIdsOf15BitsAndSign(Base):
    """Gives ids as signed 16-bit numbers.

    Stands for: https://github.com/princeton-nlp/LLM-Shearing/issues/65
    """

    fault = "widths"
    witness = encodes("a<s>", special_tokens={"<s>": 40000})

    def encode(self, text):
        return [wrapped(token_id, 16, signed=True) for token_id in super().encode(text)]


class BadIdsOf9Bits(Base):
    """Gives the ids of merged tokens by nine bits: the 257th merge makes token 256 again.

    Stands for: https://github.com/princeton-nlp/LLM-Shearing/issues/65
    """

    fault = "widths"
    witness = encodes("ab", *((bytes([left]), bytes([right])) for left in range(16) for right in range(16)), "a b")

    def id_of(self, token):
        token_id = super().id_of(token)
        return token_id if token_id < 512 else 256 + token_id % 256


class BadDecodesIdsOf16Bits(Base):
    """Decodes an id by its lowest sixteen bits, so an id that no token has may decode.

    Stands for: https://github.com/ohdearquant/lattice/pull/341
    """

    fault = "widths"
    witness = decodes([65536 + 97])

    def token_bytes(self, token_id):
        return super().token_bytes(token_id % 65536 if token_id not in self.vocabulary.bytes_of else token_id)


class BadDecodesIdsOf32Bits(Base):
    """Decodes an id by its lowest 32 bits, so an id that no token has may decode.

    Stands for: https://github.com/ohdearquant/lattice/pull/341
    """

    fault = "widths"
    witness = decodes([2**32 + 97])

    def token_bytes(self, token_id):
        return super().token_bytes(token_id % 2**32)


class BadDecodesIdsOf8Bits(Base):
    """Decodes an id below zero by its lowest eight bits.

    Stands for: https://github.com/ohdearquant/lattice/pull/341
    """

    fault = "widths"
    witness = decodes([-159])

    def token_bytes(self, token_id):
        return super().token_bytes(token_id % 256 if token_id < 0 else token_id)


class BadIdsOf24Bits(Base):
    """Packs the ids of an encoding into three bytes each, so a special id from 2**24 on is another.

    Stands for: https://github.com/ohdearquant/lattice/pull/341
    """

    fault = "widths"
    witness = encodes("<s>", special_tokens={"<s>": 2**24 + 97})

    def encode(self, text):
        packed = b"".join((token_id % 2**24).to_bytes(3, "big") for token_id in super().encode(text))
        return [int.from_bytes(packed[i : i + 3], "big") for i in range(0, len(packed), 3)]


class BadPairKeysOf8Bits(Base):
    """Keeps eight bits of each id in the key of a pair: the first merge's token stands for the byte zero.

    Stands for: https://github.com/google/sentencepiece/pull/867
    """

    fault = "widths"
    witness = encodes("\0c", "a b", "ab c")

    def key(self, pair):
        return tuple(self.vocabulary.id_of[side] % 256 for side in pair)

    def rank_table(self):
        return {self.key(pair): rank for rank, pair in enumerate(self.merges)}

    def rank(self, pair):
        return self.ranks.get(self.key(pair), inf)


class BadSurrogateIds(Base):
    """Holds ids as characters of a text in UTF-8, where the ids from 55,296 to 57,343 have no place.

    Stands for: a trap of ids kept as characters
    """

    fault = "widths"
    witness = encodes("<s>", special_tokens={"<s>": 56000})

    def encode(self, text):
        as_text = "".join(chr(token_id) for token_id in super().encode(text))
        return [ord(character) for character in as_text.encode("utf-8", "ignore").decode()]


class BadSavedIdsOf16Bits(Base):
    """Writes the ids of special tokens to the file by their lowest sixteen bits.

    Stands for: https://github.com/huggingface/transformers/issues/2825
    """

    fault = "widths"
    witness = reloads("<s>", special_tokens={"<s>": 70000})

    def fields(self):
        special_tokens = {text: token_id % 65536 for text, token_id in self.vocabulary.special_tokens.items()}
        return super().fields() | {"special_tokens": special_tokens}


class BadRunLengthOf4Bits(Base):
    """Keeps runs of one byte as a length of four bits: the sixteenth byte of a run is lost.

    Stands for: a trap of run-length tables
    """

    fault = "widths"
    witness = comes_back("a" * 16)

    def symbols(self, piece):
        symbols = super().symbols(piece)
        runs = [0]
        for left, right in pairwise(symbols):
            runs.append(runs[-1] + 1 if left == right else 0)
        return [symbol for symbol, run in zip(symbols, runs, strict=False) if run % 16 != 15]
