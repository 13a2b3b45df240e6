"""The reference against examples worked by hand, its errors, and files that editors would spoil."""

import copy
import doctest
import importlib
import importlib.metadata
import pickle
import re
import string
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from reference import (
    PATTERNS,
    SINGLE_BYTES,
    STATIC_TIE_RULES,
    TIE_RULES,
    UNICODE_VERSION,
    MalformedFile,
    MalformedVocabulary,
    UncoveredText,
    UnknownCharacter,
    UnknownToken,
    Vocabulary,
    count_pairs,
    decode,
    decode_bytes,
    dumps_merges,
    encode,
    encode_ordinary,
    encode_piece,
    load_merges,
    loads_merges,
    lowest_rank_first,
    merge_steps,
    normal_form,
    pretokenize,
    save_merges,
    split_special_tokens,
    symbols_of,
    train,
    training_steps,
    words,
)

MODULES = [path.stem for path in Path(reference.__file__).parent.glob("*.py") if path.stem != "__main__"]


def split(vocabulary, text):
    return [vocabulary.bytes_of[token_id] for token_id in encode(vocabulary, text)]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_hold(module):
    name = "reference" if module == "__init__" else f"reference.{module}"
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_function_has_an_example():
    for name in MODULES:
        module = importlib.import_module("reference" if name == "__init__" else f"reference.{name}")
        for function in vars(module).values():
            public = callable(function) and not getattr(function, "__name__", "_").startswith("_")
            if public and getattr(function, "__module__", "") == f"reference.{name}" and name not in {"cli", "errors"}:
                data = isinstance(function, type) and name != "model"  # a result, shown where it is made
                assert data or ">>>" in (function.__doc__ or ""), f"{name}.{function.__name__}"


def test_the_reference_needs_the_standard_library_and_regex_only():
    code = "import sys; before = set(sys.modules); import reference; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {name.split(".")[0] for name in loaded} - set(sys.stdlib_module_names) == {"reference", "regex"}


# Pre-tokenisation


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "whitespace"])
def test_the_public_patterns_cover_every_code_point(name):
    text = "".join(map(chr, range(sys.maxunicode + 1)))  # lone surrogates included
    assert "".join(pretokenize(PATTERNS[name], text)) == text
    assert all(map(regex.compile(PATTERNS[name]).fullmatch, text))  # each alone, too


@pytest.mark.parametrize(
    ("name", "text", "pieces"),
    [
        ("gpt2", "I'll  go\n\n 12345!!", ["I", "'ll", " ", " go", "\n\n", " 12345", "!!"]),
        ("gpt2", "I'LL", ["I", "'", "LL"]),
        ("cl100k_base", "I'LL go 12345!!\n x", ["I", "'LL", " go", " ", "123", "45", "!!\n", " x"]),
        ("o200k_base", "I'LL go-HTTPServer 12345/\n", ["I'LL", " go", "-HTTPServer", " ", "123", "45", "/\n"]),
        ("o200k_base", "HelloWorld", ["Hello", "World"]),
        ("whitespace", "a  b \n", ["a", "  ", "b", " \n"]),
        ("none", "a  b", ["a  b"]),
    ],
)
def test_pieces_worked_by_hand(name, text, pieces):
    assert pretokenize(PATTERNS[name], text) == pieces


OTHER_FORMS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k_base": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
AWKWARD = [
    "'",
    "s",
    "S",
    "ſ",
    "LL",
    "re",
    " ",
    "\n",
    "\r",
    "\t",
    "\x85",
    "\xa0",
    "1",
    "²",
    "é",
    "e\u0301",
    "中",
    "🙂",
    "/",
    "\ud800",
]


@given(text=st.lists(st.sampled_from(AWKWARD), max_size=12).map("".join))
def test_the_two_published_forms_of_a_pattern_agree_but_for_white_space_at_the_end(text):
    assert pretokenize(OTHER_FORMS["gpt2"], text) == pretokenize(PATTERNS["gpt2"], text)
    ended = text + "."
    assert pretokenize(OTHER_FORMS["cl100k_base"], ended) == pretokenize(PATTERNS["cl100k_base"], ended)


def test_where_the_two_forms_of_cl100k_part():
    """tiktoken 0.14.0 gives one piece (seen with that package, on a merge of the two bytes)."""
    assert pretokenize(PATTERNS["cl100k_base"], "a\n\x20") == ["a", "\n\x20"]
    assert pretokenize(OTHER_FORMS["cl100k_base"], "a\n\x20") == ["a", "\n", "\x20"]


