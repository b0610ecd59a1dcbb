"""New ids: random or keyed, and an output whose order does not give the old ones back."""

import pytest
from marked_notes import KEY, SECRET, STORY, marked, run, status

from crfdeid import corpora
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run.new_ids import IdReplacer, hide_order, sort_by_id
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.text.document import Document

NOTES = [marked("Seen by <DOCTOR Okafor>.", f"110-{n:02}", str(n // 3)) for n in range(30)]


def read_ids(path) -> list[str]:
    return [note.id for note in corpora.read(path)]


@pytest.mark.parametrize("kind", ["random", "keyed"])
def test_ids_have_128_bits_and_the_notes_of_a_patient_keep_one_patient(kind):
    ids = IdReplacer(kind, Redactor(SECRET))
    renamed = [ids.rename(note) for note in NOTES]
    assert len({note.id for note in renamed}) == 30 and len({note.patient for note in renamed}) == 10
    assert {len(note.id) for note in renamed} == {33} == {len(note.patient or "") for note in renamed}
    assert renamed == [ids.rename(note) for note in NOTES]
    again = [IdReplacer(kind, Redactor(SECRET)).rename(note) for note in NOTES]
    assert (again == renamed) == (kind == "keyed")


def test_without_new_ids_a_note_stays_as_it_is():
    assert IdReplacer(None, Redactor(SECRET)).rename(STORY[0]) == STORY[0]


def test_real_ids_are_not_shown_with_the_replacer():
    ids = IdReplacer("random", Redactor(SECRET), {})
    ids.rename(marked("x", "Zanzibarova 1", "Okafor"))
    assert ids.originals and ids.codes
    assert not [real for real in ("Zanzibarova", "Okafor") if real in repr(ids)]


def test_a_file_has_its_rows_in_the_order_of_the_new_ids(tmp_path):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c.jsonl", "--spans", "gold", "--new-ids")
    made = read_ids(tmp_path / "c.jsonl")
    assert made == sorted(made) and len(made) == 30 and not set(made) & {note.id for note in NOTES}


def test_the_files_of_a_folder_have_one_time_and_are_written_in_the_order_of_their_names(tmp_path):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "c", "--format", "text", "--spans", "gold", "--new-ids")
    found = [path.stat() for path in sorted((tmp_path / "c").iterdir())]
    assert len(found) == 30 and len({each.st_mtime_ns for each in found}) == 1
    assert [each.st_ctime_ns for each in found] == sorted(each.st_ctime_ns for each in found)


def test_hiding_the_order_of_a_folder_keeps_its_files(tmp_path):
    for name in "ba":
        (tmp_path / f"{name}.txt").write_text(name)
    (tmp_path / ".a.txt.ab12cd_9.partial").write_text("of a killed run")
    hide_order(tmp_path)
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == ["a", "b"]


def test_sorting_keeps_every_document_with_its_spans(tmp_path):
    notes = [*STORY, Document("0", "")]
    assert list(sort_by_id(notes, tmp_path)) == sorted(notes, key=lambda note: note.id)
    assert not list(tmp_path.iterdir())


def test_a_map_keeps_random_ids_for_later_notes_and_for_resuming(tmp_path, monkeypatch):
    monkeypatch.setenv(surrogate_map.KEY_VARIABLE, KEY.decode())
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    options = ("--spans", "gold", "--new-ids", "--format", "text", "--map", tmp_path / "map")
    run(tmp_path / "n.jsonl", "--out", tmp_path / "a", *options)
    run(tmp_path / "n.jsonl", "--out", tmp_path / "b", *options)
    assert read_ids(tmp_path / "a") == read_ids(tmp_path / "b")
    next((tmp_path / "b").iterdir()).unlink()
    run(tmp_path / "n.jsonl", "--out", tmp_path / "b", *options, "--resume")
    assert read_ids(tmp_path / "a") == read_ids(tmp_path / "b")


def test_random_ids_without_a_map_cannot_be_resumed(tmp_path, key, capsys):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    options = ("--key-file", key, "--new-ids", "--resume", "--format", "text")
    assert status(tmp_path / "n.jsonl", "--out", tmp_path / "c", *options) == 2
    assert "--new-ids keyed" in capsys.readouterr().err


def test_keyed_ids_are_said_to_be_no_safe_harbor(tmp_path, key, capsys):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    for name in "ab":
        out = (
            "--out",
            tmp_path / f"{name}.jsonl",
            "--key-file",
            key,
            "--new-ids",
            "keyed",
            "--spans",
            "gold",
        )
        run(tmp_path / "n.jsonl", *out)
    assert "164.514(c)" in capsys.readouterr().out
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
