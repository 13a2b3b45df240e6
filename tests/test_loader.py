"""What may stand after --impl, and what is said where it means nothing."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from implementations import loader
from implementations.loader import (
    ImplementationImportError,
    MissingPackage,
    UnknownImplementation,
    built_in,
    load_file,
    resolve,
)
from reference.model import Vocabulary

ROOT = Path(loader.__file__).resolve().parent.parent
FILE = """
from dataclasses import dataclass
from functools import partial
from reference.model import Vocabulary

@dataclass
class Tokenizer:
    vocabulary: Vocabulary
    def encode(self, text): return [1]
    def decode(self, ids): return ""

class BadOne(Tokenizer): pass
class BadTwo(Tokenizer): pass
Badly = partial(BadOne)
BadNumber = 3
_hidden = Tokenizer
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "json.py"
    path.write_text(FILE)
    return path


def refusal(spec):
    with pytest.raises(UnknownImplementation) as caught:
        resolve(spec)
    return str(caught.value)


# Built-in names


def test_a_built_in_name():
    (heap,) = resolve("heap")
    assert (heap.name, heap.spec, heap.origin) == ("heap", "heap", "implementations/heap.py")
    assert heap(Vocabulary()).encode("ab") == [97, 98]


def test_built_in_names_are_listed_and_not_imported():
    names = built_in()
    assert names == sorted(names)
    assert {"heap", "naive"} <= set(names)
    assert not {"loader", "plugged", "command", "__init__", "vocabularies"} & set(names)


def test_listing_imports_nothing():
    program = "import sys; from implementations.loader import built_in; built_in(); print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = run.stdout.split()
    assert "implementations.loader" in loaded
    assert not [
        name for name in loaded if name == "implementations.heap" or name.startswith("implementations.adapters.")
    ]


def test_all_is_every_built_in_that_is_installed():
    found = {implementation.name for implementation in resolve("all")}
    assert {"heap", "naive"} <= found <= set(built_in())


def test_an_unknown_name_lists_the_choices():
    choices = ", ".join(built_in())
    forms = "pkg.module:Attr, path/to/file.py[:Attr], cmd:COMMAND, all"
    assert refusal("hepa") == (
        f"no implementation named 'hepa'; did you mean 'heap'? Built in: {choices}. Other forms: {forms}"
    )
    assert refusal("qqqqqqqq") == f"no implementation named 'qqqqqqqq'. Built in: {choices}. Other forms: {forms}"
    assert refusal("").startswith("no implementation named ''. Built in: ")


def test_an_adapter_without_its_package_says_how_to_get_it(monkeypatch):
    missing, said = "no_such_package", ""

    def import_module(name):
        assert name == "implementations.adapters.absent"
        raise ModuleNotFoundError(said or f"No module named {missing!r}", name=missing)

    absent = ROOT / "implementations" / "adapters" / "absent.py"
    monkeypatch.setattr(loader, "_built_in_files", lambda: {"absent": absent})
    monkeypatch.setattr(loader.importlib, "import_module", import_module)
    with pytest.raises(MissingPackage) as caught:
        resolve("absent")
    assert str(caught.value) == "'absent' cannot be used: no_such_package is not installed: pip install no_such_package"
    missing = "matplotlib.pyplot"
    assert refusal("absent") == (
        """'absent' cannot be used: matplotlib.pyplot is not installed: pip install -e ".[dev]\""""
    )
    said = "take Node, and a node_modules"
    assert refusal("absent") == "'absent' cannot be used: take Node, and a node_modules"
    assert resolve("all") == []


# Files


def test_a_file_and_its_tokenizer(file):
    (implementation,) = resolve(str(file))
    assert (implementation.name, implementation.origin) == ("json", str(file))
    assert implementation(Vocabulary()).encode("") == [1]


def test_an_attribute_of_a_file(file):
    (implementation,) = resolve(f"{file}:BadOne")
    assert implementation.name == "json.BadOne"
    assert implementation.spec == f"{file}:BadOne"
    assert type(implementation(Vocabulary()).raw).__name__ == "BadOne"


def test_a_glob_takes_every_callable_that_matches_in_order(file):
    assert [implementation.name for implementation in resolve(f"{file}:Bad*")] == [
        "json.BadOne",
        "json.BadTwo",
        "json.Badly",
    ]
    assert [implementation.name for implementation in resolve(f"{file}:*")] == [
        "json.BadOne",
        "json.BadTwo",
        "json.Badly",
        "json.Tokenizer",  # what the file merely imports, and what it hides, is none of it
    ]