def test_the_lossy_pattern_names_the_place():
    with pytest.raises(UncoveredText, match="' ' at character 4"):
        pretokenize(PATTERNS["whitespace-lossy"], "\x20two\x20\x20spaces")


def test_text_left_over_at_the_end_is_noticed():
    with pytest.raises(UncoveredText, match="'!' at character 1"):
        pretokenize(r"\w", "a!")


def test_what_no_piece_holds_is_shown_with_ten_characters_on_either_side():
    text = "abcdefghijklmnop!?qrstuvwxyzabc"
    with pytest.raises(UncoveredText) as raised:
        pretokenize(r"\w+", text)
    assert str(raised.value) == "the pattern leaves '!?' at character 16 of 'ghijklmnop!?qrstuvwxyz' in no piece"


def test_an_empty_match_is_no_piece():
    assert pretokenize("a*", "aa") == ["aa"]
    with pytest.raises(UncoveredText, match="'b' at character 2"):
        pretokenize("a*", "aab")


def test_the_unicode_version_is_the_one_that_the_regex_package_states():
    stated = re.search(r"supports Unicode ([0-9]+\.[0-9]+)", importlib.metadata.metadata("regex").get_payload())
    assert stated, "the package states its version no longer; see reference/pretokenize.py"
    assert stated[1] == UNICODE_VERSION


def test_the_unicode_version_is_the_last_whose_first_character_is_assigned(monkeypatch):
    module = importlib.import_module("reference.pretokenize")
    first = {version: f"{ord(character):X}" for version, character in module._FIRST_ASSIGNED.items()}
    assert first == {"15.0": "1E030", "15.1": "2EBF0", "16.0": "105C0", "17.0": "16EA0", "18.0": "3D000"}
    monkeypatch.setattr(module, "_FIRST_ASSIGNED", {"1.1": "a", "15.0": "\U0010fffe"})  # never assigned
    assert module._unicode_version() == "1.1"
    monkeypatch.setattr(module, "_FIRST_ASSIGNED", {"15.0": "\U0010fffe"})
    assert module._unicode_version() == "older than 15.0"


# Training


def test_the_textbook_example():
    """Wikipedia's aaabdaaabac: aa is Z; here ties go to the first seen, so aaa comes before ab."""
    steps = list(training_steps(["aaabdaaabac"], 3))
    assert [(step.merge, step.count) for step in steps] == [
        ((b"a", b"a"), 4),
        ((b"aa", b"a"), 2),
        ((b"aaa", b"b"), 2),
    ]
    assert split(Vocabulary([step.merge for step in steps]), "aaabdaaabac") == [b"aaab", b"d", b"aaab", b"a", b"c"]


def test_the_textbook_example_in_its_own_order():
    """Wikipedia takes Y = ab before X = ZY: that order comes of a rule that prefers the pair (a, b) to (Z, a)."""
    merges = train(["aaabdaaabac"], 3, tie_rule="smallest-ids")
    assert merges == ((b"a", b"a"), (b"a", b"b"), (b"aa", b"ab"))
    assert split(Vocabulary(merges), "aaabdaaabac") == [b"aaab", b"d", b"aaab", b"a", b"c"]


def test_counting_is_overlapping():
    assert count_pairs({(b"a",) * 4: 1}) == {(b"a", b"a"): 3}
    assert [step.count for step in training_steps(["aaaa"], 9)] == [3, 1]


BY_HAND = {  # two pieces, every pair once: each step is a tie among all pairs
    "first-seen": [(b" ", b"b"), (b" b", b"a"), (b"c", b"b")],
    "smallest-bytes": [(b" ", b"b"), (b" ", b"c"), (b" b", b"a")],
    "largest-bytes": [(b"c", b"b"), (b"cb", b" "), (b"cb ", b"c")],
    "smallest-ids": [(b" ", b"b"), (b" ", b"c"), (b"b", b" c")],
    "smallest-ids-mapped": [(b"b", b"a"), (b"b", b" "), (b"c", b"b ")],
    "shortest-then-smallest": [(b" ", b"b"), (b" ", b"c"), (b"c", b"b")],
    "smallest-concatenation": [(b" ", b"b"), (b" b", b"a"), (b" ", b"c")],
}


@pytest.mark.parametrize("rule", TIE_RULES)
def test_each_tie_rule_worked_by_hand(rule):
    assert train(["\x20ba", "cb\x20c"], 3, tie_rule=rule) == tuple(BY_HAND[rule])


