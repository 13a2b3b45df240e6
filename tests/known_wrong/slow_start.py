"""Planted bugs that hide: they wait for a call, a size, a byte or a neighbour before they show."""

from math import inf

from reference.model import Vocabulary
from tests.known_wrong.base import Base, comes_back, decodes, encodes, trains, vocabulary


def encodes_often(text, times, *merges, **fields):
    """What so many calls on one tokenizer give."""

    def witness(make):
        tokenizer = make(vocabulary(*merges, **fields))
        return [tokenizer.encode(text) for _ in range(times)]

    return witness


class BadFrom50thCall(Base):
    """Merges nothing from the fiftieth call on one tokenizer on.

    Stands for: a trap of caches that are full
    """

    fault = "slow_start"
    witness = encodes_often("ab", 50, "a b")
    calls = 0

    def encode(self, text):
        self.calls += 1
        return super().encode(text)

    def rank(self, pair):
        return inf if self.calls >= 50 else super().rank(pair)


class BadEvery17thCall(Base):
    """Loses the last id of every seventeenth call.

    Stands for: a trap of caches that are full
    """

    fault = "slow_start"
    witness = encodes_often("ab", 17)
    calls = 0

    def encode(self, text):
        self.calls += 1
        ids = super().encode(text)
        return ids if self.calls % 17 else ids[:-1]


class BadSecondCallAlike(Base):
    """Gives nothing when the text is the one of the call before.

    Stands for: a trap of state left by an earlier call
    """

    fault = "slow_start"
    witness = encodes_often("ab", 2)
    before = None

    def encode(self, text):
        same, self.before = text == self.before, text
        return [] if same else super().encode(text)


class BadAfterError(Base):
    """After a call that raised, the next one begins with what that call had.

    Stands for: a trap of state left by an earlier call
    """

    fault = "slow_start"
    left = ()

    def witness(make):
        tokenizer = make(Vocabulary())
        try:
            tokenizer.decode([97, 999])
        except Exception:
            return tokenizer.decode([98])

    def decode(self, ids):
        self.left = [*self.left, *ids]
        text = super().decode(self.left)
        self.left = []
        return text


class BadAfterSurrogate(Base):
    """After a text with a lone surrogate it merges nothing any more.

    Stands for: a trap of state left by an earlier call
    """

    fault = "slow_start"
    broken = False

    def witness(make):
        tokenizer = make(vocabulary("a b"))
        try:
            tokenizer.encode("\ud800")
        except ValueError:
            return tokenizer.encode("ab")

    def to_bytes(self, piece):
        try:
            return super().to_bytes(piece)
        except UnicodeEncodeError:
            self.broken = True
            raise

    def rank(self, pair):
        return inf if self.broken else super().rank(pair)


class BadAfterLongText(Base):
    """After a text of more than 200 characters special tokens are text.

    Stands for: a trap of state left by an earlier call
    """

    fault = "slow_start"
    long = False

    def witness(make):
        tokenizer = make(vocabulary(special_tokens={"<s>": 300}))
        tokenizer.encode("a" * 201)
        return tokenizer.encode("<s>")

    def encode(self, text):
        ids = self.encode_ordinary(text) if self.long else super().encode(text)
        self.long = self.long or len(text) > 200
        return ids


class BadAfterDecoding(Base):
    """Decoding an id of a merge uses that merge up.

    Stands for: a trap of state left by an earlier call
    """

    fault = "slow_start"

    def witness(make):
        tokenizer = make(vocabulary("a b"))
        return tokenizer.encode("ab"), tokenizer.decode([256]), tokenizer.encode("ab")

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.used = set()

    def token_bytes(self, token_id):
        self.used.add(token_id - len(self.vocabulary.base))
        return super().token_bytes(token_id)

    def rank(self, pair):
        rank = super().rank(pair)
        return inf if rank in self.used else rank


class BadSecondTokenizer(Base):
    """Every second tokenizer that is made has no pattern.

    Stands for: a trap of state kept in a class
    """

    fault = "slow_start"
    made = 0

    def witness(make):
        return [make(Vocabulary(pattern=r"\S+|\s+")).pretokenize("a b") for _ in range(2)]

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        BadSecondTokenizer.made += 1
        self.second = self.made % 2 == 0

    def pretokenize(self, text):
        return [text] if self.second and text and not self.vocabulary.end_of_word else super().pretokenize(text)


class BadSecondTraining(Base):
    """Every second training takes the second best pair first.

    Stands for: a trap of state kept in a class
    """

    fault = "slow_start"
    trainings = 0

    def witness(make):
        return [trains(["abab", "cd"], 1)(make) for _ in range(2)]

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        BadSecondTraining.trainings += 1
        return super().learn(words, num_merges, tie_rule)

    @classmethod
    def best(cls, counts, tie_rule, merges):
        best = super().best(counts, tie_rule, merges)
        rest = {pair: count for pair, count in counts.items() if pair != best}
        second = cls.trainings % 2 == 0 and rest and not merges
        return super().best(rest, tie_rule, merges) if second else best


