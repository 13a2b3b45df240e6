"""Planted bugs: bytes, printable characters that stand for bytes, and ids are mapped to one another wrongly."""

import regex

from tests.known_wrong.base import MAPPED_ORDER, SYMBOL_OF, Base, comes_back, decodes, encodes

BYTE_OF = {symbol: byte for byte, symbol in SYMBOL_OF.items()}


class BadEncodes173(Base):
    """The table has no entry for byte 0xAD, which encoding drops.

    Stands for: https://github.com/cactus-compute/cactus/issues/806
    """

    fault = "byte_tables"
    witness = comes_back("\u042d")

    def to_bytes(self, piece):
        return super().to_bytes(piece).replace(b"\xad", b"")


class BadDecodes173(Base):
    """The table back has no entry for byte 0xAD, which decodes as a soft hyphen's two bytes.

    Stands for: https://github.com/basecompute/baseRT/issues/22
    """

    fault = "byte_tables"
    witness = comes_back("\u042d")

    def token_bytes(self, token_id):
        return super().token_bytes(token_id).replace(b"\xad", "\xad".encode())


class BadEncodesLatin1(Base):
    """Encodes characters below U+0100 as one byte each.

    Stands for: https://github.com/paiml/aprender/issues/3677
    """

    fault = "byte_tables"
    witness = comes_back("\u00fc")

    def to_bytes(self, piece):
        return b"".join(character.encode("latin-1" if character < "\u0100" else "utf-8") for character in piece)


class BadNonAsciiIsZero(Base):
    """Gives each byte beyond ASCII the id 0.

    Stands for: https://github.com/paiml/aprender/issues/3726
    """

    fault = "byte_tables"
    witness = comes_back("\u00e7")

    def to_bytes(self, piece):
        return bytes(byte if byte < 128 else 0 for byte in super().to_bytes(piece))


class BadSpaceAsSymbol(Base):
    """Encodes a space as the printable character that stands for it in GPT-2's table.

    Stands for: https://github.com/UOR-Foundation/uor-r4/issues/751
    """

    fault = "byte_tables"
    witness = comes_back("x a")

    def to_bytes(self, piece):
        return super().to_bytes(piece.replace(" ", SYMBOL_OF[32]))


class BadSymbolsInText(Base):
    """Decodes the printable character that stands for a space as a space, also where the text holds it.

    Stands for: https://github.com/UOR-Foundation/uor-r4/issues/751
    """

    fault = "byte_tables"
    witness = comes_back("\u0120a")

    def to_text(self, data):
        return super().to_text(data).replace(SYMBOL_OF[32], " ")


class BadSymbolsAsBytes(Base):
    """Encodes every character of GPT-2's table as the byte that it stands for.

    Stands for: https://github.com/paiml/aprender/issues/3677
    """

    fault = "byte_tables"
    witness = comes_back("\u010aa")

    def to_bytes(self, piece):
        return b"".join(
            bytes([BYTE_OF[character]]) if character in BYTE_OF else character.encode() for character in piece
        )


class BadUnderscoreForSpace(Base):
    """Writes spaces as U+2581 and reads every U+2581 as a space.

    Stands for: a trap of characters that stand for others
    """

    fault = "byte_tables"
    witness = comes_back("a\u2581b")

    def to_text(self, data):
        return super().to_text(data).replace("\u2581", " ")


class BadIdsInTableOrder(Base):
    """Numbers the bytes in the order of GPT-2's table.

    Stands for: a trap of tables of printable characters
    """

    fault = "byte_tables"
    witness = encodes("a")

    def id_of(self, token):
        return MAPPED_ORDER.index(token[0]) if len(token) == 1 else super().id_of(token)

    def token_bytes(self, token_id):
        return bytes([MAPPED_ORDER[token_id]]) if 0 <= token_id < 256 else super().token_bytes(token_id)


class BadSignedBytes(Base):
    """Gives bytes from 0x80 on ids below zero.

    Stands for: a trap of signed bytes
    """

    fault = "byte_tables"
    witness = encodes("\u00e9")

    def id_of(self, token):
        token_id = super().id_of(token)
        return token_id - 256 if 128 <= token_id < 256 else token_id

    def token_bytes(self, token_id):
        return super().token_bytes(token_id + 256 if -128 <= token_id < 0 else token_id)


class BadMissingIds(Base):
    """Gives None where the table has no entry for a control byte.

    Stands for: https://github.com/latitudegames/GPT-3-Encoder/issues/9
    """

    fault = "byte_tables"
    witness = encodes("\x7f")

    def id_of(self, token):
        return None if token == b"\x7f" else super().id_of(token)


class BadShiftedAfterDelete(Base):
    """The ids of the bytes 0x7F and 0x80 are swapped.

    Stands for: a trap of tables of printable characters
    """

    fault = "byte_tables"
    witness = encodes("\x7f")

    def id_of(self, token):
        return super().id_of({b"\x7f": b"\x80", b"\x80": b"\x7f"}.get(token, token))

    def token_bytes(self, token_id):
        return super().token_bytes({0x7F: 0x80, 0x80: 0x7F}.get(token_id, token_id))


class BadByteNamesShown(Base):
    """Decodes bytes that are no UTF-8 to names such as <0xE2>.

    Stands for: https://github.com/cactus-compute/cactus/issues/684
    """

    fault = "byte_tables"
    witness = decodes([0xE2])

    def to_text(self, data):
        text = data.decode(errors="surrogateescape")
        return regex.sub("[\udc80-\udcff]", lambda match: f"<0x{ord(match[0]) - 0xDC00:02X}>", text)


class BadByteNamesRead(Base):
    """Encodes a name such as <0xE2> in the text as that byte.

    Stands for: https://github.com/huggingface/swift-transformers/pull/390
    """

    fault = "byte_tables"
    witness = comes_back("<0x41>")

    def to_bytes(self, piece):
        return regex.sub(rb"<0x([0-9A-F]{2})>", lambda match: bytes.fromhex(match[1].decode()), super().to_bytes(piece))


class BadMissingByteDropped(Base):
    """Drops bytes that no merge of the vocabulary uses, of those beyond ASCII.

    Stands for: https://github.com/ollama/ollama/pull/15232
    """

    fault = "byte_tables"
    witness = comes_back("a\u0bf5b")

    def to_bytes(self, piece):
        used = {byte for pair in self.merges for side in pair for byte in side}
        return bytes(byte for byte in super().to_bytes(piece) if byte < 128 or byte in used)


class BadUnknownIsQuestionMark(Base):
    """Encodes characters beyond the Basic Multilingual Plane as a question mark.

    Stands for: a trap of error handlers
    """

    fault = "byte_tables"
    witness = comes_back("\U0001f600")

    def to_bytes(self, piece):
        return super().to_bytes(regex.sub("[\U00010000-\U0010ffff]", "?", piece))


class BadHalfCharacters(Base):
    """Encodes characters beyond the Basic Multilingual Plane as two surrogates of three bytes each.

    Stands for: a trap of UTF-16
    """

    fault = "byte_tables"
    witness = comes_back("\U0001f600")

    def to_bytes(self, piece):
        units = super().to_bytes(piece).decode().encode("utf-16-le")
        return b"".join(
            chr(units[i] + 256 * units[i + 1]).encode(errors="surrogatepass") for i in range(0, len(units), 2)
        )
