"""Undo: released notes get their real text back from the map, and the audit file says who asked."""

import json
import os
import random
from types import SimpleNamespace

import pytest
from marked_notes import KEY, STORY, marked, run

from crfdeid import cli, corpora
from crfdeid.redact import restore
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.text.document import Document, Span

ODD = [
    marked("=<DATE 3/7/2067>\r\nMr. <PATIENT Zoë Ruiz>,\tZoë; <AGE 67>\x0b\u200b <AGE 93>", "o1"),
    marked("<PATIENT Ruiz><DATE 3/8/2067>", "o-2"),
    Document("o-3", "", (), "7"),
    Document("o-4", "nothing here", (), None),
]  # fmt: skip
NOTES = [*STORY, *ODD]


@pytest.fixture
def folder(tmp_path):
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    (tmp_path / "mapkey").write_bytes(KEY)
    (tmp_path / "mapkey").chmod(0o600)
    return tmp_path


def of_map(folder) -> tuple:
    return "--map", folder / "map", "--map-key", folder / "mapkey"


def release(folder, out="clean", *options) -> None:
    run(folder / "n.jsonl", "--out", folder / out, "--spans", "gold", *of_map(folder), *options)


def undo(folder, clean="clean", out="again", *options, reason="audit 17") -> None:
    restore.main(
        [*map(str, (folder / clean, "--out", folder / out, *of_map(folder), "--reason", reason, *options))]
    )


def undo_status(*arguments, **options):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: undo(*arguments, **options))
    return stopped.value.code


def read_texts(path) -> list[tuple[str, str | None, str]]:
    return sorted((note.id, note.patient, note.text) for note in corpora.read(path))


def read_audit(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "map.audit.jsonl").read_text().splitlines()]


REAL = sorted((note.id, note.patient, note.text) for note in NOTES)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["jsonl", "table"])
@pytest.mark.parametrize(
    "options",
    [
        (), ("--new-ids",), ("--new-ids", "keyed"), ("--no-spans",), ("--style", "type"),
        ("--style", "blank"), ("--spreadsheet-safe",), ("--spreadsheet-safe", "--new-ids"),
    ],
)  # fmt: skip
def test_texts_ids_and_patients_are_those_of_the_real_notes(folder, format, options):
    release(folder, f"c.{format}", "--format", format, *options)
    undo(folder, f"c.{format}", "again.jsonl", "--from", format, "--format", "jsonl")
    assert read_texts(folder / "again.jsonl") == REAL
    assert (folder / "again.jsonl").stat().st_mode & 0o777 == 0o600
    assert (folder / "map.audit.jsonl").stat().st_mode & 0o777 == 0o600
    lines = read_audit(folder)
    assert len(lines) == len(NOTES) == len({line["note"] for line in lines})
    assert {line["note"] for line in lines} == {
        note.id for note in corpora.read(folder / f"c.{format}", format)
    }
    for line in lines:
        assert line["outcome"] == "restored" and line["reason"] == "audit 17" and line["who"]
        assert line["time"].endswith("+00:00")


def test_files_of_text_are_restored_byte_for_byte(folder):
    corpora.write(NOTES, folder / "real", "text")
    release(folder, "clean", "--format", "text")
    assert {p.name: p.read_bytes() for p in (folder / "clean").iterdir()} != {
        p.name: p.read_bytes() for p in (folder / "real").iterdir()
    }
    undo(folder)
    assert {p.name: p.read_bytes() for p in (folder / "again").iterdir()} == {
        p.name: p.read_bytes() for p in (folder / "real").iterdir()
    }


def test_spans_of_the_release_cover_the_real_texts(folder):
    release(folder, "c.jsonl")
    undo(folder, "c.jsonl", "again.jsonl")
    restored = {note.id: note for note in corpora.read(folder / "again.jsonl")}
    for note in NOTES:
        assert set(note.spans) <= set(restored[note.id].spans)


def test_earlier_releases_of_a_note_are_restored_too(folder):
    release(folder, "one.jsonl", "--style", "type")
    release(folder, "two.jsonl", "--new-ids")
    corpora.write(NOTES[:2], folder / "n.jsonl", "jsonl", overwrite=True)
    release(folder, "three.jsonl")
    for name in ("one", "two"):
        undo(folder, f"{name}.jsonl", f"{name}-again.jsonl")
        assert read_texts(folder / f"{name}-again.jsonl") == REAL
    undo(folder, "three.jsonl", "again.jsonl")
    assert read_texts(folder / "again.jsonl") == REAL[:2]


def test_a_changed_or_strange_note_is_refused_and_none_is_written(folder, capsys):
    release(folder, "clean", "--format", "text")
    path = folder / "clean" / "b-1.txt"
    text = path.read_text()
    for changed in (text + " ", text[1:], text.replace(" of ", " in ")):
        path.write_text(changed)
        assert undo_status(folder) == 2
        said = capsys.readouterr().err
        assert "b-1: its text was changed since its release" in said and said.count("\n") == 1
        assert not (folder / "again").exists()
        assert read_audit(folder)[-1]["note"] == "b-1" and read_audit(folder)[-1]["outcome"] == "refused"
    path.rename(path.with_name("b-7.txt"))
    assert undo_status(folder) == 2
    assert "b-7: no note of this id was released with this map" in capsys.readouterr().err
    path.with_name("b-7.txt").unlink()
    (folder / "clean" / "b-2.txt").write_text((folder / "clean" / "a-1.txt").read_text())
    assert undo_status(folder) == 2
    assert {line["outcome"] for line in read_audit(folder)} == {"refused"}
    assert not [each for each in folder.iterdir() if each.name.startswith(".")]


