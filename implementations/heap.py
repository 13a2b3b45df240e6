"""BPE in O(n log n): a heap of candidates over a linked list of tokens, for training and for encoding alike.

Both keep the tokens of a text in a list with a link to each neighbour, so that joining two is done in place, and both
take what comes next from a heap whose entries may be out of date. An outdated entry is recognised when it comes up.

Training rests on two facts. A step that makes the token z makes new neighbours of z only, so a pair gains occurrences
in the very step that makes its newer side. And tokens only grow, so an occurrence that is gone never comes back. Hence
after its birth a pair's count never rises and its first occurrence never moves to the left: a heap entry
(-count, first occurrence) is a lower bound, and an entry that is still true when it comes up is the minimum.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import regex

from reference.model import Merge, Token, Vocabulary

Pair = tuple[int, int]  # two neighbouring tokens, as ids
Key = Callable[[Pair, list[bytes]], Any]  # of two pairs with the same count, the one with the smaller key is taken

CACHED_PIECES = 1 << 16  # kept at most; then the cache starts anew, and frequent pieces are soon back
CACHED_LENGTH = 64  # characters; longer pieces hardly come twice
NO_TOKEN = -1  # what stands at a place where no token begins, and on either side of a piece


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
        self._bytes_of = dict(enumerate(vocabulary.base)) | {i: token for token, i in self._cache.ids.items()}
        self._bytes_of |= {token_id: text.encode() for text, token_id in vocabulary.special_tokens.items()}

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
        special = frozenset(special_tokens)
        split, pieces_of = special_splitter(special), piece_finder(pattern)
        counts: Counter[str] = Counter()  # in the order of first appearance, as every dict
        for document in corpus:
            for part in split(document):
                if part not in special:
                    counts.update(pieces_of(part))
        return Trainer(counts, TIE_KEYS[tie_rule]).train(num_merges)


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
    find_all = matches_of(pattern)

    def pieces_of(text: str) -> list[str]:
        pieces = find_all(text)
        if sum(map(len, pieces)) != len(text):
            place, gap = next(gaps(pattern, text))
            raise ValueError(f"the pattern {pattern!r} leaves {gap!r} at place {place} uncovered")
        return pieces

    return pieces_of


def matches_of(pattern: str) -> Callable[[str], list[str]]:
    """A function that gives all matches of the pattern in a text."""
    compiled = regex.compile(pattern)
    if compiled.groups:  # findall would give the groups
        return lambda text: [match[0] for match in compiled.finditer(text)]
    return compiled.findall


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
        self.ids = {token: i for i, token in enumerate(vocabulary.base)}  # of each token, by its bytes
        self.ranks: dict[Pair, int] = {}
        self.pairs: list[Pair] = []  # by rank
        self.products: list[Token] = []  # by rank, what the merge makes
        self._symbols = symbol_finder(vocabulary, dict(self.ids))
        for rank, (left, right) in enumerate(vocabulary.merges):
            pair = self.ids[left], self.ids[right]
            self.pairs.append(pair)
            self.ranks[pair] = rank
            self.products.append(self.ids.setdefault(left + right, len(vocabulary.base) + rank))

    def __missing__(self, piece: str) -> tuple[Token, ...]:
        ids = tuple(self.merged(self._symbols(piece)))
        if len(piece) <= CACHED_LENGTH:
            if len(self) >= CACHED_PIECES:
                self.clear()
            self[piece] = ids
        return ids

    def merged(self, tokens: list[Token]) -> list[Token]:
        """The tokens with every merge applied, in the order of rank and from left to right. Changes the list given."""
        size, rank_of = len(tokens), self.ranks.get
        tokens.append(NO_TOKEN)  # at `size`, and so at -1 too: a neighbour on either side of all
        following, preceding = list(range(1, size + 2)), list(range(-1, size))
        # An entry is rank * size + place: whole numbers compare faster than tuples.
        ranks = enumerate(map(rank_of, pairwise(tokens)))
        heap = [rank * size + place for place, rank in ranks if rank is not None]
        heapify(heap)
        while heap:
            rank, place = divmod(heappop(heap), size)
            right = following[place]
            if (tokens[place], tokens[right]) != self.pairs[rank]:
                continue  # out of date
            product = self.products[rank]
            tokens[place], tokens[right] = product, NO_TOKEN
            before, after = preceding[place], following[right]
            following[place], preceding[after] = after, place
            # A rank below this one has had its turn. (It can come up only where two merges make the same token.)
            if (new := rank_of((tokens[before], product), NO_TOKEN)) > rank:
                heappush(heap, new * size + before)
            if (new := rank_of((product, tokens[after]), NO_TOKEN)) > rank:
                heappush(heap, new * size + place)
        return [token for token in tokens if token != NO_TOKEN]


def symbol_finder(vocabulary: Vocabulary, ids: Mapping[bytes, Token]) -> Callable[[str], list[Token]]:
    """A function that gives the ids with which a piece starts: of its bytes, or of its characters and the marker."""
    marker = vocabulary.end_of_word

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
    id_of_byte = {token[0]: i for token, i in ids.items() if len(token) == 1}
    return of_bytes


# Training

PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
MAPPED = {byte: i for i, byte in enumerate([*PRINTABLE, *(byte for byte in range(256) if byte not in PRINTABLE)])}
COMPLEMENT = bytes(range(255, -1, -1))


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
    "smallest-ids-mapped": lambda pair, token: (MAPPED.get(pair[0], pair[0]), MAPPED.get(pair[1], pair[1])),
    "shortest-then-smallest": lambda pair, token: (
        len(token[pair[0]] + token[pair[1]]),
        token[pair[0]] + token[pair[1]],
    ),
    "smallest-concatenation": lambda pair, token: longer_first(token[pair[0]] + token[pair[1]]),
}


class Trainer:
    """Learns merges from pieces with their counts, given in the order of their first appearance.

    All distinct pieces lie one after the other in one list, so that the order of places is the order in which a scan
    would meet them.
    """

    def __init__(self, counts: Mapping[str, int], key: Key) -> None:
        self.bytes_of = [bytes([value]) for value in range(256)]
        self.key = key
        self.tokens = [NO_TOKEN]
        self.weights = [0]  # at each place, how often its piece stands in the corpus
        for piece, count in counts.items():
            data = piece.encode()
            if len(data) > 1:
                self.tokens += data
                self.tokens.append(NO_TOKEN)
                self.weights += [count] * (len(data) + 1)
        numbers = list(range(len(self.tokens) + 1))  # shared: the memory of one number is that of three pointers
        self.following, self.preceding = numbers[1:], [NO_TOKEN, *numbers]
        self.places: defaultdict[Pair, list[int]] = defaultdict(list)  # ascending; may hold places that are gone
        for place, pair in zip(numbers, pairwise(self.tokens), strict=False):
            self.places[pair].append(place)
        for pair in [pair for pair in self.places if NO_TOKEN in pair]:
            del self.places[pair]
        self.counts = {pair: self._weigh(places) for pair, places in self.places.items()}
        self.heap = [self._entry(pair) for pair in self.counts]
        heapify(self.heap)

    def train(self, num_merges: int) -> list[Merge]:
        """The merges, in the order learned. To be called once."""
        merges: list[Merge] = []
        while len(merges) < num_merges and (pair := self._best()) is not None:
            merges.append((self.bytes_of[pair[0]], self.bytes_of[pair[1]]))
            self._merge(pair)
        return merges

    def _weigh(self, places: list[int]) -> int:
        return sum(map(self.weights.__getitem__, places))

    def _entry(self, pair: Pair) -> tuple[int, Any, int, Pair]:
        return -self.counts[pair], self.key(pair, self.bytes_of), self.places[pair][0], pair

    def _best(self) -> Pair | None:
        """The pair whose turn it is, taken from the heap. Entries out of date are put right on the way."""
        while self.heap:
            negative_count, key, first, pair = self.heap[0]
            count = self.counts[pair]
            if not count:
                heappop(self.heap)
                del self.counts[pair], self.places[pair]
            elif (place := self._first(pair, first)) != first or count != -negative_count:
                heapreplace(self.heap, (-count, key, place, pair))
            else:
                heappop(self.heap)
                return pair
        return None

    def _first(self, pair: Pair, known: int) -> int:
        """The first place where the pair stands; none is before the place `known`. There is one."""
        places, tokens, following = self.places[pair], self.tokens, self.following
        i = bisect_left(places, known)
        while (tokens[places[i]], tokens[following[places[i]]]) != pair:
            i += 1
        return places[i]

    def _merge(self, pair: Pair) -> None:
        """Join every occurrence of the pair, from left to right."""
        left, right = pair
        tokens, following, preceding = self.tokens, self.following, self.preceding
        new = len(self.bytes_of)
        self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])
        before_new: defaultdict[int, list[int]] = defaultdict(list)  # by the neighbour, the places of that pair
        after_new: defaultdict[int, list[int]] = defaultdict(list)
        for place in self.places[pair]:
            second = following[place]
            if tokens[place] != left or tokens[second] != right:
                continue
            before, after = preceding[place], following[second]
            tokens[place], tokens[second] = new, NO_TOKEN
            following[place], preceding[after] = after, place
            before_new[tokens[before]].append(before)
            after_new[tokens[after]].append(place)
        # The counts are put right once a neighbour, not once an occurrence: this is what keeps the loop above short.
        self._replace({neighbour: ((right, neighbour), (new, neighbour)) for neighbour in after_new}, after_new)
        self._replace({neighbour: ((neighbour, left), (neighbour, new)) for neighbour in before_new}, before_new)
        del self.places[pair], self.counts[pair]
        born = [(new, neighbour) for neighbour in after_new] + [(neighbour, new) for neighbour in before_new]
        for pair in born:
            if self.counts.get(pair):
                heappush(self.heap, self._entry(pair))

    def _replace(self, pairs: dict[int, tuple[Pair, Pair]], places: dict[int, list[int]]) -> None:
        """Where a pair stood, another stands now."""
        for neighbour, (old, new) in pairs.items():
            if neighbour != NO_TOKEN:
                self.places[new] = places[neighbour]
                self.counts[new] = self._weigh(places[neighbour])
                self.counts[old] -= self.counts[new]


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
