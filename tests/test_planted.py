"""The planted bugs are what they say, and each shows; the right tokenizers agree with one another."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from tests.known_wrong.base import Base

FOLDER = Path(__file__).parent


def planted(folder, prefix):
    """The classes of a folder whose names start with the prefix, in order."""
    for path in sorted((FOLDER / folder).glob("*.py")):
        module = importlib.import_module(f"tests.{folder}.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith(prefix) and inspect.isclass(value) and value.__module__ == module.__name__:
                yield value


BAD = list(planted("known_wrong", "Bad"))
of_each_bad = pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.__module__.split('.')[-1]}.{bad.__name__}")


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
    assert len(BAD) >= 120


def test_names_are_unique():
    names = [bad.__name__ for bad in BAD]

    assert sorted(set(names)) == sorted(names)


@of_each_bad
def test_a_planted_bug_says_what_it_does_and_what_it_stands_for(bad):
    lines = inspect.getdoc(bad).splitlines()
    stands_for = [line for line in lines if line.startswith("Stands for: ")]

    assert re.fullmatch(r"[A-Z].*\.", lines[0])
    assert len(stands_for) == 1
    assert re.match(r"Stands for: (https://github\.com/\S+/(issues|pull)/\d+$|a |an |the )", stands_for[0])
    assert bad.fault == bad.__module__.split(".")[-1]


@of_each_bad
def test_a_planted_bug_shows_on_its_witness(bad):
    right = outcome(bad.witness, declaring_as(bad))

    assert outcome(bad.witness, bad) != right
