"""What docs/implementations.md shows is true."""

import doctest
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from implementations import plugged
from implementations.loader import resolve
from implementations.plugged import Implementation
from reference.model import Vocabulary

ROOT = Path(__file__).resolve().parent.parent
DOC = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")


def test_the_first_example_plugs_in(tmp_path):
    example = re.search(r"```python\n(class .*?)```", DOC, re.DOTALL)[1]
    assert len([line for line in example.splitlines() if line]) <= 8
    (tmp_path / "bytes_only.py").write_text(example)
    tokenizer = resolve(str(tmp_path / "bytes_only.py"))[0](Vocabulary())
    assert tokenizer.decode(tokenizer.encode("é")) == "é"


def test_the_session_in_python():
    names = {"Vocabulary": Vocabulary, "Implementation": Implementation}
    session = "\n".join(re.findall(r"```python\n(>>> .*?)```", DOC, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(session, names, "implementations.md", None, 0)
    assert len(examples.examples) >= 5
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_session_with_a_program():
    questions = re.findall(r"^> (.*)$", DOC, re.MULTILINE)
    answers = re.findall(r"^< (.*)$", DOC, re.MULTILINE)
    run = subprocess.run(
        ["node", ROOT / "tests" / "commands" / "bpe.mjs"],
        input="".join(f"{question}\n" for question in questions),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert [json.loads(line) for line in run.stdout.splitlines()] == [json.loads(answer) for answer in answers]


def test_every_name_of_the_contract_is_there():
    members = {"encode", "decode", "save", "load", "train", *plugged.OPTIONAL_MEMBERS}
    attributes = {"tie_rules", "rank_by", "whole_piece_first", "algorithm", "own_vocabulary", "name", "version"}
    assert not [name for name in members | attributes if f"`{name}" not in DOC]
