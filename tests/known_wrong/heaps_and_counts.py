"""Planted bugs in the bookkeeping: of an encoder with a heap, and of a trainer that keeps its counts up to date."""

from heapq import heappush
from itertools import pairwise

from tests.known_wrong.base import Heap, Incremental, encodes, trains


class BadHeapTrustsEntries(Heap):
    """Does not check that the pair of a heap's entry still stands at its place.

    Stands for: a trap of lazy heaps
    """

    fault = "heaps_and_counts"
    witness = encodes("cdca", "c a", "d c")

    class Chain(Heap.Chain):
        def is_current(self, place, pair):
            return self.tokens[place] is not None and self.after[place] < self.end


class BadHeapChecksLengthOnly(Heap):
    """Checks of a heap's entry only that the two tokens there have as many bytes as they had.

    Stands for: a trap of lazy heaps
    """

    fault = "heaps_and_counts"
    witness = encodes("cbada", "b a", "c b")

    class Chain(Heap.Chain):
        def is_current(self, place, pair):
            alive = self.tokens[place] is not None and self.after[place] < self.end
            return alive and len(self.tokens[place]) == len(pair[0])


class BadHeapForgetsLeft(Heap):
    """Does not look at the pair that a new token makes with its left neighbour.

    Stands for: a trap of linked lists
    """

    fault = "heaps_and_counts"
    witness = encodes("abc", "b c", "a bc")

    class Chain(Heap.Chain):
        def push_left(self, place):
            pass


class BadHeapForgetsRight(Heap):
    """Does not look at the pair that a new token makes with its right neighbour.

    Stands for: a trap of linked lists
    """

    fault = "heaps_and_counts"
    witness = encodes("abc", "a b", "ab c")

    class Chain(Heap.Chain):
        def push_right(self, place):
            pass


class BadHeapBackLink(Heap):
    """Does not set the link back to a new token, so that its right neighbour looks at a dead one.

    Stands for: a trap of linked lists
    """

    fault = "heaps_and_counts"
    witness = encodes("abcd", "a b", "c d", "ab cd")

    class Chain(Heap.Chain):
        def unlink(self, place, right):
            self.after[place] = self.after[right]

        def push(self, place):
            if self.tokens[place] is not None:
                super().push(place)


class BadHeapRightmostFirst(Heap):
    """Of the places of one pair it takes the rightmost first.

    Stands for: a trap of linked lists
    """

    fault = "heaps_and_counts"
    witness = encodes("aaa", "a a")

    class Chain(Heap.Chain):
        def push(self, place):
            super().push(place)
            self.heap.sort()

        def entry(self, place):
            rank, _, pair = super().entry(place)
            return (rank, -place), place, pair


class BadOwnCountKept(Incremental):
    """Counts the merged pair down for its occurrences but not for those that overlapped them.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aaa"])

    class Trainer(Incremental.Trainer):
        def merge(self, pair):
            before = self.counts[pair]
            super().merge(pair)
            lost = sum(self.weights[number] * self.joined(word, pair) for number, word in enumerate(self.words))
            if before > lost:
                self.counts[pair] = before - lost
                self.where[pair] = set(range(len(self.words)))
                heappush(self.heap, (lost - before, pair))

        def joined(self, word, pair):
            return word.count(pair[0] + pair[1])


class BadLeftNeighbourStale(Incremental):
    """Does not update the counts of the pair on the left of a merge.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["baa"], tie_rule="smallest-bytes")

    class Trainer(Incremental.Trainer):
        def update_left(self, number, new, pair):
            pass


class BadRightNeighbourStale(Incremental):
    """Does not update the counts of the pair on the right of a merge.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aaa"])

    class Trainer(Incremental.Trainer):
        def update_right(self, number, following, pair):
            pass


class BadTrainerHeapStale(Incremental):
    """Takes the top of the heap though the count of that pair has fallen since.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aab"])

    class Trainer(Incremental.Trainer):
        def is_current(self, pair, count):
            return pair in self.counts


class BadStaleEntryDropped(Incremental):
    """Drops a stale entry of the heap for good: a pair whose count fell is never seen again.

    Stands for: https://github.com/umran666/UniqToken/issues/8
    """

    fault = "heaps_and_counts"
    witness = trains(["pq", *["pqr"] * 2, *["qrs"] * 2])

    class Trainer(Incremental.Trainer):
        def lose(self, pair, number):
            super().lose(pair, number)
            self.changed.discard(pair)


