"""How a text hides its PHI: a small TOML file (``*.toml`` beside this module), and the places that it finds.

line_breaks = "kept"           # or "commas"
[vocabulary]
MONTH = '(?:January|February)'
[[placeholder]]                # replaced by a surrogate, in one of the forms
type = "DOCTOR"
pattern = 'Dr\\. (X)'
forms = ["last", "full"]
[[real]]                       # labelled as it is
type = "DATE"
pattern = '<MONTH> \\d+'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.synthetic.slots import PHI
from crfdeid.text.spans import overlaps

FOLDER = Path(__file__).parent
KEYS = {
    "line_breaks": str,
    "unsettled": str,
    "set_aside": list,
    "vocabulary": dict,
    "placeholder": list,
    "real": list,
}
RULE_KEYS = {"type": str, "pattern": str, "forms": list}


@dataclass(frozen=True)
class Place:
    """A range of PHI. ``replaced``: a surrogate replaces it, in one of ``forms`` (those of
    :mod:`crfdeid.synthetic.reidentify.fill`; none for a gold span, which keeps its own form)."""

    start: int
    end: int
    type: str
    replaced: bool
    forms: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConventionRule:
    type: str
    pattern: re.Pattern[str]
    replaced: bool
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Convention:
    """``unsettled`` matches text that may be PHI and that no rule settles; ``set_aside`` are ids of
    documents that a person read and could not settle."""

    rules: tuple[ConventionRule, ...]
    unsettled: re.Pattern[str] | None
    set_aside: frozenset[str]
    line_breaks: str


@cache
def read_convention(name: str | Path) -> Convention:
    """Read the convention of a file, or the shipped one of that name. Raises :class:`ConfigurationError`."""
    path = Path(name) if Path(name).is_file() else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = sorted(path.stem for path in FOLDER.glob("*.toml"))
        raise ConfigurationError(
            f"{name}: no such file, and no convention of that name{did_you_mean(str(name), known)}; "
            f"there are {', '.join(known)}"
        )
    try:
        table = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    return build_convention(table, str(path))


def build_convention(table: dict[str, Any], where: str) -> Convention:
    """Build the convention from a file's table; ``where`` begins an error message."""
    check_keys(table, KEYS, where)
    words: dict[str, str] = {}
    for name, text in table.get("vocabulary", {}).items():
        words[name] = expand_vocabulary(text, words, f"{where}: vocabulary.{name}")
    rules = [
        build_rule(entry, kind == "placeholder", words, f"{where}: {kind} {number}")
        for kind in ("placeholder", "real")
        for number, entry in enumerate(table.get(kind, ()), 1)
    ]
    if not rules:
        raise ConfigurationError(f"{where}: no [[placeholder]] and no [[real]]")
    if (breaks := table.get("line_breaks", "kept")) not in LINE_BREAKS:
        raise ConfigurationError(f"{where}: line_breaks = {breaks!r}: wanted {' or '.join(LINE_BREAKS)}")
    doubt = table.get("unsettled")
    return Convention(
        tuple(rules),
        compile_pattern(expand_vocabulary(doubt, words, where), f"{where}: unsettled", re.VERBOSE)
        if doubt
        else None,
        frozenset(table.get("set_aside", ())),
        breaks,
    )


def expand_vocabulary(text: str, words: dict[str, str], where: str) -> str:
    """Replace the names of vocabulary entries in ``text`` by the entries.

    >>> expand_vocabulary("(?<!x)<AB> <AB>", {"AB": "b+"}, "here")
    '(?<!x)b+ b+'
    """

    def entry(match: re.Match[str]) -> str:
        if match[1] not in words:
            raise ConfigurationError(f"{where}: {match[1]}: no such word{did_you_mean(match[1], words)}")
        return words[match[1]]

    return re.sub(r"<([A-Z_]{2,})>", entry, text)


def compile_pattern(pattern: str, where: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a regular expression. Raises :class:`ConfigurationError` if it is not one."""
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ConfigurationError(f"{where}: not a regular expression: {error}") from None


def check_keys(table: Mapping[str, Any], known: Mapping[str, type], where: str) -> None:
    """Raise :class:`ConfigurationError` for an unknown key or a value of another type."""
    for key, value in table.items():
        if key not in known:
            raise ConfigurationError(
                f"{where}: no key {key}{did_you_mean(key, known)}; wanted {', '.join(known)}"
            )
        if not isinstance(value, known[key]):
            raise ConfigurationError(f"{where}: {key} = {value!r}: wanted a {known[key].__name__}")


def check_forms(type: str, forms: Iterable[str], where: str) -> None:
    """Raise :class:`ConfigurationError` for a form that the type does not have."""
    known = {form for of_type, variants in PHI.values() if of_type == type for form in variants}
    for form in forms:
        if form not in known:
            raise ConfigurationError(f"{where}: {form}: no such form of {type}{did_you_mean(form, known)}")


def build_rule(entry: dict[str, Any], replaced: bool, words: dict[str, str], where: str) -> ConventionRule:
    """Build a rule from its table, with the vocabulary ``words``."""
    check_keys(entry, RULE_KEYS, where)
    if not {"type", "pattern"} <= entry.keys():
        raise ConfigurationError(f"{where}: wanted a type and a pattern")
    check_forms(entry["type"], entry.get("forms", ()), where)
    pattern = compile_pattern(expand_vocabulary(entry["pattern"], words, where), where)
    return ConventionRule(entry["type"], pattern, replaced, tuple(entry.get("forms", ())))


def find_places(text: str, convention: Convention) -> list[Place]:
    """Return the places of a text in order. They do not overlap: the earlier rule wins."""
    taken: list[Place] = []
    for rule in convention.rules:
        for match in rule.pattern.finditer(text):
            start, end = match.span(match.lastindex or 0)
            place = Place(start, end, rule.type, rule.replaced, rule.forms)
            if start < end and not any(overlaps(place, other) for other in taken):
                taken.append(place)
    return sorted(taken, key=lambda place: place.start)


def find_unsettled(text: str, places: Iterable[Place], convention: Convention) -> Iterator[re.Match[str]]:
    """Yield the text outside ``places`` that may be PHI."""
    if convention.unsettled is None:
        return
    places = list(places)
    for match in convention.unsettled.finditer(text):
        if not any(match.start() < place.end and place.start < match.end() for place in places):
            yield match


# Restoring the line breaks that an archive lost.
def restore_from_commas(text: str) -> str:
    """Restore line breaks that are commas without a space after them, as in MTSamples.

    >>> restore_from_commas("HISTORY: , A cough.,PLAN:,1.  Rest.,2.  Fluids, 1,000 mL.")
    'HISTORY: A cough.\\n\\nPLAN:\\n1. Rest.\\n2. Fluids, 1,000 mL.'
    """
    text = re.sub(r": +, *", ": ", text)
    text = re.sub(r":,(?=\S)", ":\n", text)
    text = re.sub(r":, +", ": ", text)
    text = re.sub(r",+(?=[A-Z][A-Z /&()-]{3,60}:)", "\n\n", text)
    text = re.sub(r",(?=\d{1,2}[.)] )|(?<=[.?!:;)\"]),(?=\S)|,(?=[A-Z])", "\n", text)
    return re.sub(r" {2,}", " ", text).strip(" ,\n")


LINE_BREAKS: dict[str, Callable[[str], str]] = {"kept": str, "commas": restore_from_commas}
