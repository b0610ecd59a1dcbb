"""Where patients and spans come from, and what the report says of it."""

import json

import pytest
from marked_notes import marked, run, status

from crfdeid import corpora
from crfdeid.corpora.registry import Reading
from crfdeid.redact.run import patients, tagging

DATED = "Seen <DATE 3/7/2067> by Dr. <DOCTOR Okafor>."


def shifts(folder) -> list[str]:
    """The date in each note."""
    return [note.text_of(note.spans[0]) for note in corpora.read(folder)]


@pytest.mark.parametrize(
    ("options", "said", "patients"),
    [
        ((), "4 notes name no patient", 4),
        (("--patient-from", r"^(\d+)-\d+$"), "patients: 2, by --patient-from", 2),
        (("--patient-from", r"^\d+"), "patients: 2, by --patient-from", 2),
        (("--patient-from", "^x"), "4 notes name no patient", 4),
    ],
)
def test_numbers_in_the_ids_of_i2b2_files_make_a_patient_only_on_request(
    tmp_path, capsys, options, said, patients
):
    notes = [marked(DATED, id, None) for id in ("110-01", "110-02", "111-01", "111-02")]
    corpora.write(notes, tmp_path / "notes", "i2b2")
    run(tmp_path / "notes", "--out", tmp_path / "clean", "--seed", 1, "--spans", "gold", *options)
    assert said in capsys.readouterr().out
    assert len(set(shifts(tmp_path / "clean"))) == patients


def test_each_folder_of_a_folder_can_be_a_patient(tmp_path, capsys):
    for patient in "ab":
        notes = [marked(DATED, f"n{number}", None) for number in range(2)]
        corpora.write(notes, tmp_path / "notes" / patient, "i2b2")
    run(
        tmp_path / "notes", "--out", tmp_path / "clean", "--seed", 1, "--spans", "gold",
        "--patient-from", "folder",
    )  # fmt: skip
    assert "patients: 2, by the folders" in capsys.readouterr().out
    assert [note.id for note in corpora.read(tmp_path / "clean")] == ["a.n0", "a.n1", "b.n0", "b.n1"]
    assert len(set(shifts(tmp_path / "clean"))) == 2
    (tmp_path / "notes" / "loose.xml").write_text("a note without a patient")
    assert status(tmp_path / "notes", "--out", tmp_path / "x", "--patient-from", "folder") == 2


@pytest.mark.parametrize("pattern", ["(", r"(a|aa)+$"])
def test_a_pattern_that_is_wrong_or_slow_is_refused(tmp_path, pattern, capsys):
    corpora.write([marked(DATED, "a" * 60 + "!", None)], tmp_path / "n.jsonl", "jsonl")
    assert status(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--patient-from", pattern) == 2
    assert "--patient-from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("format", "patient_from", "column", "source"),
    [
        ("table", None, None, "the column patient"),
        ("table", None, "subject", "the column subject"),
        ("jsonl", None, None, "the notes"),
        ("table", "folder", "subject", "the folders"),
        ("table", r"^(\d+)", "subject", "--patient-from"),
    ],
)
def test_the_source_of_patients_is_said(format, patient_from, column, source):
    assert patients.describe_source(Reading(format, patient_column=column), patient_from) == source


def test_one_span_in_a_note_does_not_switch_the_model_off(tmp_path, capsys):
    note = marked("<DATE 3/7/2067>: Mr. Robert Okonkwo was seen by Dr. Margaret Whitfield, MD.", "1")
    empty = marked("No acute distress.", "2", "8")
    own = marked("<DATE 3/7/2067>: no acute distress.", "3", "9")
    corpora.write([note, empty, own], tmp_path / "n.jsonl", "jsonl")
    report = tmp_path / "report.json"
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--seed", 1, "--report", report)
    clean = next(corpora.read(tmp_path / "c.jsonl"))
    assert not [name for name in ("Okonkwo", "Whitfield") if name in clean.text]
    found = json.loads(report.read_text())
    assert found["documents_by_source_of_spans"] == {"own": 1, "model": 0, "both": 1, "none": 1}
    assert found["documents_in_which_nothing_was_found"] == ["2"] and found["patients"] == 3
    assert "1 notes are unchanged" in capsys.readouterr().out


def test_the_spans_of_a_note_keep_their_types_beside_those_of_the_model():
    note = marked("Dr. <PATIENT Whitfield> of Boston")
    tagged = marked("Dr. <DOCTOR Whitfield> of <CITY Boston>")
    assert [span.type for span in tagging.unite_notes(note, tagged).spans] == ["PATIENT", "CITY"]
    sources = [tagging.name_source(note, tagging.unite_notes(note, other)) for other in (note, tagged)]
    assert sources == ["own", "both"] and tagging.name_source(note, note.with_spans(())) == "none"
    assert tagging.name_source(note.with_spans(()), tagged) == "model"


def test_with_spans_tag_the_notes_own_spans_are_no_source(tmp_path, capsys):
    corpora.write([marked("Seen by Dr. <DOCTOR Quevix>.")], tmp_path / "n.jsonl", "jsonl")
    sources = []
    for spans in ("tag", "auto"):
        report = tmp_path / f"{spans}.json"
        options = ("--model", "rules", "--spans", spans, "--seed", 1, "--report", report)
        run(tmp_path / "n.jsonl", "--out", tmp_path / f"{spans}.jsonl", *options)
        sources.append(json.loads(report.read_text())["documents_by_source_of_spans"])
    assert [{name for name, count in each.items() if count} for each in sources] == [{"model"}, {"own"}]
