"""The map and the verb."""

import json
import subprocess
import sys

import pytest
from marked_notes import KEY, SECRET, STORY, marked, redacted, run, status

from crfdeid import corpora
from crfdeid.corpora import output
from crfdeid.errors import ConfigurationError
from crfdeid.redact import __main__ as redact
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import release
from crfdeid.redact.surrogates import keyed_choice, surrogate_map
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap

# The map


def test_a_map_is_read_as_it_was_written_and_each_damage_has_its_message(tmp_path):
    path, held = (
        tmp_path / "map",
        SurrogateMap(
            SECRET,
            patients={"patient 7": PatientHistory({"smith": "Ruiz"}, {"day first": 1}, {"CITY": {"a": "b"}})},
        ),
    )
    surrogate_map.write_map(held, path, KEY)
    assert surrogate_map.read_map(path, KEY) == held and path.stat().st_mode & 0o777 == 0o600
    data = path.read_bytes()
    assert b"smith" not in data and SECRET not in data
    with pytest.raises(MapError, match="not the key of this map"):
        surrogate_map.read_map(path, b"another key, long enough")
    for broken, said in (
        (data[:-1], "damaged"),
        (data[:30], "damaged"),
        (b"x" + data, "not a map"),
        (data[:60] + b"!" + data[61:], "damaged"),
        (data.replace(b"map 2", b"map 9"), "another version"),
    ):
        path.write_bytes(broken)
        with pytest.raises(MapError, match=said):
            surrogate_map.read_map(path, KEY)
    assert "smith" not in repr(held) + repr(held.patients["patient 7"])


def test_later_notes_get_the_surrogates_of_earlier_notes(tmp_path):
    first, second = Redactor(SECRET), Redactor(b"another secret, not the one")
    with release.use_map(first, tmp_path / "map", KEY):
        a1 = first.redact(STORY[:1])[0].document
    given = a1.text_of(a1.spans[1]).split()
    later = marked(f"<PATIENT R. Smith> with <DOCTOR {given[1]}> and Smith", "a-3", "a")
    with release.use_map(second, tmp_path / "map", KEY):
        a3 = second.redact([later])[0].document
    assert a3.text_of(a3.spans[0]) == f"{given[0][0]}. {given[1]}"
    assert a3.text_of(a3.spans[1]) != given[1]
    with pytest.raises(ConfigurationError, match="begun with --shift-years 25"):
        rules = redact.Rules(years=3)
        release.use_map(Redactor(SECRET, rules=rules), tmp_path / "map", KEY).__enter__()
    pairs = surrogate_map.read_map(tmp_path / "map", KEY).patients["patient a"].pairs["PATIENT"]
    assert pairs["Robert Smith"] == " ".join(given)  # its owner can undo it


# The verb


@pytest.mark.parametrize("format", ["i2b2", "brat", "table", "jsonl", "labelstudio"])
def test_redacted_notes_come_with_exact_spans_in_any_format(corpus, format, capsys):
    options = ("--format", format, "--key-file", corpus / "key", "--spans", "gold")
    run(corpus / "notes.jsonl", "--out", corpus / "clean", *options)
    expected = redacted(STORY, keyed_choice.stretch_password(SECRET), by_note=True)
    for note in corpora.read(corpus / "clean", format):
        assert (note.text, note.spans) == (expected[note.id].text, expected[note.id].spans)
    assert "5 notes" in capsys.readouterr().out


def test_a_file_for_all_and_a_report(corpus, capsys):
    run(
        corpus / "notes.jsonl",
        "--out",
        corpus / "clean.jsonl",
        "--seed",
        1,
        "--report",
        corpus / "report.json",
    )
    assert [note.id for note in corpora.read(corpus / "clean.jsonl")] == [note.id for note in STORY]
    assert json.loads((corpus / "report.json").read_text())["documents"] == 5
    assert (
        (corpus / "report.json.survivors.csv").read_text().startswith("id,start,end,type,kind,probability\n")
    )
    assert "1 notes name no patient" in capsys.readouterr().out


