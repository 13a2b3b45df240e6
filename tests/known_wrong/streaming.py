"""Planted bugs: the parts that streaming gives are not the decoding of the whole."""

from tests.known_wrong.base import Base, streams

EURO = list("\u20ac".encode())


class BadStreamDropsIncompleteEnd(Base):
    """Drops the bytes that wait for the rest of a character when the ids end.

    Stands for: https://github.com/huggingface/tokenizers/pull/1699
    """

    fault = "streaming"
    witness = streams([97, *EURO[:2]])

    def stream_decode(self, ids):
        pending = b""
        for token_id in ids:
            text, pending = self.certain(pending + self.token_bytes(token_id))
            yield text


class BadStreamSplitsCharacters(Base):
    """Decodes each token on its own.

    Stands for: https://github.com/99991/SimpleTinyLlama/issues/1
    """

    fault = "streaming"
    witness = streams(EURO)

    def stream_decode(self, ids):
        return (self.decode([token_id]) for token_id in ids)


class BadStreamPairs(Base):
    """Decodes two tokens at a time, which is right for characters of two bytes at even places.

    Stands for: a trap of buffers of fixed size
    """

    fault = "streaming"
    witness = streams(EURO)

    def stream_decode(self, ids):
        ids = list(ids)
        return (self.decode(ids[i : i + 2]) for i in range(0, len(ids), 2))


class BadStreamFlushesAtSpace(Base):
    """Flushes half a character when the next token begins with a space, and loses that space.

    Stands for: https://github.com/Blaizzy/mlx-vlm/pull/1778
    """

    fault = "streaming"
    witness = streams([EURO[0], 32, 97])

    def stream_decode(self, ids):
        pending = b""
        for token_id in ids:
            token = self.token_bytes(token_id)
            if pending and token.startswith(b" "):
                yield pending.decode(errors="replace")
                pending, token = b"", token[1:]
            text, pending = self.certain(pending + token)
            yield text
        yield pending.decode(errors="replace")


class BadStreamRaisesOnInvalid(Base):
    """Raises when a later token shows that earlier bytes are no UTF-8.

    Stands for: https://github.com/vllm-project/vllm/pull/24159
    """

    fault = "streaming"
    witness = streams([0xE2, 0x41, 0xBB])

    def stream_decode(self, ids):
        pending = b""
        for token_id in ids:
            text, rest = self.certain(pending + self.token_bytes(token_id))
            if pending and text.startswith("\ufffd"):
                raise ValueError("the prefix of the stream has changed")
            yield text
            pending = rest
        yield pending.decode(errors="replace")


class BadStreamWaitsForReplacement(Base):
    """Waits while the text ends with U+FFFD, and drops one that stands there in truth when the ids end.

    Stands for: a trap of taking U+FFFD for damage
    """

    fault = "streaming"
    witness = streams(list("a\ufffd".encode()))

    def stream_decode(self, ids):
        pending = []
        for token_id in ids:
            pending.append(token_id)
            text = self.decode(pending)
            if not text.endswith("\ufffd"):
                yield text
                pending = []


class BadStreamRepeats(Base):
    """After a character in several tokens it gives the text of the last token again.

    Stands for: https://github.com/huggingface/tokenizers/pull/1699
    """

    fault = "streaming"
    witness = streams([*EURO, 97])

    def stream_decode(self, ids):
        pending = b""
        for token_id in ids:
            waited = bool(pending)
            text, pending = self.certain(pending + self.token_bytes(token_id))
            yield text + text[-1:] if waited and not pending else text
        yield pending.decode(errors="replace")


class BadStreamLosesLast(Base):
    """Holds each part back until the next token comes, and never gives the last one.

    Stands for: https://github.com/huggingface/tokenizers/pull/1699
    """

    fault = "streaming"
    witness = streams([97, 98])

    def stream_decode(self, ids):
        held = ""
        for part in super().stream_decode(ids):
            yield held
            held = part


class BadStreamEndsAtUnknownId(Base):
    """Ends in silence at an id that the vocabulary lacks.

    Stands for: a trap of lookups with a default
    """

    fault = "streaming"
    witness = streams([97, 999, 98])

    def stream_decode(self, ids):
        known = list(ids)
        stop = next((i for i, token_id in enumerate(known) if token_id not in self.vocabulary.bytes_of), len(known))
        return super().stream_decode(known[:stop])


class BadStreamStripsParts(Base):
    """Strips the space at the start of each part after the first.

    Stands for: https://github.com/huggingface/transformers/pull/26053
    """

    fault = "streaming"
    witness = streams([97, 32, 98])

    def stream_decode(self, ids):
        for number, part in enumerate(super().stream_decode(ids)):
            yield part.removeprefix(" ") if number else part


class BadStreamWindowOf16(Base):
    """Decodes in windows of sixteen ids, so that a character across two windows is cut.

    Stands for: a trap of buffers of fixed size
    """

    fault = "streaming"
    witness = streams([*[97] * 15, *EURO])

    def stream_decode(self, ids):
        ids = list(ids)
        for start in range(0, len(ids), 16):
            yield from super().stream_decode(ids[start : start + 16])


class BadStreamWaitsForThree(Base):
    """Waits for three bytes at most, so that a character of four is cut.

    Stands for: a trap of buffers of fixed size
    """

    fault = "streaming"
    witness = streams(list("\U0001f600".encode()))

    def certain(self, data):
        text, pending = super().certain(data)
        return (text, pending) if len(pending) < 3 else (text + pending.decode(errors="replace"), b"")


class BadStreamSpecialBeforePending(Base):
    """Gives a special token at once, before the bytes that still wait.

    Stands for: a trap of output that overtakes
    """

    fault = "streaming"
    witness = streams([EURO[0], 300], special_tokens={"<s>": 300})

    def stream_decode(self, ids):
        special_ids, pending = set(self.vocabulary.special_tokens.values()), b""
        for token_id in ids:
            if token_id in special_ids:
                yield self.token_bytes(token_id).decode()
                continue
            text, pending = self.certain(pending + self.token_bytes(token_id))
            yield text
        yield pending.decode(errors="replace")
