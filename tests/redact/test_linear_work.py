"""The work of redaction grows in proportion to spans, notes and the notes of a patient."""

from collections.abc import Callable
from random import Random

import pytest
from line_counts import SIZE, check_proportion
from marked_notes import SECRET

from crfdeid.policy import read_policy
from crfdeid.redact.leftover import patient_table
from crfdeid.redact.leftover.known_patients import find_known
from crfdeid.redact.leftover.known_writings import find_doubtful, list_names
from crfdeid.redact.redactor import Redaction, Redactor
from crfdeid.redact.released_notes import undo_edits
from crfdeid.redact.surrogates import generalize, institutions, names
from crfdeid.redact.surrogates.names import find_misspellings
from crfdeid.redact.surrogates.search import clues
from crfdeid.redact.surrogates.search.search_strings import OF_PARTS
from crfdeid.repair.places import find_towns
from crfdeid.session.session import find_survivors
from crfdeid.synthetic import clinical
from crfdeid.synthetic.reidentify import renaming
from crfdeid.systems import term_lists
from crfdeid.text.document import Document, Span

pytestmark = pytest.mark.slow


def name(number: int) -> str:
    """An invented name; different numbers give different names."""
    letters = Random(number)
    return "".join(letters.choices("abefgiklmnoprstuvz", k=7)).capitalize()


def one_span(type: str, text: str) -> list[Document]:
    """A note with one span, and the same text after it."""
    return [Document("1", f"Seen: {text}; {text}", (Span(6, 6 + len(text), type),), "7")]


def many_notes(size: int) -> list[Document]:
    """Notes of one patient, each with a name, a date and a number of its own."""
    notes = []
    for n in range(size):
        text = (
            f"{name(n)} came on 3/{n % 28 + 1}/{1900 + n % 200}, MRN {7_000_000 + 37 * n}, {name(n)[:-1]}e."
        )
        at = text.index(",")
        spans = (
            Span(0, 7, "DOCTOR"), Span(16, at, "DATE"), Span(at + 6, at + 13, "MEDICALRECORD"),
        )  # fmt: skip
        notes.append(Document(str(n), text, spans, "7"))
    return notes


def addresses(size: int) -> list[Document]:
    """One note with many cities, states, ZIP codes and countries, in lines."""
    parts = (("PATIENT", "Okafor"), ("CITY", "Ames"), ("STATE", "IA"), ("ZIP", "50010"), ("COUNTRY", "USA"))
    text, spans = "", []
    for n in range(size * len(parts)):
        type, own = parts[n % len(parts)]
        spans.append(Span(len(text), len(text) + len(own), type))
        text += own + (", " if type != "COUNTRY" else ".\n")
    return [Document("1", text, tuple(spans), "7")]


CASES: dict[str, Callable[[int], list[Document]]] = {
    "a repetitive date": lambda n: one_span("DATE", "3/7 " * n),
    "a repetitive whole date": lambda n: one_span("DATE", "3/7/2061, " * n),
    "a repetitive date in words": lambda n: one_span("DATE", "March 7 of " * n),
    "a long name": lambda n: one_span("PATIENT", " ".join(map(name, range(n)))),
    "a repetitive name": lambda n: one_span("PATIENT", "Okafor " * n),
    "a name with apostrophes": lambda n: one_span("PATIENT", "O'" * n + "Brien"),
    "a name of one word": lambda n: one_span("PATIENT", "Oka" * n),
    "a list of names": lambda n: one_span("PATIENT", ", ".join(map(name, range(n)))),
    "a long number": lambda n: one_span("IDNUM", "11-" * n + "7"),
    "a long code": lambda n: one_span("IDNUM", "a1" * n),
    "a repetitive street": lambda n: one_span("STREET", "12 Elm Street " * n),
    "a repetitive hospital": lambda n: one_span("HOSPITAL", "a a " * n),
    "a hospital of many names": lambda n: one_span("HOSPITAL", " ".join(map(name, range(n)))),
    "a repetitive city": lambda n: one_span("CITY", "Elm " * n),
    "a long phone": lambda n: one_span("PHONE", "617-555-0148 " * n),
    "a long address": lambda n: one_span("EMAIL", "a.okafor" * n + "@ex.org"),
    "a long site": lambda n: one_span("URL", "www.okafor.org/" * n),
    "a long age": lambda n: one_span("AGE", "92 " * n),
    "a long job": lambda n: one_span("PROFESSION", "nurse " * n),
    "many notes of a patient": many_notes,
    "many notes in one": lambda n: [join_notes(many_notes(n))],
    "many addresses": addresses,
    "names in one long word": lambda n: beside("okaforx" * n),
    "spaced letters": lambda n: beside("o k a f o r " * n),
    "split words": lambda n: beside("Oka-\nfor " * n),
    "lines of hyphens": lambda n: beside("-\n" * n),
    "names and digits": lambda n: beside("30990453OKAFOR" * n),
    "addresses": lambda n: beside("aokafor@ex.org" * n),
    "long numbers": lambda n: beside("4471-9022 " * n),
}  # fmt: skip


def beside(text: str) -> list[Document]:
    """A note in which something was found, before a text."""
    spans = (Span(0, 6, "PATIENT"), Span(8, 15, "MEDICALRECORD"), Span(17, 25, "DATE"))
    return [Document("1", f"Okafor, 4471902, 3/7/2061. {text}", spans, "7")]


def join_notes(notes: list[Document]) -> Document:
    text, spans = "", []
    for note in notes:
        spans += [Span(span.start + len(text), span.end + len(text), span.type) for span in note.spans]
        text += note.text + "\n"
    return Document("1", text, tuple(spans), "7")


