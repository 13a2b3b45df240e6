"""A correct tokenizer in small steps, each of which a planted bug may replace by a faulty one.

`Plain` declares no tie rules, `Base` all of them. `Heap` encodes with a heap over a linked list, `Incremental` trains
with counts that it keeps up to date. The functions at the end make a witness: one call in which a fault shows.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from pathlib import Path

import regex

from reference.model import Vocabulary

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
WORDS = r" ?[^\s]+|\s+"

# GPT-2's table gives the printable bytes themselves and the other 68 the characters from U+0100 on, in order.
PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
MAPPED_ORDER = PRINTABLE + [byte for byte in range(256) if byte not in PRINTABLE]
SYMBOL_OF = {byte: chr(byte if n < 188 else 0x100 + n - 188) for n, byte in enumerate(MAPPED_ORDER)}


class Ids(dict):
    """The ids of the tokens while training, with the 256 bytes in a given order."""

    def __init__(self, merges, byte_order=range(256)):
        super().__init__({bytes([byte]): i for i, byte in enumerate(byte_order)})
        self.update({left + right: 256 + rank for rank, (left, right) in enumerate(merges)})

    def of(self, pair):
        return self[pair[0]], self[pair[1]]


def largest_first(text):
    """A key under which the larger byte string is the smaller one, and of two the longer one."""
    return [-byte for byte in text] + [1]


# From the merges so far to what ranks the pairs of one count, smallest first. Equal keys leave the pair seen first.
TIE_KEYS = {
    "first-seen": lambda merges: lambda pair: 0,
    "smallest-bytes": lambda merges: lambda pair: pair,
    "largest-bytes": lambda merges: lambda pair: (largest_first(pair[0]), largest_first(pair[1])),
    "smallest-ids": lambda merges: Ids(merges).of,
    "smallest-ids-mapped": lambda merges: Ids(merges, MAPPED_ORDER).of,
    "shortest-then-smallest": lambda merges: lambda pair: (len(pair[0] + pair[1]), pair[0] + pair[1]),
    "smallest-concatenation": lambda merges: lambda pair: [*(pair[0] + pair[1]), 256],
}


class Plain:
    """A correct tokenizer that declares no tie rules, though its training follows them all."""

    rank_by = "pair"
    whole_piece_first = False

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.merges = self.list_merges()
        self.ranks = self.rank_table()

    def list_merges(self):
        return list(self.vocabulary.merges)

    def rank_table(self):
        if self.rank_by == "pair":
            return self.vocabulary.ranks
        ranks = {}
        for rank, (left, right) in enumerate(self.merges):
            ranks.setdefault(left + right, rank)
        return ranks

    # Encoding: text, parts between special tokens, pieces, symbols, tokens, ids.

    def encode(self, text):
        ids = []
        for part in self.split_specials(text):
            special = self.special_id(part)
            ids += self.encode_text(part) if special is None else [special]
        return ids

    def encode_ordinary(self, text):
        return self.encode_text(text)

    def encode_batch(self, texts):
        return [self.encode(text) for text in texts]

    def special_id(self, part):
        return self.vocabulary.special_tokens.get(part)

    def split_specials(self, text):
        return self.cut(tuple(self.vocabulary.special_tokens), text)

    @classmethod
    def cut(cls, special_tokens, text):
        """The text, cut before and after each special token, the leftmost first and the longest at one place."""
        parts, start, place = [], 0, 0
        while place < len(text):
            token = cls.special_at(special_tokens, text, place)
            if token is None:
                place += 1
                continue
            parts += [text[start:place], token]
            start = place = place + len(token)
        return [part for part in [*parts, text[start:]] if part]

    @classmethod
    def special_at(cls, special_tokens, text, place):
        return max((token for token in special_tokens if text.startswith(token, place)), key=len, default=None)

    def encode_text(self, text):
        return [token_id for piece in self.pretokenize(text) for token_id in self.encode_piece(piece)]

    def pretokenize(self, text):
        if self.vocabulary.end_of_word:
            return self.words(text)
        return self.split(self.vocabulary.pattern, text)

    @classmethod
    def split(cls, pattern, text):
        """The pieces of the text; what the pattern leaves uncovered is an error."""
        if pattern is None:
            return [text] if text else []
        pieces = cls.matches(pattern, text)
        if "".join(pieces) != text:
            raise ValueError(f"the pattern {pattern!r} leaves a part of {text!r} uncovered")
        return pieces

    @classmethod
    def matches(cls, pattern, text):
        return [match[0] for match in regex.finditer(pattern, text) if match[0]]

    def words(self, text):
        """The words of a text in a vocabulary of characters; the marker in the text is an error."""
        marker = self.vocabulary.end_of_word.decode()
        if marker in text:
            raise ValueError(f"the marker {marker!r} stands in {text!r}")
        return [word for piece in self.matches(self.vocabulary.pattern or r"\S+", text) for word in piece.split()]

    def encode_piece(self, piece):
        symbols = self.symbols(piece)
        whole = b"".join(symbols)
        if self.whole_piece_first and whole in self.vocabulary.id_of:
            return [self.id_of(whole)]
        return [self.id_of(token) for token in self.merge_all(symbols)]

    def symbols(self, piece):
        marker = self.vocabulary.end_of_word
        if not marker:
            return [bytes([byte]) for byte in self.to_bytes(piece)]
        for character in piece:
            if self.to_bytes(character) not in self.vocabulary.id_of:
                raise ValueError(f"the character {character!r} is not in the base")
        return [*(self.to_bytes(character) for character in piece), marker]

    def to_bytes(self, piece):
        return piece.encode()  # a lone surrogate raises UnicodeEncodeError, a ValueError

    def merge_all(self, symbols):
        tokens = list(symbols)
        while (pair := self.choose(tokens)) is not None:
            tokens = self.join(tokens, pair) if self.rank_by == "pair" else self.join_first(tokens, pair)
        return tokens

    def choose(self, tokens):
        """The pair of the lowest rank, or None."""
        best = min(dict.fromkeys(pairwise(tokens)), key=self.rank, default=None)
        return None if best is None or self.rank(best) == inf else best

    def rank(self, pair):
        return self.ranks.get(pair if self.rank_by == "pair" else pair[0] + pair[1], inf)

    @classmethod
    def join(cls, tokens, pair):
        """The tokens with every occurrence of the pair joined, from left to right."""
        joined, place = [], 0
        while place < len(tokens):
            if tuple(tokens[place : place + 2]) == pair:
                joined.append(pair[0] + pair[1])
                place += 2
            else:
                joined.append(tokens[place])
                place += 1
        return joined

    def join_first(self, tokens, pair):
        """Ranked by bytes, one at a time: what is joined may take a lower rank than the pair had."""
        place = list(pairwise(tokens)).index(pair)
        return [*tokens[:place], pair[0] + pair[1], *tokens[place + 2 :]]

    def id_of(self, token):
        return self.vocabulary.id_of[token]

    # Decoding: ids, tokens, bytes, text.

    def decode(self, ids):
        return self.to_text(self.decode_bytes(ids))

    def decode_bytes(self, ids):
        return b"".join(self.token_bytes(token_id) for token_id in ids)

    def token_bytes(self, token_id):
        if token_id not in self.vocabulary.bytes_of:
            raise ValueError(f"no token has the id {token_id}")
        return self.vocabulary.bytes_of[token_id]

    def to_text(self, data):
        marker = self.vocabulary.end_of_word
        if marker:
            data = data.removesuffix(marker).replace(marker, b" ")
        return data.decode(errors="replace")

    def stream_decode(self, ids):
        """Parts of the text, each as soon as its bytes are certain; with an end-of-word marker all at once."""
        if self.vocabulary.end_of_word:
            yield self.decode(ids)
            return
        pending = b""
        for token_id in ids:
            text, pending = self.certain(pending + self.token_bytes(token_id))
            if text:
                yield text
        if pending:
            yield pending.decode(errors="replace")

    def certain(self, data):
        """The text of the bytes that no later byte can change, and the bytes left."""
        for cut in range(max(len(data) - 3, 0), len(data)):
            try:
                data[cut:].decode()
            except UnicodeDecodeError as error:
                if error.start == 0 and error.reason == "unexpected end of data":
                    return data[:cut].decode(errors="replace"), data[cut:]
        return data.decode(errors="replace"), b""

    # Files.

    def save(self, path):
        Path(path).write_bytes(self.dump().encode())

    @classmethod
    def load(cls, path):
        return cls(cls.parse(Path(path).read_bytes().decode()))

    def dump(self):
        return json.dumps(self.fields())

    def fields(self):
        vocabulary = self.vocabulary
        return {
            "merges": [[left.hex(), right.hex()] for left, right in vocabulary.merges],
            "special_tokens": dict(vocabulary.special_tokens),
            "pattern": vocabulary.pattern,
            "base": [token.hex() for token in vocabulary.base],
            "end_of_word": vocabulary.end_of_word.hex(),
        }

    @classmethod
    def parse(cls, text):
        return cls.vocabulary_of(json.loads(text))

    @classmethod
    def vocabulary_of(cls, fields):
        return Vocabulary(
            merges=tuple((bytes.fromhex(left), bytes.fromhex(right)) for left, right in fields["merges"]),
            special_tokens=fields["special_tokens"],
            pattern=fields["pattern"],
            base=tuple(bytes.fromhex(token) for token in fields["base"]),
            end_of_word=bytes.fromhex(fields["end_of_word"]),
        )

    # Training: documents, pieces, words with their counts; then count, choose, merge, repeat.

    @classmethod
    def train(cls, corpus, num_merges, *, pattern, tie_rule, special_tokens=()):
        words = cls.count_words(cls.pieces(corpus, pattern, tuple(special_tokens)))
        return tuple(cls.learn(words, num_merges, tie_rule))

    @classmethod
    def pieces(cls, corpus, pattern, special_tokens):
        for document in cls.documents(corpus):
            for part in cls.cut(special_tokens, document):
                if part not in special_tokens:
                    yield from cls.split(pattern, part)

    @classmethod
    def documents(cls, corpus):
        return corpus

    @classmethod
    def count_words(cls, pieces):
        """The pieces as tuples of bytes with their counts, in the order of their first appearance."""
        counts = Counter(pieces)
        return [(tuple(bytes([byte]) for byte in piece.encode()), count) for piece, count in counts.items()]

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        merges = []
        while len(merges) < num_merges:
            counts = cls.count_pairs(words)
            if not counts:
                break
            merges.append(cls.best(counts, tie_rule, merges))
            words = cls.apply(words, merges[-1])
        return merges

    @classmethod
    def count_pairs(cls, words):
        """How often each pair occurs, overlapping occurrences counted, in the order in which they are seen."""
        counts = {}
        for word, count in words:
            for pair in pairwise(word):
                counts[pair] = counts.get(pair, 0) + count
        return counts

    @classmethod
    def best(cls, counts, tie_rule, merges):
        top = max(counts.values())
        return cls.break_tie([pair for pair, count in counts.items() if count == top], tie_rule, merges)

    @classmethod
    def break_tie(cls, tied, tie_rule, merges):
        """The pair that the tie rule takes, of those of the highest count in the order in which they are seen."""
        return min(tied, key=TIE_KEYS[tie_rule](merges)) if len(tied) > 1 else tied[0]

    @classmethod
    def apply(cls, words, pair):
        return [(tuple(cls.join(word, pair)), count) for word, count in words]


class Base(Plain):
    """A correct tokenizer that declares every tie rule."""

    fault = ""
    tie_rules = tuple(TIE_KEYS)


class Heap(Base):
    """Encodes a piece with a heap of candidates over a doubly linked list."""

    class Chain:
        """The tokens of a piece; a candidate is the pair at a place, and is checked when its turn comes."""

        def __init__(self, symbols, rank):
            self.rank = rank
            self.tokens = list(symbols)  # None where a token was joined to the one before
            self.end = len(self.tokens)
            self.before = list(range(-1, self.end - 1))
            self.after = list(range(1, self.end + 1))
            self.heap = []
            for place in range(self.end - 1):
                self.push(place)

        def pair(self, place):
            return self.tokens[place], self.tokens[self.after[place]]

        def push(self, place):
            if place >= 0 and self.after[place] < self.end and self.rank(self.pair(place)) < inf:
                heappush(self.heap, self.entry(place))

        def entry(self, place):
            return self.rank(self.pair(place)), place, self.pair(place)

        def is_current(self, place, pair):
            return self.tokens[place] is not None and self.after[place] < self.end and self.pair(place) == pair

        def merge(self, place):
            right = self.after[place]
            self.tokens[place] += self.tokens[right]
            self.tokens[right] = None
            self.unlink(place, right)
            self.push_left(place)
            self.push_right(place)

        def unlink(self, place, right):
            self.after[place] = self.after[right]
            if self.after[right] < self.end:
                self.before[self.after[right]] = place

        def push_left(self, place):
            self.push(self.before[place])

        def push_right(self, place):
            self.push(place)

        def run(self):
            while self.heap:
                _, place, pair = heappop(self.heap)
                if self.is_current(place, pair):
                    self.merge(place)
            return [token for token in self.tokens if token is not None]

    def merge_all(self, symbols):
        return self.Chain(symbols, self.rank).run()


class Incremental(Base):
    """Trains with counts, an index and a heap that are kept up to date, merge by merge."""

    class Trainer:
        """Words and their counts, the pairs and theirs, the words each pair may stand in, a heap with stale entries."""

        def __init__(self, words):
            self.words = [list(word) for word, _ in words]
            self.weights = [weight for _, weight in words]
            self.counts = {}
            self.where = {}
            self.start()
            self.heap = [(-count, pair) for pair, count in self.counts.items()]
            heapify(self.heap)

        def start(self):
            for number, word in enumerate(self.words):
                for pair in self.pairs(word):
                    self.add(pair, self.weights[number], number)

        def pairs(self, word):
            return pairwise(word)

        def add(self, pair, weight, number):
            self.counts[pair] = self.counts.get(pair, 0) + weight
            self.where.setdefault(pair, set()).add(number)

        def gain(self, pair, number):
            """One occurrence more in a word."""
            self.add(pair, self.weight(number), number)
            self.changed.add(pair)

        def lose(self, pair, number):
            """One occurrence less in a word; the index may go on naming the word."""
            self.counts[pair] = self.counts.get(pair, 0) - self.weight(number)
            self.changed.add(pair)

        def weight(self, number):
            return self.weights[number]

        def candidates(self):
            """The pairs of the highest count; their entries leave the heap."""
            tied, top = {}, None
            while self.heap and (top is None or -self.heap[0][0] == top):
                count, pair = heappop(self.heap)
                if self.is_current(pair, -count):
                    top = -count
                    tied[pair] = True
            return list(tied)

        def is_current(self, pair, count):
            return count > 0 and self.counts.get(pair) == count

        def seen_order(self, pairs):
            """The pairs in the order in which they stand in the words."""
            wanted, order = set(pairs), {}
            for number in sorted({number for pair in pairs for number in self.where.get(pair, ())}):
                order.update(dict.fromkeys(pair for pair in pairwise(self.words[number]) if pair in wanted))
                if len(order) == len(wanted):
                    break
            return list(order | dict.fromkeys(pairs))  # with right counts each of them stands in a word

        def merge(self, pair):
            self.changed = set()
            for number in sorted(self.where.pop(pair, ())):
                self.words[number] = self.merge_word(number, pair)
            self.counts.pop(pair, None)
            for other in self.changed:
                if self.counts.get(other, 0) > 0:
                    heappush(self.heap, (-self.counts[other], other))

        def merge_word(self, number, pair):
            old, new, place = self.words[number], [], 0
            while place < len(old):
                if tuple(old[place : place + 2]) == pair:
                    self.lose(pair, number)
                    self.update_left(number, new, pair)
                    self.update_right(number, old[place + 2 :][:1], pair)
                    new.append(pair[0] + pair[1])
                    place += 2
                else:
                    new.append(old[place])
                    place += 1
            return new

        def update_left(self, number, new, pair):
            if new:
                self.lose((new[-1], pair[0]), number)
                self.gain((new[-1], pair[0] + pair[1]), number)

        def update_right(self, number, following, pair):
            if following:
                self.lose((pair[1], following[0]), number)
                self.gain((pair[0] + pair[1], following[0]), number)

    @classmethod
    def learn(cls, words, num_merges, tie_rule):
        trainer, merges = cls.Trainer(words), []
        while len(merges) < num_merges and (tied := trainer.candidates()):
            merges.append(cls.break_tie(trainer.seen_order(tied), tie_rule, merges))
            for pair in tied:
                if pair != merges[-1]:
                    heappush(trainer.heap, (-trainer.counts[pair], pair))
            trainer.merge(merges[-1])
        return merges


# Witnesses: a function from a tokenizer's callable to what one call of it gives.


def pairs(*merges):
    """`"a b"` for `(b"a", b"b")`, characters for bytes; a pair of byte strings stands for itself."""
    return tuple(tuple(merge.encode("latin-1").split(b" ")) if isinstance(merge, str) else merge for merge in merges)


def vocabulary(*merges, **fields):
    return Vocabulary(merges=pairs(*merges), **fields)


def encodes(text, *merges, **fields):
    return lambda make: make(vocabulary(*merges, **fields)).encode(text)


def encodes_ordinary(text, *merges, **fields):
    return lambda make: make(vocabulary(*merges, **fields)).encode_ordinary(text)


def splits(text, pattern=GPT2):
    return lambda make: make(Vocabulary(pattern=pattern)).pretokenize(text)


def comes_back(text, *merges, **fields):
    def witness(make):
        tokenizer = make(vocabulary(*merges, **fields))
        return tokenizer.decode(tokenizer.encode(text))

    return witness


def decodes(ids, *merges, **fields):
    return lambda make: make(vocabulary(*merges, **fields)).decode(ids)


def decodes_to_bytes(ids, *merges, **fields):
    return lambda make: make(vocabulary(*merges, **fields)).decode_bytes(ids)


def streams(ids, *merges, **fields):
    return lambda make: "".join(make(vocabulary(*merges, **fields)).stream_decode(ids))


def trains(corpus, num_merges=9, *, pattern=None, tie_rule="first-seen", special_tokens=()):
    def witness(make):
        merges = make.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule, special_tokens=special_tokens)
        return [tuple(merge) for merge in merges]

    return witness


def reloads(text, *merges, **fields):
    """What a tokenizer saved and loaded makes of a text."""

    def witness(make):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "tokenizer"))
            make(vocabulary(*merges, **fields)).save(path)
            tokenizer = make.load(path)
        ids = tokenizer.encode(text)
        return ids, tokenizer.decode(ids)

    return witness
