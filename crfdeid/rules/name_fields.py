"""Names in fields such as "Patient:" and after "Dictated by": Douglass 2005, section 5.1.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_clues import (
    BY,
    CREDENTIAL_WORDS,
    DOCTOR_FIELD_WORDS,
    DOCTOR_FIELDS,
    PATIENT_FIELD_WORDS,
    PATIENT_FIELDS,
)
from crfdeid.rules.name_parts import clear_enough, name_from, nameable, part
from crfdeid.rules.rule import rule

DOUGLASS = "Douglass 2005, section 5.1.1"
COMMA = re.compile(r", ?")


@rule("PATIENT", f"{DOUGLASS} (name indicators)")
def patient_field(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Patient:" or "Name:", last name first or last."""
    return in_fields(note, lists, PATIENT_FIELD_WORDS, PATIENT_FIELDS)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def doctor_field(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Attending:" or after "Dictated by"."""
    yield from in_fields(note, lists, DOCTOR_FIELD_WORDS, DOCTOR_FIELDS)
    for index in note.places(BY):
        first = index + 2
        told = note.after(index) == "by" and first < len(note) and note.gap(first) in (" ", ": ")
        if told and clear_enough(note, lists, first) and (edges := name_from(note, lists, first)):
            yield edges


def in_fields(note: Note, lists: Lists, words: frozenset[str], fields: re.Pattern[str]) -> Iterator[Edges]:
    for index in note.places(words):
        match = fields.match(note.text, note.starts[index])
        first = note.index_at.get(match.end()) if match else None
        if first is None:
            continue
        if part(note, lists, first) and (edges := name_from(note, lists, first)):
            yield with_first_name(note, lists, edges)
        elif before_comma(note, first) and not lists.strict:
            yield with_first_name(note, lists, note.edges(first, first + 1))


def before_comma(note: Note, index: int) -> bool:
    """Whether two capitalised words stand here with a comma between them: in a field, a name even
    where the first is a word too ("RICE,ANA")."""
    pair = index + 1 < len(note) and note.gap(index + 1) in (",", ", ")
    return pair and note.capital(index) and note.capital(index + 1) and len(note.words[index]) > 2


def with_first_name(note: Note, lists: Lists, edges: Edges) -> Edges:
    """``Ruiz, Ana`` where ``Ruiz`` was found."""
    match = COMMA.match(note.text, edges[1])
    first = note.index_at.get(match.end()) if match else None
    if first is None or not nameable(note, lists, first) or note.lowered[first] in CREDENTIAL_WORDS:
        return edges
    more = name_from(note, lists, first, 2)
    return (edges[0], more[1]) if more else edges
