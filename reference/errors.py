"""What the reference raises. All are `ValueError`, each names the place.

>>> issubclass(UnknownToken, ValueError)
True
"""


class MalformedVocabulary(ValueError):
    """The vocabulary is not well-formed; the message names the merge or the special token (spec, section 1)."""


class UncoveredText(ValueError):
    """The pattern leaves a part of the text in no piece; the message names the place (spec, section 2)."""


class UnknownToken(ValueError):
    """An id that the vocabulary lacks; the message names it (spec, section 5)."""


class UnknownCharacter(ValueError):
    """A character that is not in the base of a character vocabulary; the message names it (spec, section 7)."""


class MalformedFile(ValueError):
    """A merges file that cannot be read; the message names the line (spec, section 8)."""