@pytest.mark.parametrize(("one", "other"), list(combinations(TIE_RULES, 2)))
def test_the_example_tells_each_two_tie_rules_apart(one, other):
    assert BY_HAND[one] != BY_HAND[other]


def choice(rule, best, merges=()):
    return TIE_RULES[rule](best, Vocabulary(merges).id_of)


def test_bytes_are_compared_as_pairs_not_joined():
    best = [(b"ab", b"c"), (b"a", b"c")]
    assert choice("smallest-bytes", best) == (b"a", b"c")
    assert choice("largest-bytes", best) == (b"ab", b"c")


def test_where_one_joined_string_is_a_prefix_of_the_other_the_longer_wins():
    assert choice("smallest-concatenation", [(b"a", b"b"), (b"ab", b"c")]) == (b"ab", b"c")
    assert choice("shortest-then-smallest", [(b"ab", b"c"), (b"a", b"b")]) == (b"a", b"b")


def test_equal_joined_strings_go_to_the_first_seen():
    assert choice("smallest-concatenation", [(b"ab", b"c"), (b"a", b"bc")]) == (b"ab", b"c")
    assert choice("smallest-concatenation", [(b"a", b"bc"), (b"ab", b"c")]) == (b"a", b"bc")


def test_the_shortest_is_counted_in_bytes():
    assert choice("shortest-then-smallest", [(b"a", "é".encode()), (b"z", b"z")]) == (b"z", b"z")


def test_ids_of_made_tokens_follow_the_base():
    merges = [(b"z", b"z"), (b"a", b"a")]
    assert choice("smallest-ids", [(b"aa", b"a"), (b"zz", b"z")], merges) == (b"zz", b"z")
    assert choice("smallest-ids-mapped", [(b"aa", b"a"), (b"zz", b"z")], merges) == (b"zz", b"z")


def test_a_token_made_twice_keeps_its_first_id():
    vocabulary = Vocabulary([(b"a", b"a"), (b"a", b"aa"), (b"b", b"b"), (b"aa", b"a")])
    assert vocabulary.id_of[b"aaa"] == 257
    assert TIE_RULES["smallest-ids"]([(b"bb", b"a"), (b"aaa", b"a")], vocabulary.id_of) == (b"aaa", b"a")


