"""The planted bugs are what they say, and each shows; the right tokenizers agree with one another."""

import importlib
import inspect
import random
import re
from pathlib import Path

import pytest

from reference.model import Vocabulary
from tests.known_right import declarations
from tests.known_wrong import base, caches, files, nulls
from tests.known_wrong.base import CL100K, GPT2, WORDS, Base

FOLDER = Path(__file__).parent
GREETING = "hello tokens"


def planted(folder, prefix):
    """The classes of a folder whose names start with the prefix, in order."""
    for path in sorted((FOLDER / folder).glob("*.py")):
        module = importlib.import_module(f"tests.{folder}.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith(prefix) and inspect.isclass(value) and value.__module__ == module.__name__:
                yield value


def label(planted_class):
    return f"{planted_class.__module__.split('.')[-1]}.{planted_class.__name__}"


BAD = list(planted("known_wrong", "Bad"))
RIGHT = list(planted("known_right", "Right"))
HELPERS = [base.Plain, base.Heap, base.Incremental, files.Lines, files.Escaped, caches.Cached]
of_each_bad = pytest.mark.parametrize("bad", BAD, ids=label)

# Bugs that raise on a short text, or from a short training, as they say
RAISING = {"BadOneByteRaises"}


def declaring_as(bad):
    """The correct base with the declarations of a planted bug."""
    return type("Declared", (Base,), {"rank_by": bad.rank_by, "whole_piece_first": bad.whole_piece_first})


def outcome(call, *args):
    """What the call gives, or the class of what it raises."""
    try:
        return "gave", call(*args)
    except BaseException as error:
        return "raised", type(error).__name__


def test_there_are_many_planted_bugs():
    assert len(BAD) >= 300
    assert len(RIGHT) >= 12


def test_names_are_unique():
    names = [planted_class.__name__ for planted_class in BAD + RIGHT]

    assert sorted(set(names)) == sorted(names)


@of_each_bad
def test_a_planted_bug_says_what_it_does_and_what_it_stands_for(bad):
    lines = inspect.getdoc(bad).splitlines()
    stands_for = [line for line in lines if line.startswith("Stands for: ")]

    assert re.fullmatch(r"[A-Z].*\.", lines[0])
    assert lines[1:] == ["", *stands_for]
    assert len(stands_for) == 1
    assert re.fullmatch(r"Stands for: (https://github\.com/\S+/(issues|pull)/\d+|(a|the) .+)", stands_for[0])
    assert bad.fault == bad.__module__.split(".")[-1]


@of_each_bad
def test_a_planted_bug_shows_on_its_witness(bad):
    right = outcome(bad.witness, declaring_as(bad))

    assert outcome(bad.witness, bad) != right


@of_each_bad
def test_a_planted_bug_is_small(bad):
    assert len(inspect.getsource(bad).splitlines()) <= 50


@of_each_bad
def test_a_planted_bug_encodes_and_trains_without_raising_unless_it_says_so(bad):
    calls = [
        outcome(lambda: bad(Vocabulary(pattern=WORDS)).encode(GREETING)),
        outcome(lambda: bad.train([GREETING, "a"], 3, pattern=WORDS, tie_rule="smallest-ids")),
    ]

    assert all(verdict == "gave" for verdict, _ in calls) or bad.__name__ in RAISING


@pytest.mark.parametrize("path", sorted((FOLDER / "known_wrong").glob("*.py")), ids=lambda path: path.stem)
def test_a_file_of_planted_bugs_can_be_loaded_by_its_path(path):
    spec = importlib.util.spec_from_file_location(f"private_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    of_their_own = {bad.__name__ for bad in BAD if bad.__module__.endswith("." + path.stem)}
    assert {name for name in vars(module) if name.startswith("Bad")} == of_their_own


def test_the_null_implementations_do_nothing_right():
    vocabulary = Vocabulary(((b"a", b"b"),))

    assert nulls.NullNothing(vocabulary).encode("ab") == []
    assert nulls.NullIdentity(vocabulary).encode("ab") == [97, 98]
    assert nulls.NullConstant(vocabulary).encode("ab") == [97]
    with pytest.raises(RuntimeError):
        nulls.NullRaises(vocabulary).encode("ab")


class Cases:
    """Seeded random vocabularies, texts, ids and corpora."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def text(self, alphabet, size=20):
        return "".join(self.random.choices(alphabet, k=self.random.randint(0, size)))

    def merges(self, symbols, count):
        """A well-formed list, trainable or not."""
        made, merges = list(symbols), []
        for _ in range(count):
            pair = self.random.choice(made), self.random.choice(made)
            if pair not in merges:
                merges.append(pair)
                made += [pair[0] + pair[1]] * (pair[0] + pair[1] not in made)
        return tuple(merges)

    def vocabulary(self):
        pattern = self.random.choice([None, GPT2, CL100K, WORDS])
        special_tokens = self.random.choice([{}, {"ab": 400, "b": 300, "abc": 90_000}, {"<|a|>": 400, "\0(": 401}])
        symbols = [bytes([byte]) for byte in self.random.sample(b"ab\0 \xc3\xa9\xe4\xb8\x80", 4)]
        return Vocabulary(self.merges(symbols, self.random.randint(0, 12)), special_tokens, pattern)

    def characters(self):
        symbols = tuple(character.encode() for character in "ab\u00e9_")
        return Vocabulary(self.merges(symbols, 6), {}, r"\S+", symbols, b"_")

    def training(self):
        corpus = [self.text("ab c"[: self.random.randint(1, 4)], 9) for _ in range(self.random.randint(0, 5))]
        special_tokens = self.random.choice([(), ("b",), ("ab", "abc")])
        return corpus, self.random.randint(0, 12), self.random.choice([None, WORDS, GPT2]), special_tokens


def answers(make, vocabulary, text, ids):
    """What a tokenizer gives for a text and for ids, through every member that it has."""
    tokenizer = make(vocabulary)
    calls = {
        "encode": lambda: tokenizer.encode(text),
        "encode_ordinary": lambda: tokenizer.encode_ordinary(text),
        "encode_batch": lambda: tokenizer.encode_batch([text, "", text]),
        "pretokenize": lambda: tokenizer.pretokenize(text),
        "decode": lambda: tokenizer.decode(ids),
        "decode_bytes": lambda: tokenizer.decode_bytes(ids),
        "stream_decode": lambda: "".join(tokenizer.stream_decode(ids)),
    }
    return {name: refusal(outcome(call)) for name, call in calls.items() if hasattr(tokenizer, name)}


def refusal(result):
    """Which exception it is does not matter, but `NotImplementedError`, which is no answer, does."""
    return result if result[0] == "gave" or result[1] == "NotImplementedError" else "refused"


@pytest.mark.parametrize("right", RIGHT + HELPERS, ids=label)
def test_a_right_tokenizer_encodes_and_decodes_as_the_base_does(right):
    cases, oracle, answered = Cases(label(right)), None, 0
    declarations = {name: getattr(right, name) for name in ("rank_by", "whole_piece_first") if hasattr(right, name)}
    oracle = type("Declared", (Base,), declarations)

    for number in range(150):
        vocabulary = cases.characters() if number % 10 == 9 else cases.vocabulary()
        text = cases.text("aaabb\u00e9 _"[: 7 + number % 2] if vocabulary.end_of_word else "aabb\0 \u00e9\u4e00c<|>(")
        some_ids = [*vocabulary.bytes_of, 0xE2, 0x82, 0xF0, 0x9F, -1, 299]
        ids = cases.random.choices(some_ids, k=cases.random.randint(0, 6))
        try:
            found = answers(right, vocabulary, text, ids)
        except NotImplementedError:
            continue
        expected = answers(oracle, vocabulary, text, ids)
        answered += "NotImplementedError" not in found["encode"]
        assert {name: expected[name] for name in found if "NotImplementedError" not in found[name]} == {
            name: answer for name, answer in found.items() if "NotImplementedError" not in answer
        }
    assert answered > 30


@pytest.mark.parametrize("right", [right for right in RIGHT + HELPERS if hasattr(right, "train")], ids=label)
def test_a_right_tokenizer_trains_as_the_base_does(right):
    cases = Cases(label(right))
    for _ in range(100):
        corpus, num_merges, pattern, special_tokens = cases.training()
        for tie_rule in getattr(right, "tie_rules", ()):
            settings = {"pattern": pattern, "tie_rule": tie_rule, "special_tokens": special_tokens}
            found = right.train(iter(corpus), num_merges, **settings)

            assert [tuple(pair) for pair in found] == list(Base.train(corpus, num_merges, **settings))


@pytest.mark.parametrize("right", [right for right in RIGHT if hasattr(right, "train")], ids=label)
def test_a_right_trainer_takes_a_pair_that_no_other_exceeds_at_each_step(right):
    cases = Cases(label(right))
    tie_rule = getattr(right, "tie_rules", ("first-seen",))[0]
    for _ in range(100):
        corpus, num_merges, pattern, special_tokens = cases.training()
        words = Base.count_words(Base.pieces(corpus, pattern, special_tokens))
        settings = {"pattern": pattern, "tie_rule": tie_rule, "special_tokens": special_tokens}
        merges = right.train(iter(corpus), num_merges, **settings)
        for pair in merges:
            counts = Base.count_pairs(words)

            assert counts[tuple(pair)] == max(counts.values())
            words = Base.apply(words, tuple(pair))

        assert len(merges) == num_merges or not Base.count_pairs(words)


def test_uncovered_text_may_be_kept():
    tokenizer = declarations.RightKeepsUncovered(Vocabulary(pattern=r"\w+"))

    assert tokenizer.pretokenize(" a  b") == [" ", "a", "  ", "b"]
    with pytest.raises(ValueError):
        Base(Vocabulary(pattern=r"\w+")).encode(" a  b")


@pytest.mark.parametrize("right", [right for right in RIGHT + HELPERS if hasattr(right, "save")], ids=label)
def test_a_right_tokenizer_saved_and_loaded_is_the_same(right, tmp_path):
    cases = Cases(label(right))
    for number in range(40):
        vocabulary = cases.characters() if number % 10 == 9 else cases.vocabulary()
        try:
            right(vocabulary).save(tmp_path / "tokenizer")
        except NotImplementedError:
            continue

        assert right.load(tmp_path / "tokenizer").vocabulary == vocabulary


@pytest.mark.parametrize("right", RIGHT + HELPERS, ids=label)
def test_a_right_tokenizer_refuses_what_it_must(right):
    tokenizer = right(Vocabulary())

    with pytest.raises(ValueError):
        tokenizer.encode("a\ud800b")
    for unknown in ([97, 256], [-1, 97]):
        with pytest.raises(Exception, match=r"256|-1"):
            tokenizer.decode(unknown)
