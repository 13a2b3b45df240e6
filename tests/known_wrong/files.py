"""Planted bugs: what is saved and loaded again is another tokenizer."""

import json
import tempfile
import time
from pathlib import Path

from reference.model import SINGLE_BYTES, Vocabulary
from tests.known_wrong.base import WORDS, Base, pairs, reloads, vocabulary

DUPLICATE = ("a b", "b c", "a bc", "ab c", "c d")  # two merges make abc


class Lines(Base):
    """One line of settings, then the merges, one a line, each side in hexadecimal digits. Right as it stands."""

    def dump(self):
        settings = json.dumps(self.fields() | {"merges": []})
        return "".join(f"{line}\n" for line in [settings, *map(self.line, self.vocabulary.merges)])

    def line(self, pair):
        return f"{self.written(pair[0])} {self.written(pair[1])}"

    def written(self, token):
        return token.hex()

    @classmethod
    def parse(cls, text):
        settings, *lines = cls.lines(text)
        return cls.vocabulary_of(json.loads(settings) | {"merges": [cls.sides(line) for line in lines]})

    @classmethod
    def lines(cls, text):
        return text.removesuffix("\n").split("\n")

    @classmethod
    def sides(cls, line):
        left, right = line.split(" ")
        return [left, right]


class PlainText(Lines):
    """The sides as text, one character for a byte, as older formats have them: a fault of its own for some tokens."""

    def written(self, token):
        return token.decode("latin-1")

    @classmethod
    def sides(cls, line):
        left, right = line.split(" ")
        return [left.encode("latin-1").hex(), right.encode("latin-1").hex()]


class BadFileOfSpaces(PlainText):
    """Separates the sides of a merge by a space, which a token may hold.

    Stands for: https://github.com/huggingface/tokenizers/issues/645
    """

    fault = "files"
    witness = reloads("a b", (b"a", b" "))


class BadFileOfLines(PlainText):
    """Writes tokens as text, one merge a line, though a token may hold a line end. Spaces are escaped.

    Stands for: https://github.com/huggingface/tokenizers/issues/482
    """

    fault = "files"
    witness = reloads("a\nb", "a \n")

    def written(self, token):
        return super().written(token).replace("~", "~~").replace(" ", "~_")

    @classmethod
    def sides(cls, line):
        left, right = line.split(" ")
        plain = [side.replace("~_", " ").replace("~~", "~") for side in (left, right)]
        return [side.encode("latin-1").hex() for side in plain]


class Escaped(PlainText):
    """The sides as text, spaces, line ends and signs that have a meaning escaped. Right as it stands."""

    escapes = (("%", "%25"), (" ", "%20"), ("\n", "%0A"))

    def written(self, token):
        text = super().written(token)
        for plain, escape in self.escapes:
            text = text.replace(plain, escape)
        return text

    @classmethod
    def sides(cls, line):
        sides = line.split(" ")
        for plain, escape in cls.escapes[::-1]:
            sides = [side.replace(escape, plain) for side in sides]
        left, right = sides
        return [left.encode("latin-1").hex(), right.encode("latin-1").hex()]


class BadFileOfSplitlines(Escaped):
    r"""Reads lines by `str.splitlines`, which cuts at \r, \f and U+0085 too.

    Stands for: https://github.com/dotnet/machinelearning/issues/6800
    """

    fault = "files"
    witness = reloads("\ra", "\r a")

    @classmethod
    def lines(cls, text):
        return text.splitlines()


class BadFileStrips(Escaped):
    r"""Strips the lines of the file, and with them a tab or \r at the end of a token.

    Stands for: https://github.com/rsennrich/subword-nmt/issues/46
    """

    fault = "files"
    witness = reloads("a\t", "a \t")

    @classmethod
    def lines(cls, text):
        return [line.strip() for line in super().lines(text)]


class BadFileOfComments(Escaped):
    """Takes a line that starts with # for a comment.

    Stands for: a trap of comments in data
    """

    fault = "files"
    witness = reloads("#a", "# a")

    @classmethod
    def lines(cls, text):
        return [line for line in super().lines(text) if not line.startswith("#")]


class BadFileOfUtf8(Lines):
    """Writes tokens as UTF-8 text with U+FFFD for what is none.

    Stands for: a trap of error handlers
    """

    fault = "files"
    witness = reloads("\u00e9", (b"\xc3", b"\xa9"))

    def written(self, token):
        return token.decode(errors="replace").encode().hex()


class BadFileOfEscapes(Escaped):
    r"""Writes a line end as \n and leaves a backslash as it is, so that a backslash and n come back as a line end.

    Stands for: a trap of half an escape
    """

    fault = "files"
    escapes = ((" ", "\\s"), ("\n", "\\n"))
    witness = reloads("\\na", "\\ n", "\\n a")


class BadFileHeader(Lines):
    """Skips the first merge, which it takes for a header.

    Stands for: https://github.com/pytorch/text/issues/1632
    """

    fault = "files"
    witness = reloads("ab", "a b")

    @classmethod
    def lines(cls, text):
        lines = super().lines(text)
        return lines[:1] + lines[2:]


