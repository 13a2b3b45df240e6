"""The fast tokenizer: it agrees with the naive one on all of a small scope, stays fast where speed is easily lost,
keeps its cache within bounds, and reads back whatever it wrote."""

import gc
import itertools
import json
import random
import threading
import time
from dataclasses import replace

import pytest
import regex

from implementations import heap
from implementations.heap import Tokenizer
from implementations.naive import PRINTABLE_FIRST
from implementations.naive import Tokenizer as Naive
from reference.model import Vocabulary
from reference.pretokenize import PATTERNS

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CHARACTERS = Vocabulary(
    merges=((b"l", b"o"), (b"lo", b"w"), (b"low", b"</w>")),
    base=(*(bytes([byte]) for byte in b"lower<>/"), "é".encode(), b"</w>"),
    end_of_word=b"</w>",
    special_tokens={"<end>": 500},
)


def strings(letters, longest):
    return ["".join(word) for length in range(longest + 1) for word in itertools.product(letters, repeat=length)]


# Agreement with the naive tokenizer, on everything within a bound

SCOPE = {
    "one piece over ab, up to 10 letters": [[word] for word in strings("ab", 10)],
    "one piece over abc, up to 6 letters": [[word] for word in strings("abc", 6)],
    "two pieces over ab, up to 5 letters each": list(itertools.product(strings("ab", 5), repeat=2)),
    "two pieces over abc, up to 3 letters each": list(itertools.product(strings("abc", 3), repeat=2)),
    "three pieces over ab, up to 3 letters each": list(itertools.product(strings("ab", 3), repeat=3)),
    "one piece of 4 characters whose bytes the tie rules order differently": [
        ["".join(word)] for word in itertools.product("!a \x00\u0100", repeat=4)
    ],
}


@pytest.mark.parametrize("scope", SCOPE)
def test_training_is_naive_training_under_every_tie_rule(scope, capsys):
    cases = 0
    for corpus in SCOPE[scope]:
        for rule in Tokenizer.tie_rules:
            merges = Tokenizer.train(iter(corpus), 9, tie_rule=rule)
            assert merges == Naive.train(corpus, 9, tie_rule=rule), (corpus, rule)
            cases += 1
    with capsys.disabled():
        print(f"\n{scope}, {len(Tokenizer.tie_rules)} tie rules, 9 merges: {cases} trainings", end=" ")


def test_encoding_is_naive_encoding_for_every_list_of_two_merges(capsys):
    letters, cases = [b"a", b"b"], 0
    for first in itertools.product(letters, repeat=2):
        made = [*letters, first[0] + first[1]]
        for second in itertools.product(made, repeat=2):
            if second == first:
                continue
            vocabulary = Vocabulary(merges=(first, second))
            fast, naive = Tokenizer(vocabulary), Naive(vocabulary)
            for text in strings("ab", 7):
                assert fast.encode(text) == naive.encode(text), (vocabulary.merges, text)
                cases += 1
    with capsys.disabled():
        print(f"\nall lists of two merges over ab, texts up to 7 letters: {cases} encodings", end=" ")


def random_vocabulary(rng):
    merges, made = {}, ["a", "b", "c"]
    for _ in range(rng.randint(0, 12)):
        left, right = rng.choice(made), rng.choice(made)
        merges[left.encode(), right.encode()] = None
        made.append(left + right)
    special_tokens = {"ab": 1_000_000, "abc": 2_000, "c": 999} if rng.random() < 0.3 else {}
    base = list(Vocabulary().base)
    rng.shuffle(base)
    pattern = rng.choice([None, "a+|[^a]+", "(a)|(b|c)+|.|\n"])  # the last one has groups
    return Vocabulary(tuple(merges), special_tokens, pattern, tuple(base)), made


def test_encoding_is_naive_encoding_for_any_well_formed_list():
    rng = random.Random(0)
    for _ in range(1500):
        vocabulary, made = random_vocabulary(rng)
        fast, naive = Tokenizer(vocabulary), Naive(vocabulary)
        for _ in range(8):
            text = "".join(rng.choices(made, k=rng.randint(0, 6)))
            ids = naive.encode(text)
            assert fast.encode(text) == ids, (vocabulary, text)
            assert fast.decode(ids) == naive.decode(ids) == text
            assert fast.encode_ordinary(text) == naive.encode_ordinary(text)
            assert fast.pretokenize(text) == naive.pretokenize(text)


