"""Right tokenizers that declare something: another way of ranking, or what they do not serve."""

from __future__ import annotations

import heapq

import regex

from tests.known_right.encoders import RightHeap, RightRescan
from tests.known_right.frame import Frame, pieces


class RightByBytes(Frame):
    """Ranks a pair by its joined bytes, one place at a time, as it declares."""

    rank_by = "bytes"

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.ranks = {}
        for rank, (left, right) in enumerate(vocabulary.merges):
            self.ranks.setdefault(left + right, rank)

    def tokens(self, symbols):
        ends = dict(enumerate(range(1, len(symbols) + 1)))  # from where a token starts to where it ends
        names = [self.vocabulary.bytes_of[symbol] for symbol in symbols]
        starts = {end: start for start, end in ends.items()}
        heap = []

        def consider(start):
            if start in ends and ends[start] in ends:
                joined = b"".join(names[start : ends[ends[start]]])
                if joined in self.ranks:
                    heapq.heappush(heap, (self.ranks[joined], start, ends[start], ends[ends[start]]))

        for start in range(len(symbols)):
            consider(start)
        while heap:
            _, start, middle, end = heapq.heappop(heap)
            if ends.get(start) == middle and ends.get(middle) == end:
                del ends[middle], starts[middle]
                ends[start], starts[end] = end, start
                consider(starts.get(start))
                consider(start)
        return [self.vocabulary.id_of[b"".join(names[start:end])] for start, end in sorted(ends.items())]


class RightWholePiece(RightHeap):
    """Emits a piece that is a token whole, as it declares."""

    whole_piece_first = True

    def tokens(self, symbols):
        whole = b"".join(self.vocabulary.bytes_of[symbol] for symbol in symbols)
        return [self.vocabulary.id_of[whole]] if whole in self.vocabulary.id_of else super().tokens(symbols)


class RightWithoutPattern(RightRescan):
    """Serves vocabularies without a pattern only, and says so."""

    def __init__(self, vocabulary):
        if vocabulary.pattern is not None:
            raise NotImplementedError("knows no patterns")
        super().__init__(vocabulary)


class RightKeepsUncovered(RightHeap):
    """Makes pieces of its own of what the pattern leaves uncovered."""

    def pretokenize(self, text):
        pattern = self.vocabulary.pattern
        if pattern is None or self.vocabulary.end_of_word:
            return super().pretokenize(text)
        found, end = [], 0
        for match in regex.finditer(pattern, text):
            found += [text[end : match.start()], match.group()]
            end = match.end()
        return [piece for piece in [*found, text[end:]] if piece]


class RightRefusesLate(RightRescan):
    """Serves no special tokens, which it says from the call and not when it is made."""

    def encode(self, text):
        if self.vocabulary.special_tokens:
            raise NotImplementedError("knows no special tokens")
        return self.encode_ordinary(text)

    def pretokenize(self, text):
        if self.vocabulary.end_of_word:
            raise NotImplementedError("bytes only")
        return pieces(self.vocabulary.pattern, text)
