"""The other columns of a table: dates move with the notes, and nothing goes out that nobody spoke for."""

import csv
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from marked_notes import run, status

from crfdeid.redact.run import patients
from crfdeid.redact.run.column_choices import find_content, shift_cell, shift_cells

TABLE = """note,patient,body,NOTE_DATE,NOTE_TYPE,seen
1,7,Seen 4/2/2061.,2061-04-02,Progress,4/2/2061 10:15 AM
2,7,Seen 4/9/2061.,2061-04-09,Letter,20610409
3,,Seen 4/9/2061.,1950-04-09,Letter,tomorrow
"""
RULES = ("--model", "rules", "--seed", 1, "--id-column", "note", "--text-column", "body")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "n.csv").write_text(TABLE)
    return tmp_path / "n.csv"


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def read_day(text: str, form: str = "%m/%d/%Y") -> date:
    return datetime.strptime(text, form).date()


@pytest.mark.parametrize("options", [(), ("--by", "note"), ("--jobs", 2), ("--patient-from", r"^\\d")])
def test_dates_of_a_column_move_as_those_of_the_notes(path, tmp_path, capsys, options):
    out = tmp_path / "c.csv"
    run(path, "--out", out, *RULES, "--date-column", "NOTE_DATE", "--date-column", "seen", *options)
    rows = read_rows(out)
    for row in rows[:2]:
        day = read_day(row["body"].removeprefix("Seen ").removesuffix("."))
        assert row["NOTE_DATE"] == f"{day:%Y-%m-%d}"
    assert read_day(rows[0]["seen"].removesuffix(" 10:15 AM")).isoformat() == rows[0]["NOTE_DATE"]
    assert rows[1]["seen"] == rows[1]["NOTE_DATE"].replace("-", "") != "20610409"
    assert rows[2]["seen"] == rows[2]["NOTE_DATE"] == ""
    assert [row["NOTE_TYPE"] for row in rows] == ["Progress", "Letter", "Letter"]
    said = capsys.readouterr().out
    assert "copied unchanged, PHI included: NOTE_TYPE\n" in said
    assert "2 cells of date columns are empty now" in said


def test_columns_are_dropped_or_copied(path, tmp_path):
    out = tmp_path / "c.csv"
    run(path, "--out", out, *RULES, "--drop-column", "seen", "--drop-column", "NOTE_TYPE",
        "--copy-column", "NOTE_DATE")  # fmt: skip
    assert [*read_rows(out)[0]] == ["note", "patient", "body", "NOTE_DATE"]
    assert [row["NOTE_DATE"] for row in read_rows(out)] == ["2061-04-02", "2061-04-09", "1950-04-09"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "column NOTE_DATE has dates; wanted --date-column, --drop-column or --copy-column for it"),
        ("--date-column NOTE_DATE", "column seen has dates"),
        ("--drop-column Seen", "no column Seen, which an option names; did you mean seen?"),
        ("--drop-column body", "column body has two uses"),
        ("--drop-column seen --copy-column seen", "column seen has two uses"),
        ("--drop-column seen --out c.jsonl", "only where a table or a query becomes one table"),
        ("--date-column seen --policy limited_data_set", "the policy keeps the dates of the notes"),
    ],
)
def test_a_table_that_nobody_spoke_for_is_refused(path, tmp_path, monkeypatch, capsys, options, said):
    monkeypatch.chdir(tmp_path)
    assert status(path, "--out", "c.csv", *RULES, *options.split()) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not Path("c.csv").exists() and not Path("c.jsonl").exists()


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (["Ottoline Okafor", "Anna Lindqvist", ""], "names"),
        (["OKAFOR, MAUD B", "Dr. Ruiz", "Rolf R. Tanaka MD"], "names"),
        (["White", "Black", "African American", "Hispanic or Latino"], None),
        (["Discharge summary", "Progress Note", "Maud Okafor"], None),
        (["Internal Medicine", "Cardiology", "Intensive Care"], None),
        (["Aspirin Low Dose", "Lisinopril", "Penicillin G", "Tylenol PM"], None),
        (["Influenza A", "Crohn Disease", "Parkinson's disease"], None),
    ],
)
def test_a_column_whose_cells_are_names_of_people_is_one_of_names(cells, what):
    assert find_content("signed", cells) == what


