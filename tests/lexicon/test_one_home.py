"""Titles, credentials and months are defined in the lexicon and nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from crfdeid import files
from crfdeid.lexicon import english, names, spanish

TITLES = {*names.TITLES} - {"doctor"}  # a word of its own
CREDENTIALS = {*map(str.lower, names.CREDENTIALS), "do", "lpn", "lcsw", "pharmd", "crna", "mbbs"}
MONTHS = {*english.MONTH_NUMBERS, *spanish.MONTH_NUMBERS}
LISTS = {"titles": (TITLES, 3), "credentials": (CREDENTIALS, 3), "months": (MONTHS, 4)}  # words of a list
BELOW = "crfdeid/text/tokenizer.py"  # the room is below the lexicon; its list is of all abbreviations
ESCAPE = re.compile(r"\\[a-zA-Z]")  # \b in a pattern is no letter of a word
OPTIONAL = re.compile(r"\[ \]|[\\.?]")
LETTERS = re.compile(r"[^\W\d_]+")


def list_words(text: str) -> set[str]:
    """Return the words of a string or a pattern in lower case; M\\.?D is one word."""
    plain = ESCAPE.sub(" ", text).lower()
    return {*LETTERS.findall(plain), *LETTERS.findall(OPTIONAL.sub("", plain))}


def split_statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements that hold no other statements, and the heads of those that do."""
    for statement in body:
        parts = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
        inner = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
        yield from split_statements(inner)
        yield from parts if inner else [statement]


def find_lists(code: str) -> Iterator[str]:
    """Yield which lists a module defines, with the line."""
    if not any(len(list & list_words(code)) >= least for list, least in LISTS.values()):
        return
    tree = ast.parse(code)
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for statement in split_statements(tree.body):
        texts = [
            node for node in ast.walk(statement) if isinstance(node, ast.Constant) and id(node) not in said
        ]
        words = set().union(*(list_words(node.value) for node in texts if isinstance(node.value, str)))
        found = (name for name, (list, least) in LISTS.items() if len(list & words) >= least)
        yield from (f"{texts[0].lineno}: {name}" for name in found)


def test_titles_credentials_and_months_are_defined_in_the_lexicon_only():
    root = files.PACKAGE.parent
    found = [
        f"{path.relative_to(root)}:{place}"
        for path in sorted(files.PACKAGE.rglob("*.py"))
        if path.parent.name != "lexicon"
        for place in find_lists(path.read_text("utf-8"))
    ]
    assert [place for place in found if not place.startswith(BELOW)] == []
    assert any(place.startswith(BELOW) for place in found)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('TITLE = re.compile(r"\\b(?:mrs?|ms|Miss|Dr)\\.?$")', "titles"),
        ('TITLES = {"mr": 1, "mrs": 2, "drs": 3}', "titles"),
        ('CREDENTIAL = re.compile(r"M\\.?D|R\\.?N|Ph\\.?[ ]?D|D\\.O\\.")', "credentials"),
        ('if text in ("MD", "RN", "NP"):\n    pass', "credentials"),
        ('def f():\n    months = "jan feb mar apr"', "months"),
        ('MESES = ["enero", "febrero", "marzo", "abril"]', "months"),
    ],
)
def test_a_planted_list_is_found(line, name):
    assert [place.split(": ")[1] for place in find_lists(line)] == [name]


@pytest.mark.parametrize(
    "line", ['"""Mr, Mrs and Ms."""', 'text = "Mr. Roe saw Dr. Eze in May"', "mr, mrs, ms = 1"]
)
def test_words_in_a_docstring_or_a_sentence_are_no_list(line):
    assert list(find_lists(line)) == []


def test_the_shipped_list_of_titles_has_those_of_the_lexicon():
    shipped = {
        line.lower()
        for line in Path(files.find_file("gazetteers", "titles", ".txt")).read_text().splitlines()
    }
    assert not {*names.TITLES} - shipped
