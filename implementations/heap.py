"""BPE in O(n log n): heaps whose entries may be out of date, for training and for encoding alike.

An outdated entry is recognised when it comes up. Joining two tokens costs as much as the places where they stand: a
token stands where its bytes begin, and its length says where the next one does; or, in training and where a piece is
short, a piece is a `str` of one character a token.

Training rests on two facts. A step that makes the token z makes new neighbours of z only, so a pair gains occurrences
in the very step that makes its newer side. And tokens only grow, so an occurrence that is gone never comes back. Hence
after its birth a pair's count never rises, and while its count stays the same, so does the place where it stands first.
"""

from __future__ import annotations

import codecs
import gc
import json
import os
import re
import sys
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from heapq import heappop, heappush
from itertools import chain, count, pairwise, repeat, starmap
from operator import add, mul
from pathlib import Path
from typing import Any, Generic, NoReturn, Protocol, TypeVar

import regex

from reference.model import Merge, Token, Vocabulary

Pair = tuple[int, int]  # two neighbouring tokens, as ids
Neighbours = str  # the same in training: two characters, each of which stands for the token whose id it encodes
Key = Callable[[Neighbours, Mapping[str, bytes]], Any]  # of two pairs with the same count, the smaller key wins
Place = tuple[int, int]  # the number of a piece in the order of first appearance, and an offset in bytes

Item = TypeVar("Item")

CACHED_PIECES = 1 << 16  # kept at most; then the cache starts anew, and frequent pieces are soon back
CACHED_LENGTH = 64  # characters; longer pieces hardly come twice
SHORT = 80  # tokens; for so few it is fastest to look through the ranks of all pairs at each step
NO_TOKEN = -1  # what stands at a place where no token begins, and on either side of a piece
NO_RANK = sys.maxsize  # above every rank
NO_RANKS = repeat(NO_RANK)
CHARACTERS = sys.maxunicode + 1
JOINING, LOOKING = 256, 64  # what joining two tokens, or looking at a merge, costs: characters gone through meanwhile