def test_a_column_that_is_named_as_names_are_is_refused(path, tmp_path, capsys):
    path.write_text("note,body,last_name\n1,well,Okafor\n")
    assert status(path, "--out", tmp_path / "c.csv", *RULES) == 2
    error = capsys.readouterr().err
    assert "column last_name has names" in error and "Okafor" not in error
    run(path, "--out", tmp_path / "c.csv", *RULES, "--drop-column", "last_name")
    assert "Okafor" not in (tmp_path / "c.csv").read_text()


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (["2061-04-02", "", None], "dates"),
        (["4/2/61", "x"], "dates"),
        (["4/2/61", "x", "y"], "dates"),
        (["4/2/61", *["x"] * 10], None),
        ([date(2061, 4, 2)], "dates"),
        (["20610402"], "dates"),
        (["99999999", "12345678"], None),
        (["1.2.3"], None),
        ([1.5, float("nan")], None),
        ([], None),
    ],
)
def test_what_a_column_has(cells, what):
    assert find_content("x", cells) == what


def test_a_cell_moves_in_its_own_form():
    assert shift_cell(datetime(2061, 4, 2, 10), 14) == datetime(2061, 4, 16, 10)
    assert shift_cell("02.04.2061", 14, False) == "16.04.2061"
    assert shift_cell("2061-04-02T10:15:00Z", 14) == "2061-04-16T10:15:00Z"
    assert shift_cell("about noon", 14) is None
    row = {"born": "1/1/1950", "seen": "2061-04-02", "n": "5"}
    assert shift_cells(row, ["born", "seen"], 7, True) == {"born": None, "seen": "2061-04-09"}


@pytest.mark.parametrize(
    ("born", "seen", "moved"),
    [
        ("1/1/1971", date(2061, 4, 2), None),  # 90 on the date of the note
        ("1/1/1973", date(2061, 4, 2), "1/8/1973"),
        ("1/1/1935", None, None),  # perhaps over 89 when the note was written
        ("1/1/1935", date(2000, 4, 2), "1/8/1935"),
        ("1/1/1950", None, "1/8/1950"),
    ],
)
def test_a_birth_by_itself_shows_an_age_over_89_by_its_note(born, seen, moved):
    assert shift_cells({"born": born}, ["born"], 7, True, seen) == {"born": moved}


def test_a_column_of_births_beside_a_text_is_empty_where_the_text_shows_the_age(tmp_path):
    path, out = tmp_path / "n.csv", tmp_path / "c.csv"
    path.write_text("note,dob,body\n1,9/14/1935,Seen 4/2/2061. DOB 9/14/1935.\n2,9/14/1990,Seen 4/2/2061.\n")
    run(path, "--out", out, *RULES, "--date-column", "dob")
    old, young = read_rows(out)
    assert old["dob"] == "" and "DOB [**DATE**]" in old["body"]
    years = read_day(young["body"].removeprefix("Seen ").removesuffix(".")).year - read_day(young["dob"]).year
    assert years in (70, 71)


def test_one_wrong_date_does_not_decide_the_order_of_day_and_month(tmp_path):
    path, out = tmp_path / "n.csv", tmp_path / "c.csv"
    days = "4/2/2061", "4/14/2061", "4/15/2061", "13/2/2061"
    path.write_text("note,patient,day,body\n" + "".join(f"{n},7,{day},Well.\n" for n, day in enumerate(days)))
    run(path, "--out", out, *RULES, "--date-column", "day")
    first, second, *_ = (read_day(row["day"]) for row in read_rows(out)[:3])
    assert (second - first).days == 12


