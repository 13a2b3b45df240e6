"""Planted bugs: among the pairs of the highest count, another one is taken than the declared tie rule says."""

import os
import random
import subprocess
import sys
from itertools import pairwise

from tests.known_wrong.base import TIE_KEYS, Base, Plain, trains

MANY = "qwertyuiopasdfghjklzxcvbnm"
PAIRS = [MANY[i : i + 2] for i in range(0, 26, 2)]


def under_hash_seeds(make):
    """Whether training gives the same in two processes with hash seeds of their own."""
    named = Plain if make.__name__ == "Declared" else make
    code = (
        f"from {named.__module__} import {named.__name__} as Tokenizer\n"
        f"print(Tokenizer.train({PAIRS!r}, 13, pattern=None, tie_rule='first-seen'))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, stdout=subprocess.PIPE)
        for seed in ("1", "2")
    ]
    return runs[0].stdout == runs[1].stdout and not any(run.returncode for run in runs)


class BadTiesLastSeen(Base):
    """Under first-seen ties it takes the pair that is seen last.

    Stands for: a trap of comparing the wrong way round
    """

    fault = "ties"
    witness = trains(["ab", "cd"])

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return tied[-1] if tie_rule == "first-seen" else super().break_tie(tied, tie_rule, merges)


class BadTiesByInsertion(Base):
    """Under first-seen ties it goes by the step at which a pair was ever counted first, as one kept table would.

    Stands for: a trap of incremental trainers
    """

    fault = "ties"
    witness = trains(["aaab"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        fresh = type("WithBirths", (cls,), {"births": {}})
        return super(BadTiesByInsertion, fresh).learn(words, num_merges, tie_rule)

    @classmethod
    def best(cls, counts, tie_rule, merges):
        for pair in counts:
            cls.births.setdefault(pair, len(cls.births))
        return super().best(dict(sorted(counts.items(), key=lambda item: cls.births[item[0]])), tie_rule, merges)


class BadTiesByLiveInsertion(Base):
    """As a table that drops the pairs whose count is zero: first-seen goes by when the pair was entered last.

    Stands for: a trap of incremental trainers
    """

    fault = "ties"
    witness = trains(["aaa", "ab"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        fresh = type("WithTable", (cls,), {"table": {}})
        return super(BadTiesByLiveInsertion, fresh).learn(words, num_merges, tie_rule)

    @classmethod
    def best(cls, counts, tie_rule, merges):
        for pair in [pair for pair in cls.table if pair not in counts]:
            del cls.table[pair]
        cls.table.update(counts)
        return super().best(cls.table, tie_rule, merges)


class BadTiesByPieceFrequency(Base):
    """Sorts the pieces by how often they occur, so first-seen is another pair.

    Stands for: a trap of pieces put in another order
    """

    fault = "ties"
    witness = trains(["ab", "abq", "cd", "cd"])

    @classmethod
    def count_words(cls, pieces):
        return sorted(super().count_words(pieces), key=lambda item: -item[1])


class BadTiesBySortedPieces(Base):
    """Sorts the pieces by their text, so first-seen is another pair.

    Stands for: a trap of pieces put in another order
    """

    fault = "ties"
    witness = trains(["cd", "ab"])

    @classmethod
    def count_words(cls, pieces):
        return sorted(super().count_words(pieces))


class BadTiesAcrossShards(Base):
    """Counts the pieces in two shards, the even ones before the odd ones, so first-seen is another pair.

    Stands for: a trap of pieces put in another order
    """

    fault = "ties"
    witness = trains(["ab", "cd", "ef"])

    @classmethod
    def count_words(cls, pieces):
        pieces = list(pieces)
        return super().count_words(pieces[::2] + pieces[1::2])


class BadTiesBySet(Plain):
    """Takes whichever of the tied pairs a set gives first: another hash seed, another vocabulary.

    Stands for: https://github.com/huggingface/tokenizers/issues/1794
    """

    fault = "ties"
    witness = under_hash_seeds

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return next(iter(set(tied)))


class BadPiecesInSet(Plain):
    """Holds the pieces in a set, whose order changes with the hash seed.

    Stands for: https://github.com/huggingface/tokenizers/issues/1794
    """

    fault = "ties"
    witness = under_hash_seeds

    @classmethod
    def count_words(cls, pieces):
        pieces = list(pieces)
        order = list(set(pieces))
        return super().count_words(sorted(pieces, key=order.index))


class BadTiesByHash(Base):
    """Declares first-seen ties and goes by the hash of the pair's text.

    Stands for: https://github.com/huggingface/tokenizers/issues/1794
    """

    fault = "ties"
    witness = trains([MANY], 20)

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return min(tied, key=hash) if tie_rule == "first-seen" else super().break_tie(tied, tie_rule, merges)


class BadTiesAtRandom(Plain):
    """Takes one of the tied pairs at random.

    Stands for: https://github.com/huggingface/tokenizers/issues/1794
    """

    fault = "ties"

    def witness(make):
        return trains([MANY], 20)(make) == trains([MANY], 20)(make)

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return random.SystemRandom().choice(tied)


class BadTiesAlternate(Plain):
    """Takes the first of the tied pairs in one training and the last in the next.

    Stands for: https://github.com/huggingface/tokenizers/issues/1794
    """

    fault = "ties"
    trainings = 0

    def witness(make):
        return trains([MANY], 20)(make) == trains([MANY], 20)(make)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        BadTiesAlternate.trainings += 1
        return super().learn(words, num_merges, tie_rule)

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return tied[-(cls.trainings % 2)]


class BadTiesAlwaysFirstSeen(Base):
    """Takes the pair seen first, whatever tie rule is asked for.

    Stands for: https://github.com/karpathy/minbpe/pull/90
    """

    fault = "ties"
    witness = trains(["cd", "ab"], tie_rule="smallest-bytes")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return tied[0]


class BadTiesAlwaysSmallest(Base):
    """Takes the smallest pair of byte strings, whatever tie rule is asked for.

    Stands for: a trap of tie rules that look alike
    """

    fault = "ties"
    witness = trains(["cd", "ab"])

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return min(tied)


class BadTiesOfIdsAsBytes(Base):
    """Under smallest-ids it compares the bytes of merged tokens, not their ids.

    Stands for: a trap of tie rules that look alike
    """

    fault = "ties"
    witness = trains(["dabb"], tie_rule="smallest-ids")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return super().break_tie(tied, "smallest-bytes" if tie_rule == "smallest-ids" else tie_rule, merges)


class BadTiesOfIdsUnmapped(Base):
    """Under smallest-ids-mapped it numbers the bytes by their value.

    Stands for: a trap of tables of printable characters
    """

    fault = "ties"
    witness = trains([" a", "bc"], tie_rule="smallest-ids-mapped")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return super().break_tie(tied, tie_rule.removesuffix("-mapped"), merges)


class BadTiesOfIdsMapped(Base):
    """Under smallest-ids it numbers the bytes in the order of GPT-2's table.

    Stands for: a trap of tables of printable characters
    """

    fault = "ties"
    witness = trains([" a", "bc"], tie_rule="smallest-ids")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return super().break_tie(tied, tie_rule.removesuffix("-mapped").replace("-ids", "-ids-mapped"), merges)


class BadTiesByRightSideFirst(Base):
    """Under smallest-bytes and smallest-ids it compares the right sides before the left ones.

    Stands for: a trap of keys packed low word first
    """

    fault = "ties"
    witness = trains(["ad", "bc"], tie_rule="smallest-ids")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        key, turned = TIE_KEYS[tie_rule](merges), tie_rule in {"smallest-bytes", "smallest-ids"}
        return min(tied, key=lambda pair: key(pair[::-1]) if turned else key(pair))


class BadTiesByLeftSideOnly(Base):
    """Under smallest-bytes it compares the left sides only.

    Stands for: a trap of keys that are half a pair
    """

    fault = "ties"
    witness = trains(["ad", "ac"], tie_rule="smallest-bytes")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule == "smallest-bytes":
            return min(tied, key=lambda pair: pair[0])
        return super().break_tie(tied, tie_rule, merges)


class BadTiesByJoinedBytes(Base):
    """Under smallest-bytes and largest-bytes it compares the joined bytes, not the pair.

    Stands for: a trap of pairs kept as one string
    """

    fault = "ties"
    witness = trains(["aaab"], tie_rule="smallest-bytes")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        joined = {"smallest-bytes": min, "largest-bytes": max}.get(tie_rule)
        return joined(tied, key=b"".join) if joined else super().break_tie(tied, tie_rule, merges)


class BadTiesOfSignedBytes(Base):
    """Compares bytes as signed numbers: those from 0x80 on come before the others.

    Stands for: a trap of signed bytes
    """

    fault = "ties"
    witness = trains(["ab", "\u00e9"], tie_rule="smallest-bytes")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule != "smallest-bytes":
            return super().break_tie(tied, tie_rule, merges)
        return min(tied, key=lambda pair: [[(byte + 128) % 256 for byte in side] for side in pair])


class BadTiesShorterPrefix(Base):
    """Under smallest-concatenation the shorter of two wins where one is a prefix of the other.

    Stands for: a trap of comparing strings as a library does
    """

    fault = "ties"
    witness = trains(["bcbcb"], tie_rule="smallest-concatenation")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule == "smallest-concatenation":
            return min(tied, key=b"".join)
        return super().break_tie(tied, tie_rule, merges)


class BadTiesShortestOnly(Base):
    """Under shortest-then-smallest it compares the lengths and then goes by first-seen.

    Stands for: a trap of half a sort key
    """

    fault = "ties"
    witness = trains(["cd", "ab"], tie_rule="shortest-then-smallest")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule == "shortest-then-smallest":
            return min(tied, key=lambda pair: len(pair[0] + pair[1]))
        return super().break_tie(tied, tie_rule, merges)


class BadTiesLengthOfLeft(Base):
    """Under shortest-then-smallest it takes the length of the left side for that of the joined bytes.

    Stands for: a trap of half a sort key
    """

    fault = "ties"
    witness = trains(["cbca"], tie_rule="shortest-then-smallest")

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule == "shortest-then-smallest":
            return min(tied, key=lambda pair: (len(pair[0]), pair[0] + pair[1]))
        return super().break_tie(tied, tie_rule, merges)


class BadTiesFirstPieceOnly(Base):
    """Under first-seen ties it takes the smallest of the pairs in the first piece that has one.

    Stands for: a trap of first positions kept by piece
    """

    fault = "ties"
    witness = trains(["cdab"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        fresh = type("WithWords", (cls,), {"words": words})
        return super(BadTiesFirstPieceOnly, fresh).learn(words, num_merges, tie_rule)

    @classmethod
    def apply(cls, words, pair):
        cls.words = super().apply(words, pair)
        return cls.words

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        if tie_rule != "first-seen":
            return super().break_tie(tied, tie_rule, merges)
        for word, _ in cls.words:
            if here := [pair for pair in tied if pair in pairwise(word)]:
                return min(here)
        raise AssertionError("a tied pair stands in a word")
