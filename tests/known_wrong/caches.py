"""Planted bugs: what a call gives comes from an earlier call, and should not."""

import unicodedata
import zlib

from reference.model import Vocabulary
from tests.known_wrong.base import GPT2, WORDS, Base, encodes, trains, vocabulary


def encodes_twice(first, second, *merges, **fields):
    """What the second text gives after the first."""

    def witness(make):
        tokenizer = make(vocabulary(*merges, **fields))
        tokenizer.encode(first)
        return tokenizer.encode(second)

    return witness


class Cached(Base):
    """Keeps the ids of each piece under a key."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def key(self, piece):
        return piece

    def encode_piece(self, piece):
        key = self.key(piece)
        if key not in self.cache:
            self.cache[key] = super().encode_piece(piece)
        return self.cache[key]


class BadCacheGivenAway(Base):
    """Gives the very list that it keeps, so that a caller who changes it changes later results.

    Stands for: a trap of giving away what is kept
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary())
        tokenizer.encode("ab").append(0)
        return tokenizer.encode("ab")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def encode(self, text):
        if text not in self.cache:
            self.cache[text] = super().encode(text)
        return self.cache[text]


class BadCacheGrownByCaller(Cached):
    """Gives the kept list of a text that is one piece, and a new list for others.

    Stands for: a trap of giving away what is kept
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary(pattern=WORDS))
        tokenizer.encode("ab").clear()
        return tokenizer.encode("ab c")

    def encode(self, text):
        pieces = self.pretokenize(text) if not self.vocabulary.special_tokens else []
        return self.encode_piece(pieces[0]) if len(pieces) == 1 else super().encode(text)


class BadPiecesGivenAway(Base):
    """Gives the list of pieces that it keeps, so that a caller who changes it changes later encodings.

    Stands for: a trap of giving away what is kept
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary(pattern=WORDS))
        tokenizer.pretokenize("a b").pop()
        return tokenizer.encode("a b")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.kept = {}

    def pretokenize(self, text):
        if text not in self.kept:
            self.kept[text] = super().pretokenize(text)
        return self.kept[text]


class BadBatchGivenAway(Base):
    """Gives the very lists of a batch that it keeps for the next call.

    Stands for: a trap of giving away what is kept
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary())
        tokenizer.encode_batch(["a", "b"])[0].append(0)
        return tokenizer.encode_batch(["a", "b"])

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.kept = {}

    def encode_batch(self, texts):
        texts = tuple(texts)
        if texts not in self.kept:
            self.kept[texts] = super().encode_batch(texts)
        return self.kept[texts]


class BadCacheByShortHash(Cached):
    """Keeps pieces by eight bits of their checksum.

    Stands for: https://github.com/BaseIntelligence/bounty-challenge/issues/18378
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary())
        return [tokenizer.encode(chr(0x4E00 + i)) for i in range(300)]

    def key(self, piece):
        return zlib.crc32(self.to_bytes(piece)) % 256


class BadCacheByBeginning(Cached):
    """Keeps pieces by their first sixteen characters and their length.

    Stands for: https://github.com/BaseIntelligence/bounty-challenge/issues/18378
    """

    fault = "caches"
    witness = encodes_twice("a" * 16 + "b", "a" * 16 + "c")

    def key(self, piece):
        return piece[:16], len(piece)


class BadCacheByLetters(Cached):
    """Keeps pieces by how often each character stands in them.

    Stands for: https://github.com/BaseIntelligence/bounty-challenge/issues/18378
    """

    fault = "caches"
    witness = encodes_twice("ab", "ba")

    def key(self, piece):
        return "".join(sorted(piece))


class BadCacheBySmallLetters(Cached):
    """Keeps pieces by their form without case.

    Stands for: a trap of matching without case
    """

    fault = "caches"
    witness = encodes_twice("a", "A")

    def key(self, piece):
        return piece.casefold()


class BadCacheByCanonicalForm(Cached):
    """Keeps pieces by their canonical form: after one, an equal one of other characters gives the same ids.

    Stands for: https://github.com/huggingface/swift-transformers/pull/113
    """

    fault = "caches"
    witness = encodes_twice("\u00e9", "e\u0301")

    def key(self, piece):
        return unicodedata.normalize("NFC", piece)


