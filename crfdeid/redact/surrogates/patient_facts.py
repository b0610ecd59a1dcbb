"""What the notes of a patient say together. It is a function of the set of notes, not of their
order. With nothing known, surrogates are still given; they are chosen for each word alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import regex

from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.letter_case import WORD, bare, folded
from crfdeid.redact.surrogates.normalized import plain
from crfdeid.text.document import Document

LETTERS = regex.compile(r"\p{L}{3,}")


@dataclass
class PatientFacts:
    """``names`` are folded words of names with how often they occur; ``strings`` the covered texts
    of each type; ``orders`` the votes for day-first and month-first dates; ``states`` the
    state that stands beside a city; ``words`` all words of the texts, plain. ``whole``: these are
    all the notes there are, so surrogates may avoid what occurs in them; else they must not depend
    on what happens to be beside."""

    names: Counter[str] = field(default_factory=Counter)
    strings: dict[str, set[str]] = field(default_factory=dict)
    orders: Counter[str] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)
    whole: bool = True

    def __repr__(self) -> str:
        return f"Known({len(self.names)} names)"  # never the names

    def learn(self, document: Document) -> None:
        if self.whole:
            self.words.update(LETTERS.findall(plain(document.text).text))
        for span in document.spans:
            kind, text = kinds.of(span.type), document.text_of(span)
            self.strings.setdefault(span.type, set()).add(text)
            if kind == kinds.NAME:
                self.names.update(folded(bare(match[0])[0]) for match in WORD.finditer(text))
            elif kind == kinds.DATE and (order := parser.order(text)):
                self.orders[order] += 1
        for city, state in kinds.beside(document, "CITY", "STATE"):
            self.states.setdefault(folded(city), Counter())[state.upper()] += 1

    @property
    def month_first(self) -> bool:
        return self.orders[parser.DAY_FIRST] <= self.orders[parser.MONTH_FIRST]

    def texts(self, *wanted: str) -> Iterator[str]:
        """The covered texts of some kinds."""
        for type, texts in self.strings.items():
            if kinds.of(type) in wanted:
                yield from texts


def of(documents: Iterable[Document], whole: bool = True) -> PatientFacts:
    found = PatientFacts(whole=whole)
    for document in documents:
        found.learn(document)
    return found