class Tokenizer:
    """The fast tokenizer.

    >>> tokenizer = Tokenizer(Vocabulary(merges=((b"b", b"a"), (b"a", b"b"))))
    >>> tokenizer.encode("aba"), tokenizer.decode([97, 256])
    ([97, 256], 'aba')
    >>> Tokenizer.train(["ab abc"], 2, pattern=None, tie_rule="first-seen")
    [(b'a', b'b'), (b'ab', b' ')]
    """

    name = "heap"
    version = "1"
    rank_by = "pair"
    near_linear = True
    tie_rules = (
        "first-seen",
        "smallest-bytes",
        "largest-bytes",
        "smallest-ids",
        "smallest-ids-mapped",
        "shortest-then-smallest",
        "smallest-concatenation",
    )

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._split = special_splitter(vocabulary.special_tokens)
        self._pieces_of = (
            word_finder(vocabulary.pattern) if vocabulary.end_of_word else piece_finder(vocabulary.pattern)
        )
        self._cache = PieceCache(vocabulary)
        self._ids_of_piece = self._cache.__getitem__

    # Encoding

    def encode(self, text: str) -> list[Token]:
        """The ids of a text, special tokens recognised.

        Raises `ValueError` for text that the pattern leaves uncovered, a character or byte outside the base, and, as
        `UnicodeEncodeError`, a lone surrogate.
        """
        special_tokens = self.vocabulary.special_tokens
        if not special_tokens:
            return self.encode_ordinary(text)
        ids: list[Token] = []
        for part in self._split(text):
            if part in special_tokens:
                ids.append(special_tokens[part])
            else:
                ids += self.encode_ordinary(part)
        return ids

    def encode_ordinary(self, text: str) -> list[Token]:
        """The ids of a text, special tokens taken for text. Raises as `encode`."""
        # Over pieces seen before, this loop runs without a step of Python: three times the speed of a written one.
        return list(chain.from_iterable(map(self._ids_of_piece, self._pieces_of(text))))

    def encode_batch(self, texts: Iterable[str]) -> list[list[Token]]:
        """The ids of each text. Raises as `encode`."""
        return [self.encode(text) for text in texts]

    def pretokenize(self, text: str) -> list[str]:
        """The pieces of a text. Raises `ValueError` naming the place that no piece covers."""
        return [piece for piece in self._pieces_of(text) if piece]

    # Decoding

    @cached_property
    def _bytes_of(self) -> dict[Token, bytes]:
        """The bytes of each token. Made when first asked for: who only encodes need not wait for it."""
        bytes_of = {token_id: token for token, token_id in self._cache.ids.items()}
        return bytes_of | {token_id: text.encode() for text, token_id in self.vocabulary.special_tokens.items()}

    def decode(self, ids: Iterable[Token]) -> str:
        """The text of ids, U+FFFD where their bytes are no UTF-8. Raises `ValueError` for an unknown id."""
        if self.vocabulary.end_of_word:
            return self._decode_words(list(ids))
        return self.decode_bytes(ids).decode(errors="replace")

    def _decode_words(self, ids: list[Token]) -> str:
        """A space for each marker but one at the very end; the text of a special token stays as it is."""
        marker, special_ids = self.vocabulary.end_of_word, set(self.vocabulary.special_tokens.values())
        tokens = [self.decode_bytes((token_id,)) for token_id in ids]
        if ids and ids[-1] not in special_ids:
            tokens[-1] = tokens[-1].removesuffix(marker)
        shown = [t if i in special_ids else t.replace(marker, b" ") for i, t in zip(ids, tokens, strict=True)]
        return b"".join(shown).decode(errors="replace")

    def decode_bytes(self, ids: Iterable[Token]) -> bytes:
        """The bytes of ids. Raises `ValueError` for an unknown id."""
        try:
            return b"".join(map(self._bytes_of.__getitem__, ids))
        except KeyError as error:
            raise ValueError(f"there is no token with the id {error.args[0]!r}") from None

    def stream_decode(self, ids: Iterable[Token]) -> Iterator[str]:
        """The text of ids in parts, each character as soon as it is whole. Raises `ValueError` for an unknown id."""
        if self.vocabulary.end_of_word:  # only the end of all shows which marker is the last
            yield self.decode(ids)
            return
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        for token_id in ids:
            yield decoder.decode(self.decode_bytes((token_id,)))
        yield decoder.decode(b"", final=True)

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the vocabulary to `path`: JSON in which every text and byte string is hex."""
        Path(path).write_text(json.dumps(to_record(self.vocabulary)), encoding="ascii")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """The tokenizer saved at `path`. Raises `ValueError` naming the place where the file is malformed."""
        try:
            return cls(from_record(json.loads(Path(path).read_text(encoding="ascii"))))
        except RecursionError:
            raise ValueError(f"{path}: nested too deep for a saved tokenizer") from None
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    # Training

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None = None,
        tie_rule: str = "first-seen",
        special_tokens: Iterable[str] = (),
    ) -> list[Merge]:
        """The merges learned, fewer than asked for where no pair is left. Raises `ValueError` as `encode` does."""
        if num_merges < 0:
            raise ValueError(f"cannot learn {num_merges} merges")
        if tie_rule not in TIE_KEYS:
            raise ValueError(f"no tie rule named {tie_rule!r}; there are {', '.join(TIE_KEYS)}")
        if special := frozenset(special_tokens):
            split = special_splitter(special)
            corpus = (part for document in corpus for part in split(document) if part not in special)
        with no_garbage_collection():
            return Trainer(count_pieces(corpus, pattern), TIE_KEYS[tie_rule]).train(num_merges)


# From text to pieces


def special_splitter(special_tokens: Iterable[str]) -> Callable[[str], list[str]]:
    """A function that cuts a text at special tokens and keeps them: the leftmost first, the longest at one place.

    >>> special_splitter(["<a>", "<a><b>"])("x<a><a><b>")
    ['x', '<a>', '<a><b>']
    """
    longest_first = sorted(special_tokens, key=len, reverse=True)  # of several alternatives the first that fits wins
    if not longest_first:
        return lambda text: [text]
    separator = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
    return lambda text: [part for part in separator.split(text) if part]


def piece_finder(pattern: str | None) -> Callable[[str], list[str]]:
    """A function that gives the pieces of a text, empty ones not excluded.

    >>> piece_finder(r" ?[^ ]+")("a b  c")
    Traceback (most recent call last):
        ...
    ValueError: the pattern ' ?[^ ]+' leaves ' ' at place 3 uncovered
    """
    if pattern is None:
        return lambda text: [text]
    if pattern in ASCII_FORMS:
        find_in_block = block_finder(pattern)
        return lambda text: list(chain.from_iterable(map(find_in_block, blocks_of(text))))
    find_all = matches_of(pattern)

    def pieces_of(text: str) -> list[str]:
        pieces = find_all(text)
        if sum(map(len, pieces)) != len(text):
            refuse_gap(pattern, text)
        return pieces

    return pieces_of


def refuse_gap(pattern: str, text: str) -> NoReturn:
    """Raise `ValueError` naming the first place that no piece covers."""
    place, gap = next(gaps(pattern, text))
    raise ValueError(f"the pattern {pattern!r} leaves {gap!r} at place {place} uncovered")


compiled_regex = lru_cache(maxsize=256)(regex.compile)  # regex looks in its own cache for as long as a word takes


def matches_of(pattern: str) -> Callable[[str], list[str]]:
    """A function that gives all matches of the pattern in a text."""
    compiled = compiled_regex(pattern)
    if compiled.groups:  # findall would give the groups
        return lambda text: [match[0] for match in compiled.finditer(text)]
    # By default the lock of the interpreter is let go and taken again for every match: a fifth of the time.
    return partial(compiled.findall, concurrent=False)


def count_pieces(texts: Iterable[str], pattern: str | None) -> Counter[str]:
    """How often each piece stands in the texts, in the order of first appearance. Raises as `piece_finder` does."""
    if pattern is None:
        return Counter(texts)
    if pattern in ASCII_FORMS:
        blocks = chain.from_iterable(map(blocks_of, texts))
        return Counter(chain.from_iterable(map(block_finder(pattern), blocks)))
    counts, find = Counter[str](), compiled_regex(pattern).finditer
    for text in texts:
        # Counted as they are found: the list of all pieces takes ten times the memory of the text.
        own = Counter(map(regex.Match.group, find(text, concurrent=False)))
        if sum(map(mul, map(len, own), own.values())) != len(text):
            refuse_gap(pattern, text)
        for piece, times in own.items():
            counts[piece] += times
    return counts


# What patterns in wide use come to in ASCII, written so that the first character decides: `re` finds them in half
# the time that `regex` takes. All of these patterns cover every text, and in none of their pieces does a space stand
# after what is not white space. So a text can be cut there, and the pieces are the same.
ENDING, ENDING_ANY_CASE = "'(?:[sdmt]|ll|ve|re)", "'(?i:[sdmt]|ll|ve|re)"
WORD = rf"(?:[A-Z]*[a-z]+|[A-Z]+)(?:{ENDING_ANY_CASE})?"
ASCII_FORMS = {
    r" ?[^\s]+|\s+": r"\S+| \S+|\s+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": (
        rf"[a-zA-Z]+| [a-zA-Z]+|{ENDING}|[^\sa-zA-Z0-9]+| [^\sa-zA-Z0-9]+| ?[0-9]+|\s+(?!\S)|\s+"
    ),
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ): (
        rf"[a-zA-Z]+| [a-zA-Z]+|{ENDING_ANY_CASE}|[^\r\na-zA-Z0-9][a-zA-Z]+"
        r"|[^\sa-zA-Z0-9]+[\r\n]*| [^\sa-zA-Z0-9]+[\r\n]*|[0-9]{1,3}|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ): (
        rf"{WORD}| {WORD}|[^\r\na-zA-Z0-9]{WORD}"
        r"|[^\sa-zA-Z0-9]+[\r\n/]*| [^\sa-zA-Z0-9]+[\r\n/]*|[0-9]{1,3}|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
BLOCK = 2_048  # characters; where a text is not all ASCII, most of its blocks may still be
CUT = re.compile(r"\S(?= )")


def blocks_of(text: str) -> Iterator[str]:
    """The text in blocks of about `BLOCK` characters, cut where no piece of `ASCII_FORMS` is cut."""
    start = 0
    while len(text) - start > BLOCK and (found := CUT.search(text, start + BLOCK)):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


@lru_cache
def block_finder(pattern: str) -> Callable[[str], list[str]]:
    """A function that gives the pieces of a block, for a pattern of `ASCII_FORMS`."""
    find_in_ascii, find = re.compile(ASCII_FORMS[pattern], re.ASCII).findall, matches_of(pattern)
    return lambda block: find_in_ascii(block) if block.isascii() else find(block)


def gaps(pattern: str, text: str) -> Iterator[tuple[int, str]]:
    """Place and text of what lies between the matches."""
    end = 0
    for match in regex.finditer(pattern, text):
        if match.start() > end:
            yield end, text[end : match.start()]
        end = match.end()
    if end < len(text):
        yield end, text[end:]


def word_finder(pattern: str | None) -> Callable[[str], list[str]]:
    """A function that gives the words of a text, for a vocabulary of characters. White space is not kept.

    >>> word_finder(None)(" low  lower")
    ['low', 'lower']
    """
    words_of = matches_of(r"\S+")
    if pattern is None:
        return words_of
    find_all = matches_of(pattern)

    def pieces_of(text: str) -> list[str]:
        for place, gap in gaps(pattern, text):
            if words_of(gap):
                raise ValueError(f"the pattern {pattern!r} leaves {gap!r} at place {place} uncovered")
        return [word for piece in find_all(text) for word in words_of(piece)]

    return pieces_of


# Encoding a piece


class PieceCache(dict[str, tuple[Token, ...]]):
    """From a piece to its ids, found when first asked for. Bounded, and safe to use from several threads."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        base, merges = vocabulary.base, vocabulary.merges
        self.size = len(base) + len(merges)  # ids are below it
        self.ids = ids_of_base(base).copy()  # of each token, by its bytes
        self._symbols = symbol_finder(base, vocabulary.end_of_word)
        # By rank, what the merge makes. The first to make a token gives it its id.
        self.products: list[Token] = list(map(self.ids.setdefault, starmap(add, merges), count(len(base))))
        id_of = self.ids.__getitem__
        self.pairs: list[Pair] = [(id_of(left), id_of(right)) for left, right in merges]  # by rank
        self.ranks: dict[Pair, int] = dict(zip(self.pairs, count(), strict=False))
        # Where two merges make the same token, a pair with it may be of a rank that has had its turn.
        self.ambiguous = len(self.ids) < self.size

    def __missing__(self, piece: str) -> tuple[Token, ...]:
        ids = tuple(self.merged(list(self._symbols(piece))))
        if len(piece) <= CACHED_LENGTH:
            if len(self) >= CACHED_PIECES:
                self.clear()
            self[piece] = ids
        return ids

    def merged(self, tokens: list[Token]) -> list[Token]:
        """The tokens with every merge applied, in the order of rank and from left to right. Changes the list given."""
        if len(tokens) < 2:
            return tokens
        if len(tokens) > SHORT or len(tokens) > len(self.pairs) or self.ambiguous:
            return self._merged_by_rank(*self._merged_by_replacing(tokens))
        rank_of, products = self.ranks.get, self.products
        ranks = list(map(rank_of, pairwise(tokens), NO_RANKS))
        while (rank := min(ranks)) != NO_RANK:
            if len(ranks) == 1:  # how nearly all words end
                return [products[rank]]
            place = ranks.index(rank)
            tokens[place] = product = products[rank]
            del tokens[place + 1], ranks[place]
            if place:
                ranks[place - 1] = rank_of((tokens[place - 1], product), NO_RANK)
            if place < len(ranks):
                ranks[place] = rank_of((product, tokens[place + 1]), NO_RANK)
        return tokens

    def _merged_by_replacing(self, tokens: list[Token]) -> tuple[list[Token], int]:
        """The tokens with the first merges applied, and how many those are.

        A token is a character, a merge one `str.replace`: it goes through the whole piece, some hundred places in the
        time that joining one takes below. So this goes on for as long as enough places are found.
        """
        if self.size > CHARACTERS:
            return tokens, 0
        text, present, credit = to_text(tokens), set(tokens), 2 * len(tokens) + 2_000
        for rank, ((left, right), product) in enumerate(zip(self.pairs, self.products, strict=True)):
            if credit < 0:
                return to_ids(text), rank
            if left in present and right in present:
                shorter = text.replace(chr(left) + chr(right), chr(product))
                credit += JOINING * (len(text) - len(shorter)) - len(text)
                if len(shorter) < len(text):
                    present.add(product)
                text = shorter
            credit -= LOOKING
        return to_ids(text), len(self.pairs)

    def _merged_by_rank(self, tokens: list[Token], done: int) -> list[Token]:
        """The tokens with the other merges applied. One entry for all places of a rank makes the heap small."""
        if done == len(self.pairs):
            return tokens
        rank_of, waiting = self.ranks.get, Waiting[int]()
        for place, rank in enumerate(map(rank_of, pairwise(tokens), repeat(NO_TOKEN))):
            if rank >= done:
                waiting[rank].append(place)
        tokens.append(NO_TOKEN)  # at `size`, and so at -1 too: a neighbour on either side of all
        lengths = [1] * len(tokens)  # of each token, at its first place and at its last
        while waiting.line:
            rank = heappop(waiting.line)
            (left, right), product = self.pairs[rank], self.products[rank]
            for place in sorted(waiting[rank]):
                second = place + lengths[place]
                if tokens[place] != left or tokens[second] != right:
                    continue  # out of date
                before, after = place - lengths[place - 1], second + lengths[second]
                tokens[place], tokens[second] = product, NO_TOKEN
                lengths[place] = lengths[after - 1] = after - place
                # A rank below this one has had its turn (see `ambiguous`).
                if (new := rank_of((tokens[before], product), NO_TOKEN)) > rank:
                    waiting[new].append(before)
                if (new := rank_of((product, tokens[after]), NO_TOKEN)) > rank:
                    waiting[new].append(place)
        return [token for token in tokens if token != NO_TOKEN]


