"""What the notes of a patient contain, and what a map remembers of earlier notes.

The facts depend on the set of notes, not on their order. Without facts there are surrogates too; each is then
chosen for its word only.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.text_forms import WORD, fold, normalize, split_possessive
from crfdeid.text.document import Document

REMEMBERED = ("names", "orders", "pairs", "given")
LETTERS = regex.compile(r"\p{L}{3,}")


@dataclass
class PatientFacts:
    """``names`` counts the folded words of names; ``texts`` holds the texts of the spans by type;
    ``orders`` counts the dates that prove day-first or month-first; ``states`` counts by folded city the
    states written beside it; ``words`` holds all normalized words of the notes. ``complete`` means that
    these are all notes of the patient, so that surrogates may avoid what occurs in them. Otherwise
    surrogates must not depend on which notes are here."""

    names: Counter[str] = field(default_factory=Counter)
    texts: dict[str, set[str]] = field(default_factory=dict)
    orders: Counter[str] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    complete: bool = True

    def __repr__(self) -> str:
        return f"PatientFacts({len(self.names)} names)"  # never the names

    def add(self, document: Document) -> None:
        if self.complete:
            self.words.update(LETTERS.findall(normalize(document.text).text))
        for span in document.spans:
            kind, text = kinds.kind_of(span.type), document.text_of(span)
            self.texts.setdefault(span.type, set()).add(text)
            if kind == kinds.NAME:
                self.names.update(fold(split_possessive(match[0])[0]) for match in WORD.finditer(text))
            elif kind == kinds.DATE and (order := DateShifter.find_order(text)):
                self.orders[order] += 1
        for city, state in kinds.pair_adjacent(document, "CITY", "STATE"):
            self.states.setdefault(fold(city), Counter())[state.upper()] += 1

    @property
    def month_first(self) -> bool:
        return self.orders[DateShifter.DAY_FIRST] <= self.orders[DateShifter.MONTH_FIRST]

    def list_texts(self, *wanted: str) -> Iterator[str]:
        """Yield the texts of spans of some kinds."""
        for type, texts in self.texts.items():
            if kinds.kind_of(type) in wanted:
                yield from texts


def collect_facts(documents: Iterable[Document], complete: bool = True) -> PatientFacts:
    """Collect the facts of the notes of one patient."""
    facts = PatientFacts(complete=complete)
    for document in documents:
        facts.add(document)
    return facts


@dataclass
class PatientHistory:
    """What a map remembers of a patient. The fields are the keys of the map file: ``names`` are the
    surrogates of folded names, ``given`` those of places and numbers, ``orders`` counts day-first and
    month-first dates, and ``pairs`` holds by type the real texts with their surrogates. ``notes`` is the hash
    of the notes that were redacted last, and ``before`` holds the first four fields as they were before.
    ``ids`` are the new ids of notes and patient."""

    names: dict[str, str] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, dict[str, str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    notes: str = ""
    before: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def begin(self, notes: str) -> None:
        """Begin to redact notes with this hash. The same notes once more, as after an interruption, are
        redacted from the same history, so that the result is the same."""
        if notes == self.notes:
            vars(self).update(copy.deepcopy(self.before))
            return
        self.notes = notes
        self.before = {name: copy.deepcopy(getattr(self, name)) for name in REMEMBERED}

    def __repr__(self) -> str:
        return f"PatientHistory({len(self.names)} names)"  # never the names

    def merge(self, facts: PatientFacts) -> None:
        """Count the dates of the new notes, and add what earlier notes contained to their ``facts``."""
        self.orders = dict(facts.orders + Counter(self.orders))
        facts.orders = Counter(self.orders)
        facts.names.update(dict.fromkeys(self.names, 0))
        for type, pairs in self.pairs.items():
            facts.texts.setdefault(type, set()).update(pairs)
