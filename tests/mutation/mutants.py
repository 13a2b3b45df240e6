"""The mutants of a module: one for each change that mutmut's operators make to its syntax tree."""

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import NEVER_MUTATE_FUNCTION_NAMES, MutationVisitor, deep_replace
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode


@dataclass(frozen=True)
class Mutant:
    """One change: in which function (`Class.method`, or empty outside all), what became what, and the whole source.

    `nth` counts, from 0, the mutants of a function with the same `was` and `became`: equal lines changed alike.
    """

    path: str
    function: str
    line: int
    was: str
    became: str
    nth: int
    source: str

    @property
    def place(self) -> tuple[str, str, str, str, int]:
        """What the ledger knows it by; another line number makes no other mutant."""
        return self.path, self.function, self.was, self.became, self.nth

    @cached_property
    def key(self) -> str:
        """What the results know it by: the module and all of its text."""
        return sha256(f"{self.path}\n{self.source}".encode()).hexdigest()[:16]


class _Everywhere(MutationVisitor):
    """mutmut leaves decorated functions alone, since its trampolines cannot wrap them. Nothing is wrapped here."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef):
            return node.name.value in NEVER_MUTATE_FUNCTION_NAMES
        return super()._skip_node_and_children(node)


def mutants_of(path: str, code: str) -> Iterator[Mutant]:
    """All mutants, in the order of the text. `path` names the module in them; nothing is read."""
    wrapper = MetadataWrapper(cst.parse_module(code))
    visitor = _Everywhere(mutation_operators, IgnoredCode(set(), set(), set()))  # what to ignore the ledger says
    module = wrapper.visit(visitor)
    line_of = {node: place.start.line for node, place in wrapper.resolve(PositionProvider).items()}
    texts = [module.code_for_node(statement) for statement in module.body]
    before = "".join(module.code_for_node(line) for line in module.header)
    after = "".join(module.code_for_node(line) for line in module.footer)
    home = {id(node): i for i, statement in enumerate(module.body) for node in _within(statement)}
    seen: Counter[tuple[str, str, str]] = Counter()
    for mutation in visitor.mutations:
        i = home[id(mutation.original_node)]
        changed = deep_replace(module.body[i], mutation.original_node, mutation.mutated_node)
        text = module.code_for_node(changed)
        was, became = _difference(texts[i], text)
        line = line_of[mutation.original_node]
        told = _function_at(module.body[i], line, line_of), was, became
        source = before + "".join([*texts[:i], text, *texts[i + 1 :]]) + after
        yield Mutant(path, *told[:1], line, was, became, seen[told], source)
        seen[told] += 1


def _within(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _within(child)


def _difference(old: str, new: str) -> tuple[str, str]:
    """The lines that differ, without the space before them."""
    ours, theirs = old.splitlines(), new.splitlines()
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    parts = [(ours[a:b], theirs[c:d]) for tag, a, b, c, d in blocks if tag != "equal"]
    was, became = (["\n".join(line.strip() for line in lines) for lines in side] for side in zip(*parts, strict=True))
    return "\n".join(was), "\n".join(became)


def _function_at(statement: cst.CSTNode, line: int, line_of: dict[cst.CSTNode, int]) -> str:
    """The function, or method with its class, of this statement in which the line stands; empty outside of all."""
    if isinstance(statement, cst.FunctionDef):
        return statement.name.value
    if not isinstance(statement, cst.ClassDef):
        return ""
    started = [item for item in statement.body.body if line_of.get(item, line + 1) <= line]
    inside = started[-1] if started else None
    return (
        f"{statement.name.value}.{inside.name.value}" if isinstance(inside, cst.FunctionDef) else statement.name.value
    )


def mutants_in(path: str) -> list[Mutant]:
    """The mutants of a module of this folder."""
    return list(mutants_of(path, Path(path).read_text(encoding="utf-8")))