@pytest.mark.parametrize(
    ("name", "cells", "is_refused"),
    [
        ("ssn", "x", True),
        ("Home Phone", "", True),
        ("reached", "(617) 555-0148", True),
        ("reached", "ana@a.example", True),
        ("code", "123-45-6789", True),
        ("range", "100-200", False),
        ("state", "MA", False),
    ],
)
def test_a_column_of_numbers_or_addresses_of_people_is_refused(name, cells, is_refused, tmp_path, capsys):
    path = tmp_path / "n.csv"
    path.write_text(f"note,{name},body\n1,{cells},Well.\n")
    if is_refused:
        assert status(path, "--out", tmp_path / "c.csv", *RULES) == 2
        assert "has numbers or addresses of people; wanted --date" in capsys.readouterr().err
    run(path, "--out", tmp_path / "c.csv", *RULES, *(["--copy-column", name] if is_refused else []))
    assert read_rows(tmp_path / "c.csv")[0][name] == cells


@pytest.mark.parametrize(
    ("cell", "moved"),
    [
        ("02-APR-2061", "16-APR-2061"),
        ("02-APR-61 10.15.00.000000 AM", "16-APR-61 10.15.00.000000 AM"),
        ("02APR2061:10:15:00", "16APR2061:10:15:00"),
        ("April 2, 2061", "April 16, 2061"),
        ("20610402101500", "20610416101500"),
        ("20610402T1015Z", "20610416T1015Z"),
        ("2061-04-02 00:00:00 UTC", "2061-04-16 00:00:00 UTC"),
        ("2061-04-02 00:00:00-05", "2061-04-16 00:00:00-05"),
        ("2061-04-02Z", "2061-04-16Z"),
        (20610402, 20610416),
        (20610402.0, 20610416.0),
        (Decimal("20610402"), Decimal("20610416")),
        ("2061-04", None),
        (20611402, None),
        (61, None),
        (True, None),
        (float("inf"), None),
        ("9999-12-31", None),
        ("12/31/9999", None),
        ("0000-00-00", None),
        ("1900-01-01", None),
        ("1/1/1900", None),
        (date(9999, 12, 31), None),
        (datetime(1, 1, 1), None),
        (datetime(1900, 1, 1, tzinfo=UTC), None),
        (datetime(2061, 4, 2, 10, tzinfo=UTC), datetime(2061, 4, 16, 10, tzinfo=UTC)),
        (99991231, None),
        (19000101, None),
    ],
)
def test_a_day_moves_in_the_forms_of_databases_and_a_placeholder_is_empty(cell, moved):
    assert shift_cell(cell, 14) == moved and type(shift_cell(cell, 14)) is type(moved)


def test_a_placeholder_shows_neither_the_shift_nor_an_age(tmp_path):
    path, out = tmp_path / "n.csv", tmp_path / "c.csv"
    rows = "1,7,2061-04-02,9999-12-31,Seen 4/2/2061.\n2,7,1900-01-01,2061-04-09,Well.\n"
    path.write_text(f"note,patient,begin,end,body\n{rows}")
    run(path, "--out", out, *RULES, "--date-column", "begin", "--date-column", "end")
    first, second = read_rows(out)
    assert first["begin"] and second["end"] and first["end"] == second["begin"] == ""


@pytest.mark.parametrize(
    "cells",
    [
        ["02-APR-2061"],
        ["02APR2061", "09APR2061"],
        ["20610402.0", "2061-04-02"],
        ["0000-00-00", "9999-12-31", "2061-04-02"],
        ["NULL", "\\N", "", "2061-04-02"],
        ["ongoing", "ongoing", "2061-04-02"],
        ["2061-04"],
        ["Apr 2061"],
        [20610402, None],
        [20610402.0, float("nan")],
        [Decimal("20610402")],
    ],
)
def test_a_column_has_dates_in_any_of_their_forms(cells):
    assert find_content("x", cells) == "dates"


@pytest.mark.parametrize(
    "cells", [["201234", "201399"], ["1/1280", "1/640"], ["1.2345"], [201234], ["120-80"], [2061], ["10:15"]]
)  # fmt: skip
def test_numbers_are_no_dates(cells):
    assert find_content("x", cells) is None


