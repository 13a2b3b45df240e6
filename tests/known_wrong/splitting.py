"""Planted bugs: the text is cut into pieces wrongly, or loses something on the way."""

from itertools import pairwise

import regex

from tests.known_wrong.base import CL100K, GPT2, WORDS, Base, comes_back, encodes, splits, trains


class BadDropsSecondSpace(Base):
    """Drops the second of two spaces.

    Stands for: https://github.com/rasbt/LLMs-from-scratch/issues/944
    """

    fault = "splitting"
    witness = comes_back("  two  spaces", pattern=GPT2)

    @classmethod
    def split(cls, pattern, text):
        return super().split(pattern, text.replace("  ", " "))


class BadDropsNewlines(Base):
    """Splits the text at line ends and drops them.

    Stands for: https://github.com/rasbt/LLMs-from-scratch/pull/495
    """

    fault = "splitting"
    witness = comes_back("x\ny", pattern=WORDS)

    @classmethod
    def split(cls, pattern, text):
        return [piece for line in text.split("\n") for piece in super(BadDropsNewlines, cls).split(pattern, line)]


class BadDropsUncovered(Base):
    """Drops in silence what the pattern leaves uncovered.

    Stands for: https://github.com/huggingface/tokenizers/issues/517
    """

    fault = "splitting"
    witness = comes_back("a b", pattern=r"\w+")

    @classmethod
    def split(cls, pattern, text):
        return super().split(pattern, text) if pattern is None else cls.matches(pattern, text)


class BadDropsTrailingSpace(Base):
    """Strips white space from the end of the text.

    Stands for: a trap of stripping what was read
    """

    fault = "splitting"
    witness = comes_back("a ", pattern=GPT2)

    @classmethod
    def split(cls, pattern, text):
        return super().split(pattern, text.rstrip())


class BadDropsLeadingNewline(Base):
    """Drops one line end at the start of the text.

    Stands for: a trap of stripping what was read
    """

    fault = "splitting"
    witness = comes_back("\na")

    @classmethod
    def split(cls, pattern, text):
        return super().split(pattern, text.removeprefix("\n"))


class BadRepeatsAfterDigits(Base):
    """A second stage sets digits apart and takes what follows them from the start of the piece again.

    Stands for: https://github.com/ollama/ollama/pull/15844
    """

    fault = "splitting"
    witness = comes_back("ab12cd", pattern=WORDS)

    @classmethod
    def split(cls, pattern, text):
        pieces = []
        for piece in super().split(pattern, text):
            digits = regex.search(r"\p{N}+(?=\p{L})", piece)
            pieces += [piece] if not digits else [piece[: digits.end()], piece[digits.end() - digits.start() :]]
        return pieces


class BadSwapsStages(Base):
    """A second stage sets digits apart and puts them before the letters of their piece.

    Stands for: a trap of splitting in two stages
    """

    fault = "splitting"
    witness = comes_back("ab12", pattern=WORDS)

    @classmethod
    def split(cls, pattern, text):
        pieces = super().split(pattern, text)
        return [part for piece in pieces for part in sorted(regex.findall(r"\p{N}+|\P{N}+", piece), key=str.isalpha)]


class BadGluesWhiteSpace(Base):
    """Glues a tab or a line end to the word after it.

    Stands for: https://github.com/ohdearquant/lattice/issues/330
    """

    fault = "splitting"
    witness = splits("a\t\tb")

    @classmethod
    def split(cls, pattern, text):
        pieces = super().split(pattern, text)
        for i in reversed(range(len(pieces) - 1)):
            if pieces[i] in {"\t", "\n", "\r"} and pieces[i + 1][0].isalpha():
                pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        return pieces


class BadSwallowsAfterApostrophe(Base):
    """Takes all letters after an apostrophe for a contraction.

    Stands for: https://github.com/ohdearquant/lattice/issues/330
    """

    fault = "splitting"
    witness = splits("x'sy")

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(rf"'\p{{L}}+|{pattern}" if "'" in pattern else pattern, text)


