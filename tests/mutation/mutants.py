"""Mutants of a module: copies in which one small thing is changed, made from its syntax tree."""

import ast
import pickle
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}


@dataclass(frozen=True)
class Mutant:
    """One changed copy: where, what became what, and the whole source."""

    name: str
    line: int
    was: str
    became: str
    source: str


def mutants_of(source: str) -> Iterator[Mutant]:
    """All mutants, in the order of the lines. Docstrings, annotations and what only names things are left alone."""
    tree = ast.parse(source)
    places = [node for node in ast.walk(tree) if hasattr(node, "lineno")]
    left_alone = {id(inner) for node in places for part in _left_alone(node) for inner in ast.walk(part)}
    found = []
    for place, node in enumerate(places):
        if id(node) not in left_alone:
            for change, became in enumerate(_changes(node)):
                found.append((node.lineno, place, change, became))
    kept = pickle.dumps(tree)
    for number, (line, place, change, _) in enumerate(sorted(found, key=lambda item: item[:3])):
        changed = pickle.loads(kept)
        target = [node for node in ast.walk(changed) if hasattr(node, "lineno")][place]
        replacement = list(_changes(target))[change]
        was, became = ast.unparse(target), ast.unparse(replacement)
        _Replace(target, replacement).visit(changed)
        yield Mutant(f"m{number:04}", line, was, became, ast.unparse(ast.fix_missing_locations(changed)))


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, replacement: ast.AST) -> None:
        self.target, self.replacement = target, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.target else self.generic_visit(node)


def _left_alone(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node  # a docstring
    if isinstance(node, ast.FunctionDef):
        yield from ([node.returns] if node.returns else [])
        yield from (arg.annotation for arg in [*node.args.args, *node.args.kwonlyargs] if arg.annotation)
    if isinstance(node, ast.AnnAssign):
        yield node.annotation
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        yield from node.exc.args  # the words of a message
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
        yield node


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may stand in the place of a node."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield ast.copy_location(
            ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators), node
        )
    elif isinstance(node, ast.BoolOp):
        yield ast.copy_location(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values), node)
        yield from node.values[:2]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.copy_location(ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right), node)
    elif isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
        yield ast.copy_location(ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value), node)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    elif isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant):
        yield ast.copy_location(type(node)(ast.Constant(False), node.body, node.orelse), node)
        if isinstance(node, ast.If):
            yield ast.copy_location(ast.If(ast.Constant(True), node.body, node.orelse), node)
    elif isinstance(node, ast.Break | ast.Continue):
        yield ast.copy_location(ast.Continue() if isinstance(node, ast.Break) else ast.Break(), node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield ast.copy_location(ast.Call(ast.Name(CALLS[node.func.id], ast.Load()), node.args, []), node)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.copy_location(ast.Return(ast.Constant(None)), node)
    elif _is_effect(node):
        yield ast.copy_location(ast.Pass(), node)
    elif isinstance(node, ast.Slice):
        if node.lower is not None:
            yield ast.Slice(None, node.upper, node.step)
        if node.upper is not None:
            yield ast.Slice(node.lower, None, node.step)


def _is_effect(node: ast.AST) -> bool:
    """Whether a statement is there for what it changes."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.copy_location(ast.Constant(not node.value), node)
    elif isinstance(node.value, int):
        yield ast.copy_location(ast.Constant(node.value + 1), node)
        yield ast.copy_location(ast.Constant(node.value - 1), node)
    elif isinstance(node.value, str | bytes) and node.value:
        yield ast.copy_location(ast.Constant(type(node.value)()), node)