def test_notes_without_spans_are_tagged(corpus, notes, small_model, capsys):
    bare = [note.with_spans(()) for note in notes[:4]]
    corpora.write(bare, corpus / "bare.jsonl", "jsonl")
    run(corpus / "bare.jsonl", "--out", corpus / "clean.jsonl", "--model", small_model.folder)
    for before, after in zip(bare, corpora.read(corpus / "clean.jsonl")):
        assert after.spans and after.text != before.text
    run(corpus / "bare.jsonl", "--out", corpus / "same.jsonl", "--spans", "gold")
    assert [note.text for note in corpora.read(corpus / "same.jsonl")] == [note.text for note in bare]


def test_a_patient_column_and_notes_that_are_not_contiguous(corpus):
    mixed = [STORY[0], STORY[2], STORY[1], STORY[3]]
    corpora.write(mixed, corpus / "notes.csv", "table")
    options = ("--key-file", corpus / "key", "--by", "patient", "--spans", "gold", "--keep-ids")
    run(corpus / "notes.csv", "--out", corpus / "clean.csv", *options)
    expected = redacted(STORY, keyed_choice.stretch_password(SECRET))
    assert {note.id: note.text for note in corpora.read(corpus / "clean.csv")} == {
        note.id: expected[note.id].text for note in mixed
    }


def test_an_interrupted_run_leaves_whole_notes_and_is_resumed(corpus, monkeypatch):
    target = corpus / "clean"
    key = ("--key-file", corpus / "key", "--format", "brat", "--spans", "gold")
    save, written = output._save_document, []

    def failing(*arguments, **options):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(1)
        return save(*arguments, **options)

    monkeypatch.setattr(output, "_save_document", failing)
    assert status(corpus / "notes.jsonl", "--out", target, *key) == 130
    assert sorted(path.name for path in target.iterdir()) == ["a-1.ann", "a-1.txt", "a-2.ann", "a-2.txt"]
    monkeypatch.undo()
    before = (target / "a-1.txt").stat().st_mtime_ns
    run(corpus / "notes.jsonl", "--out", target, *key, "--resume")
    assert (target / "a-1.txt").stat().st_mtime_ns == before
    expected = redacted(STORY, keyed_choice.stretch_password(SECRET), by_note=True)
    assert {n.id: n.text for n in corpora.read(target, "brat")} == {id: n.text for id, n in expected.items()}


def test_ids_and_spans_can_be_left_out(corpus):
    run(corpus / "notes.jsonl", "--out", corpus / "clean.jsonl", "--seed", 1, "--new-ids", "--no-spans")
    made = list(corpora.read(corpus / "clean.jsonl"))
    assert not {note.id for note in made} & {note.id for note in STORY}
    patients = sorted(note.patient or "" for note in made)
    assert not any(note.spans for note in made) and [patients.count(each) for each in patients] == [
        1,
        2,
        2,
        2,
        2,
    ]
    assert "a" not in patients


def test_the_map_through_the_verb(corpus, monkeypatch):
    monkeypatch.setenv(surrogate_map.KEY_VARIABLE, KEY.decode())
    corpora.write(STORY[1:2], corpus / "later.jsonl", "jsonl")
    run(corpus / "notes.jsonl", "--out", corpus / "a.jsonl", "--map", corpus / "map")
    run(corpus / "later.jsonl", "--out", corpus / "b.jsonl", "--map", corpus / "map")
    first = {note.id: note for note in corpora.read(corpus / "a.jsonl")}
    (later,) = corpora.read(corpus / "b.jsonl")
    assert later == first["a-2"]


@pytest.mark.slow
def test_the_verb_in_a_separate_process(corpus):
    arguments = [corpus / "notes.jsonl", "--out", corpus / "clean", "--format", "text", "--style", "blank"]
    done = subprocess.run(
        [sys.executable, "-m", "crfdeid.redact", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr and "blank" in done.stdout
    assert (corpus / "clean" / "c-1.txt").read_text() == "______, aged __"
