"""Mutation testing: the ledger is well formed and no entry of it is stale; the script kills what a test can kill."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.ledger import ledger
from tests.mutation.suite import SUITES

ROOT = Path(__file__).resolve().parents[1]
MODULE = """
from functools import lru_cache

LIMIT = 3


@lru_cache
def small(number):
    while number < 0:
        number += 1
    return number < LIMIT
"""
TESTS = """
from tiny import small


def test_small():
    assert [small(n) for n in (-1, 2, 3, 4)] == [True, True, False, False]
"""


@pytest.fixture
def mutants_of():
    pytest.importorskip("mutmut", reason='the extra `mutation` is not installed: pip install -e ".[mutation]"')
    from tests.mutation.mutants import mutants_of

    return mutants_of


def functions(source):
    """From the names of functions, classes and methods to their lines, stripped; all lines under the empty name."""
    lines = [line.strip() for line in source.splitlines()]
    found = {"": set(lines)}
    for node in ast.parse(source).body:
        for name, part in named(node):
            found[name] = set(lines[part.lineno - 1 : part.end_lineno])
    return found


def named(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name, node
    if isinstance(node, ast.ClassDef):
        yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))


def test_each_entry_of_the_ledger_still_matches_its_module():
    lines = {path: functions((ROOT / path).read_text(encoding="utf-8")) for path in SUITES}
    stale = [
        (entry.module, entry.function, line)
        for entry in ledger().values()
        for line in entry.was.splitlines()
        if line not in lines[entry.module].get(entry.function, ())
    ]
    assert stale == []


@pytest.mark.parametrize("path", [path for path in SUITES if path.startswith("reference/")])
def test_each_entry_of_the_ledger_is_a_mutant(path, mutants_of):
    places = {mutant.place for mutant in mutants_of(path, (ROOT / path).read_text(encoding="utf-8"))}
    assert [entry for entry in ledger().values() if entry.module == path and entry.place not in places] == []


@pytest.mark.parametrize("wrong", ['why = ""', 'why = "x"\nmore = 1', 'why = "x"\n[[equivalent]]', ""])
def test_a_ledger_with_a_mistake_is_refused(wrong, tmp_path):
    (tmp_path / "ledger.toml").write_text(
        f'[[equivalent]]\nmodule = "m"\nfunction = ""\nwas = "a"\nbecame = "b"\n{wrong}'
    )
    with pytest.raises(ValueError, match=r"ledger\.toml"):
        ledger(tmp_path / "ledger.toml")


def test_mutants_are_made_outside_of_functions_and_in_decorated_ones(mutants_of):
    made = [(mutant.function, mutant.was, mutant.became) for mutant in mutants_of("tiny.py", MODULE)]
    assert ("", "LIMIT = 3", "LIMIT = 4") in made
    assert ("small", "number += 1", "number -= 1") in made
    assert ("small", "while number < 0:", "while number <= 0:") in made
    assert len({mutant.key for mutant in mutants_of("tiny.py", MODULE)}) == len(made)


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "tiny.py", "--tests", "test_tiny.py", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
        | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_script_on_a_small_module(tmp_path, mutants_of):
    (tmp_path / "tiny.py").write_text(MODULE)
    (tmp_path / "test_tiny.py").write_text(TESTS)

    status, output, error = run(tmp_path)
    assert (status, error) == (1, "")
    assert 'became = "number += 2"\nwhy = ""' in output
    assert 'became = "LIMIT = 4"' not in output
    assert "1 timed out" in output  # number -= 1

    # What it prints is an entry; with a reason the ledger holds it.
    entries = "\n".join(line for line in output.splitlines() if not line.startswith(("#", "tiny.py")))
    (tmp_path / "ledger.toml").write_text(entries.replace('why = ""', 'why = "any number below the limit does"'))
    assert run(tmp_path, "--ledger=ledger.toml")[0] == 0
    assert run(tmp_path, "--ledger=ledger.toml", "--page=page.md")[0] == 0
    page = (tmp_path / "page.md").read_text()
    assert "any number below the limit does" in page
    assert "Not in the ledger" not in page

    (tmp_path / "test_tiny.py").write_text("def test_small():\n    raise AssertionError\n")
    assert run(tmp_path, "--again")[0] == 2


def test_results_are_carried_over_for_functions_that_have_not_changed(mutants_of):
    from tests.mutation.carry import carried
    from tests.mutation.trial import Result

    old = f"{MODULE}\n\ndef other(number):\n    return number + 1\n"
    new = old.replace("number + 1", "number + 2").replace("LIMIT = 3", "# moved\nLIMIT = 3")
    known = {mutant.key: Result("killed", mutant.became, 0.1) for mutant in mutants_of("tiny.py", old)}
    over = carried("tiny.py", old, new, known)
    assert {mutant.function for mutant in mutants_of("tiny.py", new) if mutant.key in over} == {"", "small"}
    assert all(over[mutant.key].by == mutant.became for mutant in mutants_of("tiny.py", new) if mutant.key in over)
    assert carried("tiny.py", old, new, {}) == {}
