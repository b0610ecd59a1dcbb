"""Names of people: Douglass 2005, section 5.1.1; Tafvizi 2011, section 2.5.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.rules import approximate
from crfdeid.rules.lists import Lists
from crfdeid.rules.phrases import joined, run
from crfdeid.rules.rule import Edges, Note, rule

DOUGLASS = "Douglass 2005, section 5.1.1"
MOST = 4  # words of a name, initials and prefixes among them

PATIENT_TITLES = frozenset("mr mrs ms miss mister sr sra madam".split())
DOCTOR_TITLES = frozenset("dr drs doctor prof professor".split())
OTHER_TITLES = frozenset("rev reverend father rabbi sister capt captain sgt".split())
# Douglass 2005, table 5.1, has 148 of these; Sibanda & Uzuner 2006, section 4.1.
PREFIXES = frozenset("van von der den de del della da di du la le los bin ibn al el ter ten san st mc mac o d".split())
SMALL_PREFIXES = PREFIXES - {"st", "mc", "mac", "o", "d", "san"}
RELATIVES = frozenset(
    """wife husband spouse partner fiance fiancee girlfriend boyfriend mother father mom dad mum parents
    daughter daughters son sons child stepson stepdaughter brother brothers sister sisters sibling siblings
    grandmother grandfather grandson granddaughter aunt uncle niece nephew cousin friend friends neighbor
    neighbour roommate caregiver caretaker guardian proxy hcp kin visitor""".split()
)
STAFF = frozenset(
    """nurse rn resident intern attending surgeon fellow physician pcp cardiologist oncologist neurologist
    psychiatrist pediatrician urologist radiologist pathologist anesthesiologist therapist np pa hospitalist
    consultant dentist midwife provider social worker chaplain pharmacist""".split()
)
SAID = frozenset("named is called name names".split())
PATIENT_FIELDS = re.compile(
    r"(?:(?:pt|patient|member|client|last|first|full|legal|maiden|subscriber)(?:'s)?[ ]+name|name|patient|pt|last"
    r"|first|re|alias|aka)[ ]*(?::|=)[ \t]*",
    re.IGNORECASE,
)
PATIENT_FIELD_WORDS = frozenset(
    "pt patient member client last first full legal maiden subscriber name re alias aka".split()
)
DOCTOR_FIELDS = re.compile(
    r"(?:(?:attending|ordering|referring|primary|dictating|admitting|resident|consulting|signing|rendering)?[ ]?"
    r"(?:attending|physician|provider|surgeon|resident|pcp|doctor|author|radiologist|pathologist|md|assistant"
    r"|cosigner|interpreter|fellow|consultant)(?:[ ]care)?(?:[ ]physician|[ ]md)?(?:\(s\))?"
    r"|cc|cosigned|signed|dictated|transcribed|reviewed|verified|approved|read|interpreted|seen|referred)"
    r"(?:[ ](?:by|and[ ]signed[ ]by|electronically[ ]by))?[ ]*:[ \t]*(?:dr\.?[ ])?",
    re.IGNORECASE,
)
DOCTOR_FIELD_WORDS = frozenset(
    """attending ordering referring primary dictating admitting resident consulting signing rendering physician
    provider surgeon pcp doctor author radiologist pathologist md assistant cosigner fellow consultant cc
    cosigned signed dictated transcribed reviewed verified approved read interpreted seen referred""".split()
)
BY = frozenset("signed dictated reviewed verified approved read interpreted seen referred cosigned followed".split())
CREDENTIALS = re.compile(
    r"(?:M\.?[ ]?D\b|D\.?O\b|Ph\.?[ ]?D\b|R\.?N\b|L\.?P\.?N\b|N\.?P\b|A?RNP|CRNP|P\.?A(?:-C)?\b|CRNA|CNM|D\.?D\.?S\b"
    r"|D\.?M\.?D\b|DPM|Pharm\.?D\b|RPh|LICSW|LCSW|MSW|PsyD|MBBS|DPT|OTR|SLP|RRT)(?![\w])"
)
CREDENTIAL_WORDS = frozenset(
    """m md d do ph phd r rn l lpn n np arnp rnp crnp p pa crna cnm dds dmd dpm pharmd pharm rph licsw lcsw msw
    psyd mbbs dpt otr slp rrt""".split()
)
FUNCTION = frozenset(
    """a an and are as at but by for from had has have he her his i if in is it its no not of on or our she so
    that the their then there they this to was we were who will with you your when while after before also does
    did do been said says may can could should would please here""".split()
)


def letters(note: Note, index: int) -> bool:
    return note.words[index][0].isalpha()


def nameable(note: Note, lists: Lists, index: int) -> bool:
    """A capitalised word that could be a name: in a list of names, or in no list of words."""
    word = note.lowered[index]
    if not note.capital(index) or word in FUNCTION or len(word) < 2:
        return False
    return word in lists.named or not lists.plain(word)


def part(note: Note, lists: Lists, index: int) -> bool:
    """What a name may go on with: a name, an initial, or a prefix before a name."""
    if nameable(note, lists, index):
        return note.lowered[index] not in CREDENTIAL_WORDS or not note.words[index].isupper()
    word = note.words[index]
    if len(word) == 1:
        return word.isupper() and (index + 1 == len(note) or "\n" not in note.gap(index + 1))
    follows = index + 1 < len(note) and joined(note, index + 1) and nameable(note, lists, index + 1)
    return word.lower() in PREFIXES and follows


def name_from(note: Note, lists: Lists, first: int, most: int = MOST) -> Edges | None:
    """The name that begins at word ``first``, if one does: at least one word of two letters."""
    stop = run(note, first, lambda i: part(note, lists, i), most)
    while stop > first and (len(note.words[stop - 1]) == 1 and ends_sentence(note, stop)):
        stop -= 1
    if stop > first and any(len(note.words[i]) > 1 and note.capital(i) for i in range(first, stop)):
        return note.edges(first, stop)
    return None


def ends_sentence(note: Note, stop: int) -> bool:
    """Whether the single letter before ``stop`` is the credential M of M.D. or such."""
    return stop < len(note) and note.gap(stop) in (".", ". ") and len(note.words[stop]) == 1


def after_titles(note: Note, lists: Lists, titles: frozenset[str]) -> Iterator[Edges]:
    for index in note.places(titles):
        if not note.capital(index) or index + 1 >= len(note) or note.gap(index + 1) not in (" ", ". ", ".", ".  "):
            continue
        if note.words[index] == "MS" and note.gap(index + 1) == " " and note.lowered[index + 1] not in lists.named:
            continue  # multiple sclerosis, mental status, milliseconds
        if (edges := name_from(note, lists, index + 1)) or (edges := stand_in(note, lists, index + 1)):
            yield edges


def stand_in(note: Note, lists: Lists, index: int) -> Edges | None:
    """After a title, a capitalised word that is a common word too is a name, and so is one
    letter: ``Dr. Will``, ``Dr. X``."""
    word = note.words[index]
    if lists.strict or not word[0].isupper() or note.lowered[index] in FUNCTION - {"will", "may"}:
        return None
    return note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def patient_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name after Mr, Mrs, Ms, Miss."""
    return after_titles(note, lists, PATIENT_TITLES)


