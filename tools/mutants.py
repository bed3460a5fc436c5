"""Small faults to plant in a module: comparisons, arithmetic, constants, conditions, statements."""

from __future__ import annotations

import ast
import copy
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One change of a module's text, named by where it is and what it does, not by its line."""

    function: str
    was: str
    now: str
    context: str
    """The line it is on: one `was` may stand in several."""
    start: int
    end: int
    """Bytes of the module's text that `now` replaces."""
    nth: int = 1
    """Of those that are otherwise named the same, in the order of the text."""
    changes_nothing: bool = False
    """The last of one is the first: `rules[-1]`, of which the kernel has one record."""

    @property
    def name(self) -> str:
        again = f" (number {self.nth})" if self.nth > 1 else ""
        return f"{self.function}: `{self.was}` -> `{self.now}` in `{self.context}`{again}"

    def applied_to(self, source: str) -> str:
        """The module with the fault in it."""
        data = source.encode()
        return (data[: self.start] + self.now.encode() + data[self.end :]).decode()


def mutants_of(source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text; those that change nothing left out."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = source.splitlines()
    of_one = {
        id(node.slice)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("s.rules", "rules")
    }
    found: dict[tuple[int, int, str], Mutant] = {}
    for function, node, now in _changes(tree, "module"):
        end_line, end_column = node.end_lineno, node.end_col_offset
        assert end_line is not None
        assert end_column is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[end_line - 1] + end_column
        was = source.encode()[start:end].decode()
        nothing = id(node) in of_one and now == "(-1)"
        one = Mutant(function, was, now, lines[node.lineno - 1].strip(), start, end)
        one = replace(one, changes_nothing=nothing)
        if now != was:
            found.setdefault((start, end, now), one)
    return list(_numbered(found[key] for key in sorted(found)))


def _numbered(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    seen: Counter[str] = Counter()
    for one in mutants:
        seen[one.name] += 1
        yield replace(one, nth=seen[one.name])


def sample(mutants: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """At most so many of them, the same for the same seed, in the order of the text."""
    if len(mutants) <= most:
        return mutants
    chosen = random.Random(seed).sample(range(len(mutants)), most)
    return [mutants[at] for at in sorted(chosen)]


Spot = tuple[str, ast.expr | ast.stmt, str]
"""The function a change is in, the node it replaces, and the text that replaces it."""


def _changes(node: ast.AST, function: str) -> Iterator[Spot]:
    if isinstance(node, ast.FunctionDef):
        function = node.name
        yield from _of_nodes(node.body, function)
        return
    if isinstance(node, ast.expr | ast.stmt):
        yield from ((function, node, now) for now in _replacements(node))
    if isinstance(node, ast.AnnAssign):
        yield from _of_nodes([node.value] if node.value else [], function)
    elif isinstance(node, ast.Raise | ast.JoinedStr | ast.arguments):
        return
    else:
        yield from _of_nodes(ast.iter_child_nodes(node), function)


def _of_nodes(nodes: object, function: str) -> Iterator[Spot]:
    for child in nodes:  # type: ignore[attr-defined]
        yield from _changes(child, function)


def _replacements(node: ast.expr | ast.stmt) -> Iterator[str]:  # noqa: PLR0912
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                for other in COMPARISONS.get(type(op), ()):
                    changed = copy.deepcopy(node)
                    changed.ops[at] = other()
                    yield f"({ast.unparse(changed)})"
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            other_op = ARITHMETIC[type(node.op)]()
            yield f"({ast.unparse(ast.BinOp(node.left, other_op, node.right))})"
        case ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield ast.unparse(ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value))
            yield "pass"
        case ast.BoolOp():
            other_bool = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            yield f"({ast.unparse(ast.BoolOp(other_bool, node.values))})"
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield str(not node.value)
        case ast.Constant(value=int() | float() as value):
            yield f"({value + 1})"
            yield f"({value - 1})"
        case ast.Call(func=ast.Name(id=name)) if name in SWAPPED:
            yield ast.unparse(ast.Call(ast.Name(SWAPPED[name]), node.args, node.keywords))
        case ast.IfExp():
            yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
        case ast.If() | ast.While():
            pass  # its test has mutants of its own
        case ast.Expr(value=ast.Call()) | ast.Break() | ast.Continue() | ast.Return(value=None):
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case _:
            return