def test_the_mapped_numbers_are_gpt2s():
    """Built as GPT-2's table is: the printable bytes stand for themselves, the others from U+0100 on, in order."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    table = {value: chr(value) for value in printable}
    for value in range(256):
        table.setdefault(value, chr(256 + len(table) - len(printable)))
    by_character = sorted(range(256), key=lambda value: table[value])
    assert by_character == importlib.import_module("reference.train").PRINTABLE_ORDER
    assert table[0x20] == "Ġ"
    assert table[0x0A] == "Ċ"


def test_ids_follow_a_base_in_another_order():
    backwards = tuple(reversed(SINGLE_BYTES))
    assert train(["ab", "cd"], 1, tie_rule="smallest-ids", base=backwards) == ((b"c", b"d"),)
    assert train(["ab", "cd"], 1, tie_rule="smallest-ids") == ((b"a", b"b"),)


def test_first_seen_is_scanned_anew_at_every_step():
    """A table that is updated in place keeps (a, b) ahead of (aa, a), which it met only after the merge."""
    assert train(["aaab"], 2) == ((b"a", b"a"), (b"aa", b"a"))


def test_first_seen_goes_by_pieces_not_by_documents():
    """The piece ` b` stands first in the second document and second in the first."""
    corpus = ["a\x20bc", "\x20bc", "de", "de"]
    assert train(corpus, 1, pattern=PATTERNS["whitespace"]) == ((b" ", b"b"),)


def test_the_steps_of_training_take_the_options_of_training():
    options = {"pattern": PATTERNS["whitespace"], "tie_rule": "largest-bytes", "special_tokens": ["<s>"]}
    merges = train(["b ab ab<s>cb"], 9, **options)
    assert [step.merge for step in training_steps(["b ab ab<s>cb"], 9, **options)] == list(merges)
    assert merges[:2] == ((b"a", b"b"), (b" ", b"ab"))


def test_more_than_one_special_token_is_cut_out():
    assert train(["ab<s>a<t>ab<u>b"], 9, special_tokens=["<s>", "<t>", "<u>"]) == ((b"a", b"b"),)


def test_single_bytes_come_before_made_tokens_whatever_their_ids():
    best, ids = [(b"ab", b"a"), (b"b", b"a")], {b"a": 0, b"b": 1, b"ab": 2}
    assert TIE_RULES["smallest-ids-mapped"](best, ids) == (b"b", b"a")


def test_static_rules_are_all_but_first_seen():
    assert set(TIE_RULES) - set(STATIC_TIE_RULES) == {"first-seen"}


def test_special_tokens_teach_nothing_and_cut():
    assert train(["a<s>b<s>"], 9, special_tokens=["<s>"]) == ()
    assert train(["ab<s>ab"], 9, special_tokens=["<s>"]) == ((b"a", b"b"),)
    assert train(["a b<s> b"], 1, special_tokens=["<s>"], pattern=PATTERNS["whitespace"]) == ((b" ", b"b"),)


def test_a_corpus_may_be_read_once():
    assert train(iter(["abab"]), 2, special_tokens=iter(["<s>"])) == train(["abab"], 2)


def test_training_stops_when_no_pair_is_left():
    assert train(["ab", "ab"], 1000) == ((b"a", b"b"),)
    assert train([], 5) == train(["ab"], 0) == train(["a", "", "b"], 5) == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tie_rule": "first"}, "no tie rule 'first'; there are first-seen, smallest-bytes"),
        ({"num_merges": -1}, "-1 merges were asked for"),
        ({"special_tokens": [""]}, "special token ''"),
        ({"pattern": "("}, "is not a regular expression"),
        ({"pattern": r"\w+", "corpus": ["a b"]}, "leaves ' ' at character 1"),
        ({"corpus": ["\ud800"]}, "surrogates not allowed"),
        ({"base": (b"a",), "corpus": ["ab"]}, "b'b' at byte 1 of 'ab' is not in the base"),
    ],
)
def test_training_refuses(arguments, message):
    arguments = {"corpus": ["ab"], "num_merges": 1} | arguments
    with pytest.raises(ValueError, match=re.escape(message)):
        train(**arguments)


# Encoding and decoding


def test_each_way_of_ranking_on_the_smallest_list_where_they_part():
    vocabulary = Vocabulary([(b"a", b"a"), (b"a", b"aa")])
    assert encode(vocabulary, "aaa") == [256, 97]
    assert encode(vocabulary, "aaa", rank_by="bytes") == [257]
    assert encode(vocabulary, "aaa", whole_piece_first=True) == [257]
    assert encode(vocabulary, "aaaa", whole_piece_first=True) == [256, 256]


def test_bytes_are_ranked_by_the_first_merge_that_makes_them():
    vocabulary = Vocabulary([(b"a", b"a"), (b"a", b"aa"), (b"c", b"d"), (b"aa", b"a")])
    steps = list(merge_steps(vocabulary, [b"a", b"a", b"a", b"c", b"d"], rank_by="bytes"))
    assert [(step.rank, step.merge, step.place) for step in steps] == [
        (0, (b"a", b"a"), 0),
        (1, (b"aa", b"a"), 0),
        (2, (b"c", b"d"), 1),
    ]


def test_ordinary_encoding_ranks_by_pair_unless_told_otherwise():
    vocabulary = Vocabulary([(b"a", b"a"), (b"a", b"aa")])
    assert encode_ordinary(vocabulary, "aaa") == [256, 97]
    assert encode_ordinary(vocabulary, "aaa", rank_by="bytes") == [257]
    assert encode_ordinary(vocabulary, "aaa", whole_piece_first=True) == [257]


def test_ranking_by_bytes_where_nothing_is_to_be_joined():
    assert encode(Vocabulary(), "ba", rank_by="bytes") == [98, 97]
    assert encode(Vocabulary([(b"a", b"a")], base=(b"a",)), "aaaa", rank_by="bytes") == [1, 1]


@pytest.mark.parametrize("call", [encode, encode_ordinary])
def test_an_unknown_way_of_ranking_lists_the_choices(call):
    with pytest.raises(ValueError, match="'length'; there are pair, bytes"):
        call(Vocabulary(), "ab", rank_by="length")
    with pytest.raises(ValueError, match="'length'; there are pair, bytes"):
        list(merge_steps(Vocabulary(), (b"a", b"b"), rank_by="length"))


def test_special_tokens_are_seen_before_the_pattern():
    vocabulary = Vocabulary(pattern=r"[a-z]+", special_tokens={" ": 300, "ab": 301})
    assert encode(vocabulary, "x ab y") == [120, 300, 301, 300, 121]
    with pytest.raises(UncoveredText):
        encode_ordinary(vocabulary, "x y")


def test_the_part_between_special_tokens_is_pretokenized_alone():
    vocabulary = Vocabulary([(b" ", b" ")], pattern=r"\s+(?!\S)|\s|\S+", special_tokens={"<s>": 300})
    assert encode(vocabulary, "  <s>") == [256, 300]
    assert encode(vocabulary, "  x") == [32, 32, 120]


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\ud83d\ude42"])
def test_a_lone_surrogate_is_a_value_error(text):
    with pytest.raises(UnicodeEncodeError):
        encode(Vocabulary(), text)


@pytest.mark.parametrize("bad", [-1, 256, 299, 301, 10**30])
@pytest.mark.parametrize("call", [decode, decode_bytes])
def test_an_unknown_id_is_named(call, bad):
    vocabulary = Vocabulary(special_tokens={"<s>": 300})
    for ids in ([bad], [97, bad], [bad, 97], [97, bad, 97]):
        with pytest.raises(UnknownToken, match=f"id {bad}$"):
            call(vocabulary, ids)


def test_an_id_in_a_gap_is_unknown():
    """The third merge makes aaa a second time, so that the id 258 is nobody's."""
    vocabulary = Vocabulary([(b"a", b"a"), (b"a", b"aa"), (b"aa", b"a"), (b"b", b"b")])
    with pytest.raises(UnknownToken, match="258"):
        decode(vocabulary, [258])
    assert decode(vocabulary, [257, 259]) == "aaabb"


