"""How a text hides its PHI: a small TOML file (``*.toml`` beside this module), and the places that it finds.

A *place* is a position of PHI in a text whose PHI was taken out, or is marked: a placeholder, real PHI that
is still in the text, or a gold span.

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
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean, show_id
from crfdeid.files import read_text
from crfdeid.synthetic.frames import PHI
from crfdeid.text.document import Document, find_overlap, overlaps
from crfdeid.text.scheme import show_span

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

DOUBT_CHOICES = ("leave", "cut", "keep")


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


@dataclass(frozen=True)
class SourceText:
    """A text and its places, which are in order and do not overlap."""

    id: str
    text: str = field(repr=False)
    places: tuple[Place, ...] = ()
    patient: str | None = None

    def texts_between(self) -> Iterator[str]:
        """Yield the text before, between and after the places."""
        at = 0
        for place in self.places:
            yield self.text[at : place.start]
            at = place.end
        yield self.text[at:]


def read_source(document: Document, convention: Convention | None, doubt: str = "leave") -> SourceText | None:
    """Find the places of a document by ``convention``, or by its own spans without a convention.

    Text that may be PHI, but that no rule of the convention settles, is treated by ``doubt``: ``leave``
    the document out (None), ``cut`` the lines with such text, or ``keep`` it. Raises
    :class:`DocumentError` for overlapping spans, and for a document that has spans as well as a
    convention.
    """
    if convention is None:
        return SourceText(document.id, document.text, list_gold_places(document), document.patient)
    if document.spans:
        wanted = "a convention is for texts without spans; drop --convention"
        raise DocumentError(f"{show_id(document.id)}: has spans, but {wanted}")
    if document.id in convention.set_aside and doubt != "keep":
        return None
    text = LINE_BREAKS[convention.line_breaks](document.text)
    if doubt == "cut":
        text = drop_unsettled_lines(text, convention)
    places = find_places(text, convention)
    if doubt == "leave" and next(find_unsettled(text, places, convention), None):
        return None
    return SourceText(document.id, text, tuple(places), document.patient)


def list_gold_places(document: Document) -> tuple[Place, ...]:
    """Return the document's spans as places to be replaced. Raises :class:`DocumentError` if two overlap."""
    if both := find_overlap(document.spans):
        first, second = map(show_span, both)
        raise DocumentError(f"{show_id(document.id)}: {first} overlaps {second}; a place has one type")
    return tuple(Place(span.start, span.end, span.type, True) for span in document.spans)


def drop_unsettled_lines(text: str, convention: Convention) -> str:
    """Drop the lines that hold anything unsettled."""
    while doubts := list(find_unsettled(text, find_places(text, convention), convention)):
        starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
        text = "".join(
            text[a:b] for a, b in pairwise(starts) if not any(m.start() < b and a < m.end() for m in doubts)
        )
    return text


def read_sources(
    documents: Iterable[Document], convention: Convention | None, doubt: str = "leave"
) -> list[SourceText]:
    """Read the documents that can be settled and are not blank."""
    sources = (read_source(document, convention, doubt) for document in documents)
    return [source for source in sources if source and source.text.strip()]
