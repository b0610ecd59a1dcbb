"""The odd writings of a known patient's names and numbers: each line has what is found in brackets."""

import re

import pytest

from crfdeid.errors import FormatError
from crfdeid.redact.leftover import patient_table
from crfdeid.redact.leftover.known_patients import join_names, list_initials, take_initials
from crfdeid.redact.leftover.known_writings import (
    consists_of_names,
    find_doubtful,
    find_glued,
    find_misread,
    find_misread_numbers,
    find_small,
    list_names,
)
from crfdeid.redact.leftover.patient_table import PatientTable
from crfdeid.text.document import Document, Span

NAMES = {"ana": "PATIENT", "okafor": "PATIENT", "rose": "DOCTOR", "will": "PATIENT", "brown": "PATIENT"}
NAMES |= {"wrzeszczynska": "PATIENT", "burns": "PATIENT", "horne": "PATIENT"}


def bracket(text, spans):
    for span in sorted(spans, reverse=True):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


def check(line, find, given):
    text = re.sub(r"[][]", "", line)
    assert bracket(text, find(text, given)) == line


@pytest.mark.parametrize(
    "line",
    [
        "[AnaOkafor], [anaokafor]7, 77[okaforana]77, [anaana]",
        "[Ana]Smith, Smith[Okafor]3, X[Okafor]Y, MRN[Okafor]",
        "[okafor]30990453, 3[okafor]4, banana, anaba, bana, anarosewill",
        "[ana]30[okafor], 30[okafor]4x",
        "Ana, okafor, Okapi, anax, xana, ana_[okafor]1",
    ],
)
def test_a_name_is_found_where_it_is_glued(line):
    check(line, find_glued, NAMES)


@pytest.mark.parametrize(
    ("low", "type"),
    [
        ("rose", "DOCTOR"),
        ("roseana", "DOCTOR"),
        ("anarose", "PATIENT"),
        ("roses", ""),
        ("arose", ""),
        ("anarosewill", ""),
        ("", ""),
    ],
)
def test_a_word_consists_of_one_name_or_of_two(low, type):
    assert consists_of_names(low, NAMES) == type


@pytest.mark.parametrize(
    "line",
    [
        "[0kafor], [Br0wn], [brovvn], [Bums], home, [Home], [8rown], [Wi11], [W!ll], [W|ll]",
        "an4, 4na, Ana, Brow, 8888, [wrzesczynska], [Wrzeszczynsak], Okapi",
    ],
)
def test_a_name_is_found_as_a_scanner_read_it(line):
    check(line, find_misread, NAMES)


def test_a_name_of_three_letters_is_misread_where_it_has_four():
    assert list(find_misread("4na an4 Ama", {"ana": "PATIENT"})) == []
    assert list(find_misread("Kirn, Kin", {"kim": "PATIENT"})) == [Span(0, 4, "PATIENT")]
    assert list(find_misread("clan", {"dan": "PATIENT"})) == []  # the word
    assert list(find_misread("0kafor", {})) == []


@pytest.mark.parametrize(("text", "name"), [("8085", "bobs"), ("Bum", "burn"), ("Burn", "burn")])
def test_what_is_only_digits_or_short_or_the_name_itself_is_not_misread(text, name):
    assert list(find_misread(text, {name: "PATIENT"})) == []


def test_one_name_is_enough_to_be_glued():
    assert list(find_glued("MarySmith", {"smith": "PATIENT"})) == [Span(4, 9, "PATIENT")]
    assert list(find_glued("SMITHMary", {"smith": "PATIENT"})) == [Span(0, 5, "PATIENT")]
    assert list(find_glued("SMITH30", {"smith": "PATIENT"})) == [Span(0, 5, "PATIENT")]


NUMBERS = {
    "MEDICALRECORD": ["447-1902"],
    "PHONE": ["617 555 0148"],
    "SSN": ["12345", "447190"],
    "CITY": ["100000"],
}


@pytest.mark.parametrize(
    "line",
    [
        "[44719O2], [44719O], 4471902, 447-1902, [447-I9O2], [4471-9o2], 447-19022",
        "[6l7-555-0l48], [6175550I48], 1234S, IOOOOO, x44719O2, 44719O2x, [44719O2].",
    ],
)
def test_a_number_is_found_as_a_scanner_read_it(line):
    check(line, find_misread_numbers, NUMBERS)


