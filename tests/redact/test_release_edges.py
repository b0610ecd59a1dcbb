"""The edges of what a release is made of: cells, tables of patients and shifts, policies, edits, counts."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from marked_notes import SECRET, make_plan, marked

from crfdeid import policy
from crfdeid.corpora import hl7
from crfdeid.corpora.registry import Reading
from crfdeid.errors import ConfigurationError, DocumentError, FormatError
from crfdeid.policy import read_policy
from crfdeid.redact import actions, restore
from crfdeid.redact.actions import PolicyActions
from crfdeid.redact.leftover import known_patients, patient_table
from crfdeid.redact.leftover.known_patients import KnownPatients
from crfdeid.redact.leftover.patient_table import PatientTable
from crfdeid.redact.leftover.unknown_words import has_form_of_word
from crfdeid.redact.redactor import (
    Redactor,
    Replacement,
    apply_replacements,
    are_mixed,
    classify_treatment,
    hash_notes,
    identify_patient,
    share_word,
)
from crfdeid.redact.released_notes import find_place, list_edits, undo_edits
from crfdeid.redact.report import safe_harbor
from crfdeid.redact.run import destination, patients, plan, processes, release, run, shifts, tagging
from crfdeid.redact.run.destination import quote_cell, quote_formulas, remove_quotes
from crfdeid.redact.run.new_ids import IdReplacer, hide_order, sort_items
from crfdeid.redact.run.release import Journal, RedactSteps
from crfdeid.redact.surrogates import kinds, patient
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.redact.surrogates.surrogate_map import MapError
from crfdeid.systems import model_folder
from crfdeid.text.document import Document, Span


@pytest.mark.parametrize("first", "=+-@\t\r")
def test_a_cell_that_begins_like_a_formula_is_quoted_and_the_quote_removed(first):
    note = Document(f"{first}1", f"{first}Ana", (Span(1, 4, "PATIENT"),), f"{first}7")
    quoted = quote_formulas(note)
    wanted = Document(f"'{first}1", f"'{first}Ana", (Span(2, 5, "PATIENT"),), f"'{first}7")
    assert quoted == wanted
    assert remove_quotes(quoted) == replace(note, patient=f"'{first}7")


@pytest.mark.parametrize("text", ["", "'", "Ana", "'Ana", "''=", "a=1", "'a", " =1"])
def test_other_cells_stay_as_they_are(text):
    note = Document(text, text, (), None)
    assert quote_cell(text) == text and quote_formulas(note) == note == remove_quotes(note)
    assert remove_quotes(Document("'=", text)).id == "=" and remove_quotes(Document("x", "'=")).text == "="


def test_a_span_over_a_quote_is_not_over_the_text():
    note = Document("1", "'=Ana", (Span(0, 2, "AGE"), Span(1, 2, "AGE"), Span(2, 5, "PATIENT")))
    assert remove_quotes(note).spans == (Span(0, 1, "AGE"), Span(1, 4, "PATIENT"))


# The table of known patients


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_row_gives_its_cells_by_type_and_the_name_whole(tmp_path):
    table = write(
        tmp_path / "t.csv",
        "\ufeffPatient,Last Name,middle-name,First_Name,phone,phone_2,_note,kin,DOB\n"
        "7, Okafor ,M.,ANA,555-0148,555-0149;555-0150,secret,Chidi Eze | Ngozi Eze,3/7/1961\n"
        "8,Ruiz,,,,,,,\n"
        "7,Okafor,,Ana,,,,,3/7/1961\n",
    )
    found = PatientTable(table)
    assert found.find_cells("7") == {
        "PATIENT": ["Okafor", "M.", "Ana", "Chidi Eze", "Ngozi Eze", "ANA M. Okafor", "Ana Okafor"],
        "PHONE": ["555-0148", "555-0149", "555-0150"],
        "DATE": ["3/7/1961"],
    }
    assert found.find_cells("8") == {"PATIENT": ["Ruiz"]}
    assert found.find_cells("9") is None and found.find_cells(None) is None
    found.add_facts([("9", [("SSN", "1"), ("SSN", "1")]), ("10", [])])
    assert found.find_cells("9") == {"SSN": ["1"]} and found.find_cells("10") is None


def test_a_table_without_a_file_has_only_what_is_added():
    table = PatientTable()
    assert table.find_cells("7") is None
    table.add_facts([("7", [("PATIENT", "Ana")])])
    assert table.find_cells("7") == {"PATIENT": ["Ana"]}


@pytest.mark.parametrize(
    ("column", "type"),
    [
        ("First  Name", "PATIENT"), (" dob ", "DATE"), ("phone.1", "PHONE"), ("phone12", "PHONE"),
        ("date-of-birth", "DATE"), ("patient", "PATIENT"), ("MEDICALRECORD", "MEDICALRECORD"), ("1", None),
        ("phones_", None), ("x phone", None), ("e-mail", "EMAIL"), ("phone_x", None),
        ("phone_12", "PHONE"), ("phone2x", None), ("pho2ne", None), ("address1_line", None), ("_phone", None),
    ],
)  # fmt: skip
def test_the_type_of_a_column_is_in_its_name(column, type):
    assert patient_table.find_type(column) == type


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("patient,name,blood group\n7,Ana,A\n", "column 3: its name is not known"),
        ("patient,name\n7,Ana\n 8,Eze\n,Ruiz\n", "row 4: no patient"),
        ('patient,name\n" ",Ana\n', "row 2: no patient"),
        ("name,phone\nAna,1\n", "no column patient among the 2 of its header"),
    ],
)
def test_a_wrong_table_is_refused_at_its_place(tmp_path, table, said):
    with pytest.raises(FormatError, match=said):
        PatientTable(write(tmp_path / "t.csv", table))


def test_rows_are_counted_through_all_parts_of_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(patient_table, "ROWS", 2)
    path = write(tmp_path / "t.csv", "patient,name\n1,a\n2,b\n3,c\n,d\n")
    with pytest.raises(FormatError, match="row 5: no patient"):
        PatientTable(path)


def test_short_names_in_capitals_keep_them():
    names = ["ANA", "JD", "J", "Ana", "ana", "McRAE", "O'NEIL", ""]
    assert [patient_table.lower_name(name) for name in names] == [
        "Ana", "JD", "J", "Ana", "ana", "McRAE", "O'Neil", "",
    ]  # fmt: skip


# What the table says in the notes


@pytest.mark.parametrize(
    ("text", "word", "type", "certain"),
    [
        ("Boston, MA", "MA", "STATE", True),
        ("Boston MA", "MA", "STATE", False),
        ("MA", "MA", "STATE", False),
        (" MA", "MA", "STATE", False),
        (", MA", "MA", "STATE", True),
        ("MA seen in Boston, ", "MA", "STATE", False),
        ("of Texas", "Texas", "STATE", True),
        ("The texas", "texas", "STATE", False),
        ("Seen Ng today", "Ng", "PATIENT", True),
        ("seen quevix today", "quevix", "PATIENT", True),
        ("Seen quevix today", "quevix", "PATIENT", False),
        ("S" + 39 * " " + "quevix" + 40 * " " + "S", "quevix", "PATIENT", False),
        ("S" + 40 * " " + "quevix" + 39 * " " + "S", "quevix", "PATIENT", False),
        ("S" + 40 * " " + "quevix" + 40 * " " + "S", "quevix", "PATIENT", True),
        ("seen will today", "will", "PATIENT", False),
        ("seen ng today", "ng", "PATIENT", False),
        ("seen nga today", "nga", "PATIENT", True),
        ("tel 1234", "1234", "PHONE", True),
        ("tel 123", "123", "PHONE", False),
        ("born 1961", "1961", "DATE", False),
        ("in Boston", "Boston", "CITY", True),
    ],
)
def test_what_of_the_table_needs_no_context(text, word, type, certain):
    start = text.index(word)
    assert known_patients.is_certain(text, Span(start, start + len(word), type)) is certain


@pytest.mark.parametrize(
    ("text", "names", "initials", "joined"),
    [
        ("Ana Eze", ["Ana", "Eze"], "", ["Ana Eze"]),
        ("Ana, Eze", ["Ana", "Eze"], "", ["Ana, Eze"]),
        ("Ana,Eze", ["Ana", "Eze"], "", ["Ana,Eze"]),
        ("Ana-Eze", ["Ana", "Eze"], "", ["Ana-Eze"]),
        ("Ana  Eze", ["Ana", "Eze"], "", ["Ana  Eze"]),
        ("Ana   Eze", ["Ana", "Eze"], "", ["Ana", "Eze"]),
        ("Ana M Eze", ["Ana", "Eze"], "", ["Ana M Eze"]),
        ("Ana; Eze", ["Ana", "Eze"], "", ["Ana", "Eze"]),
        ("Ana and Eze", ["Ana", "Eze"], "", ["Ana", "Eze"]),
        ("A. Eze", ["Eze"], "A", ["A. Eze"]),
        ("A Eze", ["Eze"], "A", ["A Eze"]),
        ("a Eze", ["Eze"], "aA", ["Eze"]),
        ("a. Eze", ["Eze"], "aA", ["a. Eze"]),
        ("B. Eze", ["Eze"], "A", ["Eze"]),
        ("A. B. Eze", ["Eze"], "AB", ["A. B. Eze"]),
        ("A.B.Eze", ["Eze"], "AB", ["A.B.Eze"]),
        ("A. B.  Eze", ["Eze"], "AB", ["Eze"]),
        ("xA. Eze", ["Eze"], "A", ["Eze"]),
        ("Eze, A.", ["Eze"], "A", ["Eze, A."]),
        ("Eze A. went", ["Eze"], "A", ["Eze A."]),
        ("Eze A", ["Eze"], "A", ["Eze A"]),
        ("Eze A, well", ["Eze"], "A", ["Eze A"]),
        ("Eze, A smoker", ["Eze"], "A", ["Eze"]),
        ("Eze a", ["Eze"], "a", ["Eze"]),
        ("Eze B.", ["Eze"], "A", ["Eze"]),
    ],
)
def test_names_are_joined_with_their_initials(text, names, initials, joined):
    spans = [Span(text.index(name), text.index(name) + len(name), "PATIENT") for name in names]
    found = known_patients.join_names(text, spans, initials)
    assert [text[span.start : span.end] for span in found] == joined


def test_spans_of_other_types_are_not_joined():
    spans = [Span(0, 3, "PATIENT"), Span(4, 7, "DOCTOR"), Span(8, 12, "PHONE"), Span(13, 17, "PHONE")]
    assert known_patients.join_names("Ana Eze 5550 5551", spans) == spans
    overlapping = [Span(0, 5, "PATIENT"), Span(4, 7, "PHONE")]
    assert known_patients.join_names("Ana Eze", overlapping) == [Span(0, 5, "PATIENT"), Span(5, 7, "PHONE")]


@pytest.mark.parametrize(
    ("type", "other", "held"),
    [
        ("PATIENT", Span(4, 8, "DOCTOR"), True),
        ("PATIENT", Span(4, 8, "CITY"), False),
        ("PATIENT", Span(3, 8, "CITY"), True),
        ("PATIENT", Span(4, 9, "CITY"), True),
        ("PATIENT", Span(5, 9, "DOCTOR"), False),
        ("PATIENT", Span(3, 7, "DOCTOR"), False),
        ("PHONE", Span(4, 8, "CITY"), True),
        ("PHONE", Span(5, 8, "CITY"), False),
    ],
)
def test_a_text_of_the_table_is_left_to_the_span_that_holds_it(type, other, held):
    assert known_patients.is_held(Span(4, 8, type), [other]) is held
    assert not known_patients.is_held(Span(4, 8, type), [])


def test_what_the_table_did_is_counted_and_reported():
    nothing = KnownPatients()
    assert (nothing.options, nothing.report(), list(nothing.lines())) == ((), {}, [])
    table = PatientTable()
    table.add_facts([("7", [("PATIENT", "Quevix")])])
    known = KnownPatients(table, "abc", "--patients")
    tag = known.wrap(lambda group: group)
    (first, second) = tag([marked("Quevix left.", patient="7"), marked("Quevix left.", patient="8")])
    assert first.spans == (Span(0, 6, "PATIENT"),) and second.spans == ()
    assert known.options == ("--patients abc",)
    counts = {
        "notes_of_known_patients": 1,
        "notes_of_others": 1,
        "found_without_another_span": {"PATIENT": 1},
    }
    assert known.report() == {"known_patients": counts}
    assert list(known.lines()) == [
        "--patients: 1 notes are of patients of the table, 1 are not; 1 texts of it were found without "
        "another span"
    ]
    taken = known.take_counts()
    assert (known.known, known.unknown, known.found.total()) == (0, 0, 0)
    known.add_counts(taken)
    known.add_counts(taken)
    assert (known.known, known.unknown, known.found) == (2, 2, {"PATIENT": 2})
    of_messages = KnownPatients(table, "", "known patients")
    assert of_messages.options == () and "of patients of the messages, 0 are not; 0 texts of them" in "".join(
        of_messages.lines()
    )
    group = [marked("x")]
    assert nothing.wrap(tag) is tag and nothing.mark(group[0]) == group[0]


# Shifts


@pytest.mark.parametrize(
    ("days", "wrong"),
    [
        (7, None), (-7, None), (182_805, None), (-182_805, None), (0, "0 days do not hide a date"),
        (8, "8 days; wanted whole weeks"), (182_812, "wanted at most 182805"),
        (-182_812, "-182812 days; wanted at most 182805"),
    ],
)  # fmt: skip
def test_a_shift_is_of_whole_weeks_and_at_most_500_years(days, wrong):
    found = patient.explain_wrong(days)
    assert found is None if wrong is None else wrong in found
    if wrong:
        with pytest.raises(ConfigurationError, match="^the shift of patient number 2: "):
            patient.check_shifts({"a": 7, "b": days})
    with pytest.raises(ConfigurationError, match="number 1: an empty id"):
        patient.check_shifts({"": 7})


def test_a_table_of_shifts_is_read(tmp_path):
    path = write(tmp_path / "s", '\ufeffdays,patient\n+7,a\n-14,"b,c"\n')
    assert shifts.read_shifts(path) == {"a": 7, "b,c": -14}
    for table, said in (
        ("patient,days\na,7\nb\n", "line 3: 1 cells or an empty one"),
        ("patient,days\na,1234567890\n", "line 2: days that are not a whole number"),
        ("patient,days\na,123456789\n", "line 2: 123456789 days; wanted whole weeks"),
        ("patient,days\na, 7\n", "line 2: days that are not"),
    ):
        with pytest.raises(FormatError, match=said):
            shifts.read_shifts(write(path, table))


def test_days_of_a_map_go_before_those_that_are_drawn():
    moved, paired = PatientHistory(), PatientHistory()
    moved.days, paired.pairs["DATE"] = 21, {}
    cases = [
        (None, None, 7), (14, None, 14), (None, moved, 21), (21, moved, 21), (None, paired, 7),
        (7, paired, 7), (14, PatientHistory(), 14), (None, PatientHistory(), 7),
    ]  # fmt: skip
    for given, history, days in cases:
        assert patient.choose_days(given, 7, history) == days
    for given, history in ((14, moved), (14, paired), (7, moved)):
        with pytest.raises(ConfigurationError, match="the map has another shift for a patient"):
            patient.choose_days(given, 7, history)


def test_each_patient_is_exported_once():
    groups = [
        [marked("a", "1", "x")],
        [marked("b", "2", None)],
        [marked("c", "3", "x")],
        [marked("d", "4", "y")],
    ]
    added = []
    found = list(shifts.export_each(groups, {"x": 7, "y": 14}.get, lambda *row: added.append(row)))
    assert found == groups and added == [("x", 7), ("y", 14)]
    assert list(shifts.export_each(groups, None, None)) == groups


def test_a_table_of_shifts_appears_whole_for_its_owner_only(tmp_path):
    path = tmp_path / "s"
    with shifts.open_export(path, False) as add:
        add("a", 7)
        assert not path.exists()
    assert path.read_text() == "patient,days\na,7\n" and path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FormatError, match="exists"), shifts.open_export(path, False):
        pass
    with shifts.open_export(path, True) as add:
        add("b,c", -14)
    assert path.read_text() == 'patient,days\n"b,c",-14\n'
    with pytest.raises(ConfigurationError, match="its folder does not exist"):
        shifts.open_export(tmp_path / "x" / "s", False).__enter__()
    with shifts.open_export(None, False) as add:
        assert add is None


def test_the_hash_of_options_is_of_the_shifts_too():
    def hash_options(days):
        return Redactor(SECRET, shifts={"a": days} if days else {}).hash_options()

    assert hash_options(None) == Redactor(SECRET).hash_options() == hash_options(0)
    assert len({hash_options(days) for days in (None, 7, 14)}) == 3 and hash_options(7) == hash_options(7)
    assert Redactor(SECRET).hash_options("more") != hash_options(None)


def test_a_map_that_was_begun_with_other_rules_says_which(tmp_path):
    for rules, said in (
        (Rules(), "--shift-years {} --season-weeks {} --zip {} --check-digits {}$"),
        (Rules(same_doctors=True), "--check-digits {} --same-doctor-across-patients$"),
    ):
        path, key = tmp_path / f"map{rules.same_doctors}", b"a key of the map, long enough"
        values = (rules.years, rules.weeks, rules.zip, rules.check_digits)
        with release.use_map(Redactor(SECRET, rules=rules), path, key):
            pass
        other = Redactor(SECRET, rules=replace(rules, weeks=rules.weeks + 1))
        said = said.format(*(values if said.count("{}") == 4 else values[3:]))
        with pytest.raises(ConfigurationError, match="this map was begun with .*" + said):
            release.use_map(other, path, key).__enter__()


def test_two_notes_whose_ids_differ_in_capitals_are_refused_in_a_folder(tmp_path):
    target = destination.Destination(tmp_path / "out", "text")
    with pytest.raises(ConfigurationError, match="two notes have one name"):
        target.write([Document("a", "x"), Document("A", "y")])


# Policies


def test_a_policy_keeps_what_it_allows_and_nothing_that_holds_a_found_text():
    actions = PolicyActions(read_policy("safe_harbor"), policy.SURROGATE)
    note = marked("<STATE MA> <PATIENT Ana> <COUNTRY USA>")
    assert [note.text_of(span) for span in actions.select_phi(note)] == ["Ana"]
    assert [note.text_of(span) for span in actions.select_kept(note, [])] == ["MA", "USA"]
    assert [note.text_of(span) for span in actions.select_kept(note, [Span(1, 3, "PATIENT")])] == ["USA"]
    doubled = note.with_spans([*note.spans, Span(0, 6, "COUNTRY")])
    assert len(actions.select_kept(doubled, [])) == 2
    texts = {"STATE": ["MA", "TX"], "PATIENT": ["Ana"]}
    assert actions.drop_kept(texts, [note]) == {"STATE": ["TX"], "PATIENT": ["Ana"]}
    assert actions.keeps("kept") and not actions.keeps("shifted") and actions.may_keep_words


def test_without_a_policy_each_span_gets_what_the_style_says():
    for style in (policy.SURROGATE, policy.MARKER, policy.BLANK):
        actions = PolicyActions(None, style)
        note = marked("<STATE MA>")
        assert actions.choose(note, note.spans[0]) == style
        assert actions.select_phi(note) == note.spans and actions.select_kept(note, []) == []
        assert (actions.options, actions.find_unit("DATE"), actions.keeps("kept")) == ((), "", False)
        assert actions.may_keep_words is (style == policy.SURROGATE) and not actions.keeps_states


# Replacements and edits


@pytest.mark.parametrize(
    ("text", "made", "kind", "rules", "is_general", "treatment"),
    [
        ("a", "a", kinds.DATE, Rules(), True, "kept"),
        ("a", "b", kinds.DATE, Rules(), True, "generalised"),
        ("a", "b", kinds.DATE, Rules(), False, "shifted"),
        ("93", "90+", kinds.AGE, Rules(), False, "generalised"),
        ("1", "2", kinds.ZIP, Rules(zip="three"), False, "generalised"),
        ("1", "2", kinds.ZIP, Rules(), False, "surrogate"),
        ("1", "2", kinds.PHONE, Rules(zip="three"), False, "surrogate"),
    ],
)
def test_how_a_text_was_treated(text, made, kind, rules, is_general, treatment):
    assert classify_treatment(text, made, kind, rules, is_general) == treatment


def test_replacements_are_applied_in_their_order_and_may_touch():
    note = Document("1", "Ana Ruiz 67")
    made = [Replacement(9, 11, "AGE", ""), Replacement(0, 3, "PATIENT", "Eva"), Replacement(3, 8, "X Y", "-")]
    found = apply_replacements(note, made)
    assert (found.text, found.spans) == ("Eva- ", (Span(0, 3, "PATIENT"), Span(3, 4, "PHI")))
    for start, end in ((0, 0), (2, 1), (-1, 2), (9, 12)):
        with pytest.raises(DocumentError, match="overlaps another replacement or exceeds the text"):
            apply_replacements(note, [Replacement(start, end, "AGE", "x")])
    with pytest.raises(DocumentError):
        apply_replacements(note, [Replacement(0, 4, "AGE", "x"), Replacement(3, 5, "AGE", "x")])


def test_words_in_common_and_types_that_differ():
    assert share_word("São Paulo", "sao") and not share_word("Park", "Parks") and share_word("a_b", "b")
    assert not share_word("...", "...")
    assert are_mixed([Span(0, 1, "A"), Span(0, 1, "B")]) and not are_mixed([Span(0, 1, "A"), Span(2, 3, "A")])
    assert not are_mixed([])


def test_edits_undo_replacements_of_other_lengths():
    text = "Ana Ruiz of Rome, 67"
    made = [(0, 3, "Eva M."), (4, 8, "Li"), (12, 16, "Rome"), (18, 20, "")]
    edits = list_edits(text, made)
    assert edits == [[0, 6, "Ana"], [7, 9, "Ruiz"], [19, 19, "67"]]
    released = Document("1", "Eva M. Li of Rome, ", (Span(0, 6, "PATIENT"), Span(13, 17, "CITY")), "7")
    found = undo_edits(released, edits)
    assert found == Document("1", text, (Span(0, 3, "PATIENT"), Span(12, 16, "CITY")), "7")
    assert undo_edits(Document("1", "x", (Span(0, 1, "AGE"),)), [[0, 1, ""]]).spans == ()
    assert [find_place(offset, [(3, 5), (9, 8)]) for offset in (2, 3, 8, 9, 12)] == [2, 5, 10, 8, 11]


# Markers, ids, groups, streams


def test_markers_of_types():
    names = {"PHONE": "NUM_PHONE", "FAX": "NUM_PHONE", "SSN": "NUM_ID", "CITY": "XYZ_City", "X": "XYZ_Phi"}
    assert {type: actions.make_marker(type, "shweta") for type in names} == names
    assert actions.make_blanks("a b\r\nc\td") == "___\r\n___"
    assert actions.check_marker("shweta") == "shweta" and actions.check_marker("***") == "***"


def test_ids_are_made_once():
    note = Document("a", "", (), "7")
    redactor, originals = Redactor(SECRET), {}
    keyed = IdReplacer("keyed", redactor, originals).rename(note)
    assert keyed == IdReplacer("keyed", Redactor(SECRET)).rename(note) and originals == {keyed.id: "a"}
    assert (keyed.id[0], len(keyed.id), keyed.patient[0], len(keyed.patient)) == ("n", 33, "p", 33)
    assert keyed.id[1:] != keyed.patient[1:]
    random = IdReplacer("random", redactor)
    assert random.rename(note) == random.rename(note) != IdReplacer("random", redactor).rename(note)
    assert random.rename(Document("a", "")).patient is None
    assert random.rename(Document("a", "")).id != random.rename(note).id
    assert IdReplacer(None, redactor).rename(note) is note


def test_items_are_sorted_by_their_keys_in_a_folder(tmp_path):
    items = [("b", 1), ("a", {"x": 2}), ("c", None)]
    assert list(sort_items(items, tmp_path / "new" / "folder")) == [{"x": 2}, 1, None]
    assert list((tmp_path / "new" / "folder").iterdir()) == []


def test_notes_of_a_patient_are_one_group():
    notes = [
        Document(str(number), "", (), patient) for number, patient in enumerate(["a", "b", "a", None, None])
    ]

    def group(notes, by_note=False):
        return [[note.id for note in group] for group in patients.group_by_patient(lambda: notes, by_note)]

    assert group(notes) == [["0", "2"], ["1"], ["3"], ["4"]]
    assert group([notes[0], notes[2], notes[1]]) == [["0", "2"], ["1"]]
    assert group(notes, by_note=True) == [["0"], ["1"], ["2"], ["3"], ["4"]]


def test_a_stream_with_a_patient_who_comes_again_is_refused():
    notes = [Document(str(number), "", (), patient) for number, patient in enumerate("aab")]
    assert [len(group) for group in patients.group_stream(lambda: notes, False)] == [2, 1]
    again = [*notes, Document("x", "", (), "a")]
    with pytest.raises(
        FormatError, match="^standard input: .*its patient came before another one, and a str"
    ):
        list(patients.group_stream(lambda: again, False))
    assert [len(group) for group in patients.group_stream(lambda: again, True)] == [1, 1, 1, 1]
    assert plan.find_stream_format(None) == "text" and plan.find_stream_format("jsonl") == "jsonl"
    with pytest.raises(ConfigurationError, match="--from wants a format that is a single file of text"):
        plan.find_stream_format("parquet")


def test_the_folders_of_patients(tmp_path):
    with pytest.raises(FormatError, match="no folders"):
        patients.list_folders(tmp_path)
    for name in ("b", "a", ".hidden"):
        (tmp_path / name).mkdir()
    assert [path.name for path in patients.list_folders(tmp_path)] == ["a", "b"]
    (tmp_path / "aa").write_text("x")
    with pytest.raises(FormatError, match="entry 2 by name is not a folder; it would have no patient"):
        patients.list_folders(tmp_path)
    with pytest.raises(FormatError, match="not a folder; --patient-from folder wants a folder of folders"):
        patients.list_folders(tmp_path / "aa")


def test_a_pattern_finds_the_patient_in_the_id():
    def find(pattern, id):
        return patients.find_patient(Document(id, "", (), "x"), patients.compile_pattern(pattern)).patient

    assert find(r"\d+", "a12-3") == "12" and find(r"(\d)-(\d)", "a12-3") == "2" and find("z", "a12") is None
    with pytest.raises(ConfigurationError, match="--patient-from: no regular expression: "):
        patients.compile_pattern("(")


# The report


def count(*groups, by_note=False, named=None, style="surrogate"):
    report = safe_harbor.Report(by_note=by_note, policy=named)
    for group in groups:
        for redaction in Redactor(SECRET, style, by_note=by_note, policy=named).redact(group):
            report.add(redaction, redaction.document.id, "own")
    return report


def test_the_report_counts_notes_patients_and_treatments():
    report = count(
        [marked("Well.", "1", "7"), marked("<PATIENT Ana Quevix> at <AGE 93>; Quevix", "2", "7")],
        [marked("<DATE soon>, <STATE MA>", "Ana", None)],
    )
    table = report.table()
    wanted = {
        "documents": 3, "documents_written_before_and_not_counted": 0, "documents_without_patient": 1,
        "patients": 1, "patients_from": "the notes", "documents_in_which_nothing_was_found": ["1"],
        "documents_unchanged": 1, "documents_whose_id_or_patient_holds_a_found_string": 0,
        "looked_for_survivors_in": "all notes of the patient", "repeats_replaced": 1,
        "overlapping_spans_of_different_types_united": 0, "unread_replaced_by_marker": 1, "survivors": {},
        "documents_by_source_of_spans": {"own": 3, "model": 0, "both": 0, "none": 0},
        "left_out_of_the_input": None,
    }  # fmt: skip
    assert wanted.items() <= table.items()
    rows = {
        letter: {k: v for k, v in row.items() if k != "name"} for letter, row in table["categories"].items()
    }
    assert {letter: row for letter, row in rows.items() if row} == {
        "A": {"surrogate": 2}, "C": {"generalised": 1, "marker": 1}, "-": {"surrogate": 1},
    }  # fmt: skip
    assert "run" not in table and "policy" not in table and "threshold" not in table
    assert "taken_out_of_messages" not in table
    lines = report.lines()
    assert lines[0] == "45 CFR 164.514(b)(2)(i)                         found  treated"
    assert lines[1].startswith("(-) ") and lines[2] == f"{'(A) names':46}      2  2 surrogate"
    assert "3 notes; 1 repeats without a span were replaced" in lines
    assert "patients: 1, by the notes" in lines and "spans: 3 notes have only their own" in lines
    assert "1 notes name no patient: each counts as a separate patient" in lines
    assert "1 dates or names could not be given a surrogate; they are markers such as [**DATE**]" in lines
    assert "1 notes are unchanged: nothing was found in them; --report lists them" in lines
    assert lines[-3:] == [
        "0 places in the output still contain a text that was found elsewhere in its patient's output",
        "0 other places look like PHI",
        "PHI that the program missed completely is not counted",
    ]


def test_the_report_names_the_first_places_that_remain():
    text = "<PATIENT May Okafor>. " + "in May. " * 12
    report = count([marked(text, "n", "7")], [marked(text, "m", "8")], by_note=True)
    assert report.survivors == {"PATIENT": 24} and len(report.places) == 10
    lines = report.lines()
    assert "24 places in the output still contain a text that was found elsewhere in its own note" in lines
    assert lines[-3] == "  and 14 more; --report FILE lists all"
    assert lines[-4].startswith("  ") and ": PATIENT at " in lines[-4]
    assert report.table()["looked_for_survivors_in"] == "each note alone"


def test_the_report_of_a_policy_counts_by_its_rules():
    report = count([marked("<STATE MA>, <PATIENT Ana>, <SPECIES cat>")], named=read_policy("safe_harbor"))
    found = report.table()["policy"]
    assert (found["name"], found["source"]) == ("safe_harbor", report.policy.source)
    kept = [rule for rule in found["rules"] if rule.get("kept")]
    assert len(kept) == 1 and kept[0]["cite"] == "none"
    assert {"cite": "none", "title": "types of no scheme", "marker": 1} in found["rules"]
    lines = report.lines()
    assert lines[0].startswith(report.policy.source)
    assert (
        "1 were kept as allowed: weekdays, seasons, ages up to 89, the USA in an address, and what policy "
        "safe_harbor keeps" in lines
    )
    assert json.dumps(report.table())


# Redactors and runs


def test_what_became_of_each_span_says_how_it_was_treated():
    note = marked("<DATE 3/7/2067> born <DATE 3/7/1920> <AGE 95> <ZIP 02139> <SSN 123-45-6789> <X cat>")

    def treat(style):
        (found,) = Redactor(SECRET, style).redact([note])
        return [(made.treatment, made.resolved, made.why) for made in found.replacements]

    assert treat("surrogate") == [
        ("shifted", True, None), ("marker", False, "shows an age over 89"), ("generalised", True, None),
        ("surrogate", True, None), ("surrogate", True, None), ("marker", False, "no known type"),
    ]  # fmt: skip
    assert treat("type") == [("marker", True, None)] * 6 and treat("blank") == [("blank", True, None)] * 6


def test_a_patient_has_one_identity_and_one_shift():
    assert identify_patient(Document("a", "", (), "7")) == "patient 7"
    assert identify_patient(Document("7", "")) == "document 7"
    redactor = Redactor(SECRET, shifts={"a": 14}, rules=Rules(25, 2), by_note=True)
    copied = redactor.copy_without_map()
    assert copied.hash_options() == redactor.hash_options() and copied.find_shift("a") == 14
    assert copied.find_shift("b") == redactor.find_shift("b") != 14 and copied.histories is None
    note = marked("x", patient="a")
    assert redactor.has_entry(note)  # without a map nothing is missing
    redactor.histories = {}
    assert not redactor.has_entry(note)
    first = redactor.open_history("patient a")
    assert redactor.has_entry(note) and redactor.open_history("patient a") is first
    with pytest.raises(
        ConfigurationError, match="typo: not a style.*; the styles are surrogate, type, blank"
    ):
        Redactor(SECRET, "typo")


def test_the_hash_of_notes_is_of_their_texts_and_spans():
    notes = [marked("<PATIENT Ana>", "1"), marked("x", "2")]
    whole = hash_notes(SECRET, notes)
    assert whole == hash_notes(SECRET, notes[::-1]) != hash_notes(SECRET[::-1], notes)
    others = [notes[:1], [notes[0].with_spans(()), notes[1]], [notes[0], replace(notes[1], text="y")],
              [notes[0], replace(notes[1], id="3")]]  # fmt: skip
    assert len({whole, *(hash_notes(SECRET, other) for other in others)}) == 5


@pytest.mark.parametrize(
    ("sizes", "chunks"),
    [
        ((4, 6, 9, 2, 11, 3), [[4, 6], [9, 2], [11], [3]]),
        ((9, 1, 9, 1), [[9, 1], [9, 1]]),
        ((10, 10), [[10], [10]]),
        ((), []),
    ],
)
def test_work_is_shared_by_patients_and_characters(monkeypatch, sizes, chunks):
    monkeypatch.setattr(processes, "CHUNK", 10)
    todo = [tagging.PatientNotes([marked("x" * size)], {}, set(), False) for size in sizes]
    found = [[len(each.group[0].text) for each in chunk] for chunk in processes.chunk_todo(todo)]
    assert found == chunks


def test_the_notes_of_a_patient_go_together_however_long_they_are(monkeypatch):
    monkeypatch.setattr(processes, "CHUNK", 10)
    groups = [[marked("xxxx", "a"), marked("xxxxx", "b")], [marked("xxxx", "c")] * 4, [marked("x", "d")]]
    todo = [tagging.PatientNotes(group, {}, set(), False) for group in groups]
    assert list(processes.chunk_todo(todo)) == [todo[:2], todo[2:]]


class Written:
    """An output that has some notes already."""

    path = Path("out")

    def __init__(self, *ids):
        self.ids = ids

    def has(self, id):
        return id in self.ids

    def holds(self, note):
        return note.text == "Well."


def test_only_what_is_missing_is_redacted_again():
    report, redactor = safe_harbor.Report(), Redactor(SECRET)
    groups = [[marked("x", id, id[0]) for id in ids] for ids in (("a1", "a2"), ("b1",), ("c1", "c2"))]

    def find():
        found = release.find_missing(groups, redactor, Written("a1", "b1"), report)
        return [(each.group[0].id, sorted(each.missing), each.lacks_entry) for each in found]

    assert find() == [("a1", ["a2"], False), ("c1", ["c1", "c2"], False)] and report.written_before == 2
    redactor.histories = {}
    assert find() == [("a1", ["a2"], True), ("b1", [], True), ("c1", ["c1", "c2"], False)]
    redactor.open_history("patient a")
    assert find()[0] == ("a1", ["a2"], False) and report.written_before == 6


def test_a_note_that_would_be_written_otherwise_is_refused():
    group = [marked("Well.", "a"), marked("<PATIENT Ana>", "b")]
    renamed = {note.id: note for note in group}
    release.refuse_other_output(group, Redactor(SECRET), Written(), renamed, {"b"})
    with pytest.raises(MapError, match="was written, but its patient is not in the map, and"):
        release.refuse_other_output(group, Redactor(SECRET), Written(), renamed, {"a"})


@pytest.mark.parametrize(("written", "lacks_entry"), [("Well.", True), ("Other.", True), ("Other.", False)])
def test_what_was_written_before_the_map_had_its_patient_must_be_the_same(tmp_path, written, lacks_entry):
    (tmp_path / "a.txt").write_text(written)
    group = [marked("Well.", "a"), marked("<PATIENT Ana>", "b")]
    todo = tagging.PatientNotes(group, {note.id: note for note in group}, {"b"}, lacks_entry)
    steps = RedactSteps(list, Redactor(SECRET), destination.Destination(tmp_path, "text", resume=True))
    if written == "Other." and lacks_entry:
        with pytest.raises(MapError, match="id has length 1 was written, but its patient is not in the map"):
            steps.redact_patient(todo)
    else:
        made = steps.redact_patient(todo)
        assert [(each.redaction.document.id, each.source) for each in made] == [("a", "none"), ("b", "own")]


def test_an_audit_file_that_cannot_be_written_says_why(tmp_path):
    with pytest.raises(ConfigurationError, match="x/a: cannot be written: No such file or directory$"):
        restore.open_audit(tmp_path / "x" / "a", "why").__enter__()
    with restore.open_audit(tmp_path / "a", "why") as audit:
        audit("7", "restored")
    line = json.loads((tmp_path / "a").read_text())
    assert (line["note"], line["outcome"], line["reason"]) == ("7", "restored", "why")


@pytest.mark.parametrize(
    ("word", "is_word"),
    [("Quevical", True), ("Quevcal", False), ("QUEVI", True), ("QUEVIX", False), ("McQuevix", False),
     ("LigaSure", True), ("LFTs", True), ("Quevixo", False)],
)  # fmt: skip
def test_a_word_by_its_letters(word, is_word):
    assert has_form_of_word(word) is is_word


def test_what_messages_say_of_their_patients_is_known(tmp_path):
    path = tmp_path / "in.hl7"
    path.write_text("MSH|^~\\&|||||2061||ORU^R01|M1|P|2.5.1\rPID|1||4471902||OKAFOR^ANA\r", newline="")
    reading = Reading()
    known = known_patients.read_patients(None, [(path, "hl7"), (tmp_path / "no.hl7", "hl7")], reading)
    assert (known.title, known.digest, known.options) == ("known patients", "", ())
    (owner,) = [each.owner for each in hl7.read_messages(path)]
    assert known.table.find_cells(owner)["MEDICALRECORD"] == ["4471902"]
    nothing = known_patients.read_patients(None, [(tmp_path / "no.hl7", "hl7"), (path, "jsonl")], reading)
    assert nothing.table is None
    table = write(tmp_path / "t.csv", "patient,name\n7,Ana\n")
    known = known_patients.read_patients(table, [], reading)
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    assert (known.title, known.digest) == ("--patients", digest)
    assert known.table.find_cells("7") == {"PATIENT": ["Ana"]}


class Tagger:
    """Finds the first letter of each note, and remembers what it saw."""

    language = "english"
    parts, has_probabilities = (), False

    def __init__(self):
        self.seen = []

    def tag_all(self, notes, probabilities=False, threshold=None):
        for note in notes:
            self.seen.append((note.id, note.patient, len(note.spans), threshold))
            yield note.with_spans([Span(0, 1, "AGE")])


@pytest.mark.parametrize(("spans", "starts"), [("tag", [0]), ("auto", [0, 2])])
def test_notes_are_tagged_ahead_in_their_order(spans, starts):
    tagger = Tagger()
    ahead = tagging.AheadTagger(spans, None, tagger, 0.5, 1)
    groups = [
        [Document("1", "abcd", (Span(2, 3, "AGE"),), "a"), Document("2", "abcd", (), "a")],
        [Document("3", "abcd", (), "b")],
    ]
    todo = [tagging.PatientNotes(group, {}, set(), False) for group in groups]
    found = [ahead.tag_group(each.group) for each in ahead.read_ahead(iter(todo))]
    assert [[note.id for note in group] for group in found] == [["1", "2"], ["3"]]
    assert [span.start for span in found[0][0].spans] == starts and len(found[1][0].spans) == 1
    assert tagger.seen == [("1", "a", 0, 0.5), ("2", "a", 0, 0.5), ("3", None, 0, 0.5)]


@pytest.mark.parametrize(("jobs", "asked"), [(1, []), (2, [2]), (3, [3])])
def test_a_tagger_that_cannot_be_forked_tags_in_processes_of_its_own(monkeypatch, jobs, asked):
    tagger, started = Tagger(), []

    def tag_in_processes(tagger, folder, engine, notes, jobs, threshold):
        started.append(jobs)
        assert (folder, threshold) == ("folder", 0.5)
        return tagger.tag_all(notes, False, threshold)

    monkeypatch.setattr(processes.parallel, "tag_in_processes", tag_in_processes)
    ahead = tagging.AheadTagger("tag", "folder", tagger, 0.5, jobs)
    todo = [tagging.PatientNotes([Document(id, "abcd")], {}, set(), False) for id in "12"]
    found = [ahead.tag_group(each.group) for each in ahead.read_ahead(iter(todo))]
    assert [[(note.id, len(note.spans)) for note in group] for group in found] == [[("1", 1)], [("2", 1)]]
    assert started == asked


def test_the_order_of_the_input_is_hidden_in_a_folder(tmp_path):
    for number, name in enumerate("cab"):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, ns=(0, number + 1))
    (tmp_path / "folder").mkdir()
    hide_order(tmp_path)
    times = {path.stat().st_mtime_ns for path in (tmp_path, *(tmp_path / name for name in "abc"))}
    assert len(times) == 1 and [(tmp_path / name).read_text() for name in "abc"] == ["a", "b", "c"]
    (tmp_path / "empty").mkdir()
    hide_order(tmp_path / "empty")


def test_a_journal_has_a_row_for_each_place_that_remains(tmp_path):
    note = marked("<PATIENT May Okafor> in May. Quevixo came, then Quevixo left.", "n", "7")
    (redaction,) = Redactor(SECRET).redact([note])
    assert redaction.survivors and redaction.suspicions
    report = safe_harbor.Report()
    with Journal.open(report, tmp_path / "r.json") as journal:
        journal.add(redaction, "new", "own")
    header, *rows = (tmp_path / "r.json.survivors.csv").read_text().splitlines()
    assert header == "id,start,end,type,kind,probability"
    left = [f"new,{each.start},{each.end},PATIENT,survivor" for each in redaction.survivors]
    listed = [row.rpartition(",")[0] for row in rows]
    assert listed == [*left, *(f"new,{s.start},{s.end},,{s.kind}" for s in redaction.suspicions)]
    assert json.loads((tmp_path / "r.json").read_text())["documents"] == 1
    assert (tmp_path / "r.json.survivors.csv").stat().st_mode & 0o777 == 0o600
    for path in ("r.json", "other.json"):
        (tmp_path / "other.json.survivors.csv").write_text("x")
        with pytest.raises(FormatError, match="exists"), Journal.open(report, tmp_path / path):
            pass
    with Journal.open(report, tmp_path / "other.json", overwrite=True) as journal:
        assert journal.report is report
    assert report.documents == 1


def test_the_settings_of_a_run_are_described():
    def describe(redactor=None, **values):
        usual = {"spans": "gold", "model": "m", "style": "type", "has_spans": False}
        of_options = make_plan("n.txt", "--from", "text", "--out", "clean")
        changed = replace(of_options, **usual | values)
        found = run.describe_run(changed, redactor or Redactor(SECRET))
        assert found.pop("crfdeid") and found.pop("date")
        return found

    rules = Rules()
    assert describe() == {
        "spans": "only the notes' own", "model": None, "style": "type", "together": "all notes of a patient",
        "secret": "random, and not kept",
        "ids": "the ids of notes and patients are unchanged; --new-ids replaces them",
        "dates_shift_by": f"whole weeks, at most {rules.years} years and {rules.weeks} weeks",
        "zip": rules.zip, "check_digits": rules.check_digits, "same_doctor_across_patients": False,
        "format": "text", "spans_beside_the_notes": False,
    }  # fmt: skip
    other = describe(
        Redactor(SECRET, by_note=True, shifts={"a": 7}), seed=0, new_ids="random", has_spans=True
    )
    assert other["together"] == "each note alone" and other["secret"].startswith("made from a seed")
    assert other["dates_shift_by"].endswith("weeks; some patients' days come from a table")
    assert other["ids"] == "the ids of notes and patients are random" and other["spans_beside_the_notes"]
    assert describe(key_file="k", map="m")["secret"].startswith("in the map")
    assert describe(key_file="k")["secret"].startswith("in a key file")
    assert describe(spans="tag", model="no/such+rules")["model"] == "such + rules"


def test_a_model_is_named_with_the_beginning_of_its_fingerprint(tmp_path):
    folder = tmp_path / "model+one"
    folder.mkdir()
    assert run.describe_model(str(folder)) == "model+one"
    (folder / "manifest.json").write_text("{}")
    digest = model_folder.hash_manifest(folder / "manifest.json")
    assert run.describe_model(str(folder)) == f"model+one ({digest[:12]})"
