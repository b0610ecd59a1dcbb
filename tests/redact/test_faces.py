"""The packages for dates and for search are used through the names of their face."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from crfdeid import files

SURROGATES = "crfdeid.redact.surrogates"
FACES = {
    "dates": (
        "DateShifter",
        "Shift",
        "draw_shift",
        "find_nearest",
        "find_note_date",
        "make_date",
        "parser",
        "resolve",
        "spanish.SpanishDates",
    ),
    "search": ("NUMBERS", "PatientSearch", "TextIndex", "find_days", "list_days", "list_starts"),
}


def list_imports(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text if "surrogates" in text else "")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", FACES)
def test_other_modules_import_only_the_face(package):
    prefix, inside = f"{SURROGATES}.{package}", files.PACKAGE / "redact" / "surrogates" / package
    names = {
        name
        for path in files.PACKAGE.rglob("*.py")
        if path.parent != inside
        for name in list_imports(path)
        if name.startswith(prefix)
    }
    assert names == {f"{prefix}.{name}" for name in FACES[package]}