def test_two_merges_that_make_the_same_token():
    # abc is made by (ab, c) or by (a, bc), and one that uses it stands between: its turn is over when (a, bc) fires.
    merges = ((b"b", b"c"), (b"a", b"b"), (b"ab", b"c"), (b"abc", b"d"), (b"a", b"bc"))
    vocabulary = Vocabulary(merges=merges)
    assert Tokenizer(vocabulary).encode("abcd") == Naive(vocabulary).encode("abcd") == [258, 100]
    assert vocabulary.entries == 256 + 4


def test_training_on_a_corpus_with_patterns_specials_and_repeats():
    rng = random.Random(1)
    for _ in range(150):
        corpus = ["".join(rng.choices("ab <>", k=rng.randint(0, 30))) for _ in range(rng.randint(0, 4))] * rng.randint(
            1, 2
        )
        options = {
            "pattern": rng.choice([None, " ?[^ ]+| +", "( )|([^ ])+"]),
            "tie_rule": rng.choice(Tokenizer.tie_rules),
            "special_tokens": rng.choice([(), ("<>",), ("<", "<<"), iter(["ab", "b"])]),
        }
        specials = tuple(options["special_tokens"])
        options["special_tokens"] = specials
        assert Tokenizer.train(corpus, 30, **options) == Naive.train(corpus, 30, **options), (corpus, options)


@pytest.mark.parametrize("rule", Tokenizer.tie_rules)
def test_training_on_short_pieces_and_long_ones(rule, monkeypatch):
    monkeypatch.setattr(heap, "LONG", 3)
    rng = random.Random(3)
    for _ in range(150):
        pieces = ["".join(rng.choices("aabc", k=rng.randint(0, 8))) for _ in range(4)]
        corpus = rng.choices(pieces, weights=(1, 2, 3, 4), k=rng.randint(1, 9))
        assert Tokenizer.train(corpus, 12, tie_rule=rule) == Naive.train(corpus, 12, tie_rule=rule), corpus


@pytest.mark.parametrize("enabled", [True, False])
def test_training_leaves_the_garbage_collector_as_it_was(enabled):
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        Tokenizer.train(["ab"], 1)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_no_merges_asked_for_are_no_merges():
    assert Tokenizer.train(["abab"], 0) == []


def test_groups_in_a_pattern_cut_nothing():
    assert Tokenizer(Vocabulary(pattern="(a)|(b|c)+|.")).pretokenize("abcca!") == ["a", "bcc", "a", "!"]


def test_there_is_an_ascii_form_of_each_pattern_that_covers_every_text():
    assert set(heap.ASCII_FORMS) == {PATTERNS[name] for name in ("whitespace", "gpt2", "cl100k_base", "o200k_base")}


@pytest.mark.parametrize("pattern", heap.ASCII_FORMS)
def test_the_ascii_form_of_a_pattern_cuts_every_short_ascii_text_as_the_pattern_does(pattern):
    find = regex.compile(pattern).findall
    for text in itertools.chain(map(chr, range(128)), strings(" \n\t'sLvaB0.\x1c", 4), strings(" \r'rEa/1", 5)):
        assert text.isascii()
        assert heap.block_finder(pattern)(text) == find(text)


@pytest.mark.parametrize("pattern", heap.ASCII_FORMS)
def test_a_text_cut_in_blocks_has_the_same_pieces(pattern, monkeypatch):
    monkeypatch.setattr(heap, "BLOCK", 3)
    draw = random.Random(pattern)
    find, cut = regex.compile(pattern).findall, 0
    for _ in range(10_000):
        text = "".join(
            draw.choices("   \n\r\t'sLeaB09./\x1c\x85\xa0\u2028\u017fÉ٣中\u0301\U0001f600", k=draw.randrange(14))
        )
        pieces = find(text)
        assert Tokenizer(Vocabulary(pattern=pattern)).pretokenize(text) == pieces
        assert list(heap.count_pieces([text], pattern)) == list(dict.fromkeys(pieces))
        cut += len(list(heap.blocks_of(text))) > 1
    assert cut > 1_000


# Speed. Doubling the input must not quadruple the time; the bounds leave room for a busy machine.


def seconds(call):
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def acgt(size):
    return "".join(random.Random(size).choices("acgt", k=size))