class BadChangeWithoutWeight(Incremental):
    """Changes the counts by one for a word, however often the word occurs.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aab"] * 3)

    class Trainer(Incremental.Trainer):
        def weight(self, number):
            return 1


class BadStartsWithoutWeight(Incremental):
    """Counts each pair once for a word at the start, however often the word occurs.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aa", *["ab"] * 3])

    class Trainer(Incremental.Trainer):
        def start(self):
            for number, word in enumerate(self.words):
                for pair in pairwise(word):
                    self.add(pair, 1, number)


class BadNeighboursOfOldWord(Incremental):
    """Reads the left neighbour from the word as it was before, where it may be joined by now.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aaaa"])

    class Trainer(Incremental.Trainer):
        def update_left(self, number, new, pair):
            last = [pair[1]] if new[-1:] == [pair[0] + pair[1]] else new[-1:]
            super().update_left(number, last, pair)


class BadFirstOccurrenceInWord(Incremental):
    """Joins only the first occurrence of a pair in a word.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aaaa"])

    class Trainer(Incremental.Trainer):
        def merge_word(self, number, pair):
            word = self.words[number]
            places = [place for place, other in enumerate(pairwise(word)) if other == pair]
            if not places:
                return word
            head, tail = word[: places[0] + 2], word[places[0] + 2 :]
            self.words[number] = head
            head = super().merge_word(number, pair)
            if tail:
                self.lose((pair[1], tail[0]), number)
                self.gain((head[-1], tail[0]), number)
            return head + tail


class BadIndexMissesNewPair(Incremental):
    """Does not enter a new token's pair with its left neighbour in the index of words.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aaaaa"])

    class Trainer(Incremental.Trainer):
        def update_left(self, number, new, pair):
            super().update_left(number, new, pair)
            if new:
                self.where[new[-1], pair[0] + pair[1]].discard(number)


class BadIndexForgetsWord(Incremental):
    """Takes a word out of a pair's index when one of two occurrences is gone.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["ababbb"], tie_rule="smallest-ids")

    class Trainer(Incremental.Trainer):
        def lose(self, pair, number):
            super().lose(pair, number)
            self.where.get(pair, set()).discard(number)


class BadLastPairUncounted(Incremental):
    """Does not count the last pair of a word at the start.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["aa"])

    class Trainer(Incremental.Trainer):
        def pairs(self, word):
            return list(pairwise(word))[:-1]


class BadNewPairsUncounted(Incremental):
    """Counts down the pairs that a merge ends, and not up those that it makes.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["abc"])

    class Trainer(Incremental.Trainer):
        def gain(self, pair, number):
            pass


class BadCountBelowZero(Incremental):
    """Counts a pair of the right neighbour down twice, and a count below zero wraps to a huge one.

    Stands for: https://github.com/huggingface/tokenizers/issues/2320
    """

    fault = "heaps_and_counts"
    witness = trains(["aabc"] * 2)

    class Trainer(Incremental.Trainer):
        def update_right(self, number, following, pair):
            super().update_right(number, following, pair)
            if following and pair[0] != pair[1]:
                self.lose((pair[1], following[0]), number)

        def lose(self, pair, number):
            super().lose(pair, number)
            self.counts[pair] %= 2**32


class BadRepeatedPairZeroed(Incremental):
    """Sets the count of a pair of equal tokens to zero when a merge takes the first of them.

    Stands for: https://github.com/google/sentencepiece/issues/318
    """

    fault = "heaps_and_counts"
    witness = trains([" k", " kkkk", " k", " k"], 2)

    class Trainer(Incremental.Trainer):
        def update_right(self, number, following, pair):
            super().update_right(number, following, pair)
            if following == [pair[1]] and pair[0] != pair[1]:
                self.counts[pair[1], pair[1]] = 0


class BadIndexOnlyLatestWord(Incremental):
    """A pair made in several words is indexed under the latest only.

    Stands for: a trap of incremental trainers
    """

    fault = "heaps_and_counts"
    witness = trains(["baaa", "aaa"])

    class Trainer(Incremental.Trainer):
        def gain(self, pair, number):
            super().gain(pair, number)
            self.where[pair] = {number}
