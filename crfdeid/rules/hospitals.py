"""Hospitals: Douglass 2005, section 5.1.2; Tafvizi 2011, section 2.5.4."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.ordinary import Lists, stems
from crfdeid.rules.note import Edges, IndexedNote
from crfdeid.rules.rule import FUNCTION_WORDS, PLACE_GAP, find_capitalised_entries, is_thing_name, rule

TAFVIZI = "Tafvizi 2011, section 2.5.4"
# The words that name the kind of institution, at the end of its name.
HEAD_WORDS = (
    "hospital", "hospitals", "hosp", "infirmary", "hospice", "sanatorium", "sanitarium", "clinic",
    "medical center", "medical centre", "medical ctr", "med center", "med ctr", "health center",
    "health centre", "health system", "healthcare", "health care", "rehab", "rehab center",
    "rehabilitation", "rehabilitation center", "rehabilitation hospital", "nursing home",
    "nursing center", "nursing facility", "cancer center", "cancer institute", "heart institute",
    "eye institute", "care center", "surgery center", "dialysis center", "manor", "pavilion", "vamc",
    "assisted living", "medical group", "medical associates", "family practice", "primary care",
    "general", "memorial",
)  # fmt: skip
HEADS = {
    first: [tuple(head.split()[1:]) for head in HEAD_WORDS if head.split()[0] == first]
    for first in {head.split()[0] for head in HEAD_WORDS}
}  # what follows the first word of a head
HEAD_STARTS = frozenset(HEADS)
INSTITUTIONS = HEAD_STARTS | word_set("center centre ctr institute home school college university group")
# These occur in names of hospitals, but are not a name by themselves.
GENERIC_WORDS = word_set(
    """the a an this our your local outside community general memorial regional university hospital
    center medical day children childrens state county city veterans affairs acute care home
    admission discharge emergency course inpatient outpatient primary nursing rehab rehabilitation
    health system in at"""
)
# Heads before which an ordinary word is not a name; and words that precede other heads and are not names.
WEAK_HEADS = word_set(
    "clinic hospice rehab healthcare health primary family general memorial pavilion assisted"
)
WORDS_BEFORE_HEADS = (
    GENERIC_WORDS
    | FUNCTION_WORDS
    | word_set(
        """skilled long term acute sub subacute post same short inpatient previous prior recent first second
    last next another other area nearby new old private public teaching tertiary referring
    transferring receiving psychiatric mental military base field general house"""
    )
)
NEVER_IN_NAMES = FUNCTION_WORDS - {"of", "and"}
TRAILING_WORDS = word_set(
    """st saint mt of and the s general memorial regional university children medical"""
)
SHORT_WORDS = word_set("st mt mc la el ny va")
LONGEST_NAME = 5  # words before the head
LONGEST_ABBREVIATION = 5  # letters
ABBREVIATION = re.compile(
    r"(?:at|from|to|in) (?P<phi>[A-Z]{2,6})\b"
    r"(?![-/]|\.\w| \d| [A-Z]{2}| (?:of|level)\b)"
)
MOVING_WORDS = word_set(
    """transfer transferred admitted discharged presented brought referred seen hospitalized sent
    followed care admission presents drawn done dx diagnosed evaluated treated performed records
    visit clinic"""
)
MOVING_DISTANCE = 5  # words, at most, from such a word to the preposition
NOT_HOSPITALS = word_set(
    """ed er ew icu micu sicu ccu cvicu nicu picu pacu tcu or osh ot pt snf cath ent gi gu ob obgyn gyn
    ir ct mri ltac rehab opd ob cvu msicu nsicu tsicu csru ercp ep or iv im sl po pcp hd rt lt us
    usa uk pr am pm labor nh cpap bipap acls vvir ddd ap vvi aai rusb lusb llsb rlsb dej lsb ua cc
    ppm pe rv lv aic bid tid qd prn npo dnr dni"""
)


@rule("HOSPITAL", f"{TAFVIZI} (list)")
def hospital_list(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A hospital of the list: all of its words are capitalised except the short ones."""
    for first, stop in find_capitalised_entries(note, lists.hospitals):
        length = stop - first
        single = length == 1 and is_ambiguous(note, lists, first)
        if not single and not is_thing_name(note, stop - 1, length):
            yield note.edges(first, stop)


