"""Planted bugs: U+0000 ends a string, or is taken for nothing."""

from math import inf

from tests.known_wrong.base import Base, comes_back, encodes, encodes_ordinary, reloads, trains


class BadEncodesUpToNul(Base):
    """Encodes the text up to the first U+0000.

    Stands for: https://github.com/ggml-org/llama.cpp/issues/25543
    """

    fault = "nul"
    witness = comes_back("x\0y")

    def encode(self, text):
        return super().encode(text.split("\0")[0])


class BadOrdinaryUpToNul(Base):
    """Ordinary encoding takes the text up to the first U+0000; encoding takes it all.

    Stands for: https://github.com/ggml-org/llama.cpp/issues/25543
    """

    fault = "nul"
    witness = encodes_ordinary("x\0y")

    def encode_ordinary(self, text):
        return super().encode_ordinary(text.split("\0")[0])


class BadPieceUpToNul(Base):
    """Encodes each piece up to its first U+0000.

    Stands for: https://github.com/leehack/llamadart/issues/608
    """

    fault = "nul"
    witness = comes_back("x\0y")

    def to_bytes(self, piece):
        return super().to_bytes(piece).split(b"\0")[0]


class BadDecodesUpToNul(Base):
    """Decodes up to the first U+0000.

    Stands for: https://github.com/leehack/llamadart/issues/608
    """

    fault = "nul"
    witness = comes_back("x\0y")

    def to_text(self, data):
        return super().to_text(data.split(b"\0")[0])


class BadTokenUpToNul(Base):
    """Decodes each token up to its first U+0000.

    Stands for: https://github.com/leehack/llamadart/issues/608
    """

    fault = "nul"
    witness = comes_back("x\0y", "\0 y")

    def token_bytes(self, token_id):
        token = super().token_bytes(token_id)
        return token.split(b"\0")[0] if len(token) > 1 else token


class BadNulIsNothing(Base):
    """Takes the token of one NUL byte for the empty string, and drops it.

    Stands for: https://github.com/ggml-org/llama.cpp/issues/5112
    """

    fault = "nul"
    witness = comes_back("\0")

    def to_bytes(self, piece):
        return super().to_bytes(piece).replace(b"\0", b"")


class BadNulAtEnd(Base):
    """Strips U+0000 from the end of the decoded text, as padding.

    Stands for: a trap of strings that end at NUL
    """

    fault = "nul"
    witness = comes_back("x\0")

    def to_text(self, data):
        return super().to_text(data.rstrip(b"\0"))


class BadMergesUpToNul(Base):
    """Compares the sides of merges up to their first NUL.

    Stands for: a trap of strings that end at NUL
    """

    fault = "nul"
    witness = encodes("a\0bd", "a \0", "a b", "b d", "a\0 b")

    def key(self, pair):
        return tuple(side.split(b"\0")[0] or side for side in pair)

    def rank_table(self):
        return {self.key(pair): rank for rank, pair in reversed(list(enumerate(self.merges)))}

    def rank(self, pair):
        return self.ranks.get(self.key(pair), inf) if pair[0] + pair[1] in self.vocabulary.id_of else inf


class BadNulNeverMerges(Base):
    """Never applies a merge that has a NUL in it.

    Stands for: a trap of strings that end at NUL
    """

    fault = "nul"
    witness = encodes("\0a", "\0 a")

    def rank(self, pair):
        return inf if b"\0" in pair[0] + pair[1] else super().rank(pair)


class BadTrainsUpToNul(Base):
    """Trains on each document up to its first U+0000.

    Stands for: a trap of strings that end at NUL
    """

    fault = "nul"
    witness = trains(["a\0b"])

    @classmethod
    def documents(cls, corpus):
        return (document.split("\0")[0] for document in corpus)


class BadSpecialUpToNul(Base):
    """Knows special tokens up to their first U+0000.

    Stands for: https://github.com/leehack/llamadart/issues/608
    """

    fault = "nul"
    witness = comes_back("<\0s>", special_tokens={"<\0s>": 300})

    def token_bytes(self, token_id):
        special = token_id in self.vocabulary.special_tokens.values()
        token = super().token_bytes(token_id)
        return token.split(b"\0")[0] if special else token


class BadSavesUpToNul(Base):
    """Loses the merges whose right side is NUL when it saves.

    Stands for: https://github.com/google/sentencepiece/issues/1308
    """

    fault = "nul"
    witness = reloads("a\0", "a \0")

    def fields(self):
        merges = [[left, right] for left, right in super().fields()["merges"] if right != "00"]
        return super().fields() | {"merges": merges}