class BadCacheByStrippedPiece(Cached):
    """Keeps pieces without the white space at their ends.

    Stands for: a trap of stripping what was read
    """

    fault = "caches"
    witness = encodes("a a", pattern=GPT2)

    def key(self, piece):
        return piece.strip() or piece


class BadCacheInNamespace(Cached):
    """Keeps pieces beside inherited names, so that "keys" or "items" is found before it was kept.

    Stands for: https://github.com/latitudegames/GPT-3-Encoder/pull/12
    """

    fault = "caches"
    witness = encodes("items")

    def encode_piece(self, piece):
        found = getattr(self.cache, piece, None) if piece.isidentifier() else None
        return super().encode_piece(piece) if found is None else found


class BadCacheAcrossEntryPoints(Base):
    """Encoding and ordinary encoding keep their results under the same key.

    Stands for: https://github.com/smg-project/smg/pull/1637
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary(special_tokens={"<s>": 300}))
        tokenizer.encode("<s>")
        return tokenizer.encode_ordinary("<s>")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def encode(self, text):
        if text not in self.cache:
            self.cache[text] = super().encode(text)
        return list(self.cache[text])

    def encode_ordinary(self, text):
        if text not in self.cache:
            self.cache[text] = super().encode_ordinary(text)
        return list(self.cache[text])


class BadCacheOfAllTokenizers(Base):
    """Keeps pieces in one table for all tokenizers.

    Stands for: a trap of state kept in a class
    """

    fault = "caches"
    cache: dict = {}  # noqa: RUF012 - that it is shared is the fault

    def witness(make):
        make(Vocabulary()).encode("quab")
        return make(vocabulary("a b")).encode("quab")

    def encode_piece(self, piece):
        if piece not in self.cache:
            self.cache[piece] = super().encode_piece(piece)
        return list(self.cache[piece])


class BadVocabularyOfLastTokenizer(Base):
    """All tokenizers use the ranks of the one made last.

    Stands for: a trap of state kept in a class
    """

    fault = "caches"

    def witness(make):
        first = make(vocabulary("a b"))
        make(Vocabulary())
        return first.encode("ab")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        BadVocabularyOfLastTokenizer.latest = self.ranks

    def rank(self, pair):
        rank = self.latest.get(pair, float("inf"))
        return rank if pair[0] + pair[1] in self.vocabulary.id_of else float("inf")


class BadTrainingChangesTokenizers(Base):
    """Tokenizers made before a training take the merges of the training.

    Stands for: a trap of state kept in a class
    """

    fault = "caches"
    learned = None

    def witness(make):
        tokenizer = make(vocabulary("a b"))
        trains(["cd"])(make)
        return tokenizer.encode("ab")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.trainings = BadTrainingChangesTokenizers.learned

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        BadTrainingChangesTokenizers.learned = merges
        return merges

    def rank(self, pair):
        changed = self.learned is not self.trainings
        return float("inf") if changed and pair not in self.learned else super().rank(pair)


class BadTokenizerChangesTraining(Base):
    """Training goes on from the merges of the tokenizer made last.

    Stands for: a trap of state kept in a class
    """

    fault = "caches"
    start = ()

    def witness(make):
        make(vocabulary("b c"))
        return trains(["abc"])(make)

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        BadTokenizerChangesTraining.start = vocabulary.merges

    @classmethod
    def count_words(cls, pieces):
        words = super().count_words(pieces)
        for pair in cls.start:
            words = cls.apply(words, pair)
        return words


class BadFullCache(Cached):
    """When its cache of 64 pieces is full, a new piece gives what the oldest one gave.

    Stands for: a trap of caches that are full
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary())
        return [tokenizer.encode(chr(0x4E00 + i)) for i in range(70)]

    def key(self, piece):
        full = len(self.cache) >= 64 and piece not in self.cache
        return next(iter(self.cache)) if full else piece


class BadDecodedCache(Base):
    """Keeps decoded texts by the sum and the number of the ids.

    Stands for: https://github.com/BaseIntelligence/bounty-challenge/issues/18378
    """

    fault = "caches"

    def witness(make):
        tokenizer = make(Vocabulary())
        return tokenizer.decode([97, 98]), tokenizer.decode([98, 97])

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def decode(self, ids):
        ids = list(ids)
        key = sum(ids), len(ids)
        if key not in self.cache:
            self.cache[key] = super().decode(ids)
        return self.cache[key]
