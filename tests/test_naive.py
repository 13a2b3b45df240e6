"""The naive tokenizer: answers worked out by hand, its errors, its files. That heap agrees with it is in test_heap.py;
here it and heap are held to the reference, which neither of them shares a line with."""

import importlib
import itertools
import json
import random
import re

import pytest

import reference
from implementations.heap import Tokenizer as Heap
from implementations.naive import PRINTABLE_FIRST, Tokenizer
from reference.model import Vocabulary

WORDS = ["low", "lower", "lowest", "newest", "widest"]


@pytest.mark.parametrize(
    ("tie_rule", "learned"),
    [
        # "ba" and "cab": every pair stands once; written out by hand.
        ("first-seen", [b"ba", b"ca", b"cab"]),
        ("smallest-bytes", [b"ab", b"ba", b"cab"]),
        ("largest-bytes", [b"ca", b"cab", b"ba"]),
        ("smallest-ids", [b"ab", b"ba", b"cab"]),
        ("smallest-ids-mapped", [b"ab", b"ba", b"cab"]),
        ("shortest-then-smallest", [b"ab", b"ba", b"cab"]),
        ("smallest-concatenation", [b"ab", b"ba", b"cab"]),
    ],
)
def test_training_by_hand(tie_rule, learned):
    merges = Tokenizer.train(["ba", "cab"], 10, tie_rule=tie_rule)
    assert [left + right for left, right in merges] == learned


def test_the_bytes_are_numbered_as_by_the_reference():
    order = importlib.import_module("reference.train").PRINTABLE_ORDER
    assert [order.index(byte) for byte in range(256)] == PRINTABLE_FIRST


def test_counting_is_overlapping_and_merging_is_from_the_left():
    assert Tokenizer.train(["aaab"], 2) == [(b"a", b"a"), (b"aa", b"a")]
    assert Tokenizer(Vocabulary(merges=((b"a", b"a"),))).encode("aaa") == [256, 97]


def test_the_last_token_is_joined_with_nothing():
    two, four = b"X" * 2, b"X" * 4  # mutation writes `four` where an empty token stands after the last one
    vocabulary = Vocabulary(merges=((b"X", b"X"), (two, two), (b"a", four)))
    assert Tokenizer(vocabulary).encode(f"a{four.decode()} a") == [258, 32, 97]


def test_the_documents_of_a_corpus_may_come_once():
    assert Tokenizer.train(iter(["ab", "ab"]), 5) == [(b"a", b"b")]


def test_special_tokens_teach_nothing():
    assert Tokenizer.train(["a<e>b<e>ab"], 5, special_tokens=["<e>"]) == [(b"a", b"b")]


def test_what_cannot_be_done_is_named():
    for call, words in [
        (lambda: Tokenizer.train(["ab"], 1, tie_rule="none"), "no tie rule named 'none'; there are first-seen, "),
        (lambda: Tokenizer.train([], -1), "cannot learn -1 merges"),
        (lambda: Tokenizer(Vocabulary()).decode([97, 256]), "there is no token with the id 256"),
        (lambda: Tokenizer(Vocabulary()).decode([-1]), "there is no token with the id -1"),
        (lambda: Tokenizer(Vocabulary(pattern="a+")).encode("aba"), "the pattern leaves 'b' uncovered, at place 1"),
        (lambda: Tokenizer(Vocabulary(pattern="a+")).encode("ba"), "the pattern leaves 'b' uncovered, at place 0"),
        (lambda: Tokenizer(Vocabulary(pattern="a+")).encode("a a"), "the pattern leaves ' ' uncovered, at place 1"),
        (lambda: Tokenizer(Vocabulary(pattern="a+")).encode("ab"), "the pattern leaves 'b' uncovered, at place 1"),
        (lambda: Tokenizer.train(["a a"], 1, pattern="a+"), "the pattern leaves ' ' uncovered, at place 1"),
        (
            lambda: Tokenizer(Vocabulary(base=(b"a",))).encode("ab"),
            "the byte b'b' at place 1 of the piece 'ab' is unknown",
        ),
        (lambda: Tokenizer(Vocabulary()).encode("\ud800"), "'utf-8' codec can't encode character"),
    ]:
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value).startswith(words)


def test_what_it_says_of_itself():
    assert (Tokenizer.name, Tokenizer.version, Tokenizer.rank_by) == ("naive", "1", "pair")


