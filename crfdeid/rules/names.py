"""Names of people by what surrounds them, and by their place on the page.

Douglass 2005, section 5.1.1; Tafvizi 2011, section 2.5.1; Sibanda & Uzuner 2006, section 4.1. The rules of
places (:data:`LAYOUT`) are ours: the initials at the foot of a note, the name over an address, and the name
in the head of a page. They need no list of names, so a rare name is found as well as a frequent one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import (
    DOCTOR_TITLES,
    DOTTED,
    OTHER_TITLES,
    PATIENT_TITLES,
    RELATIVES,
    RULE_CREDENTIAL_WORDS,
    SMALL_TITLES,
    STAFF,
    TITLES,
)
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.note import Beside, Edges, IndexedNote
from crfdeid.rules.rule import (
    CREDENTIAL,
    DOCTOR_FIELD_WORDS,
    DOCTOR_FIELDS,
    FUNCTION_WORDS,
    NAMING_WORDS,
    PATIENT_FIELD_WORDS,
    PATIENT_FIELDS,
    SIGNING_WORDS,
    find_name_from,
    find_name_until,
    is_clear_name,
    is_initial,
    is_name_part,
    is_nameable,
    rule,
)

OURS = "ours (layout)"
INITIALS = re.compile(
    r"(?:^[ \t]*|(?<=[.!?] ))(?P<author>[A-Z]{2,4}|[a-z]{2,4})[/:](?P<typist>[A-Z]{2,4}|[a-z]{2,4})"
    r"(?:[/:]\w{1,10})?(?=[ \t]*$|[ \t]+[DT]{1,2}[: ]{1,2}\d)",
    re.MULTILINE,
)
TYPISTS = tuple(  # begin with a fixed sign, so that the search is quick
    re.compile(rf"{sign}(?:[A-Z]{{2,4}}|[a-z]{{2,4}})(?=[/:\s]|\Z)") for sign in "/:"
)
AFTER_INITIALS = re.compile(
    r"\s*(?:[DT]{1,2}|dd|dt|date|dictated|transcribed|copy|copies|cc|job|doc)\b", re.IGNORECASE
)
HOUSE_OR_BOX = re.compile(r"\n[ \t]*(?:\d{1,6}[^\W\d]?[ ]|[pP]\.?[ ]?[oO]\.?[ ]?[^\W\d])")
NOT_BLANK = re.compile(r"\S")
SHORT_DATE = re.compile(r"\d{1,2}[/-]\d{1,2}[/-]\d{2}")
NAME_WORD = r"[^\W\d_](?:[^\W\d_]|['.-](?=[^\W\d_]))*\.?"
OVER_ADDRESS = re.compile(
    rf"^[ \t]*(?:(?:to|{'|'.join(TITLES)})[.:]?[ \t]+)?(?P<name>{NAME_WORD}(?:,?[ ]{NAME_WORD}){{1,3}}?)"
    rf"(?:,?[ ](?:{DOTTED})\.?)?[ \t]*\n"
    r"(?=[ \t]*(?:\d{1,6}[a-z]?[ ](?:[\w.'-]+[ ]){1,4}(?:st|street|ave|avenue|rd|road|dr|drive|ln|lane|blvd"
    r"|boulevard|ct|court|pl|place|ter|terrace|way|hwy|highway|pkwy|parkway|cir|circle|sq|square|trl|trail)\b"
    r"|p\.?[ ]?o\.?[ ]?box[ ]\d))",
    re.MULTILINE | re.IGNORECASE,
)
PAGE_HEAD = re.compile(
    r"^(?:[^\n]{2,60}(?:[ ]{2,}|\t[ ]*))?(?P<name>[A-Z][A-Z'-]{2,}(?:,[ ]?[A-Z][A-Z'-]*(?:[ ][A-Z]\.?)?)?)"
    r"(?:[ ]{2,}|[ ]*\t[ ]*)(?=\d{1,2}[/-]\d{1,2}[/-]\d{2,4}[ \t]*(?:$|[ ]{2}))",
    re.MULTILINE,
)

SPEAKERS = word_set("patient pt doctor md physician provider surgeon resident pcp consultant fellow")
ANSWERS = word_set(
    """ah alright aw good great ha hello hey hi hm hmm huh i lemme mhm mm mmm my nah no nope oh ok okay right
    so sorry sure thank thanks uh uhm um welcome well wonderful yeah yep yes yup"""
)
SPOKEN = word_set(
    """i you your he she they we us our my me it its is are am was were do don did does have has had can could
    will would what how any let think feel"""
)

DOUGLASS = "Douglass 2005, section 5.1.1"
COMMA = re.compile(r", ?")


@rule("PATIENT", f"{DOUGLASS} (name indicators)")
def patient_field(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Patient:" or "Name:", last name first or last."""
    return find_in_fields(note, lists, PATIENT_FIELD_WORDS, PATIENT_FIELDS)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def doctor_field(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Attending:" or after "Dictated by"."""
    yield from find_in_fields(note, lists, DOCTOR_FIELD_WORDS, DOCTOR_FIELDS)
    for index in note.find_words(SIGNING_WORDS):
        first = index + 2
        follows = note.word_after(index) == "by" and first < len(note) and note.gap(first) in (" ", ": ")
        if follows and is_clear_name(note, lists, first) and (edges := find_name_from(note, lists, first)):
            yield edges


def find_in_fields(
    note: IndexedNote, lists: Lists, words: frozenset[str], fields: re.Pattern[str]
) -> Iterator[Edges]:
    """Yield the names that follow ``fields``; each field begins with one of ``words``."""
    found = []
    for index in note.find_words(words):
        match = fields.match(note.text, note.starts[index])
        first = note.find_index(match.end()) if match else None
        if first is not None:
            found.append((index, first))
    speakers = find_speakers(note, found)
    for index, first in found:
        turns = speakers.get(note.lowered[index], 0)
        if turns and not is_name_of_speaker(note, lists, first, is_sole=turns == 1):
            continue
        if is_name_part(note, lists, first) and (edges := find_name_from(note, lists, first)):
            yield add_first_name(note, lists, edges)
        elif is_comma_pair(note, first) and not lists.strict:
            yield add_first_name(note, lists, note.edges(first, first + 1))
        elif is_initial_pair(note, first) and not lists.strict:
            yield note.edges(first, first + 2)


def find_speakers(note: IndexedNote, fields: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return the words of fields that say who speaks in this note ("Doctor: Okay, any pain?"), each with the
    number of its lines, of which at least half are speech. A field is the index of its word and of the first
    word behind it."""
    lines: dict[str, list[bool]] = {}
    for index, first in fields:
        word = note.lowered[index]
        if word in SPEAKERS and (not index or "\n" in note.gap(index)):
            lines.setdefault(word, []).append(is_speech(note.text, note.starts[first]))
    return {word: len(spoken) for word, spoken in lines.items() if 2 * sum(spoken) >= len(spoken)}


def is_speech(text: str, start: int) -> bool:
    """Whether the line from ``start`` on is an answer, or has words that people say.

    >>> [is_speech(line, 0) for line in ("Okay.", "Any pain, I mean?", "Oh, Sandra", "Ruiz, Ana")]
    [True, True, False, False]
    """
    end = text.find("\n", start)
    first, *others = re.findall(r"[^\W\d_]+", text[start:] if end < 0 else text[start:end]) or [""]
    small = [word for word in others if word.islower()]
    if first.lower() in ANSWERS and len(small) == len(others):
        return True
    return bool(small) and ("I" in others or not SPOKEN.isdisjoint([first.lower(), *small]))


def is_name_of_speaker(note: IndexedNote, lists: Lists, index: int, is_sole: bool) -> bool:
    """Whether a word behind a speaker is a name: no ordinary word, and in a list unless the field
    ``is_sole``."""
    word = note.lowered[index]
    return (is_sole or word in lists.names) and word not in ANSWERS and not lists.is_ordinary(word)


def is_comma_pair(note: IndexedNote, index: int) -> bool:
    """Whether two capitalised words with a comma between them begin here. In a field they are a name even
    if the first is also an ordinary word ("RICE,ANA")."""
    pair = index + 1 < len(note) and note.gap(index + 1) in (",", ", ")
    return (
        pair and note.is_capitalised(index) and note.is_capitalised(index + 1) and len(note.word(index)) > 2
    )


def is_initial_pair(note: IndexedNote, index: int) -> bool:
    """Whether an initial with a full stop and the last word of the line begin here. In a field they are a
    name even if the word is an ordinary one ("C. Do")."""
    last = index + 1
    pair = last < len(note) and is_initial(note, index) and note.gap(last) in (". ", ".")
    ends = last + 1 >= len(note) or "\n" in note.gap(last + 1)
    return pair and ends and note.is_capitalised(last) and len(note.word(last)) > 1


def add_first_name(note: IndexedNote, lists: Lists, edges: Edges) -> Edges:
    """Extend a surname by the first name behind its comma: ``Ruiz`` to ``Ruiz, Ana``."""
    match = COMMA.match(note.text, edges[1])
    first = note.find_index(match.end()) if match else None
    if first is None or not is_nameable(note, lists, first) or note.lowered[first] in RULE_CREDENTIAL_WORDS:
        return edges
    more = find_name_from(note, lists, first, 2)
    return (edges[0], more[1]) if more else edges


AFTER_TITLE = (" ", ". ", ".", ".  ")
AFTER_INDICATOR = (" ", ", ", " (", ": ", ' "', "- ", " - ")
BEFORE_CREDENTIAL = re.compile(r",? {1,2}|,")


def find_after_titles(note: IndexedNote, lists: Lists, titles: frozenset[str]) -> Iterator[Edges]:
    """Yield the names after these titles."""
    for index in note.find_words(titles):
        first = index + 1
        if first >= len(note) or note.gap(first) not in AFTER_TITLE or not is_title(note, index):
            continue
        if note.word(index) in ("MS", "SR") and (
            note.gap(first) != ". " or note.lowered[first] not in lists.names
        ):
            continue  # multiple sclerosis, mental status, sustained release
        if edges := find_name_from(note, lists, first) or find_ordinary_name(note, lists, first):
            yield edges


def is_title(note: IndexedNote, index: int) -> bool:
    """Whether a word is a title: it has a capital, or a full stop and a capital behind it."""
    if note.is_capitalised(index):
        return True
    return (
        note.lowered[index] in SMALL_TITLES
        and note.gap(index + 1).startswith(".")
        and note.is_capitalised(index + 1)
    )


def find_ordinary_name(note: IndexedNote, lists: Lists, index: int) -> Edges | None:
    """Return the word after a title as a name, or None. After a title, a capitalised word that is also an
    ordinary word is a name, and so is one letter: ``Dr. Will``, ``Dr. X``."""
    if (
        lists.strict
        or not note.is_capitalised(index)
        or note.lowered[index] in FUNCTION_WORDS - {"will", "may"}
    ):
        return None
    if note.lowered[index - 1] in ("sr", "madam") or note.lowered[index] in RULE_CREDENTIAL_WORDS:
        return None
    return note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def patient_title(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name after Mr, Mrs, Ms, Miss."""
    return find_after_titles(note, lists, PATIENT_TITLES)


@rule("DOCTOR", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def doctor_title(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name after Dr, Doctor, Prof, and the second of two names after Drs."""
    yield from find_after_titles(note, lists, DOCTOR_TITLES)
    for index in note.find_words(["drs"]):
        for other in range(index + 3, min(index + 6, len(note))):
            if note.lowered[other - 1] == "and" and (edges := find_name_from(note, lists, other)):
                yield edges
                break


@rule("PATIENT", DOUGLASS, guess=True)
def other_title(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name of the lists after a title that is a common word too: Rev, Father, Captain."""
    for index in note.find_words(OTHER_TITLES):
        follows = index + 1 < len(note) and note.gap(index + 1) in (" ", ". ")
        if (
            note.is_capitalised(index)
            and follows
            and note.lowered[index + 1] in lists.names
            and (edges := find_name_from(note, lists, index + 1))
        ):
            yield edges


@rule("DOCTOR", DOUGLASS)
def credential(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name before MD, RN, PA-C and other credentials; "per rn" has none."""
    for index in note.find_words(RULE_CREDENTIAL_WORDS):
        if not index or not note.is_capitalised(index) or note.lowered[index - 1] == "per":
            continue
        if BEFORE_CREDENTIAL.fullmatch(note.gap(index)):
            match = CREDENTIAL.match(note.text, note.starts[index])
            if match and (edges := find_name_until(note, lists, index)):
                yield edges


@rule("PATIENT", f"{DOUGLASS} (name indicators); Sibanda & Uzuner 2006, section 4.1")
def relative(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name beside a word that says who it is: "wife Ana", "son, Leo", "Philip (brother)"."""
    return find_beside(note, lists, RELATIVES)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def staff(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A name beside a word for a clinician: "nurse Ana Ruiz", "PCP is Nowak"."""
    return find_beside(note, lists, STAFF)


def find_beside(note: IndexedNote, lists: Lists, indicators: frozenset[str]) -> Iterator[Edges]:
    """Yield the names after these indicators, and those before an indicator in parentheses."""
    for index in note.find_words(indicators):
        first = skip_indicator(note, index)
        if first and is_clear_name(note, lists, first) and (edges := find_name_from(note, lists, first)):
            yield edges
        before = index and note.gap(index) == " (" and is_clear_name(note, lists, index - 1)
        if before and (edges := find_name_until(note, lists, index)):
            yield edges


def skip_indicator(note: IndexedNote, index: int) -> int | None:
    """Return the index of the word that an indicator describes, or None: the next word, or the one after
    "named", "is", "name is", "'s name is"."""
    end = note.ends[index]
    first = index + 2 if note.text[end : end + 7].lower() == "'s name" else index + 1
    while first < len(note) and note.lowered[first] in NAMING_WORDS and note.gap(first) == " ":
        first += 1
    return first if first < len(note) and note.gap(first) in AFTER_INDICATOR else None


RULES = (doctor_title, patient_title, credential, doctor_field, patient_field, relative, staff, other_title)


@rule("DOCTOR", OURS)
def footer_initials(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """The initials of who dictated and who typed, alone in a line before dates, copies or the end of the
    note: "JRM/abc"."""
    places = {place for at in find_typists(note.text) for place in find_authors(note, at)}
    for match in filter(None, (INITIALS.match(note.text, place) for place in places)):
        is_last = not NOT_BLANK.search(note.text, match.end())
        is_abbreviation = all(lists.is_ordinary(match[name].lower()) for name in ("author", "typist"))
        if AFTER_INITIALS.match(note.text, match.end()) or (is_last and not is_abbreviation):
            yield match.span("author")
            yield match.span("typist")


def find_typists(text: str) -> Iterator[int]:
    """Yield the offsets of the signs between the initials of an author and of a typist."""
    return (match.start() for pattern in TYPISTS for match in pattern.finditer(text))


def find_authors(note: IndexedNote, at: int) -> Iterator[int]:
    """Yield where :data:`INITIALS` can begin, if the author's end at ``at``: at the word, or at the blanks
    before it that begin its line."""
    index = bisect_left(note.starts, at) - 1
    if note.ends[index] == at:
        start = note.starts[index]
        yield start
        before = note.gap(index)
        yield start - len(before) + len(before.rstrip(" \t"))


@rule("PATIENT", OURS, guess=True)
def name_over_address(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A line of two to four words, in any case, over a line with a house number and a street."""
    ends = (match.start() for match in HOUSE_OR_BOX.finditer(note.text))
    for match in match_lines(note.text, OVER_ADDRESS, ends):
        words = re.findall(r"[^\W\d_]+", match["name"])
        is_phrase = any(word.lower() in FUNCTION_WORDS - {"will", "may"} for word in words)
        is_titled = all(word.istitle() for word in words)
        if not is_phrase and (is_titled or not all(lists.is_ordinary(word.lower()) for word in words)):
            yield match.span("name")


@rule("PATIENT", OURS, guess=True)
def name_in_page_head(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A word in capitals, or "LAST, FIRST", in a column of a line that ends with a column that is a date."""
    starts = note.find_numbers(Beside(before=["  ", "\t ", "\t"]))
    dates = (start for start in starts if SHORT_DATE.match(note.text, start))
    for match in match_lines(note.text, PAGE_HEAD, dates):
        words = re.findall(r"[a-z]+", match["name"].lower())
        if not any(lists.is_ordinary(word) for word in words[:1]):
            yield match.span("name")


def match_lines(text: str, pattern: re.Pattern[str], offsets: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begins where a line does, in the lines of these offsets."""
    line, low = -1, 0
    for offset in sorted(offsets):
        start = max(line, text.rfind("\n", low, offset) + 1)
        if start != line and (match := pattern.match(text, start)):
            yield match
        line, low = start, offset


LAYOUT = (footer_initials, name_over_address, name_in_page_head)
