"""Planted bugs: the loop is right, the ranks or the ids that it looks up are not."""

import struct
from functools import cache, cached_property
from itertools import pairwise
from math import inf

from tests.known_wrong.base import Base, encodes


@cache
def filler(count):
    """So many merges in capitals, which a witness in small letters never uses: what follows has the rank `count`."""
    pairs = [(b"%c" % left, b"%c" % right) for left in range(65, 85) for right in range(65, 80)]
    triples = [(left + right, b"%c" % byte) for left, right in pairs for byte in range(256)]
    return tuple((pairs + triples)[:count])


class BadRanksOf8Bits(Base):
    """Compares ranks by their lowest eight bits.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("abc", *filler(255), "a b", "b c")

    def rank(self, pair):
        return super().rank(pair) % 256 if pair in self.ranks else inf


class BadRanksOf7BitsAndSign(Base):
    """Holds ranks in a signed byte: 128 is less than nothing.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("abc", *filler(127), "a b", "b c")

    def rank(self, pair):
        return (super().rank(pair) + 128) % 256 - 128 if pair in self.ranks else inf


class BadRanksOf16Bits(Base):
    """Compares ranks by their lowest sixteen bits.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("abc", *filler(65535), "a b", "b c")

    def rank(self, pair):
        return super().rank(pair) % 65536 if pair in self.ranks else inf


class BadRanksOf15BitsAndSign(Base):
    """Holds ranks in a signed 16-bit number: 32,768 is less than nothing.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("abc", *filler(32767), "a b", "b c")

    def rank(self, pair):
        return (super().rank(pair) + 32768) % 65536 - 32768 if pair in self.ranks else inf


class BadRanksInHalfPrecision(Base):
    """Holds ranks as 16-bit floats: above 2,048 neighbouring ranks are one, above 65,504 all are.

    Stands for: a trap of scores kept as floats
    """

    fault = "ranks"
    witness = encodes("abc", *filler(2048), "b c", "a b")

    def rank(self, pair):
        return struct.unpack("e", struct.pack("e", min(self.ranks[pair], 65504)))[0] if pair in self.ranks else inf


class BadRanksAsText(Base):
    """Compares ranks as decimal text: 10 comes before 9.

    Stands for: a trap of tables read from text
    """

    fault = "ranks"
    witness = encodes("abc", *filler(9), "a b", "b c")

    def choose(self, tokens):
        known = [pair for pair in pairwise(tokens) if pair in self.ranks]
        return min(known, key=lambda pair: str(self.ranks[pair]), default=None)


