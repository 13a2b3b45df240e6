"""The reference: byte-pair encoding as the specification says it, one module a section, in its order.

Functions over one frozen value, slow and plain. Read model, pretokenize, train, encode, decode, special, characters
and files from top to bottom; docs/spec.md says the same in words. `reference.train`, `reference.encode` and
`reference.decode` are the functions; the modules of these names are for `from reference.train import ...`.

    text        str: what people write
    document    str: one text of a training corpus
    piece       str: a part of a text that pre-tokenisation cuts out; nothing merges across two
    symbol      bytes: what a piece is made of before any merge, a base token
    token       bytes: what merges have made; in an encoding it stands as its id
    id          int: the number of a token; `ids` is a list of them
    pair        (bytes, bytes): two neighbouring tokens
    merge       (bytes, bytes): a pair that training chose to join, left and right
    rank        int: the place of a merge in the order learned; the lowest is applied first
    word        tuple of bytes: in training, the tokens of one piece so far
    place       int: an index into a text, a piece or the tokens of one
    marker      bytes: the end-of-word marker of a vocabulary of characters

>>> merges = train(["low lower lowest"], 3, pattern=PATTERNS["whitespace"])
>>> vocabulary = Vocabulary(merges=merges, pattern=PATTERNS["whitespace"])
>>> encode(vocabulary, "low slow"), decode(vocabulary, encode(vocabulary, "low slow"))
([257, 32, 115, 257], 'low slow')
"""

from reference.characters import normal_form, words
from reference.decode import decode, decode_bytes
from reference.encode import (
    MergeStep,
    encode,
    encode_ordinary,
    encode_piece,
    lowest_rank_by_bytes,
    lowest_rank_first,
    merge_steps,
    symbols_of,
)
from reference.errors import MalformedFile, MalformedVocabulary, UncoveredText, UnknownCharacter, UnknownToken
from reference.files import dumps_merges, load_merges, loads_merges, save_merges
from reference.model import SINGLE_BYTES, Merge, Token, Vocabulary
from reference.pretokenize import PATTERNS, UNICODE_VERSION, pretokenize
from reference.special import split_special_tokens
from reference.train import STATIC_TIE_RULES, TIE_RULES, Step, count_pairs, train, training_steps

__all__ = [
    "PATTERNS",
    "SINGLE_BYTES",
    "STATIC_TIE_RULES",
    "TIE_RULES",
    "UNICODE_VERSION",
    "MalformedFile",
    "MalformedVocabulary",
    "Merge",
    "MergeStep",
    "Step",
    "Token",
    "UncoveredText",
    "UnknownCharacter",
    "UnknownToken",
    "Vocabulary",
    "count_pairs",
    "decode",
    "decode_bytes",
    "dumps_merges",
    "encode",
    "encode_ordinary",
    "encode_piece",
    "load_merges",
    "loads_merges",
    "lowest_rank_by_bytes",
    "lowest_rank_first",
    "merge_steps",
    "normal_form",
    "pretokenize",
    "save_merges",
    "split_special_tokens",
    "symbols_of",
    "train",
    "training_steps",
    "words",
]
