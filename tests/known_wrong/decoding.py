"""Planted bugs: ids that exist decode wrongly, or ids that do not exist decode."""

import regex

from tests.known_wrong.base import Base, comes_back, decodes, decodes_to_bytes


class Panic(BaseException):
    """What a native library raises that is no `Exception`."""


class BadDecodesTokenByToken(Base):
    """Decodes each token on its own, so that a character cut in two becomes two replacement characters.

    Stands for: https://github.com/NVIDIA/Megatron-LM/issues/4126
    """

    fault = "decoding"
    witness = comes_back("\u0436")

    def decode(self, ids):
        return "".join(self.to_text(self.token_bytes(token_id)) for token_id in ids)


class BadDecodesStrictly(Base):
    """Raises where the bytes are no UTF-8.

    Stands for: https://github.com/PostHog/posthog/pull/48123
    """

    fault = "decoding"
    witness = decodes([0xF0, 0x9F])

    def to_text(self, data):
        return data.decode()


class BadDecodesIgnoring(Base):
    """Drops bytes that are no UTF-8.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0x61, 0xFF])

    def to_text(self, data):
        return data.decode(errors="ignore")


class BadDropsIncompleteEnd(Base):
    """Drops bytes at the end that begin a character and do not end it.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0x61, 0xE2, 0x82])

    def to_text(self, data):
        return self.certain(data)[0]


class BadOneReplacementForARun(Base):
    """Puts one U+FFFD for a run of several.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0xFF, 0xFF])

    def to_text(self, data):
        return regex.sub("\ufffd+", "\ufffd", super().to_text(data))


class BadOneReplacementForAByte(Base):
    """Puts a U+FFFD for each byte of a character that is not ended.

    Stands for: https://github.com/NVIDIA/Megatron-LM/issues/4126
    """

    fault = "decoding"
    witness = decodes([0xE2, 0x82])

    def to_text(self, data):
        text = data.decode(errors="surrogateescape")
        return regex.sub("[\udc80-\udcff]", "\ufffd", text)


class BadReplacesByQuestionMark(Base):
    """Puts a question mark where the bytes are no UTF-8.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0xFF])

    def to_text(self, data):
        return regex.sub("[\udc80-\udcff]+", "?", data.decode(errors="surrogateescape"))


class BadDecodesLatin1(Base):
    """Reads the bytes as Latin-1 where they are no UTF-8.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0xE9])

    def to_text(self, data):
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data.decode("latin-1")


class BadDecodesToSurrogateEscapes(Base):
    """Puts lone surrogates where the bytes are no UTF-8.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0xFF])

    def to_text(self, data):
        return data.decode(errors="surrogateescape")


class BadDecodesSurrogates(Base):
    """Reads the three bytes of a surrogate, which are no UTF-8, as a lone surrogate.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes([0xED, 0xA0, 0x80])

    def to_text(self, data):
        try:
            return data.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            return data.decode(errors="replace")


class BadDecodesEscapes(Base):
    r"""Puts an escape such as \xff where the bytes are no UTF-8.

    Stands for: https://github.com/cactus-compute/cactus/issues/684
    """

    fault = "decoding"
    witness = decodes([0xFF])

    def to_text(self, data):
        return data.decode(errors="backslashreplace")


class BadDecodesBom(Base):
    """Drops a byte-order mark at the start of the text.

    Stands for: a trap of byte-order marks
    """

    fault = "decoding"
    witness = comes_back("\ufeffa")

    def to_text(self, data):
        return data.decode("utf-8-sig", errors="replace")


class BadSkipsUnknownIds(Base):
    """Skips ids that the vocabulary lacks.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([97, 999])

    def token_bytes(self, token_id):
        return self.vocabulary.bytes_of.get(token_id, b"")


class BadReplacesUnknownIds(Base):
    """Decodes an id that the vocabulary lacks to U+FFFD.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([999])

    def token_bytes(self, token_id):
        return self.vocabulary.bytes_of.get(token_id, "\ufffd".encode())


class BadGapIsEmpty(Base):
    """Decodes an id in a gap between two known ones to nothing.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([260], special_tokens={"<s>": 300})

    def token_bytes(self, token_id):
        gap = 0 <= token_id < self.vocabulary.size and token_id not in self.vocabulary.bytes_of
        return b"" if gap else super().token_bytes(token_id)


class BadNegativeIds(Base):
    """Counts negative ids from the end of the vocabulary, as a list does.

    Stands for: a trap of indexing lists
    """

    fault = "decoding"
    witness = decodes([-1])

    def token_bytes(self, token_id):
        return super().token_bytes(token_id + self.vocabulary.size if token_id < 0 else token_id)


