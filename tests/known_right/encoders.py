"""Right tokenizers, each of another make. None of them trains."""

from __future__ import annotations

import heapq
from array import array
from functools import lru_cache
from itertools import pairwise

from tests.known_right.frame import Frame, pieces, special_pattern, table_of


class RightReplay(Frame):
    """Replays the merges in order, those left out whose bytes the piece does not hold."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.table = table_of(vocabulary)
        self.relevant = lru_cache(100)(self.merges_within)

    def merges_within(self, alphabet):
        """The merges that join tokens of these symbols only, as ids."""
        made, kept = set(alphabet), []
        for pair, (_, product) in self.table.items():
            if made.issuperset(pair):
                made.add(product)
                kept.append((*pair, product))
        return kept

    def tokens(self, symbols):
        for left, right, product in self.relevant(frozenset(symbols)):
            if left in symbols and right in symbols:
                symbols = self.replayed(symbols, left, right, product)
        return symbols

    @staticmethod
    def replayed(symbols, left, right, product):
        after = []
        for symbol in symbols:
            if symbol == right and after and after[-1] == left:
                after[-1] = product
            else:
                after.append(symbol)
        return after


class RightRescan(Frame):
    """Looks for the pair of the lowest rank, joins it everywhere, and looks again."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.table = table_of(vocabulary)

    def tokens(self, symbols):
        while known := [pair for pair in set(pairwise(symbols)) if pair in self.table]:
            best = min(known, key=self.table.__getitem__)
            symbols = RightReplay.replayed(symbols, *best, self.table[best][1])
        return symbols


class RightHeap(Frame):
    """Keeps the candidates in a heap and the tokens in a doubly linked list."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.table = table_of(vocabulary)

    def tokens(self, symbols):
        ids, size = [*symbols, -1], len(symbols)  # the sentinel is in no pair of the table
        left, right = list(range(-1, size)), list(range(1, size + 2))
        heap = [(self.table[pair], place) for place, pair in enumerate(pairwise(symbols)) if pair in self.table]
        heapq.heapify(heap)
        while heap:
            found, place = heapq.heappop(heap)
            second = right[place] if ids[place] >= 0 else size
            if self.table.get((ids[place], ids[second])) != found:
                continue
            ids[place], ids[second] = found[1], -2
            right[place] = right[second]
            left[right[place]] = place
            for start in (left[place], place):
                if start >= 0 and (pair := (ids[start], ids[right[start]])) in self.table:
                    heapq.heappush(heap, (self.table[pair], start))
        return [token_id for token_id in ids if token_id >= 0]


class RightPairChain(Frame):
    """Goes from left to right: each beginning of a piece has one last token that goes with the one before it.

    A sequence of tokens is an encoding exactly when each pair of neighbours in it is one.
    """

    def __init__(self, vocabulary):
        if vocabulary.end_of_word:
            raise NotImplementedError("bytes only")
        super().__init__(vocabulary)
        self.inner = RightRescan(vocabulary)
        self.lengths = sorted({len(token) for token in vocabulary.id_of})
        self.stands = lru_cache(100_000)(self.is_encoding)

    def is_encoding(self, *tokens):
        """Whether one token, or two side by side, is the encoding of its bytes."""
        ids = self.vocabulary.id_of
        symbols = [ids[bytes((value,))] for value in b"".join(tokens)]
        return self.inner.tokens(symbols) == [ids[token] for token in tokens]

    def tokens(self, symbols):
        data = b"".join(self.vocabulary.bytes_of[symbol] for symbol in symbols)
        last = [b""]
        for end in range(1, len(data) + 1):
            suffixes = (data[end - length : end] for length in self.lengths if length <= end)
            known = (token for token in suffixes if token in self.vocabulary.id_of and self.stands(token))
            last.append(next(t for t in known if not last[end - len(t)] or self.stands(last[end - len(t)], t)))
        chain, end = [], len(data)
        while end:
            chain.append(self.vocabulary.id_of[last[end]])
            end -= len(last[end])
        return chain[::-1]


class RightCached(RightHeap):
    """Keeps the ids of pieces, and gives every caller a list of its own."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.cache = {}

    def encode_ordinary(self, text):
        ids = []
        for piece in self.pretokenize(text):
            if piece not in self.cache:
                if len(self.cache) > 1000:
                    self.cache.clear()
                self.cache[piece] = tuple(self.tokens(self.symbols(piece)))
            ids.extend(self.cache.get(piece) or self.tokens(self.symbols(piece)))
        return ids


