"""The facts in the notes of a patient, and the memory that a map has of earlier notes.

The facts depend on the set of notes, not on their order. Without facts there are surrogates too; each is then
chosen for its word only.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import regex

from crfdeid.lexicon import english, word_lists
from crfdeid.lexicon.letters import (
    WORD,
    fold,
    normalize,
    remove_invisible,
    split_possessive,
)
from crfdeid.lexicon.names import TITLES
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.text.document import Document, Span

PROBABLE = 0.5  # of a span whose text is PHI wherever it stands in the notes
REMEMBERED = ("names", "orders", "pairs", "given")
LETTERS, ASCII_LETTERS = regex.compile(r"\p{L}{3,}"), re.compile(r"[a-z]{3,}")
FEW = 50  # words that are looked for one by one
ZIP_DIGITS = 5
BEFORE = 12  # characters before a name in which a title is
FIRST_WORD = regex.compile(rf"{WORD.pattern}|\d+")
TITLED = regex.compile(rf"\b(?:{'|'.join(TITLES)})\.? $", regex.IGNORECASE)


class NoteWords:
    """All normalized words of notes, which are listed when they are needed. A few words are looked for in the
    texts first, because most are in none."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._listed: set[str] = set()
        self._asked = 0

    def add(self, text: str) -> None:
        self._texts.append(normalize(text).text)

    def __contains__(self, word: str) -> bool:
        self._asked += 1
        if self._asked <= FEW and not self._listed and not any(word in text for text in self._texts):
            return False
        return word in self.list_all()

    def list_all(self) -> set[str]:
        while self._texts:
            low = self._texts.pop()
            self._listed.update((ASCII_LETTERS if low.isascii() else LETTERS).findall(low))
        return self._listed