class BadNegativeIdsSkipped(Base):
    """Skips negative ids, which it takes for padding.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([97, -100])

    def token_bytes(self, token_id):
        return b"" if token_id < 0 else super().token_bytes(token_id)


class BadChecksFirstIdOnly(Base):
    """Raises on an unknown id in the first place, and skips it elsewhere.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([97, 999])

    def decode_bytes(self, ids):
        ids = list(ids)
        return super().decode_bytes(ids[:1]) + b"".join(self.vocabulary.bytes_of.get(i, b"") for i in ids[1:])


class BadStopsAtUnknownId(Base):
    """Ends the text at an id that the vocabulary lacks.

    Stands for: a trap of lookups with a default
    """

    fault = "decoding"
    witness = decodes([97, 999, 97])

    def decode_bytes(self, ids):
        return b"".join(iter(map(self.vocabulary.bytes_of.get, ids).__next__, None))


class BadFirstIdBeyondTheEnd(Base):
    """Decodes the first id beyond the vocabulary to nothing, an end that is off by one.

    Stands for: https://github.com/huggingface/transformers/issues/20225
    """

    fault = "decoding"
    witness = decodes([256])

    def token_bytes(self, token_id):
        return b"" if token_id == self.vocabulary.size else super().token_bytes(token_id)


class BadPanics(Base):
    """Raises what is no `Exception` on an unknown id.

    Stands for: https://github.com/openai/tiktoken/issues/47
    """

    fault = "decoding"
    witness = decodes([999])

    def token_bytes(self, token_id):
        if token_id not in self.vocabulary.bytes_of:
            raise Panic(f"no token {token_id}")
        return super().token_bytes(token_id)


class BadLastMergeUnknown(Base):
    """Raises on the id of the last merge, as if it were beyond the end.

    Stands for: https://github.com/huggingface/transformers/issues/20225
    """

    fault = "decoding"
    witness = comes_back("ab", "a b")

    def token_bytes(self, token_id):
        if self.merges and token_id == len(self.vocabulary.base) + len(self.merges) - 1:
            raise ValueError(f"no token has the id {token_id}")
        return super().token_bytes(token_id)


class BadStripsDecoded(Base):
    """Strips white space from the start of the decoded text.

    Stands for: https://github.com/google/sentencepiece/issues/185
    """

    fault = "decoding"
    witness = comes_back(" a")

    def to_text(self, data):
        return super().to_text(data).lstrip(" ")


class BadCleansUpSpaces(Base):
    """Removes the space before punctuation on decoding.

    Stands for: https://github.com/huggingface/tokenizers/issues/1164
    """

    fault = "decoding"
    witness = comes_back("x !")

    def to_text(self, data):
        return regex.sub(r" ([.,!?])", r"\1", super().to_text(data))


class BadDecodesBytesThroughText(Base):
    """Gives the bytes of the decoded text, so that bytes that are no UTF-8 change.

    Stands for: a trap of error handlers
    """

    fault = "decoding"
    witness = decodes_to_bytes([0xFF])

    def decode_bytes(self, ids):
        return self.to_text(super().decode_bytes(ids)).encode()


class BadDecodesNothingRaises(Base):
    """Raises on no ids.

    Stands for: a trap of inputs of length nought
    """

    fault = "decoding"
    witness = decodes([])

    def decode(self, ids):
        ids = list(ids)
        return self.to_text(self.token_bytes(ids[0]) + self.decode_bytes(ids[1:]))


class BadDropsRepeatedIds(Base):
    """Drops an id that repeats the one before it more than seven times, as a decoder of speech does.

    Stands for: a trap of decoders made for display
    """

    fault = "decoding"
    witness = comes_back("a" * 9)

    def decode_bytes(self, ids):
        kept = []
        for token_id in ids:
            if len(kept) < 8 or set(kept[-8:]) != {token_id}:
                kept.append(token_id)
        return super().decode_bytes(kept)


class BadDuplicateTokenDecodes(Base):
    """Decodes the id that a merge would have, had its token not been there before.

    Stands for: a trap of numbering tokens, not merges
    """

    fault = "decoding"
    witness = decodes([259], "a b", "b c", "a bc", "ab c", "c c")

    def token_bytes(self, token_id):
        rank = token_id - len(self.vocabulary.base)
        return b"".join(self.merges[rank]) if 0 <= rank < len(self.merges) else super().token_bytes(token_id)
