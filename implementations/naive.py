"""BPE as one writes it on the first day: count everything again at every step, look at everything again at every merge.

Slow, and easy to check by eye. It follows the text of a lesson rather than that of the spec: tokens are byte strings
in a list, ids appear at the very end.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import regex

from reference.model import Merge, Token, Vocabulary


class Tokenizer:
    """The naive tokenizer.

    >>> tokenizer = Tokenizer(Vocabulary(merges=((b"b", b"a"), (b"a", b"b"))))
    >>> tokenizer.encode("aba"), tokenizer.decode([97, 256])
    ([97, 256], 'aba')
    """

    name = "naive"
    version = "1"
    rank_by = "pair"
    tie_rules = (
        "first-seen",
        "smallest-bytes",
        "largest-bytes",
        "smallest-ids",
        "smallest-ids-mapped",
        "shortest-then-smallest",
        "smallest-concatenation",
    )

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    # Encoding

    def encode(self, text: str) -> list[Token]:
        """The ids of a text, special tokens recognised. Raises `ValueError` for text that cannot be encoded."""
        special_tokens = self.vocabulary.special_tokens
        ids: list[Token] = []
        for part in cut_at(text, special_tokens):
            ids.extend([special_tokens[part]] if part in special_tokens else self.encode_ordinary(part))
        return ids

    def encode_ordinary(self, text: str) -> list[Token]:
        """The ids of a text, special tokens taken for text."""
        id_of = self.vocabulary.id_of
        return [id_of[token] for piece in self.pretokenize(text) for token in self._merge_all(self._symbols(piece))]

    def encode_batch(self, texts: Iterable[str]) -> list[list[Token]]:
        """The ids of each text."""
        return [self.encode(text) for text in texts]

    def pretokenize(self, text: str) -> list[str]:
        """The pieces of a text: they join to it, or a `ValueError` names the place that no piece covers.

        With an end-of-word marker, the words: white space is left out.
        """
        pattern = self.vocabulary.pattern
        if not self.vocabulary.end_of_word:
            return pieces_of(pattern, text)
        return [word for piece in pieces_of(pattern, text, white_space_may_go=True) for word in words_in(piece)]

    def _bytes(self, piece: str) -> list[bytes]:
        symbols = [bytes([byte]) for byte in piece.encode()]
        for place, symbol in enumerate(symbols):
            if symbol not in self.vocabulary.id_of:
                raise ValueError(f"the byte {symbol!r} at place {place} of the piece {piece!r} is unknown")
        return symbols

    def _symbols(self, piece: str) -> list[bytes]:
        if not self.vocabulary.end_of_word:
            return self._bytes(piece)
        marker = self.vocabulary.end_of_word
        symbols = [character.encode() for character in piece]
        for place, symbol in enumerate(symbols):
            if symbol == marker or symbol not in self.vocabulary.base:
                raise ValueError(f"the character {piece[place]!r} at place {place} of the word {piece!r} is unknown")
        if marker.decode() in piece:
            raise ValueError(f"the word {piece!r} holds the end-of-word marker {marker.decode()!r}")
        return [*symbols, marker]

    def _merge_all(self, tokens: list[bytes]) -> list[bytes]:
        ranks, last = self.vocabulary.ranks, -1
        while True:
            turns = [ranks[pair] for pair in pairwise(tokens) if ranks.get(pair, -1) > last]
            if not turns:
                return tokens
            last = min(turns)  # a merge of lower rank has had its turn, even where its pair stands here again
            tokens = replaced(tokens, self.vocabulary.merges[last])

    # Decoding

    def decode(self, ids: Iterable[Token]) -> str:
        """The text of ids, U+FFFD where their bytes are no UTF-8. Raises `ValueError` for an unknown id.

        With an end-of-word marker, a space for each marker but one at the very end.
        """
        marker, known = self.vocabulary.end_of_word, list(ids)
        if not marker:
            return self.decode_bytes(known).decode(errors="replace")
        data = b""
        for place, token_id in enumerate(known):
            token = self.decode_bytes([token_id])
            if token_id not in self.vocabulary.special_tokens.values():
                if place == len(known) - 1:
                    token = token.removesuffix(marker)
                token = token.replace(marker, b" ")
            data += token
        return data.decode(errors="replace")

    def decode_bytes(self, ids: Iterable[Token]) -> bytes:
        """The bytes of ids. Raises `ValueError` for an unknown id."""
        bytes_of = self.vocabulary.bytes_of
        data = b""
        for token_id in ids:
            if token_id not in bytes_of:
                raise ValueError(f"there is no token with the id {token_id!r}")
            data += bytes_of[token_id]
        return data

    def stream_decode(self, ids: Iterable[Token]) -> Iterator[str]:
        """The text of ids in parts; all of it in one, since only the end shows what the last bytes mean."""
        yield self.decode(ids)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary as JSON, byte strings in hex and texts escaped."""
        vocabulary = self.vocabulary
        record = {
            "merges": [[left.hex(), right.hex()] for left, right in vocabulary.merges],
            "special_tokens": dict(vocabulary.special_tokens),
            "pattern": vocabulary.pattern,
            "base": [token.hex() for token in vocabulary.base],
            "end_of_word": vocabulary.end_of_word.hex(),
        }
        Path(path).write_text(json.dumps(record), encoding="ascii")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """The tokenizer saved at `path`. Raises `ValueError` for a file that `save` did not write."""
        try:
            record = json.loads(Path(path).read_text(encoding="ascii"))
            return cls(
                Vocabulary(
                    merges=tuple((bytes.fromhex(left), bytes.fromhex(right)) for left, right in record["merges"]),
                    special_tokens=record["special_tokens"],
                    pattern=record["pattern"],
                    base=tuple(map(bytes.fromhex, record["base"])),
                    end_of_word=bytes.fromhex(record["end_of_word"]),
                )
            )
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{path}: this is no saved tokenizer: {error!r}") from error

    # Training

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None = None,
        tie_rule: str = "first-seen",
        special_tokens: Iterable[str] = (),
    ) -> list[Merge]:
        """The merges learned, fewer than asked for where no pair is left."""
        if num_merges < 0:
            raise ValueError(f"cannot learn {num_merges} merges")
        words = words_of(corpus, pattern, list(special_tokens))
        merges: list[Merge] = []
        while len(merges) < num_merges:
            counts = Counter(pair for word in words for pair in pairwise(word))
            if not counts:
                break
            most = max(counts.values())
            level = [pair for pair, count in counts.items() if count == most]  # in the order first seen
            merges.append(choose(tie_rule, level, merges))
            words = [replaced(word, merges[-1]) for word in words]
        return merges