class BadFileLastLine(Lines):
    """Loses the last line of a file that does not end with a line end, and saves such files.

    Stands for: https://github.com/openai/tiktoken/pull/598
    """

    fault = "files"
    witness = reloads("abc", "a b", "ab c")

    def dump(self):
        return super().dump().removesuffix("\n") if self.vocabulary.merges else super().dump()

    @classmethod
    def lines(cls, text):
        return text.split("\n")[:-1]


class BadFileSorted(Base):
    """Saves the merges in the order of their bytes.

    Stands for: a trap of sorted tables
    """

    fault = "files"
    witness = reloads("abc", "b c", "a b")

    def fields(self):
        merges = super().fields()["merges"]
        return super().fields() | {"merges": sorted(merges, key=lambda pair: (len("".join(pair)), pair))}


class BadFileWithoutPattern(Base):
    """Does not save the pattern.

    Stands for: https://github.com/huggingface/tokenizers/pull/1504
    """

    fault = "files"
    witness = reloads("a b", (b"a", b" "), pattern=WORDS)

    def fields(self):
        return super().fields() | {"pattern": None}


class BadFileWithoutSpecials(Base):
    """Does not save the special tokens.

    Stands for: https://github.com/huggingface/tokenizers/issues/1409
    """

    fault = "files"
    witness = reloads("<s>", special_tokens={"<s>": 300})

    def fields(self):
        return super().fields() | {"special_tokens": {}}


class BadFileRenumbersSpecials(Base):
    """Numbers special tokens on from the last merge when it loads them.

    Stands for: https://github.com/huggingface/transformers/pull/48446
    """

    fault = "files"
    witness = reloads("<s>", special_tokens={"<s>": 300})

    @classmethod
    def vocabulary_of(cls, fields):
        first = len(fields["base"]) + len(fields["merges"])
        special_tokens = {text: first + number for number, text in enumerate(fields["special_tokens"])}
        return super().vocabulary_of(fields | {"special_tokens": special_tokens})


class BadFileStripsSpecials(Base):
    """Strips the special tokens when it saves them.

    Stands for: https://github.com/huggingface/tokenizers/issues/1354
    """

    fault = "files"
    witness = reloads("a <s>", special_tokens={" <s>": 300})

    def fields(self):
        special_tokens = {text.strip() or text: token_id for text, token_id in self.vocabulary.special_tokens.items()}
        return super().fields() | {"special_tokens": special_tokens}


class BadFileOfAsciiSpecials(Base):
    """Writes special tokens in ASCII with ? for what is none.

    Stands for: a trap of error handlers
    """

    fault = "files"
    witness = reloads("<\u00e9>", special_tokens={"<\u00e9>": 300})

    def fields(self):
        special_tokens = {
            text.encode("ascii", "replace").decode(): token_id
            for text, token_id in self.vocabulary.special_tokens.items()
        }
        return super().fields() | {"special_tokens": special_tokens}


class BadFileNewlines(Base):
    r"""Writes \r\n as \n, also in special tokens.

    Stands for: a trap of normalising text
    """

    fault = "files"
    witness = reloads("<\r\n>", special_tokens={"<\r\n>": 300})

    def fields(self):
        special_tokens = {
            text.replace("\r\n", "\n"): token_id for text, token_id in self.vocabulary.special_tokens.items()
        }
        return super().fields() | {"special_tokens": special_tokens}


class BadFileWithoutDuplicates(Base):
    """Saves one merge for each token, so a second merge that makes it is lost and the ids after it move.

    Stands for: a trap of numbering tokens, not merges
    """

    fault = "files"
    witness = reloads("cd", *DUPLICATE)

    def fields(self):
        once = {}
        for left, right in super().fields()["merges"]:
            once.setdefault(left + right, [left, right])
        return super().fields() | {"merges": list(once.values())}


class BadFileWithoutBase(Base):
    """Loads with the 256 bytes as base tokens, whatever the base was.

    Stands for: a trap of settings that are not saved
    """

    fault = "files"
    witness = reloads("ab", "a b", base=(b"b", b"a"))

    @classmethod
    def vocabulary_of(cls, fields):
        return super().vocabulary_of(fields | {"base": [token.hex() for token in SINGLE_BYTES]})


class BadFileWithoutWordEnd(Base):
    """Does not save the end-of-word marker.

    Stands for: https://github.com/huggingface/tokenizers/pull/1504
    """

    fault = "files"
    witness = reloads("ab", base=(b"a", b"b", b"_"), end_of_word=b"_", pattern=r"\S+")

    def fields(self):
        return super().fields() | {"end_of_word": ""}


class BadFileOf256Merges(Base):
    """Writes the number of merges in a byte, and so keeps only the first len % 256.

    Stands for: a trap of lengths held in a byte
    """

    fault = "files"
    witness = reloads("\x0f\x10", *((bytes([left]), bytes([right])) for left in range(16) for right in range(17)))

    def fields(self):
        merges = super().fields()["merges"]
        return super().fields() | {"merges": merges[: len(merges) % 256]}


