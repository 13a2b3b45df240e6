"""Right trainers, each of another make, on the encoder with a heap."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tests.known_right.encoders import RightHeap, RightReplay
from tests.known_right.frame import RULES, pieces, special_pattern, winner


def words_of(corpus, pattern, special_tokens):
    """From each piece of the corpus to how often it occurs, in the order of first appearance."""
    special = special_pattern(special_tokens)
    counts = Counter()
    for document in corpus:
        for text in special.split(document):
            counts.update(piece.encode() for piece in pieces(pattern, text))
    return counts


def single_bytes(word):
    return [bytes((value,)) for value in word]


class RightRecounting(RightHeap):
    """Counts all pairs anew at each step."""

    tie_rules = RULES

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        counts = words_of(corpus, pattern, special_tokens)
        words = [(single_bytes(word), count) for word, count in counts.items()]
        ids, merges = {bytes((value,)): value for value in range(256)}, []
        for number in range(256, 256 + num_merges):
            table = Counter()
            for word, count in words:
                for pair in pairwise(word):
                    table[pair] += count
            if not table:
                break
            highest = max(table.values())
            pair = winner([pair for pair in table if table[pair] == highest], tie_rule, ids)
            merges.append(pair)
            ids[b"".join(pair)] = number
            words = [(RightReplay.replayed(word, *pair, b"".join(pair)), count) for word, count in words]
        return merges


class RightIncremental(RightHeap):
    """Takes the pairs of a changed word out of the counts and puts those of the new word in."""

    tie_rules = RULES

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        counts = words_of(corpus, pattern, special_tokens)
        words, weights = [single_bytes(word) for word in counts], list(counts.values())
        table, holders = Counter(), {}

        def enter(number, sign):
            for place, pair in enumerate(pairwise(words[number])):
                table[pair] += sign * weights[number]
                if sign > 0:
                    holders.setdefault(pair, {}).setdefault(number, place)
                else:
                    holders[pair].pop(number, None)

        for number in range(len(words)):
            enter(number, 1)
        ids, merges = {bytes((value,)): value for value in range(256)}, []
        while len(merges) < num_merges and (highest := max(table.values(), default=0)) > 0:
            tied = [pair for pair in table if table[pair] == highest]
            tied.sort(key=lambda pair: min(holders[pair].items()))
            pair = winner(tied, tie_rule, ids)
            ids[b"".join(pair)] = 256 + len(merges)
            merges.append(pair)
            for number in list(holders[pair]):
                enter(number, -1)
                words[number] = RightReplay.replayed(words[number], *pair, b"".join(pair))
                enter(number, 1)
        return tuple(merges)


class RightTextTrainer(RightHeap):
    """Holds a word as a text, a token as a character, and merges with `str.replace`."""

    tie_rules = RULES

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        words = {word.decode("latin-1"): n for word, n in words_of(corpus, pattern, special_tokens).items()}
        names = {chr(value): bytes((value,)) for value in range(256)}
        ids, merges = {bytes((value,)): value for value in range(256)}, []
        while len(merges) < num_merges:
            table = Counter()
            for word, count in words.items():
                for i in range(len(word) - 1):
                    table[word[i : i + 2]] += count
            if not table:
                return merges
            highest = max(table.values())
            tied = [pair for pair, count in table.items() if count == highest]
            pair = winner([(names[left], names[right]) for left, right in tied], tie_rule, ids)
            symbol = chr(0xE000 + len(merges))
            old = next(left + right for left, right in tied if (names[left], names[right]) == pair)
            names[symbol] = b"".join(pair)
            ids[names[symbol]] = 256 + len(merges)
            merges.append(pair)
            words = {word.replace(old, symbol): count for word, count in words.items()}
        return merges


class RightUndeclaredTies(RightHeap):
    """Declares no tie rules: takes the pair whose right side is smallest, whatever it is asked for."""

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        words = [(single_bytes(word), n) for word, n in words_of(corpus, pattern, special_tokens).items()]
        merges = []
        while len(merges) < num_merges:
            table = Counter()
            for word, count in words:
                for pair in pairwise(word):
                    table[pair] += count
            if not table:
                break
            pair = min(table, key=lambda pair: (-table[pair], pair[1], pair[0]))
            merges.append(pair)
            words = [(RightReplay.replayed(word, *pair, b"".join(pair)), count) for word, count in words]
        return tuple(merges)


class RightInsertionTies(RightHeap):
    """Declares no tie rules: of the pairs of one count it takes the one that entered its table first."""

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        words = [(single_bytes(word), n) for word, n in words_of(corpus, pattern, special_tokens).items()]
        table, merges = {}, []
        while len(merges) < num_merges:
            table = dict.fromkeys(table, 0)
            for word, count in words:
                for pair in pairwise(word):
                    table[pair] = table.get(pair, 0) + count
            pair = max(table, key=table.__getitem__, default=None)
            if pair is None or not table[pair]:
                break
            merges.append(pair)
            words = [(RightReplay.replayed(word, *pair, b"".join(pair)), count) for word, count in words]
        return merges


class RightOneTieRule(RightHeap):
    """Trains under one tie rule only, and declares that one."""

    tie_rules = ("smallest-ids",)

    @staticmethod
    def train(corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        if tie_rule != "smallest-ids":
            raise NotImplementedError(f"no tie rule {tie_rule}")
        return RightIncremental.train(
            corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens
        )
