"""Planted bugs: what the corpus feeds to training is more, less or other than its documents."""

import unicodedata
from itertools import pairwise

import regex

from tests.known_wrong.base import WORDS, Base, trains


class BadJoinsDocuments(Base):
    """Trains on all documents as one text, so that merges cross from one to the next.

    Stands for: a trap of joining what was apart
    """

    fault = "feeding"
    witness = trains(["a", "b"])

    @classmethod
    def documents(cls, corpus):
        return ["".join(corpus)]


class BadJoinsDocumentsByNewline(Base):
    """Trains on all documents as one text with a line end between them.

    Stands for: a trap of joining what was apart
    """

    fault = "feeding"
    witness = trains(["a", "b"])

    @classmethod
    def documents(cls, corpus):
        return ["\n".join(corpus)]


class BadCountsAcrossPieces(Base):
    """Counts the pair of the last byte of a piece and the first of the next distinct one.

    Stands for: a trap of incremental trainers
    """

    fault = "feeding"
    witness = trains(["ab", "ca"])

    @classmethod
    def count_pairs(cls, words):
        counts = super().count_pairs(words)
        for (word, _), (following, _) in pairwise(words):
            pair = word[-1], following[0]
            counts[pair] = counts.get(pair, 0) + 1
        return counts


class BadJoinsPieces(Base):
    """Cuts documents into pieces, checks them, and trains on the whole documents.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/29211
    """

    fault = "feeding"
    witness = trains(["a b a b"], pattern=WORDS)

    @classmethod
    def split(cls, pattern, text):
        return ["".join(super().split(pattern, text))]


class BadFeedsLines(Base):
    """Feeds each line of a document on its own.

    Stands for: https://github.com/huggingface/tokenizers/issues/1534
    """

    fault = "feeding"
    witness = trains(["a\n\nb"])

    @classmethod
    def documents(cls, corpus):
        return (line for document in corpus for line in regex.findall("[^\n]*\n|[^\n]+", document))


class BadDropsLineEnds(Base):
    """Reads a document as lines without their ends.

    Stands for: https://github.com/huggingface/tokenizers/issues/1534
    """

    fault = "feeding"
    witness = trains(["a\n"])

    @classmethod
    def documents(cls, corpus):
        return (line for document in corpus for line in document.split("\n"))


class BadSplitlines(Base):
    r"""Cuts documents wherever `str.splitlines` does: at U+2028, U+0085 and \f too, not only at line ends.

    Stands for: https://github.com/rsennrich/subword-nmt/issues/29
    """

    fault = "feeding"
    witness = trains(["a\u2028b"])

    @classmethod
    def documents(cls, corpus):
        return (line for document in corpus for line in regex.split("[\u2028\u2029\x85\f\v\x1c-\x1e]", document))


class BadReadsCorpusTwice(Base):
    """Goes over the corpus twice, to count its documents and to read them, and so finds an iterator empty.

    Stands for: a trap of one-shot iterators
    """

    fault = "feeding"

    def witness(make):
        return trains(iter(["ab"]))(make), trains(["ab"])(make)

    @classmethod
    def documents(cls, corpus):
        total = sum(1 for _ in corpus)
        return corpus if total else []


class BadDropsFirstOfIterator(Base):
    """Peeks at the first document of an iterator to learn its type and does not put it back.

    Stands for: a trap of one-shot iterators
    """

    fault = "feeding"

    def witness(make):
        return trains(iter(["ab"]))(make)

    @classmethod
    def documents(cls, corpus):
        next(iter(corpus), None)
        return corpus


class BadStripsDocuments(Base):
    """Strips white space from the ends of each document.

    Stands for: a trap of stripping what was read
    """

    fault = "feeding"
    witness = trains([" a"])

    @classmethod
    def documents(cls, corpus):
        return (document.strip() for document in corpus)


class BadEmptyDocumentEnds(Base):
    """Takes an empty document for the end of the corpus.

    Stands for: https://github.com/rsennrich/subword-nmt/issues/41
    """

    fault = "feeding"
    witness = trains(["ab", "", "cd"])

    @classmethod
    def documents(cls, corpus):
        return iter(iter(corpus).__next__, "")


class BadEmptyDocumentRaises(Base):
    """Raises on an empty document.

    Stands for: https://github.com/rsennrich/subword-nmt/issues/41
    """

    fault = "feeding"
    witness = trains(["ab", ""])

    @classmethod
    def documents(cls, corpus):
        return (document[0] + document[1:] for document in corpus)


class BadEmptyCorpusRaises(Base):
    """Raises on a corpus that holds no pair.

    Stands for: https://github.com/karpathy/minbpe/issues/114
    """

    fault = "feeding"
    witness = trains([])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        max(cls.count_pairs(words).values())
        return super().learn(words, num_merges, tie_rule)


