"""Time per character: every compiled expression of the package, and the functions that go through a text."""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
import re
import resource
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import regex

import crfdeid
from campaign.area import Area
from campaign.inputs import load_engines
from campaign.wild_text import draw_repetition, list_notes
from crfdeid import resources
from crfdeid.corpora import markup
from crfdeid.redact.redactor import Redactor
from crfdeid.systems import model
from crfdeid.text import folding, sentences, tokenizer
from crfdeid.text.document import Document, Span

LENGTH = 100_000  # characters
TIMES = 20  # what a hostile character may take, against a character of a note
LEAST = 2e-6  # seconds a character that are never too many: 0.2 s for the text
TYPES = ("DATE", "PATIENT", "HOSPITAL", "STREET", "IDNUM", "PHONE", "EMAIL", "AGE", "CITY", "URL", "ZIP")
SEARCHED, MATCHED = "finditer|findall|search|subn?|split", "match|fullmatch"
NAMED = r"\b(\w+)(?:\[[^]\n]*\]|\.get\([^)\n]*\))?"  # an expression, or a table of them with a key
SKIPPED = ("crfdeid.spark", "crfdeid.integrations", "crfdeid.systems.rnn", "crfdeid.systems.transformer")
fork = multiprocessing.get_context("fork")


@cache
def list_expressions() -> dict[str, Callable[[str], object]]:
    """Every compiled expression in a module of the package: one that the package only matches with a whole
    text or its beginning is matched, the others search through the text."""
    found: dict[str, Callable[[str], object]] = {}
    source = "".join(path.read_text("utf-8") for path in sorted(resources.PACKAGE.rglob("*.py")))
    used = {way: set(re.findall(NAMED + rf"\.(?:{way})\b", source)) for way in (SEARCHED, MATCHED)}
    for info in pkgutil.walk_packages(crfdeid.__path__, "crfdeid."):
        if info.name.startswith(SKIPPED) or info.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:
            continue
        for name, value in vars(module).items():
            for number, expression in enumerate(find_patterns(value)):
                is_matched = name in used[MATCHED] - used[SEARCHED]
                found[f"{info.name}.{name}.{number}"] = partial(
                    match_start if is_matched else search_all, expression
                )
    return found


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
        "fold": folding.fold_text, "sentences": sentences.split_sentences,
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


def run(draw: Random, place: Path) -> str:
    all_of_them = list_functions() if draw.random() < 0.3 else list_expressions()
    name = draw.choice(sorted(all_of_them))
    bound = max(LEAST, TIMES * find_usual_time(name))
    text = draw_repetition(draw, LENGTH)
    child = fork.Process(target=run_bounded, args=(all_of_them[name], text, 1 + 2 * bound * LENGTH))
    child.start()
    child.join()
    assert child.exitcode == 0, f"{name}: over {bound * LENGTH:.1f} s for {text[:40]!a} again and again"
    return "functions" if all_of_them is list_functions() else "expressions"


def run_bounded(function: Callable[[str], object], text: str, seconds: float) -> None:
    """Run in a process that ends after ``seconds`` of processor time, whatever C code it is in."""
    limit = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    function(text)


AREA = Area("expressions", 3, run)