def test_half_a_character_does_not_crash():
    assert decode(Vocabulary(), "☕".encode()[:2]) == "�"
    assert decode(Vocabulary(), [0xC3, 0xA9]) == "é"


def test_a_byte_outside_a_smaller_base_is_named():
    with pytest.raises(UnknownCharacter, match=re.escape("b'c' at byte 1 of 'ac'")):
        encode(Vocabulary(base=(b"a", b"b")), "ac")


MERGE_LISTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)


def well_formed(picks):
    tokens, merges = [b"a", b"b", b"\xc3"], []
    for left, right in picks:
        merge = tokens[left % len(tokens)], tokens[right % len(tokens)]
        if merge not in merges:
            merges.append(merge)
            tokens.append(merge[0] + merge[1])
    return Vocabulary(merges)


@given(picks=MERGE_LISTS, piece=st.text("ab", max_size=40))
@example(picks=[(0, 0), (0, 3)], piece="aaa")
def test_the_two_definitions_agree_on_long_lists_too(picks, piece):
    vocabulary = well_formed(picks)
    symbols = symbols_of(vocabulary, piece)
    assert encode_piece(vocabulary, symbols) == lowest_rank_first(vocabulary, symbols)


@given(text=st.text())
def test_any_text_comes_back(text):
    vocabulary = Vocabulary(train([text], 20), special_tokens={"\x20": 999}, pattern=PATTERNS["gpt2"])
    assert decode(vocabulary, encode(vocabulary, text)) == text
    assert decode_bytes(vocabulary, encode_ordinary(vocabulary, text)) == text.encode()


# Special tokens


@pytest.mark.parametrize(
    ("special_tokens", "text", "parts"),
    [
        (["A", "AB"], "AB", ["AB"]),
        (["AB", "A"], "AAB", ["A", "AB"]),
        (["AB", "BC"], "ABC", ["AB", "C"]),
        (["a.c", "(", "\\"], "abca.c(\\", ["abc", "a.c", "(", "\\"]),
        (["<s>"], "<s><s>", ["<s>", "<s>"]),
        (["<s>"], "", []),
        ([], "<s>", ["<s>"]),
        (["aa"], "aaa", ["aa", "a"]),
    ],
)
def test_the_leftmost_and_longest_is_cut_out(special_tokens, text, parts):
    assert split_special_tokens(special_tokens, text) == parts


# Characters


CHARACTERS = Vocabulary(
    merges=[(b"l", b"o"), (b"lo", b"w"), (b"low", b"_")],
    base=(*(c.encode() for c in "lowé"), b"_"),
    end_of_word=b"_",
    pattern=r"\S+",
    special_tokens={"<_>": 50},
)


def test_characters_and_marker_are_the_symbols():
    assert symbols_of(CHARACTERS, "wé") == (b"w", "é".encode(), b"_")
    assert encode(CHARACTERS, "low low é") == [7, 7, 3, 4]
    assert encode(CHARACTERS, "") == encode(CHARACTERS, " \n") == []