def test_all_tie_rules_are_named_where_there_is_none_of_the_name():
    with pytest.raises(ValueError) as caught:
        Tokenizer.train(["ab"], 1, tie_rule="none")
    assert str(caught.value) == f"no tie rule named 'none'; there are {', '.join(Tokenizer.tie_rules)}"


def test_training_with_a_pattern_and_special_tokens():
    options = {"pattern": " ?[^ ]+| +", "special_tokens": iter(["<e>", "<e><f>"])}
    assert Tokenizer.train(["a b<e>ab a<e><f>b a", "b a"], 9, **options) == [(b" ", b"a"), (b" ", b"b"), (b"a", b"b")]
    assert Tokenizer.train(["abab"], 0) == Tokenizer.train([], 3) == []


def test_a_marker_of_several_characters_may_not_stand_in_a_word():
    tokenizer = Tokenizer(Vocabulary(base=(b"a", b"<", b">", b"<>"), end_of_word=b"<>"))
    assert tokenizer.encode("a> <") == [0, 2, 3, 1, 3]
    with pytest.raises(ValueError, match=r"^the word 'a<>' holds the end-of-word marker '<>'$"):
        tokenizer.encode("> a<>")


def test_of_words_only_white_space_may_lie_between_the_matches():
    tokenizer = Tokenizer(Vocabulary(base=(b"a", b"b", b"_"), end_of_word=b"_", pattern="a+|ba"))
    assert tokenizer.pretokenize(" aa ba\na ") == ["aa", "ba", "a"]
    with pytest.raises(ValueError, match=r"^the pattern leaves ' b ' uncovered, at place 2$"):
        tokenizer.encode("aa b a")


def test_parts_and_batches():
    tokenizer = Tokenizer(Vocabulary(merges=((b"a", b"b"),), special_tokens={"<e>": 300, "<e>a": 301}))
    assert tokenizer.encode_batch(["ab<e>", "", "<e>ab"]) == [[256, 300], [], [301, 98]]
    assert list(tokenizer.stream_decode([256, 300, 0xC3])) == ["ab<e>\ufffd"]
    assert tokenizer.decode_bytes([256, 300, 0xC3]) == b"ab<e>\xc3"


def test_of_words_what_is_no_utf8_is_replaced():
    tokenizer = Tokenizer(Vocabulary(base=(b"a", b"\xff", b"_"), end_of_word=b"_"))
    assert tokenizer.decode([1, 0, 2, 0, 1, 2]) == "\ufffda a\ufffd"


def test_nothing_has_no_pieces():
    for pattern in (None, "a*"):
        tokenizer = Tokenizer(Vocabulary(pattern=pattern))
        assert tokenizer.pretokenize("") == []
        assert tokenizer.pretokenize("aa") == ["aa"]


def test_characters():
    base = (*(letter.encode() for letter in sorted(set("".join(WORDS)))), b"_")
    vocabulary = Vocabulary(merges=((b"e", b"s"), (b"es", b"t"), (b"est", b"_")), base=base, end_of_word=b"_")
    tokenizer = Tokenizer(vocabulary)
    assert [vocabulary.bytes_of[i] for i in tokenizer.encode("low  newest")] == [
        *(b"l", b"o", b"w", b"_"),
        *(b"n", b"e", b"w", b"est_"),
    ]
    assert tokenizer.decode(tokenizer.encode("low  newest\n")) == "low newest"
    for text, words in [
        ("love", "the character 'v' at place 2 of the word 'love' is unknown"),
        ("lo_w", "the character '_' at place 2 of the word 'lo_w' is unknown"),
    ]:
        with pytest.raises(ValueError) as caught:
            tokenizer.encode(text)
        assert str(caught.value) == words


def test_saving_and_loading_keeps_everything(tmp_path):
    vocabulary = Vocabulary(
        merges=((b"\r", b"\n"), (b"\xff", b"#"), (b"\r\n", b"\x00")),
        special_tokens={"\r\n#": 999, "\u2028": 1_000},
        pattern="\r\n|.",
    )
    Tokenizer(vocabulary).save(tmp_path / "naive")
    assert Tokenizer.load(tmp_path / "naive").vocabulary == vocabulary
    whole = (tmp_path / "naive").read_text()
    assert whole.isascii()
    for length in range(0, len(whole), 11):
        (tmp_path / "short").write_text(whole[:length])
        with pytest.raises(ValueError):
            Tokenizer.load(tmp_path / "short")


