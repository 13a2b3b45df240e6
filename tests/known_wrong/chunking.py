"""Planted bugs: the text, or a piece, is cut into chunks, and the cuts show; long pieces go another way."""

from itertools import pairwise
from math import inf

import regex

from tests.known_wrong.base import GPT2, WORDS, Base, comes_back, encodes, encodes_ordinary, splits


class BadChunksOf256(Base):
    """Cuts the text into chunks of 256 characters before it looks for pieces.

    Stands for: https://github.com/crusoecloud/fastokens/pull/59
    """

    fault = "chunking"
    witness = encodes("x" * 255 + "ab", "a b")

    @classmethod
    def split(cls, pattern, text):
        chunks = [text[i : i + 256] for i in range(0, len(text), 256)]
        return [piece for chunk in chunks for piece in super(BadChunksOf256, cls).split(pattern, chunk)]


class BadChunksOf1000(Base):
    """Cuts the text into chunks of 1,000 characters before it looks for pieces.

    Stands for: https://github.com/crusoecloud/fastokens/pull/59
    """

    fault = "chunking"
    witness = encodes("x" * 999 + "ab", "a b")

    @classmethod
    def split(cls, pattern, text):
        chunks = [text[i : i + 1000] for i in range(0, len(text), 1000)]
        return [piece for chunk in chunks for piece in super(BadChunksOf1000, cls).split(pattern, chunk)]


