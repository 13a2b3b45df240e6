"""Hugging Face's tokenizers: WordPiece, with the normalisation and splitting of BERT."""

from __future__ import annotations

import re
from collections.abc import Iterable

from implementations.adapters._common import package, version_of
from implementations.adapters._texts import TEXTS, frequent_parts

tokenizers = package("tokenizers", "huggingface")


class Tokenizer:
    """The frequent parts of a fixed text. (Its trainer would give another vocabulary every time.)

    Not BPE: it is asked only what holds for every tokenizer. Spaces, and characters that the text lacks, do not come
    back: `normalize` is what it declares.
    """

    name = "tokenizers WordPiece"
    version = version_of("tokenizers")
    algorithm = "wordpiece"
    own_vocabulary = True
    isolate = True

    def __init__(self, vocabulary: None) -> None:
        normalizer, splitter = tokenizers.normalizers.BertNormalizer(), tokenizers.pre_tokenizers.BertPreTokenizer()
        words = [w for text in TEXTS for w, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))]
        pieces = [*sorted(set("".join(words))), *frequent_parts(words, 2, 6)]
        listed = ["[UNK]", *pieces, *(f"##{piece}" for piece in pieces)]
        made = tokenizers.Tokenizer(
            tokenizers.models.WordPiece({piece: i for i, piece in enumerate(listed)}, unk_token="[UNK]")
        )
        made.normalizer, made.pre_tokenizer = normalizer, splitter
        made.decoder = tokenizers.decoders.WordPiece(cleanup=False)
        made.add_special_tokens(["[UNK]"])
        self._tokenizer = made
        self.size: int = made.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """As the package does it."""
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return found

    def decode(self, ids: Iterable[int]) -> str:
        """As the package does it."""
        found: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return found

    def normalize(self, text: str) -> str:
        """The words that its normaliser and its splitter leave, joined by one space; [UNK] for what is not covered."""
        words = []
        for part in re.split(r"(\[UNK\])", text):  # recognised in the text itself, as added tokens are
            if part == "[UNK]":
                words.append(part)
                continue
            normalized = self._tokenizer.normalizer.normalize_str(part)
            split = self._tokenizer.pre_tokenizer.pre_tokenize_str(normalized)
            words += [word if _spelled(word, self._tokenizer.get_vocab()) else "[UNK]" for word, _ in split]
        return " ".join(words)


def _spelled(word: str, known: dict[str, int]) -> bool:
    """Whether longest match from the left covers the word; one of more than 100 characters is not tried."""
    place = 0
    while place < len(word) <= 100:
        mark = "##" if place else ""
        end = next((end for end in range(len(word), place, -1) if mark + word[place:end] in known), None)
        if end is None:
            return False
        place = end
    return place == len(word)
