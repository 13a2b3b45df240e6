"""The lesson's three functions, as a learner writes them: bytes, one text, ties to the pair seen first."""


def count(ids):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def join(ids, pair, new):
    out, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def train_bpe(text, num_merges):
    ids = list(text.encode("utf-8"))
    merges = {}
    vocab = {i: bytes([i]) for i in range(256)}
    for step in range(num_merges):
        counts = count(ids)
        if not counts:
            break
        pair = max(counts, key=counts.get)
        new = 256 + step
        ids = join(ids, pair, new)
        merges[pair] = new
        vocab[new] = vocab[pair[0]] + vocab[pair[1]]
    return merges, vocab


def encode(text, merges):
    ids = list(text.encode("utf-8"))
    while len(ids) >= 2:
        pair = min(count(ids), key=lambda pair: merges.get(pair, float("inf")))
        if pair not in merges:
            break
        ids = join(ids, pair, merges[pair])
    return ids


def decode(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="replace")
