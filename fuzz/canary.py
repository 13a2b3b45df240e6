"""A planted bug for `--canary`: a campaign that cannot find it again would not find yours either.

The correct tokenizer of `implementations/naive.py`, but the last of three equal merges in a row is not made.
"""

from typing import Any

from implementations.naive import Tokenizer
from reference.model import Vocabulary


class Canary(Tokenizer):
    """Splits a token once more where the same token stands three times in a row."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.sides = {vocabulary.id_of[left + right]: (left, right) for left, right in reversed(vocabulary.merges)}
        self.ids = vocabulary.id_of

    def encode(self, text: str) -> list[int]:
        """The ids of a text, and now and then one too many."""
        ids: list[int] = super().encode(text)
        for place in range(len(ids) - 2):
            token: Any = ids[place]
            if token == ids[place + 1] == ids[place + 2] and token in self.sides:
                left, right = self.sides[token]
                return [*ids[: place + 2], self.ids[left], self.ids[right], *ids[place + 3 :]]
        return ids
