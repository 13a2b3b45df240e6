"""Tokenizers in the shape that a course gives them, plugged in as they are.

    lesson   train_bpe(text, num_merges) -> (merges, vocab), encode(text, merges), decode(ids, vocab);
             merges is a dict from a pair of ids to an id, vocab one from an id to bytes
    minbpe   an object with train(text, vocab_size), encode(text), decode(ids), and the dicts merges and vocab;
             a class that takes a pattern and has register_special_tokens(dict) is given both
    cs336    train_bpe(input_path, vocab_size, special_tokens) -> (vocab, merges), merges a list of pairs of bytes,
             and Tokenizer(vocab, merges, special_tokens); GPT-2's pattern, ties to the largest pair

The shape is recognised by looking at the file (`recognised`), or named before it: `lesson:path/to/file.py`. What a
shape cannot serve raises `NotImplementedError` with the reason, which makes the case not applicable.
"""

from __future__ import annotations

import inspect
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from reference.model import SINGLE_BYTES, Merge, Token, Vocabulary

GPT2_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
_OLD_GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
ONE_PIECE = r"(?s:.+)"
PATTERN_NAMES = ("PATTERN", "PAT", "SPLIT_PATTERN", "pattern")


class WrongShape(ValueError):
    """The file does not hold what its shape asks for; the message says what is missing."""


# --- what every shape needs ----------------------------------------------------------------------------------------


def _plain(vocabulary: Vocabulary) -> None:
    """Refuse what no shape holds."""
    if vocabulary.base != SINGLE_BYTES or vocabulary.end_of_word:
        raise NotImplementedError("this shape begins from the 256 single bytes")
    if len(vocabulary.merges) + len(vocabulary.base) != len(vocabulary.id_of) and _repeats(vocabulary):
        raise NotImplementedError("two merges make the same token: in this shape a token has one merge")


def _repeats(vocabulary: Vocabulary) -> bool:
    made = [left + right for left, right in vocabulary.merges]
    return len(set(made)) < len(made)


def _id_merges(vocabulary: Vocabulary) -> dict[tuple[int, int], int]:
    ids = vocabulary.id_of
    return {(ids[left], ids[right]): ids[left + right] for left, right in vocabulary.merges}


def _bytes_of(vocabulary: Vocabulary) -> dict[int, bytes]:
    ids = vocabulary.id_of
    tokens = [*vocabulary.base, *(left + right for left, right in vocabulary.merges)]
    return {ids[token]: token for token in tokens}


def _byte_merges(merges: Any, first: int = 256) -> tuple[Merge, ...]:
    """Merges of ids as merges of bytes, in the order of the ids that they make."""
    if not isinstance(merges, Mapping):
        raise TypeError(f"merges is {type(merges).__name__}, not a dict from a pair of ids to an id")
    tokens: dict[int, bytes] = dict(enumerate(SINGLE_BYTES))
    pairs: list[Merge] = []
    for (left, right), made in sorted(merges.items(), key=lambda item: item[1]):
        pairs.append((tokens[left], tokens[right]))
        tokens[made] = tokens[left] + tokens[right]
    return tuple(pairs)


def _one_document(corpus: Iterable[str]) -> str:
    documents = list(corpus)
    if len(documents) > 1:
        raise NotImplementedError("trains on one text: documents cannot be kept apart")
    return documents[0] if documents else ""


