"""Planted bugs: training stops too early, too late, or goes wrong at its end."""

from tests.known_wrong.base import Base, trains


class BadPadsWithZeroCounts(Base):
    """Past saturation it goes on with pairs that occur nowhere, until it has the merges asked for.

    Stands for: https://github.com/huggingface/tokenizers/issues/2320
    """

    fault = "saturation"
    witness = trains(["ab", "cd"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        made = [left + right for left, right in merges]
        spare = ((left, right) for left in made for right in made)
        return [*merges, *(pair for pair, _ in zip(spare, range(num_merges - len(merges)), strict=False))]


class BadPadsWithLastMerge(Base):
    """Past saturation it repeats the last merge until it has the merges asked for.

    Stands for: a trap of filling lists up
    """

    fault = "saturation"
    witness = trains(["ab"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        return merges + merges[-1:] * (num_merges - len(merges))


class BadZeroCountMerge(Base):
    """Past saturation it learns once more the pair whose count fell to zero first.

    Stands for: https://github.com/huggingface/tokenizers/issues/2320
    """

    fault = "saturation"
    witness = trains(["abc"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        gone = [pair for pair in cls.count_pairs(words) if pair not in merges]
        return merges + gone[: min(1, num_merges - len(merges))]


class BadRaisesWhenExhausted(Base):
    """Raises when no pair is left before it has the merges asked for.

    Stands for: https://github.com/karpathy/minbpe/issues/114
    """

    fault = "saturation"
    witness = trains(["ab"], 2)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        if len(merges) < num_merges:
            raise ValueError("max() arg is an empty sequence")
        return merges


class BadStopsAtCountOne(Base):
    """Stops when every pair left occurs once.

    Stands for: a trap of a hidden minimum frequency
    """

    fault = "saturation"
    witness = trains(["abab"])

    @classmethod
    def count_pairs(cls, words):
        return {pair: count for pair, count in super().count_pairs(words).items() if count > 1}


class BadStopsAtLongCountOne(Base):
    """Stops when every pair left occurs once, if it has learned eight merges by then.

    Stands for: a trap of a hidden minimum frequency
    """

    fault = "saturation"
    witness = trains(["abcdefghijkl"], 12)

    @classmethod
    def best(cls, counts, tie_rule, merges):
        return None if len(merges) >= 8 and max(counts.values()) == 1 else super().best(counts, tie_rule, merges)

    @classmethod
    def apply(cls, words, pair):
        return [] if pair is None else super().apply(words, pair)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return [pair for pair in super().learn(words, num_merges, tie_rule) if pair is not None]


class BadOneMergeTooFew(Base):
    """Learns one merge fewer than asked for.

    Stands for: a trap of ends that are off by one
    """

    fault = "saturation"
    witness = trains(["abc"], 2)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return super().learn(words, num_merges - 1, tie_rule)


class BadOneMergeTooMany(Base):
    """Learns one merge more than asked for.

    Stands for: https://github.com/huggingface/tokenizers/issues/670
    """

    fault = "saturation"
    witness = trains(["abc"], 1)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return super().learn(words, num_merges + 1, tie_rule)


class BadCountsBaseAsMerges(Base):
    """Takes the number of merges for the size of the vocabulary, the 256 bytes included.

    Stands for: a trap of sizes that count other things
    """

    fault = "saturation"
    witness = trains(["abc"], 1)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return super().learn(words, num_merges - 256, tie_rule)


class BadSpecialsCountAsMerges(Base):
    """Learns a merge fewer for each special token.

    Stands for: a trap of sizes that count other things
    """

    fault = "saturation"
    witness = trains(["abc"], 1, special_tokens=["<s>"])

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        num_merges -= len(special_tokens)
        return super().train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)


class BadLastMergeIsSecondBest(Base):
    """The last merge asked for is the second best pair.

    Stands for: a trap of loops whose last turn is another
    """

    fault = "saturation"
    witness = trains(["abab", "bc"], 1)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges - 1, tie_rule)
        for pair in merges:
            words = cls.apply(words, pair)
        counts = cls.count_pairs(words)
        if len(counts) > 1:
            del counts[cls.best(counts, tie_rule, merges)]
        return [*merges, cls.best(counts, tie_rule, merges)] if counts and num_merges else merges


class BadTailBySmallest(Base):
    """Once the highest count is one, it takes the smallest pair, whatever the tie rule.

    Stands for: a trap of tie rules that look alike
    """

    fault = "saturation"
    witness = trains(["cab"])

    @classmethod
    def best(cls, counts, tie_rule, merges):
        tail = max(counts.values()) == 1
        return super().best(counts, "smallest-bytes" if tail else tie_rule, merges)


class BadTiesAfterCountFell(Base):
    """Once the highest count has fallen twice, it takes the pair seen last, whatever the tie rule.

    Stands for: a trap of tie rules that look alike
    """

    fault = "saturation"
    witness = trains(["ababab", "cdcd", "ef", "gh"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges, falls, before = [], 0, 0
        while len(merges) < num_merges and (counts := cls.count_pairs(words)):
            top = max(counts.values())
            falls, before = falls + (top < before), top
            tied = [pair for pair, count in counts.items() if count == top]
            merges.append(cls.break_tie(tied, tie_rule, merges) if falls < 2 else tied[-1])
            words = cls.apply(words, merges[-1])
        return merges


class BadStopsAtFirstWholePiece(Base):
    """Stops as soon as some piece is one token.

    Stands for: a trap of stopping at the first that is done
    """

    fault = "saturation"
    witness = trains(["ab", "cd"])

    @classmethod
    def apply(cls, words, pair):
        words = super().apply(words, pair)
        return [] if any(len(word) == 1 and len(word[0]) > 1 for word, _ in words) else words


class BadTokensUpTo8Bytes(Base):
    """Learns no token of more than eight bytes.

    Stands for: https://github.com/huggingface/tokenizers/issues/2320
    """

    fault = "saturation"
    witness = trains(["abcdefghij"], 12)

    @classmethod
    def count_pairs(cls, words):
        return {pair: count for pair, count in super().count_pairs(words).items() if len(pair[0] + pair[1]) <= 8}


class BadLearnsTokenTwice(Base):
    """Past saturation it learns the last token of three bytes or more a second time, cut elsewhere.

    Stands for: https://github.com/google/sentencepiece/issues/881
    """

    fault = "saturation"
    witness = trains(["ab", "ab", "abc", "bc"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        made = [*(bytes([byte]) for byte in range(256)), *(left + right for left, right in merges)]
        again = [
            (left, right)
            for left in made
            for right in made
            if left + right in made and len(left + right) > 2 and (left, right) not in merges
        ]
        return merges + again[: min(1, num_merges - len(merges))]


class BadStopsAtTenth(Base):
    """Stops when the highest count is less than a tenth of what it was at first.

    Stands for: a trap of a hidden minimum frequency
    """

    fault = "saturation"
    witness = trains([*["ab"] * 11, "cd"])

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = super().learn(words, num_merges, tie_rule)
        first = max(cls.count_pairs(words).values(), default=0)
        for number, pair in enumerate(merges):
            if cls.count_pairs(words)[pair] * 10 < first:
                return merges[:number]
            words = cls.apply(words, pair)
        return merges


class BadZeroMergesIsAll(Base):
    """Takes no merges asked for as no limit.

    Stands for: a trap of testing a number for truth
    """

    fault = "saturation"
    witness = trains(["ab"], 0)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return super().learn(words, num_merges or 1000, tie_rule)


class BadLearnsAtMost255(Base):
    """Learns at most 255 merges.

    Stands for: a trap of narrow ranks
    """

    fault = "saturation"

    def witness(make):
        return len(trains(["".join(chr(0x4E00 + i) for i in range(300))], 256)(make))

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        return super().learn(words, min(num_merges, 255), tie_rule)