@pytest.mark.parametrize("first", ["NULL", "", "\\N"])
@pytest.mark.parametrize("out", ["c.csv", "-"])
def test_a_table_whose_first_cells_are_empty_is_refused_where_others_are_dates(
    first, out, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    cells = "".join(f"{n},Well.,{first}\n" for n in range(1200))
    Path("n.csv").write_text(f"note,body,seen\n{cells}1200,Well.,2061-04-02\n")
    assert status("n.csv", "--out", out, "--format", "table", *RULES) == 2
    said = capsys.readouterr()
    assert "column seen has dates" in said.err and "2061" not in said.out and not Path("c.csv").exists()


def test_a_stream_is_judged_by_its_first_thousand_rows(tmp_path, monkeypatch, capsys):
    (tmp_path / "n.csv").write_text("note,body,seen\n1,Well.,\n2,Well.,2061-04-02\n")
    monkeypatch.setattr(patients, "INPUT", tmp_path / "n.csv")
    assert status("-", "--from", "table", "--out", "-", *RULES) == 2
    said = capsys.readouterr()
    assert "standard input: column seen has dates" in said.err and said.out == ""


@pytest.mark.parametrize(
    ("name", "cells", "what"),
    [
        ("PAT_LAST_NAME", ["White"], "names"),
        ("patientName", ["x"], "names"),
        ("attending_name", ["x"], "names"),
        ("lname", ["White"], "names"),
        ("author", ["White"], "names"),
        ("phone_number", ["6175550148"], "numbers or addresses of people"),
        ("pt_email_address", ["x"], "numbers or addresses of people"),
        ("patient_ssn", [219099998], "numbers or addresses of people"),
        ("signed", ["Okafor", "Ruiz", "White"], "names"),
        ("town", ["Boston"], "numbers or addresses of people"),
        ("age", ["67", "93"], "ages over 89"),
        ("patientAge", ["93 years"], "ages over 89"),
        ("AGE_AT_VISIT", ["90.5"], "ages over 89"),
        ("age", ["67", "89", "", "999"], None),
        ("dosage", ["93"], None),
        ("visit_year", ["2061", ""], "dates"),
        ("birthYear", ["1961.0"], "dates"),
        ("pgy_year", ["3"], None),
        ("score", ["2061"], None),
        ("drug_name", ["Lisinopril", "Aspirin"], None),
        ("ward_name", ["Ellison", "5W", "ICU"], None),
        ("patient_class", ["inpatient"], None),
        ("provider_type", ["MD", "NP"], None),
        ("white_cell_count", ["5.1"], None),
        ("visit_number", ["1", "2"], None),
        ("month", ["April", "June", "January"], None),
        ("weekday", ["Monday", "Friday"], None),
        ("state", ["Virginia", "Maine", "Georgia"], None),
        ("kind", ["Final", "Addended", "Draft"], None),
    ],
)
def test_a_column_of_people_is_refused_by_its_name_or_its_cells(name, cells, what, tmp_path, capsys):
    path, out = tmp_path / "n.csv", tmp_path / "c.csv"
    path.write_text(f"note,body,{name}\n" + "".join(f"{n},Well.,{cell}\n" for n, cell in enumerate(cells)))
    if what is None:
        run(path, "--out", out, *RULES)
        return
    assert status(path, "--out", out, *RULES) == 2 and not out.exists()
    assert f"column {name} has {what}; wanted --date-column" in capsys.readouterr().err


@pytest.mark.parametrize("policy", ["limited_data_set", "years_only", "gdpr"])
def test_a_policy_whose_texts_keep_years_refuses_columns_that_move(policy, path, tmp_path, capsys):
    out, date_columns = tmp_path / "c.csv", ("--date-column", "NOTE_DATE", "--date-column", "seen")
    assert status(path, "--out", out, *RULES, *date_columns, "--policy", policy) == 2
    error = capsys.readouterr().err
    assert "would show the shift; wanted --copy-column or --drop-column" in error and not out.exists()


def test_an_age_over_89_in_any_row_ends_the_run(tmp_path, capsys):
    path, out = tmp_path / "n.csv", tmp_path / "c.csv"
    path.write_text(
        "note,body,age\n" + "".join(f"{n},Well.,{93 if n == 1400 else 60}\n" for n in range(1500))
    )
    assert status(path, "--out", out, *RULES) == 2 and not out.exists()
    assert "column age has ages over 89; wanted --date-column" in capsys.readouterr().err
    run(path, "--out", out, *RULES, "--copy-column", "age")