class RightArrays(Frame):
    """Works on arrays of 64-bit numbers in place, and gives lists."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.table = {(left << 32) | right: made for (left, right), made in table_of(vocabulary).items()}

    def tokens(self, symbols):
        ids = array("q", symbols)
        while True:
            keys = [(left << 32) | right for left, right in pairwise(ids)]
            best = min((self.table[key] for key in keys if key in self.table), default=None)
            if best is None:
                return ids.tolist()
            self.join(ids, [self.table.get(key) == best for key in keys], best[1])

    @staticmethod
    def join(ids, marked, product):
        """Write the joined ids over the old ones. `marked` says where the pair stands, overlaps included."""
        write = read = 0
        while read < len(ids):
            joins = read < len(marked) and marked[read]
            ids[write] = product if joins else ids[read]
            write, read = write + 1, read + 1 + joins
        del ids[write:]


class RightReplaceText(Frame):
    """Holds a token as one character, so that `str.replace` merges."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        if len(vocabulary.base) + len(vocabulary.merges) > 0x110000:
            raise NotImplementedError("more tokens than characters")
        table = table_of(vocabulary)
        self.table = {(chr(left), chr(right)): (rank, chr(made)) for (left, right), (rank, made) in table.items()}

    def tokens(self, symbols):
        text = "".join(map(chr, symbols))
        while known := set(pairwise(text)) & self.table.keys():
            pair = min(known, key=self.table.__getitem__)
            _, product = self.table[pair]
            text = text.replace("".join(pair), product)
        return [ord(character) for character in text]


class RightTuples(Frame):
    """Without state or loops over ranks: the encoding of a piece is a function of a tuple, which calls itself."""

    def tokens(self, symbols):
        table = self.vocabulary.ranks
        names = self.vocabulary.bytes_of
        return [self.vocabulary.id_of[token] for token in self.reduced(table, tuple(names[s] for s in symbols))]

    @classmethod
    def reduced(cls, table, tokens):
        best = min((table[pair] for pair in pairwise(tokens) if pair in table), default=None)
        while best is not None:
            joined = []
            for token in tokens:
                if joined and table.get((joined[-1], token)) == best:
                    joined[-1] += token
                else:
                    joined.append(token)
            tokens = tuple(joined)
            best = min((table[pair] for pair in pairwise(tokens) if pair in table), default=None)
        return tokens


class RightMinimal:
    """Offers what a tokenizer must offer, and nothing else."""

    def __init__(self, vocabulary):
        if vocabulary.end_of_word:
            raise NotImplementedError("bytes only")
        self.pattern = vocabulary.pattern
        self.special_ids = dict(vocabulary.special_tokens)
        self.special = special_pattern(self.special_ids)
        self.ids, self.bytes, self.ranks = vocabulary.id_of, vocabulary.bytes_of, vocabulary.ranks

    def encode(self, text):
        ids, start = [], 0
        while match := self.special.search(text, start):
            ids += self._ordinary(text[start : match.start()])
            ids.append(self.special_ids[match[0]])
            start = match.end()
        return ids + self._ordinary(text[start:])

    def _ordinary(self, text):
        ids = []
        for piece in pieces(self.pattern, text):
            tokens = RightTuples.reduced(self.ranks, tuple(bytes((value,)) for value in piece.encode()))
            ids += [self.ids[token] for token in tokens]
        return ids

    def decode(self, ids):
        return b"".join(self.bytes[token_id] for token_id in ids).decode(errors="replace")
