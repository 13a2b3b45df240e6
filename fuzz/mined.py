"""Constants mined from the code of a plug-in: what it compares with is what a case should hold.

Only its own modules are looked at: those of its class, and those beside them that they use. Never the suite's.
"""

import inspect
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import properties
from implementations.plugged import Implementation

ROOT = Path(properties.__file__).resolve().parent.parent
NOT_THEIRS = ("reference", "properties", "fuzz", "implementations.plugged", "implementations.loader")
MOST = 200


def own_modules(implementation: Implementation) -> list[ModuleType]:
    """The modules that a plug-in's code stands in; none for a compiled one or a program.

    >>> from implementations.loader import resolve
    >>> [module.__name__ for module in own_modules(resolve("heap")[0])]
    ['implementations.heap']
    """
    make: Any = implementation.make
    classes = inspect.getmro(make) if inspect.isclass(make) else (make, type(make))
    found: dict[str, ModuleType] = {}
    queue = [sys.modules.get(getattr(each, "__module__", None) or "") for each in classes]
    while queue:
        module = queue.pop(0)
        if module is None or module.__name__ in found or not _is_theirs(module):
            continue
        found[module.__name__] = module
        queue += [other for other in _used(module) if _beside(other, module)]
    return list(found.values())


def _is_theirs(module: ModuleType) -> bool:
    name, path = module.__name__, getattr(module, "__file__", None)
    if name == "fuzz.canary":
        return True
    if not path or not path.endswith((".py", ".pyc")) or any(name == n or name.startswith(f"{n}.") for n in NOT_THEIRS):
        return False
    return name != "implementations.command"


def _used(module: ModuleType) -> Iterator[ModuleType | None]:
    for value in list(vars(module).values()):
        if isinstance(value, ModuleType):
            yield value
        elif inspect.isclass(value) or inspect.isfunction(value):
            yield sys.modules.get(value.__module__)


def _beside(module: ModuleType | None, other: ModuleType) -> bool:
    """Whether a module belongs to the same plug-in: a package of its own, or for ours the very same file."""
    if module is None or not getattr(module, "__file__", None) or not module.__name__:
        return False
    if other.__name__.startswith("implementations."):
        return module.__name__.startswith("implementations.adapters._")
    return Path(str(module.__file__)).parent == Path(str(other.__file__)).parent


def functions(module: ModuleType) -> list[FunctionType]:
    """The functions and methods that a module defines, those of its classes included."""
    found: dict[int, FunctionType] = {}

    def take(value: Any) -> None:
        value = getattr(value, "__func__", value)
        value = getattr(value, "func", None) or getattr(value, "fget", None) or getattr(value, "__wrapped__", value)
        if isinstance(value, MethodType):
            value = value.__func__
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            found[id(value)] = value

    for value in list(vars(module).values()):
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for member in list(vars(value).values()):
                take(member)
        else:
            take(value)
    return list(found.values())


def constants(implementation: Implementation) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The texts and the numbers in a plug-in's code, its docstrings left out.

    >>> from implementations.loader import resolve
    >>> texts, numbers = constants(resolve("heap")[0])
    >>> all(isinstance(text, str) for text in texts), all(2 <= number < 5000 for number in numbers)
    (True, True)
    """
    texts: dict[str, None] = {}
    numbers: dict[int, None] = {}
    for module in own_modules(implementation):
        for function in functions(module):
            for value in _of_code(function.__code__):
                _sort(value, texts, numbers)
    return tuple(sorted(texts))[:MOST], tuple(sorted(numbers))[:MOST]


def _of_code(code: CodeType) -> Iterator[object]:
    first = code.co_consts[0] if code.co_consts else None
    for place, value in enumerate(code.co_consts):
        if isinstance(value, CodeType):
            yield from _of_code(value)
        elif isinstance(value, (tuple, frozenset)):
            yield from value
        elif place or not isinstance(first, str):  # the first is the docstring
            yield value


def matching(pattern: str) -> str:
    """A short text that a regular expression matches, or the empty text: what code looks for is often written as one.

    >>> matching("<0x([0-9A-F]{2})>"), matching("(?i:ab|c)+x?"), matching("(")
    ('<0x00>', 'ab', '')
    """
    try:
        from re import _parser  # type: ignore[attr-defined]  # there is no public one

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _matching(_parser.parse(pattern))
    except Exception:  # no regular expression, or one of another dialect
        return ""


def _matching(parsed: Any) -> str:
    text = ""
    for operation, argument in parsed:
        name = str(operation)
        if name in ("LITERAL", "RANGE"):
            text += chr(argument if name == "LITERAL" else argument[0])
        elif name == "IN":
            text += _matching(argument[:1])
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            text += _matching(argument[2]) * min(argument[0], 8)
        elif name == "SUBPATTERN":
            text += _matching(argument[3])
        elif name == "BRANCH":
            text += _matching(argument[1][0])
        elif name == "CATEGORY":
            text += {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}.get(str(argument), ".")
        elif name in ("ANY", "NOT_LITERAL"):
            text += "a"
    return text


def _sort(value: object, texts: dict[str, None], numbers: dict[int, None]) -> None:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str) and 0 < len(value) <= 40 and not any("\ud800" <= c <= "\udfff" for c in value):
        texts[value] = None
        example = matching(value)
        if example and example != value:
            texts[example] = None
    elif type(value) is int:
        for near in (value - 1, value, value + 1):
            if 2 <= near < 5000:
                numbers[near] = None
        if 0x80 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF:
            texts[chr(value)] = None
