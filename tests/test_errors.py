"""What a mistake is answered with, word for word. Never a traceback of ours.

The first table is of commands: what is typed, what is printed, the exit status. The second is of plug-ins that break
the contract (`tests/plugins/wrong.py`): which claim says so, and how. The third is of values given from Python.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reference
from implementations.loader import built_in
from properties.stored.regressions import MalformedRegression, load
from reference.files import MalformedFile, loads_merges
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
ONE = ["--claims=ENC-15", "--budget=quick"]

FILES = {
    "broken.py": 'def nothing():\n    return 1\n\nraise RuntimeError("not today")\n',
    "syntax.py": "def f(:\n",
    "empty.py": "x = 1\n",
    "misspelt.py": "class Tokeniser:\n    def __init__(self, vocabulary): ...\n",
    "five.py": "Tokenizer = 5\n",
    "rank.py": 'from implementations.heap import Tokenizer as T\nclass Tokenizer(T):\n    rank_by = "length"\n',
    "ties.py": 'from implementations.heap import Tokenizer as T\nclass Tokenizer(T):\n    tie_rules = "first-seen"\n',
    "tie.py": 'from implementations.heap import Tokenizer as T\nclass Tokenizer(T):\n    tie_rules = ("first-come",)\n',
    "half.py": "def train_bpe(text, num_merges): ...\ndef encode(text, merges): ...\n",
    "unfinished.jsonl": '{"kind": "header", "format": "bpe-conformance-report", "version": 1}\n',
    "future.jsonl": '{"kind": "header", "format": "bpe-conformance-report", "version": 9}\n',
    "text.txt": "hello\n",
    "it.merges": reference.dumps_merges(((b"a", b"b"),)),
    "stored/a.toml": '[[case]]\nid = "a"\ntext = "x\n',
}
BUILT_IN = ", ".join(built_in())
RULES = ", ".join(reference.TIE_RULES)
PATTERNS = ", ".join(reference.PATTERNS)
FORMS = "pkg.module:Attr, path/to/file.py[:Attr], cmd:COMMAND, all"

# What is typed after `pytest properties`: what is printed after `ERROR: `. All end with 4, pytest's own for usage.
OPTIONS = {
    "--impl=hepa": f"no implementation named 'hepa'; did you mean 'heap'? Built in: {BUILT_IN}. Other forms: {FORMS}",
    "--impl=": f"no implementation named ''. Built in: {BUILT_IN}. Other forms: {FORMS}",
    "--impl=TMP/brokem.py": "'TMP/brokem.py': there is no file TMP/brokem.py; did you mean broken.py?",
    "--impl=TMP/broken.py": (
        "TMP/broken.py fails to import:\nTraceback (most recent call last):\n"
        '  File "TMP/broken.py", line 4, in <module>\n    raise RuntimeError("not today")\nRuntimeError: not today'
    ),
    "--impl=TMP/syntax.py": (
        'TMP/syntax.py fails to import:\n  File "TMP/syntax.py", line 1\n    def f(:\n          ^\n'
        "SyntaxError: invalid syntax"
    ),
    "--impl=TMP/empty.py": "'TMP/empty.py': there is no 'Tokenizer'; callables there: none",
    "--impl=TMP/misspelt.py": (
        "'TMP/misspelt.py': there is no 'Tokenizer'; did you mean 'Tokeniser'? callables there: Tokeniser"
    ),
    "--impl=TMP/misspelt.py:Bad": "'TMP/misspelt.py:Bad': there is no 'Bad'; callables there: Tokeniser",
    "--impl=TMP/misspelt.py:Bad*": "'TMP/misspelt.py:Bad*': nothing matches 'Bad*'; callables there: Tokeniser",
    "--impl=TMP/five.py": "'TMP/five.py': Tokenizer is no callable but int; callables there: none",
    "--impl=nowhere.module:T": "'nowhere.module:T': there is no module named 'nowhere' to import",
    "--impl=json:nothing": (
        "'json:nothing': there is no 'nothing'; callables there: detect_encoding, dump, dumps, load, loads"
    ),
    "--impl=one two:c": f"'one two:c' is none of the forms NAME, {FORMS}",
    "--impl=cmd:": "cmd: needs a command",
    "--impl=cmd:'unclosed": '"cmd:\'unclosed": No closing quotation',
    "--impl=cmd:nowhere-to-be-found": (
        "nowhere-to-be-found cannot be used: cmd:nowhere-to-be-found: cannot be started: "
        "[Errno 2] No such file or directory: 'nowhere-to-be-found'"
    ),
    "--impl=TMP/rank.py": "rank cannot be used: rank_by is 'length'; the contract says 'pair' or 'bytes'",
    "--impl=TMP/ties.py": "ties cannot be used: tie_rules is 'first-seen'; the contract says a tuple of str",
    "--impl=TMP/tie.py": f"tie cannot be used: tie_rules names 'first-come'; there are {RULES}",
    "--impl=lesson:TMP/half.py": (
        "'lesson:TMP/half.py': of the shape lesson there is no decode; callables there: encode, train_bpe"
    ),
    "--impl=minbpe:TMP/half.py": (
        "'minbpe:TMP/half.py': of the shape minbpe there must be a class with train, encode and decode; there are none"
    ),
    "--shape=mine": "no shape named 'mine'; there are lesson, minbpe, cs336",
    "--shape=lesson": "--shape=lesson is for files; 'heap' is none",
    "--budget=fast": "no budget named 'fast'; there are quick, default, thorough, nightly",
    "--level=may": "no level named 'may'; there are must, all",
    "--call-limit=0": "--call-limit must be more than 0 seconds, not 0",
    "--report=x": "--report is html:FILE, jsonl:FILE or md:FILE, not 'x'",
    "--report=pdf:x": "--report is html:FILE, jsonl:FILE or md:FILE, not 'pdf:x'",
    "--report=html:": "--report is html:FILE, jsonl:FILE or md:FILE, not 'html:'",
    "--report=html:TMP/nowhere/x.html": "--report=html:TMP/nowhere/x.html: No such file or directory",
    "--report=md:TMP/locked/x.md": "--report=md:TMP/locked/x.md: Permission denied",
    "--coverage --impl=cmd:node": "--coverage measures one Python module; 'cmd:node' is none",
}

# What is typed after `python -m`: the last thing printed to standard error, and the exit status.
COMMANDS = {
    ("properties", "add", "a b", "--why", ""): ("not added: why: is empty; say what goes wrong on it", 1),
    ("properties", "add", "'x", "--literal", "--why", "w"): (
        "not added: unterminated string literal (detected at line 1)",
        1,
    ),
    ("properties", "add", "5", "--literal", "--why", "w"): ("not added: 5 is no str or bytes", 1),
    ("properties", "add", "a", "--why", "w", "--claims", "enc", "--folder", "TMP"): (
        "not added: claims: 'enc' is no glob of claim ids, such as 'ENC-*'",
        1,
    ),
    ("properties", "add", "a", "--why", "w", "--id", "A B", "--folder", "TMP"): (
        "not added: id: 'A B' is not of the form 'two-words-and-2'",
        1,
    ),
    ("properties", "add", "a", "--why", "w", "--folder", "TMP/nowhere"): ("not added: TMP/nowhere: no such folder", 1),
    ("properties", "add", "a", "--why", "w", "--folder", "TMP/stored"): (
        "not added: TMP/stored/a.toml: broken TOML: Illegal character '\\n' (at line 3, column 10)",
        1,
    ),
    ("properties", "compare", "TMP/unfinished.jsonl", "TMP/unfinished.jsonl"): (
        "error: TMP/unfinished.jsonl: a run that did not end: its footer is missing",
        2,
    ),
    ("properties", "compare", "TMP/future.jsonl", "TMP/text.txt"): (
        "error: TMP/future.jsonl: version 9; this suite reads version 1",
        2,
    ),
    ("properties", "compare", "TMP/nowhere.jsonl", "TMP/text.txt"): (
        "error: TMP/nowhere.jsonl: No such file or directory",
        2,
    ),
    ("properties", "compare", "TMP/text.txt", "TMP/text.txt"): (
        "error: TMP/text.txt: line 1 is no record of a report",
        2,
    ),
    ("properties", "explain"): ("error: give one of --claim and --text", 2),
    ("properties", "explain", "--text", "a"): ("error: give one of --merges FILE and --vocabulary NAME", 2),
    ("properties", "explain", "--text", "a", "--merges", "TMP/text.txt"): (
        "error: line 1, 'hello': a merges file begins with '#bpe-merges 1'",
        2,
    ),
    ("properties", "explain", "--text", "a", "--merges", "TMP/it.merges", "--pattern", "gpt9"): (
        f"error: no pattern 'gpt9'; there are {PATTERNS}",
        2,
    ),
    ("properties", "explain", "--text", "a", "--merges", "TMP/it.merges", "--special", "<s>"): (
        "error: '<s>' is no id: an id is a natural number",
        2,
    ),
    ("properties", "explain", "--text", "a", "--merges", "TMP/it.merges", "--impl", "tests/plugins/wrong.py:No*"): (
        "error: --impl=tests/plugins/wrong.py:No* means 2 implementations; explain takes one",
        2,
    ),
    ("properties", "strength", "--expect=x"): ("--expect is 'x'; there are refuted, passed", 2),
    ("reference", "train", "TMP/nowhere", "--merges", "3"): ("error: TMP/nowhere: No such file or directory", 1),
    ("reference", "train", "TMP/text.txt", "--merges", "3", "--ties", "first"): (
        f"error: no tie rule 'first'; there are {RULES}",
        1,
    ),
}

# A plug-in of tests/plugins/wrong.py: the claim that says what is wrong with it, and what it says.
PLUG_INS = {
    "NoEncode": ("ENC-15", "WrongType: the tokenizer, <NoEncode object>, has no encode; the contract requires it"),
    "NoDecode": ("ENC-1", "WrongType: the tokenizer, <NoDecode object>, has no decode; the contract requires it"),
    "TakesNothing": ("ENC-15", "TypeError: TakesNothing() takes no arguments"),
    "ReturnsNone": ("ENC-15", "WrongType: encode('') returned a NoneType: None; the contract says list[int]"),
    "ReturnsTuple": ("ENC-15", "WrongType: encode('') returned a tuple: (); the contract says list[int]"),
    "ReturnsGenerator": (
        "ENC-15",
        "WrongType: encode('') returned a generator: <generator object ReturnsGenerator.encode>; "
        "the contract says list[int]",
    ),
    "ReturnsBooleans": ("ENC-1", "WrongType: encode('a') returned a list: [True]; the contract says list[int]"),
    "ReturnsFloats": ("ENC-1", "WrongType: encode('a') returned a list: [97.0]; the contract says list[int]"),
    "ReturnsStrings": ("ENC-1", "WrongType: encode('a') returned a list: ['97']; the contract says list[int]"),
    "ReturnsNumpyIds": (
        "ENC-1",
        "WrongType: encode('a') returned a list: [np.int64(97)]; the contract says list[int]",
    ),
    "ReturnsNumpyArray": (
        "ENC-15",
        "WrongType: encode('') returned a ndarray: array([], dtype=int64); the contract says list[int]",
    ),
    "DecodesToBytes": ("DEC-1", "WrongType: decode([]) returned a bytes: b''; the contract says str"),
    "DecodesStrictly": (
        "DEC-1",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x80 in position 0: invalid start byte",
    ),
    "DecodeBytesToText": ("DEC-4", "WrongType: decode_bytes([]) returned a str: ''; the contract says bytes"),
    "BatchOfTuples": ("OBJ-5", "WrongType: encode_batch([]) returned a tuple: (); the contract says list[list[int]]"),
    "PiecesAsMatches": (
        "PRE-1",
        "WrongType: pretokenize('') returned a list_iterator: <list_iterator object>; the contract says list[str]",
    ),
    "StreamOfBytes": (
        "DEC-5",
        "WrongType: stream_decode([]) returned a list: [b'']; the contract says an iterable of str",
    ),
    "TrainsToStrings": (
        "TRN-1",
        "WrongType: train(('aa',)) returned a list: [('a', 'a')]; the contract says a sequence of pairs of bytes",
    ),
    "TrainsToTokens": (
        "TRN-1",
        "WrongType: train(('aa',)) returned a list: [b'aa']; the contract says a sequence of pairs of bytes",
    ),
    "TrainsToADict": (
        "TRN-1",
        "WrongType: train(()) returned a dict: {}; the contract says a sequence of pairs of bytes",
    ),
    "TrainTakesPositions": (
        "TRN-1",
        "TypeError: TrainTakesPositions.train() got an unexpected keyword argument 'pattern'",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mistakes")
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    (folder / "locked").mkdir()
    (folder / "locked").chmod(0o500)
    return folder


def run(arguments, folder):
    """Exit status, standard output and standard error."""
    command = [sys.executable, "-m", *(argument.replace("TMP", str(folder)) for argument in arguments)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment | {"COLUMNS": "400", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.replace(str(folder), "TMP")


@pytest.fixture(scope="module")
def answers(folder):
    """What every command of the first two tables printed: two at a time, they take a second each."""
    asked = {
        **{option: ["pytest", "properties", "-p", "no:cacheprovider", *ONE, *_split(option)] for option in OPTIONS},
        **{arguments: list(arguments) for arguments in COMMANDS},
    }
    with ThreadPoolExecutor(2) as pool:
        done = dict(zip(asked, pool.map(lambda arguments: run(arguments, folder), asked.values()), strict=True))
    return done


def _split(option):
    return [f"--{part}" for part in option.removeprefix("--").split(" --")]


def test_there_are_enough_mistakes():
    assert len(OPTIONS) + len(COMMANDS) + len(PLUG_INS) >= 60


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option(option, answers):
    if "locked" in option and os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    status, _, error = answers[option]

    assert error.strip() == f"ERROR: {OPTIONS[option]}"
    assert status == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command(arguments, answers):
    status, _, error = answers[arguments]
    expected, code = COMMANDS[arguments]

    assert error.strip() == expected
    assert status == code


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """From the plug-ins' names to what their findings say was raised, by claim."""
    report = tmp_path_factory.mktemp("plug-ins") / "report.jsonl"
    claims = [f"--claims={claim}" for claim in dict.fromkeys(claim for claim, _ in PLUG_INS.values())]
    arguments = ["pytest", "properties", "-p", "no:cacheprovider", "-q", "--impl=tests/plugins/wrong.py:*", *claims]
    status, output, _ = run([*arguments, "--budget=quick", f"--report=jsonl:{report}"], report.parent)
    assert status == 1
    assert "INTERNALERROR" not in output
    records = [json.loads(line) for line in report.read_text().splitlines()]
    assert [record for record in records if record.get("status") == "error"] == []
    raised = {}
    for record in records:
        if record["kind"] == "finding":
            (line,) = [line for line in record["explanation"].splitlines() if line.startswith("What was raised: ")]
            name = record["implementation"].partition(".")[2]
            raised.setdefault(name, {})[record["claim"]] = line.removeprefix("What was raised: ")
    return raised