LONG = {"a": lambda n: "a" * n, "abb": lambda n: "a" + "b" * (n - 1), "abab": lambda n: "ab" * (n // 2), "acgt": acgt}


@pytest.mark.parametrize("kind", LONG)
def test_one_long_piece_is_no_worse_than_n_log_n(kind):
    vocabulary = Vocabulary(merges=tuple(Tokenizer.train([LONG[kind](2_000)], 60)))

    def train(size):
        text = LONG[kind](size)
        return seconds(lambda: Tokenizer.train([text], 60))

    def encode(size):
        text = LONG[kind](size)
        return seconds(lambda: Tokenizer(vocabulary).encode(text))

    assert train(80_000) < 12 * train(20_000) + 0.05
    assert encode(80_000) < 12 * encode(20_000) + 0.05


@pytest.mark.parametrize("kind", LONG)
def test_one_long_piece_is_encoded_to_what_training_left(kind):
    text = LONG[kind](1_200)
    vocabulary = Vocabulary(merges=tuple(Tokenizer.train([text], 80)))
    assert Tokenizer(vocabulary).encode(text) == Naive(vocabulary).encode(text)
    assert vocabulary.merges == tuple(Naive.train([text], 80))


def test_text_seen_before_is_encoded_without_merging(monkeypatch):
    tokenizer = Tokenizer(Vocabulary(merges=((b"a", b"b"),), pattern=" ?[^ ]+| +"))
    assert tokenizer.encode("ab ab abc") == [256, 32, 256, 32, 256, 99]
    monkeypatch.setattr(heap.PieceCache, "merged", None)
    assert tokenizer.encode("ab abc ab") == [256, 32, 256, 99, 32, 256]


# The cache


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(heap, "CACHED_PIECES", 10)
    tokenizer = Tokenizer(Vocabulary(pattern=" ?[^ ]+| +"))
    for number in range(100):
        assert tokenizer.encode(f"{number} x") == list(f"{number} x".encode())
        assert len(tokenizer._cache) <= 10
    tokenizer.encode("y" * (heap.CACHED_LENGTH + 1))
    assert all(len(piece) <= heap.CACHED_LENGTH for piece in tokenizer._cache)


def test_what_a_call_returned_may_be_changed():
    tokenizer = Tokenizer(Vocabulary(merges=((b"a", b"b"),), special_tokens={"<e>": 300}))
    for call, argument in [
        (tokenizer.encode, "ab"),
        (tokenizer.encode, "ab<e>"),
        (tokenizer.encode_ordinary, "ab"),
        (tokenizer.encode_batch, ["ab"]),
        (tokenizer.pretokenize, "ab"),
    ]:
        first = call(argument)
        kept = json.dumps(first)
        first.clear()
        assert json.dumps(call(argument)) == kept


def test_two_tokenizers_share_nothing():
    one, two = Tokenizer(Vocabulary(merges=((b"a", b"b"),))), Tokenizer(Vocabulary(merges=((b"b", b"a"),)))
    assert [one.encode("aba"), two.encode("aba"), one.encode("aba")] == [[256, 97], [97, 256], [256, 97]]


def test_threads(monkeypatch):
    monkeypatch.setattr(heap, "CACHED_PIECES", 5)  # cleared all the time
    tokenizer = Tokenizer(Vocabulary(merges=((b"a", b"b"), (b"ab", b"c")), pattern=" ?[^ ]+| +"))
    texts = [f"abc {n} abab{n % 7} cab" for n in range(40)]
    expected = [Naive(tokenizer.vocabulary).encode(text) for text in texts]
    wrong = []

    def work():
        for _ in range(20):
            wrong.extend(t for t, e in zip(texts, expected, strict=True) if tokenizer.encode(t) != e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# Errors


def said(call, *arguments, **options):
    with pytest.raises(ValueError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def test_what_cannot_be_encoded_is_named():
    tokenizer = Tokenizer(Vocabulary(pattern="a+", base=(b"a", b"b")))
    assert said(tokenizer.encode, "aab") == "the pattern 'a+' leaves 'b' at place 2 uncovered"
    assert (
        said(Tokenizer(Vocabulary(base=(b"a",))).encode, "ab") == "the byte b'b' of the piece 'ab' is not in the base"
    )
    with pytest.raises(UnicodeEncodeError):
        Tokenizer(Vocabulary()).encode("a\ud800")
    with pytest.raises(UnicodeEncodeError):
        Tokenizer.train(["a\ud800"], 1)


@pytest.mark.parametrize("ids", [[256], [97, -1], [1_000]])
def test_an_unknown_id_is_named(ids):
    tokenizer = Tokenizer(Vocabulary(special_tokens={"<e>": 999}))
    for call in (tokenizer.decode, tokenizer.decode_bytes, lambda ids: list(tokenizer.stream_decode(ids))):
        assert said(call, ids) == f"there is no token with the id {ids[-1]}"


def test_what_cannot_be_learned_is_named():
    rules = ", ".join(Tokenizer.tie_rules)
    assert said(Tokenizer.train, [], 1, tie_rule="none") == f"no tie rule named 'none'; there are {rules}"
    assert said(Tokenizer.train, [], -1) == "cannot learn -1 merges"


# Characters


def test_characters():
    tokenizer = Tokenizer(CHARACTERS)
    assert tokenizer.encode(" low\tlowe\u0085<end>é") == [12, 11, 3, 9, 500, 8, 9]
    assert tokenizer.decode([12, 11, 3, 9]) == "low lowe"
    assert tokenizer.decode_bytes([12, 3]) == b"low</w>e"
    assert "".join(tokenizer.stream_decode([12, 11, 3, 9])) == "low lowe"
    assert said(tokenizer.encode, "low law") == "the character 'a' of 'law' is not in the base"
    assert said(tokenizer.encode, "lo</w>w") == "the word 'lo</w>w' holds the end-of-word marker '</w>'"
    for text in ["low lower", "", "  low\n", "wo <re> low", "éé"]:
        assert tokenizer.encode(text) == Naive(CHARACTERS).encode(text)
        assert tokenizer.pretokenize(text) == Naive(CHARACTERS).pretokenize(text) == text.split()


def test_what_it_says_of_itself():
    assert (Tokenizer.name, Tokenizer.version, Tokenizer.rank_by) == ("heap", "1", "pair")
    assert Tokenizer.near_linear is True


def test_words_within_the_matches_of_a_pattern():
    vocabulary = replace(CHARACTERS, pattern=r"l\w*|(?:e|r)+|\s")
    tokenizer = Tokenizer(vocabulary)
    assert tokenizer.pretokenize("low er") == Naive(vocabulary).pretokenize("low er") == ["low", "er"]
    assert tokenizer.pretokenize("lowerer r") == ["lowerer", "r"]
    assert tokenizer.encode("low er") == Naive(vocabulary).encode("low er") == [12, 3, 4, 9]
    assert tokenizer.pretokenize(" \u2003er ") == ["er"]
    assert said(tokenizer.encode, "low o") == rf"the pattern {vocabulary.pattern!r} leaves 'o' at place 4 uncovered"
    assert said(tokenizer.encode, "o low") == rf"the pattern {vocabulary.pattern!r} leaves 'o' at place 0 uncovered"


def test_markers_are_spaces_but_for_the_last_and_those_of_special_tokens():
    vocabulary = Vocabulary(
        merges=((b"a", b"_"), (b"_", b"a")),
        base=(b"a", b"_", b"\xff"),
        end_of_word=b"_",
        special_tokens={"<_>": 9, "_": 8},
    )
    tokenizer = Tokenizer(vocabulary)
    for ids, text in [
        ([], ""),
        ([3], "a"),
        ([4], " a"),
        ([1], ""),
        ([3, 3], "a a"),
        ([3, 9], "a <_>"),
        ([9, 3], "<_>a"),
        ([3, 8], "a _"),
        ([9, 8, 1, 1], "<_>_ "),
        ([0, 3, 4, 0, 0], "aa  aaa"),
        ([0, 2, 3], "a\ufffda"),
    ]:
        assert tokenizer.decode(ids) == "".join(tokenizer.stream_decode(ids)) == Naive(vocabulary).decode(ids) == text


def test_a_marker_that_is_no_utf8_is_named():
    tokenizer = Tokenizer(Vocabulary(base=("é".encode(), b"\xa9"), end_of_word=b"\xa9"))
    assert said(tokenizer.encode, "é") == "the word 'é' holds the end-of-word marker '\ufffd'"


def test_the_bytes_are_numbered_as_by_the_naive_tokenizer():
    assert [heap.MAPPED[byte] for byte in range(256)] == PRINTABLE_FIRST


def test_training_names_the_place_that_no_piece_covers():
    for text, gap, place in [("a b", " ", 1), (" a", " ", 0), ("a--", "--", 1)]:
        said_of = f"the pattern '\\\\w+' leaves {gap!r} at place {place} uncovered"
        assert said(Tokenizer.train, [text], 1, pattern=r"\w+") == said_of


# Streaming


def test_streaming_gives_each_character_as_soon_as_it_is_whole():
    tokenizer = Tokenizer(Vocabulary())
    assert list(tokenizer.stream_decode("é☕".encode())) == ["", "é", "", "", "☕", ""]
    rng = random.Random(2)
    for _ in range(2_000):
        ids = rng.choices([0x61, 0x80, 0xBF, 0xC3, 0xE2, 0x98, 0xED, 0xA0, 0xF0, 0x9F, 0xFF], k=rng.randint(0, 7))
        assert "".join(tokenizer.stream_decode(ids)) == tokenizer.decode(ids) == bytes(ids).decode(errors="replace")


# Files

HOSTILE = Vocabulary(
    merges=(
        *((bytes([byte]), b"\n") for byte in b"\x00\r\n #\xff"),
        (b"\n\n", b"\x00\n"),
    ),
    special_tokens={"\r\n": 300, " # ": 301, "\u2028\x00\ufeff": 302, '"\\': 1 << 40, "\U0001f642é": 303},
    pattern="\ud800|\ud83d|\ude42|[^\ud800]",
)


@pytest.mark.parametrize("vocabulary", [Vocabulary(), HOSTILE, CHARACTERS], ids=["empty", "hostile", "characters"])
def test_saving_and_loading_keeps_everything(tmp_path, vocabulary):
    path = tmp_path / "tokenizer"
    Tokenizer(vocabulary).save(path)
    assert Tokenizer.load(path).vocabulary == vocabulary
    assert path.read_bytes().isascii()


def test_a_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "tokenizer"
    Tokenizer(HOSTILE).save(path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert said(Tokenizer.load, path).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"merges": [["61", "62"], ["61", "zz"]]}, "merge 1: 'zz' is not hex"),
        ({"merges": [["zz", "62"]]}, "merge 0: 'zz' is not hex"),
        ({"merges": [["61", "62"], ["61"]]}, "merges: row 1 is no pair"),
        ({"merges": {"61": "62"}}, "merges is no list"),
        (
            {"merges": [["61", "6262"]]},
            "merge 0, (b'a', b'bb'): its right side b'bb' is neither a base token nor made by",
        ),
        ({"special_tokens": [["61", "7"]]}, "special token 0: its id '7' is no whole number"),
        ({"special_tokens": [["61", True]]}, "special token 0: its id True is no whole number"),
        ({"special_tokens": [["61", 97]]}, "special token 'a': its id 97 is another token's"),
        ({"special_tokens": [["ff", 997]]}, "special token 0: b'\\xff' is no UTF-8"),
        ({"special_tokens": [["61", 997], ["61", 998]]}, "special token 1: 'a' stands there twice"),
        ({"pattern": 3}, "pattern: 3 is not hex"),
        ({"pattern": "28"}, "the pattern '(' is not a regular expression"),
        ({"base": ["61", "61"]}, "base token 1, b'a', is empty, no byte string, or stands there twice"),
        ({"base": ["61", "x"]}, "base token 1: 'x' is not hex"),
        ({"end_of_word": "x"}, "end_of_word: 'x' is not hex"),
        ({"end_of_word": "6162"}, "the end-of-word marker b'ab' is not a base token"),
        ({"more": 1}, "this is not the record of a tokenizer"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(tmp_path, change, words):
    path = tmp_path / "tokenizer"
    path.write_text(json.dumps(heap.to_record(Vocabulary()) | change))
    assert said(Tokenizer.load, path).startswith(f"{path}: {words}")


def test_a_file_that_is_not_ascii_is_refused(tmp_path):
    path = tmp_path / "tokenizer"
    Tokenizer(Vocabulary()).save(path)
    path.write_text(path.read_text().replace("{", '{"merges": "é", ', 1), encoding="utf-8")  # JSON's last one holds
    assert "'ascii' codec can't decode" in said(Tokenizer.load, path)


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000, '{"merges": ' + "9" * 5_000 + "}", "\xff", "{}"])
def test_a_file_that_is_something_else_is_refused(tmp_path, text):
    path = tmp_path / "tokenizer"
    path.write_bytes(text.encode("latin-1"))
    assert said(Tokenizer.load, path).startswith(f"{path}: ")
