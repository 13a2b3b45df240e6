"""What the right tokenizers share: text to symbols and ids to text. How symbols merge, each says itself."""

from __future__ import annotations

import ast
import codecs
from pathlib import Path

import regex

from reference.model import Vocabulary

PRINTABLE = [value for value in range(256) if 33 <= value <= 126 or (161 <= value <= 255 and value != 173)]
MAPPED = {value: place for place, value in enumerate(PRINTABLE + sorted(set(range(256)) - set(PRINTABLE)))}
RULES = (
    "first-seen",
    "smallest-bytes",
    "largest-bytes",
    "smallest-ids",
    "smallest-ids-mapped",
    "shortest-then-smallest",
    "smallest-concatenation",
)


def special_pattern(special_tokens):
    """Matches a special token, the longest at one place; matches nowhere where there is none."""
    return regex.compile("|".join(map(regex.escape, sorted(special_tokens, key=len, reverse=True))) or r"(?!)")


def pieces(pattern, text):
    """The pieces of a text; raises where the pattern leaves any of it uncovered."""
    if pattern is None:
        return [text] * bool(text)
    found, end = [], 0
    for match in regex.finditer(pattern, text):
        if match.start() > end:
            raise ValueError(f"uncovered text from character {end} to {match.start()}")
        found.append(match.group())
        end = match.end()
    if end < len(text):
        raise ValueError(f"uncovered text from character {end} on")
    return [piece for piece in found if piece]


def winner(tied, rule, ids):
    """The pair that the rule takes, of the tied ones in the order in which they are seen."""
    match rule:
        case "first-seen":
            return tied[0]
        case "smallest-bytes":
            return sorted(tied)[0]
        case "largest-bytes":
            return sorted(tied)[-1]
        case "smallest-ids":
            return min(tied, key=lambda pair: [ids[side] for side in pair])
        case "smallest-ids-mapped":
            return min(tied, key=lambda pair: [MAPPED.get(ids[side], ids[side]) for side in pair])
        case "shortest-then-smallest":
            shortest = min(len(left + right) for left, right in tied)
            return min((pair for pair in tied if len(pair[0] + pair[1]) == shortest), key=b"".join)
        case "smallest-concatenation":
            return min(tied, key=lambda pair: b"".join(pair).hex() + "g")
        case _:
            raise NotImplementedError(f"no tie rule {rule}")


class Frame:
    """Everything but how the symbols of a piece become tokens."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.special = special_pattern(vocabulary.special_tokens)

    def tokens(self, symbols):
        """The ids of the tokens that the symbols, themselves ids, merge into."""
        raise NotImplementedError

    def encode(self, text):
        ids, end = [], 0
        for match in self.special.finditer(text):
            ids += self.encode_ordinary(text[end : match.start()])
            ids.append(self.vocabulary.special_tokens[match.group()])
            end = match.end()
        return ids + self.encode_ordinary(text[end:])

    def encode_ordinary(self, text):
        ids = []
        for piece in self.pretokenize(text):
            ids.extend(self.tokens(self.symbols(piece)))
        return ids

    def encode_batch(self, texts):
        return list(map(self.encode, texts))

    def pretokenize(self, text):
        if not self.vocabulary.end_of_word:
            return pieces(self.vocabulary.pattern, text)
        marker = self.vocabulary.end_of_word.decode()
        if marker in text:
            raise ValueError(f"the marker {marker!r} stands in {text!r}")
        matches = regex.findall(self.vocabulary.pattern or r"\S+", text)
        return [word for match in matches for word in regex.findall(r"\S+", match)]

    def symbols(self, piece):
        ids = self.vocabulary.id_of
        if not self.vocabulary.end_of_word:
            return [ids[bytes((value,))] for value in piece.encode()]
        unknown = [character for character in piece if character.encode() not in ids]
        if unknown:
            raise ValueError(f"{unknown[0]!r} in {piece!r} is not in the base")
        return [ids[character.encode()] for character in piece] + [ids[self.vocabulary.end_of_word]]

    def decode_bytes(self, ids):
        return b"".join([self.vocabulary.bytes_of[token_id] for token_id in ids])

    def decode(self, ids):
        data, marker = self.decode_bytes(ids), self.vocabulary.end_of_word
        if not marker:
            return str(data, "utf-8", "replace")
        words = data.split(marker)
        return b" ".join(words[:-1] if not words[-1] and len(words) > 1 else words).decode("utf-8", "replace")

    def stream_decode(self, ids):
        if self.vocabulary.end_of_word:
            yield self.decode(ids)
            return
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for token_id in ids:
            yield decoder.decode(self.vocabulary.bytes_of[token_id])
        yield decoder.decode(b"", final=True)

    def save(self, path):
        vocabulary = self.vocabulary
        settings = (dict(vocabulary.special_tokens), vocabulary.pattern, vocabulary.base, vocabulary.end_of_word)
        Path(path).write_text(ascii((vocabulary.merges, *settings)), encoding="ascii")

    @classmethod
    def load(cls, path):
        try:
            merges, *settings = ast.literal_eval(Path(path).read_text(encoding="ascii"))
        except SyntaxError as error:
            raise ValueError(f"{path}: cut short or no tokenizer, at character {error.offset}") from error
        return cls(Vocabulary(merges, *settings))


def table_of(vocabulary):
    """From a pair of ids to the rank of its merge and the id that it makes."""
    ids = vocabulary.id_of
    return {(ids[left], ids[right]): (rank, ids[left + right]) for rank, (left, right) in enumerate(vocabulary.merges)}