UTF_32 = f"utf-32-{sys.byteorder[0]}e"  # as an array of numbers lies in memory


def to_text(tokens: list[Token]) -> str:
    """A character for each token: what `"".join(map(chr, tokens))` is, in a third of the time."""
    return array("I", tokens).tobytes().decode(UTF_32, "surrogatepass")


def to_ids(text: str) -> list[Token]:
    """The tokens of which `to_text` made the text."""
    return array("I", text.encode(UTF_32, "surrogatepass")).tolist()


class Waiting(dict[int, list[Item]], Generic[Item]):
    """What waits, by rank or level. One that is new here gets in line, which is a heap."""

    def __init__(self) -> None:
        self.line: list[int] = []

    def __missing__(self, key: int) -> list[Item]:
        heappush(self.line, key)
        self[key] = items = list[Item]()
        return items


# Of a base, kept from one tokenizer to the next: nearly all have the same one.


@lru_cache(maxsize=16)
def ids_of_base(base: tuple[bytes, ...]) -> dict[bytes, Token]:
    """The id of each token of the base. To be copied before it is changed."""
    return {token: i for i, token in enumerate(base)}


@lru_cache(maxsize=16)
def symbol_finder(base: tuple[bytes, ...], marker: bytes) -> Callable[[str], Sequence[Token]]:
    """A function that gives the ids with which a piece starts: of its bytes, or of its characters and the marker."""
    ids = ids_of_base(base)
    id_of_byte = {token[0]: i for token, i in ids.items() if len(token) == 1}

    def of_bytes(piece: str) -> list[Token]:
        data = piece.encode()
        try:
            return [id_of_byte[byte] for byte in data]
        except KeyError as error:
            raise ValueError(f"the byte {bytes(error.args)!r} of the piece {piece!r} is not in the base") from None

    def of_characters(word: str) -> list[Token]:
        if marker in word.encode():
            raise ValueError(f"the word {word!r} holds the end-of-word marker {marker.decode(errors='replace')!r}")
        try:
            return [ids[character.encode()] for character in word] + [ids[marker]]
        except KeyError as error:
            raise ValueError(f"the character {error.args[0].decode()!r} of {word!r} is not in the base") from None

    if marker:
        return of_characters
    if all(id_of_byte.get(byte) == byte for byte in range(256)):
        return str.encode
    return of_bytes


