"""minbpe's object, written anew: a base class, one without and one with a pattern and special tokens."""

import regex

WORDS = r"'(?i:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def stats_of(ids, counts=None):
    counts = {} if counts is None else counts
    for left, right in zip(ids, ids[1:]):
        counts[left, right] = counts.get((left, right), 0) + 1
    return counts


def merged(ids, pair, new):
    out = []
    at = 0
    while at < len(ids):
        if at + 1 < len(ids) and (ids[at], ids[at + 1]) == pair:
            out.append(new)
            at += 2
        else:
            out.append(ids[at])
            at += 1
    return out


class Base:
    def __init__(self):
        self.merges = {}
        self.vocab = {i: bytes([i]) for i in range(256)}

    def chunks(self, text):
        return [text] if text else []

    def train(self, text, vocab_size, verbose=False):
        pieces = [list(chunk.encode()) for chunk in self.chunks(text)]
        self.merges, self.vocab = {}, {i: bytes([i]) for i in range(256)}
        for new in range(256, vocab_size):
            counts = {}
            for piece in pieces:
                stats_of(piece, counts)
            if not counts:
                break
            pair = max(counts, key=counts.get)
            pieces = [merged(piece, pair, new) for piece in pieces]
            self.merges[pair] = new
            self.vocab[new] = self.vocab[pair[0]] + self.vocab[pair[1]]
            if verbose:
                print(pair, new)

    def encode_ordinary(self, text):
        ids = []
        for chunk in self.chunks(text):
            piece = list(chunk.encode())
            while len(piece) > 1:
                pair = min(stats_of(piece), key=lambda pair: self.merges.get(pair, float("inf")))
                if pair not in self.merges:
                    break
                piece = merged(piece, pair, self.merges[pair])
            ids += piece
        return ids

    def encode(self, text):
        return self.encode_ordinary(text)

    def decode(self, ids):
        return b"".join(self.vocab[i] for i in ids).decode(errors="replace")


class BasicTokenizer(Base):
    def train(self, text, vocab_size, verbose=False):
        super().train(text, vocab_size, verbose)


class RegexTokenizer(Base):
    def __init__(self, pattern=None):
        super().__init__()
        self.compiled = regex.compile(pattern or WORDS)
        self.special = {}

    def chunks(self, text):
        return [match[0] for match in self.compiled.finditer(text)]

    def train(self, text, vocab_size, verbose=False):
        super().train(text, vocab_size, verbose)

    def register_special_tokens(self, special_tokens):
        self.special = dict(special_tokens)

    def encode(self, text, allowed_special="none_raise"):
        if allowed_special == "none_raise" and any(token in text for token in self.special):
            raise ValueError("a special token in the text")
        if not self.special:
            return self.encode_ordinary(text)
        longest_first = sorted(self.special, key=len, reverse=True)
        ids = []
        for part in regex.split("(" + "|".join(map(regex.escape, longest_first)) + ")", text):
            ids += [self.special[part]] if part in self.special else self.encode_ordinary(part)
        return ids

    def decode(self, ids):
        names = {number: token.encode() for token, number in self.special.items()}
        return b"".join(names[i] if i in names else self.vocab[i] for i in ids).decode(errors="replace")


class LeftToRight(BasicTokenizer):
    """With one fault: the merges are applied from left to right, whatever their rank."""

    def encode_ordinary(self, text):
        ids = list(text.encode())
        at = 0
        while at + 1 < len(ids):
            pair = ids[at], ids[at + 1]
            if pair in self.merges:
                ids[at : at + 2] = [self.merges[pair]]
                at = max(0, at - 1)
            else:
                at += 1
        return ids