class BadFileAppends(Base):
    """Appends to a file that is there, and loads the first tokenizer in it.

    Stands for: a trap of files that are there already
    """

    fault = "files"

    def witness(make):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "tokenizer"))
            make(vocabulary("b c")).save(path)
            make(vocabulary("a b")).save(path)
            return make.load(path).encode("abc")

    def save(self, path):
        with Path(path).open("a") as file:
            file.write(self.dump() + "\n")

    @classmethod
    def parse(cls, text):
        return super().parse(text.split("\n")[0])


class BadLoadAdds(Base):
    """Loading adds to the merges that were loaded before.

    Stands for: a trap of state kept in a class
    """

    fault = "files"
    loaded: list = []  # noqa: RUF012 - that it is kept is the fault

    def witness(make):
        reloads("ab", "a b")(make)
        return reloads("bc", "b c")(make)

    @classmethod
    def vocabulary_of(cls, fields):
        cls.loaded.extend(pair for pair in fields["merges"] if pair not in cls.loaded)
        try:
            return super().vocabulary_of(fields | {"merges": list(cls.loaded), "special_tokens": {}})
        except ValueError:
            return super().vocabulary_of(fields)


class BadLoadIsCached(Base):
    """Loads a path once and gives the same vocabulary for it ever after.

    Stands for: a trap of state kept in a class
    """

    fault = "files"
    known: dict = {}  # noqa: RUF012 - that it is kept is the fault

    def witness(make):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "tokenizer"))
            results = []
            for merges in (pairs("b c"), pairs("a b")):
                make(Vocabulary(merges)).save(path)
                results.append(make.load(path).encode("abc"))
            return results

    @classmethod
    def load(cls, path):
        if str(path) not in cls.known:
            cls.known[str(path)] = super().load(path)
        return cls.known[str(path)]


class BadSaveChanges(Base):
    """Saving uses the merges up: the tokenizer that was saved encodes without them.

    Stands for: a trap of saving by taking apart
    """

    fault = "files"

    def witness(make):
        tokenizer = make(vocabulary("a b"))
        with tempfile.TemporaryDirectory() as folder:
            tokenizer.save(str(Path(folder, "tokenizer")))
        return tokenizer.encode("ab")

    def save(self, path):
        super().save(path)
        self.ranks = {}


class BadLoadsCutFile(Lines):
    """Takes a file that was cut short for a whole one, with as many bytes of base as lines were read.

    Stands for: a trap of files that were cut short
    """

    fault = "files"

    def witness(make):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tokenizer")
            make(vocabulary("a b", "ab c")).save(str(path))
            path.write_bytes(path.read_bytes()[:-3])
            tokenizer = make.load(str(path))
            return tokenizer.decode(tokenizer.encode("abc"))

    @classmethod
    def parse(cls, text):
        try:
            if not text.endswith("\n"):
                raise ValueError("cut short")
            return super().parse(text)
        except ValueError:
            return Vocabulary(base=SINGLE_BYTES[: text.count("\n")])

    def to_bytes(self, piece):
        return bytes(byte for byte in super().to_bytes(piece) if bytes([byte]) in self.vocabulary.id_of)


class BadWaitsForCutFile(Base):
    """Waits for the rest of a file that was cut short (and gives up after a minute).

    Stands for: a trap of files that were cut short
    """

    fault = "files"
    patience = 60.0

    def witness(make):
        hasty = type("Hasty", (make,), {"patience": 0.0})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tokenizer")
            hasty(vocabulary("a b")).save(str(path))
            path.write_bytes(path.read_bytes()[:-3])
            return hasty.load(str(path))

    @classmethod
    def parse(cls, text):
        end = time.monotonic() + cls.patience
        while not text.endswith("}"):
            time.sleep(0.01)
            if time.monotonic() > end:
                raise TimeoutError("gave up")
        return super().parse(text)


class BadLoadedTokenizerIsShared(Base):
    """A loaded tokenizer takes the merges of the one that was saved last, whatever the file holds.

    Stands for: a trap of state kept in a class
    """

    fault = "files"
    saved = None

    def witness(make):
        with tempfile.TemporaryDirectory() as folder:
            first, second = str(Path(folder, "first")), str(Path(folder, "second"))
            make(vocabulary("a b")).save(first)
            make(vocabulary("b c")).save(second)
            return make.load(first).encode("abc")

    def save(self, path):
        super().save(path)
        BadLoadedTokenizerIsShared.saved = self.vocabulary

    @classmethod
    def load(cls, path):
        return cls(cls.saved) if cls.saved else super().load(path)


class BadLoadedLosesLastRank(Base):
    """A loaded tokenizer does not apply its last merge, the one that was made applies all.

    Stands for: a trap of ends that are off by one
    """

    fault = "files"
    witness = reloads("abc", "a b", "ab c")

    @classmethod
    def load(cls, path):
        tokenizer = super().load(path)
        tokenizer.ranks = {pair: rank for pair, rank in tokenizer.ranks.items() if rank + 1 < len(tokenizer.merges)}
        return tokenizer