# Training

PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
MAPPED = {byte: i for i, byte in enumerate([*PRINTABLE, *(byte for byte in range(256) if byte not in PRINTABLE)])}
COMPLEMENT = bytes(range(255, -1, -1))
BYTES_OF = {chr(value): bytes([value]) for value in range(256)}  # copied for each training


def longer_first(data: bytes) -> str:
    """A key by which byte strings sort as they do, except that of two that begin alike the longer comes first."""
    return data.decode("latin-1") + "\u0100"


def largest_first(data: bytes) -> str:
    """A key by which byte strings sort the other way round."""
    return longer_first(data.translate(COMPLEMENT))


# After the key, the first occurrence decides.
TIE_KEYS: dict[str, Key] = {
    "first-seen": lambda pair, token: 0,
    "smallest-bytes": lambda pair, token: (token[pair[0]], token[pair[1]]),
    "largest-bytes": lambda pair, token: (largest_first(token[pair[0]]), largest_first(token[pair[1]])),
    "smallest-ids": lambda pair, token: pair,
    "smallest-ids-mapped": lambda pair, token: pair.translate(MAPPED),
    "shortest-then-smallest": lambda pair, token: (
        len(token[pair[0]] + token[pair[1]]),
        token[pair[0]] + token[pair[1]],
    ),
    "smallest-concatenation": lambda pair, token: longer_first(token[pair[0]] + token[pair[1]]),
}


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Nothing in training is a cycle, and looking for cycles among a million lists takes a fifth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Trainer:
    """Learns merges from pieces with their counts, given in the order of their first appearance.

    Pairs wait at the level of their count, from the highest level down. Counts only fall, so one that is found at a
    level above its count is put where it belongs. The pairs of the present level are in a heap, by tie key and place.
    """

    def __init__(self, counts: Mapping[str, int], key: Key) -> None:
        self.bytes_of = BYTES_OF.copy()
        self.key = key
        self.stores = stores_of(counts)
        self.counts: dict[Neighbours, int] = {}
        self.level = 0
        self.heap: list[tuple[Any, Place, Neighbours]] = []
        self.waiting = Waiting[Neighbours]()  # by level, negative
        for store in self.stores:
            for pair, places in store.places.items():
                self.counts[pair] = self.counts.get(pair, 0) + sum(map(store.weights.__getitem__, places))
        for pair, times in self.counts.items():
            self._put(pair, times)

    def train(self, num_merges: int) -> list[Merge]:
        """The merges, in the order learned. To be called once."""
        merges: list[Merge] = []
        while len(merges) < num_merges and (pair := self._best()) is not None:
            merges.append((self.bytes_of[pair[0]], self.bytes_of[pair[1]]))
            self._merge(pair)
        return merges

    def _best(self) -> Neighbours | None:
        """The pair whose turn it is."""
        while self.heap or self.waiting:
            if not self.heap:
                self._descend()
                continue
            *_, pair = heappop(self.heap)
            if self.counts[pair] == self.level:
                return pair
            self._put(pair, self.counts[pair])
        return None

    def _descend(self) -> None:
        """Go to the next level; what has no longer that count goes further."""
        lowest = heappop(self.waiting.line)
        self.level = -lowest
        for pair in self.waiting.pop(lowest):
            self._put(pair, self.counts[pair])

    def _put(self, pair: Neighbours, times: int) -> None:
        if times == self.level:
            heappush(self.heap, (self.key(pair, self.bytes_of), self._first(pair), pair))
        elif times:
            self.waiting[-times].append(pair)
        else:
            self._forget(pair)

    def _first(self, pair: Neighbours) -> Place:
        """The place where the pair stands first. It need not be looked for again before the count falls."""
        return min(place for store in self.stores if (place := store.first(pair, self.bytes_of)))

    def _forget(self, pair: Neighbours) -> None:
        del self.counts[pair]
        for store in self.stores:
            store.places.pop(pair, None)

    def _merge(self, pair: Neighbours) -> None:
        """Join every occurrence of the pair, from left to right."""
        counts, born = self.counts, dict[Neighbours, int]()
        new = chr(len(self.bytes_of))
        self.bytes_of[new] = self.bytes_of[pair[0]] + self.bytes_of[pair[1]]
        for store in self.stores:
            store.join(pair, new, counts, born)
        self._forget(pair)
        counts |= born
        for now, times in born.items():
            if times == self.level:
                self._put(now, times)
            else:
                self.waiting[-times].append(now)


