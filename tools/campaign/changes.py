"""The small changes of a module that :mod:`campaign.mutants` tries: operators, conditions, numbers, dropped
statements, and pieces of regular expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
FLAGS = ("IGNORECASE", "MULTILINE", "DOTALL", "ASCII")
EXPRESSION = re.compile(r"\\[bdsw]|\(\?[:P!=<]")  # a string with one of these is a regular expression
PIECE = re.compile(
    r"(?P<edge>\\b|(?<!\\)[$^])|(?P<look>\(\?<?[!=])|\\.|\(\?P?[:<=]|\[\^?\]?(?:\\.|[^\]\\])*\]|(?<!^)(?P<many>[?*+])"
    r"|\{(?P<count>\d+)|.",
    re.DOTALL,
)
LONGEST = 70  # characters of a change that are shown


@dataclass(frozen=True)
class Change:
    """A change of one node: ``old`` becomes ``new`` at ``line``, in the function or class ``place``."""

    line: int
    place: str
    old: str
    new: str
    apply: Callable[[], None]

    def __str__(self) -> str:
        return f"{self.place}: {self.old} -> {self.new}"


def list_changes(tree: ast.AST) -> list[Change]:
    """Return the changes of a module. Apply one only: it changes the tree."""
    return [change for found in walk(tree, "module") for change in list_node_changes(*found)]


def walk(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Yield the nodes in their order, each with its place and its parent; not those of annotations, of
    docstrings, of decorators of classes and of what only type checkers read."""
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or name in ("annotation", "returns") or is_unused(child):
                continue
            if isinstance(node, ast.ClassDef) and name == "decorator_list":  # @dataclass(frozen=True)
                continue
            named = name_place(child)
            inside = place if not named else named if place == "module" else f"{place}.{named}"
            yield inside, child, node
            yield from walk(child, inside)


def name_place(node: ast.AST) -> str:
    """The name of a function, a class or a constant of a module."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    name = node.targets[0] if isinstance(node, ast.Assign) else None
    return name.id if isinstance(name, ast.Name) and name.id[0].isupper() else ""


def is_unused(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def list_node_changes(place: str, node: ast.AST, parent: ast.AST) -> Iterator[Change]:
    is_number = isinstance(node, ast.Constant) and isinstance(parent, ast.expr)
    shown = parent if is_number else node
    for field, index, new in (*list_swaps(node), *list_values(node), *list_dropped(node)):
        line = getattr(node.ifs[0] if isinstance(node, ast.comprehension) else node, "lineno", 0)
        old = show(shown)
        before = getattr(node, field)
        value = [*before[:index], new, *before[index + 1 :]] if index is not None else new
        setattr(node, field, value)
        changed = show(shown)
        setattr(node, field, before)
        yield Change(line, place, *shorten(old, changed), partial(setattr, node, field, value))


Replaced = tuple[str, int | None, object]  # a field of the node, the place in its list, what comes there


def list_swaps(node: ast.AST) -> Iterator[Replaced]:
    """Other operators, and conditions the other way round."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            yield "ops", index, SWAPPED[type(operator)]()
    elif isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in SWAPPED:
        yield "op", None, SWAPPED[type(node.op)]()
    elif isinstance(node, ast.If | ast.IfExp | ast.While) and not has_opposite(node.test):
        yield "test", None, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.comprehension):
        for index in range(len(node.ifs)):
            yield "ifs", index, ast.Constant(True)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "operand", None, ast.UnaryOp(ast.Not(), node.operand)


def has_opposite(test: ast.expr) -> bool:
    """Whether a condition is turned round by another change already."""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def list_values(node: ast.AST) -> Iterator[Replaced]:
    """Other numbers, the other truth value, expressions without a piece or a flag."""
    if isinstance(node, ast.Attribute) and node.attr in FLAGS:
        yield "attr", None, "UNICODE"  # which holds for texts anyway
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield "value", None, not node.value
    elif isinstance(node.value, int | float):
        yield "value", None, node.value + 1
    elif isinstance(node.value, str) and EXPRESSION.search(node.value):
        for changed in list_expressions(node.value):
            yield "value", None, changed


def list_expressions(pattern: str) -> Iterator[str]:
    """Yield a regular expression with one piece changed: without a ``\\b``, ``$`` or ``^``, one time more or
    once instead of often, a look that must fail instead of hold.

    >>> list(list_expressions(r"(?!a)b+?\\b"))
    ['(?=a)b+?\\\\b', '(?!a)b?\\\\b', '(?!a)b+\\\\b', '(?!a)b+?']
    """
    for found in PIECE.finditer(pattern):
        start, end = found.span()
        piece = found[0]
        if found["edge"] or found["many"]:
            yield pattern[:start] + pattern[end:]
        elif found["look"]:
            yield pattern[:start] + piece[:-1] + ("=" if piece[-1] == "!" else "!") + pattern[end:]
        elif found["count"]:
            yield f"{pattern[:start]}{{{int(found['count']) + 1}{pattern[end:]}"


def list_dropped(node: ast.AST) -> Iterator[Replaced]:
    """Statements left out of a body: errors, calls, ``continue`` and ``break``."""
    for field in ("body", "orelse"):
        body = getattr(node, field, None)
        for index, each in enumerate(body) if isinstance(body, list) else ():
            if isinstance(each, ast.Raise | ast.Continue | ast.Break | ast.AugAssign) or (
                isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
            ):
                yield field, index, ast.copy_location(ast.Pass(), each)


def show(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(node)).split())


def shorten(old: str, new: str) -> tuple[str, str]:
    """Return both texts around the place where they differ."""
    start = next((at for at, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    first = max(0, start - LONGEST // 2)
    return old[first : first + LONGEST], new[first : first + LONGEST]
