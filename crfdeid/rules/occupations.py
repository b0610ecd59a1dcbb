"""Professions and employers. The papers' rule systems have none; i2b2 2014 marks both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.name_words import is_nameable
from crfdeid.rules.note import Edges, Note
from crfdeid.rules.rule import find_run_end, measure_entry, rule

BEFORE_PROFESSION = re.compile(
    r"(?:\bretired (?:as an? )?|[- ]year[- ]old |\b(?:being|serving as|she is|he is) an? "
    r"|\bwork(?:s|ed|ing)?(?: full[- ]time| part[- ]time)? as an? "
    r"|\boccupation(?:\s*[:=]\s*|\s+is an? )"
    r"|\b(?:became|employed as|career as|former|job as) an? (?:retired |former |self-employed )?)$",
    re.IGNORECASE,
)
LAST_WORDS = word_set("retired old a an occupation former employed")  # with which it can end
EMPLOYER = re.compile(
    r"(?:employer|employed|works?|worked|working|insurance|insurer)"
    r"(?:\s*[:=]\s*|(?: \w+){0,2}? (?:for|at|by|with) )(?:the )?",
    re.IGNORECASE,
)
EMPLOYER_WORDS = word_set("employer employed works work worked working insurance insurer")
NEAR = 40  # characters before a profession


@rule("PROFESSION", "ours")
def profession(note: Note, lists: Lists) -> Iterator[Edges]:
    """A profession of the list after "retired", "works as a", "Occupation:" and the like."""
    for last in note.find_words(LAST_WORDS):
        first = last + 1
        if first == len(note) or note.lowered[first] not in lists.professions.first_words:
            continue
        if not (length := measure_entry(note, lists.professions, first)):
            continue
        if BEFORE_PROFESSION.search(note.text[max(0, note.starts[first] - NEAR) : note.starts[first]]):
            begin = last if note.word_before(first) in ("retired", "former") else first
            yield note.edges(begin, first + length)


@rule("ORGANIZATION", "ours")
def employer(note: Note, lists: Lists) -> Iterator[Edges]:
    """Capitalised words after "works for", "Employer:" or "Insurance:"; at least one is no common word,
    or all are an entry of the list."""
    for index in note.find_words(EMPLOYER_WORDS):
        match = EMPLOYER.match(note.text, note.starts[index])
        first = note.find_index(match.end()) if match else None
        if match is None or first is None or not note.is_capitalised(first):
            continue
        listed = measure_entry(note, lists.organizations, first)
        stop = first + listed if listed else find_run_end(note, first, note.is_capitalised, 4)
        is_field = match[0].rstrip().endswith((":", "="))
        if is_field or listed or any(is_nameable(note, lists, i) for i in range(first, stop)):
            yield note.edges(first, stop)


RULES = (profession, employer)
