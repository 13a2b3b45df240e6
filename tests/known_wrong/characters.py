"""Planted bugs in the older kind of BPE: characters, with a marker at the end of each word."""

from tests.known_wrong.base import Base, comes_back, encodes, vocabulary

LOW = {"base": (b"l", b"o", b"w", b"_"), "end_of_word": b"_", "pattern": r"\S+"}


class BadUnknownCharacterDropped(Base):
    """Drops characters outside the base.

    Stands for: https://github.com/huggingface/tokenizers/issues/517
    """

    fault = "characters"
    witness = encodes("lxw", **LOW)

    def symbols(self, piece):
        if self.vocabulary.end_of_word:
            piece = "".join(character for character in piece if character.encode() in self.vocabulary.id_of)
        return super().symbols(piece)


class BadUnknownCharacterIsFirst(Base):
    """Takes the first token of the base for characters outside it.

    Stands for: https://github.com/paiml/aprender/issues/3726
    """

    fault = "characters"
    witness = encodes("lxw", **LOW)

    def symbols(self, piece):
        base = self.vocabulary.base
        if self.vocabulary.end_of_word:
            piece = "".join(c if c.encode() in base else base[0].decode() for c in piece)
        return super().symbols(piece)


class BadUnknownCharacterUnnamed(Base):
    """Raises for a character outside the base and does not name it.

    Stands for: a trap of error handlers
    """

    fault = "characters"

    def witness(make):
        try:
            return encodes("l\u00e9w", **LOW)(make)
        except ValueError as error:
            return "\u00e9" in str(error)

    def symbols(self, piece):
        try:
            return super().symbols(piece)
        except ValueError:
            raise ValueError("the text holds something unknown") from None


class BadMarkerOnlyAtEnd(Base):
    """Marks the end of the last word only.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"
    witness = encodes("low low", **LOW)

    def encode_text(self, text):
        ids = super().encode_text(text)
        marker = self.vocabulary.id_of.get(self.vocabulary.end_of_word)
        return [token_id for i, token_id in enumerate(ids) if token_id != marker or i == len(ids) - 1]


class BadMarkerMissing(Base):
    """Does not mark the ends of words.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"
    witness = encodes("low", **LOW)

    def symbols(self, piece):
        return super().symbols(piece)[: -1 if self.vocabulary.end_of_word else None]


class BadMarkerBefore(Base):
    """Puts the marker before each word.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"
    witness = encodes("low", **LOW)

    def symbols(self, piece):
        symbols = super().symbols(piece)
        return [symbols[-1], *symbols[:-1]] if self.vocabulary.end_of_word else symbols


class BadSpaceAfterLastWord(Base):
    """Decodes with a space after the last word.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"
    witness = comes_back("low", **LOW)

    def to_text(self, data):
        marker = self.vocabulary.end_of_word
        return data.replace(marker, b" ").decode(errors="replace") if marker else super().to_text(data)


class BadWordsJoined(Base):
    """Decodes the marker to nothing.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"
    witness = comes_back("low low", **LOW)

    def to_text(self, data):
        marker = self.vocabulary.end_of_word
        return data.replace(marker, b"").decode(errors="replace") if marker else super().to_text(data)


class BadMergesAcrossWords(Base):
    """Merges the marker with the word after it.

    Stands for: a trap of end-of-word markers
    """

    fault = "characters"

    def witness(make):
        return make(vocabulary("_ l", **LOW)).encode("low low")

    def encode_text(self, text):
        if not self.vocabulary.end_of_word:
            return super().encode_text(text)
        symbols = [symbol for word in self.words(text) for symbol in self.symbols(word)]
        return [self.id_of(token) for token in self.merge_all(symbols)]