def is_ambiguous(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a single word is also a name or an ordinary word, or follows a hyphen (R-CHOP)."""
    word = note.lowered[index]
    return (
        word in lists.names
        or word in lists.eponyms
        or lists.is_ordinary(word)
        or note.gap(index).endswith("-")
    )


@rule("HOSPITAL", f"{TAFVIZI} (head words)")
def hospital_head(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """Capitalised words before "Hospital", "Medical Center", "Rehab" and other head words, and
    "of" with capitalised words behind them."""
    for index in note.find_capitalised(HEAD_STARTS):
        first = index
        for rest in HEADS[note.lowered[index]]:
            stop = index + 1 + len(rest)
            if tuple(note.lowered[index + 1 : stop]) == rest:
                first = find_name_start(note, lists, index) if first == index else first
                if first < index and not (note.word(index) == "GENERAL" and is_before_anesthesia(note, stop)):
                    yield note.edges(first, extend_past_of(note, lists, stop))


def is_before_anesthesia(note: IndexedNote, index: int) -> bool:
    return index < len(note) and note.lowered[index] in (
        "anesthesia",
        "anesthetic",
        "anaesthesia",
        "endotracheal",
    )


def find_name_start(note: IndexedNote, lists: Lists, index: int) -> int:
    """Return the index of the first word of the name before the head at ``index``; ``index`` if there is
    none. The name begins with a capital and has at least one word that is not generic and not medical;
    before a weak head, that word is not ordinary either."""
    first, start = index, index
    plain_allowed = note.lowered[index] not in WEAK_HEADS and not lists.strict
    while first and index - first < LONGEST_NAME and PLACE_GAP.fullmatch(note.gap(first)):
        word = note.lowered[first - 1]
        if note.gap(first).startswith(".") and word not in SHORT_WORDS:
            break
        if (
            not (note.is_capitalised(first - 1) or word in ("of", "and", "s"))
            or word in NEVER_IN_NAMES
            or word.isdigit()
        ):
            break
        first -= 1
        if note.is_capitalised(first) and (
            is_naming_word(note, lists, first) or (plain_allowed and is_common_name_word(note, lists, first))
        ):
            start = first
    while (
        start < index
        and start > first
        and note.lowered[start - 1] in TRAILING_WORDS
        and note.is_capitalised(start - 1)
    ):
        start -= 1
    return start


def is_naming_word(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether the word can make a name of a hospital by itself."""
    word = note.lowered[index]
    if word in FUNCTION_WORDS or word in GENERIC_WORDS or word in ("of", "and", "s"):
        return False
    if lists.strict and lists.is_ordinary(word):
        return False
    if note.word(index).isupper() and len(word) <= LONGEST_ABBREVIATION and word not in lists.ordinary_words:
        return True
    known = word in lists.names or word in lists.place_words
    return word in SHORT_WORDS or not lists.is_ordinary(word) or (known and not note.is_written_small(word))


def is_common_name_word(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a capitalised word is common but not medical, and not written small in the note: "Walnut"."""
    word = note.lowered[index]
    is_medical = word in lists.medical_words or any(stem in lists.medical_words for stem in stems(word))
    return (
        note.word(index).istitle()
        and len(word) > 3
        and not is_medical
        and word not in WORDS_BEFORE_HEADS
        and not note.is_written_small(word)
    )


def extend_past_of(note: IndexedNote, lists: Lists, stop: int) -> int:
    """Return the end of the name behind a head: after "of" or "at" and the capitalised words of a name, else
    ``stop``."""
    if stop < len(note) and note.lowered[stop] in ("of", "at") and note.gap(stop) == " ":
        more = stop + 1
        while (
            more < len(note)
            and more - stop < 4
            and note.is_capitalised(more)
            and PLACE_GAP.fullmatch(note.gap(more))
        ):
            more += 1
        if is_naming_word(note, lists, more - 1):
            return more
    return stop


@rule("HOSPITAL", f"{TAFVIZI} (head words)")
def hospital_of(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """ "Hospital of" or "University of" with capitalised words: "University Hospital of Dunmore"."""
    for index in note.find_words(["hospital", "hospitals", "clinic", "infirmary"]):
        first, end = index, index + 1
        if note.is_capitalised(index) and (stop := extend_past_of(note, lists, end)) > end:
            while (
                first
                and note.is_capitalised(first - 1)
                and note.gap(first) == " "
                and note.lowered[first - 1] in GENERIC_WORDS
            ):
                first -= 1
            yield note.edges(first, stop)


@rule("HOSPITAL", "Douglass 2005, section 5.1.2 (indicators); ours")
def hospital_indicator(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """An abbreviation that is not a medical one, behind "at", or behind another preposition after
    "transferred", "admitted" and the like: "drawn at NEGH"."""
    for index in note.find_words(["at", "from", "to", "in"]):
        match = ABBREVIATION.match(note.text, note.starts[index])
        if not match or (word := match["phi"].lower()) in NOT_HOSPITALS or lists.is_ordinary(word):
            continue
        if is_explained(note.text, match["phi"]):
            continue
        if note.lowered[index] == "at" or MOVING_WORDS.intersection(
            note.lowered[max(0, index - MOVING_DISTANCE) : index]
        ):
            yield match.span("phi")


def is_explained(text: str, abbreviation: str) -> bool:
    """Whether a text explains an abbreviation in small letters as something other than an institution.

    >>> is_explained("prenatal diagnosis (PND)", "PND"), is_explained("our teaching hospital (NEGH)", "NEGH")
    (True, False)
    """
    at = text.find(f"({abbreviation})")
    word = (text[max(0, at - 30) : max(0, at)].split() or [""])[-1]
    return word.isalpha() and word.islower() and word not in INSTITUTIONS


RULES = (hospital_list, hospital_head, hospital_of, hospital_indicator)
