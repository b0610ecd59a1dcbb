"""Repair of the spans that a tagger found: :data:`FORMS` lists what is repaired, with a sample of each.

A form is a function from the text and its spans, in order, to better spans in order. It moves edges, splits,
joins, changes types, and adds the name that a title or a number beside it announces. It takes out of a span
only punctuation, times beside a date, and words of closed lists; and it drops an age, a date or a number that
the text beside it shows to be a measure, a duration, a score, a time, an ordinal or a code. No other letter
or digit loses its span. The forms here are of English notes and of the types of i2b2-2014; another language
names its own in its pack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.repair.cues import drop_words, find_names, read_cues
from crfdeid.repair.dates import (
    drop_dates,
    join_feast_names,
    join_feasts,
    join_weekdays,
    split_dates,
    split_name_and_date,
    trim_date_words,
    widen_lists,
    widen_scans,
)
from crfdeid.repair.names import (
    join_components,
    join_names,
    join_nicknames,
    mark_names,
    split_names,
    trim_titles,
    widen_names,
    widen_scanned_names,
)
from crfdeid.repair.numbers import (
    COUNTED_TYPES,
    LABELLED,
    drop_ages,
    drop_numbers,
    join_glued_name,
    join_numbers,
    mark_numbers,
    mark_phones,
    split_glued_name,
    split_numbers,
    split_phones,
    widen_ages,
    widen_numbers,
)
from crfdeid.repair.places import (
    OTHER_PIECES,
    PLACES,
    find_addresses,
    find_towns,
    join_hospitals,
    join_streets,
    mark_places,
    read_addresses,
    split_places,
    trim_departments,
    widen_hospitals,
    widen_streets,
)
from crfdeid.repair.spans import (
    NAMES,
    NUMBERS,
    PHONE_TYPES,
    JoinedTexts,
    Repair,
    split_gaps,
    trim_fields,
    trim_marks,
)
from crfdeid.text.document import Document, Span

__all__ = ["BY_SCHEME", "FORMS", "Repair", "find_forms", "repair_batch", "repair_spans"]

ROUNDS = 8  # a repaired span can need another form
NO_CAPITALS = bytes({*range(256)} - {*b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
SMALL = 120  # characters for each capital of a note in small letters: about twenty words

FORMS = {
    "split_gaps": Repair(
        split_gaps, "<STREET|0611    12 Knoll Blvd>, Erie", "<STREET|0611>    <STREET|12 Knoll Blvd>, Erie"
    ),
    "split_numbers": Repair(
        split_numbers,
        "/ 80 M / <DATE|47110532 / 03/07/14>",
        "/ 80 M / <MEDICALRECORD|47110532> / <DATE|03/07/14>",
        NUMBERS | {"DATE"},
    ),
    "join_numbers": Repair(
        join_numbers,
        "/ <USERNAME|87 30> <MEDICALRECORD|38> / ",
        "/ <MEDICALRECORD|87 30 38> / ",
        frozenset({"MEDICALRECORD"}),
    ),
    "split_glued_name": Repair(
        split_glued_name,
        "<MEDICALRECORD|30990453SMITH> ",
        "<MEDICALRECORD|30990453><PATIENT|SMITH> ",
        NAMES | LABELLED,
    ),
    "join_glued_name": Repair(
        join_glued_name,
        "<IDNUM|30990453><PATIENT|SMITH>, <PATIENT|JOHN>",
        "<IDNUM|30990453><PATIENT|SMITH, JOHN>",
        NAMES,
    ),
    "split_phones": Repair(
        split_phones,
        "T: <PHONE|617-555-0101 / 617-555-0102>",
        "T: <PHONE|617-555-0101> / <PHONE|617-555-0102>",
        PHONE_TYPES,
    ),
    "split_names": Repair(
        split_names, "cc: <DOCTOR|Ana Ruiz, Leo Roth>", "cc: <DOCTOR|Ana Ruiz>, <DOCTOR|Leo Roth>", NAMES
    ),
    "split_places": Repair(
        split_places,
        "of <DOCTOR|Elm Clinic, Erie> today",
        "of <HOSPITAL|Elm Clinic>, <CITY|Erie> today",
        PLACES | NAMES,
    ),
    "trim_fields": Repair(trim_fields, "MRN 1 | <IDNUM|CSN 0-70327691>", "MRN 1 | CSN <IDNUM|0-70327691>"),
    "split_dates": Repair(
        split_dates,
        "used <DATE|01.09.2024 – 30.09.2024> daily",
        "used <DATE|01.09.2024> – <DATE|30.09.2024> daily",
        frozenset({"DATE"}),
    ),
    "widen_scans": Repair(
        widen_scans, "on <DATE|l><AGE|3> <DATE|Feb> at", "on <DATE|l3 Feb> at", frozenset({"DATE"})
    ),
    "widen_lists": Repair(
        widen_lists, "on <DATE|Aug 6>, 7 and <DATE|8>.", "on <DATE|Aug 6, 7 and 8>.", frozenset({"DATE"})
    ),
    "join_weekdays": Repair(
        join_weekdays, "on <DATE|Tues>, the <DATE|3rd> at", "on <DATE|Tues, the 3rd> at", frozenset({"DATE"})
    ),
    "join_feasts": Repair(
        join_feasts,
        "on <CITY|St. Joseph><DATE|'s Day> or <PATIENT|Michaelmas> <DATE|2016> at",
        "on <DATE|St. Joseph's Day> or <DATE|Michaelmas 2016> at",
        frozenset({"DATE"}),
    ),
    "join_feast_names": Repair(
        join_feast_names,
        "by Dr. <DOCTOR|Ana> <DATE|Christmas> and <DOCTOR|A.> <DATE|Christmas>",
        "by Dr. <DOCTOR|Ana Christmas> and <DOCTOR|A. Christmas>",
        frozenset({"DATE"}),
    ),
    "split_name_and_date": Repair(
        split_name_and_date,
        "<DATE|Roth 30.11.1990> at",
        "<PATIENT|Roth> <DATE|30.11.1990> at",
        frozenset({"DATE"}),
    ),
    "trim_date_words": Repair(
        trim_date_words, "seen <DATE|on 3/7> here", "seen on <DATE|3/7> here", frozenset({"DATE"})
    ),
    "trim_departments": Repair(
        trim_departments,
        "in <HOSPITAL|Elm Clinic Emergency Department> now",
        "in <HOSPITAL|Elm Clinic> Emergency Department now",
        PLACES,
    ),
    "trim_marks": Repair(trim_marks, "mail <EMAIL|a@b.org.> or", "mail <EMAIL|a@b.org>. or"),
    "find_addresses": Repair(
        find_addresses,
        "to <EMAIL|a.ruiz@elm>.info now",
        "to <EMAIL|a.ruiz@elm.info> now",
        search=read_addresses,
    ),
    "find_towns": Repair(
        find_towns,
        'at "<STREET|12 Knoll Blvd>","Erie","PA","16501"',
        'at "<STREET|12 Knoll Blvd>","<CITY|Erie>","<STATE|PA>","<ZIP|16501>"',
        frozenset({"STREET"}),
    ),
    "widen_numbers": Repair(
        widen_numbers,
        "no. MR<MEDICALRECORD|268398>",
        "no. <MEDICALRECORD|MR268398>",
        NUMBERS | {"DEPARTMENT", "ROOM"},
    ),
    "widen_ages": Repair(widen_ages, "a 2-1/<AGE|2>-year-old", "a <AGE|2-1/2>-year-old", frozenset({"AGE"})),
    "trim_titles": Repair(
        trim_titles,
        "her <PATIENT|Auntie Ana> saw <DOCTOR|Leo Roth MFOM>",
        "her Auntie <PATIENT|Ana> saw <DOCTOR|Leo Roth> MFOM",
        NAMES,
    ),
    "join_nicknames": Repair(
        join_nicknames,
        '<PATIENT|Ana> "<PATIENT|Bee>" <PATIENT|Ruiz> came',
        '<PATIENT|Ana "Bee" Ruiz> came',
        NAMES,
    ),
    "join_names": Repair(
        join_names, "<PATIENT|Muthu> s/o <PATIENT|Krishnan>, 61", "<PATIENT|Muthu s/o Krishnan>, 61", NAMES
    ),
    "join_components": Repair(
        join_components, "||BELL^<PATIENT|MARTIN>^F||", "||<PATIENT|BELL^MARTIN^F>||", NAMES
    ),
    "widen_names": Repair(widen_names, "by Mc<DOCTOR|Namara> today", "by <DOCTOR|McNamara> today", NAMES),
    "widen_scanned_names": Repair(
        widen_scanned_names, "by <DOCTOR|Ana Gi><AGE|11> at", "by <DOCTOR|Ana Gi11> at", NAMES
    ),
    "join_streets": Repair(
        join_streets,
        "at <STREET|Elm House>, <STREET|12 Knoll Rd> now",
        "at <STREET|Elm House, 12 Knoll Rd> now",
        frozenset({"STREET", "DATE"}),
    ),
    "widen_streets": Repair(
        widen_streets,
        "at unit <STREET|7 Knoll Rd>, Flat 2B now",
        "at <STREET|unit 7 Knoll Rd, Flat 2B> now",
        frozenset({"STREET"}),
    ),
    "join_hospitals": Repair(
        join_hospitals,
        "at <HOSPITAL|Lady> of the <HOSPITAL|Lakes Hospital>",
        "at <HOSPITAL|Lady of the Lakes Hospital>",
        frozenset({"HOSPITAL", "CITY"}),
    ),
    "widen_hospitals": Repair(
        widen_hospitals,
        "<HOSPITAL|Elm Clinic>, Inc. wrote",
        "<HOSPITAL|Elm Clinic, Inc.> wrote",
        frozenset({"HOSPITAL", "CITY"}),
    ),
    "mark_places": Repair(
        mark_places,
        "at <CITY|Elm Clinic> today",
        "at <HOSPITAL|Elm Clinic> today",
        OTHER_PIECES | {"HOSPITAL"},
    ),
    "drop_words": Repair(
        drop_words, "at <HOSPITAL|the hospital> now", "at the hospital now", NAMES | {"HOSPITAL"}
    ),
    "drop_dates": Repair(
        drop_dates,
        "AMTS <DATE|6/10>, seen <DATE|6/10>",
        "AMTS 6/10, seen <DATE|6/10>",
        frozenset({"DATE", "STREET"}),
    ),
    "drop_ages": Repair(
        drop_ages, "<AGE|47> mi from her, <AGE|61> M", "47 mi from her, <AGE|61> M", frozenset({"AGE"})
    ),
    "drop_numbers": Repair(
        drop_numbers, "seen ~<PHONE|0105>, CPT <ZIP|90837>", "seen ~0105, CPT 90837", COUNTED_TYPES
    ),
    "find_names": Repair(find_names, "by Dr. Roth today", "by Dr. <DOCTOR|Roth> today", search=read_cues),
    "mark_phones": Repair(mark_phones, "Fax: <PHONE|617-555-0101>", "Fax: <FAX|617-555-0101>", PHONE_TYPES),
    "mark_numbers": Repair(
        mark_numbers, "ACCT NO: <IDNUM|5811528013>", "ACCT NO: <ACCOUNT|5811528013>", LABELLED
    ),
    "mark_names": Repair(mark_names, "Attending: <PATIENT|Ana Ruiz>", "Attending: <DOCTOR|Ana Ruiz>", NAMES),
}
BY_SCHEME = {"i2b2-2014": tuple(FORMS.values())}


def find_forms(scheme: str, language: str = ENGLISH) -> Sequence[Repair]:
    """Return the forms for notes of a language in the types of a scheme, none where it has none."""
    found: Mapping[str, Sequence[Repair]] = find_language(language).load("repair") or {}
    return found.get(scheme, ())


def repair_spans(document: Document, forms: Iterable[Repair] = tuple(FORMS.values())) -> Document:
    """Return the document with repaired spans. Where spans overlap, it stays as it is.

    >>> from crfdeid.text.document import Span
    >>> note = repair_spans(Document("n", "mail a.ruiz@x.org. Thanks", (Span(5, 18, "EMAIL"),)))
    >>> [note.text_of(span) for span in note.spans]
    ['a.ruiz@x.org']
    """
    return repair_batch([document], forms)[0]


def repair_batch(
    documents: Sequence[Document], forms: Iterable[Repair] = tuple(FORMS.values())
) -> list[Document]:
    """Return the documents with repaired spans, as :func:`repair_spans` does. A form goes through all of them
    before the next one, so that the processor keeps what the form needs."""
    chosen = list(forms)
    joined = JoinedTexts([show_capitals(document.text) for document in documents])
    notes = [_Note(number, document.spans, len(chosen)) for number, document in enumerate(documents)]
    changing = [note for note in notes if not _has_overlap(note.spans)]
    found: dict[int, Sequence[Sequence[Span]]] = {}  # by the index of a form that searches
    for _ in range(ROUNDS):
        before = [note.spans for note in changing]
        for index, form in enumerate(chosen):
            asked = _choose_notes(changing, index, form.types)
            if asked and form.search and index not in found:
                found[index] = form.search(joined)
            for note in asked:
                spans = found[index][note.number] if form.search else None
                note.keep(index, tuple(form.apply(joined.texts[note.number], note.spans, spans)))
        changing = [note for note, spans in zip(changing, before) if note.spans is not spans]
    return [
        document if note.spans == document.spans else document.with_spans(note.spans)
        for document, note in zip(documents, notes)
    ]


def _has_overlap(spans: Sequence[Span]) -> bool:
    return any(following.start < span.end for span, following in pairwise(spans))


class _Note:
    """The spans of one document of a batch while they are repaired."""

    def __init__(self, number: int, spans: tuple[Span, ...], forms: int) -> None:
        self.number, self.spans = number, spans
        self.types = {span.type for span in spans}
        self.settled: list[Sequence[Span] | None] = [None] * forms  # what each form left as it was

    def keep(self, index: int, repaired: tuple[Span, ...]) -> None:
        """Keep what a form has made of the spans."""
        if repaired == self.spans:
            self.settled[index] = self.spans
        else:
            self.spans, self.types = repaired, {span.type for span in repaired}


def _choose_notes(notes: Sequence[_Note], index: int, types: frozenset[str]) -> list[_Note]:
    """Return the notes whose spans, as they are now, a form can change."""
    asked = [note for note in notes if note.settled[index] is not note.spans]
    return [note for note in asked if not types.isdisjoint(note.types)] if types else asked


def show_capitals(text: str) -> str:
    """Return a note in small letters as one in capitals, which the forms read; other notes as they are.

    >>> show_capitals("seen by dr. ruiz"), show_capitals("Seen by Dr. Ruiz")
    ('SEEN BY DR. RUIZ', 'Seen by Dr. Ruiz')
    """
    least = len(text) // SMALL
    if count_capitals(text[: len(text) // 4]) > least or count_capitals(text) > least:  # a part is enough
        return text
    capitals = text.upper()
    if len(capitals) == len(text):  # no sign becomes two
        return capitals
    return "".join(new if len(new := sign.upper()) == 1 else sign for sign in text)


def count_capitals(text: str) -> int:
    """Return the number of capitals from A to Z."""
    return len(text.encode("ascii", "replace").translate(None, NO_CAPITALS))
