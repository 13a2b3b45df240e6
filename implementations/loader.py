"""From what is written after `--impl` to implementations.

    heap                     a built-in: implementations/heap.py or implementations/adapters/heap.py
    pkg.module:Attr          an importable object
    path/to/file.py[:Attr]   a file; Attr is Tokenizer unless given, and may be a glob: Bad*
    cmd:COMMAND ARG…         a program, spoken to in JSON lines (command.py)
    SHAPE:path/to/file.py    a file in the shape of a course (shapes.py), where that cannot be told by looking at it
    all                      every built-in that is installed

The forms are told apart by shape alone.
"""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import tomllib
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from implementations.command import CommandImplementation, CommandTokenizers
from implementations.plugged import Implementation
from implementations.shapes import SHAPES, WrongShape, is_minbpe, recognised

_HERE = Path(__file__).resolve().parent
_TOKENIZER = re.compile(r"^(?:(?:class|def) Tokenizer\b|Tokenizer\b|from .* import .*\bTokenizer\b)", re.MULTILINE)
_FORMS = "pkg.module:Attr, path/to/file.py[:Attr], cmd:COMMAND, all"
_SHAPED = re.compile(rf"(?P<shape>{'|'.join(SHAPES)}):(?P<file>.*\.py(?::[^:/\\]+)?)", re.DOTALL)
_FILE = re.compile(r"(?P<path>.*\.py)(?::(?P<attribute>[^:/\\]+))?", re.DOTALL)


class UnknownImplementation(ValueError):
    """Nothing of that name; the message lists what there is."""


class MissingPackage(UnknownImplementation):
    """The package that an adapter adapts is not installed; the message says how to get it."""


class ImplementationImportError(ImportError):
    """The file or module fails to import. The message holds its own traceback; the original is the cause."""


def resolve(spec: str) -> list[Implementation]:
    """The implementations that `spec` means, at least one.

    Raises `UnknownImplementation` where there is none, `ImplementationImportError` where its code fails to import.

    >>> [implementation.name for implementation in resolve("heap")]
    ['heap']
    >>> resolve("hepa")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    implementations.loader.UnknownImplementation: no implementation named 'hepa'; did you mean 'heap'? ...
    """
    if spec == "all":
        return _all_installed()
    if spec.startswith("cmd:"):
        try:
            program = CommandTokenizers(spec.removeprefix("cmd:"))
        except ValueError as error:
            told = str(error) if str(error).startswith("cmd:") else f"{spec!r}: {error}"
            raise UnknownImplementation(told) from None
        return [_plug(program, name=program.short_name, spec=spec, origin=spec)]
    if match := _SHAPED.fullmatch(spec):
        file = _FILE.fullmatch(match["file"])
        assert file is not None
        return _from_file(spec, Path(file["path"]), file["attribute"], match["shape"])
    if match := _FILE.fullmatch(spec):
        return _from_file(spec, Path(match["path"]), match["attribute"])
    if ":" in spec:
        return _from_module(spec)
    return [_built_in(spec)]


def built_in() -> list[str]:
    """The names of the built-in implementations, installed or not. Imports none of them.

    >>> {"heap", "naive"} <= set(built_in())
    True
    """
    return sorted(_built_in_files())


def _built_in_files() -> dict[str, Path]:
    paths = [*(_HERE / "adapters").glob("[!_]*.py"), *_HERE.glob("[!_]*.py")]  # of two equal names, the last holds
    return {path.stem: path for path in paths if _TOKENIZER.search(path.read_text(encoding="utf-8"))}


def _built_in(name: str) -> Implementation:
    path = _built_in_files().get(name)
    if path is None:
        raise UnknownImplementation(
            f"no implementation named {name!r}{_did_you_mean(name, built_in(), '.')} "
            f"Built in: {', '.join(built_in())}. Other forms: {_FORMS}"
        )
    where = path.relative_to(_HERE.parent)
    module = _import(".".join(where.with_suffix("").parts), name)
    return _plug(_attribute(module, "Tokenizer", str(where)), name=name, spec=name, origin=str(where))


def _all_installed() -> list[Implementation]:
    found = []
    for name in built_in():
        try:
            found.append(_built_in(name))
        except MissingPackage:
            continue
    return found


def _from_module(spec: str) -> list[Implementation]:
    module_name, _, attribute = spec.partition(":")
    if not all(part.isidentifier() for part in module_name.split(".")) or not attribute:
        raise UnknownImplementation(f"{spec!r} is none of the forms NAME, {_FORMS}")
    try:
        module = _import(module_name, spec)
    except MissingPackage as error:
        missing = getattr(error.__cause__, "name", None) or ""
        if module_name == missing or module_name.startswith(f"{missing}."):
            raise UnknownImplementation(f"{spec!r}: there is no module named {missing!r} to import") from None
        raise
    return _chosen(module, attribute, spec, module_name.rpartition(".")[2], module_name)


