"""Which words can be parts of a name, and from where to where a name goes."""

from __future__ import annotations

import re

from crfdeid.rules.indexed_note import Edges, Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_clues import CREDENTIAL_WORDS, FUNCTION, PREFIXES, SMALL_PREFIXES, THINGS
from crfdeid.rules.phrases import joined, run

MOST = 4  # words of a name, initials and prefixes among them
ENOUGH = 5  # letters from which on a word in capitals is no abbreviation


def nameable(note: Note, lists: Lists, index: int) -> bool:
    """A capitalised word that could be a name: in a list of names, or in no list of words."""
    word = note.lowered[index]
    if not note.capital(index) or word in FUNCTION or len(word) < 2:
        return False
    return word in lists.named or not lists.plain(word)


def initial(note: Note, index: int) -> bool:
    return len(note.words[index]) == 1 and note.capital(index)


def part(note: Note, lists: Lists, index: int) -> bool:
    """What a name may go on with: a name, an initial, or a prefix before a name."""
    if nameable(note, lists, index):
        return note.lowered[index] not in CREDENTIAL_WORDS or not note.words[index].isupper()
    if initial(note, index):
        return index + 1 == len(note) or "\n" not in note.gap(index + 1)
    return note.lowered[index] in PREFIXES and before_name(note, lists, index)


def before_name(note: Note, lists: Lists, index: int) -> bool:
    """Whether a name follows the word, maybe after a second prefix ("van der Berg")."""
    following = index + 1
    if following < len(note) and joined(note, following) and note.lowered[following] in SMALL_PREFIXES:
        following += 1
    return following < len(note) and joined(note, following) and nameable(note, lists, following)


def name_from(note: Note, lists: Lists, first: int, most: int = MOST) -> Edges | None:
    """The name that begins at word ``first``, if one does: at least one word of two letters."""
    stop = run(note, first, lambda i: part(note, lists, i), most)
    while stop > first and initial(note, stop - 1) and stop < len(note) and credential_at(note, stop - 1):
        stop -= 1
    if stop > first and any(len(note.words[i]) > 1 and note.capital(i) for i in range(first, stop)):
        return note.edges(first, stop)
    return None


def credential_at(note: Note, index: int) -> bool:
    """Whether the letter at ``index`` begins a credential such as M.D."""
    return note.gap(index + 1) in (".", ". ") and len(note.words[index + 1]) == 1


def name_until(note: Note, lists: Lists, stop: int) -> Edges | None:
    """The name that ends before word ``stop``: ``Bryan J. Ruiz`` or ``Ruiz, Bryan``."""
    first = stop
    while first and stop - first < MOST and may_precede(note, lists, first - 1):
        if first < stop and not joined(note, first):
            break
        first -= 1
    if first == stop or not any(nameable(note, lists, i) for i in range(first, stop)):
        return None
    if first and note.gap(first) in (", ", ",") and stop - first < 3 and nameable(note, lists, first - 1):
        first -= 1
    return note.edges(first, stop)


def may_precede(note: Note, lists: Lists, index: int) -> bool:
    return note.lowered[index] in SMALL_PREFIXES or part(note, lists, index)


def clear_enough(note: Note, lists: Lists, index: int) -> bool:
    """Beside an indicator, a name that is a word too must not be written as a word in this note."""
    word = note.lowered[index]
    abbreviation = note.words[index].isupper() and len(word) < ENOUGH and word not in lists.named
    if abbreviation or not nameable(note, lists, index):
        return False
    return word in lists.popular or not lists.plain(word) or (word in lists.first and word not in note.small)


def of_a_thing(note: Note, index: int) -> bool:
    """Whether the word names a thing: a word for it follows within two words, or a hyphen ties it to
    others (``Semmes-Weinstein``, ``Z-Pak``)."""
    following = range(index + 1, min(index + 3, len(note)))
    if any(note.lowered[i] in THINGS for i in following):
        return not re.search(r"[.,;\n]", note.text[note.ends[index] : note.starts[following[-1]]])
    return note.gap(index) == "-" or (index + 1 < len(note) and note.gap(index + 1) == "-")