@dataclass
class PatientFacts:
    """``names`` counts the folded words of names, ``first_names`` and ``surnames`` are those whose place says
    which they are, ``doctors`` those of staff; ``texts`` holds the texts of the spans by type, ``doubtful``
    those of them that only improbable spans have; ``orders`` counts the dates that show whether the day or
    the month comes first; ``states`` counts by folded city the states written beside it, and ``towns`` by ZIP
    code the folded cities before it; ``words`` holds all normalized words of the notes. ``complete`` means
    that these are all notes of the patient, so that surrogates may avoid what occurs in them. Otherwise
    surrogates must not depend on which notes are here. ``before`` has, for the folded first word of a name,
    the few characters before it, and ``articles`` for the folded first word of a place whether "an" is before
    it (true) or "a". ``avoid(word)`` rejects other folded words as surrogate names."""

    names: Counter[str] = field(default_factory=Counter)
    texts: dict[str, set[str]] = field(default_factory=dict)
    doubtful: dict[str, set[str]] = field(default_factory=dict)
    orders: Counter[str] = field(default_factory=Counter)
    states: dict[str, Counter[str]] = field(default_factory=dict)
    towns: dict[str, Counter[str]] = field(default_factory=dict)
    words: NoteWords = field(default_factory=lambda: NoteWords())
    complete: bool = True
    first_names: set[str] = field(default_factory=set)
    surnames: set[str] = field(default_factory=set)
    doctors: Counter[str] = field(default_factory=Counter)
    avoid: Callable[[str], bool] | None = None
    before: dict[str, set[str]] = field(default_factory=dict)
    articles: dict[str, set[bool]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PatientFacts({len(self.names)} names)"  # never the names

    def add(self, document: Document) -> None:
        self.words.add(document.text)
        self._note_articles(document)
        for span in document.spans:
            kind, text = kinds.kind_of(span.type), remove_invisible(document.text_of(span))
            self._add_text(span, text)
            if kind == kinds.NAME:
                words = list(map(fold_word, WORD.findall(text)))
                self.names.update(words)
                self.doctors.update(words if is_doctor(span.type) else ())
                before = document.text[max(0, span.start - BEFORE) : span.start]
                self._note_positions(text, before)
                for word in words[:1]:
                    self.before.setdefault(word, set()).add(before)
            elif kind == kinds.DATE:
                self.orders.update(filter(None, (DateShifter.find_order(text), DateShifter.find_habit(text))))
        for city, state in kinds.pair_adjacent(document, "CITY", "STATE"):
            self.states.setdefault(fold(city), Counter())[state.upper()] += 1
        for city, zip in pair_towns(document):
            self.towns.setdefault(zip, Counter())[fold(city)] += 1

    def _note_articles(self, document: Document) -> None:
        """Note the articles before words with a capital, which may be a place again, and before spans."""
        starts, text = {span.start for span in document.spans}, document.text
        for at, is_an in english.find_articles(text):
            word = FIRST_WORD.match(text, at) if at in starts or text[at].isupper() else None
            if word:
                self.articles.setdefault(fold_word(word[0]), set()).add(is_an)

    def list_articles(self) -> dict[str, bool]:
        """Return for the folded first words of places whether "an" is before them, where it always or never
        is; nothing unless all notes are known."""
        articles = self.articles.items() if self.complete else ()
        return {word: min(found) for word, found in articles if len(found) == 1}

    def _add_text(self, span: Span, text: str) -> None:
        texts, doubtful = (found.setdefault(span.type, set()) for found in (self.texts, self.doubtful))
        if span.probability is None or span.probability >= PROBABLE:
            doubtful.discard(text)
        elif text not in texts:
            doubtful.add(text)
        texts.add(text)

    def list_repeated(self) -> dict[str, set[str]]:
        """Return by type the texts that are searched in all notes: a weak guess at one place says nothing of
        the same word at another."""
        return {type: texts - self.doubtful.get(type, set()) for type, texts in self.texts.items()}

    def _note_positions(self, text: str, before: str) -> None:
        """Note the words of a name that its place shows to be first names or surnames."""
        last, comma, first = text.partition(",")
        words, firsts = (list(map(fold_word, WORD.findall(part))) for part in (last, first))
        if comma and firsts:
            self.first_names.add(firsts[0])
            self.surnames.update(words[-1:])
        elif len(words) > 1:
            self.first_names.add(words[0])
            self.surnames.add(words[-1])
        elif words and TITLED.search(before):
            self.surnames.add(words[0])

    def is_doctor(self, name: str) -> bool:
        """Whether most mentions of a folded name are of staff; false unless all notes are known."""
        return self.complete and 2 * self.doctors[name] > self.names[name]

    def classify_name(self, name: str) -> str:
        """Return the kind of a folded name (:func:`word_lists.classify_name`). If all notes of the patient
        are known and its places in them say otherwise, they decide."""
        kind, is_last = word_lists.classify_name(name), name in self.surnames
        if not self.complete or is_last == (name in self.first_names):
            return kind
        if is_last:
            return word_lists.SURNAME
        return word_lists.EITHER if kind == word_lists.SURNAME else kind.removesuffix(word_lists.OR_SURNAME)

    @property
    def month_first(self) -> bool:
        return DateShifter.is_month_first(self.orders)

    def list_texts(self, *wanted: str) -> Iterator[str]:
        """Yield the texts of spans of some kinds."""
        for type, texts in self.texts.items():
            if kinds.kind_of(type) in wanted:
                yield from texts


def is_doctor(type: str) -> bool:
    """Whether a type names staff."""
    return type in ("DOCTOR", "NOMBRE_PERSONAL_SANITARIO")


@lru_cache(maxsize=4096)
def fold_word(word: str) -> str:
    """The folded word without its possessive."""
    return fold(split_possessive(word)[0])


def pair_towns(document: Document) -> Iterator[tuple[str, str]]:
    """Yield each city with the five digits of the ZIP code behind it; a state may be between the two."""
    parts = [span for span in document.spans if span.type in ("CITY", "STATE", "ZIP")]
    for first, *others in zip(parts, parts[1:], [*parts[2:], None]):
        if first.type != "CITY":
            continue
        last, at = None, first.end
        for other in filter(None, others):
            if not 0 <= other.start - at <= kinds.MAX_GAP or last or other.type == "CITY":
                break
            at, last = other.end, other if other.type == "ZIP" else None
        if last:
            yield document.text_of(first), document.text_of(last)[:ZIP_DIGITS]


def collect_facts(documents: Iterable[Document], complete: bool = True) -> PatientFacts:
    """Collect the facts of the notes of one patient."""
    facts = PatientFacts(complete=complete)
    for document in documents:
        facts.add(document)
    return facts


@dataclass
class PatientHistory:
    """The memory that a map has of a patient. The fields are the keys of the map file: ``names`` are the
    surrogates of folded names, ``given`` those of places and numbers, ``orders`` counts day-first and
    month-first dates, and ``pairs`` holds by type the real texts with their surrogates. ``notes`` is the hash
    of the notes that were redacted last, and ``before`` holds the first four fields as they were before.
    ``days`` is the shift of the dates. ``ids`` are the new ids of notes and patient, and ``released`` holds
    what undoes each release of a note (:mod:`crfdeid.redact.released_notes`)."""

    names: dict[str, str] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, dict[str, str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    notes: str = ""
    before: dict[str, Any] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    released: dict[str, list[Any]] = field(default_factory=dict)
    days: int | None = None

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