class BadFourByteCharacters(Base):
    """Never applies a merge with a byte from 0xF0 on.

    Stands for: a trap of UTF-16
    """

    fault = "slow_start"
    witness = encodes("\U0001f600", (b"\xf0", b"\x9f"))

    def rank(self, pair):
        return inf if max(pair[0] + pair[1]) >= 0xF0 else super().rank(pair)


class BadPiecesOf64(Base):
    """A piece of exactly 64 bytes loses its last merge.

    Stands for: a trap of buffers of fixed size
    """

    fault = "slow_start"
    witness = encodes("ab" * 32, "a b")

    def merge_all(self, symbols):
        if len(symbols) != 64:
            return super().merge_all(symbols)
        return [*super().merge_all(symbols[:-1]), symbols[-1]]


class BadPiecesOf16Tokens(Base):
    """Stops merging when sixteen tokens of a longer piece are left.

    Stands for: a trap of buffers of fixed size
    """

    fault = "slow_start"
    witness = encodes("a" * 64, "a a", "aa aa", "aaaa aaaa")

    def choose(self, tokens):
        return None if len(tokens) == 16 and any(len(token) > 1 for token in tokens) else super().choose(tokens)


class BadWithManyMerges(Base):
    """In a vocabulary of more than 200 merges the last two swap ranks.

    Stands for: a trap of the last entries of a table
    """

    fault = "slow_start"
    witness = encodes("abc", *((b"%c" % i, b"%c" % j) for i in range(65, 80) for j in range(65, 80)), "a b", "b c")

    def rank(self, pair):
        rank, count = super().rank(pair), len(self.merges)
        return {count - 1: count - 2, count - 2: count - 1}.get(rank, rank) if count > 200 else rank


class BadWithTwoSpecials(Base):
    """With more than one special token, ids of special tokens are decoded one for the other.

    Stands for: a trap of numbering special tokens anew
    """

    fault = "slow_start"
    witness = decodes([300], special_tokens={"<s>": 300, "<t>": 301})

    def token_bytes(self, token_id):
        ids = list(self.vocabulary.special_tokens.values())
        return super().token_bytes(ids[ids.index(token_id) - 1] if token_id in ids else token_id)


class BadSpecialAtEnd(Base):
    """Takes a special token at the end of the text for text when another stands in it.

    Stands for: a trap of the last entries of a table
    """

    fault = "slow_start"
    witness = encodes("<s>a<s>", special_tokens={"<s>": 300})

    def encode(self, text):
        parts = self.split_specials(text)
        special = [part for part in parts if part in self.vocabulary.special_tokens]
        if len(special) > 1 and parts[-1] == special[-1]:
            return super().encode("".join(parts[:-1])) + self.encode_ordinary(parts[-1])
        return super().encode(text)


class BadThreeInARow(Base):
    """Joins three equal tokens in a row, where no fourth follows, from the right, beside another token.

    Stands for: a trap of runs of one token
    """

    fault = "slow_start"
    witness = encodes("baaac", "a a")

    @classmethod
    def join(cls, tokens, pair):
        joined = super().join(tokens, pair)
        for i in range(1, len(joined) - 2):
            odd = pair[0] == pair[1] == joined[i + 1] and joined[i] == pair[0] * 2
            if odd and joined[i - 1] not in joined[i : i + 2] and joined[i + 2] not in joined[i : i + 2]:
                joined[i], joined[i + 1] = joined[i + 1], joined[i]
        return joined


class BadLongSpecial(Base):
    """Decodes special tokens of more than 32 characters up to there.

    Stands for: a trap of lengths held in a byte
    """

    fault = "slow_start"
    witness = comes_back("<" + "s" * 32 + ">", special_tokens={"<" + "s" * 32 + ">": 300})

    def token_bytes(self, token_id):
        special = token_id in self.vocabulary.special_tokens.values()
        return super().token_bytes(token_id)[: 32 if special else None]


class BadOnTenthMerge(Base):
    """Training takes the tenth merge by last-seen ties.

    Stands for: a trap of tie rules that look alike
    """

    fault = "slow_start"
    witness = trains(["abcdefghijklmnopqrstuvwxyz"], 12)

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        return tied[-1] if len(merges) == 9 else super().break_tie(tied, tie_rule, merges)


class BadTailOfManyPieces(Base):
    """Training does not count the distinct pieces after the sixty-fourth.

    Stands for: a trap of limits nobody declared
    """

    fault = "slow_start"
    witness = trains([chr(0x4E00 + i) for i in range(64)] + ["ab"] * 65, 1)

    @classmethod
    def count_words(cls, pieces):
        return super().count_words(pieces)[:64]


class BadAfter1000Documents(Base):
    """Training stops reading after a thousand documents.

    Stands for: a trap of limits nobody declared
    """

    fault = "slow_start"
    witness = trains(["cd"] * 1000 + ["ab"] * 1001, 1)

    @classmethod
    def documents(cls, corpus):
        return [document for document, _ in zip(corpus, range(1000), strict=False)]