# Two ways to hold pieces. Both know for each pair the places where it was born, ascending; it may be gone from some.

EDGE = "\xff"  # no token: a byte that UTF-8 never holds
LONG = 1_000  # bytes; joining a pair goes through a word from end to end, through a chain only where the pair stands


class Store(Protocol):
    """Pieces in which pairs can be joined."""

    places: defaultdict[Neighbours, list[int]]
    weights: list[int]  # at each place, how often its piece stands in the corpus

    def first(self, pair: Neighbours, bytes_of: Mapping[str, bytes]) -> Place | None:
        """The place where the pair stands first, if anywhere."""

    def join(self, pair: Neighbours, new: str, counts: dict[Neighbours, int], born: dict[Neighbours, int]) -> None:
        """Join every occurrence. The pairs that stood beside it are taken off the counts; new ones are born."""


def stores_of(counts: Mapping[str, int]) -> list[Store]:
    """The pieces, long ones apart."""
    pieces = [(piece.encode().decode("latin-1"), times) for piece, times in counts.items()]
    long = {number: piece for number, piece in enumerate(pieces) if len(piece[0]) > LONG}
    short = [("", 0) if number in long else piece for number, piece in enumerate(pieces)]
    return [Words(short), Chain(long)] if long else [Words(short)]


class Words:
    """Short pieces, each a `str` of one character a token. Its places are numbers of pieces."""

    def __init__(self, pieces: list[tuple[str, int]]) -> None:
        self.words = [word for word, _ in pieces]
        self.weights = [times for _, times in pieces]
        self.places: defaultdict[Neighbours, list[int]] = defaultdict(list)
        text = EDGE.join([*self.words, ""])
        numbers = chain.from_iterable(map(repeat, count(), [len(word) + 1 for word in self.words]))
        for pair, number in zip(map(add, text, text[1:]), numbers, strict=False):
            self.places[pair].append(number)
        for pair in [pair for pair in self.places if EDGE in pair]:
            del self.places[pair]

    def first(self, pair: Neighbours, bytes_of: Mapping[str, bytes]) -> Place | None:
        """The place where the pair stands first, if anywhere."""
        words, places = self.words, self.places.get(pair, [])
        for i, number in enumerate(places):
            if pair in words[number]:
                del places[:i]
                return number, sum(map(len, map(bytes_of.__getitem__, words[number].partition(pair)[0])))
        return None

    def join(self, pair: Neighbours, new: str, counts: dict[Neighbours, int], born: dict[Neighbours, int]) -> None:
        """Join every occurrence."""
        words = self.words
        before: defaultdict[str, list[int]] = defaultdict(list)  # by the neighbour
        after: defaultdict[str, list[int]] = defaultdict(list)
        for number in self.places[pair]:
            word = words[number]
            if pair not in word:
                continue  # gone, or joined a moment ago, where the word holds it twice
            # Splitting and joining run in C: this is the loop in which training spends its time.
            parts = word.split(pair)
            words[number] = new.join(parts)
            if head := parts[0]:
                before[head[-1]].append(number)
            if tail := parts[-1]:
                after[tail[0]].append(number)
            if len(parts) > 2:
                for part in parts[1:-1]:
                    before[part[-1] if part else new].append(number)
                    if part:
                        after[part[0]].append(number)
        replace_neighbours(self, pair, new, before, after, counts, born)


