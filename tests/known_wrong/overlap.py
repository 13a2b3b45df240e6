"""Planted bugs: pairs that overlap, or stand several times in one piece, are counted or merged wrongly in training."""

from itertools import pairwise

from tests.known_wrong.base import Base, Incremental, trains


def without_overlap(word):
    """The pairs of a word, no two of equal tokens overlapping."""
    taken = []
    for place, pair in enumerate(pairwise(word)):
        if pair[0] == pair[1] and taken and taken[-1] == (place - 1, pair):
            continue
        taken.append((place, pair))
    return [pair for _, pair in taken]


class BadCountsWithoutOverlap(Base):
    """Counts a run of m equal tokens as m // 2 pairs, so that the pair of a run may lose its turn.

    Stands for: https://github.com/karpathy/minbpe/issues/51
    """

    fault = "overlap"
    witness = trains(["aaaaa", "bc", "bc", "bc"])

    @classmethod
    def count_pairs(cls, words):
        counts = {}
        for word, count in words:
            for pair in without_overlap(word):
                counts[pair] = counts.get(pair, 0) + count
        return counts


class BadStartsWithoutOverlap(Incremental):
    """The first counts of an incremental trainer leave overlaps out, the changes do not.

    Stands for: https://github.com/karpathy/minbpe/issues/51
    """

    fault = "overlap"
    witness = trains(["abbb"])

    class Trainer(Incremental.Trainer):
        def pairs(self, word):
            return without_overlap(word)


class BadMergedRunsWithoutOverlap(Base):
    """Counts runs of a merged token without overlap, runs of a byte with it.

    Stands for: https://github.com/karpathy/minbpe/issues/51
    """

    fault = "overlap"
    witness = trains(["bbab"])

    @classmethod
    def count_pairs(cls, words):
        counts = {}
        for word, count in words:
            merged = [pair for pair in without_overlap(word) if len(pair[0]) > 1]
            for pair in [pair for pair in pairwise(word) if len(pair[0]) == 1] + merged:
                counts[pair] = counts.get(pair, 0) + count
        return counts


class BadCountsOncePerPiece(Base):
    """Counts a pair once for a piece, however often it stands there.

    Stands for: a trap of counting pieces, not occurrences
    """

    fault = "overlap"
    witness = trains(["cdabab", "cd"])

    @classmethod
    def count_pairs(cls, words):
        return super().count_pairs([(pair, count) for word, count in words for pair in dict.fromkeys(pairwise(word))])


class BadCountsDistinctPieces(Base):
    """Counts a pair once for each distinct piece, however often the piece occurs.

    Stands for: a trap of counting pieces, not occurrences
    """

    fault = "overlap"
    witness = trains(["ab", "cd", "cd"])

    @classmethod
    def count_words(cls, pieces):
        return [(word, 1) for word, _ in super().count_words(pieces)]


class BadTrainingJoinsFromTheRight(Base):
    """Training joins the occurrences of a pair from right to left.

    Stands for: a trap of incremental trainers
    """

    fault = "overlap"
    witness = trains(["aaa"])

    @classmethod
    def apply(cls, words, pair):
        reverse = [(word[::-1], count) for word, count in words]
        joined = super().apply(reverse, pair[::-1])
        names = {pair[1] + pair[0]: pair[0] + pair[1]}
        return [(tuple(names.get(token, token) for token in word[::-1]), count) for word, count in joined]


class BadTrainingJoinsOnce(Base):
    """Training joins only the first occurrence of a pair in each piece.

    Stands for: a trap of incremental trainers
    """

    fault = "overlap"
    witness = trains(["abab"])

    @classmethod
    def apply(cls, words, pair):
        return [
            ((*cls.join(word[:end], pair), *word[end:]), count)
            for word, count in words
            for end in [next((place + 2 for place, other in enumerate(pairwise(word)) if other == pair), 0)]
        ]


class BadTrainingJoinsFirstPieceOnly(Base):
    """Training joins a pair only in the first distinct piece that holds it.

    Stands for: a trap of incremental trainers
    """

    fault = "overlap"
    witness = trains(["ab", "abc"])

    @classmethod
    def apply(cls, words, pair):
        first = next(i for i, (word, _) in enumerate(words) if pair in pairwise(word))
        return [*words[:first], *super().apply(words[first : first + 1], pair), *words[first + 1 :]]


class BadTrainingSkipsRuns(Base):
    """Never learns a pair of equal tokens.

    Stands for: https://github.com/google/sentencepiece/issues/318
    """

    fault = "overlap"
    witness = trains(["aab"])

    @classmethod
    def count_pairs(cls, words):
        return {pair: count for pair, count in super().count_pairs(words).items() if pair[0] != pair[1]}


class BadCountsPieceEnds(Base):
    """Counts the pair that the last and the first byte of a piece would make.

    Stands for: a trap of counting by index modulo the length
    """

    fault = "overlap"
    witness = trains(["abc", "ca"])

    @classmethod
    def count_pairs(cls, words):
        return super().count_pairs([((*word, word[0]) if len(word) > 2 else word, count) for word, count in words])


class BadCountsFirstPairTwice(Base):
    """Counts the first pair of a piece twice.

    Stands for: a trap of loops that count before they start
    """

    fault = "overlap"
    witness = trains(["cdab", "cda", "da"])

    @classmethod
    def count_pairs(cls, words):
        counts = super().count_pairs(words)
        for word, count in words:
            if len(word) > 1:
                counts[word[:2]] += count
        return counts


class BadCountsCappedPerPiece(Base):
    """Counts no pair more than three times in one piece.

    Stands for: a trap of counting pieces, not occurrences
    """

    fault = "overlap"
    witness = trains(["cdababababab", "cd", "cd", "cd"])

    @classmethod
    def count_pairs(cls, words):
        counts = {}
        for word, count in words:
            for pair, times in super().count_pairs([(word, 1)]).items():
                counts[pair] = counts.get(pair, 0) + min(times, 3) * count
        return counts
