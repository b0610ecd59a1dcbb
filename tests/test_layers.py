"""An import goes to a lower layer or stays in its room: docs/architecture.md, held to the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from crfdeid import files

LAYERS = (  # from the bottom; rooms of one layer do not know each other
    ("errors",),
    ("files", "plugins"),
    ("text", "pages", "connections"),
    ("lexicon",),
    ("corpora", "rules", "repair", "config", "policy", "network"),
    ("feature_extraction", "cli"),
    ("engine", "evaluate", "synthetic", "convert", "clusters"),
    ("systems",),
    ("certify",),
    ("train", "adapt", "redact", "explain", "ablate", "share"),
    ("tag", "review", "spark", "session", "check", "duckdb", "conformance"),
    ("serve", "integrations"),
)
LAYER = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}
DOORS = ("crfdeid", "crfdeid.__main__")  # the face names what every room shows, the command all verbs
REST = "all others"
# The layers inside a room, from the bottom, as above.
INNER_LAYERS = {
    "review": (("study",), ("measures",), ("operations",), ("web",), ("__main__",)),
    "engine": (
        ("kept_loops", "crfsuite_file"),
        ("arrays",),
        ("compiled_math",),
        ("decoding",),
        ("training",),
    ),
    "certify": (
        ("bounds", "sampling", "reading_copy"),
        ("readers", "sample_size"),
        ("choose", "plan", "store"),
        ("draw", "statement"),
        ("statement_text",),
        ("state",),
        ("rehearse",),
        ("__main__",),
    ),
    "redact": (
        ("surrogates",),
        ("actions", "leftover", "released_notes"),
        ("redactor",),
        ("report",),
        ("run",),
        ("restore", "utility"),
        ("__main__",),
    ),
}


def module_of(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def imported(tree: ast.AST, modules: set[str]) -> Iterator[tuple[int, str]]:
    """Line and module of every import of this package, those inside functions among them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import names its module in full"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield node.lineno, name if name in modules else str(node.module)


def parse(root: Path) -> dict[str, ast.Module]:
    """The modules below ``root``/crfdeid, by name."""
    paths = sorted((root / "crfdeid").rglob("*.py"))
    return {module_of(path, root): ast.parse(path.read_text("utf-8")) for path in paths}


def graph(trees: dict[str, ast.Module]) -> dict[str, list[tuple[int, str]]]:
    """The imports of each module, by its name."""
    return {
        name: [(line, other) for line, other in imported(tree, set(trees)) if other in trees]
        for name, tree in trees.items()
    }


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def violations(found: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Imports that go up or across, one line each."""
    for module, imports in found.items():
        for line, other in imports:
            here, there = room_of(module), room_of(other)
            if module in DOORS or here == there or not there:
                continue
            if other in DOORS or LAYER[there] >= LAYER[here]:
                yield f"{module}:{line} imports {other}"


def inner_violations(found: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Imports inside a room that go up from one of its inner layers to another, one line each."""
    for room, layers in INNER_LAYERS.items():
        level = {name: number for number, names in enumerate(layers) for name in names}
        inside = {
            module: level.get(module.split(".")[2], level.get(REST))
            for module in found
            if module.startswith(f"crfdeid.{room}.")
        }
        for module, imports in found.items():
            here = inside.get(module)
            for line, other in imports:
                there = inside.get(other)
                if here is not None and there is not None and there > here:
                    yield f"{module}:{line} imports {other}"


def circles(found: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Modules from which a chain of imports leads back to them."""
    reached = {  # the face is imported for the version only; what it names it imports when it is used
        module: {other for _, other in imports} - {"crfdeid"} for module, imports in found.items()
    }
    for module in reached:
        waiting, seen = list(reached[module]), set()
        while waiting:
            if (other := waiting.pop()) not in seen:
                seen.add(other)
                waiting += reached[other]
        if module in seen:
            yield module


@pytest.fixture(scope="module")
def trees():
    return parse(files.PACKAGE.parent)


@pytest.fixture(scope="module")
def found(trees):
    return graph(trees)


def test_every_room_has_a_layer(found):
    assert {room_of(module) for module in found if module not in DOORS} - {""} == set(LAYER)


def test_an_import_goes_down_or_stays_in_its_room(found):
    assert list(violations(found)) == []


def test_no_chain_of_imports_is_a_circle(found):
    assert list(circles(found)) == []


def test_an_import_inside_a_room_goes_down_or_stays_in_its_layer(found):
    for room, layers in INNER_LAYERS.items():
        names = {name for group in layers for name in group}
        below = {module.split(".")[2] for module in found if module.startswith(f"crfdeid.{room}.")}
        assert names - {REST} <= below
        assert names == below or REST in names
    assert list(inner_violations(found)) == []


def test_no_function_is_longer_than_forty_lines(trees):
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < 40, f"{name}: {node.name}"


@pytest.mark.parametrize(
    "line",
    [
        "from crfdeid import review",
        "import crfdeid.systems.crf",
        "def late():\n    from crfdeid.systems import crf",
    ],
)
def test_a_planted_import_is_found(tmp_path, line):
    for name in ("text", "systems", "review"):
        (tmp_path / "crfdeid" / name).mkdir(parents=True)
        (tmp_path / "crfdeid" / name / "__init__.py").write_text("")
    (tmp_path / "crfdeid" / "__init__.py").write_text("")
    (tmp_path / "crfdeid/systems/crf.py").write_text("from crfdeid import text\n")
    (tmp_path / "crfdeid/text/bio.py").write_text(line + "\n")
    assert [message.split(":")[0] for message in violations(graph(parse(tmp_path)))] == ["crfdeid.text.bio"]


def test_a_planted_import_to_a_higher_inner_layer_is_found(tmp_path):
    for name in ("study", "operations"):
        (tmp_path / "crfdeid/review" / name).mkdir(parents=True)
    (tmp_path / "crfdeid/review/operations/repeats.py").write_text("from crfdeid.review.study import marks\n")
    (tmp_path / "crfdeid/review/study/marks.py").write_text("from crfdeid.review.operations import repeats\n")
    found = [message.split(":")[0] for message in inner_violations(graph(parse(tmp_path)))]
    assert found == ["crfdeid.review.study.marks"]


def test_a_planted_circle_is_found(tmp_path):
    (tmp_path / "crfdeid/text").mkdir(parents=True)
    for name, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        (tmp_path / f"crfdeid/text/{name}.py").write_text(f"from crfdeid.text import {other}\n")
    assert set(circles(graph(parse(tmp_path)))) == {f"crfdeid.text.{name}" for name in "abc"}
