"""What several adapters need: foreign packages, spellings of a vocabulary, and ids that are numbered otherwise."""

from __future__ import annotations

import base64
import importlib
import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib import metadata
from typing import Any

import regex

from implementations.vocabularies import BYTE_TO_CHARACTER, CL100K_PATTERN, merges_from_ranks, spelled
from reference.errors import MalformedFile
from reference.model import SINGLE_BYTES, Merge, Vocabulary

WHOLE_TEXT = r"(?s:.+)"  # for packages that cannot do without a pattern
CL100K_SPELLINGS = (  # the same pieces: as tiktoken writes it today, and as it is mostly copied
    CL100K_PATTERN,
    r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"""
    r"""\s*[\r\n]+|\s+(?!\S)|\s+""",
)


def package(name: str, extra: str) -> Any:
    """The module `name`. Raises `ModuleNotFoundError`, an `ImportError`, naming the extra that brings it.

    >>> package("no_such_tokenizer", "none")
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: no_such_tokenizer is not installed: pip install -e ".[none]"
    """
    try:
        with (
            warnings.catch_warnings()
        ):  # what it warns of when imported is its own affair, even where warnings are errors
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{error.name} is not installed: pip install -e ".[{extra}]"', name=error.name
        ) from error


def version_of(distribution: str) -> str:
    """The installed version of a distribution, or `?`."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "?"


# What a package cannot serve


def only_bytes(vocabulary: Vocabulary) -> None:
    """Raises `NotImplementedError` unless the vocabulary starts from the 256 bytes, in whatever order."""
    if vocabulary.end_of_word:
        raise NotImplementedError("it knows no end-of-word marker")
    if set(vocabulary.base) != set(SINGLE_BYTES):
        raise NotImplementedError("its base is the 256 bytes")


def no_repeats(vocabulary: Vocabulary) -> None:
    """Raises `NotImplementedError` where two merges make one token, for packages that give every merge an id."""
    if len(vocabulary.id_of) != len(vocabulary.base) + len(vocabulary.merges):
        raise NotImplementedError("every merge has an id of its own here, and two merges of this list make one token")


def no_special_tokens(vocabulary: Vocabulary | Sequence[str], why: str = "it knows no special tokens") -> None:
    """Raises `NotImplementedError` where there are special tokens."""
    if vocabulary.special_tokens if isinstance(vocabulary, Vocabulary) else list(vocabulary):
        raise NotImplementedError(why)


def only_trainable(vocabulary: Vocabulary) -> None:
    """Raises `NotImplementedError` unless the merges before each token's own leave exactly the two sides of that merge.

    That is so exactly for the lists that some corpus trains to; algorithms for published vocabularies count on it.
    """
    no_repeats(vocabulary)
    try:
        recovered = merges_from_ranks(sorted(vocabulary.id_of, key=vocabulary.id_of.__getitem__))[1]
    except MalformedFile:
        recovered = ()
    if recovered != vocabulary.merges:
        raise NotImplementedError("its algorithm is for lists of merges that some corpus trains to")


def checked_pattern(make: Callable[[str], object], pattern: str | None) -> str:
    """The pattern, or one that matches any text. Raises `NotImplementedError` where `make` refuses the pattern alone.

    Tried apart from the vocabulary, so that only the pattern can be what was refused.
    """
    spelling = WHOLE_TEXT if pattern is None else pattern
    reason = _refusal(make, spelling)
    if reason:
        raise NotImplementedError(f"its regular expressions do not take this pattern: {reason}")
    return spelling


@lru_cache(maxsize=256)
def _refusal(make: Callable[[str], object], pattern: str) -> str:
    try:
        make(pattern)
    except Exception as error:
        return str(error) or type(error).__name__
    return ""


def offered(tie_rule: str, rules: Sequence[str]) -> None:
    """Raises `NotImplementedError` where the tie rule is none of the rules."""
    if tie_rule not in rules:
        raise NotImplementedError(f"ties are broken by {' or '.join(rules)}, not by {tie_rule}")


# Spellings of a vocabulary


def byte_ranks() -> dict[bytes, int]:
    """The ranks of a vocabulary without merges."""
    return {token: i for i, token in enumerate(SINGLE_BYTES)}


def rank_file(vocabulary: Vocabulary) -> bytes:
    """The vocabulary as tiktoken's file: a token in base64 and its id on each line.

    >>> rank_file(Vocabulary(((b"a", b"b"),))).splitlines()[-1]
    b'YWI= 256'
    """
    rows = sorted(vocabulary.id_of.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), token_id) for token, token_id in rows)


