"""What is looked for in the notes of a patient: the strings that were found in them, and what follows
from those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from crfdeid.redact.surrogates import ages, kinds, name_pools
from crfdeid.redact.surrogates.dates import shift
from crfdeid.redact.surrogates.letter_case import WORD, bare, folded
from crfdeid.redact.surrogates.name_parts import PARTICLES, SUFFIXES
from crfdeid.redact.surrogates.normalized import plain
from crfdeid.redact.surrogates.search.digit_groups import FEW
from crfdeid.redact.surrogates.search.finder import NUMBERS, RUN, Finder, SearchString

LAST_FOUR = 4
NO_NAMES = PARTICLES | SUFFIXES


def finder(strings: Mapping[str, Iterable[str]]) -> Finder:
    """What finds the texts of each type again."""
    return Finder(found for type, texts in strings.items() for t in texts for found in looked_for(t, type))


def looked_for(text: str, type: str) -> Iterator[SearchString]:
    kind = kinds.of(type)
    if kind == kinds.NAME:
        yield from names(text, type)
    elif kind == kinds.AGE:
        yield from old_ages(text, type)
    elif kind in NUMBERS:
        yield from number(RUN.findall(plain(text).text), type, kind)
    elif not (kind == kinds.DATE and shift.only_weekday(text)):  # those may stand
        found = tuple(RUN.findall(plain(text).text))
        core = text.strip()
        acronym = core.isupper() and core.isalpha() and len(core) < 6
        if found:
            yield SearchString(found, type, "all" if acronym else "", found[0] if len(found) == 1 else "")


def names(text: str, type: str) -> Iterator[SearchString]:
    """Each word of a name, its plural, and the first names that it may be short for or is shortened to."""
    for match in WORD.finditer(text):
        word, _ = bare(match[0])
        found, low = tuple(RUN.findall(plain(word).text)), folded(word)
        if len(low) < 2 or low in NO_NAMES or low in name_pools.words("titles") or not found:
            continue
        yield SearchString(found, type, "all" if len(word) < 4 and word.isupper() else "", low)
        if len(low) > 2:
            ending = "es" if low[-1] in "sxz" else "s"
            yield SearchString((*found[:-1], found[-1] + ending), type, "first", low, True)
        for other in (*name_pools.shortened().get(low, ()), *name_pools.nicknames().get(low, ())):
            yield SearchString((folded(other),), type, "", folded(other), True)


def old_ages(text: str, type: str) -> Iterator[SearchString]:
    """The words and numbers of an age that is over 89: others may stand."""
    if ages.treated(text) not in (text, None):
        for match in (*ages.OLD.finditer(text), *ages.NUMBER.finditer(text)):
            if not match[0].isdecimal() or int(match[0]) > ages.OLDEST:
                yield SearchString(tuple(RUN.findall(plain(match[0]).text)), type, derived=True)


def number(groups: list[str], type: str, kind: str) -> Iterator[SearchString]:
    """A number, a short one also as it is grouped, and of an identifier the last four digits."""
    text = "".join(groups)
    if text:
        yield SearchString((text,), type)
    if len(groups) > 1 and len(text) < FEW:
        yield SearchString(tuple(groups), type)
    if kind == kinds.IDENTIFIER and len(text) > LAST_FOUR + 2 and text[-LAST_FOUR:].isdigit():
        yield SearchString((text[-LAST_FOUR:],), type, derived=True)