def replace_neighbours(
    store: Store,
    pair: Neighbours,
    new: str,
    before: Mapping[str, list[int]],
    after: Mapping[str, list[int]],
    counts: dict[Neighbours, int],
    born: dict[Neighbours, int],
) -> None:
    """Count and note what stands beside the new token, by neighbour, in place of what stood beside the pair."""
    left, right = pair[0], pair[1]
    weight_of = store.weights.__getitem__
    for neighbour, places in before.items():
        now, times = neighbour + new, sum(map(weight_of, places))
        store.places[now] = places
        counts[(right if neighbour == new else neighbour) + left] -= times
        born[now] = born.get(now, 0) + times
    for neighbour, places in after.items():
        now, times = new + neighbour, sum(map(weight_of, places))
        store.places[now] = places
        counts[right + neighbour] -= times
        born[now] = born.get(now, 0) + times


class Chain:
    """Long pieces, one after the other, each token where its bytes begin. Its places are the numbers of its bytes."""

    def __init__(self, pieces: Mapping[int, tuple[str, int]]) -> None:
        self.tokens = list(EDGE)
        self.weights = [0]
        self.starts: list[int] = []
        self.numbers = list(pieces)
        for piece, times in pieces.values():
            self.starts.append(len(self.tokens))
            self.tokens += piece
            self.tokens.append(EDGE)
            self.weights += [times] * (len(piece) + 1)
        self.lengths = [1] * len(self.tokens)  # of each token, at its first place and at its last
        self.places: defaultdict[Neighbours, list[int]] = defaultdict(list)
        for place, (left, right) in enumerate(pairwise(self.tokens)):
            if EDGE not in (left, right):
                self.places[left + right].append(place)

    def first(self, pair: Neighbours, bytes_of: Mapping[str, bytes]) -> Place | None:
        """The place where the pair stands first, if anywhere."""
        places = self.places.get(pair, [])
        for i, place in enumerate(places):
            if self.tokens[place] == pair[0] and self.tokens[place + self.lengths[place]] == pair[1]:
                del places[:i]
                piece = bisect_right(self.starts, place) - 1
                return self.numbers[piece], place - self.starts[piece]
        return None

    def join(self, pair: Neighbours, new: str, counts: dict[Neighbours, int], born: dict[Neighbours, int]) -> None:
        """Join every occurrence."""
        tokens, lengths = self.tokens, self.lengths
        before: defaultdict[str, list[int]] = defaultdict(list)  # by the neighbour
        after: defaultdict[str, list[int]] = defaultdict(list)
        for place in list(self._joined(pair, new)):
            preceding = place - lengths[place - 1]
            if (neighbour := tokens[preceding]) != EDGE:
                before[neighbour].append(preceding)
            # Of two new ones side by side the second tells.
            if (neighbour := tokens[place + lengths[place]]) not in (EDGE, new):
                after[neighbour].append(place)
        replace_neighbours(self, pair, new, before, after, counts, born)

    def _joined(self, pair: Neighbours, new: str) -> Iterator[int]:
        """Join every occurrence; gives the places."""
        left, right = pair[0], pair[1]
        tokens, lengths = self.tokens, self.lengths
        for place in self.places[pair]:
            if tokens[place] == left and tokens[second := place + lengths[place]] == right:
                length = lengths[place] + lengths[second]
                tokens[place], tokens[second] = new, EDGE
                lengths[place] = lengths[place + length - 1] = length
                yield place


