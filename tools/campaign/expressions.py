"""Time per character: every compiled expression of the package, and the functions that go through a text."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import regex

import crfdeid
from campaign.area import Area
from campaign.children import try_each
from campaign.inputs import load_engines
from campaign.wild_text import draw_repetition, list_notes
from crfdeid import files
from crfdeid.corpora import markup
from crfdeid.redact.redactor import Redactor
from crfdeid.systems import model
from crfdeid.text import tokenizer
from crfdeid.text.document import Document, Span

LENGTH = 100_000  # characters
TIMES = 20  # what a hostile character may take, against a character of a note
LEAST = 2e-6  # seconds a character that are never too many: 0.2 s for the text
REDACTED = 1e-4  # the same where half of the text is one span: 10 s
TYPES = ("DATE", "PATIENT", "HOSPITAL", "STREET", "IDNUM", "PHONE", "EMAIL", "AGE", "CITY", "URL", "ZIP")
BEFORE, MATCHED = "before", ("match", "fullmatch")
WINDOW = 100  # characters before a place, where the package searches for what is before it
# an expression, or a table of them with a key
USE = r"\b(\w+)(?:\[[^]\n]*\]|\.get\([^)\n]*\))?\.(finditer|findall|search|subn?|split|match|fullmatch)\b"
# the same in a bounded window: NAME.search(text, max(0, …), …), NAME.search(text[max(0, …, search_tail(NAME
USE_BEFORE = r"\b(\w+)\.search\([\w.]+(?:, |\[)max\(0|\bsearch_tail\((\w+)"
MATCHED_IN_TURN = ("PATTERNS", "PER_YEAR")  # tables that a loop goes through
SKIPPED = (
    "crfdeid.spark", "crfdeid.integrations", "crfdeid.systems.works.rnn", "crfdeid.systems.transformer",
)  # fmt: skip


@cache
def list_expressions() -> dict[str, Callable[[str], object]]:
    """Every compiled expression in a module of the package, used as the package does: one that it only
    matches with a whole text or its beginning is matched, one that it only searches for in a bounded window
    before a place is searched for there, the others search through the text."""
    found: dict[str, Callable[[str], object]] = {}
    everywhere = find_uses("".join(path.read_text("utf-8") for path in files.PACKAGE.rglob("*.py")))
    for info in pkgutil.walk_packages(crfdeid.__path__, "crfdeid."):
        if info.name.startswith(SKIPPED) or info.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:
            continue
        own = find_uses(Path(str(module.__file__)).read_text("utf-8"))
        for name, value in vars(module).items():
            use = choose_use(name, own, everywhere)
            for number, expression in enumerate(find_patterns(value)):
                found[f"{info.name}.{name}.{number}"] = partial(use, expression)
    return found


def find_uses(source: str) -> dict[str, set[str]]:
    """What the source does with each expression, or with those of a table."""
    found: dict[str, set[str]] = {}
    for one, other in re.findall(USE_BEFORE, source):
        found.setdefault(one or other, set()).add(BEFORE)
    for name, way in re.findall(USE, re.sub(USE_BEFORE, "", source)):
        found.setdefault(name, set()).add(way)
    return found


def choose_use(
    name: str, own: dict[str, set[str]], everywhere: dict[str, set[str]]
) -> Callable[[Any, str], None]:
    """How the package uses an expression, by its module or, if that has no use, by all modules."""
    ways = own.get(name) or everywhere.get(name) or set()
    if ways <= {*MATCHED} and (ways or name in MATCHED_IN_TURN):
        return match_start
    return search_before if ways and ways <= {*MATCHED, BEFORE} else search_all


def find_patterns(value: Any) -> Iterator[Any]:
    if isinstance(value, re.Pattern | regex.Pattern):
        yield value
    elif isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from find_patterns(each)


def match_start(expression: Any, text: str) -> None:
    if isinstance(expression.pattern, str):
        expression.match(text)
        expression.fullmatch(text)


def search_before(expression: Any, text: str) -> None:
    match_start(expression, text)
    expression.search(text, max(0, len(text) - WINDOW))


def search_all(expression: Any, text: str) -> None:
    if isinstance(expression.pattern, bytes):
        text = text.encode()  # type: ignore[assignment]
    for _ in expression.finditer(text):
        pass


@cache
def list_functions() -> dict[str, Callable[[str], object]]:
    """The functions that go through a text."""
    redactor = Redactor(b"campaign" * 4)
    functions: dict[str, Callable[[str], object]] = {
        f"tokenizer {name}": function for name, function in tokenizer.TOKENIZERS.items()
    }
    functions |= {
        "fold": tokenizer.fold_text, "sentences": tokenizer.split_sentences,
        "tag english": partial(tag, load_engines()["compiled"]),
        "tag rules": partial(tag, model.load("rules")),
        "scan markup": lambda text: list(markup.scan(text)), "entities": markup.replace_entities,
        **{f"redact a {type}": partial(redact, redactor, type) for type in TYPES},
    }  # fmt: skip
    return functions


def tag(tagger: Any, text: str) -> None:
    tagger.tag(Document("1", text))


def redact(redactor: Redactor, type: str, text: str) -> None:
    """The first half of the text is one span, and the rest must be searched for it."""
    middle = len(text) // 2
    redactor.redact([Document("1", text, (Span(0, middle, type),))])


@cache
def find_usual_time(name: str) -> float:
    """Seconds a character for ordinary notes, after one run that warms up."""
    function = (list_expressions() | list_functions())[name]
    notes = "\n".join(note.text for note in list_notes())
    text = (notes * (LENGTH // len(notes) + 1))[:LENGTH]
    if name.startswith("redact"):  # a note of one span of thousands of characters is not ordinary
        text = text[:4000]
    function(text[:2000])
    return measure(function, text)


def measure(function: Callable[[str], object], text: str) -> float:
    """Processor seconds a character."""
    began = time.process_time()
    function(text)
    return (time.process_time() - began) / len(text)


def run(draw: Random, place: Path) -> Counter[str]:
    """One text through every expression and every function."""
    text = draw_repetition(draw, LENGTH)
    expressions, functions = list_expressions(), list_functions()
    bounds = {
        name: max(REDACTED if name.startswith("redact") else LEAST, TIMES * find_usual_time(name))
        for name in expressions | functions
    }

    def attempt(name: str) -> str:
        seconds = measure((expressions | functions)[name], text)
        assert seconds <= bounds[name], f"{seconds * LENGTH:.1f} s for {text[:40]!a} again and again"
        return "expressions" if name in expressions else "functions"

    return try_each(list(bounds), attempt, lambda name: 1 + 2 * bounds[name] * LENGTH)


AREA = Area("expressions", 3, run, longest=3600)
