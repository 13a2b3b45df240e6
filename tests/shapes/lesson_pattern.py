"""The lesson's three functions with pre-tokenisation: pieces by a pattern, a count for each distinct piece."""

import re

PATTERN = re.compile(r" ?[^\s]+|\s+")


def pairs_of(words):
    counts = {}
    for word, times in words.items():
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def join(word, pair, new):
    out, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            out.append(new)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def train_bpe(text, num_merges):
    words = {}
    for piece in PATTERN.findall(text):
        word = tuple(piece.encode())
        words[word] = words.get(word, 0) + 1
    merges, vocab = {}, {i: bytes([i]) for i in range(256)}
    while len(merges) < num_merges and (counts := pairs_of(words)):
        pair = max(counts, key=counts.get)
        new = 256 + len(merges)
        words = {join(word, pair, new): times for word, times in words.items()}
        merges[pair] = new
        vocab[new] = vocab[pair[0]] + vocab[pair[1]]
    return merges, vocab


def encode(text, merges):
    ids = []
    for piece in PATTERN.findall(text):
        word = tuple(piece.encode())
        while len(word) > 1:
            pair = min(zip(word, word[1:]), key=lambda pair: merges.get(pair, float("inf")))
            if pair not in merges:
                break
            word = join(word, pair, merges[pair])
        ids += word
    return ids


def decode(ids, vocab):
    return b"".join(map(vocab.__getitem__, ids)).decode(errors="replace")