@pytest.mark.parametrize("pattern", [None, r"\S+", PATTERNS["whitespace"], PATTERNS["whitespace-lossy"]])
def test_white_space_separates_whatever_the_pattern_makes_of_it(pattern):
    vocabulary = Vocabulary(base=CHARACTERS.base, end_of_word=b"_", pattern=pattern)
    assert words(vocabulary, "\n low\u2028 \x20low\xa0é ") == ["low", "low", "é"]
    assert (
        decode(vocabulary, encode(vocabulary, " low \x20 low")) == normal_form(vocabulary, " low \x20 low") == "low low"
    )


def test_a_pattern_may_not_drop_a_character():
    vocabulary = Vocabulary(base=CHARACTERS.base, end_of_word=b"_", pattern="[low]+")
    for text, place in [("low é", 4), ("é low", 0), ("low é low", 4)]:
        with pytest.raises(UncoveredText, match=f"'é.*' at character {place}"):
            encode(vocabulary, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("low x", "'x' at character 4 of 'low x' is not in the base"),
        ("lo_w", "'_' at character 2 of 'lo_w' is the end-of-word marker"),
        ("e\u0301", "'e' at character 0"),
    ],
)
def test_an_unknown_character_is_named_with_its_place(text, message):
    with pytest.raises(UnknownCharacter, match=re.escape(message)):
        encode(CHARACTERS, text)


def test_a_marker_of_several_characters():
    vocabulary = Vocabulary(base=(b"a", b"<", b"</w>"), end_of_word=b"</w>")
    assert decode(vocabulary, encode(vocabulary, "a< <a")) == "a< <a"
    with pytest.raises(UnknownCharacter, match="'</w>' at character 1"):
        encode(vocabulary, "a</w>")


def test_a_marker_that_is_no_utf8_is_in_no_text():
    vocabulary = Vocabulary(base=(b"a", b"\xff"), end_of_word=b"\xff")
    assert words(vocabulary, "a aa") == ["a", "aa"]
    assert encode(vocabulary, "a aa") == [0, 1, 0, 0, 1]


def test_of_several_markers_the_first_is_named():
    with pytest.raises(UnknownCharacter, match="'_' at character 1 of 'a_a_' is the end-of-word marker"):
        words(Vocabulary(base=(b"a", b"_"), end_of_word=b"_"), "a_a_")


def test_a_marker_that_begins_as_a_character_ends():
    vocabulary = Vocabulary(base=(b"a", b"_", b"__"), end_of_word=b"__", merges=[(b"_", b"__")])
    assert decode(vocabulary, encode(vocabulary, "a_ a_")) == "a_ a_"


def test_decoding_characters():
    assert decode(CHARACTERS, [7, 7]) == "low low"
    assert decode(CHARACTERS, [7, 5]) == "low lo"
    assert decode(CHARACTERS, [7, 50]) == "low <_>"  # a special token's text stays as it is
    assert decode_bytes(CHARACTERS, [7, 7]) == b"low_low_"
    assert decode(CHARACTERS, []) == ""
    with pytest.raises(UnknownToken, match="-1"):
        decode(CHARACTERS, [-1])


# The vocabulary


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"merges": [(b"b", b"aa"), (b"a", b"a")]}, "merge 0, (b'b', b'aa'): its right side b'aa' is neither"),
        (
            {"merges": [(b"aa", b"bb")]},
            "merge 0, (b'aa', b'bb'): its left side b'aa' is neither a base token nor made by an earlier merge",
        ),
        ({"merges": [(b"a", b"a"), (b"a", b"a")]}, "merge 1, (b'a', b'a'): the same pair stands earlier"),
        ({"merges": [(b"", b"a")]}, "merge 0"),
        ({"special_tokens": {"": 300}}, "special token '': its text must be a str and not empty"),
        ({"special_tokens": {b"<s>": 300}}, "special token b'<s>': its text must be a str and not empty"),
        ({"special_tokens": {"a\ud800": 300}}, "special token 'a\\ud800': a lone surrogate has no UTF-8"),
        ({"special_tokens": {"\udfffa": 300}}, "special token '\\udfffa': a lone surrogate has no UTF-8"),
        ({"special_tokens": {"<s>": "300"}}, "special token '<s>': its id '300' is no natural number"),
        ({"special_tokens": {"<s>": 97}}, "its id 97 is another token's"),
        ({"special_tokens": {"<s>": 300, "<t>": 300}}, "its id 300 is another token's"),
        ({"special_tokens": {"<s>": -1}}, "its id -1"),
        ({"base": (b"a", b"a")}, "base token 1"),
        ({"end_of_word": b"</w>"}, "end-of-word marker b'</w>' is not a base token"),
        ({"pattern": "("}, "the pattern '(' is not a regular expression: missing )"),
    ],
)
def test_a_malformed_vocabulary_names_the_place(fields, message):
    with pytest.raises(MalformedVocabulary, match=re.escape(message)):
        Vocabulary(**fields)