@pytest.mark.parametrize("case", CASES)
def test_work_is_in_proportion_to_size(case):
    redactor = Redactor(SECRET)
    check_proportion(lambda size: redactor.redact(CASES[case](size)))


@pytest.mark.parametrize("name", ["safe_harbor", "limited_data_set"])
def test_work_of_a_policy_that_keeps_spans_is_in_proportion_to_them(name):
    redactor = Redactor(SECRET, policy=read_policy(name))
    check_proportion(lambda size: redactor.redact(addresses(size)))


def test_names_of_a_table_are_looked_for_in_proportion_to_a_note():
    """Some with a capital, some in small letters, which may be the word; some are redacted already."""
    cells = {"PATIENT": ["Will Rose"]}

    def look(size):
        note = Document("1", "Rose will walk. rose will\n" * size)
        spans = [Span(at, at + 4, "PATIENT") for at in range(0, 26 * size, 26)]
        known = find_known(note, cells)
        assert len(known) >= size
        return known, list(find_doubtful(note.with_spans(spans), list_names(cells)))

    check_proportion(look)


def test_texts_that_survive_in_a_session_are_found_in_proportion_to_them():
    def survive(size):
        note = Document("1", "Okafor Okafor " * size)
        spans = [Span(at, at + 6, "PATIENT") for at in range(0, 14 * size, 14)]
        others = tuple(Span(at + 7, at + 13, "PATIENT") for at in range(0, 14 * size, 14))
        made = Redaction(note.with_spans(spans), (), 0, others)
        assert len(find_survivors(note, made)) == size

    check_proportion(survive)


def test_a_note_gets_its_real_text_back_in_proportion_to_its_spans():
    def restore(size):
        spans = tuple(Span(9 * at, 9 * at + 5, "PATIENT") for at in range(size))
        edits = [[span.start, span.end, "Okafor"] for span in spans]
        assert undo_edits(Document("1", "Weber is " * size, spans), edits).text == "Okafor is " * size

    check_proportion(restore)


def test_towns_after_streets_are_found_in_proportion_to_them():
    def find(size):
        text = "12 Elm Street | Ames | IA | 50010\n" * size
        streets = [Span(at, at + 13, "STREET") for at in range(0, len(text), len(text) // size)]
        assert len(find_towns(text, streets)) == 4 * size

    check_proportion(find)


def test_misspellings_of_many_similar_names_are_found_in_proportion_to_them():
    """The names have one length and one first letter."""
    names = {"a" + name(number).lower(): 1 for number in range(4 * SIZE)}
    find_misspellings(dict.fromkeys(names, 1))  # reads the lists
    check_proportion(lambda size: find_misspellings(dict.fromkeys(list(names)[:size], 1)))


class CountedPattern:
    """An expression that counts the characters which it goes through for its caller."""

    def __init__(self, pattern):
        self.pattern, self.count = pattern, 0

    def search(self, text, start=0):
        self.count += len(text) - start
        return self.pattern.search(text, start)

    def findall(self, text):
        self.count += len(text)
        return self.pattern.findall(text)

    def finditer(self, text):
        for match in self.pattern.finditer(text):
            self.count += match.end() - match.start()
            yield match

    def sub(self, replacement, text):
        return self.pattern.sub(replacement, text)


@pytest.mark.parametrize(
    ("module", "name", "type", "unit"),
    [(names, "CREDENTIALS", "PATIENT", "\\N"), (institutions, "WORD", "HOSPITAL", 'MRN 4471902"')],
)
def test_expressions_go_through_a_long_span_a_few_times(monkeypatch, module, name, type, unit):
    counted = CountedPattern(getattr(module, name))
    monkeypatch.setattr(module, name, counted)
    Redactor(SECRET).redact(one_span(type, unit * SIZE))
    assert counted.count < 50 * SIZE * len(unit)


@pytest.mark.parametrize("text", ["Okafor-Lee", "Okafor-Lee-Ruiz", "\u00c9tude-Lee"])
def test_a_name_of_parts_is_looked_for_at_its_first_letter_only(text):
    """Otherwise a long word that has no hyphen would be gone through from each of its letters."""
    assert [at for at in range(len(text)) if OF_PARTS.match(text, at)] in ([0], [0, 7])


@pytest.mark.parametrize(
    ("expression", "text", "ends"),
    [
        (generalize.EXACT, "  and a half", [12]),
        (clues.YEARS, " -yo", [4]),
        (patient_table.VALUES, " ; ", [2]),
        (renaming.SYLLABLE, "\nb\n", [3, 3, 3]),
        (clinical.CHOICE, "[a[b]", [5]),
        (term_lists.PART, "[a[b", [4, 2, 4, 4]),
    ],
)
def test_no_expression_goes_through_the_rest_from_each_character(expression, text, ends):
    """It fails at once inside a run of blanks, or takes all that it has gone through."""
    matches = (expression.match(text, at) for at in range(len(text)))
    assert [match.end() for match in matches if match] == ends


def test_a_long_text_is_found_again_in_parts():
    text = " ".join(map(name, range(45)))
    note = one_span("HOSPITAL", text)[0]
    redacted = Redactor(SECRET).redact([note])[0]
    assert all(word not in redacted.document.text for word in text.split())
    assert sum(made.repeat for made in redacted.replacements) == 2


def test_a_long_number_is_found_again():
    note = one_span("IDNUM", "a1" * 60)[0]
    assert "a1a1" not in Redactor(SECRET).redact([note])[0].document.text
