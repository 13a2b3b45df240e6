"""Results carried over to a module that has changed since: those of mutants in functions that are as they were."""

import ast
import subprocess
from collections.abc import Mapping

from tests.mutation.mutants import mutants_of
from tests.mutation.trial import Result


def source_at(revision: str, path: str) -> str:
    """The text of a file at a revision of git. Raises a `ValueError` that names both where there is none."""
    found = subprocess.run(["git", "show", f"{revision}:./{path}"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise ValueError(f"no {path} at {revision}: {found.stderr.strip()}")
    return found.stdout


def carried(path: str, old: str, new: str, known: Mapping[str, Result]) -> dict[str, Result]:
    """The results known of the old text's mutants, by the keys of the same mutants of the new text.

    A function that calls a changed one may fail otherwise now: this is for a look on the way, not for the last word.
    """
    was, now = functions_of(old), functions_of(new)
    before = {mutant.place: mutant.key for mutant in mutants_of(path, old)}
    return {
        mutant.key: known[before[mutant.place]]
        for mutant in mutants_of(path, new)
        if mutant.key not in known
        and known.get(before.get(mutant.place, ""))
        and was.get(mutant.function) == now.get(mutant.function)
    }


def functions_of(source: str) -> dict[str, str]:
    """The text of each function and method, by its name."""
    found = {}
    for node in ast.parse(source).body:
        for one in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(one, ast.FunctionDef):
                name = f"{node.name}.{one.name}" if isinstance(node, ast.ClassDef) else one.name
                found[name] = ast.get_source_segment(source, one) or ""
    return found