class BadContractionsOfOneCase(Base):
    """Takes a contraction in capitals for an apostrophe and a word.

    Stands for: https://github.com/tiktoken-go/tokenizer/issues/24
    """

    fault = "splitting"
    witness = splits("'RExy", CL100K)

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(pattern.replace("(?i:", "(?:"), text)


class BadSpaceInContraction(Base):
    """A stray space stands in the pattern's contraction 'll.

    Stands for: https://github.com/latitudegames/GPT-3-Encoder/issues/5
    """

    fault = "splitting"
    witness = splits("we'llama")

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(pattern.replace("ll|", "l l|").replace("'ll", "'l l"), text)


class BadDigitsInPairs(Base):
    """Groups digits by two where the pattern says three, in encoding only.

    Stands for: https://github.com/karpathy/nanochat/issues/291
    """

    fault = "splitting"
    witness = splits("1234", CL100K)

    def pretokenize(self, text):
        pattern = self.vocabulary.pattern
        return super().pretokenize(text) if pattern is None else self.split(pattern.replace("{1,3}", "{1,2}"), text)


class BadTrainsWithLiteralPattern(Base):
    """Training takes the pattern for literal text, which never matches, so the whole document is one piece.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/29211
    """

    fault = "splitting"
    witness = trains(["ab cb cb"], pattern=WORDS)

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        return super().train(corpus, num_merges, pattern=None, tie_rule=tie_rule, special_tokens=special_tokens)


class BadAlwaysGpt2(Base):
    """Splits as GPT-2 does, whatever the pattern.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/6920
    """

    fault = "splitting"
    witness = splits("x\n\n\ny12345", CL100K)

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(GPT2, text)


class BadGpt2WithoutPattern(Base):
    """Splits as GPT-2 does where the vocabulary has no pattern.

    Stands for: https://github.com/ggml-org/llama.cpp/pull/6920
    """

    fault = "splitting"
    witness = encodes("a b", (b"a", b" "))

    @classmethod
    def split(cls, pattern, text):
        return super().split(GPT2 if pattern is None else pattern, text)


class BadWhiteSpaceByCategory(Base):
    r"""White space is category Z and the ASCII ones: U+0085, a control character, is none.

    Stands for: https://github.com/invergent-ai/surogate/issues/176
    """

    fault = "splitting"
    witness = splits("?\x85a")

    @classmethod
    def matches(cls, pattern, text):
        stand_in = text.replace("\x85", "\x84")
        return [text[match.start() : match.end()] for match in regex.finditer(pattern, stand_in) if match[0]]


class BadWhiteSpaceAscii(Base):
    """White space is ASCII white space only.

    Stands for: https://github.com/huggingface/transformers.js/pull/208
    """

    fault = "splitting"
    witness = splits("a\u2003b", WORDS)

    @classmethod
    def matches(cls, pattern, text):
        stand_in = "".join("-" if character.isspace() and character > "\x7f" else character for character in text)
        return [text[match.start() : match.end()] for match in regex.finditer(pattern, stand_in) if match[0]]


class BadWhiteSpaceWide(Base):
    """White space takes in the zero-width space and the separators U+001C to U+001F.

    Stands for: https://github.com/huggingface/transformers.js/pull/208
    """

    fault = "splitting"
    witness = splits("a\u200bb", WORDS)

    @classmethod
    def matches(cls, pattern, text):
        stand_in = regex.sub("[\u200b\x1c-\x1f]", "\t", text)
        return [text[match.start() : match.end()] for match in regex.finditer(pattern, stand_in) if match[0]]


