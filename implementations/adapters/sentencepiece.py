"""sentencepiece: BPE over characters with byte fallback, model and trainer."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Sequence

from implementations.adapters._common import Numbering, no_repeats, offered, only_bytes, package, version_of
from implementations.vocabularies import merges_from_ranks
from reference.model import Merge, Vocabulary

sentencepiece = package("sentencepiece", "sentencepiece")

SPACE = "\u2581"  # how it writes a space
NORMAL, UNKNOWN, USER_DEFINED, BYTE = 1, 2, 4, 6  # kinds of piece in sentencepiece_model.proto
BPE, IDENTITY = 2, b"identity"
ASCII = [chr(i) for i in range(1, 128)]  # a NUL among the pieces it takes for unused


class Tokenizer:
    """A model written by hand: the bytes, the ASCII characters, and the tokens with their ranks as scores.

    It merges characters, so merges of ASCII only can be put in; and it never splits, so no pattern can.
    """

    name = "sentencepiece BPE"
    version = version_of("sentencepiece")
    rank_by = "bytes"
    tie_rules = ("shortest-then-smallest",)
    isolate = True

    def __init__(self, vocabulary: Vocabulary) -> None:
        only_bytes(vocabulary)
        no_repeats(vocabulary)
        if vocabulary.pattern is not None:
            raise NotImplementedError("it does not split")
        if not all(token.isascii() and b"\0" not in token for merge in vocabulary.merges for token in merge):
            raise NotImplementedError("it merges characters, not bytes (only ASCII is the same in both), and no NUL")
        pieces = [("<unk>", UNKNOWN, 0.0), *((f"<0x{i:02X}>", BYTE, 0.0) for i in range(256))]
        numbers = {vocabulary.id_of[bytes([i])]: 1 + i for i in (0, *range(128, 256))}
        for character in ASCII:
            numbers[vocabulary.id_of[character.encode()]] = len(pieces)
            pieces.append((character, NORMAL, -1e6))
        for rank, (left, right) in enumerate(vocabulary.merges):
            numbers[vocabulary.id_of[left + right]] = len(pieces)
            pieces.append(((left + right).decode(), NORMAL, -float(rank)))
        for text, token_id in vocabulary.special_tokens.items():
            if "\0" in text:
                raise NotImplementedError("its pieces hold no NUL")
            numbers[token_id] = len(pieces)
            pieces.append((text, USER_DEFINED, 0.0))
        spelled = [(piece.replace(" ", SPACE), kind, score) for piece, kind, score in pieces]
        if len({piece for piece, _, _ in spelled}) < len(spelled):
            raise NotImplementedError("it holds special tokens and others in one table")
        self._numbering = Numbering(numbers)
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=_model(spelled))

    def encode(self, text: str) -> list[int]:
        """Special tokens as user-defined symbols, which always match."""
        return self._numbering.ours(self._processor.encode(text))

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._processor.decode(self._numbering.theirs(ids))
        return found

    @staticmethod
    def train(
        corpus: Iterable[str],
        num_merges: int,
        *,
        pattern: str | None,
        tie_rule: str,
        special_tokens: Sequence[str] = (),
    ) -> Sequence[Merge]:
        """As near to plain BPE as its options go. Pieces that are no merge (more ASCII characters) are left out."""
        offered(tie_rule, Tokenizer.tie_rules)
        if pattern is not None or special_tokens:
            raise NotImplementedError("its trainer splits by options of its own, not by a pattern or special tokens")
        texts = list(corpus)
        if not all(text.isascii() for text in texts):
            raise NotImplementedError("it trains on characters, not on bytes; only ASCII is the same in both")
        characters = {character for text in texts for character in text}
        if characters & {"\0", "\n", "\r"}:
            raise NotImplementedError("its trainer takes one line a text, without NUL")
        if " " in characters:
            raise NotImplementedError("it writes a space as U+2581, which other pairs then come before where ties are")
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=written,
            model_type="bpe",
            vocab_size=1 + len(characters) + num_merges,
            bos_id=-1,  # else it cuts the text <s> out of the corpus
            eos_id=-1,
            character_coverage=1.0,
            normalization_rule_name="identity",
            add_dummy_prefix=False,
            remove_extra_whitespaces=False,
            split_by_unicode_script=False,
            split_by_number=False,
            split_by_whitespace=False,
            allow_whitespace_only_pieces=True,
            max_sentence_length=1 << 20,
            max_sentencepiece_length=512,
            hard_vocab_limit=False,
            num_threads=1,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        learned = [model.id_to_piece(i).replace(SPACE, " ").encode() for i in range(1, model.get_piece_size())]
        made = [token for token in learned if len(token) > 1][:num_merges]
        return merges_from_ranks([*(character.encode() for character in ASCII), *made])[1]


def _model(pieces: Iterable[tuple[str, int, float]]) -> bytes:
    """A ModelProto, written field by field: no protobuf is needed for so little."""
    listed = b"".join(
        _field(1, _field(1, piece.encode()) + _number(3, kind) + b"\x15" + struct.pack("<f", score))
        for piece, kind, score in pieces
    )
    trainer = _number(3, BPE) + _number(35, 1)  # model_type, byte_fallback
    normalizer = _field(1, IDENTITY) + _number(3, 0) + _number(4, 0) + _number(5, 1)  # no prefix, nothing removed
    return listed + _field(2, trainer) + _field(3, normalizer)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])