def test_a_file_called_json_harms_nobody_and_is_loaded_once(file):
    one, two = load_file(file), load_file(file.parent / "." / "json.py")
    assert one is two
    assert sys.modules["json"] is json
    assert json is not one


def test_what_a_file_defines_can_be_pickled(file):
    tokenizer = resolve(str(file))[0](Vocabulary()).raw
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer


def test_a_file_that_is_not_there(file):
    assert refusal(f"{file.parent}/jsom.py") == (
        f"'{file.parent}/jsom.py': there is no file {file.parent}/jsom.py; did you mean json.py?"
    )
    assert (
        refusal(f"{file.parent}/x.py")
        == f"'{file.parent}/x.py': there is no file {file.parent}/x.py; there are json.py"
    )
    assert refusal("nowhere/at/all.py") == "'nowhere/at/all.py': there is no file nowhere/at/all.py"


def test_an_attribute_that_is_not_there(file):
    there = "callables there: BadOne, BadTwo, Badly, Tokenizer"
    assert refusal(f"{file}:BadOn") == f"'{file}:BadOn': there is no 'BadOn'; did you mean 'BadOne'? {there}"
    assert refusal(f"{file}:Good*") == f"'{file}:Good*': nothing matches 'Good*'; {there}"
    assert refusal(f"{file}:BadNumber") == f"'{file}:BadNumber': BadNumber is no callable but int; {there}"
    (file.parent / "empty.py").write_text("")
    assert refusal(f"{file.parent}/empty.py") == (
        f"'{file.parent}/empty.py': there is no 'Tokenizer'; callables there: none"
    )


@pytest.mark.parametrize(
    ("text", "last", "kind"),
    [
        ("def f():\n    return 1 / 0\n\nf()\n", "ZeroDivisionError: division by zero", ZeroDivisionError),
        ("import no_such_package\n", "ModuleNotFoundError: No module named 'no_such_package'", ModuleNotFoundError),
        ("raise SystemExit(3)\n", "SystemExit: 3", SystemExit),
        ("def f(:\n", "SyntaxError: invalid syntax", SyntaxError),
    ],
)
def test_a_file_that_fails_to_import_shows_its_own_traceback(tmp_path, text, last, kind):
    path = tmp_path / "broken.py"
    path.write_text(text)
    for _ in range(2):  # nothing half-made stays behind
        with pytest.raises(ImplementationImportError) as caught:
            resolve(str(path))
        lines = str(caught.value).splitlines()
        assert lines[0] == f"{path} fails to import:"
        assert lines[-1] == last
        assert f'File "{path}", line ' in str(caught.value)
        assert "importlib" not in str(caught.value)
        assert "loader.py" not in str(caught.value)
        assert isinstance(caught.value.__cause__, kind)
    path.write_text(FILE)
    assert resolve(str(path))


# Importable objects


def test_an_importable_object():
    (implementation,) = resolve("implementations.naive:Tokenizer")
    assert (implementation.name, implementation.origin) == ("naive.Tokenizer", "implementations.naive:Tokenizer")
    assert implementation(Vocabulary()).encode("ab") == [97, 98]


def test_an_importable_object_that_is_not_there(tmp_path, monkeypatch):
    assert refusal("no_such_package.bpe:Fast") == (
        "'no_such_package.bpe:Fast': there is no module named 'no_such_package' to import"
    )
    assert refusal("implementations.naive:Tokeniser").startswith(
        "'implementations.naive:Tokeniser': there is no 'Tokeniser'; did you mean 'Tokenizer'? callables there: "
        "Tokenizer, "
    )
    assert refusal("two words:X") == (
        "'two words:X' is none of the forms NAME, pkg.module:Attr, path/to/file.py[:Attr], cmd:COMMAND, all"
    )
    assert "is none of the forms" in refusal("json:")
    (tmp_path / "needs_another.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert refusal("needs_another:X") == (
        "'needs_another:X' cannot be used: no_such_package is not installed: pip install no_such_package"
    )
    (tmp_path / "breaks.py").write_text("1 / 0\n")
    with pytest.raises(ImplementationImportError, match=r"breaks fails to import:\n(.|\n)*ZeroDivisionError"):
        resolve("breaks:X")


# Programs


def test_a_command_starts_nothing_until_it_is_asked():
    (implementation,) = resolve("cmd:no-such-program 'an argument' --flag")
    assert (implementation.name, implementation.spec) == ("no-such-program", "cmd:no-such-program 'an argument' --flag")
    assert implementation.make.arguments == ["no-such-program", "an argument", "--flag"]


def test_a_command_that_is_none():
    with pytest.raises(ValueError, match=r"^cmd: needs a command$"):
        resolve("cmd:")