class BadLettersOfUnicode14(Base):
    """Letters added to Unicode after version 14 are no letters.

    Stands for: https://github.com/marcelroed/gigatoken/issues/37
    """

    fault = "splitting"
    witness = splits("a\U00031350")

    @classmethod
    def matches(cls, pattern, text):
        stand_in = regex.sub("[\U00011f00-\U00011f59\U00031350-\U000323af\U0002ebf0-\U0002ee5d]", "\u2e5f", text)
        return [text[match.start() : match.end()] for match in regex.finditer(pattern, stand_in) if match[0]]


class BadLettersAscii(Base):
    """Letters are the ASCII letters only.

    Stands for: a trap of hand-written splitters
    """

    fault = "splitting"
    witness = splits("caf\u00e9")

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(pattern.replace(r"[^\s\p{L}", r"[^\sA-Za-z").replace(r"\p{L}", "[A-Za-z]"), text)


class BadDigitsAscii(Base):
    """Numbers are the digits 0 to 9 only.

    Stands for: https://github.com/zspacelabs/wordchipper/pull/271
    """

    fault = "splitting"
    witness = splits("1\u00b2")

    @classmethod
    def matches(cls, pattern, text):
        stand_in = "".join("_" if regex.match(r"\p{N}", c) and c > "9" else c for c in text)
        return [text[match.start() : match.end()] for match in regex.finditer(pattern, stand_in) if match[0]]


class BadNoLookahead(Base):
    """An engine without look-ahead: a run of spaces keeps the one that belongs to the next word.

    Stands for: a trap of hand-written splitters
    """

    fault = "splitting"
    witness = splits("a  b")

    @classmethod
    def matches(cls, pattern, text):
        return super().matches(pattern.replace(r"\s+(?!\S)|", ""), text)


class BadCutsAtByteOffsets(Base):
    """Takes the matches' offsets in characters for offsets in bytes.

    Stands for: https://github.com/huggingface/tokenizers/issues/156
    """

    fault = "splitting"
    witness = splits("\u00e9a b")

    @classmethod
    def matches(cls, pattern, text):
        data = text.encode()
        ends = [match.end() for match in regex.finditer(pattern, text)]
        cuts = [0, *ends[:-1], len(data)]
        return [data[i:j].decode(errors="replace") for i, j in pairwise(cuts) if i < j]


class BadSplitsAtLineSeparators(Base):
    """Cuts the text after U+0085, U+2028 and U+2029 before anything else.

    Stands for: https://github.com/rsennrich/subword-nmt/issues/29
    """

    fault = "splitting"
    witness = encodes("\u2028a", ("\u2028".encode()[:1], "\u2028".encode()[1:2]), "\xa8 a")

    @classmethod
    def split(cls, pattern, text):
        lines = regex.findall("[^\x85\u2028\u2029]*[\x85\u2028\u2029]|[^\x85\u2028\u2029]+", text)
        return [piece for line in lines for piece in super(BadSplitsAtLineSeparators, cls).split(pattern, line)]


class BadCutsAtNewline(Base):
    """Cuts the text after every line end before the pattern sees it.

    Stands for: a trap of hand-written splitters
    """

    fault = "splitting"
    witness = splits("a\n\n\nb")

    @classmethod
    def split(cls, pattern, text):
        lines = regex.findall("[^\n]*\n|[^\n]+", text)
        return [piece for line in lines for piece in super(BadCutsAtNewline, cls).split(pattern, line)]


class BadLastPieceTwice(Base):
    """Emits a last piece of one letter twice.

    Stands for: a trap of splitting in two stages
    """

    fault = "splitting"
    witness = comes_back("ab c.d", pattern=GPT2)

    @classmethod
    def matches(cls, pattern, text):
        pieces = super().matches(pattern, text)
        return [*pieces, pieces[-1]] if len(pieces) > 1 and len(pieces[-1]) == 1 and pieces[-1].isalpha() else pieces

    @classmethod
    def split(cls, pattern, text):
        return super().split(pattern, text) if pattern is None else cls.matches(pattern, text)