def _no_special_tokens(special_tokens: Iterable[str]) -> None:
    if tuple(special_tokens):
        raise NotImplementedError("has no special tokens")


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _required(function: Any) -> list[str]:
    """The parameters without a default that can be given by place, `self` apart."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind in kinds and p.name != "self"]


def _need(module: ModuleType, shape: str, *names: str) -> list[Any]:
    missing = [name for name in names if not callable(getattr(module, name, None))]
    if missing:
        has = ", ".join(sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))) or "none"
        raise WrongShape(f"of the shape {shape} there is no {' and no '.join(missing)}; callables there: {has}")
    return [getattr(module, name) for name in names]


# --- three functions -----------------------------------------------------------------------------------------------


def lesson(module: ModuleType, attribute: str | None = None) -> Callable[..., Any]:
    """A tokenizer of three functions. Raises `WrongShape` where one is missing."""
    train_bpe, encode, decode = _need(module, "lesson", "train_bpe", "encode", "decode")
    named = next((getattr(module, name) for name in PATTERN_NAMES if hasattr(module, name)), None)
    pattern = getattr(named, "pattern", named)
    by_re = isinstance(named, re.Pattern) or getattr(module, "re", None) is re

    @lru_cache(maxsize=1)
    def splits() -> bool:
        """Whether the functions split text before merging: a merge over a space then never fires."""
        return list(encode("a b", {(97, 32): 256})) != [256, 98]

    def served(wanted: str | None) -> None:
        if not splits():
            if wanted is not None:
                raise NotImplementedError("takes the whole text as one piece")
        elif not isinstance(pattern, str):
            raise NotImplementedError("splits text by a pattern that the file does not name PATTERN")
        elif wanted != pattern:
            raise NotImplementedError(f"splits text by its own pattern, {pattern}")

    def same_to_both(text: str) -> str:
        """The text. To Python's `re`, U+001C to U+001F are white space; to Unicode, and the suite, they are not."""
        if by_re and splits() and any("\x1c" <= character <= "\x1f" for character in text):
            raise NotImplementedError("splits text with Python's re, which takes U+001C to U+001F for white space")
        return text

    class Tokenizer:
        def __init__(self, vocabulary: Vocabulary) -> None:
            _plain(vocabulary)
            _no_special_tokens(vocabulary.special_tokens)
            served(vocabulary.pattern)
            self._merges, self._vocab = _id_merges(vocabulary), _bytes_of(vocabulary)

        def encode(self, text: str) -> list[Token]:
            ids: list[Token] = encode(same_to_both(text), dict(self._merges))
            return ids

        def decode(self, ids: Iterable[Token]) -> str:
            text: str = decode(ids, dict(self._vocab))
            return text

        @staticmethod
        def train(
            corpus: Iterable[str],
            num_merges: int,
            *,
            pattern: str | None,
            tie_rule: str,
            special_tokens: Sequence[str] = (),
        ) -> Sequence[Merge]:
            _no_special_tokens(special_tokens)
            served(pattern)
            merges, _ = train_bpe(same_to_both(_one_document(corpus)), num_merges)
            return _byte_merges(merges)

    return Tokenizer


# --- minbpe's object -----------------------------------------------------------------------------------------------


def minbpe(module: ModuleType, attribute: str | None = None) -> Callable[..., Any]:
    """A tokenizer that is trained, and holds its merges and its vocab. Raises `WrongShape` where there is none."""
    classes = [name for name, value in vars(module).items() if is_minbpe(value) and value.__module__ == module.__name__]
    own = [name for name in classes if "train" in vars(getattr(module, name))] or classes
    chosen = attribute or (own[0] if len(own) == 1 else "Tokenizer" if "Tokenizer" in own else None)
    if chosen is None or not hasattr(module, chosen):
        told = f"several: {', '.join(own)}; name one, as file.py:{own[0]}" if own else "none"
        raise WrongShape(f"of the shape minbpe there must be a class with train, encode and decode; there are {told}")
    kind: Callable[..., Any] = getattr(module, chosen)
    takes_pattern = "pattern" in _parameters(kind)

    def made(pattern: str | None) -> Any:
        if takes_pattern:
            return kind(pattern=pattern or ONE_PIECE)
        if pattern is not None:
            raise NotImplementedError("takes the whole text as one piece")
        return kind()

    class Tokenizer:
        def __init__(self, vocabulary: Vocabulary) -> None:
            _plain(vocabulary)
            self._own = made(vocabulary.pattern)
            self._own.merges, self._own.vocab = _id_merges(vocabulary), _bytes_of(vocabulary)
            self._special = dict(vocabulary.special_tokens)
            if self._special:
                if not hasattr(self._own, "register_special_tokens"):
                    raise NotImplementedError("has no special tokens")
                self._own.register_special_tokens(self._special)

        def encode(self, text: str) -> list[Token]:
            ids: list[Token]
            if self._special and "allowed_special" in _parameters(self._own.encode):
                ids = self._own.encode(text, allowed_special="all")
            else:
                ids = self._own.encode(text)
            return ids

        def decode(self, ids: Iterable[Token]) -> str:
            text: str = self._own.decode(ids)
            return text

        @staticmethod
        def train(
            corpus: Iterable[str],
            num_merges: int,
            *,
            pattern: str | None,
            tie_rule: str,
            special_tokens: Sequence[str] = (),
        ) -> Sequence[Merge]:
            _no_special_tokens(special_tokens)
            own = made(pattern)
            own.train(_one_document(corpus), 256 + num_merges)
            return _byte_merges(own.merges)

    return Tokenizer