class BadChunksAtNewline(Base):
    """Cuts texts of more than 100 characters after the first line end beyond the middle.

    Stands for: https://github.com/crusoecloud/fastokens/pull/59
    """

    fault = "chunking"
    witness = splits("x" * 100 + "\n\n\nb" + "x" * 90)

    @classmethod
    def split(cls, pattern, text):
        cut = text.find("\n", len(text) // 2) + 1 if len(text) > 100 else 0
        first = super().split(pattern, text[:cut])
        return first + super().split(pattern, text[cut:])


class BadChunksAtPunctuation(Base):
    """Cuts the text after a line end that follows punctuation.

    Stands for: https://github.com/crusoecloud/fastokens/pull/69
    """

    fault = "chunking"
    witness = splits("!\n//", r"[^\s\p{L}\p{N}]+[\r\n/]*|\s+|\w+")

    @classmethod
    def split(cls, pattern, text):
        chunks = [chunk for chunk in regex.findall(r"(?s:.*?)(?:\p{P}\n|\Z)", text) if chunk]
        return [piece for chunk in chunks for piece in super(BadChunksAtPunctuation, cls).split(pattern, chunk)]


class BadOverlappingChunks(Base):
    """Encodes overlapping halves of a long piece and joins them at the first token that they share.

    Stands for: https://github.com/sgl-project/sglang/pull/12768
    """

    fault = "chunking"
    witness = comes_back("abc" * 30, "a b", "ab c", "abc abc")

    def merge_all(self, symbols):
        if len(symbols) <= 64:
            return super().merge_all(symbols)
        middle = len(symbols) // 2
        first = super().merge_all(symbols[: middle + 8])
        second = super().merge_all(symbols[middle - 8 :])
        shared = next((token for token in second if token in first), None)
        if shared is None:
            return super().merge_all(symbols)
        end = len(first) - first[::-1].index(shared)
        return first[:end] + second[second.index(shared) + 1 :]


class BadPiecesUpTo128(Base):
    """Cuts pieces of more than 128 bytes.

    Stands for: a trap of limits nobody declared
    """

    fault = "chunking"
    witness = encodes("x" * 127 + "ab", "a b")

    def merge_all(self, symbols):
        parts = [symbols[i : i + 128] for i in range(0, len(symbols), 128)]
        return [token for part in parts for token in super(BadPiecesUpTo128, self).merge_all(part)]


class BadPiecesOver255(Base):
    """Merges pieces of more than 255 bytes from left to right, whatever the ranks.

    Stands for: https://github.com/knuddelsgmbh/jtokkit/pull/76
    """

    fault = "chunking"
    witness = encodes("x" * 253 + "abc", "b c", "a b")

    def merge_all(self, symbols):
        if len(symbols) <= 255:
            return super().merge_all(symbols)
        tokens = list(symbols)
        while (pair := next((pair for pair in pairwise(tokens) if self.rank(pair) < inf), None)) is not None:
            tokens = self.join(tokens, pair)
        return tokens


class BadPiecesOver511(Base):
    """Does not merge pieces of more than 511 bytes.

    Stands for: a trap of limits nobody declared
    """

    fault = "chunking"
    witness = encodes("ab" * 256, "a b")

    def merge_all(self, symbols):
        return super().merge_all(symbols) if len(symbols) <= 511 else list(symbols)


class BadPiecesOver1023(Base):
    """Joins the last token of a piece of more than 1,023 bytes to nothing.

    Stands for: https://github.com/knuddelsgmbh/jtokkit/pull/76
    """

    fault = "chunking"
    witness = encodes("ab" * 512, "a b")

    def merge_all(self, symbols):
        if len(symbols) <= 1023:
            return super().merge_all(symbols)
        return [*super().merge_all(symbols[:-1]), symbols[-1]]


class BadLongRuns(Base):
    """Joins runs of more than 64 equal tokens from the right.

    Stands for: a trap of runs of one token
    """

    fault = "chunking"
    witness = encodes("a" * 65, "a a")

    def merge_all(self, symbols):
        if len(symbols) > 64 and len(symbols) % 2 and len(set(symbols)) == 1 and self.rank((symbols[0],) * 2) < inf:
            return [symbols[0], *super().merge_all(symbols[1:])]
        return super().merge_all(symbols)


class BadDeepRecursion(Base):
    """Calls itself for each byte of a piece, and so raises on a piece of some hundred.

    Stands for: https://github.com/ggml-org/llama.cpp/issues/27783
    """

    fault = "chunking"
    witness = encodes("\u4e00" * 300)

    def symbols(self, piece):
        if len(super().symbols(piece)) > 800:
            raise RecursionError("maximum recursion depth exceeded")
        return super().symbols(piece)


class Panic(BaseException):
    """What a native library raises that is no `Exception`."""


class BadPanicsOnLongRun(Base):
    """Raises what is no `Exception` on a run of a thousand equal characters, where the splitter gives up.

    Stands for: https://github.com/openai/tiktoken/issues/15
    """

    fault = "chunking"
    witness = encodes("=" * 1000, pattern=GPT2)

    @classmethod
    def matches(cls, pattern, text):
        if regex.search(r"(?s)(.)\1{999}", text):
            raise Panic("the splitter has given up")
        return super().matches(pattern, text)


class BadPanicsInOrdinary(Base):
    """Ordinary encoding raises what is no `Exception` on a thousand spaces in a row; encoding is safe.

    Stands for: https://github.com/openai/tiktoken/pull/587
    """

    fault = "chunking"
    witness = encodes_ordinary(" " * 1000, pattern=GPT2)

    def encode_ordinary(self, text):
        if " " * 1000 in text:
            raise Panic("the splitter has given up")
        return super().encode_ordinary(text)


class BadManyBlankLines(Base):
    """Raises on two hundred line ends in a row.

    Stands for: https://github.com/ggml-org/llama.cpp/issues/14655
    """

    fault = "chunking"
    witness = encodes("\n" * 200, pattern=GPT2)

    @classmethod
    def split(cls, pattern, text):
        if "\n" * 200 in text:
            raise RecursionError("maximum recursion depth exceeded")
        return super().split(pattern, text)


class BadOver1000Pieces(Base):
    """Merges nothing in the pieces after the thousandth.

    Stands for: a trap of limits nobody declared
    """

    fault = "chunking"
    witness = encodes("a\n" * 500 + "ab", "a b", pattern=WORDS)

    def encode_text(self, text):
        pieces = self.pretokenize(text)
        ids = [token_id for piece in pieces[:1000] for token_id in self.encode_piece(piece)]
        rest = "".join(pieces[1000:])
        return ids + [self.id_of(symbol) for symbol in self.symbols(rest)] if rest else ids


class BadTruncates(Base):
    """Gives at most 1,024 ids.

    Stands for: a trap of limits nobody declared
    """

    fault = "chunking"
    witness = comes_back("ab" * 600)

    def encode(self, text):
        return super().encode(text)[:1024]


class BadBufferOf64(Base):
    """Reads the text in buffers of 64 bytes and decodes each on its own, so that a character may be cut.

    Stands for: a trap of buffers of fixed size
    """

    fault = "chunking"
    witness = comes_back("x" * 63 + "\u00e9")

    def encode_text(self, text):
        data = text.encode()
        return super().encode_text("".join(data[i : i + 64].decode(errors="replace") for i in range(0, len(data), 64)))


class BadShortTextShortcut(Base):
    """Looks for special tokens only in texts of less than 128 characters.

    Stands for: a trap of buffers of fixed size
    """

    fault = "chunking"
    witness = encodes("a" * 130 + "<s>", special_tokens={"<s>": 300})

    def encode(self, text):
        return super().encode(text) if len(text) < 128 else self.encode_ordinary(text)


class BadLastChunkLost(Base):
    """Works in chunks of 32 pieces and loses a last chunk of one.

    Stands for: a trap of ends that are off by one
    """

    fault = "chunking"
    witness = comes_back(" a" * 33, pattern=GPT2)

    def encode_text(self, text):
        pieces = self.pretokenize(text)
        kept = pieces[:-1] if len(pieces) > 32 and len(pieces) % 32 == 1 else pieces
        return [token_id for piece in kept for token_id in self.encode_piece(piece)]
