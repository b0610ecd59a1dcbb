"""Names of people by what stands around them: Douglass 2005, section 5.1.1; Tafvizi 2011,
section 2.5.1; Sibanda & Uzuner 2006, section 4.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_clues import (
    CREDENTIAL_WORDS,
    CREDENTIALS,
    DOCTOR_TITLES,
    FUNCTION,
    OTHER_TITLES,
    PATIENT_TITLES,
    RELATIVES,
    SAID,
    STAFF,
)
from crfdeid.rules.name_fields import doctor_field, patient_field
from crfdeid.rules.name_parts import clear_enough, name_from, name_until
from crfdeid.rules.rule import rule

DOUGLASS = "Douglass 2005, section 5.1.1"
AFTER_TITLE = (" ", ". ", ".", ".  ")
AFTER_INDICATOR = (" ", ", ", " (", ": ", ' "', "- ", " - ")
BEFORE_CREDENTIAL = re.compile(r",? {1,2}|,")


def after_titles(note: Note, lists: Lists, titles: frozenset[str]) -> Iterator[Edges]:
    for index in note.places(titles):
        first = index + 1
        if not note.capital(index) or first >= len(note) or note.gap(first) not in AFTER_TITLE:
            continue
        if note.words[index] in ("MS", "SR") and (
            note.gap(first) != ". " or note.lowered[first] not in lists.named
        ):
            continue  # multiple sclerosis, mental status, sustained release
        if edges := name_from(note, lists, first) or stand_in(note, lists, first):
            yield edges


def stand_in(note: Note, lists: Lists, index: int) -> Edges | None:
    """After a title, a capitalised word that is a common word too is a name, and so is one
    letter: ``Dr. Will``, ``Dr. X``."""
    if lists.strict or not note.capital(index) or note.lowered[index] in FUNCTION - {"will", "may"}:
        return None
    if note.lowered[index - 1] in ("sr", "madam") or note.lowered[index] in CREDENTIAL_WORDS:
        return None
    return note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def patient_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name after Mr, Mrs, Ms, Miss."""
    return after_titles(note, lists, PATIENT_TITLES)


@rule("DOCTOR", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def doctor_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name after Dr, Doctor, Prof, and the second of two names after Drs."""
    yield from after_titles(note, lists, DOCTOR_TITLES)
    for index in note.places(["drs"]):
        for other in range(index + 3, min(index + 6, len(note))):
            if note.lowered[other - 1] == "and" and (edges := name_from(note, lists, other)):
                yield edges
                break


@rule("PATIENT", DOUGLASS, guess=True)
def other_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name of the lists after a title that is a common word too: Rev, Father, Captain."""
    for index in note.places(OTHER_TITLES):
        follows = index + 1 < len(note) and note.gap(index + 1) in (" ", ". ")
        if (
            note.capital(index)
            and follows
            and note.lowered[index + 1] in lists.named
            and (edges := name_from(note, lists, index + 1))
        ):
            yield edges


@rule("DOCTOR", DOUGLASS)
def credential(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name before MD, RN, PA-C and other credentials."""
    for index in note.places(CREDENTIAL_WORDS):
        if index and note.capital(index) and BEFORE_CREDENTIAL.fullmatch(note.gap(index)):
            told = CREDENTIALS.match(note.text, note.starts[index])
            if told and (edges := name_until(note, lists, index)):
                yield edges


@rule("PATIENT", f"{DOUGLASS} (name indicators); Sibanda & Uzuner 2006, section 4.1")
def relative(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name beside a word that says who it is: "wife Ana", "son, Leo", "Philip (brother)"."""
    return beside(note, lists, RELATIVES)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def staff(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name beside a word for a clinician: "nurse Ana Ruiz", "PCP is Nowak"."""
    return beside(note, lists, STAFF)


def beside(note: Note, lists: Lists, indicators: frozenset[str]) -> Iterator[Edges]:
    for index in note.places(indicators):
        first = after_indicator(note, index)
        if first and clear_enough(note, lists, first) and (edges := name_from(note, lists, first)):
            yield edges
        told = index and note.gap(index) == " (" and clear_enough(note, lists, index - 1)
        if told and (edges := name_until(note, lists, index)):
            yield edges


def after_indicator(note: Note, index: int) -> int | None:
    """The word that an indicator tells of: the next, or the one past "named", "is", "name is"."""
    first = index + 1
    while first < len(note) and note.lowered[first] in SAID and note.gap(first) == " " and first - index < 3:
        first += 1
    return first if first < len(note) and note.gap(first) in AFTER_INDICATOR else None


RULES = (doctor_title, patient_title, credential, doctor_field, patient_field, relative, staff, other_title)