class BadDropsRepeatedDocuments(Base):
    """Trains on each distinct document once.

    Stands for: a trap of dropping what is there twice
    """

    fault = "feeding"
    witness = trains(["ab", "cd", "cd"])

    @classmethod
    def documents(cls, corpus):
        return dict.fromkeys(corpus)


class BadDropsAdjacentRepeats(Base):
    """Skips a document that equals the one before it.

    Stands for: a trap of dropping what is there twice
    """

    fault = "feeding"
    witness = trains(["ab", "cd", "cd"])

    @classmethod
    def documents(cls, corpus):
        corpus = list(corpus)
        return [document for i, document in enumerate(corpus) if i == 0 or document != corpus[i - 1]]


class BadLosesLastDocument(Base):
    """Loses the last document of a corpus of two or more.

    Stands for: a trap of ends that are off by one
    """

    fault = "feeding"
    witness = trains(["ab", "cd"])

    @classmethod
    def documents(cls, corpus):
        corpus = list(corpus)
        return corpus[:-1] if len(corpus) > 1 else corpus


class BadLosesLastCharacter(Base):
    """Loses the last character of each document, as where a line end is cut off that is not there.

    Stands for: a trap of ends that are off by one
    """

    fault = "feeding"
    witness = trains(["abc"])

    @classmethod
    def documents(cls, corpus):
        return (document[:-1] for document in corpus)


class BadIgnoresPattern(Base):
    """Trains on whole documents, whatever the pattern.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/29211
    """

    fault = "feeding"
    witness = trains(["a b"], pattern=WORDS)

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return super().train(corpus, num_merges, pattern=None, tie_rule=tie_rule, special_tokens=special_tokens)


class BadAlwaysSplitsWords(Base):
    """Trains on words though there is no pattern.

    Stands for: https://github.com/karpathy/nanochat/issues/291
    """

    fault = "feeding"
    witness = trains(["a b"])

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        pattern = WORDS if pattern is None else pattern
        return super().train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)


class BadShortDocuments(Base):
    """Skips documents of two bytes.

    Stands for: a trap of pieces that have no pair
    """

    fault = "feeding"
    witness = trains(["ab"])

    @classmethod
    def documents(cls, corpus):
        return (document for document in corpus if len(document.encode()) != 2)


class BadOneByteRaises(Base):
    """Raises on a document of one byte.

    Stands for: https://github.com/karpathy/minbpe/issues/114
    """

    fault = "feeding"
    witness = trains(["ab", "c"])

    @classmethod
    def documents(cls, corpus):
        return (document[:2] + document[2:] if len(document) != 1 else document[1] for document in corpus)


class BadTrainsOnCharacters(Base):
    """Starts from characters, not bytes, so that a merge may join tokens that no merge made.

    Stands for: https://github.com/huggingface/swift-transformers/pull/355
    """

    fault = "feeding"
    witness = trains(["\u00e9a"])

    @classmethod
    def count_words(cls, pieces):
        return [(tuple(character.encode() for character in piece), 1) for piece in pieces]


class BadTrainsWithPrefixSpace(Base):
    """Puts a space before each document.

    Stands for: https://github.com/google/sentencepiece/issues/185
    """

    fault = "feeding"
    witness = trains(["ab"])

    @classmethod
    def documents(cls, corpus):
        return (" " + document for document in corpus)


class BadTrainsOnLowerCase(Base):
    """Trains on the corpus in small letters.

    Stands for: https://github.com/huggingface/tokenizers/issues/438
    """

    fault = "feeding"
    witness = trains(["AB"])

    @classmethod
    def documents(cls, corpus):
        return (document.lower() for document in corpus)


class BadTrainsOnNfc(Base):
    """Trains on the corpus in normalisation form C, and encodes text as it is.

    Stands for: a trap of normalising in one place only
    """

    fault = "feeding"
    witness = trains(["e\u0301"])

    @classmethod
    def documents(cls, corpus):
        return (unicodedata.normalize("NFC", document) for document in corpus)


class BadSkipsLongDocuments(Base):
    """Skips documents of more than 512 bytes.

    Stands for: a trap of limits nobody declared
    """

    fault = "feeding"
    witness = trains(["ab" * 300])

    @classmethod
    def documents(cls, corpus):
        return (document for document in corpus if len(document.encode()) <= 512)


class BadCutsLongPieces(Base):
    """Cuts pieces of more than 64 bytes before it counts their pairs.

    Stands for: a trap of limits nobody declared
    """

    fault = "feeding"
    witness = trains(["a" * 64 + "b"])

    @classmethod
    def count_words(cls, pieces):
        words = super().count_words(pieces)
        return [(word[i : i + 64], count) for word, count in words for i in range(0, len(word), 64)]