def test_the_neighbours_of_surrogates_may_stand_in_special_tokens():
    vocabulary = Vocabulary(special_tokens={"\ud7ff": 300, "\ue000": 301})
    assert encode(vocabulary, "\ue000\ud7ff") == [301, 300]


def test_a_vocabulary_is_a_value():
    vocabulary = Vocabulary([(b"a", b"b")], {"<s>": 300, "<t>": 301}, r"\w+|\W+", end_of_word=b"")
    again = pickle.loads(pickle.dumps(vocabulary))
    assert again == vocabulary == copy.deepcopy(vocabulary)
    assert hash(again) == hash(vocabulary)
    assert type(again.special_tokens) is type(vocabulary.special_tokens)
    assert hash(Vocabulary()) != hash(vocabulary)
    assert hash(again.special_tokens) != hash(Vocabulary().special_tokens)


def test_the_size_is_one_more_than_the_largest_id():
    assert Vocabulary(base=()).size == 0
    assert Vocabulary(base=(b"a",)).size == 1
    assert Vocabulary(base=(), special_tokens={"<s>": 0}).size == 1
    assert Vocabulary([(b"a", b"b")], {"<s>": 300, "<t>": 299}).size == 301


@pytest.mark.parametrize("token", [b"", "a", 97, None], ids=repr)
def test_a_base_token_is_a_byte_string_and_not_empty(token):
    with pytest.raises(MalformedVocabulary, match=r"base token 1, .* is empty, no byte string, or stands there twice"):
        Vocabulary(base=(b"b", token))


def test_a_vocabulary_made_of_lists_is_one_made_of_tuples():
    of_lists = Vocabulary([[b"a", b"b"]], {}, base=[b"a", b"b"])
    assert of_lists == Vocabulary(((b"a", b"b"),), {}, base=(b"a", b"b"))
    assert of_lists.merges == ((b"a", b"b"),)
    assert of_lists.base == (b"a", b"b")
    assert len({of_lists, Vocabulary(((b"a", b"b"),), {}, base=(b"a", b"b"))}) == 1


CHANGES = {
    "__setitem__": ("<t>", 301),
    "__delitem__": ("<s>",),
    "__ior__": ({"<t>": 301},),
    "update": ({"<t>": 301},),
    "setdefault": ("<t>", 301),
    "pop": ("<s>",),
    "popitem": (),
    "clear": (),
}


@pytest.mark.parametrize("member", CHANGES)
def test_special_tokens_cannot_be_changed(member):
    vocabulary = Vocabulary(special_tokens={"<s>": 300})
    with pytest.raises(TypeError, match=r"^a vocabulary cannot be changed$"):
        getattr(vocabulary.special_tokens, member)(*CHANGES[member])
    assert vocabulary.special_tokens == {"<s>": 300}


# Files


HOSTILE = [
    b" ", b"  ", b"\t", b"\r", b"\n", b"\r\n", b"\x85", "\x85".encode(), "\u2028".encode(), "\xa0".encode(), b"\0",
    b"#", b"# a comment", b"#bpe-merges 1", b"\\", b"\\x20", b"\\\\", b"x20", b"\xff", b"\xc3", b"\xef\xbb\xbf",
    b"\x1a", b"\x0b", b"\x0c", b"\x1c", b"\x7f", b'"', b"'", "Ġ".encode(), "☕".encode(),
]  # fmt: skip
TOKENS = st.sampled_from(HOSTILE) | st.binary(min_size=1, max_size=8)


@given(merges=st.lists(st.tuples(TOKENS, TOKENS)))
@example(merges=[(token, token) for token in HOSTILE])
@example(merges=[])
def test_any_merges_come_back_from_their_text(merges):
    text = dumps_merges(merges)
    assert loads_merges(text) == tuple(merges)
    assert text.isascii()
    assert text.count("\n") == len(merges) + 1
    assert set(text) <= {*string.printable} - {*"\t\r\x0b\x0c"}