def words_of(corpus: Iterable[str], pattern: str | None, special_tokens: list[str]) -> list[list[bytes]]:
    """The pieces of all documents as lists of single bytes, special tokens cut out."""
    words = []
    for document in corpus:
        for part in cut_at(document, special_tokens):
            if part not in special_tokens:
                for piece in pieces_of(pattern, part):
                    words.append([bytes([byte]) for byte in piece.encode()])
    return words


def choose(tie_rule: str, level: list[Merge], merges: list[Merge]) -> Merge:
    """The pair that the tie rule takes among those of the highest count, given in the order first seen."""

    def number(token: bytes, first_numbers: list[int]) -> int:
        made = [left + right for left, right in merges]
        return first_numbers[token[0]] if len(token) == 1 else 256 + made.index(token)

    in_order = list(range(256))
    keys: dict[str, Callable[[Merge], object]] = {
        "first-seen": lambda pair: 0,
        "smallest-bytes": lambda pair: pair,
        "smallest-ids": lambda pair: [number(token, in_order) for token in pair],
        "smallest-ids-mapped": lambda pair: [number(token, PRINTABLE_FIRST) for token in pair],
        "shortest-then-smallest": lambda pair: (len(pair[0] + pair[1]), pair[0] + pair[1]),
        "smallest-concatenation": lambda pair: [*(pair[0] + pair[1]), 256],  # 256: the longer of two prefixes wins
    }
    if tie_rule == "largest-bytes":
        return max(level)
    if tie_rule not in keys:
        raise ValueError(f"no tie rule named {tie_rule!r}; there are {', '.join(Tokenizer.tie_rules)}")
    return min(level, key=keys[tie_rule])  # type: ignore[arg-type]


def printable_first() -> list[int]:
    """For each byte its number when those that Latin-1 can print are numbered before the others."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    order = printable + [byte for byte in range(256) if byte not in printable]
    return [order.index(byte) for byte in range(256)]


PRINTABLE_FIRST = printable_first()


def replaced(tokens: list[bytes], pair: Merge) -> list[bytes]:
    """The tokens with every occurrence of the pair joined, from left to right."""
    result: list[bytes] = []
    place = 0
    while place < len(tokens):
        if (tokens[place], tokens[place + 1] if place + 1 < len(tokens) else b"") == pair:
            result.append(pair[0] + pair[1])
            place += 2
        else:
            result.append(tokens[place])
            place += 1
    return result


def cut_at(text: str, special_tokens: Iterable[str]) -> list[str]:
    """The text cut before and after every special token: the leftmost first, the longest at one place."""
    longest_first = sorted(special_tokens, key=len, reverse=True)
    parts, ordinary, place = [], "", 0
    while place < len(text):
        found = next((special for special in longest_first if text.startswith(special, place)), None)
        if found is None:
            ordinary += text[place]
            place += 1
        else:
            parts += [ordinary, found]
            ordinary = ""
            place += len(found)
    return [part for part in [*parts, ordinary] if part]


def pieces_of(pattern: str | None, text: str, *, white_space_may_go: bool = False) -> list[str]:
    """The matches of the pattern. Raises `ValueError` naming the place where text lies between two of them."""
    if pattern is None:
        return [text] if text else []
    pieces, end = [], 0
    for match in regex.finditer(pattern, text):
        _check_gap(text, end, match.start(), white_space_may_go)
        end = match.end()
        if match[0]:
            pieces.append(match[0])
    _check_gap(text, end, len(text), white_space_may_go)
    return pieces


def _check_gap(text: str, start: int, end: int, white_space_may_go: bool) -> None:
    gap = text[start:end]
    if gap and not (white_space_may_go and not words_in(gap)):
        raise ValueError(f"the pattern leaves {gap!r} uncovered, at place {start}")


def words_in(text: str) -> list[str]:
    """The runs of a text without white space, in the sense of the regex package."""
    return [word for word in regex.split(r"\s+", text) if word]
