"""Code in the shape of a course plugs in unchanged: where it is right it is green, with one fault it is refuted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.loader import UnknownImplementation, resolve
from implementations.plugged import NotApplicable
from implementations.shapes import GPT2_PATTERN
from reference import PATTERNS, encode, train
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
SHAPES = "tests/shapes"
RIGHT = ["lesson.py", "lesson_pattern.py", "minbpe.py:BasicTokenizer", "minbpe.py:RegexTokenizer", "cs336.py"]
WRONG = {"lesson_overlap.py": "ENC-2", "minbpe.py:LeftToRight": "ENC-2", "cs336_ties.py": "TRN-4"}


@pytest.fixture(scope="module")
def refuted(tmp_path_factory):
    """From every file to the claims that refute it, and how many hold: one run for all."""
    report = tmp_path_factory.mktemp("shapes") / "it.jsonl"
    specs = [f"--impl={SHAPES}/{name}" for name in [*RIGHT, *WRONG]]
    command = [sys.executable, "-m", "pytest", "properties", "-p", "no:cacheprovider", "-q", "--budget=quick", "-n2"]
    done = subprocess.run(
        [*command, *specs, f"--report=jsonl:{report}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout[-3000:]
    records = [json.loads(line) for line in report.read_text().splitlines()]
    assert records[-1]["kind"] == "footer"
    found = {}
    for record in records:
        if record["kind"] in ("claim", "regression"):
            rows = found.setdefault(record["implementation"], {})
            rows[record.get("claim") or record["regression"]] = record
    return found


def name_of(spec):
    return spec.replace(".py:", ".").removesuffix(".py")


@pytest.mark.parametrize("spec", RIGHT)
def test_what_is_right_is_green(spec, refuted):
    rows = refuted[name_of(spec)]
    musts = [key for key, row in rows.items() if row["status"] == "refuted" and row.get("level", "must") == "must"]

    assert musts == []
    assert sum(row["status"] == "passed" for row in rows.values()) >= 80


@pytest.mark.parametrize("spec", WRONG)
def test_what_is_wrong_is_refuted(spec, refuted):
    assert refuted[name_of(spec)][WRONG[spec]]["status"] == "refuted"


@pytest.mark.parametrize(
    ("spec", "shape"),
    [
        ("lesson.py", "lesson"),
        ("lesson_pattern.py", "lesson"),
        ("minbpe.py:RegexTokenizer", "minbpe"),
        ("cs336.py", "cs336"),
    ],
)
def test_a_shape_is_recognised_and_may_be_named(spec, shape):
    (seen,) = resolve(f"{SHAPES}/{spec}")
    (named,) = resolve(f"{shape}:{SHAPES}/{spec}")

    assert seen.name == named.name == name_of(spec)
    assert seen.origin.endswith(f"in the shape {shape}")
    assert named.spec == f"{shape}:{SHAPES}/{spec}"


def test_a_tokenizer_of_the_contract_is_left_alone():
    (heap,) = resolve("implementations/heap.py")

    assert "shape" not in heap.origin


def test_several_classes_must_be_told_apart():
    with pytest.raises(UnknownImplementation) as raised:
        resolve(f"minbpe:{SHAPES}/minbpe.py")
    assert "there are several: Base, BasicTokenizer, RegexTokenizer; name one, as file.py:Base" in str(raised.value)


def test_ids_are_those_of_the_contract():
    text = "low lower lowest\n\nnew newer"
    for name, pattern in (("lesson", None), ("minbpe:RegexTokenizer", "gpt2"), ("cs336", "gpt2")):
        stem, _, attribute = name.partition(":")
        (one,) = resolve(f"{SHAPES}/{stem}.py{f':{attribute}' if attribute else ''}")
        split = PATTERNS[pattern] if pattern else None
        vocabulary = Vocabulary(train([text], 9, pattern=split), pattern=split)
        assert one(vocabulary).encode(text) == encode(vocabulary, text)
        assert one(vocabulary).decode(encode(vocabulary, text)) == text


def test_the_assignment_trains_as_the_reference_does_on_documents_and_special_tokens():
    (one,) = resolve(f"{SHAPES}/cs336.py")
    corpus = ["low low lower<s>", "lowest lowest", "\r\n \r\n"]
    options = {"pattern": PATTERNS["gpt2"], "tie_rule": "largest-bytes", "special_tokens": ["<s>"]}

    assert one.train(corpus, 12, **options) == train(corpus, 12, **options)


@pytest.mark.parametrize(
    ("spec", "vocabulary", "why"),
    [
        ("lesson.py", Vocabulary(special_tokens={"<s>": 256}), "has no special tokens"),
        ("lesson.py", Vocabulary(pattern=PATTERNS["gpt2"]), "takes the whole text as one piece"),
        ("lesson_pattern.py", Vocabulary(), r"splits text by its own pattern,  ?[^\s]+|\s+"),
        ("minbpe.py:BasicTokenizer", Vocabulary(pattern=PATTERNS["gpt2"]), "takes the whole text as one piece"),
        ("cs336.py", Vocabulary(), "splits text by GPT-2's pattern"),
        ("cs336.py", Vocabulary(base=(b"a",)), "this shape begins from the 256 single bytes"),
    ],
)
def test_what_a_shape_cannot_serve_is_not_applicable(spec, vocabulary, why):
    (one,) = resolve(f"{SHAPES}/{spec}")

    with pytest.raises(NotApplicable) as raised:
        one(vocabulary)
    assert str(raised.value) == why


def test_two_spellings_of_one_pattern_are_served():
    (one,) = resolve(f"{SHAPES}/cs336.py")

    assert one(Vocabulary(pattern=GPT2_PATTERN)).encode("they're") == list(b"they're")
