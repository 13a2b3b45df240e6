"""The figures of four public lessons on byte-pair encoding, each computed anew.

A figure holds where what the lesson says is what comes out, and is disputed where it is not. The table
in docs/worked-examples.md is compared with what is computed, and printed by
`PYTHONPATH=. python tests/test_worked_examples.py`.

`_` is an end-of-word marker, `␠` a space, `x+y` a pair, and the number after it a count.
"""

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import pytest
import regex

from reference import (
    PATTERNS,
    SINGLE_BYTES,
    TIE_RULES,
    Vocabulary,
    count_pairs,
    decode,
    decode_bytes,
    dumps_merges,
    encode,
    encode_piece,
    loads_merges,
    pretokenize,
    symbols_of,
    train,
    training_steps,
)

PAGE = Path(__file__).parents[1] / "docs" / "worked-examples.md"

TWO_SPACES = "\x20\x20two\x20\x20spaces"  # by escapes, so that no editor collapses it
WALK = ["\x20walk"] * 5 + ["\x20walking"] * 4 + ["\x20walked"] * 3 + ["\x20talks"] * 2
SIMULATOR = {"low": 5, "lower": 2, "lowest": 3, "new": 4, "newer": 2, "newest": 6, "widest": 3}
LESSON_C = "lower lowest newer newest wider low new"
LESSON_D = "low lower lowest newest widest"


@dataclass(frozen=True)
class Figure:
    """One figure: what the lesson says, what is computed, and what has been found to hold if that is another value."""

    name: str
    what: str
    says: str
    compute: Callable[[], str]
    found: str = ""
    needs: str = ""

    @property
    def holds(self):
        return self.found or self.says


def written(token):
    return token.decode().replace(" ", "␠")


def pair(merge):
    return "+".join(map(written, merge))


def learned(steps):
    return ", ".join(f"{pair(step.merge)} {step.count}" for step in steps)


def counted(counts, *wanted):
    return ", ".join(f"{pair(merge)} {counts[merge]}" for merge in wanted)


def spaced(tokens):
    return " ".join(map(written, tokens))


def with_marker(corpus, num_merges, tie_rule="first-seen"):
    """The training steps over characters, `_` at the end of each word."""
    base = tuple(character.encode() for character in sorted({*"".join(corpus), "_"} - {" "}))
    return list(training_steps(corpus, num_merges, base=base, end_of_word=b"_", tie_rule=tie_rule))


def vocabulary_of(corpus, num_merges, tie_rule="first-seen", letters=""):
    base = tuple(character.encode() for character in sorted({*"".join(corpus), *letters, "_"} - {" "}))
    merges = train(corpus, num_merges, base=base, end_of_word=b"_", tie_rule=tie_rule)
    return Vocabulary(merges, base=base, end_of_word=b"_")


def piece(vocabulary, text):
    return spaced(encode_piece(vocabulary, symbols_of(vocabulary, text)))


def words_after(steps):
    return ", ".join(spaced(word) for word in steps[-1].words)


def many_merges(number):
    return tuple(islice(product(SINGLE_BYTES, repeat=2), number))


# Lesson A: bytes, pattern of white space, first-seen ties


def lossy():
    kept = "".join(regex.findall(PATTERNS["whitespace-lossy"], TWO_SPACES))
    return f"{len(TWO_SPACES)} characters in, {len(kept)} back: {kept.replace(' ', '␠')}"


def covering():
    kept = "".join(pretokenize(PATTERNS["whitespace"], TWO_SPACES))
    return f"{len(TWO_SPACES)} characters in, {len(kept)} back: {kept.replace(' ', '␠')}"


def walk_tie():
    counts = next(training_steps(WALK, 1)).counts
    highest = max(counts.values())
    return ", ".join(f"{pair(merge)} {count}" for merge, count in counts.items() if count == highest)


def walked():
    vocabulary = Vocabulary(train(WALK, 7))
    return "; ".join(piece(vocabulary, text) for text in ["\x20walk", "\x20walked", "\x20walking", "\x20talks"])


def round_trip(text):
    def sizes():
        ids = encode(Vocabulary(pattern=PATTERNS["whitespace"]), text)
        assert decode(Vocabulary(), ids) == text
        return f"{len(text)}, {len(text.encode())}, {len(ids)}"

    return sizes


def the_and_that():
    counts = next(training_steps(["the"] * 10 + ["that"] * 5, 1)).counts
    return counted(counts, (b"t", b"h"), (b"h", b"e"), (b"h", b"a"))


