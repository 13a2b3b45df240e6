"""Other vocabularies made of one: its bytes renamed, its merges turned around."""

from reference.model import Vocabulary

# A permutation of ASCII that keeps no letter in its place and no order among them.
_TABLE = bytes([(code * 37 + 11) % 128 for code in range(128)]) + bytes(range(128, 256))


def renamed_bytes(data: bytes) -> bytes:
    """The bytes with every ASCII byte renamed; one to one.

    >>> len(set(renamed_bytes(bytes(range(256)))))
    256
    """
    return data.translate(_TABLE)


def renamed_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary whose merges are renamed as `renamed_bytes` does."""
    return Vocabulary(tuple((renamed_bytes(left), renamed_bytes(right)) for left, right in vocabulary.merges))


def reversed_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary whose merges read from right to left.

    >>> reversed_vocabulary(Vocabulary(merges=((b"a", b"b"), (b"ab", b"c")))).merges
    ((b'b', b'a'), (b'c', b'ba'))
    """
    return Vocabulary(tuple((right[::-1], left[::-1]) for left, right in vocabulary.merges))


def is_ascii_only(vocabulary: Vocabulary, text: str) -> bool:
    """Whether text and merges hold ASCII only, so that every rearrangement of their bytes is a text."""
    return text.isascii() and all((left + right).isascii() for left, right in vocabulary.merges)
