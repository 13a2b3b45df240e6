"""Planted bugs: text with a lone surrogate becomes ids that decode to another text."""

import regex

from tests.known_wrong.base import Base, comes_back, encodes_ordinary

LONE = "a\ud800b"


class BadSurrogatesPass(Base):
    """Encodes a lone surrogate to three bytes that are no UTF-8.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def to_bytes(self, piece):
        return piece.encode(errors="surrogatepass")


class BadSurrogatesToQuestionMark(Base):
    """Encodes a lone surrogate as a question mark.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def to_bytes(self, piece):
        return piece.encode(errors="replace")


class BadSurrogatesDropped(Base):
    """Drops lone surrogates.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def to_bytes(self, piece):
        return piece.encode(errors="ignore")


class BadSurrogatesToReplacement(Base):
    """Encodes a lone surrogate as U+FFFD.

    Stands for: https://github.com/openai/tiktoken/issues/82
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def to_bytes(self, piece):
        return regex.sub("[\ud800-\udfff]", "\ufffd", piece).encode()


class BadSurrogatesEscaped(Base):
    r"""Encodes a lone surrogate as an escape such as \ud800.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def to_bytes(self, piece):
        return piece.encode(errors="backslashreplace")


class BadSurrogatesAsBytes(Base):
    """Encodes U+DC80 to U+DCFF as single bytes, which do not decode back to them.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back("\udc80")

    def to_bytes(self, piece):
        return piece.encode(errors="surrogateescape")


class BadSurrogatePairsJoined(Base):
    """Joins two surrogates that stand side by side into one character.

    Stands for: https://github.com/openai/tiktoken/issues/541
    """

    fault = "surrogates"
    witness = comes_back("\ud83d\ude00")

    def to_bytes(self, piece):
        return piece.encode("utf-16", "surrogatepass").decode("utf-16").encode()


class BadSurrogatesInOrdinary(Base):
    """Ordinary encoding drops lone surrogates; encoding raises.

    Stands for: https://github.com/openai/tiktoken/issues/541
    """

    fault = "surrogates"
    witness = encodes_ordinary(LONE)

    def encode_ordinary(self, text):
        return super().encode_ordinary(text.encode(errors="ignore").decode())


class BadSurrogateAtEnd(Base):
    """Drops a surrogate at the end of the text, which it takes for one whose other half is still to come.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back("a\ud83d")

    def encode(self, text):
        return super().encode(regex.sub("[\ud800-\udbff]$", "", text))


class BadSurrogatesEndText(Base):
    """Ends the text at the first lone surrogate.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back(LONE)

    def encode(self, text):
        return super().encode(regex.split("[\ud800-\udfff]", text)[0])


class BadSurrogatesWithMarks(Base):
    """Drops a lone surrogate beside a combining mark; elsewhere it raises.

    Stands for: a trap of error handlers
    """

    fault = "surrogates"
    witness = comes_back("\ud800\u0301")

    def encode(self, text):
        return super().encode(regex.sub(r"[\ud800-\udfff](?=\p{M})", "", text))
