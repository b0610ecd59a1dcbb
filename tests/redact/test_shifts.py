"""The days of each patient as a table, so that other data move like the notes."""

from datetime import date

import pytest
from marked_notes import KEY, SECRET, marked, redacted, run, status

import crfdeid
from crfdeid import corpora
from crfdeid.errors import ConfigurationError
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates.patient import Rules, check_shifts, draw_days

NOTES = [marked(f"<DATE 0{n + 1}/1{n}/2067> <PATIENT Ana Ruiz>", f"n-{n}", "bac"[n // 2]) for n in range(6)]
NOTES.append(marked("<DATE 01/10/2067>", "n-9", None))
SHIFTS = {"b": 700, "a": -14, "c": 3654}


def moved(notes) -> dict[str, int]:
    """The days by which the date of each note has moved."""
    real = {note.id: note for note in NOTES}
    return {note.id: (read_date(note) - read_date(real[note.id])).days for note in notes}


def read_date(note) -> date:
    month, day, year = map(int, note.text_of(note.spans[0]).split("/"))
    return date(year, month, day)


@pytest.fixture
def folder(tmp_path):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    return tmp_path


def go(folder, out, *options) -> dict[str, int]:
    run(folder / "n.jsonl", "--out", folder / out, "--spans", "gold", *options)
    return moved(corpora.read(folder / out))


def write_table(path, shifts) -> None:
    path.write_text("patient,days\n" + "".join(f"{patient},{days}\n" for patient, days in shifts.items()))


@pytest.mark.parametrize(
    "options", [(), ("--by", "note"), ("--seed", 4), ("--new-ids", "--season-weeks", 25)]
)
def test_the_exported_table_has_the_days_by_which_the_notes_moved(folder, options):
    (folder / "n.jsonl").unlink()
    corpora.write(NOTES, folder / "n.csv", "table")
    run(
        folder / "n.csv",
        "--out",
        folder / "c.csv",
        "--spans",
        "gold",
        "--export-shifts",
        folder / "s",
        *(options if "--new-ids" in options else (*options, "--keep-ids", "--with-spans")),
    )
    lines = (folder / "s").read_text().splitlines()
    assert lines[0] == "patient,days" and [line[0] for line in lines[1:]] == list("bac")
    assert (folder / "s").stat().st_mode & 0o777 == 0o600
    shifts = {line.split(",")[0]: int(line.split(",")[1]) for line in lines[1:]}
    assert all(days % 7 == 0 and days for days in shifts.values())
    if "--new-ids" not in options:
        days = moved(corpora.read(folder / "c.csv"))
        assert all(days[note.id] == shifts[note.patient] for note in NOTES if note.patient)


def test_an_imported_table_moves_the_notes_and_later_tables_agree(folder):
    write_table(folder / "s", SHIFTS)
    days = go(folder, "c.jsonl", "--import-shifts", folder / "s", "--export-shifts", folder / "t")
    assert {note.patient: days[note.id] for note in NOTES if note.patient} == SHIFTS
    assert (folder / "t").read_text() == (folder / "s").read_text()
    assert days["n-9"] % 7 == 0 and days["n-9"] not in SHIFTS.values()


@pytest.mark.slow
def test_exporting_and_importing_again_gives_the_same_notes(folder):
    text = "<DATE 3/7/2067> and <DATE 2061>, <DATE March>, <DATE 3/9>, <DATE July 2064>, <DATE Christmas>"
    notes = [marked(text, f"n{n}", str(n)) for n in range(150)]
    for weeks in (0, 2, 25):
        first = Redactor(SECRET, rules=Rules(25, weeks))
        shifts = {str(n): first.find_shift(str(n)) for n in range(150)}
        for note in notes:
            second = Redactor(SECRET[::-1], shifts=shifts)
            (one,), (two,) = first.redact([note]), second.redact([note])
            assert one.document.text == two.document.text


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("patient,days,ruiz\na,7,1\n", "3 columns"),
        ("patient\na\n", "1 columns"),
        ("a,7\n", "2 columns, not patient and days"),
        ("", "0 columns"),
        ("patient,days\na,10\n", "line 2: 10 days; wanted whole weeks"),
        ("patient,days\na,0\n", "line 2: 0 days do not hide"),
        ("patient,days\na,7.0\n", "line 2: days that are not a whole number"),
        ("patient,days\na,ruiz\n", "line 2: days that are not a whole number"),
        ("patient,days\na,7000000\n", "line 2: 7000000 days; wanted at most"),
        ("patient,days\na,7\nb,14\na,7\n", "line 4: a patient who occurs before"),
        ("patient,days\n,7\n", "line 2: 2 cells or an empty one"),
        ("patient,days\na,7,\n", "line 2: 3 cells"),
        ('patient,days\n"a,7\n', "line 2: not a CSV table"),
    ],
)
def test_a_table_that_is_not_clear_is_refused(folder, capsys, table, said):
    (folder / "s").write_text(table)
    assert status(folder / "n.jsonl", "--out", folder / "c.jsonl", "--import-shifts", folder / "s") == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and "ruiz" not in error
    assert not (folder / "c.jsonl").exists()


def test_a_map_keeps_the_shifts_and_refuses_others(folder, monkeypatch, capsys):
    monkeypatch.setenv("CRFDEID_MAP_KEY", KEY.decode())
    write_table(folder / "s", SHIFTS)
    of_map = ("--map", folder / "map")
    first = go(folder, "one.jsonl", *of_map, "--import-shifts", folder / "s")
    assert go(folder, "two.jsonl", *of_map) == first
    assert go(folder, "three.jsonl", *of_map, "--import-shifts", folder / "s") == first
    write_table(folder / "s", SHIFTS | {"a": 21})
    assert status(folder / "n.jsonl", "--out", folder / "x.jsonl", "--spans", "gold", *of_map,
                  "--import-shifts", folder / "s") == 2  # fmt: skip
    assert "another shift for a patient" in capsys.readouterr().err


def test_a_resumed_run_exports_all_patients_and_refuses_other_shifts(folder):
    write_table(folder / "s", SHIFTS)
    arguments = (folder / "n.jsonl", "--out", folder / "clean", "--format", "brat", "--spans", "gold",
                 "--seed", 1, "--import-shifts", folder / "s", "--export-shifts", folder / "t")  # fmt: skip
    run(*arguments)
    table = (folder / "t").read_text()
    assert status(*arguments, "--overwrite", "--export-shifts", folder / "n.jsonl" / "x") == 2
    run(*arguments, "--resume")
    assert (folder / "t").read_text() == table
    write_table(folder / "s", SHIFTS | {"a": 21})
    (folder / "clean" / "n-0.txt").unlink()
    (folder / "clean.unfinished").write_text("of another run\n")
    assert status(*arguments, "--resume") == 2


def test_the_farthest_shift_that_a_run_draws_can_be_imported():
    farthest = round(500 * 365.25 / 7) * 7 + 26 * 7
    drawn = {abs(draw_days(SECRET, f"patient {n}", Rules(500, 26))) for n in range(2000)}
    assert farthest - 7 * 60 < max(drawn) <= farthest
    assert check_shifts({"a": farthest, "b": -farthest}) == {"a": farthest, "b": -farthest}
    with pytest.raises(ConfigurationError, match=f"{farthest + 7} days; wanted at most {farthest}$"):
        check_shifts({"a": farthest + 7})


def test_python_has_the_same_shifts():
    redactor = crfdeid.Redactor(SECRET, shifts=SHIFTS)
    assert redactor.find_shift("b") == 700
    assert redactor.find_shift("new") == crfdeid.Redactor(SECRET).find_shift("new")
    days = moved(redacted(NOTES[:6], shifts=SHIFTS).values())
    assert {note.patient: days[note.id] for note in NOTES[:6]} == SHIFTS
    for wrong in ({"b": 0}, {"b": 1}, {"": 7}):
        with pytest.raises(ConfigurationError, match="patient number 1"):
            crfdeid.Redactor(SECRET, shifts=wrong)
