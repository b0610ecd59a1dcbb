"""Known patients: what a table says of a patient is found in that patient's notes."""

import json
import os
import sqlite3
import threading

import pytest
from marked_notes import marked, run, status

from crfdeid import corpora
from crfdeid.errors import FormatError
from crfdeid.redact.leftover.known_patients import KnownPatients, find_beside, find_known
from crfdeid.redact.leftover.patient_table import PatientTable
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span

TABLE = """patient,first_name,last_name,birth_date,mrn,phone,street,kin,email,_blood_group
7,Ana,Wrzeszczynska,3/7/1961,4471902,617-555-0148,12 Elm Street,Chidi Okafor; Ngozi Eze,awrz@example.org,O
8,Will,Young,4/8/1962,9920,,,Rose,,A
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text(TABLE)
    return path


def list_found(table, text: str, patient: str = "7") -> list[tuple[str, str]]:
    note = marked(text, patient=patient)
    found = KnownPatients(PatientTable(table)).mark(note)
    return [(found.text_of(span), span.type) for span in found.spans]


@pytest.mark.parametrize(
    ("text", "found", "others", "expected"),
    [
        ("okafor, will", ["okafor"], ["will"], ["will"]),
        ("okafor will", [], ["okafor", "will"], ["okafor", "will"]),
        ("okafor or will", [], ["okafor", "will"], []),
        ("will-will", [], ["will", "will"], []),  # where there is a will
        ("will will", ["will"], ["will"], ["will"]),
        ("okafor, boston", ["okafor"], ["boston"], []),
    ],
)
def test_a_small_name_is_found_beside_another(text, found, others, expected):
    at, spans = 0, []
    for word in found + others:
        at = text.index(word, at)
        spans.append(Span(at, at + len(word), "CITY" if word == "boston" else "PATIENT"))
        at += len(word)
    new = find_beside(text, spans[: len(found)], spans)
    assert [text[span.start : span.end] for span in new] == expected and not {*new} & {*spans[: len(found)]}


def test_a_small_name_is_found_before_another_that_was_found():
    first, second = Span(0, 4, "PATIENT"), Span(5, 9, "PATIENT")
    assert find_beside("will will", [second], [first, second]) == [first]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WRZESZCZYNSKA, ANA: intake", [("WRZESZCZYNSKA, ANA", "PATIENT")]),
        ("born March 7, 1961", [("March 7, 1961", "DATE")]),
        ("born 1961-03-07", [("1961-03-07", "DATE")]),
        ("Mrs. Wrzesczynska is ill", [("Wrzesczynska", "PATIENT")]),
        ("Mrs. Wrzeszczynsak is ill", [("Wrzeszczynsak", "PATIENT")]),
        ("MRN 447-19-02, tel 555-0148", [("447-19-02", "MEDICALRECORD"), ("555-0148", "PHONE")]),
        ("at 12 Elm St, with Chidi's wife", [("12 Elm St", "STREET"), ("Chidi", "PATIENT")]),
        ("write to awrz@example.org", [("awrz@example.org", "EMAIL")]),
        ("Okafor signed; an Elm tree", [("Okafor", "PATIENT")]),
        ("seen: a. wrzeszczynska", [("a. wrzeszczynska", "PATIENT")]),
        ("WRZESZCZYNSKA, ANA A  chart", [("WRZESZCZYNSKA, ANA A", "PATIENT")]),
        ("Eze, A smoker", [("Eze", "PATIENT")]),
        ("WRZESZCZYNSKA30990453 intake", [("WRZESZCZYNSKA", "PATIENT")]),
        ("30990453wrzeszczynska intake", [("wrzeszczynska", "PATIENT")]),
        ("seen: AnaWrzeszczynska", [("AnaWrzeszczynska", "PATIENT")]),
        ("file okaforchidi.pdf, DrOkafor", [("okaforchidi", "PATIENT"), ("Okafor", "PATIENT")]),
        ("Mrs. Wrzeszczyn5ka and 0kafor", [("Wrzeszczyn5ka", "PATIENT"), ("0kafor", "PATIENT")]),
        ("MRN 44719O2, tel 6l7-555-0l48", [("44719O2", "MEDICALRECORD"), ("6l7-555-0l48", "PHONE")]),
        ("banana, Okapi, 4471903", []),
        ("built in 1902", []),
    ],
)  # fmt: skip
def test_what_the_table_says_is_found_in_every_writing(table, text, expected):
    assert list_found(table, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Young looks well. Will eats.", [("Young", "PATIENT"), ("Will", "PATIENT")]),
        ("Seen by WILL YOUNG", [("WILL YOUNG", "PATIENT")]),
        ("he will see a young man; a rose", []),
        ("Chart 9920", [("9920", "MEDICALRECORD")]),
        ("seen: young,will", [("young,will", "PATIENT")]),
        ("spoke with will about it. The young man will go", [("will", "PATIENT")]),
        ("Plan:\nhome today, young agrees, he will rest", [("young", "PATIENT")]),
        ("The Home for will", []),
        ("where will-will is; will-young is", [("will-young", "PATIENT")]),
        ("WillYoung; y0ung", [("WillYoung", "PATIENT"), ("y0ung", "PATIENT")]),
    ],
)
def test_names_that_are_words_need_only_a_capital(table, text, expected):
    assert list_found(table, text, "8") == expected


def test_nothing_of_one_patient_is_sought_in_the_notes_of_another(table):
    assert list_found(table, "Okafor", "8") == [] and list_found(table, "Okafor", "9") == []
    assert KnownPatients(PatientTable(table)).mark(Document("1", "Okafor")).spans == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. <DOCTOR Okafor>", [("Okafor", "DOCTOR")]),
        ("<HOSPITAL Okafor Memorial>", [("Okafor Memorial", "HOSPITAL")]),
        ("of <CITY Okafor>", [("Okafor", "PATIENT")]),
        ("<PATIENT Ana> Wrzeszczynska", [("Ana Wrzeszczynska", "PATIENT")]),
    ],
)
def test_spans_of_the_model_stay_unless_they_take_the_name_for_something_else(table, text, expected):
    assert list_found(table, text) == expected


def test_a_patient_may_have_several_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('patient,name\n7,"Okafor, Ana"\n8,Eze\n7,Ana Ruiz\n')
    assert PatientTable(path).find_cells("7") == {"PATIENT": ["Okafor, Ana", "Ana Ruiz"]}
    assert PatientTable(path).find_cells("9") is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Zzyzx,name\n7,Ana\n", "no column patient among the 2"),
        ("patient,Zzyzx\n7,Ana\n", "column 2: its name is not known"),
        ("patient,name\n7,Ana\n,Zzyzx\n", "row 3: no patient"),
        ("patient,name\n7,Ana,Zzyzx\n8,Zzyzx,Zzyzx\n", "more cells than its header"),
        ("patient,name\n7,Ana\n8,Zzyzx,Zzyzx\n", "line 3: not a CSV table"),
        ("", "it is empty"),
    ],
)
def test_a_wrong_table_is_refused_without_its_text(tmp_path, content, said):
    path = tmp_path / "t.csv"
    path.write_text(content)
    with pytest.raises(FormatError, match=said) as refused:
        PatientTable(path)
    assert "Zzyzx" not in str(refused.value)


def test_no_file_of_the_table_remains(table, tmp_path, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("SQLITE_TMPDIR", str(place))
    opened = PatientTable(table)
    assert opened.find_cells("7") and not os.listdir(place)


def test_a_cell_may_hold_several_texts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('patient,kin,phone\n7,"Eze; ;Ruiz|\nOkafor;",;\n8,,\n')
    assert PatientTable(path).find_cells("7") == {"PATIENT": ["Eze", "Ruiz", "Okafor"]}
    assert PatientTable(path).find_cells("8") == {}


def test_a_patient_of_a_long_table_is_found_without_reading_the_others():
    table, steps = PatientTable(), []
    table.add_facts((f"{n}", [("SSN", f"{n}")]) for n in range(2000))
    table._database.set_progress_handler(lambda: steps.append(1) and 0, 1)
    assert table.find_cells("1234") == {"SSN": ["1234"]} and table.find_cells("x") is None
    assert 0 < len(steps) < 200  # of the database


def test_a_table_is_read_in_any_thread_and_closed_when_nobody_needs_it(table):
    opened, found = PatientTable(table), []
    database = opened._database
    thread = threading.Thread(target=lambda find: found.append(find("8")), args=(opened.find_cells,))
    thread.start()
    thread.join()
    assert found[0]["MEDICALRECORD"] == ["9920"]
    del opened, thread
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")


def test_redact_finds_known_patients_and_reports_them(table, tmp_path, capsys):
    notes = [
        marked("Ana came. Young came.", "1", "7"),
        marked("Young came.", "2", "8"),
        marked("x", "3", "9"),
    ]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    report = tmp_path / "r.json"
    options = ("--spans", "gold", "--seed", 1, "--patients", table, "--report", report)
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", *options)
    first, second, third = (note.text for note in corpora.read(tmp_path / "c.jsonl"))
    assert "Ana" not in first and "Young" in first and "Young" not in second and third == "x"
    found = json.loads(report.read_text())["known_patients"]
    assert found == {
        "notes_of_known_patients": 2, "notes_of_others": 1, "found_without_another_span": {"PATIENT": 2},
    }  # fmt: skip
    assert "--patients: 2 notes are of patients of the table, 1 are not" in capsys.readouterr().out


def test_a_name_in_small_letters_that_may_be_a_word_is_suspicious(table, tmp_path):
    note = marked("The Home for will. He will go.", "1", "8")
    corpora.write([note], tmp_path / "n.jsonl", "jsonl")
    report = tmp_path / "r.json"
    options = ("--spans", "gold", "--seed", 1, "--patients", table, "--report", report)
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", *options)
    assert json.loads(report.read_text())["suspicious"] == {"known name": 1}
    rows = (tmp_path / "r.json.survivors.csv").read_text().splitlines()
    assert rows[1:] == ["1,13,17,,known name,0.50"]


def test_a_missing_table_ends_with_status_2(tmp_path, capsys):
    corpora.write([marked("x")], tmp_path / "n.jsonl", "jsonl")
    assert status(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--patients", tmp_path / "no.csv") == 2
    assert "no.csv" in capsys.readouterr().err


def test_tag_finds_known_patients(table, tmp_path, small_model, capsys):
    corpora.write([marked("zzz Wrzeszczynska zzz")], tmp_path / "n.jsonl", "jsonl")
    tag.main([str(tmp_path / "n.jsonl"), "--model", str(small_model.folder), "--patients", str(table)])
    out, err = capsys.readouterr()
    assert "PATIENT" in out and "1 notes are of patients of the table" in err


def test_offsets_hold_in_text_with_invisible_characters(table):
    note = Document("1", "Mrs. Wrzesz\u200bczynska", (), "7")
    cells = PatientTable(table).find_cells("7")
    assert [note.text_of(span) for span in find_known(note, cells or {})] == ["Wrzesz\u200bczynska"]


def test_a_short_name_in_capitals_is_found_in_small_letters(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("patient,first_name\n7,ANA\n")
    cells = PatientTable(path).find_cells("7")
    assert cells is not None
    assert [span.start for span in find_known(marked("Ana came. ANA is well."), cells)] == [0, 10]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("April White, white cell count 12.", "white cell count 12."),
        ("For April White: white or black.", "white or black."),
        ("April White was here in April.", "was here in April."),
        ("April White, since last April at home.", "since last April at home."),
    ],
)
def test_a_word_that_is_plainly_no_name_does_not_give_the_name_away(text, stays, tmp_path):
    """A surrogate in its place said which name it was: "green cell count", "here in Vanessa"."""
    (tmp_path / "p.csv").write_text("patient,first_name,last_name\n7,April,White\n")
    corpora.write([Document("1", text, patient="7")], tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--patients", tmp_path / "p.csv", "--spans",
        "gold", "--seed", 1)  # fmt: skip
    (note,) = corpora.read(tmp_path / "c.jsonl")
    assert note.text.endswith(stays) and "April White" not in note.text


@pytest.mark.parametrize("text", ["Seen by April.", "April, aged 40", "okafor, white", "In April came by.",
                                  "I saw April", "Dear April"])  # fmt: skip
def test_a_name_that_is_also_a_month_is_found_elsewhere(text, tmp_path):
    (tmp_path / "p.csv").write_text("patient,first_name,last_name,kin\n7,April,White,Chidi Okafor\n")
    found = list_found(tmp_path / "p.csv", text)
    assert bool(found) == (not text.startswith("In "))
