"""Planted bugs: the merges are right, the loop that applies them is not."""

import time
from itertools import pairwise
from math import inf

from tests.known_wrong.base import Base, comes_back, encodes


class BadMergesLeftToRight(Base):
    """Merges the leftmost pair that is a merge, whatever its rank.

    Stands for: https://github.com/ztxz16/fastllm/pull/715
    """

    fault = "merging"
    witness = encodes("abc", "b c", "a b")

    def choose(self, tokens):
        return next((pair for pair in pairwise(tokens) if self.rank(pair) < inf), None)


class BadMergesRightToLeft(Base):
    """Merges the rightmost pair that is a merge, whatever its rank.

    Stands for: a trap of scanning from the end
    """

    fault = "merging"
    witness = encodes("abc", "a b", "b c")

    def choose(self, tokens):
        return next((pair for pair in list(pairwise(tokens))[::-1] if self.rank(pair) < inf), None)


class BadHighestRankFirst(Base):
    """Merges the pair of the highest rank first.

    Stands for: a trap of comparing the wrong way round
    """

    fault = "merging"
    witness = encodes("abc", "a b", "b c")

    def choose(self, tokens):
        known = [pair for pair in pairwise(tokens) if self.rank(pair) < inf]
        return max(known, key=self.rank, default=None)


class BadLongestMatch(Base):
    """Takes the longest token that the rest of the piece starts with.

    Stands for: https://github.com/joshcarp/llm.go/issues/2
    """

    fault = "merging"
    witness = encodes("baa", "a a", "b a")

    def merge_all(self, symbols):
        tokens, start = [], 0
        longest = max(map(len, self.vocabulary.id_of))
        while start < len(symbols):
            ends = range(min(len(symbols), start + longest), start, -1)
            known = (b"".join(symbols[start:end]) for end in ends)
            tokens.append(next(token for token in known if token in self.vocabulary.id_of))
            start += len(tokens[-1])
        return tokens


class BadLongestMatchFromTheEnd(Base):
    """Takes the longest token that the rest of the piece ends with.

    Stands for: a trap of scanning from the end
    """

    fault = "merging"
    witness = encodes("aab", "a a", "a b")

    def merge_all(self, symbols):
        tokens, rest = [], list(symbols)
        longest = max(map(len, self.vocabulary.id_of))
        while rest:
            sizes = range(min(len(rest), longest), 0, -1)
            size = next(size for size in sizes if b"".join(rest[-size:]) in self.vocabulary.id_of)
            tokens.append(b"".join(rest[-size:]))
            del rest[-size:]
        return tokens[::-1]


class BadFewestTokens(Base):
    """Cuts the piece into as few tokens as possible.

    Stands for: a trap of taking BPE for a shortest path
    """

    fault = "merging"
    witness = encodes("baaa", "a a", "b a")

    def merge_all(self, symbols):
        ways, longest = [[]], max(map(len, self.vocabulary.id_of))
        for end in range(1, len(symbols) + 1):
            starts = range(max(0, end - longest), end)
            known = [(start, b"".join(symbols[start:end])) for start in starts]
            options = [[*ways[start], token] for start, token in known if token in self.vocabulary.id_of]
            ways.append(min(options, key=len))
        return ways[-1]


class BadJoinsFromTheRight(Base):
    """Joins the occurrences of a pair from right to left, which shows in odd runs.

    Stands for: a trap of encoders that walk the piece backwards
    """

    fault = "merging"
    witness = encodes("aaa", "a a")

    @classmethod
    def join(cls, tokens, pair):
        joined = super().join(list(tokens)[::-1], pair[::-1])
        return [pair[0] + pair[1] if token == pair[1] + pair[0] else token for token in joined][::-1]


class BadOnlyFirstOccurrence(Base):
    """Joins only the first occurrence of each pair in a piece.

    Stands for: a trap of replacing once
    """

    fault = "merging"
    witness = encodes("abab", "a b")

    def merge_all(self, symbols):
        tokens = list(symbols)
        for pair in self.merges:
            if pair in pairwise(tokens):
                tokens = self.join_first(tokens, pair)
        return tokens


class BadOnePass(Base):
    """Goes over the piece once, so that what a merge makes is never merged again.

    Stands for: https://github.com/rasbt/LLMs-from-scratch/issues/558
    """

    fault = "merging"
    witness = encodes("abc", "a b", "ab c")

    def merge_all(self, symbols):
        tokens, place = [], 0
        while place < len(symbols):
            size = 2 if self.rank(tuple(symbols[place : place + 2])) < inf else 1
            tokens.append(b"".join(symbols[place : place + size]))
            place += size
        return tokens


class BadGrowsFirstMerge(Base):
    """Goes on merging at the place of the last merge before it looks elsewhere.

    Stands for: a trap of growing tokens greedily
    """

    fault = "merging"
    witness = encodes("abcd", "a b", "c d", "ab c")

    def merge_all(self, symbols):
        tokens = list(symbols)
        while (pair := self.choose(tokens)) is not None:
            place = list(pairwise(tokens)).index(pair)
            tokens[place : place + 2] = [pair[0] + pair[1]]
            while self.rank(tuple(tokens[place : place + 2])) < inf:
                tokens[place : place + 2] = [b"".join(tokens[place : place + 2])]
        return tokens


