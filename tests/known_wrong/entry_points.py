"""Planted bugs: one entry point gives what another does not, or gives another type."""

from tests.known_wrong.base import GPT2, WORDS, Base, decodes, decodes_to_bytes, encodes, encodes_ordinary, vocabulary


def encodes_batch(texts, *merges, **fields):
    return lambda make: make(vocabulary(*merges, **fields)).encode_batch(texts)


def type_of(call):
    return lambda make: type(call(make)).__name__


class BadOrdinaryWithoutPattern(Base):
    """Ordinary encoding does not split by the pattern.

    Stands for: a trap of entry points that part
    """

    fault = "entry_points"
    witness = encodes_ordinary("a b", (b"a", b" "), pattern=WORDS)

    def encode_ordinary(self, text):
        return self.encode_piece(text)


class BadOrdinaryRaisesOnNothing(Base):
    """Ordinary encoding raises on the empty text.

    Stands for: a trap of inputs of length nought
    """

    fault = "entry_points"
    witness = encodes_ordinary("")

    def encode_ordinary(self, text):
        return super().encode_ordinary(text[0] + text[1:])


class BadNothingGivesZero(Base):
    """Gives one id for the empty text.

    Stands for: a trap of inputs of length nought
    """

    fault = "entry_points"
    witness = encodes("")

    def encode(self, text):
        return super().encode(text) or [0]


class BadEmptyGivesSpace(Base):
    """Gives an id for the nothing between two special tokens.

    Stands for: a trap of inputs of length nought
    """

    fault = "entry_points"
    witness = encodes("<s><s>", special_tokens={"<s>": 300})

    def encode(self, text):
        ids, special_ids = [], set(self.vocabulary.special_tokens.values())
        for token_id in super().encode(text):
            ids += [32, token_id] if ids and ids[-1] in special_ids and token_id in special_ids else [token_id]
        return ids


class BadBatchIgnoresSpecials(Base):
    """A batch takes special tokens for text.

    Stands for: https://github.com/niieani/gpt-tokenizer/issues/74
    """

    fault = "entry_points"
    witness = encodes_batch(["<s>"], special_tokens={"<s>": 300})

    def encode_batch(self, texts):
        return [self.encode_ordinary(text) for text in texts]


class BadBatchByLength(Base):
    """Gives the results of a batch in the order of the texts' lengths.

    Stands for: a trap of output that overtakes
    """

    fault = "entry_points"
    witness = encodes_batch(["ab", "a"])

    def encode_batch(self, texts):
        return super().encode_batch(sorted(texts, key=len))


class BadBatchOnce(Base):
    """Gives one result for equal texts of a batch.

    Stands for: a trap of dropping what is there twice
    """

    fault = "entry_points"
    witness = encodes_batch(["a", "a"])

    def encode_batch(self, texts):
        return super().encode_batch(dict.fromkeys(texts))


class BadBatchDropsEmpty(Base):
    """Drops the empty texts of a batch.

    Stands for: a trap of inputs of length nought
    """

    fault = "entry_points"
    witness = encodes_batch(["a", ""])

    def encode_batch(self, texts):
        return super().encode_batch(text for text in texts if text)


class BadBatchOfTwo(Base):
    """Takes a batch of exactly two texts for a pair, and gives one result.

    Stands for: https://github.com/huggingface/transformers/pull/48279
    """

    fault = "entry_points"
    witness = encodes_batch(["a", "b"])

    def encode_batch(self, texts):
        results = super().encode_batch(texts)
        return [results[0] + results[1]] if len(results) == 2 else results


class BadBatchOverEight(Base):
    """Works a batch off in groups of eight and loses a last group that is not full, if there was a full one.

    Stands for: a trap of ends that are off by one
    """

    fault = "entry_points"
    witness = encodes_batch(list("abcdefghi"))

    def encode_batch(self, texts):
        results = super().encode_batch(texts)
        return results[: len(results) - len(results) % 8] if len(results) > 8 else results


class BadBatchPads(Base):
    """Fills the results of a batch up with zeros to the length of the longest.

    Stands for: a trap of filling lists up
    """

    fault = "entry_points"
    witness = encodes_batch(["ab", "a"])

    def encode_batch(self, texts):
        results = super().encode_batch(texts)
        longest = max(map(len, results), default=0)
        return [ids + [0] * (longest - len(ids)) for ids in results]


class BadBatchJoined(Base):
    """Joins the texts of a batch by spaces and splits the ids again, so that pieces take a space more.

    Stands for: a trap of joining what was apart
    """

    fault = "entry_points"
    witness = encodes_batch(["a", "b"], (b" ", b"b"), pattern=GPT2)

    def encode_batch(self, texts):
        texts = list(texts)
        return [self.encode((" " if number else "") + text) for number, text in enumerate(texts)]


