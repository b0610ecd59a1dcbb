"""Small seeded changes of the code: the tests of a room must see them. It takes long, and runs only when it
is named: ``python -m campaign --areas mutants --seconds 7200``."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

from campaign.area import LONGEST, Area
from crfdeid import resources

ROOMS = ("rules", "redact", "corpora", "evaluate", "text", "engine", "review", "systems")
SKIPPED = ("numba", "compiled", "template", "__main__")  # loops whose cache does not see a change; pages
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ROOT = resources.PACKAGE.parent


def list_places(tree: ast.AST) -> list[ast.AST]:
    """The nodes that can be changed; not those of annotations and docstrings."""
    return [node for node in ast.walk(tree) if is_changeable(node)]


def is_changeable(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return type(node.ops[0]) in COMPARED
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return isinstance(node, ast.BoolOp | ast.If | ast.IfExp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def change(node: ast.AST) -> str:
    """Change one node in its place. Return what was changed."""
    if isinstance(node, ast.Compare):
        node.ops[0] = COMPARED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.UnaryOp):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1
    return f"line {getattr(node, 'lineno', 0)}: {type(node).__name__}"


def run(draw: Random, place: Path) -> str:
    room = draw.choice([name for name in ROOMS if (ROOT / "tests" / name).is_dir()])
    paths = [path for path in sorted((ROOT / "crfdeid" / room).rglob("*.py")) if not is_skipped(path)]
    path = draw.choice(paths)
    tree = ast.parse(path.read_text("utf-8"))
    nodes = list_places(tree)
    if not nodes:
        return "nothing to change"
    what = change(draw.choice(nodes))
    copy = copy_project(place)
    (copy / path.relative_to(ROOT)).write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{room}"]
    environment, most = {**os.environ, "PYTHONPATH": str(copy)}, LONGEST - 20
    try:
        found = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=most)
    except subprocess.TimeoutExpired:
        return f"{room} killed (too slow)"
    assert found.returncode, f"{path.relative_to(ROOT)}, {what}: all tests of {room} pass"
    return f"{room} killed"


def is_skipped(path: Path) -> bool:
    return path.stat().st_size < 300 or any(word in path.name for word in SKIPPED)


def copy_project(place: Path) -> Path:
    """The package as a copy, the rest by links."""
    copy = place / "project"
    copy.mkdir()
    for entry in ROOT.iterdir():
        if entry.name == "crfdeid":
            shutil.copytree(entry, copy / "crfdeid", ignore=shutil.ignore_patterns("*.nb[ic]", "__pycache__"))
        elif not entry.name.startswith("."):
            (copy / entry.name).symlink_to(entry)
    return copy


AREA = Area("mutants", 0, run)