@pytest.mark.parametrize(
    "line",
    [
        "told [will] about It. Mr. [will], son: [rose]. WIFE [rose]!",
        "By Drs. [will] and Rose. Doctor [rose], Prof. [will]",
        "Told  [will] of It; told me will: No; amiss will: No",
        "Plan A\nseen: [rose], well\nThen rose, well",
        "he will rest\nthe rose is red\nmore will\nNow will",
        "wills, will's, will-power, free-will, will2",
        "my okafor, [ana]\n\nrose, and Bob",
    ],
)
def test_a_name_that_is_a_word_is_found_in_small_letters_where_it_is_a_name(line):
    check(line, find_small, NAMES)


def test_what_may_be_the_word_or_the_name_is_doubtful():
    text = "The home for will. Then rose came, he will go; will came"
    note = Document("1", text, (Span(13, 17, "PATIENT"),))
    assert [text[slice(*place)] for place in find_doubtful(note, NAMES)] == ["rose", "will"]
    assert [place[0] for place in find_doubtful(note.with_spans(()), NAMES)] == [13, 24, 47]
    text = "Kit will: no. It will: no. It  will: no"
    assert [place[0] for place in find_doubtful(Document("1", text), NAMES)] == [4]
    for start, end in ((8, 13), (17, 20)):  # beside the name
        beside = note.with_spans([Span(start, end, "CITY")])
        assert 13 in [place[0] for place in find_doubtful(beside, NAMES)]


def test_a_word_for_a_thing_shows_the_word_also_with_a_capital():
    text = "The rose, red. A Rose, red. Some rose, red. HE will, too. Some will, too"
    found = [place[0] for place in find_doubtful(Document("1", text), NAMES)]
    assert found == [text.index("rose, red. HE"), text.rindex("will")]


def test_names_of_three_letters_count():
    cells = {"PATIENT": ["Al Eze"], "CITY": ["Rome"], "DOCTOR": ["Eze-Ruiz"]}
    assert list_names(cells) == {"eze": "DOCTOR", "ruiz": "DOCTOR"}
    assert list_initials(cells) == frozenset("AaEeRr")


JOINED = [
    ("Ana Okafor", [(0, 3), (4, 10)], [(0, 10)]),
    ("Ana  Okafor", [(0, 3), (5, 11)], [(0, 11)]),
    ("Ana   Okafor", [(0, 3), (6, 12)], [(0, 3), (6, 12)]),
    ("Okafor,Ana", [(0, 6), (7, 10)], [(0, 10)]),
    ("Ana - Okafor", [(0, 3), (6, 12)], [(0, 12)]),
    ("Ana M Okafor", [(0, 3), (6, 12)], [(0, 12)]),
    ("Ana; Okafor", [(0, 3), (5, 11)], [(0, 3), (5, 11)]),
    ("AnaOkafor", [(0, 3), (3, 9)], [(0, 9)]),
    ("AnaOkafor", [(0, 9), (3, 9)], [(0, 9)]),
]


@pytest.mark.parametrize(("text", "spans", "joined"), JOINED)
def test_parts_of_a_name_are_joined(text, spans, joined):
    found = join_names(text, [Span(*place, "PATIENT") for place in spans])
    assert [(span.start, span.end) for span in found] == joined


def test_two_types_are_not_joined_and_do_not_overlap():
    spans = [Span(0, 5, "PATIENT"), Span(3, 9, "DOCTOR")]
    assert join_names("AnaOkafor", spans) == [Span(0, 5, "PATIENT"), Span(5, 9, "DOCTOR")]
    cities = [Span(0, 4, "CITY"), Span(5, 9, "CITY")]
    assert join_names("Rome Rome", cities) == cities


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("A. Eze", "A. Eze"), ("A.Eze", "A.Eze"), ("a. Eze", "a. Eze"), ("A Eze", "A Eze"),
        ("a Eze", "Eze"), ("B. Eze", "Eze"), ("A. A. Eze", "A. A. Eze"), ("xA. Eze", "Eze"),
        ("Eze A.", "Eze A."), ("Eze, A.", "Eze, A."), ("Eze A", "Eze A"), ("Eze A  x", "Eze A"),
        ("Eze A x", "Eze"), ("Eze A, x", "Eze A"), ("Eze a", "Eze"), ("Eze B.", "Eze"), ("Eze A\nx", "Eze A"),
    ],
)  # fmt: skip
def test_the_initials_of_the_patient_belong_to_the_name(text, taken):
    at = text.index("Eze")
    span = take_initials(text, Span(at, at + 3, "PATIENT"), "Aa")
    assert text[span.start : span.end] == taken


# The table


def test_a_row_is_counted_over_all_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(patient_table, "ROWS", 2)
    path = tmp_path / "t.csv"
    path.write_text("patient,name\n" + "7,Ana\n" * 4 + ",Eze\n")
    with pytest.raises(FormatError, match="row 6: no patient"):
        PatientTable(path)