def test_saving_and_loading_keeps_base_and_marker(tmp_path):
    vocabulary = Vocabulary(merges=((b"a", b"_"),), base=(b"_", "é".encode(), b"a"), end_of_word=b"_")
    Tokenizer(vocabulary).save(tmp_path / "naive")
    assert Tokenizer.load(tmp_path / "naive").vocabulary == vocabulary


@pytest.mark.parametrize("record", [[], {}, 3, {"merges": 3}, {"merges": [["61"]]}])
def test_a_file_that_is_something_else_is_refused(tmp_path, record):
    (tmp_path / "naive").write_text(json.dumps(record))
    with pytest.raises(
        ValueError, match=rf"^({re.escape(str(tmp_path / 'naive'))}: this is no saved|not enough values)"
    ):
        Tokenizer.load(tmp_path / "naive")


def test_a_file_that_is_not_ascii_is_refused(tmp_path):
    Tokenizer(Vocabulary()).save(tmp_path / "naive")
    whole = (tmp_path / "naive").read_text().replace("{", '{"merges": "é", ', 1)  # JSON's last one holds
    (tmp_path / "naive").write_text(whole, encoding="utf-8")
    with pytest.raises(UnicodeDecodeError):
        Tokenizer.load(tmp_path / "naive")


# Against the reference

TOKENIZERS = pytest.mark.parametrize("tokenizer", [Tokenizer, Heap], ids=["naive", "heap"])


def corpora():
    short = ["".join(word) for length in range(5) for word in itertools.product("ab", repeat=length)]
    yield from itertools.product(short, repeat=2)
    yield from (("".join(word),) for word in itertools.product("abc", repeat=5))


@TOKENIZERS
@pytest.mark.parametrize("tie_rule", Tokenizer.tie_rules)
def test_training_is_that_of_the_reference(tokenizer, tie_rule):
    for corpus in corpora():
        merges = reference.train(corpus, 8, tie_rule=tie_rule)
        assert tuple(tokenizer.train(corpus, 8, tie_rule=tie_rule)) == tuple(merges), corpus


@TOKENIZERS
def test_encoding_is_that_of_the_reference(tokenizer):
    rng = random.Random(3)
    for _ in range(500):
        merges, made = {}, ["a", "b", "c"]
        for _ in range(rng.randint(0, 10)):
            left, right = rng.choice(made), rng.choice(made)
            merges[left.encode(), right.encode()] = None
            made.append(left + right)
        vocabulary = Vocabulary(tuple(merges), {"ab": 999, "abc": 1_000_000} if rng.random() < 0.3 else {})
        one = tokenizer(vocabulary)
        for _ in range(6):
            text = "".join(rng.choices(made, k=rng.randint(0, 6)))
            ids = reference.encode(vocabulary, text)
            assert one.encode(text) == ids, (vocabulary, text)
            assert one.decode(ids) == reference.decode(vocabulary, ids) == text
            assert one.encode_ordinary(text) == reference.encode_ordinary(vocabulary, text)


@TOKENIZERS
def test_characters_are_those_of_the_reference(tokenizer):
    base = (*(bytes([byte]) for byte in b"abc"), "é".encode(), b"_")
    rng = random.Random(4)
    for pattern in (None, r"\S+", r"\s?\S+|\s+"):
        vocabulary = Vocabulary(
            merges=((b"a", b"b"), (b"ab", b"_"), (b"b", b"_"), (b"a", "é".encode())),
            special_tokens={"<_>": 50},
            pattern=pattern,
            base=base,
            end_of_word=b"_",
        )
        one = tokenizer(vocabulary)
        for _ in range(300):
            text = "".join(rng.choices(["a", "b", "c", "é", " ", "\n", "\x85", "<_>"], k=rng.randint(0, 9)))
            ids = reference.encode(vocabulary, text)
            assert one.encode(text) == ids, text
            assert one.decode(ids) == reference.decode(vocabulary, ids), (text, ids)
            assert one.decode_bytes(ids) == reference.decode_bytes(vocabulary, ids)
            ids = rng.choices(sorted(vocabulary.bytes_of), k=rng.randint(0, 5))
            assert one.decode(ids) == reference.decode(vocabulary, ids), ids
        for text in ("ad", "a_", "\x1c"):
            with pytest.raises(ValueError):
                reference.encode(vocabulary, text)
            with pytest.raises(ValueError):
                one.encode(text)