class BadPretokenizesOtherwise(Base):
    """Shows the pieces of GPT-2's pattern, and encodes by the vocabulary's.

    Stands for: a trap of hand-written splitters
    """

    fault = "entry_points"

    def witness(make):
        return make(vocabulary(pattern=WORDS)).pretokenize("a1")

    def pretokenize(self, text):
        return self.split(GPT2, text)

    def encode_text(self, text):
        pieces = super().pretokenize(text)
        return [token_id for piece in pieces for token_id in self.encode_piece(piece)]


class BadPretokenizeStrips(Base):
    """Shows the pieces without the white space at their ends, and encodes them with it.

    Stands for: a trap of stripping what was read
    """

    fault = "entry_points"

    def witness(make):
        return make(vocabulary(pattern=WORDS)).pretokenize("a b")

    def pretokenize(self, text):
        return [piece.strip() or piece for piece in super().pretokenize(text)]

    def encode_text(self, text):
        pieces = super().pretokenize(text)
        return [token_id for piece in pieces for token_id in self.encode_piece(piece)]


class BadEndsWithSpecial(Base):
    """Encoding adds the first special token at the end; ordinary encoding and batches do not.

    Stands for: https://github.com/invergent-ai/surogate/issues/122
    """

    fault = "entry_points"
    witness = encodes("a", special_tokens={"<s>": 300})

    def encode(self, text):
        return super().encode(text) + list(self.vocabulary.special_tokens.values())[:1]

    def encode_batch(self, texts):
        return [super(BadEndsWithSpecial, self).encode(text) for text in texts]


class BadBytesWithoutSpecials(Base):
    """Decoding to bytes leaves special tokens out; decoding to text does not.

    Stands for: a trap of decoders made for display
    """

    fault = "entry_points"
    witness = decodes_to_bytes([97, 300], special_tokens={"<s>": 300})

    def decode_bytes(self, ids):
        special_ids = set(self.vocabulary.special_tokens.values())
        return super().decode_bytes(token_id for token_id in ids if token_id not in special_ids)

    def decode(self, ids):
        return self.to_text(super().decode_bytes(ids))


class BadBytesStripped(Base):
    """Decoding to bytes strips spaces at the end; decoding to text does not.

    Stands for: a trap of stripping what was read
    """

    fault = "entry_points"
    witness = decodes_to_bytes([97, 32])

    def decode_bytes(self, ids):
        return super().decode_bytes(ids).rstrip(b" ")

    def decode(self, ids):
        return self.to_text(super().decode_bytes(ids))


class BadGivesTuple(Base):
    """Encoding gives a tuple.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"
    witness = encodes("a")

    def encode(self, text):
        return tuple(super().encode(text))


class OwnInt(int):
    """A number of another type, as an array gives."""


class BadGivesOtherInts(Base):
    """Encoding gives numbers that are no plain int.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"

    def witness(make):
        return [type(token_id).__name__ for token_id in encodes("a")(make)]

    def encode(self, text):
        return [OwnInt(token_id) for token_id in super().encode(text)]


class BadGivesBool(Base):
    """Encoding gives False and True for the ids 0 and 1.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"

    def witness(make):
        return [type(token_id).__name__ for token_id in encodes("\0\1")(make)]

    def encode(self, text):
        return [bool(token_id) if token_id < 2 else token_id for token_id in super().encode(text)]


class BadGivesIterator(Base):
    """Encoding a batch gives an iterator.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"
    witness = type_of(encodes_batch(["a"]))

    def encode_batch(self, texts):
        return map(self.encode, texts)


class BadDecodesToBytes(Base):
    """Decoding gives bytes.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"
    witness = decodes([97])

    def decode(self, ids):
        return self.decode_bytes(ids)


class BadDecodesToBytearray(Base):
    """Decoding to bytes gives a bytearray.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"
    witness = type_of(decodes_to_bytes([97]))

    def decode_bytes(self, ids):
        return bytearray(super().decode_bytes(ids))


class BadDecodesNone(Base):
    """Decoding no ids gives None.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"
    witness = decodes([])

    def decode(self, ids):
        return super().decode(ids) or None


class BadTrainsText(Base):
    """Training gives pairs of str.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"

    def witness(make):
        return make.train(["ab"], 1, pattern=None, tie_rule="first-seen")

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        merges = super().train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        return tuple((left.decode("latin-1"), right.decode("latin-1")) for left, right in merges)


class BadTrainsIds(Base):
    """Training gives pairs of ids.

    Stands for: a trap of types that are nearly right
    """

    fault = "entry_points"

    def witness(make):
        return make.train(["ab"], 1, pattern=None, tie_rule="first-seen")

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        merges = super().train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        ids = {bytes([byte]): byte for byte in range(256)} | {left + right: 256 for left, right in merges}
        return tuple((ids[left], ids[right]) for left, right in merges)