def tokenizer_json(vocabulary: Vocabulary) -> str:
    """The vocabulary as Hugging Face's tokenizer.json. Raises `NotImplementedError` where its one table cannot hold it.

    Special tokens stand in the model's vocabulary too: with a gap before an added token's id the format renumbers it.
    """
    only_bytes(vocabulary)
    vocab = {spelled(token): token_id for token, token_id in vocabulary.id_of.items()}
    for text, token_id in vocabulary.special_tokens.items():
        if text in vocab:
            raise NotImplementedError(f"the special token {text!r} is spelled as a token is in this format")
        vocab[text] = token_id
    split = [{"type": "Split", "pattern": {"Regex": vocabulary.pattern}, "behavior": "Isolated", "invert": False}]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    steps = {"type": "Sequence", "pretokenizers": [*split, byte_level]}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": vocab,
        "merges": [[spelled(left), spelled(right)] for left, right in vocabulary.merges],
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [
                {"id": token_id, "content": text, **flags}
                for text, token_id in sorted(vocabulary.special_tokens.items(), key=lambda item: item[1])
            ],
            "normalizer": None,
            "pre_tokenizer": byte_level if vocabulary.pattern is None else steps,
            "post_processor": None,
            "decoder": byte_level,
            "model": model,
        }
    )


# Ids


class Numbering:
    """Two ways between the contract's ids and a package's own.

    >>> numbering = Numbering({0: 5, 1: 6})
    >>> numbering.theirs([0, 1, 7, -1]), numbering.ours([6, 5])
    ([5, 6, 14, -1], [1, 0])
    """

    def __init__(self, theirs: dict[int, int]) -> None:
        self._theirs = theirs
        self._ours = {their: our for our, their in theirs.items()}
        self._same = all(our == their for our, their in theirs.items())
        self._beyond = max(theirs.values(), default=-1) + 1

    @classmethod
    def by_bytes(cls, vocabulary: Vocabulary, number: Callable[[bytes], int]) -> Numbering:
        """From the number that the package gives the token of these bytes. Special tokens keep their ids."""
        table = {token_id: number(token) for token, token_id in vocabulary.id_of.items()}
        return cls(table | {token_id: token_id for token_id in vocabulary.special_tokens.values()})

    def theirs(self, ids: Iterable[int]) -> list[int]:
        """Contract to package. What is unknown on one side is unknown on the other, negative ids as they are."""
        if self._same:
            return list(ids)
        return [self._theirs.get(i, i if i < 0 else i + self._beyond) for i in ids]

    def ours(self, ids: list[int]) -> list[int]:
        """Package to contract; the very list where there is nothing to map, so that aliasing shows."""
        if self._same:
            return ids
        return [self._ours.get(i, i + self._beyond) for i in ids]


def merges_of_ids(pairs: Iterable[tuple[int, int]]) -> list[Merge]:
    """The merges, given as pairs of ids: bytes by value, then the tokens made, in order.

    >>> merges_of_ids([(97, 98), (256, 99)])
    [(b'a', b'b'), (b'ab', b'c')]
    """
    tokens, merges = list(SINGLE_BYTES), []
    for left, right in pairs:
        merges.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    return merges


def numbered_merges(vocabulary: Vocabulary) -> list[tuple[int, int]]:
    """The merges as pairs of ids, for packages that number bytes by value and every merge after them."""
    no_repeats(vocabulary)
    number = {token: i for i, token in enumerate(SINGLE_BYTES)}
    number |= {left + right: 256 + rank for rank, (left, right) in enumerate(vocabulary.merges)}
    return [(number[left], number[right]) for left, right in vocabulary.merges]


def by_value(vocabulary: Vocabulary) -> Numbering:
    """For packages that number bytes by value and every merge after them."""
    return Numbering.by_bytes(vocabulary, lambda token: token[0] if len(token) == 1 else vocabulary.id_of[token])


# Training


def in_one_text(corpus: Iterable[str], pattern: str | None) -> tuple[str, str]:
    """A text and a pattern, for trainers that take one text: nothing may merge across two documents.

    One document goes in as it is. Several are cut into pieces here and joined by a character that stands in none, which
    the pattern then leaves out; so their splitting is not the package's.

    >>> in_one_text(["ab"], None), in_one_text(["ab", "c"], None)
    (('ab', '(?s:.+)'), ('ab\\x00c', '[^\\\\x00]+'))
    """
    texts = [text for text in corpus if text]
    if len(texts) < 2:
        return "".join(texts), WHOLE_TEXT if pattern is None else pattern
    pieces = [piece for text in texts for piece in (regex.findall(pattern, text) if pattern else [text]) if piece]
    present = set().union(*pieces)
    between = next(chr(i) for i in (0, *range(0xE000, 0xF900), *range(1, 0xD800)) if chr(i) not in present)
    return between.join(pieces), f"[^\\x{ord(between):02x}]+" if ord(between) < 256 else f"[^{between}]+"


MAPPED_BYTES: tuple[bytes, ...] = tuple(bytes([value]) for value in BYTE_TO_CHARACTER)
"""The 256 bytes in the order of GPT-2's printable characters."""