def is_minbpe(value: Any) -> bool:
    """Whether a value is a class in the shape of minbpe.

    >>> is_minbpe(int)
    False
    """
    if not inspect.isclass(value) or _required(value):
        return False
    train = getattr(value, "train", None)
    return all(callable(getattr(value, name, None)) for name in ("train", "encode", "decode")) and _parameters(train)[
        1:3
    ] == ["text", "vocab_size"]


# --- the assignment's two names ------------------------------------------------------------------------------------


def cs336(module: ModuleType, attribute: str | None = None) -> Callable[..., Any]:
    """A function that trains on a file and a class that is given what it learned. Raises `WrongShape`."""
    train_bpe, kind = _need(module, "cs336", "train_bpe", attribute or "Tokenizer")

    def served(pattern: str | None) -> None:
        if pattern not in (GPT2_PATTERN, _OLD_GPT2_PATTERN):
            raise NotImplementedError("splits text by GPT-2's pattern")

    class Tokenizer:
        tie_rules = ("largest-bytes",)

        def __init__(self, vocabulary: Vocabulary) -> None:
            _plain(vocabulary)
            served(vocabulary.pattern)
            special = dict(vocabulary.special_tokens)
            vocab = _bytes_of(vocabulary) | {token_id: text.encode() for text, token_id in special.items()}
            self._own = kind(vocab, [tuple(merge) for merge in vocabulary.merges], list(special) or None)

        def encode(self, text: str) -> list[Token]:
            ids: list[Token] = self._own.encode(text)
            return ids

        def decode(self, ids: Iterable[Token]) -> str:
            text: str = self._own.decode(ids)
            return text

        @staticmethod
        def train(
            corpus: Iterable[str],
            num_merges: int,
            *,
            pattern: str | None,
            tie_rule: str,
            special_tokens: Sequence[str] = (),
        ) -> Sequence[Merge]:
            served(pattern)
            if tie_rule != "largest-bytes":
                raise NotImplementedError(f"has no tie rule {tie_rule}")
            documents = list(corpus)
            between = _separator(documents)
            special = [*dict.fromkeys(special_tokens), between]
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "corpus.txt"
                path.write_bytes(between.join(documents).encode())
                _, merges = train_bpe(str(path), 256 + len(special) + num_merges, special)
            learned: Sequence[Merge] = merges
            return learned

    return Tokenizer


def _separator(documents: Sequence[str]) -> str:
    """A special token that stands in no document: what keeps them apart in one file."""
    number, name = 0, "<|endoftext|>"
    while any(name in document for document in documents):
        number, name = number + 1, f"<|endoftext{number}|>"
    return name


SHAPES: dict[str, Callable[..., Callable[..., Any]]] = {"lesson": lesson, "minbpe": minbpe, "cs336": cs336}


def recognised(module: ModuleType) -> str | None:
    """The shape of a module that holds no tokenizer of the contract, or `None`.

    >>> import types
    >>> module = types.ModuleType("mine")
    >>> exec("def train_bpe(text, num_merges): ...\\ndef encode(text, merges): ...\\ndef decode(ids, vocab): ...",
    ...      module.__dict__)
    >>> recognised(module)
    'lesson'
    """
    kind = getattr(module, "Tokenizer", None)
    trains = getattr(module, "train_bpe", None)
    if callable(trains) and callable(kind) and _required(kind)[:2] == ["vocab", "merges"]:
        return "cs336"
    if kind is not None and not is_minbpe(kind):
        return None
    if callable(trains) and len(_required(getattr(module, "encode", None))) == 2:
        return "lesson"
    if any(is_minbpe(value) for value in vars(module).values()):
        return "minbpe"
    return None


def with_shape(spec: str, shape: str) -> str:
    """What to write after `--impl` for a file of a shape. Raises a `ValueError` for no file and for no shape.

    >>> with_shape("mine.py", "lesson")
    'lesson:mine.py'
    """
    if shape not in SHAPES:
        raise ValueError(f"no shape named {shape!r}; there are {', '.join(SHAPES)}")
    if spec.partition(":")[0] in SHAPES:
        return spec
    if ".py" not in spec or spec.startswith("cmd:"):
        raise ValueError(f"--shape={shape} is for files; {spec!r} is none")
    return f"{shape}:{spec}"
