"""Whole runs under attack: formats, file names, resuming, reports, the map."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from marked_notes import KEY, SECRET, marked, run, status

from crfdeid import corpora
from crfdeid.corpora import output
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import release
from crfdeid.redact.surrogates import keyed_choice, surrogate_map
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap
from crfdeid.text.document import Document, Span

REAL = ("Zanzibarova", "Quetzal", "4471902", "Okefenok", "555-0148", "zanzibarova", "123-45-6789", "6789")
NOTES = [
    marked(
        "Record date: <DATE 3/7/2067>\r\nMr. <PATIENT Quetzal Zanzibarova>,\tMRN <MEDICALRECORD 447-1902>, "
        "SSN <SSN 123-45-6789>, lives in <CITY Okefenok>.\r\n\r\nCall <PHONE 617-555-0148>.",
        "01-zanzibarova", "447-1902",
    ),
    marked(
        "The Zanzibarovas: MRN 4471902, ssn xxx-xx-6789, qzanzibarova@x.org, ZANZI\u200bBAROVA,\nOKEFENOK",
        "01-2", "447-1902",
    ),
    marked("<DOCTOR Quetzal>\u00a0saw <PATIENT zanzibarova> on <DATE 3/21/67>", "01-3", "447-1902"),
    Document("01-4", "", (), "447-1902"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("written", ["i2b2", "brat", "jsonl", "table", "inline", "labelstudio"])
@pytest.mark.parametrize("read", ["jsonl", "table", "i2b2"])
def test_nothing_real_is_in_any_byte_that_is_written_or_shown(tmp_path, key, capfd, read, written):
    given, out = tmp_path / "given", tmp_path / "clean"
    notes = NOTES if read != "i2b2" else [replace(note, id=f"01-{n}") for n, note in enumerate(NOTES)]
    corpora.write(notes, given, read)
    choices = (
        "--format",
        written,
        "--new-ids",
        "keyed",
        "--key-file",
        key,
        "--by",
        "patient",
        "--spans",
        "gold",
    )
    of_ids = ("--patient-from", r"^(\d+)-") if read == "i2b2" else ()
    run(given, "--from", read, "--out", out, *choices, *of_ids, "--report", tmp_path / "report.json")
    paths = [path for path in (*out.rglob("*"), out, *tmp_path.glob("report*")) if path.is_file()]
    bytes = "".join(path.name + path.read_text() for path in paths) + "".join(capfd.readouterr())
    assert paths and not [real for real in REAL if real in bytes]
    report = json.loads((tmp_path / "report.json").read_text())
    assert not report["survivors"] and report["documents_whose_id_or_patient_holds_a_found_string"] == 0
    assert (tmp_path / "report.json.survivors.csv").stat().st_mode & 0o777 == 0o600


def test_the_notes_of_an_earlier_run_that_stay_in_the_folder_are_counted(tmp_path, capsys):
    out = tmp_path / "clean"
    for some in (NOTES, NOTES[:1], NOTES[:1]):
        corpora.write(some, tmp_path / "n.jsonl", "jsonl", overwrite=True)
        options = ("--format", "brat", "--spans", "gold", "--seed", 1, "--overwrite")
        run(tmp_path / "n.jsonl", "--out", out, *options)
    said = capsys.readouterr().out.split("wrote the folder")
    left = 2 * (len(NOTES) - 1)  # a text and its spans
    assert "still in" not in said[1] and f"files of an earlier run that are still in {out}: {left}" in said[2]
    assert f"{out}: {left}" in said[3]


def test_ids_that_contain_phi_are_counted_and_reported(tmp_path, key, capsys):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--seed", 1, "--spans", "gold")
    said = capsys.readouterr().out
    assert (
        "4 notes have a found text in their id or their patient's" in said
        and "the ids of notes and patients are unchanged" in said
    )
    run(tmp_path / "n.jsonl", "--out", tmp_path / "d.jsonl", "--seed", 1, "--spans", "gold", "--new-ids")
    assert "the ids of notes and patients are random" in capsys.readouterr().out


def test_the_report_names_what_was_searched_and_what_was_kept(tmp_path, key, capsys):
    note = marked("<DATE Monday> <AGE 67> <PATIENT Ana Ruiz> <COUNTRY USA>, <CITY Boston>")
    corpora.write([note], tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--key-file", key)
    said = capsys.readouterr().out
    assert "2 were kept as allowed" in said and "0 places in the output still" in said
    run(tmp_path / "n.jsonl", "--out", tmp_path / "d.jsonl", "--report", tmp_path / "r")
    assert "found elsewhere in its patient's output" in capsys.readouterr().out
    assert status(tmp_path / "n.jsonl", "--out", tmp_path / "e.jsonl", "--report", tmp_path / "r") == 2
    assert "exists" in capsys.readouterr().err and not (tmp_path / "e.jsonl").exists()


def interrupted(monkeypatch, *arguments) -> int:
    save, written = output._save_document, []

    def failing(*given, **options):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(1)
        return save(*given, **options)

    monkeypatch.setattr(output, "_save_document", failing)
    ended = status(*arguments)
    monkeypatch.undo()
    return ended


def test_a_run_is_not_resumed_with_another_key_or_other_options(tmp_path, key, monkeypatch, capsys):
    other, out = tmp_path / "other", tmp_path / "clean"
    other.write_bytes(SECRET[::-1])
    other.chmod(0o600)
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    begun = (tmp_path / "n.jsonl", "--out", out, "--format", "text", "--spans", "gold")
    assert interrupted(monkeypatch, *begun, "--key-file", key) == 130
    assert len(list(out.iterdir())) == 2
    for wrong in (
        ("--key-file", other),
        ("--key-file", key, "--style", "type"),
        ("--key-file", key, "--by", "patient"),
    ):
        assert status(*begun, *wrong, "--resume") == 2
        assert "begun with another key or other options" in capsys.readouterr().err
        assert len(list(out.iterdir())) == 2
    run(*begun, "--key-file", key, "--resume")
    assert "2 notes were written before and are not counted" in capsys.readouterr().out
    assert len(list(out.iterdir())) == 4 and not (tmp_path / "clean.unfinished").exists()
    assert SECRET.hex() not in "".join(path.read_text() for path in out.iterdir())


def test_a_run_that_fails_before_its_first_note_leaves_nothing(tmp_path):
    corpora.write(NOTES[:1], tmp_path / "n.jsonl", "jsonl")
    given = (tmp_path / "n.jsonl", "--format", "text", "--spans", "tag", "--model", tmp_path / "none")
    assert status(*given, "--out", tmp_path / "clean") == 2
    assert not (tmp_path / "clean.unfinished").exists() and not any((tmp_path / "clean").glob("*"))


def test_shuffled_shards_with_one_key_give_the_same_bytes(tmp_path, key):
    notes = NOTES
    whole = {}
    for number, part in enumerate((notes, notes[::-1], notes[:2], notes[2:])):
        corpora.write(random.Random(number).sample(part, len(part)), tmp_path / f"{number}.jsonl", "jsonl")
        out = tmp_path / f"out{number}"
        run(
            tmp_path / f"{number}.jsonl",
            "--out",
            out,
            "--format",
            "brat",
            "--key-file",
            key,
            "--spans",
            "gold",
        )
        for path in out.iterdir():
            assert whole.setdefault(path.name, path.read_bytes()) == path.read_bytes()
    assert len(whole) == 2 * len(notes)


def test_a_map_cut_anywhere_or_changed_anywhere_is_refused(tmp_path):
    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    data, rng = path.read_bytes(), random.Random(1)
    for cut in (0, 14, 40, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(MapError):
            surrogate_map.read_map(path, KEY)
    for at in rng.sample(range(len(data)), 4):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(MapError):
            surrogate_map.read_map(path, KEY)
    with pytest.raises(MapError, match="directory"):
        surrogate_map.read_map(tmp_path, KEY)


def test_surrogates_of_a_map_stay_although_other_notes_join(tmp_path):
    """Later towns, numbers and hospitals that sort first do not take the surrogates of earlier ones."""
    first = marked("<CITY Lynn>, <STATE MA>; <IDNUM 4321> <HOSPITAL Okefenok Clinic>", "a")
    later = marked(
        "<CITY Adams>, <STATE MA>; <IDNUM 1234>; <CITY Boston>, <STATE MA>; <HOSPITAL Abel Clinic>", "b"
    )
    for number in range(2):
        path = tmp_path / str(number)
        results = []
        for notes in ([first], [later], [later, first], [first]):
            redactor = Redactor(bytes([number]) * 16)
            with release.use_map(redactor, path, KEY):
                results.append({r.document.id: r.document.text for r in redactor.redact(notes)})
        assert results[0] == results[3] and results[2] == results[0] | results[1]


def test_two_runs_cannot_both_write_one_map(tmp_path):
    path = tmp_path / "map"
    with (
        pytest.raises(MapError, match="another run changed it"),
        release.use_map(Redactor(SECRET), path, KEY),
    ):
        surrogate_map.write_map(SurrogateMap(b"x" * 32), path, KEY)
    assert surrogate_map.read_map(path, KEY).secret == b"x" * 32


@pytest.mark.parametrize("folder", [True, False])
def test_the_notes_are_never_overwritten(tmp_path, folder):
    path = tmp_path / ("notes" if folder else "notes.jsonl")
    corpora.write(NOTES[2:], path, "brat" if folder else "jsonl")
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    assert status(path, "--out", tmp_path / "x" / ".." / path.name, "--overwrite", "--spans", "gold") == 2
    assert {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()} == before


def test_an_empty_and_an_all_phi_note_and_none_at_all(tmp_path, capsys):
    notes = [Document("e", ""), Document("all", "Ana Ruiz", (Span(0, 8, "PATIENT"),))]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c", "--format", "brat", "--spans", "gold")
    assert (tmp_path / "c" / "e.txt").read_text() == "" and "Ana" not in (
        tmp_path / "c" / "all.txt"
    ).read_text()
    (tmp_path / "none.jsonl").write_text("")
    assert status(tmp_path / "none.jsonl", "--out", tmp_path / "d.jsonl") == 2
    assert not (tmp_path / "d.jsonl").exists()


def started(*arguments) -> subprocess.Popen:
    command = [sys.executable, "-m", "crfdeid.redact", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_terminated_run_removes_what_is_half_written(tmp_path):
    notes = [marked("<PATIENT Ana Ruiz> on <DATE 3/7/2067> " * 50, f"n{n}", f"{n}") for n in range(300)]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    running = started(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--report", tmp_path / "r")
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(tmp_path.glob(".c.jsonl*")):
        time.sleep(0.01)
    running.terminate()
    assert running.wait() == 143
    assert [path.name for path in tmp_path.iterdir()] == ["n.jsonl"]


@pytest.mark.slow
def test_a_killed_run_leaves_no_half_note(tmp_path, key):
    corpora.write(
        [Document(f"n{n}", NOTES[0].text * 20, (), f"{n}") for n in range(120)], tmp_path / "n.jsonl", "jsonl"
    )
    out = tmp_path / "clean"
    arguments = [tmp_path / "n.jsonl", "--out", out, "--format", "text", "--key-file", key, "--spans", "gold"]
    running = started(*arguments)
    until = time.monotonic() + 60
    while time.monotonic() < until and not (out.is_dir() and any(out.iterdir())):
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    size = len((NOTES[0].text * 20).encode())
    assert all(path.stat().st_size == size for path in out.glob("*.txt"))
    assert (tmp_path / "clean.unfinished").exists()
    run(*arguments, "--resume")
    assert len(list(out.iterdir())) == 120 and not (tmp_path / "clean.unfinished").exists()


def test_cells_that_a_spreadsheet_would_compute_begin_with_a_quote(tmp_path):
    notes = [marked("=1+1 <PATIENT Ana>", "+1", "@2"), marked("plain <PATIENT Ana>", "2", "3")]
    corpora.write(notes, tmp_path / "n.csv", "table")
    options = ("--seed", 1, "--spans", "gold", "--spreadsheet-safe", "--keep-ids", "--with-spans")
    run(tmp_path / "n.csv", "--out", tmp_path / "c.csv", *options)
    first, second = corpora.read(tmp_path / "c.csv")
    assert (first.id, first.patient, first.text[:5]) == ("'+1", "'@2", "'=1+1")
    assert (second.id, second.patient) == ("2", "3") and second.text.startswith("plain")
    assert first.text_of(first.spans[0]).isalpha()


def test_a_type_of_no_scheme_is_not_written_out(tmp_path):
    corpora.write([marked("<Okafor_Ana Ruiz>")], tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--seed", 1, "--spans", "gold")
    assert "Okafor" not in (tmp_path / "c.jsonl").read_text()


def test_a_key_file_may_hold_a_password_and_is_stretched(key):
    secret = keyed_choice.read_key_file(key)
    assert len(secret) == 32 and secret != keyed_choice.read_secret(key)
    assert secret == keyed_choice.read_key_file(key)