@rule("DOCTOR", f"{DOUGLASS}; Tafvizi 2011, section 2.5.1")
def doctor_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name after Dr, Doctor, Prof, and each of several names after Drs."""
    for start, end in after_titles(note, lists, DOCTOR_TITLES):
        yield start, end
    for index in note.places(["drs"]):
        for other in range(index + 2, min(index + 6, len(note))):
            if note.lowered[other - 1] == "and" and (edges := name_from(note, lists, other)):
                yield edges
                break


@rule("PATIENT", DOUGLASS, guess=True)
def other_title(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name of the lists after a title that is a common word too: Rev, Father, Captain."""
    for index in note.places(OTHER_TITLES):
        follows = index + 1 < len(note) and note.gap(index + 1) in (" ", ". ")
        if note.capital(index) and follows and note.lowered[index + 1] in lists.named:
            if edges := name_from(note, lists, index + 1):
                yield edges


@rule("DOCTOR", DOUGLASS)
def credential(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name before MD, RN, PA-C and other credentials."""
    for index in note.places(CREDENTIAL_WORDS):
        if index and note.capital(index) and re.fullmatch(r",? {1,2}|,", note.gap(index)):
            if CREDENTIALS.match(note.text, note.starts[index]) and (edges := name_until(note, lists, index)):
                yield edges


def name_until(note: Note, lists: Lists, stop: int) -> Edges | None:
    """The name that ends before word ``stop``: ``Bryan J. Ruiz`` or ``Ruiz, Bryan``."""
    first = stop
    while first and stop - first < MOST and (part(note, lists, first - 1) or prefix(note, first - 1)):
        if first < stop and not joined(note, first):
            break
        first -= 1
    if first == stop or not any(nameable(note, lists, i) for i in range(first, stop)):
        return None
    if first and note.gap(first) in (", ", ",") and stop - first < 3 and nameable(note, lists, first - 1):
        first -= 1
    return note.edges(first, stop)


def prefix(note: Note, index: int) -> bool:
    return note.lowered[index] in SMALL_PREFIXES


@rule("PATIENT", f"{DOUGLASS} (name indicators); Sibanda & Uzuner 2006, section 4.1")
def relative(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name beside a word that says who it is: "wife Ana", "son, Leo", "Philip (brother)"."""
    yield from beside(note, lists, RELATIVES)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def staff(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name beside a word for a clinician: "nurse Ana Ruiz", "PCP is Nowak"."""
    yield from beside(note, lists, STAFF)


def beside(note: Note, lists: Lists, indicators: frozenset[str]) -> Iterator[Edges]:
    for index in note.places(indicators):
        if (first := after_indicator(note, index)) and clear_enough(note, lists, first):
            if edges := name_from(note, lists, first):
                yield edges
        if note.gap(index) in (" (", ", ", " (his ", " (her ") and note.capital(index - 1):
            if note.gap(index) == " (" and clear_enough(note, lists, index - 1):
                if edges := name_until(note, lists, index):
                    yield edges


def after_indicator(note: Note, index: int) -> int | None:
    """The word that an indicator tells of: the next, or the one past "named", "is", "name is"."""
    first = index + 1
    while first < len(note) and note.lowered[first] in SAID and note.gap(first) == " " and first - index < 3:
        first += 1
    if first >= len(note) or note.gap(first) not in (" ", ", ", " (", ": ", ' "', "- ", " - "):
        return None
    return first


def clear_enough(note: Note, lists: Lists, index: int) -> bool:
    """Beside an indicator, a name that is a word too must not be written as a word in this note."""
    word = note.lowered[index]
    if not nameable(note, lists, index) or (note.words[index].isupper() and len(word) < 5):
        return False
    return word in lists.popular or not lists.plain(word) or (word in lists.first and word not in note.small)


@rule("PATIENT", f"{DOUGLASS} (name indicators)")
def patient_field(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Patient:" or "Name:", last name first or last."""
    yield from in_fields(note, lists, PATIENT_FIELD_WORDS, PATIENT_FIELDS)


@rule("DOCTOR", f"{DOUGLASS} (name indicators)")
def doctor_field(note: Note, lists: Lists) -> Iterator[Edges]:
    """A name in a field such as "Attending:" or after "Dictated by"."""
    yield from in_fields(note, lists, DOCTOR_FIELD_WORDS, DOCTOR_FIELDS)
    for index in note.places(BY):
        if note.after(index) == "by" and index + 2 < len(note) and note.gap(index + 2) in (" ", ": "):
            if clear_enough(note, lists, index + 2) and (edges := name_from(note, lists, index + 2)):
                yield edges


def in_fields(note: Note, lists: Lists, words: frozenset[str], fields: re.Pattern[str]) -> Iterator[Edges]:
    index_at = {start: index for index, start in enumerate(note.starts)} if note.at.keys() & words else {}
    for index in note.places(words):
        match = fields.match(note.text, note.starts[index])
        first = index_at.get(match.end()) if match else None
        if first is not None and nameable(note, lists, first) and (edges := name_from(note, lists, first)):
            yield with_first_name(note, lists, edges, index_at)


def with_first_name(note: Note, lists: Lists, edges: Edges, index_at: dict[int, int]) -> Edges:
    """``Ruiz, Ana`` where ``Ruiz`` was found."""
    match = re.compile(r", ?").match(note.text, edges[1])
    following = index_at.get(match.end()) if match else None
    if following is None or not nameable(note, lists, following):
        return edges
    more = name_from(note, lists, following, 2)
    return (edges[0], more[1]) if more and note.lowered[following] not in CREDENTIAL_WORDS else edges


@rule("PATIENT", f"{DOUGLASS} (initials)", guess=True)
def initials_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """Initials before a surname: "J. Ruiz", "B.M. Nowak"; without full stop, one of the list alone."""
    for index in note.places("abcdefghijklmnopqrstuvwxyz"):
        name = index + 1
        if not note.capital(index) or name >= len(note) or len(note.words[name]) < 3:
            continue
        stop, word = note.gap(name), note.lowered[name]
        listed = word in lists.surnames and (word in lists.clear_surnames or stop != " ")
        if stop in (". ", ".", " ") and note.capital(name) and listed and word not in lists.eponyms:
            first = index - 1 if initial_before(note, index) else index
            yield note.edges(first, name + 1)


def initial_before(note: Note, index: int) -> bool:
    return index > 0 and len(note.words[index - 1]) == 1 and note.capital(index - 1) and note.gap(index) in (".", ". ")


@rule("PATIENT", f"{DOUGLASS}, table 5.1 (last name prefixes)", guess=True)
def surname_prefix(note: Note, lists: Lists) -> Iterator[Edges]:
    """A surname with a prefix: "van der Berg", "O'Malley", "de la Cruz"."""
    for index in note.places(PREFIXES - {"st", "san", "mc", "mac", "la", "los", "el", "al"}):
        apostrophe = note.lowered[index] in ("o", "d") and index + 1 < len(note) and note.gap(index + 1) in "'’"
        if note.lowered[index] in ("o", "d") and not (apostrophe and note.capital(index)):
            continue
        stop = run(note, index, lambda i: note.lowered[i] in PREFIXES, 3)
        if stop < len(note) and stop > index and joined(note, stop) and nameable(note, lists, stop):
            if apostrophe or (note.lowered[stop] in lists.named and note.lowered[stop] not in lists.eponyms):
                yield note.edges(index, stop + 1)


@rule("PATIENT", f"{DOUGLASS} (first names before last names)", guess=True)
def first_and_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """A first name of the list, an initial if any, and a surname of the list or a word of none."""
    for index in note.places(lists.first):
        if not note.capital(index):
            continue
        last = index + 1
        if last < len(note) and len(note.words[last]) == 1 and note.capital(last) and joined(note, last):
            last += 1
        if last < len(note) and joined(note, last) and surname_after(note, lists, index, last):
            if edges := name_from(note, lists, index):
                yield edges


def surname_after(note: Note, lists: Lists, first: int, last: int) -> bool:
    """Whether the words ``first`` and ``last`` make a name: not both of them may be words."""
    if note.lowered[last] in PREFIXES:
        return part(note, lists, last)
    if not nameable(note, lists, last) or note.lowered[last] in lists.eponyms:
        return False
    name, surname = note.lowered[first], note.lowered[last]
    sure = name in lists.popular or name in lists.clear_first
    return sure or (surname in lists.clear_surnames and name not in lists.eponyms)


@rule("PATIENT", f"{DOUGLASS}, table 5.1", guess=True)
def surname_comma_first(note: Note, lists: Lists) -> Iterator[Edges]:
    """Last name, comma, first name: "RUIZ, ANA M"."""
    for index in note.places(lists.first):
        if not index or note.gap(index) not in (", ", ",") or not note.capital(index):
            continue
        surname, name = note.lowered[index - 1], note.lowered[index]
        if not nameable(note, lists, index - 1) or surname in lists.first - lists.clear_surnames:
            continue
        if surname in lists.clear_surnames or name in lists.popular or name in lists.clear_first:
            first = index - 2 if index > 1 and note.gap(index - 1) in "'’-" and nameable(note, lists, index - 2) else index - 1
            initial = name_from(note, lists, index, 2)
            yield note.starts[first], initial[1] if initial else note.ends[index]


@rule("PATIENT", f"{DOUGLASS}, table 5.1 (popular names)", guess=True)
def popular_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """One of the most common first names with a capital; without one, if it is no word."""
    for index in note.places(lists.popular):
        word = note.lowered[index]
        if word in lists.eponyms or word in lists.places:
            continue
        if note.capital(index) or not lists.plain(word):
            yield note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS}, table 5.1 (unambiguous names)", guess=True)
def clear_first_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised first name that is no common or medical word, place or eponym."""
    return alone(note, lists.clear_first)


@rule("PATIENT", f"{DOUGLASS}, table 5.1 (unambiguous names)", guess=True)
def clear_surname(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised surname that is no common or medical word, place or eponym."""
    return alone(note, lists.clear_surnames)


def alone(note: Note, names: frozenset[str]) -> Iterator[Edges]:
    """Capitalised words of the list. In capitals throughout, one of four letters or fewer is
    rather an abbreviation."""
    for index in note.places(names):
        word = note.words[index]
        if word[0].isupper() and (len(word) > 4 or not word.isupper()) and word.lower() not in note.small:
            yield note.edges(index, index + 1)


@rule("PATIENT", f"{DOUGLASS} (approximate matching)", guess=True)
def misspelt_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A capitalised word of no list that is one of the most common first names but for a slip
    or two: "Willaim"."""
    for word, places in note.at.items():
        if len(word) >= approximate.SHORTEST and word not in lists.named and not word[0].isdigit():
            if not lists.plain(word) and word not in lists.eponyms | lists.places and approximate.close(word, lists.popular):
                yield from (note.edges(i, i + 1) for i in places if note.capital(i) and word not in note.small)


RULES = (
    doctor_title, patient_title, credential, doctor_field, patient_field, relative, staff, other_title,
    surname_comma_first, first_and_surname, initials_surname, surname_prefix, popular_name, clear_first_name,
    clear_surname, misspelt_name,
)  # fmt: skip