@given(merges=st.lists(st.tuples(TOKENS, TOKENS), max_size=5))
def test_no_line_reader_and_no_stripping_editor_changes_the_text(merges):
    text = dumps_merges(merges)
    assert "\n".join(line.strip() for line in text.splitlines()) + "\n" == text
    assert loads_merges(text.replace("\n", "\r\n")) == tuple(merges)


def test_hostile_tokens_come_back_from_a_file(tmp_path):
    merges = tuple((token, token) for token in HOSTILE)
    save_merges(tmp_path / "it.merges", merges)
    assert load_merges(tmp_path / "it.merges") == load_merges(str(tmp_path / "it.merges")) == merges
    assert b"\r" not in (tmp_path / "it.merges").read_bytes()


@given(data=st.data())
def test_a_file_cut_short_is_an_error_or_the_beginning(data):
    merges = train(["low lower lowest new newer newest wide wider widest"], 12, pattern=PATTERNS["whitespace"])
    text = dumps_merges(merges)
    short = text[: data.draw(st.integers(0, len(text)))]
    try:
        kept = loads_merges(short)
    except MalformedFile:
        assert not short.endswith("\n")
    else:
        assert kept == merges[: len(kept)]
        assert short.endswith("\n")


def test_comments_and_empty_lines_are_skipped():
    assert loads_merges("#bpe-merges 1\n\n# (a, b)\na b\n\n#\nab c\n") == ((b"a", b"b"), (b"ab", b"c"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, ''"),
        ("a b\n", "line 1, 'a b'"),
        ("#bpe-merges 2\n", "line 1"),
        ("\ufeff#bpe-merges 1\n", "line 1"),
        ("#bpe-merges 1", "line 1"),
        ("#bpe-merges 1\na b", "line 2, 'a b': no line feed at the end"),
        ("#bpe-merges 1\na b\nab\n", "line 3, 'ab'"),
        ("#bpe-merges 1\na b c\n", "line 2, 'a b c'"),
        ("#bpe-merges 1\na  b\n", "line 2, 'a  b'"),
        ("#bpe-merges 1\n a b\n", "line 2, ' a b'"),
        ("#bpe-merges 1\na b \n", "line 2, 'a b '"),
        ("#bpe-merges 1\na\tb\n", "line 2"),
        ("#bpe-merges 1\né b\n", "line 2, 'é'"),
        ("#bpe-merges 1\na \\x2\n", "line 2, '\\\\x2'"),
        ("#bpe-merges 1\na \\n\n", "line 2, '\\\\n'"),
        ("#bpe-merges 1\na b#\n", "line 2, 'b#'"),
        ("#bpe-merges 1\ra b\r", "line 1"),
        ("#bpe-merges 1\na b\x85\n", "line 2"),
    ],
)
def test_a_malformed_file_names_the_line(text, message):
    with pytest.raises(MalformedFile, match=re.escape(message)):
        loads_merges(text)


def test_bytes_that_are_no_ascii_are_named_by_line(tmp_path):
    (tmp_path / "it.merges").write_bytes(b"#bpe-merges 1\na b\n\xff b\n")
    with pytest.raises(MalformedFile, match="line 3"):
        load_merges(tmp_path / "it.merges")


LONG = "abcdefghij" * 5
SHOWN = repr(LONG[:40])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{LONG}\n", f"line 1, {SHOWN}: a merges file begins with '#bpe-merges 1'"),
        (LONG, f"line 1, {SHOWN}: a merges file begins with '#bpe-merges 1'"),
        (f"#bpe-merges 1\n{LONG}", f"line 2, {SHOWN}: no line feed at the end; the file was cut short"),
        (f"#bpe-merges 1\n{LONG}\n", f"line 2, {SHOWN}: a merge is two tokens with one space between"),
        (f"#bpe-merges 1\na {LONG}#\n", f"line 2, {SHOWN}: a token is printable ASCII and \\x with two digits"),
    ],
)
def test_of_a_long_line_the_beginning_is_shown(text, message):
    with pytest.raises(MalformedFile) as raised:
        loads_merges(text)
    assert str(raised.value) == message


def test_printable_ascii_stands_for_itself_but_for_two_characters():
    written = dumps_merges([(bytes([value]), b"a") for value in range(256)]).splitlines()[1:]
    plain = string.ascii_letters + string.digits + string.punctuation.replace("#", "").replace("\\", "")
    assert {line.removesuffix(" a") for line in written} == {*plain} | {
        f"\\x{value:02x}" for value in range(256) if chr(value) not in plain
    }