def e_before_a():
    merges = train(["the"] * 10 + ["that"] * 5, 9)
    return " before ".join(f"h+{written(right)}" for left, right in merges if left.endswith(b"h"))


def entries(merges, special_tokens):
    ids = {f"<|{i}|>": 256 + merges + i for i in range(special_tokens)}
    return lambda: f"{Vocabulary(many_merges(merges), ids).entries:,}"


def special_last():
    vocabulary = Vocabulary(many_merges(150), {"<|end|>": 406}, PATTERNS["whitespace"])
    return f"ends with {encode(vocabulary, 'a <|end|>')[-1]}"


def saved_and_loaded():
    merges = train(WALK, 7)
    again = Vocabulary(loads_merges(dumps_merges(merges)))
    return "the same ids" if encode(again, "".join(WALK)) == encode(Vocabulary(merges), "".join(WALK)) else "other ids"


# Lesson B: characters with a marker, and bytes


def lesson_b(words):
    return [word for word, times in words.items() for _ in range(times)]


def first_counts():
    words = {tuple(bytes([value]) for value in word): n for word, n in [(b"aa_", 5), (b"ab_", 3), (b"ba_", 2)]}
    return counted(count_pairs(words), (b"a", b"_"), (b"a", b"a"), (b"a", b"b"), (b"b", b"_"))


def first_merge():
    return learned(with_marker(lesson_b({"aa": 5, "ab": 3, "ba": 2}), 1))


def newest_widest(tie_rule):
    return lambda: ", ".join(pair(step.merge) for step in with_marker(["low lower newest widest"], 5, tie_rule))


def made_among_eight():
    """Under any of the rules: those that one of them makes."""
    steps = [step for rule in TIE_RULES for step in with_marker(lesson_b(SIMULATOR), 8, rule)]
    made = {b"".join(step.merge) for step in steps}
    return " and ".join(token for token in ["est", "low"] if token.encode() in made) or "neither"