@pytest.mark.parametrize("name", PLUG_INS)
def test_a_plug_in(name, findings):
    if "Numpy" in name:
        pytest.importorskip("numpy")
    claim, said = PLUG_INS[name]

    assert findings[name][claim] == said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"merges": ((b"a", b"b"), (b"a", b"b"))}, "merge 1, (b'a', b'b'): the same pair stands earlier"),
        (
            {"merges": ((b"a", b"bc"),)},
            "merge 0, (b'a', b'bc'): its right side b'bc' is neither a base token nor made by an earlier merge",
        ),
        (
            {"merges": (("a", "b"),)},
            "merge 0, ('a', 'b'): its left side 'a' is neither a base token nor made by an earlier merge",
        ),
        ({"special_tokens": {"": 300}}, "special token '': its text must be a str and not empty"),
        ({"special_tokens": {"<s>": 97}}, "special token '<s>': its id 97 is another token's"),
        ({"special_tokens": {"a": 300, "b": 300}}, "special token 'b': its id 300 is another token's"),
        ({"pattern": "("}, "the pattern '(' is not a regular expression: missing ) at position 1"),
    ],
)
def test_a_vocabulary(fields, said):
    with pytest.raises(ValueError) as raised:
        Vocabulary(**fields)

    assert str(raised.value) == said


def test_a_file_of_merges():
    with pytest.raises(MalformedFile) as raised:
        loads_merges("hello\n")

    assert str(raised.value) == "line 1, 'hello': a merges file begins with '#bpe-merges 1'"


def test_a_folder_of_stored_cases(folder):
    with pytest.raises(MalformedRegression) as raised:
        load(folder / "stored")

    assert str(raised.value) == (f"{folder}/stored/a.toml: broken TOML: Illegal character '\\n' (at line 3, column 10)")


def test_a_mistake_in_a_stored_case_ends_the_run_before_it_begins(folder):
    code = (
        "import sys, pathlib, pytest, properties.stored.regressions as r; "
        f"r.load.__defaults__ = (pathlib.Path({str(folder / 'stored')!r}),); "
        "sys.exit(pytest.main(['properties', '-p', 'no:cacheprovider', '--claims=ENC-15']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.strip() == (
        f"ERROR: {folder}/stored/a.toml: broken TOML: Illegal character '\\n' (at line 3, column 10)"
    )
