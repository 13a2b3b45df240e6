"""The reference can be read function by function: none is longer than fifteen lines, its docstring aside."""

import ast
from pathlib import Path

import pytest

LIMIT = 15
MODULES = sorted((Path(__file__).parents[1] / "reference").glob("*.py"))


def functions(source: str) -> dict[str, int]:
    """From each function's name to the lines of its body."""
    nodes = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {node.name: body_lines(node) for node in nodes}


def body_lines(node):
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("module", MODULES, ids=[module.stem for module in MODULES])
def test_no_function_is_long(module):
    assert {name: lines for name, lines in functions(module.read_text()).items() if lines > LIMIT} == {}


def test_a_long_function_is_noticed():
    assert functions("def f():\n    '''Doc.'''\n" + "    x = 1\n" * 16) == {"f": 16}
    assert functions("def f():\n    '''Doc.'''\n") == {"f": 0}


def test_there_are_modules_to_look_at():
    assert {"model", "pretokenize", "train", "encode", "decode", "special", "characters", "files"} <= {
        module.stem for module in MODULES
    }