def tie_of_hugging_face():
    """z+y and b+a once each, z+y first."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=5, show_progress=False)
    tokenizer.train_from_iterator(["zy ba"], trainer)
    merge = next(token for token in tokenizer.get_vocab() if len(token) == 2)
    return "+".join(merge)


def smallest_ids():
    return pair(train(["zy", "ba"], 1, tie_rule="smallest-ids")[0])


def out_of_order():
    """The letters of the witness are the smallest ones (spec, section 4)."""
    in_order = Vocabulary([(b"a", b"a"), (b"a", b"b")])
    reversed_order = Vocabulary([(b"a", b"b"), (b"a", b"a")])
    same = piece(in_order, "aab") == piece(reversed_order, "aab")
    return "no difference" if same else "another tokenisation"


def emoji():
    ids = encode(Vocabulary(train(WALK, 7)), "🙂 walk")
    return "no unknown token" if decode(Vocabulary(train(WALK, 7)), ids) == "🙂 walk" else "lost"


def prose_and_source():
    """The prose is the docstrings of a module of the standard library, the source is what is left of it."""
    prose = inspect.getdoc(textwrap.TextWrapper)
    source = inspect.getsource(textwrap.TextWrapper).replace(prose, "")
    of_prose, of_source = (train([text], 100, pattern=PATTERNS["gpt2"]) for text in (prose, source))
    line = "def calculate_loss(x):"
    counts = [len(encode(Vocabulary(merges, pattern=PATTERNS["gpt2"]), line)) for merges in (of_prose, of_source)]
    different = of_prose != of_source and counts[0] != counts[1]
    return "other merges, other token counts" if different else f"the same: {counts}"


# Lesson C: characters with a marker, ties by smallest concatenation; lesson D: the same, first-seen ties


def lesson_c(number=6):
    return with_marker([LESSON_C], number, "smallest-concatenation")


def replayed_c():
    vocabulary = vocabulary_of([LESSON_C], 6, "smallest-concatenation", letters="s")
    return "; ".join(f"{word} → {piece(vocabulary, word)}" for word in ["lower", "slower", "newest", "renew"])


def lesson_d(*more):
    return with_marker([" ".join([LESSON_D, *more])], 8)


def first_of_d():
    return pair(lesson_d()[0].merge)


def count_of_e_s():
    return str(lesson_d()[0].counts[b"e", b"s"])


def lowest_in_d():
    return piece(vocabulary_of([LESSON_D], 8), "lowest")


def left_over_in_d():
    single = {written(token) for word in lesson_d()[-1].words for token in word if len(token) == 1}
    return "single characters left: " + " ".join(sorted(single))


def widest_with_loudest():
    return piece(vocabulary_of([LESSON_D + " loudest"], 8), "widest")


FIGURES = [
    Figure(
        "A1",
        "The first pattern, ` ?[^\\s]+\\|\\n`, on `␠␠two␠␠spaces`",
        "13 characters in, 11 back: ␠two␠spaces",
        lossy,
    ),
    Figure(
        "A2",
        "Its pattern ` ?[^\\s]+\\|\\s+` on the same",
        "13 characters in, 13 back: ␠␠two␠␠spaces",
        covering,
    ),
    Figure("A3", "Toy text, the tie at the first merge", "a+l 14, l+k 14", walk_tie),
    Figure(
        "A4",
        "Toy text, seven merges",
        "a+l 14, al+k 14, ␠+w 12, ␠w+alk 12, ␠walk+i 4, ␠walki+n 4, ␠walkin+g 4",
        lambda: learned(training_steps(WALK, 7)),
    ),
    Figure("A5", "The four words after them", "␠walk; ␠walk e d; ␠walking; ␠ t alk s", walked),
    Figure("A6", "Characters, bytes, tokens of `café ☕`, no merges", "6, 9, 9", round_trip("café ☕")),
    Figure("A7", "The same of `␠␠two␠␠spaces`", "13, 13, 13", round_trip(TWO_SPACES)),
    Figure("A8", "The same of `🙂 emoji` and a line feed", "8, 11, 11", round_trip("🙂 emoji\n")),
    Figure("A9", "The same of the empty text", "0, 0, 0", round_trip("")),
    Figure("A10", "The same of `a`", "1, 1, 1", round_trip("a")),
    Figure("A11", "the ×10 and that ×5", "t+h 15, h+e 10, h+a 5", the_and_that),
    Figure("A12", "In the same, which is merged first (with the h in th by then)", "h+e before h+a", e_before_a),
    Figure("A13", "256 bytes, 1,000 merges and 1 special token", "1,257", entries(1000, 1)),
    Figure("A14", "256 bytes and 150 merges", "406", entries(150, 0)),
    Figure("A15", "`a <\\|end\\|>` with the special token 406", "ends with 406", special_last),
    Figure("A16", "Merges saved as text, one pair a line, and loaded", "the same ids", saved_and_loaded),
    Figure("A17", "Half of a character decoded", "�", lambda: decode(Vocabulary(), "é".encode()[:1])),
    Figure(
        "B1",
        "aa_ ×5, ab_ ×3, ba_ ×2: counts",
        "a+_ 5, a+a 5, a+b 3, b+_ 3",
        first_counts,
        found="a+_ 7, a+a 5, a+b 3, b+_ 3",
    ),
    Figure("B2", "The same: first merge", "a+a 5", first_merge, found="a+_ 7"),
    Figure(
        "B3",
        "low lower newest widest, smallest first: five merges",
        "e+s, es+t, est+_, l+o, lo+w",
        newest_widest("smallest-bytes"),
    ),
    Figure(
        "B4",
        "The same, first-seen ties",
        "e+s, es+t, est+_, l+o, lo+w",
        newest_widest("first-seen"),
        found="l+o, lo+w, e+s, es+t, est+_",
    ),
    Figure(
        "B5",
        "Simulator corpus: which of est and low are among the first eight tokens made",
        "est and low",
        made_among_eight,
        found="neither",
    ),
    Figure("B6", "GPT-2: 256 bytes, 50,000 merges, 1 special token", "50,257", entries(50_000, 1)),
    Figure(
        "B7",
        "z+y once, then b+a once: which of them Hugging Face's trainer learns",
        "z+y",
        tie_of_hugging_face,
        found="b+a",
        needs="tokenizers",
    ),
    Figure("B8", "Applying the merges in reverse order", "another tokenisation", out_of_order),
    Figure("B9", "An emoji that no merge has seen", "no unknown token", emoji),
    Figure(
        "B10",
        "English prose and Python source, on `def calculate_loss(x):`",
        "other merges, other token counts",
        prose_and_source,
    ),
    Figure(
        "C1",
        "Six merges",
        "w+e 4, l+o 3, n+e 3, r+_ 3, lo+we 2, ne+we 2",
        lambda: learned(lesson_c()),
    ),
    Figure(
        "C2",
        "The words after them",
        "lowe r_, lowe s t _, newe r_, newe s t _, w i d e r_, lo w _, ne w _",
        lambda: words_after(lesson_c()),
    ),
    Figure(
        "C3",
        "Other words, the merges replayed in order",
        "lower → lowe r_; slower → s lowe r_; newest → newe s t _; renew → r e ne w _",
        replayed_c,
    ),
    Figure("D1", "low lower lowest newest widest: first merge", "e+s", first_of_d, found="l+o"),
    Figure("D2", "The same: count of e+s", "4", count_of_e_s, found="3"),
    Figure(
        "D3",
        "The same, first-seen ties: eight merges",
        "l+o 3, lo+w 3, e+s 3, es+t 3, est+_ 3, low+_ 1, low+e 1, lowe+r 1",
        lambda: learned(lesson_d()),
    ),
    Figure("D4", "lowest after them", "low est_", lowest_in_d),
    Figure("D5", "What they leave unabsorbed", "single characters left: _ d e i n w", left_over_in_d),
    Figure(
        "D6",
        "With loudest added: eight merges",
        "l+o 4, e+s 4, es+t 4, est+_ 4, lo+w 3, d+est_ 2, low+_ 1, low+e 1",
        lambda: learned(lesson_d("loudest")),
    ),
    Figure("D7", "widest after them", "w i dest_", widest_with_loudest),
]
NAMES = [figure.name for figure in FIGURES]


def table():
    """The table of the page, its verdicts from what is computed (from what was found, where a package is missing)."""
    rows = ["| | figure | the lesson says | verdict | what holds |", "|---|---|---|---|---|"]
    for figure in FIGURES:
        holds = figure.holds if figure.needs else figure.compute()
        verdict, value = ("holds", "") if holds == figure.says else ("**disputed**", holds)
        rows.append(f"| {figure.name} | {figure.what} | {figure.says} | {verdict} | {value} |")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("figure", FIGURES, ids=NAMES)
def test_what_holds_is_what_is_computed(figure):
    assert figure.compute() == figure.holds


@pytest.mark.parametrize("figure", [f for f in FIGURES if f.found], ids=[f.name for f in FIGURES if f.found])
def test_a_disputed_figure_is_not_what_the_lesson_says(figure):
    assert figure.compute() != figure.says


def test_the_page_shows_what_is_computed():
    assert table() in PAGE.read_text(encoding="utf-8")


def test_each_figure_has_a_name_of_its_own():
    assert len(set(NAMES)) == len(FIGURES)
    assert {name[0] for name in NAMES} == set("ABCD")


def test_the_page_speaks_of_every_disputed_figure():
    prose = PAGE.read_text(encoding="utf-8").replace(table(), "")
    for figure in FIGURES:
        if figure.found:
            assert f"{figure.name}" in prose, f"{figure.name} is disputed: say why"


def test_the_tie_that_hugging_face_breaks_is_one_of_smallest_ids():
    assert smallest_ids() == "b+a"
    assert pair(train(["zy", "ba"], 1)[0]) == "z+y"


@pytest.mark.parametrize(
    ("tie_rule", "merges"),
    [
        ("first-seen", "w+e 13, s+t 12, st+_ 12, n+e 12, l+o 10, w+_ 9, we+st_ 9, ne+west_ 6"),
        ("smallest-bytes", "w+e 13, n+e 12, s+t 12, st+_ 12, l+o 10, w+_ 9, we+st_ 9, ne+west_ 6"),
    ],
)
def test_the_simulator_merges_w_e_first_so_that_est_is_never_built(tie_rule, merges):
    assert learned(with_marker(lesson_b(SIMULATOR), 8, tie_rule)) == merges


def test_six_pairs_tie_in_lesson_b():
    counts = with_marker(["low lower newest widest"], 1)[0].counts
    assert counted(counts, *(m for m, n in counts.items() if n == 2)) == "l+o 2, o+w 2, w+e 2, e+s 2, s+t 2, t+_ 2"


def test_what_e_s_is_level_with_in_lesson_d():
    counts = lesson_d()[0].counts
    assert counted(counts, *(m for m, n in counts.items() if n == 3)) == "l+o 3, o+w 3, w+e 3, e+s 3, s+t 3, t+_ 3"


def test_a_special_token_is_seen_before_the_pieces_are_cut():
    vocabulary = Vocabulary((), {"\x20<|end|>": 406}, PATTERNS["whitespace"])
    assert encode(vocabulary, "a <|end|>") == [97, 406]
    assert decode_bytes(vocabulary, [97, 406]) == b"a <|end|>"


if __name__ == "__main__":
    print(table(), end="")