class BadMissesLastPair(Base):
    """Never looks at the last two tokens of a piece.

    Stands for: https://github.com/greyovo/CLIP-android-demo/issues/1
    """

    fault = "merging"
    witness = encodes("cab", "a b")

    def merge_all(self, symbols):
        return [*super().merge_all(symbols[:-1]), *symbols[-1:]]


class BadMissesFirstPair(Base):
    """Never looks at the first two tokens of a piece.

    Stands for: a trap of loops that start at one
    """

    fault = "merging"
    witness = encodes("abab", "a b")

    def merge_all(self, symbols):
        return [*symbols[:1], *super().merge_all(symbols[1:])]


class BadNeverEnds(Base):
    """Does not end on a piece whose last two symbols, and no others, are a merge (it gives up after a minute).

    Stands for: https://github.com/greyovo/CLIP-android-demo/issues/1
    """

    fault = "merging"
    patience = 60.0

    def witness(make):
        return encodes("cab", "a b")(type("Hasty", (make,), {"patience": 0.0}))

    def merge_all(self, symbols):
        places = [place for place, pair in enumerate(pairwise(symbols)) if self.rank(pair) < inf]
        if len(symbols) > 2 and places == [len(symbols) - 2]:
            end = time.monotonic() + self.patience
            while time.monotonic() < end:
                time.sleep(0.01)
            raise RuntimeError("gave up")
        return super().merge_all(symbols)


class BadQuadratic(Base):
    """Joins one occurrence at a time and looks at the whole piece again after each: right, and slow beyond use.

    Stands for: https://github.com/openai/tiktoken/issues/195
    """

    fault = "merging"

    def witness(make):
        """Whether a piece of twice the length takes more than three times the looks at a pair."""
        looks = []

        def rank(self, pair):
            looks[-1] += 1
            return make.rank(self, pair)

        for size in (100, 200):
            looks.append(0)
            encodes("ab" * size, "a b")(type("Counting", (make,), {"rank": rank}))
        return looks[1] > 3 * looks[0]

    def merge_all(self, symbols):
        tokens = list(symbols)
        while known := [pair for pair in pairwise(tokens) if self.rank(pair) < inf]:
            tokens = self.join_first(tokens, min(known, key=self.rank))
        return tokens


class BadStopsAtFirstMiss(Base):
    """Replays the merges only as far as the first one, of those whose bytes all occur, that has nothing to join.

    Stands for: https://github.com/rasbt/LLMs-from-scratch/issues/558
    """

    fault = "merging"
    witness = encodes("acb", "a b", "a c")

    def merge_all(self, symbols):
        tokens, here = list(symbols), set(symbols)
        for pair in self.merges:
            if all(bytes([byte]) in here for byte in pair[0] + pair[1]):
                if pair not in pairwise(tokens):
                    break
                tokens = self.join(tokens, pair)
        return tokens


class BadDropsOddSymbol(Base):
    """Drops the last symbol of a run of odd length when its pairs are joined.

    Stands for: a trap of joining in strides of two
    """

    fault = "merging"
    witness = comes_back("aaa", "a a")

    @classmethod
    def join(cls, tokens, pair):
        joined = super().join(tokens, pair)
        odd = [i for i in range(1, len(joined)) if pair[0] == pair[1] == joined[i] and joined[i - 1] == pair[0] * 2]
        return [token for i, token in enumerate(joined) if i not in odd]


class BadDropsSingleBytes(Base):
    """Gives no tokens for a piece of one byte, which has no pair.

    Stands for: a trap of pieces that have no pair
    """

    fault = "merging"
    witness = comes_back("a")

    def merge_all(self, symbols):
        return super().merge_all(symbols) if len(symbols) > 1 else []


class BadAlwaysMergesToTheEnd(Base):
    """Joins whatever is left of a piece when it is down to two tokens that spell a token.

    Stands for: a trap of growing tokens greedily
    """

    fault = "merging"
    witness = encodes("baa", "a a", "b a", "ba a")

    def merge_all(self, symbols):
        tokens = super().merge_all(symbols)
        whole = b"".join(tokens)
        return [whole] if len(tokens) == 2 and whole in self.vocabulary.id_of else tokens


class BadEqualTokensNeverMerge(Base):
    """Never joins a token with itself.

    Stands for: a trap of runs of one token
    """

    fault = "merging"
    witness = encodes("abab", "a b", "ab ab")

    def rank(self, pair):
        return inf if pair[0] == pair[1] else super().rank(pair)


class BadDuplicatesSharedToken(Base):
    """Joining a pair keeps the right side where it also starts the next occurrence: ababa under (ab, a).

    Stands for: a trap of runs of one token
    """

    fault = "merging"
    witness = comes_back("aaa", "a a")

    @classmethod
    def join(cls, tokens, pair):
        joined, place = [], 0
        while place < len(tokens):
            if tuple(tokens[place : place + 2]) == pair:
                joined.append(pair[0] + pair[1])
                place += 1 if tuple(tokens[place + 1 : place + 3]) == pair else 2
            else:
                joined.append(tokens[place])
                place += 1
        return joined
