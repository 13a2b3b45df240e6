"""Section 5: decoding."""

from implementations.plugged import CallFailed
from properties.cases.domains import IDS, NEGATIVE_IDS, NOTHING_TO_ENCODE, UNKNOWN_IDS
from properties.claims import claim


def joined(vocabulary, ids):
    """The bytes of the tokens, joined."""
    return b"".join(vocabulary.bytes_of[token_id] for token_id in ids)


def refuses(call, argument):
    """Whether a call raises an exception of its own: a panic, a hang or a wrong type is a failure all the same."""
    try:
        call(argument)
    except CallFailed:
        raise
    except Exception:
        return True
    return False


def ways_of_decoding(impl, vocabulary):
    """Every member that decodes and is offered."""
    tokenizer = impl(vocabulary)
    offered = [member for member in ("decode_bytes", "stream_decode") if member in impl.can]
    return [getattr(tokenizer, member) for member in ("decode", *offered)]


@claim("DEC-1", IDS, share=1.5)
def test_decoding_joins_bytes_and_reads_utf8(impl, vocabulary, ids):
    """Decoding joins the tokens' bytes and reads them as UTF-8, with U+FFFD where bytes are no UTF-8, for any
    sequence of known ids.
    """
    assert impl(vocabulary).decode(ids) == joined(vocabulary, ids).decode("utf-8", errors="replace")


@claim("DEC-2", UNKNOWN_IDS)
def test_an_unknown_id_raises(impl, vocabulary, ids):
    """An id that the vocabulary lacks raises an exception wherever it stands."""
    for decode in ways_of_decoding(impl, vocabulary):
        assert refuses(decode, ids)


@claim("DEC-3", NEGATIVE_IDS)
def test_a_negative_id_raises(impl, vocabulary, ids):
    """A negative id raises an exception."""
    for decode in ways_of_decoding(impl, vocabulary):
        assert refuses(decode, ids)


@claim("DEC-4", IDS, needs=["decode_bytes"])
def test_decoding_to_bytes_changes_none(impl, vocabulary, ids):
    """Decoding to bytes joins the tokens' bytes and changes none."""
    assert impl(vocabulary).decode_bytes(ids) == joined(vocabulary, ids)


@claim("DEC-5", IDS, needs=["stream_decode"])
def test_the_parts_of_a_stream_join_to_the_whole(impl, vocabulary, ids):
    """The parts that streaming gives, joined, are the decoding of the whole."""
    assert "".join(impl(vocabulary).stream_decode(ids)) == joined(vocabulary, ids).decode("utf-8", errors="replace")


@claim("DEC-6", NOTHING_TO_ENCODE, every_algorithm=True, own_vocabulary=True, share=0.2)
def test_no_ids_decode_to_the_empty_text(impl, vocabulary):
    """No ids decode to the empty text."""
    assert impl(vocabulary).decode([]) == ""
