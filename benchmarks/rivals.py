"""Who is measured: heap, minbpe's algorithm written anew, and compiled tokenizers where they are installed.

Each trainer takes one text and a number of merges and returns its merges, as pairs of byte strings where the package
gives them. Each encoder is made from merges and is called with a text. All run in one thread.
"""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import regex

from implementations.heap import Tokenizer
from reference.model import SINGLE_BYTES, Merge, Vocabulary
from reference.pretokenize import PATTERNS

PATTERN = PATTERNS["gpt2"] or ""
ANYTHING = r"(?s:.+)"  # one piece
THREADS = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
Train = Callable[[str, int, str | None], Any]
Encode = Callable[[str], Any]

PACKAGE = {  # what must be installed, where the name differs
    "huggingface": "tokenizers",
    "heap": "regex",
    "heap without cache": "regex",
    "minbpe's algorithm": "regex",
}


def installed(name: str) -> bool:
    """Whether what is to be measured can be."""
    return importlib.util.find_spec(PACKAGE.get(name, name.split()[0])) is not None


# minbpe's algorithm: count everything anew at each step; encode by the lowest rank, all of its places at once.


def minbpe_train(text: str, num_merges: int, pattern: str | None) -> list[Merge]:
    """All pieces as lists of ids, one list for each occurrence; every step counts and rebuilds all of them."""
    pieces = [list(piece.encode()) for piece in (regex.findall(pattern, text) if pattern else [text])]
    tokens, merges = list(SINGLE_BYTES), list[Merge]()
    for step in range(num_merges):
        counts: dict[tuple[int, int], int] = {}
        for piece in pieces:
            count_pairs(piece, counts)
        if not counts:
            break
        best = max(counts, key=counts.__getitem__)
        pieces = [replaced(piece, best, 256 + step) for piece in pieces]
        merges.append((tokens[best[0]], tokens[best[1]]))
        tokens.append(b"".join(merges[-1]))
    return merges


def count_pairs(ids: list[int], counts: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """The counts, those of these ids added."""
    for pair in pairwise(ids):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def replaced(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """The ids with each occurrence of the pair joined, from left to right."""
    result, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            result.append(new)
            i += 2
        else:
            result.append(ids[i])
            i += 1
    return result


def minbpe_encoder(merges: Sequence[Merge], pattern: str | None) -> Encode:
    """Encode piece by piece, without a cache."""
    id_of = Vocabulary(tuple(merges)).id_of
    ranks = {(id_of[left], id_of[right]): id_of[left + right] for left, right in merges}

    def of_piece(piece: str) -> list[int]:
        ids = list(piece.encode())
        while len(ids) > 1:
            pair = min(count_pairs(ids, {}), key=lambda pair: ranks.get(pair, 1 << 60))
            if pair not in ranks:
                break
            ids = replaced(ids, pair, ranks[pair])
        return ids

    def encode(text: str) -> list[int]:
        return [i for piece in (regex.findall(pattern, text) if pattern else [text]) for i in of_piece(piece)]

    return encode


# heap


def heap_trainer(tie_rule: str) -> Train:
    """The heap trainer under one tie rule."""
    return lambda text, num_merges, pattern: Tokenizer.train([text], num_merges, pattern=pattern, tie_rule=tie_rule)


def heap_encoder(merges: Sequence[Merge], pattern: str | None) -> Encode:
    """The heap tokenizer with its cache of pieces."""
    return Tokenizer(Vocabulary(tuple(merges), {}, pattern)).encode_ordinary


def heap_encoder_without_cache(merges: Sequence[Merge], pattern: str | None) -> Encode:
    """The heap tokenizer asked for each piece anew."""
    tokenizer = Tokenizer(Vocabulary(tuple(merges), {}, pattern))
    of_piece = tokenizer._cache.__missing__

    def encode(text: str) -> list[int]:
        tokenizer._cache.clear()
        return [i for piece in tokenizer.pretokenize(text) for i in of_piece(piece)]

    return encode


# Compiled tokenizers


def rustbpe_train(text: str, num_merges: int, pattern: str | None) -> Any:
    """By rustbpe, from an iterator of one text."""
    rustbpe = importlib.import_module("rustbpe")
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter([text]), 256 + num_merges, pattern=pattern or ANYTHING)
    return tokenizer


def bpeasy_train(text: str, num_merges: int, pattern: str | None) -> Any:
    """By bpeasy, from an iterator of one text."""
    bpeasy = importlib.import_module("bpeasy")
    return bpeasy.train_bpe(iter([text]), pattern or ANYTHING, 1 << 30, 256 + num_merges)


def huggingface_train(text: str, num_merges: int, pattern: str | None) -> Any:
    """By Hugging Face's trainer, fed one string."""
    tokenizers = importlib.import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer.pre_tokenizer = level(add_prefix_space=False, use_regex=pattern is not None)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + num_merges, initial_alphabet=level.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def gigatoken_train(text: str, num_merges: int, pattern: str | None) -> Any:
    """By gigatoken, which splits by GPT-2's pattern only: a text of letters is one piece."""
    rust = importlib.import_module("gigatoken.gigatoken_rs")
    return rust.train_bpe(text.encode(), 256 + num_merges, [], "huggingface")


def tiktoken_encoder(merges: Sequence[Merge], pattern: str | None) -> Encode:
    """tiktoken with these merges."""
    tiktoken = importlib.import_module("tiktoken")
    ranks = Vocabulary(tuple(merges)).id_of
    encoding = tiktoken.Encoding("measured", pat_str=pattern or ANYTHING, mergeable_ranks=ranks, special_tokens={})
    return encoding.encode_ordinary  # type: ignore[no-any-return]


def huggingface_encoder(merges: Sequence[Merge], pattern: str | None) -> Encode:
    """Hugging Face's tokenizer with these merges, given one text at a time."""
    tokenizers = importlib.import_module("tokenizers")
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    shown = {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}

    def show(token: bytes) -> str:
        return "".join(shown[byte] for byte in token)

    ids = {show(token): i for token, i in Vocabulary(tuple(merges)).id_of.items()}
    model = tokenizers.models.BPE(vocab=ids, merges=[(show(left), show(right)) for left, right in merges])
    tokenizer = tokenizers.Tokenizer(model)
    level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer.pre_tokenizer = level(add_prefix_space=False, use_regex=pattern is not None)
    return lambda text: tokenizer.encode(text).ids


TRAINERS: dict[str, Train] = {
    "heap": heap_trainer("first-seen"),
    "minbpe's algorithm": minbpe_train,
    "huggingface": huggingface_train,
    "bpeasy": bpeasy_train,
    "rustbpe": rustbpe_train,
    "gigatoken": gigatoken_train,
}
ENCODERS: dict[str, Callable[[Sequence[Merge], str | None], Encode]] = {
    "heap": heap_encoder,
    "heap without cache": heap_encoder_without_cache,
    "minbpe's algorithm": minbpe_encoder,
    "tiktoken": tiktoken_encoder,
    "huggingface": huggingface_encoder,
}
