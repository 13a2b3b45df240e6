"""The assignment's two names: training on a file, and a tokenizer that is given what was learned."""

from collections import Counter

import regex

PAT = regex.compile(r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")


def cut(text, special_tokens):
    """The text without its special tokens, in parts."""
    if not special_tokens:
        return [text]
    return regex.split("|".join(regex.escape(token) for token in sorted(special_tokens, key=len, reverse=True)), text)


def joined(word, pair):
    out, at = [], 0
    while at < len(word):
        if word[at : at + 2] == pair:
            out.append(pair[0] + pair[1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return tuple(out)


def train_bpe(input_path, vocab_size, special_tokens):
    with open(input_path, encoding="utf-8", newline="") as file:
        text = file.read()
    words = Counter()
    for part in cut(text, special_tokens):
        for match in PAT.finditer(part):
            words[tuple(bytes([byte]) for byte in match[0].encode())] += 1
    merges = []
    while 256 + len(special_tokens) + len(merges) < vocab_size:
        counts = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += times
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        words = {joined(word, best): times for word, times in words.items()}
    tokens = [bytes([i]) for i in range(256)] + [left + right for left, right in merges]
    tokens += [token.encode() for token in special_tokens]
    return dict(enumerate(tokens)), merges


class Tokenizer:
    def __init__(self, vocab, merges, special_tokens=None):
        self.vocab = vocab
        self.ids = {token: number for number, token in reversed(vocab.items())}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.special_tokens = sorted(special_tokens or [], key=len, reverse=True)
        names = {token.encode() for token in self.special_tokens}
        self.special_ids = {token.decode(): number for number, token in vocab.items() if token in names}

    def encode(self, text):
        parts = [text]
        if self.special_tokens:
            parts = regex.split("(" + "|".join(map(regex.escape, self.special_tokens)) + ")", text)
        ids = []
        for part in parts:
            if part in self.special_tokens:
                ids.append(self.special_ids[part])
            else:
                for match in PAT.finditer(part):
                    ids += self.piece(match[0].encode())
        return ids

    def piece(self, data):
        word = tuple(bytes([byte]) for byte in data)
        while True:
            known = [pair for pair in zip(word, word[1:]) if pair in self.ranks]
            if not known:
                return [self.ids[token] for token in word]
            word = joined(word, min(known, key=self.ranks.__getitem__))

    def encode_iterable(self, iterable):
        for text in iterable:
            yield from self.encode(text)

    def decode(self, ids):
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")