# Files


def to_record(vocabulary: Vocabulary) -> dict[str, Any]:
    """What is saved of a vocabulary."""
    return {
        "merges": [[left.hex(), right.hex()] for left, right in vocabulary.merges],
        "special_tokens": [[to_hex(text), token_id] for text, token_id in vocabulary.special_tokens.items()],
        "pattern": None if vocabulary.pattern is None else to_hex(vocabulary.pattern),
        "base": [token.hex() for token in vocabulary.base],
        "end_of_word": vocabulary.end_of_word.hex(),
    }


def from_record(record: Any) -> Vocabulary:
    """The vocabulary that was saved. Raises `ValueError` naming the place."""
    if not isinstance(record, dict) or set(record) != set(to_record(Vocabulary())):
        raise ValueError("this is not the record of a tokenizer")
    merges = [
        (from_hex(left, f"merge {i}"), from_hex(right, f"merge {i}")) for i, left, right in rows(record, "merges")
    ]
    special_tokens: dict[str, int] = {}
    for i, hex_text, token_id in rows(record, "special_tokens"):
        text = from_hex_text(hex_text, f"special token {i}")
        if type(token_id) is not int:
            raise ValueError(f"special token {i}: its id {token_id!r} is no whole number")
        if text in special_tokens:
            raise ValueError(f"special token {i}: {text!r} stands there twice")
        special_tokens[text] = token_id
    pattern = record["pattern"]
    return Vocabulary(
        merges=tuple(merges),
        special_tokens=special_tokens,
        pattern=None if pattern is None else from_hex_text(pattern, "pattern"),
        base=tuple(from_hex(token, f"base token {i}") for i, token in enumerate(listed(record, "base"))),
        end_of_word=from_hex(record["end_of_word"], "end_of_word"),
    )


def listed(record: dict[str, Any], field: str) -> list[Any]:
    """A field that must hold a list."""
    value = record[field]
    if not isinstance(value, list):
        raise ValueError(f"{field} is no list")
    return value


def rows(record: dict[str, Any], field: str) -> Iterator[tuple[int, Any, Any]]:
    """The rows of a field that must hold a list of pairs, numbered."""
    for i, row in enumerate(listed(record, field)):
        if not isinstance(row, list) or len(row) != 2:
            raise ValueError(f"{field}: row {i} is no pair")
        yield i, row[0], row[1]


def to_hex(text: str) -> str:
    """A text as hex; lone surrogates too, which a pattern may hold."""
    return text.encode("utf-8", "surrogatepass").hex()


def from_hex(value: Any, place: str) -> bytes:
    """The bytes of hex. Raises `ValueError` naming the place."""
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError(f"{place}: {value!r} is not hex") from None


def from_hex_text(value: Any, place: str) -> str:
    """The text of hex, as `to_hex` wrote it. Raises `ValueError` naming the place."""
    data = from_hex(value, place)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"{place}: {data!r} is no UTF-8") from None
