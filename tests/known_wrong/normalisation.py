"""Planted bugs: the text that is encoded is another than the text that was given."""

import unicodedata

import regex

from tests.known_wrong.base import Base, comes_back, encodes


class Normalizing(Base):
    """Encodes what `normalized` makes of the text."""

    def encode_text(self, text):
        return super().encode_text(self.normalized(text))

    def normalized(self, text):
        return text


class BadNfc(Normalizing):
    """Encodes the text in normalisation form C.

    Stands for: https://github.com/google/sentencepiece/issues/185
    """

    fault = "normalisation"
    witness = comes_back("e\u0301")

    def normalized(self, text):
        return unicodedata.normalize("NFC", text)


class BadNfd(Normalizing):
    """Encodes the text in normalisation form D.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("\u00e9")

    def normalized(self, text):
        return unicodedata.normalize("NFD", text)


class BadNfkc(Normalizing):
    """Encodes the text in normalisation form KC.

    Stands for: https://github.com/anthropics/anthropic-tokenizer-typescript/pull/2
    """

    fault = "normalisation"
    witness = comes_back("\u2460")

    def normalized(self, text):
        return unicodedata.normalize("NFKC", text)


class BadCompatibilityIdeographs(Normalizing):
    """Replaces the few characters that form C never keeps, such as U+212B and U+F900.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("\u212b")

    def normalized(self, text):
        single = (unicodedata.normalize("NFC", character) for character in text)
        return "".join(form if len(form) == 1 else character for form, character in zip(single, text, strict=True))


class BadReordersMarks(Normalizing):
    """Puts runs of combining marks into canonical order.

    Stands for: https://github.com/marcelroed/gigatoken/issues/35
    """

    fault = "normalisation"
    witness = comes_back("a\u0301\u0323")

    def normalized(self, text):
        return regex.sub(r"\p{M}{2,}", lambda run: "".join(sorted(run[0], key=unicodedata.combining)), text)


class BadLimitsMarks(Normalizing):
    """Drops combining marks beyond thirty in a run.

    Stands for: https://github.com/marcelroed/gigatoken/issues/35
    """

    fault = "normalisation"
    witness = comes_back("a" + "\u0301" * 31)

    def normalized(self, text):
        return regex.sub(r"(\p{M}{30})\p{M}+", r"\1", text)


class BadComposesJamo(Normalizing):
    """Composes Korean letters into syllables and nothing else.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("\u1112\u1161\u11ab")

    def normalized(self, text):
        return regex.sub("[\u1100-\u11ff]+", lambda run: unicodedata.normalize("NFC", run[0]), text)


class BadLineEnds(Normalizing):
    r"""Turns \r\n into \n.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("a\r\nb")

    def normalized(self, text):
        return text.replace("\r\n", "\n")


class BadLoneCarriageReturn(Normalizing):
    r"""Turns a \r that no \n follows into \n.

    Stands for: https://github.com/dotnet/machinelearning/issues/6800
    """

    fault = "normalisation"
    witness = comes_back("a\rb")

    def normalized(self, text):
        return regex.sub("\r(?!\n)", "\n", text)


class BadLowerCase(Normalizing):
    """Encodes the text in small letters.

    Stands for: https://github.com/huggingface/tokenizers/issues/438
    """

    fault = "normalisation"
    witness = comes_back("A")

    def normalized(self, text):
        return text.lower()


class BadDottedI(Normalizing):
    """Drops U+0307 after i, as one does who lower-cases the Turkish capital and wants one letter.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("i\u0307")

    def normalized(self, text):
        return text.replace("i\u0307", "i")


class BadLeadingBom(Normalizing):
    """Drops a byte-order mark at the start of the text.

    Stands for: a trap of byte-order marks
    """

    fault = "normalisation"
    witness = comes_back("\ufeffa")

    def normalized(self, text):
        return text.removeprefix("\ufeff")


class BadCollapsesSpaces(Normalizing):
    """Turns a run of three spaces or more into two.

    Stands for: https://github.com/google/sentencepiece/issues/185
    """

    fault = "normalisation"
    witness = comes_back("a   b")

    def normalized(self, text):
        return regex.sub(" {3,}", "  ", text)


class BadNoBreakSpace(Normalizing):
    """Turns no-break spaces into spaces.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("a\u00a0b")

    def normalized(self, text):
        return text.replace("\u00a0", " ")


class BadZeroWidth(Normalizing):
    """Drops characters of no width: U+200B to U+200D, the soft hyphen.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("a\u200db")

    def normalized(self, text):
        return regex.sub("[\u200b-\u200d\xad]", "", text)


class BadVariationSelectors(Normalizing):
    """Drops variation selectors.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("\u2764\ufe0f")

    def normalized(self, text):
        return regex.sub("[\ufe00-\ufe0f]", "", text)


class BadControlCharacters(Normalizing):
    """Drops control characters but tab and line ends.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("a\x9db")

    def normalized(self, text):
        return regex.sub(r"[^\P{Cc}\t\n\r]", "", text)


class BadTabs(Normalizing):
    """Turns a tab into four spaces.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("a\tb")

    def normalized(self, text):
        return text.expandtabs(4)


class BadReplacementCharacters(Normalizing):
    """Drops U+FFFD, which it takes for damage.

    Stands for: a trap of taking U+FFFD for damage
    """

    fault = "normalisation"
    witness = comes_back("a\ufffdb")

    def normalized(self, text):
        return text.replace("\ufffd", "")


class BadNoncharacters(Normalizing):
    """Turns noncharacters, such as U+FFFF, into U+FFFD.

    Stands for: a trap of UTF-16
    """

    fault = "normalisation"
    witness = comes_back("a\uffff")

    def normalized(self, text):
        return "".join("\ufffd" if ord(c) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(c) <= 0xFDEF else c for c in text)


class BadQuotes(Normalizing):
    """Turns curly quotes into straight ones.

    Stands for: a trap of normalising text
    """

    fault = "normalisation"
    witness = comes_back("it\u2019s")

    def normalized(self, text):
        return text.replace("\u2019", "'").replace("\u201c", '"').replace("\u201d", '"')


class BadDummyPrefix(Normalizing):
    """Puts a space before the text.

    Stands for: https://github.com/google/sentencepiece/issues/185
    """

    fault = "normalisation"
    witness = comes_back("a")

    def normalized(self, text):
        return " " + text if text and not text.startswith(" ") else text


class BadGraphemes(Base):
    """Merges only inside or between whole grapheme clusters: a token that starts inside one is never made.

    Stands for: https://github.com/huggingface/swift-transformers/pull/355
    """

    fault = "normalisation"
    witness = encodes("e\u0301x", (b"\xcc", b"\x81"), (b"\xcc\x81", b"x"))

    @classmethod
    def split(cls, pattern, text):
        pieces = super().split(pattern, text)
        return [cluster for piece in pieces for cluster in regex.findall(r"\X", piece)] if cls.joined(text) else pieces

    @staticmethod
    def joined(text):
        return len(regex.findall(r"\X", text)) < len(text)