def _from_file(spec: str, path: Path, attribute: str | None, shape: str | None = None) -> list[Implementation]:
    if not path.is_file():
        raise UnknownImplementation(f"{spec!r}: there is no file {path}{_beside(path)}")
    module = load_file(path)
    if shape is None:
        named = "minbpe" if attribute is not None and is_minbpe(vars(module).get(attribute)) else None
        shape = recognised(module) if attribute is None else named
    name = path.stem if attribute is None else f"{path.stem}.{attribute}"
    if shape is not None:
        try:
            make = SHAPES[shape](module, attribute)
        except WrongShape as error:
            raise UnknownImplementation(f"{spec!r}: {error}") from None
        return [_plug(make, name=name, spec=spec, origin=f"{path}, in the shape {shape}")]
    if attribute is None:
        return [_plug(_attribute(module, "Tokenizer", spec), name=name, spec=spec, origin=str(path))]
    return _chosen(module, attribute, spec, path.stem, str(path))


def _chosen(module: ModuleType, attribute: str, spec: str, stem: str, origin: str) -> list[Implementation]:
    """One implementation for a name, one for every callable that matches a glob."""
    if not set(attribute) & set("*?["):
        names = [attribute]
    else:
        names = [name for name in _callables(module) if fnmatch.fnmatchcase(name, attribute)]
        if not names:
            raise UnknownImplementation(f"{spec!r}: nothing matches {attribute!r}; {_offers(module)}")
    return [
        _plug(_attribute(module, name, spec), name=f"{stem}.{name}", spec=spec, origin=f"{origin}:{name}")
        for name in names
    ]


def _plug(make: Callable[..., Any], *, name: str, spec: str, origin: str) -> Implementation:
    kind = CommandImplementation if isinstance(make, CommandTokenizers) else Implementation
    return kind(make, name=name, spec=spec, origin=origin)


def load_file(path: Path) -> ModuleType:
    """The module that a file holds, under a name that no other module has; the same module when asked again.

    It stands in `sys.modules`, as pickle and dataclasses need. Raises `ImplementationImportError`.
    """
    path = path.resolve()
    name = f"_implementation_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise _import_error(str(path), error) from error
    return module


def _import(module: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if not error.name or error.name.partition(".")[0] in ("implementations", "reference"):
            raise _import_error(module, error) from error
        raise MissingPackage(f"{name!r} cannot be used: {_how_to_install(name, error)}") from error
    except BaseException as error:
        raise _import_error(module, error) from error


def _import_error(name: str, error: BaseException) -> ImplementationImportError:
    """The error with the traceback of the module itself, without the frames of this file and of importlib."""
    trace = error.__traceback__
    while trace and (trace.tb_frame.f_code.co_filename == __file__ or "importlib" in trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    return ImplementationImportError(f"{name} fails to import:\n{''.join(lines).rstrip()}")


def _how_to_install(name: str, error: ModuleNotFoundError) -> str:
    if not str(error).startswith("No module named"):
        return str(error)  # an adapter that says itself what it needs
    package = error.name or ""
    extra = _extra_with(name, package)
    wanted = f'-e ".[{extra}]"' if extra else package
    return f"{package} is not installed: pip install {wanted}"


def _extra_with(name: str, package: str) -> str | None:
    """The extra of this project that is named after the adapter, or else one that holds the package."""
    try:
        project = tomllib.loads((_HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, KeyError):
        return None
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})
    if name in extras:
        return name
    wanted = package.partition(".")[0].lower().replace("_", "-")
    starts = re.compile(rf"{re.escape(wanted)}(?![\w-])")
    return next(
        (e for e, needs in extras.items() if any(starts.match(n.lower().replace("_", "-")) for n in needs)), None
    )


def _attribute(module: ModuleType, name: str, spec: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        hint = _did_you_mean(name, _callables(module))
        raise UnknownImplementation(f"{spec!r}: there is no {name!r}{hint} {_offers(module)}")
    if not callable(found):
        raise UnknownImplementation(f"{spec!r}: {name} is no callable but {type(found).__name__}; {_offers(module)}")
    result: Callable[..., Any] = found
    return result


def _callables(module: ModuleType) -> list[str]:
    """The names of what a module defines itself and can be called; what it merely imports is left out."""

    def own(value: object) -> bool:
        if inspect.isclass(value) or inspect.isroutine(value):
            return value.__module__ == module.__name__
        return callable(value) and type(value).__module__ not in ("types", "typing")  # such as list[int]

    return sorted(name for name, value in vars(module).items() if not name.startswith("_") and own(value))


def _offers(module: ModuleType) -> str:
    return f"callables there: {', '.join(_callables(module)) or 'none'}"


def _did_you_mean(name: str, choices: list[str], otherwise: str = ";") -> str:
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else otherwise


def _beside(path: Path) -> str:
    siblings = sorted(sibling.stem for sibling in path.parent.glob("*.py")) if path.parent.is_dir() else []
    if not siblings:
        return ""
    close = difflib.get_close_matches(path.stem, siblings, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}.py?" if close else f"; there are {', '.join(f'{s}.py' for s in siblings)}"