def test_a_reason_is_needed_and_the_audit_file_only_grows(folder, capsys):
    release(folder, "c.jsonl")
    assert undo_status(folder, "c.jsonl", "again.jsonl", reason="  ") == 2
    assert "--reason" in capsys.readouterr().err and not (folder / "map.audit.jsonl").exists()
    for number in range(2):
        undo(folder, "c.jsonl", f"{number}.jsonl", reason="line\nbreak")
    assert [line["reason"] for line in read_audit(folder)] == ["line\nbreak"] * 2 * len(NOTES)
    (folder / "link").symlink_to(folder / "map.audit.jsonl")
    assert undo_status(folder, "c.jsonl", "x.jsonl", "--audit", folder / "link") == 2
    assert undo_status(folder, "c.jsonl", "c.jsonl", "--overwrite") == 2
    (folder / "mapkey").write_bytes(KEY[::-1])
    assert undo_status(folder, "c.jsonl", "x.jsonl") == 2
    assert "not the key of this map" in capsys.readouterr().err
    assert len(read_audit(folder)) == 2 * len(NOTES) and not (folder / "x.jsonl").exists()


def test_what_was_restored_is_said(folder, capsys):
    release(folder, "c.jsonl")
    capsys.readouterr()
    undo(folder, "c.jsonl", "again.jsonl")
    said = capsys.readouterr().out
    assert said.startswith(f"{len(NOTES)} notes restored: wrote the file {folder}/again.jsonl; ")
    assert said.endswith(f"; {folder}/map.audit.jsonl says who asked and why\n")


def test_the_audit_file_is_on_the_disk_before_a_note_is_given(folder, monkeypatch):
    kept, steps = os.fsync, []
    monkeypatch.setattr(restore.os, "fsync", lambda file: kept(file) or steps.append("audit"))
    with restore.open_audit(folder / "audit", "trial 4") as audit:
        restorer = SimpleNamespace(restore=lambda note: note)
        for _ in restore.restore_each([Document("1", ""), Document("2", "")], restorer, audit):
            steps.append("note")
    assert steps == ["audit", "note"] * 2


@pytest.mark.parametrize(("out", "format"), [("again.jsonl", "jsonl"), ("again", "text")])
def test_what_a_killed_run_left_goes(folder, out, format):
    release(folder, "c.jsonl")
    left, other = folder / f".{out}.abcdefgh.partial", folder / ".other.jsonl.abcdefgh.partial"
    left.write_text("Okafor")
    other.write_text("of another output")
    undo(folder, "c.jsonl", out, "--format", format)
    assert (folder / out).exists() and not left.exists() and other.exists()


@pytest.mark.parametrize("missing", ["--map", "--out", "--reason"])
def test_what_restore_needs_is_asked_for(capsys, missing):
    given = [text for name in ("--map", "--out", "--reason") if name != missing for text in (name, "x")]
    with pytest.raises(SystemExit) as stopped:
        restore.main(["clean", *given])
    assert stopped.value.code == 2 and f"required: {missing}\n" in capsys.readouterr().err


def test_the_help_says_what_restore_does():
    assert restore.build_parser().description == (
        "Restore the real text of released notes, with the map of their release."
    )


def test_any_spans_are_undone(folder):
    rng = random.Random(5)
    notes = []
    pieces = ["Ana", "Ruiz", "3/7/2067", "12", "Boston", "é\u0301", "\n", "x", "93", "MRN7"]
    types = ["PATIENT", "DATE", "CITY", "SPECIES", "AGE", "MEDICALRECORD", "HOSPITAL"]
    for number in range(60):
        words = rng.choices(pieces, k=9)
        text = "".join(word + rng.choice(["", " ", "  ", "-"]) for word in words)
        note = Document(f"n{number}", text, (), f"p{number // 3}")
        cuts = (sorted(rng.sample(range(len(text) + 1), 2)) for _ in range(rng.randrange(5)))
        notes.append(marked_at(note, [(a, b, rng.choice(types)) for a, b in cuts]))
    corpora.write(notes, folder / "n.jsonl", "jsonl", overwrite=True)
    release(folder, "c.jsonl")
    undo(folder, "c.jsonl", "again.jsonl")
    assert read_texts(folder / "again.jsonl") == sorted((n.id, n.patient, n.text) for n in notes)


def marked_at(note: Document, places) -> Document:
    return note.with_spans(Span(*place) for place in places)


def test_a_map_of_before_refuses_what_it_cannot_undo(folder, capsys):
    release(folder, "c.jsonl")
    map = surrogate_map.read_map(folder / "map", KEY)
    for history in map.patients.values():
        history.released.clear()
    surrogate_map.write_map(map, folder / "map", KEY)
    assert undo_status(folder, "c.jsonl", "again.jsonl") == 2
    assert "no note of this id was released with this map" in capsys.readouterr().err
