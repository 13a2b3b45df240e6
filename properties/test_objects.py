"""Section 9: the tokenizer as an object."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from properties.cases.domains import CORPORA, ENCODING, MANY_CALLS, NO_SPECIALS, SEVERAL_TEXTS, TWO_TEXTS
from properties.claims import claim
from properties.oracle.expected import expected_ids
from reference.model import Vocabulary


@claim("OBJ-1", TWO_TEXTS, every_algorithm=True, own_vocabulary=True)
def test_results_belong_to_the_caller(impl, vocabulary, text, other):
    """A caller may change what a call returned: later calls are not affected."""
    tokenizer = impl(vocabulary)
    ids = tokenizer.encode(text)
    kept = list(ids)
    ids.append(0)
    ids[0] = 1
    assert tokenizer.encode(text) == kept
    tokenizer.encode(other).clear()
    assert tokenizer.encode(other + text) == impl(vocabulary).encode(other + text)
    for member, argument in (("encode_batch", [text, other]), ("encode_ordinary", text), ("pretokenize", text)):
        if member in impl.can:
            call = getattr(tokenizer, member)
            before = call(argument)
            kept = [list(item) if isinstance(item, list) else item for item in before]
            for item in before:
                if isinstance(item, list):
                    item.append(0)
            before.clear()
            assert call(argument) == kept


@claim("OBJ-2", MANY_CALLS, every_algorithm=True, own_vocabulary=True, share=0.06)
def test_earlier_calls_change_nothing(impl, vocabulary, texts):
    """The same call gives the same result, whatever was called before."""
    used = impl(vocabulary)
    first = [used.encode(text) for text in texts]
    for call, argument in ((used.encode, "ab\ud800"), (used.decode, [97, 2**40])):
        with suppress(Exception):  # a call that fails is a call too
            call(argument)
    assert [used.encode(text) for text in texts] == first
    other = impl(vocabulary)  # is asked the other way round: what came before one text there comes after it here
    assert [other.encode(text) for text in reversed(texts)][::-1] == first
    assert [used.decode(ids) for ids in first] == [other.decode(ids) for ids in reversed(first)][::-1]
    if "encode_ordinary" in impl.can:
        fresh = impl(vocabulary)  # was not asked for the other kind of encoding before
        backwards = [fresh.encode_ordinary(text) for text in reversed(texts)]
        assert [used.encode_ordinary(text) for text in texts] == backwards[::-1]
        assert [used.encode(text) for text in texts] == first


@claim("OBJ-3", TWO_TEXTS)
def test_two_tokenizers_share_no_state(impl, vocabulary, text, other):
    """Two tokenizers share no state."""
    half = len(vocabulary.merges) // 2
    smaller = Vocabulary(vocabulary.merges[half:] if not half else vocabulary.merges[:half], {}, vocabulary.pattern)
    one, two = impl(vocabulary), impl(smaller)
    for written in (text, other, text):
        assert one.encode(written) == expected_ids(vocabulary, written)
        assert two.encode(written) == expected_ids(smaller, written)
    for token_id in (smaller.size - 1, 97):
        assert two.decode([token_id]) == smaller.bytes_of[token_id].decode(errors="replace")
        if token_id in vocabulary.bytes_of:
            assert one.decode([token_id]) == vocabulary.bytes_of[token_id].decode(errors="replace")


def in_turns(pool, impl, tokenizer, texts):
    """What encoding and ordinary encoding give of each text, by turns, in a pool of threads or one after the other."""
    calls = [tokenizer.encode, tokenizer.encode_ordinary] if "encode_ordinary" in impl.can else []
    todo = [(call, text) for text in texts for call in calls] * 3
    return list((pool.map if pool else map)(lambda pair: pair[0](pair[1]), todo))


@claim("OBJ-4", SEVERAL_TEXTS, every_algorithm=True, own_vocabulary=True, share=0.1)
def test_threads_give_what_one_after_the_other_gives(impl, vocabulary, texts):
    """Calls from several threads give what the same calls give one after the other."""
    serial = [impl(vocabulary).encode(text) for text in texts]
    shared = impl(vocabulary)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(shared.encode, texts * 4))
            decoded = list(pool.map(shared.decode, serial * 2))
            ordinary = in_turns(pool, impl, shared, texts)
    finally:
        sys.setswitchinterval(interval)
    assert together == serial * 4
    assert ordinary == in_turns(None, impl, impl(vocabulary), texts)
    assert decoded == [shared.decode(ids) for ids in serial] * 2


@claim("OBJ-5", SEVERAL_TEXTS, needs=["encode_batch"], every_algorithm=True, own_vocabulary=True, share=0.5)
def test_a_batch_is_its_texts_one_by_one(impl, vocabulary, texts):
    """Encoding a batch gives what encoding each text gives, in order."""
    tokenizer = impl(vocabulary)
    alone = {text: impl(vocabulary).encode(text) for text in ["", *texts]}
    for batch in (texts, texts * 3, texts[:2], texts[:1], ["", *texts, ""], []):
        assert tokenizer.encode_batch(batch) == [alone[text] for text in batch]


@claim("OBJ-6", NO_SPECIALS, needs=["encode_ordinary"])
def test_ordinary_encoding_is_encoding_without_special_tokens(impl, vocabulary, text):
    """Without special tokens, ordinary encoding is encoding."""
    tokenizer = impl(vocabulary)
    assert tokenizer.encode_ordinary(text) == tokenizer.encode(text)


@claim("OBJ-7", ENCODING, every_algorithm=True, own_vocabulary=True, share=0.3)
def test_encoding_gives_ints_and_decoding_a_str(impl, vocabulary, text):
    """Encoding gives a list of int, and decoding gives a str."""
    tokenizer = impl(vocabulary)
    ids = tokenizer.encode(text)
    assert type(ids) is list
    assert {type(token_id) for token_id in ids} <= {int}
    assert isinstance(tokenizer.decode(ids), str)


MADE_BEFORE = Vocabulary(((b"a", b"b"), (b"ab", b"a")))


@claim("OBJ-8", CORPORA, needs=["train"])
def test_training_and_tokenizers_leave_each_other_alone(impl, corpus, num_merges, pattern, tie_rule):
    """Training changes no tokenizer that was made before, and making a tokenizer changes no training."""
    before = impl(MADE_BEFORE)
    text = "abab" + "".join(corpus)[:50]
    expected = expected_ids(MADE_BEFORE, text)
    assert before.encode(text) == expected
    merges = impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule)
    assert before.encode(text) == expected
    impl(Vocabulary(merges)).encode(text)
    assert impl.train(corpus, num_merges, pattern=pattern, tie_rule=tie_rule) == merges
