"""Tokenizers in another language: a complete one agrees with ours, and what goes wrong is named."""

import random
import shlex
import shutil
import sys
import threading

import pytest

from implementations.command import CommandError, CommandTokenizers
from implementations.heap import Tokenizer as Heap
from implementations.loader import resolve
from implementations.plugged import CommandFailed, NotApplicable
from reference.model import Vocabulary

COMMANDS = "tests/commands"
VOCABULARY = Vocabulary(merges=((b"b", b"a"), (b"a", b"b")), special_tokens={"<e>": 300, "<e><f>": 5000})
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="waiting for a pipe needs POSIX"),
]


@pytest.fixture
def plug(request):
    """A function that plugs in one of the programs, found wherever the tests are run from."""
    plugged = []

    def plug(name):
        (implementation,) = resolve(f"cmd:node '{request.config.rootpath / COMMANDS / name}.mjs'")
        plugged.append(implementation)
        return implementation

    yield plug
    for implementation in plugged:
        implementation.make.close()


def failure_of(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


# The complete one


def test_what_the_program_says_of_itself(plug):
    node = plug("bpe")
    assert (node.name, node.title, node.version) == ("bpe", "bpe.mjs", "1")
    assert (node.tie_rules, node.rank_by, node.algorithm, node.whole_piece_first) == (
        ("first-seen",),
        "pair",
        "bpe",
        False,
    )
    assert node.can == {"decode_bytes", "train"}


@pytest.mark.parametrize("text", ["", "aba", "a<e><f><e>b", "\x00é☕\U0001f642\r\n\u2028", "\ufeffab", "'<e' \\"])
def test_texts_go_there_and_back(plug, text):
    tokenizer = plug("bpe")(VOCABULARY)
    ids = tokenizer.encode(text)
    assert ids == Heap(VOCABULARY).encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode_bytes(ids) == text.encode()


def test_bytes_that_are_no_utf8_come_back_as_bytes(plug):
    tokenizer = plug("bpe")(VOCABULARY)
    assert tokenizer.decode_bytes([0xFF, 0xE2, 0x98]) == b"\xff\xe2\x98"
    assert tokenizer.decode([0xFF, 0xE2, 0x98]) == "\ufffd\ufffd"


@pytest.mark.parametrize("ids", [[256 + 700], [-1], [97, 258, 97]])
def test_an_unknown_id_is_its_own_exception(plug, ids):
    with pytest.raises(CommandError, match=r"^UnknownToken: there is no token with the id -?\d+\n") as caught:
        plug("bpe")(VOCABULARY).decode(ids)
    assert caught.value.kind == "UnknownToken"
    assert caught.value.__notes__ == [f"in decode({ids})"]


def test_a_lone_surrogate_travels_and_is_refused_there(plug):
    with pytest.raises(ValueError, match=r"^UnicodeError: the text holds a lone surrogate\n"):
        plug("bpe")(VOCABULARY).encode("a\ud800")


def test_uncovered_text_is_refused_there(plug):
    with pytest.raises(ValueError, match=r"^UncoveredText: "):
        plug("bpe")(Vocabulary(pattern="a+")).encode("ab")


def test_any_well_formed_list_is_encoded_as_here(plug):
    node, rng = plug("bpe"), random.Random(0)
    for _ in range(60):
        merges, made = {}, ["a", "b", "c"]
        for _ in range(rng.randint(0, 9)):
            left, right = rng.choice(made), rng.choice(made)
            merges[left.encode(), right.encode()] = None
            made.append(left + right)
        vocabulary = Vocabulary(merges=tuple(merges), special_tokens={"ab": 999} if rng.random() < 0.3 else {})
        text = "".join(rng.choices(made, k=rng.randint(0, 8)))
        assert node(vocabulary).encode(text) == Heap(vocabulary).encode(text)


@pytest.mark.parametrize(
    "pattern", [None, GPT2, r" ?[^\s]+|\s+", r"[^]]+|\]|.|\n", r"\d{1,3}|\D", r"[\-\'[ ]+|[^\-\'[ ]"]
)
def test_training_and_patterns_are_as_here(plug, pattern):
    node = plug("bpe")
    corpus = ["It's  the\u0085cat's 12345 hats, [the]\t\thats!\n\n the-cat ", "", "<e>the hats<e>hat's"]
    options = {"pattern": pattern, "tie_rule": "first-seen", "special_tokens": ["<e>"]}
    merges = node.train(iter(corpus), 40, **options)
    assert merges == tuple(Heap.train(corpus, 40, **options))
    vocabulary = Vocabulary(merges=merges, pattern=pattern, special_tokens={"<e>": 999})
    for text in corpus:
        assert node(vocabulary).encode(text) == Heap(vocabulary).encode(text)


@pytest.mark.parametrize("pattern", [r"\w+|\W", "(?i:a)|.|\n", "a++|.|\n", r"a*", r"[[:alpha:]]|.|\n", r"\p{L}\b|.|\n"])
def test_a_pattern_without_translation_is_not_applicable(plug, pattern):
    failure_of(NotApplicable, lambda: plug("bpe")(Vocabulary(pattern=pattern)).encode("b a"))


def test_what_the_protocol_cannot_carry_is_not_applicable(plug):
    node = plug("bpe")
    with pytest.raises(NotApplicable, match="no base of its own"):
        node(Vocabulary(base=(b"a",)))
    with pytest.raises(NotApplicable, match="no end-of-word marker"):
        node(Vocabulary(base=(b"a", b"_"), end_of_word=b"_"))
    with pytest.raises(NotApplicable, match="no tie rule smallest-ids"):
        node.train(["a"], 1, pattern=None, tie_rule="smallest-ids")


def test_two_tokenizers_take_turns(plug):
    node = plug("bpe")
    one, two = node(Vocabulary(merges=((b"a", b"b"),))), node(Vocabulary(merges=((b"b", b"a"),)))
    assert [one.encode("aba"), two.encode("aba"), one.encode("aba")] == [[256, 97], [97, 256], [256, 97]]


def test_threads_take_turns(plug):
    node, wrong = plug("bpe"), []
    cases = [(Vocabulary(merges=((b"a", b"b"),)), [256, 97]), (Vocabulary(merges=((b"b", b"a"),)), [97, 256])]

    def work(vocabulary, ids):
        tokenizer = node(vocabulary)
        wrong.extend(got for _ in range(50) if (got := tokenizer.encode("aba")) != ids)

    threads = [threading.Thread(target=work, args=case) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_long_lines_both_ways(plug):
    text = "ab" * 200_000
    tokenizer = plug("bpe")(Vocabulary(merges=((b"a", b"b"),), pattern="ab"))
    assert tokenizer.decode(tokenizer.encode(text)) == text


# Those that misbehave


def test_a_program_that_answers_nothing(plug):
    hangs = plug("hangs")
    tokenizer = hangs(VOCABULARY)
    assert tokenizer.decode([1]) == "a"  # so that the start of node is not counted
    hangs.call_limit = 0.3
    said = failure_of(CommandFailed, lambda: tokenizer.encode("ab"))
    assert said == f"{title(hangs)}: answered nothing within 0.3 seconds"


def test_a_program_that_exits(plug):
    dies = plug("dies")
    said = failure_of(CommandFailed, lambda: dies(VOCABULARY).encode("ab"))
    assert said == (f"{title(dies)}: exited with 3 instead of answering; it wrote to standard error:\nout of\nmemory")


def test_a_program_that_prints_something_else(plug):
    rubbish = plug("rubbish")
    said = failure_of(CommandFailed, lambda: rubbish(VOCABULARY).encode("ab"))
    assert said == f"{title(rubbish)}: answered b'encoding now', which is no JSON object"


@pytest.mark.parametrize("name", ["dies", "rubbish"])
def test_after_a_failure_the_program_is_started_anew(plug, name):
    tokenizer = plug(name)(VOCABULARY)
    for _ in range(2):
        failure_of(CommandFailed, lambda: tokenizer.encode("ab"))
        assert tokenizer.decode([1]) == "a"


def test_a_program_that_cannot_be_started():
    (nothing,) = resolve("cmd:./no-such-program")
    said = failure_of(CommandFailed, lambda: nothing(VOCABULARY).encode("ab"))
    assert said.startswith("cmd:./no-such-program: cannot be started: ")


def python(program):
    return CommandTokenizers(f'"{sys.executable}" -c "exec(bytes.fromhex(\'{program.encode().hex()}\'))"')


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[1]", "answered b'[1]', which is no JSON object"),
        ('{"ok": true}', "answered {'ok': True}, without 'ids'"),
        ('{"ids": "61"}', "answered {'ids': '61'}, without 'ids'"),
        ('{"ids": [1]}\n{"ids": [2]}', "printed b'{\"ids\": [2]}' unasked"),
    ],
)
def test_other_answers_that_are_none(line, said):
    tokenizers = python(f"import os, sys\nfor _ in sys.stdin: os.write(1, {line.encode()!r} + b'\\n')")
    try:
        with pytest.raises(CommandFailed) as caught:
            tokenizers(VOCABULARY).encode("a")
        assert str(caught.value).endswith(f": {said}")
    finally:
        tokenizers.close()


def test_a_program_that_exits_after_its_answer():
    tokenizers = python("""input(); print('{"ok": true}', flush=True); raise SystemExit(4)""")
    with pytest.raises(CommandFailed, match=r"exited with 4 instead of answering$"):
        tokenizers(VOCABULARY).encode("a")


def test_nothing_is_left_running(plug):
    node = plug("bpe")
    node(VOCABULARY).encode("a")
    process = node.make._program._process
    node.make.close()
    assert process.poll() is not None


def title(implementation):
    return f"cmd:{shlex.join(implementation.make.arguments)}"