class BadRanksAbove255Equal(Base):
    """Of merges ranked above 255 the leftmost in the piece goes first.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("abc", *filler(256), "b c", "a b")

    def rank(self, pair):
        return min(super().rank(pair), 256) if pair in self.ranks else inf


class BadRanksAbove65535Unknown(Base):
    """Merges of rank 65,536 and beyond do not apply.

    Stands for: a trap of narrow ranks
    """

    fault = "ranks"
    witness = encodes("ab", *filler(65536), "a b")

    def list_merges(self):
        return super().list_merges()[:65536]

    def rank_table(self):
        return {merge: rank for rank, merge in enumerate(self.merges)}


class BadRankZero(Base):
    """Takes rank 0 for no rank.

    Stands for: a trap of testing a number for truth
    """

    fault = "ranks"
    witness = encodes("ab", "a b")

    def rank(self, pair):
        return super().rank(pair) or inf


class BadLastMergeUnused(Base):
    """Never applies the last merge.

    Stands for: a trap of ends that are off by one
    """

    fault = "ranks"
    witness = encodes("abc", "a b", "ab c")

    def rank(self, pair):
        return inf if super().rank(pair) == len(self.merges) - 1 else super().rank(pair)


class BadOneMergePerLeftSide(Base):
    """Keeps one merge for each left side, the latest.

    Stands for: a trap of tables keyed by half a pair
    """

    fault = "ranks"
    witness = encodes("abac", "a b", "a c")

    def rank_table(self):
        latest = {left: (right, rank) for rank, (left, right) in enumerate(self.merges)}
        return {(left, right): rank for left, (right, rank) in latest.items()}


class BadLongestMergeFirst(Base):
    """Merges the pair that makes the longest token first.

    Stands for: a trap of taking BPE for a shortest path
    """

    fault = "ranks"
    witness = encodes("bcad", "b c", "a d", "bc a")

    def choose(self, tokens):
        known = [pair for pair in pairwise(tokens) if pair in self.ranks]
        return max(known, key=lambda pair: (len(pair[0] + pair[1]), -self.ranks[pair]), default=None)


class BadMergesSorted(Base):
    """Ranks the merges by their bytes, as a sorted file would.

    Stands for: a trap of sorted tables
    """

    fault = "ranks"
    witness = encodes("abc", "b c", "a b")

    def rank_table(self):
        return {merge: rank for rank, merge in enumerate(sorted(self.merges))}


class BadRanksByIdOfProduct(Base):
    """Ranks a merge by the id of what it makes, which an earlier merge may have made first.

    Stands for: https://github.com/openai/tiktoken/issues/60
    """

    fault = "ranks"
    witness = encodes("abcd", "a b", "b c", "a bc", "c d", "ab c")

    def rank(self, pair):
        return self.id_of(pair[0] + pair[1]) if pair in self.ranks else inf


class BadRanksByBytesUndeclared(Base):
    """Looks a pair up by its joined bytes, and declares that it goes by the pair.

    Stands for: https://github.com/openai/tiktoken/issues/60
    """

    fault = "ranks"
    witness = encodes("aaa", "a a", "a aa")

    def __init__(self, vocabulary):
        self.rank_by = "bytes"
        super().__init__(vocabulary)


class BadRanksByPairUndeclared(Base):
    """Looks a pair up as a pair, and declares that it goes by the joined bytes.

    Stands for: https://github.com/openai/tiktoken/issues/60
    """

    fault = "ranks"
    rank_by = "bytes"
    witness = encodes("aaa", "a a", "a aa")

    def __init__(self, vocabulary):
        self.rank_by = "pair"
        super().__init__(vocabulary)


class BadWholePieceFirstUndeclared(Base):
    """Emits a piece that is a token whole, though the merges do not lead to it, and does not declare that.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/7193
    """

    fault = "ranks"
    witness = encodes("aaa", "a a", "a aa")

    def __init__(self, vocabulary):
        self.whole_piece_first = True
        super().__init__(vocabulary)


class BadWholePieceFirstIgnored(Base):
    """Declares that a piece that is a token is emitted whole, and merges it all the same.

    Stands for: https://github.com/crusoecloud/fastokens/pull/11
    """

    fault = "ranks"
    whole_piece_first = True
    witness = encodes("aaa", "a a", "a aa")

    def __init__(self, vocabulary):
        self.whole_piece_first = False
        super().__init__(vocabulary)


class BadPairsJoinedBySpace(Base):
    """Looks a pair up as its sides joined by a space, so (a, " b") stands for ("a ", b).

    Stands for: https://github.com/huggingface/tokenizers/issues/645
    """

    fault = "ranks"
    witness = encodes("a b", (b" ", b"b"), (b"a", b" "), (b"a ", b"b"))

    def rank_table(self):
        return {b" ".join(merge): rank for rank, merge in enumerate(self.merges)}

    def rank(self, pair):
        return self.ranks.get(b" ".join(pair), inf)


class BadPairsUnordered(Base):
    """A merge and the same two tokens the other way round share the rank of the first of them.

    Stands for: a trap of keys that are sets
    """

    fault = "ranks"
    witness = encodes("bac", "a b", "a c", "b a")

    def rank(self, pair):
        return min(super().rank(pair), super().rank(pair[::-1])) if pair in self.ranks else inf


class BadTokensByText(Base):
    """Looks tokens up by their text, under which all tokens that are no UTF-8 are one.

    Stands for: https://github.com/huggingface/swift-transformers/pull/113
    """

    fault = "ranks"
    witness = encodes("\u00e9")

    @cached_property
    def ids(self):
        return {token.decode(errors="replace"): token_id for token, token_id in self.vocabulary.id_of.items()}

    def id_of(self, token):
        return self.ids[token.decode(errors="replace")]


class BadIdsWithoutGaps(Base):
    """Numbers the tokens on without a gap where a merge makes a token that is there already.

    Stands for: a trap of numbering tokens, not merges
    """

    fault = "ranks"
    witness = encodes("d ", "a b", "b c", "a bc", "ab c", (b"d", b" "))

    @cached_property
    def ids(self):
        return {token: number for number, token in enumerate(self.vocabulary.id_of)}

    def id_of(self, token):
        return self.ids[token]


class BadIdsOfLastMerge(Base):
    """Gives a token that two merges make the id of the later one.

    Stands for: https://github.com/ohdearquant/lattice/issues/259
    """

    fault = "ranks"
    witness = encodes("abc", "a b", "b c", "a bc", "ab c")

    @cached_property
    def ids(self):
        return {left + right: len(self.vocabulary.base) + rank for rank, (left, right) in enumerate(self.merges)}

    def id_of(self, token):
        return self.ids.get(token, super().id_of(token))


class BadIdsSpecialTokensFirst(Base):
    """Numbers the special tokens before the merges, so that merged tokens move up.

    Stands for: a trap of numbering special tokens anew
    """

    fault = "ranks"
    witness = encodes("ab", "a b", special_tokens={"<s>": 300})

    def id_of(self, token):
        shift = len(self.vocabulary.special_tokens) if len(token) > 1 else 0
        return super().id_of(token) + shift


class BadRankOfDeepMerges(Base):
    """Merges that stand on more than eight others do not apply.

    Stands for: a trap of bounded depth
    """

    fault = "ranks"
    witness = encodes("abcdefghijk", *(f"{'abcdefghijk'[: i + 1]} {'abcdefghijk'[i + 1]}" for i in range(10)))

    def rank_table(self):
        depth = {}
        for left, right in self.merges:
            depth.setdefault(left + right, 1 + max(depth.get(left, 0), depth.get(right, 0)))
        return {(left, right): n for n, (left, right) in enumerate(self.merges) if depth[left + right] <= 9}
