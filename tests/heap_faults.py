"""The heap tokenizer with one fault each: what a green run must never be shown for.

pytest properties --impl='tests/heap_faults.py:Bad*'
"""

from itertools import pairwise

import regex

from implementations.heap import TIE_KEYS, PieceCache, Tokenizer, Trainer, piece_finder, special_splitter


class _WithCache(Tokenizer):
    """Heap with another way of merging a piece."""

    cache = PieceCache

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self._cache = self.cache(vocabulary)
        self._ids_of_piece = self._cache.__getitem__


class _WithTrainer(Tokenizer):
    """Heap with another trainer."""

    trainer = Trainer

    @classmethod
    def train(cls, corpus, num_merges, *, pattern=None, tie_rule="first-seen", special_tokens=()):
        counts = {}
        special = frozenset(special_tokens)
        for document in corpus:
            for part in special_splitter(special)(document):
                if part not in special:
                    for piece in piece_finder(pattern)(part):
                        counts[piece] = counts.get(piece, 0) + 1
        return cls.trainer(counts, TIE_KEYS[tie_rule]).train(num_merges)


class BadLeftToRight(_WithCache):
    """Merges whatever pair comes first from the left, whatever its rank."""

    class cache(PieceCache):
        def merged(self, tokens):
            place = 0
            while place < len(tokens) - 1:
                rank = self.ranks.get((tokens[place], tokens[place + 1]))
                if rank is None:
                    place += 1
                else:
                    tokens[place : place + 2] = [self.products[rank]]
                    place = max(0, place - 1)
            return tokens


class BadLongestMatch(_WithCache):
    """Takes the longest token that fits, from left to right."""

    class cache(PieceCache):
        def __missing__(self, piece):
            data, ids, place = piece.encode(), [], 0
            while place < len(data):
                end = next(end for end in range(len(data), place, -1) if data[place:end] in self.ids)
                ids.append(self.ids[data[place:end]])
                place = end
            return tuple(ids)


class BadRightmostFirst(_WithCache):
    """Of the places of one pair, merges the rightmost first."""

    class cache(PieceCache):
        def merged(self, tokens):
            while True:
                ranked = [(self.ranks.get(pair), -i) for i, pair in enumerate(pairwise(tokens))]
                ranked = [(rank, place) for rank, place in ranked if rank is not None]
                if not ranked:
                    return tokens
                rank, place = min(ranked)
                tokens[-place : -place + 2] = [self.products[rank]]


class BadStaleEntry(_WithCache):
    """Accepts a heap entry whose right neighbour has changed since."""

    class cache(PieceCache):
        def merged(self, tokens):
            import heapq

            links = list(range(1, len(tokens) + 1))
            alive = [True] * len(tokens)

            def push(left):
                right = links[left]
                if right < len(tokens) and (tokens[left], tokens[right]) in self.ranks:
                    heapq.heappush(heap, (self.ranks[tokens[left], tokens[right]], left))

            heap = []
            for place in range(len(tokens) - 1):
                push(place)
            while heap:
                rank, left = heapq.heappop(heap)
                right = links[left]
                if not alive[left] or right >= len(tokens) or tokens[left] != self.pairs[rank][0]:
                    continue  # and never looks at the right side
                tokens[left], alive[right], links[left] = self.products[rank], False, links[right]
                push(left)
                for before in [i for i in range(left) if alive[i] and links[i] == left]:
                    push(before)
            return [token for token, lives in zip(tokens, alive, strict=True) if lives]


class BadLastSeenTies(_WithTrainer):
    """Of several most frequent pairs, learns the one that is met last."""

    class trainer(Trainer):
        def _best(self):
            live = [pair for pair, count in self.counts.items() if count]
            if not live:
                return None
            last_first = {pair: tuple(-n for n in self._first(pair)) for pair in live}
            return min(live, key=lambda pair: (-self.counts[pair], self.key(pair, self.bytes_of), last_first[pair]))


class BadNonOverlappingCounts(_WithTrainer):
    """Counts the pairs of a run without overlap: aaaa holds (a, a) twice."""

    class trainer(Trainer):
        def _best(self):
            live = [pair for pair, count in self.counts.items() if count]
            if not live:
                return None
            return min(live, key=lambda pair: (-self._apart(pair), self.key(pair, self.bytes_of), self._first(pair)))

        def _apart(self, pair):
            short = self.stores[0]
            return sum(word.count(pair) * times for word, times in zip(short.words, short.weights, strict=True))


class BadZeroCountMerge(_WithTrainer):
    """Once no pair is left, fills up with one that does not occur."""

    class trainer(Trainer):
        def train(self, num_merges):
            merges = super().train(num_merges)
            made = [left + right for left, right in merges]
            if made and len(merges) < num_merges:
                merges.append((made[-1], made[-1]))
            return merges


class BadLossyPattern(Tokenizer):
    """Splits with the pattern's first version, which drops doubled spaces."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        if vocabulary.pattern is not None:
            self._pieces_of = regex.compile(r" ?[^\s]+|\n").findall


class BadShortestSpecialFirst(Tokenizer):
    """Of two special tokens that begin at one place, takes the shorter."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        shortest_first = sorted(vocabulary.special_tokens, key=len)
        separator = regex.compile(f"({'|'.join(map(regex.escape, shortest_first))})" if shortest_first else "$^")
        self._split = lambda text: [part for part in separator.split(text) if part]


class BadErrorsIgnore(Tokenizer):
    """Drops bytes that are no UTF-8 in place of writing U+FFFD."""

    def decode(self, ids):
        return self.decode_bytes(ids).decode(errors="ignore")


class BadNegativeIds(Tokenizer):
    """Counts negative ids from the end."""

    def decode_bytes(self, ids):
        known = list(self._bytes_of.values())
        return b"".join(known[i] if i < 0 else super(BadNegativeIds, self).decode_bytes([i]) for i in ids)


class BadAliasedCache(Tokenizer):
    """Gives out the very list that it keeps."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self._kept = {}

    def encode(self, text):
        if text not in self._kept:
            self._kept[text] = super().encode(text)
        return self._kept[text]
