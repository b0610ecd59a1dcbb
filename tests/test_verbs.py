"""The verbs through the command line, as a user meets them."""

import io
import json
import sys
from dataclasses import replace

import pytest

from crfdeid import cli, corpora
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.systems import model
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

CANARY = "Zanzibarova"


@pytest.fixture(scope="module")
def corpus(notes, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpora.write(notes[:30], folder / "train", "i2b2")
    corpora.write(notes[30:], folder / "test", "brat")
    return folder


def status(main, arguments):
    """The exit status of a verb, as the command line would give it."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: main([str(argument) for argument in arguments]))
    return stopped.value.code


def test_train_scores_and_says_where_the_model_is(corpus, tmp_path, capsys):
    out = tmp_path / "model"
    settings = ["--set", 'features=["lexical", "orthographic"]', "--set", "crf.max_iterations=40"]
    train_main([str(corpus / "train"), "--test", str(corpus / "test"), "--out", str(out), *settings])
    said = capsys.readouterr().out
    assert "Trained on 30 documents with 90 spans" in said
    assert "strict" in said and "relaxed" in said and "token" in said
    assert f"The model is in {out}" in said
    assert corpora.detect_format(corpus / "test") == "brat"


OWN = [Document(f"n{n}", f"Ward {n} of Ruiz.", (Span(0, 6, "ward"), Span(10, 14, "who"))) for n in range(8)]


def test_train_takes_the_types_of_a_corpus_and_its_model_needs_no_other_file(tmp_path, capsys):
    corpora.write(OWN, tmp_path / "own", "brat")
    own, out = str(tmp_path / "own"), tmp_path / "mine"
    quick = ["--out", str(out), "--set", 'features=["lexical"]', "--set", "crf.max_iterations=20"]
    assert status(train_main, [own, *quick]) == 2
    assert "--scheme auto takes the types of the corpus" in capsys.readouterr().err
    train_main([own, "--test", own, "--scheme", "auto", *quick])
    figures = json.loads((out / "scores.json").read_text())
    assert figures["scores"][0]["micro"]["f1"] == 1.0 and "mistakes" not in figures
    (tmp_path / "mine.scheme.toml").unlink()
    tag.main([own, "--model", str(out), "--out", str(tmp_path / "found"), "--format", "brat"])
    assert [note.spans for note in corpora.read(tmp_path / "found")] == [note.spans for note in OWN]
    found = [own, str(tmp_path / "found"), "--resamples", "0"]
    assert status(evaluate.main, found) == 2 and "--scheme FILE names another" in capsys.readouterr().err
    evaluate.main([*found, "--scheme", str(out / "scheme.toml")])
    assert "ward" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("crf.c3=1", "crf.c3: no setting of lbfgs"),
        ("sequence=lines", "wanted a text in quotes: --set 'sequence=\"lines\"'"),
        ("sequence", "wanted KEY=VALUE"),
        ("overlaps=longest", "wanted a text in quotes: --set 'overlaps=\"longest\"'"),
        ("feature=[]", "did you mean features"),
    ],
)
def test_train_refuses_settings_in_one_line(corpus, tmp_path, capsys, change, message):
    assert status(train_main, [corpus / "train", "--out", tmp_path / "m", "--set", change]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
    assert not (tmp_path / "m").exists()


def test_train_counts_doubled_tags_once_and_chooses_the_longest(notes, tmp_path, capsys):
    doctor, *rest = notes[0].spans
    longer = Span(doctor.start - 4, doctor.end, "PATIENT")
    doubled = notes[1].with_spans([*notes[1].spans, notes[1].spans[0]])
    corpora.write([notes[0].with_spans([doctor, longer, *rest]), doubled], tmp_path / "odd", "i2b2")
    quick = ["--out", str(tmp_path / "m"), "--set", 'features=["lexical"]', "--set", "crf.max_iterations=2"]
    assert status(train_main, [tmp_path / "odd", *quick]) == 2
    assert "--overlaps longest keeps the longer one" in capsys.readouterr().err
    train_main([str(tmp_path / "odd"), *quick, "--overlaps", "longest"])
    assert "Spans that occur twice in one place, and count once: 1" in capsys.readouterr().out


def tagged(small_model, *arguments):
    tag.main(["--model", str(small_model.folder), *map(str, arguments)])


def test_tag_prints_the_spans_of_a_note(small_model, notes, tmp_path, capsys):
    note = tmp_path / "note.txt"
    note.write_text(notes[31].text)
    tagged(small_model, note, "--probabilities")
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "note,row,patient,start,end,type,probability,model,version,text"
    assert [row.split(",")[5] for row in rows[1:]] == ["DOCTOR", "DATE", "AGE"]


@pytest.mark.parametrize("format", tag.FORMATS)
def test_tag_writes_a_file_for_each_note(small_model, notes, tmp_path, format):
    for note in notes[30:33]:
        (tmp_path / f"{note.id}.txt").write_text(note.text)
    tagged(small_model, tmp_path, "--out", tmp_path / "out", "--format", format)
    stems = {path.stem for path in (tmp_path / "out").glob("[!.]*")}
    assert stems == {note.id for note in notes[30:33]}
    if format in ("i2b2", "brat"):
        found = list(corpora.read(tmp_path / "out"))
        assert [document.spans for document in found] == [note.spans for note in notes[30:33]]


def test_tag_reads_standard_input(small_model, notes, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(notes[31].text.encode())))
    tagged(small_model, "-", "--format", "inline")
    assert "Dr. <DOCTOR>" in capsys.readouterr().out


def test_both_engines_tag_alike(small_model, notes, tmp_path, capsys):
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    said = []
    for engine in ("fast", "crfsuite"):
        tagged(small_model, tmp_path / "notes.jsonl", "--engine", engine)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def bad_notes(folder):
    """Inputs that must fail, each with a piece of the message."""
    (folder / "latin.txt").write_bytes(CANARY.encode() + b" \xe9")
    (folder / "bad.xml").write_text(f"<x><TEXT>{CANARY}</x>")
    (folder / "bad.jsonl").write_text(f'{{"text": "{CANARY}')
    (folder / "empty").mkdir()
    return {
        "none.txt": "no such file",
        "latin.txt": "not utf-8: byte 12",
        "bad.xml": "malformed",
        "bad.jsonl": "line 1",
        "empty": "no documents",
    }


@pytest.mark.parametrize("name", ["none.txt", "latin.txt", "bad.xml", "bad.jsonl", "empty"])
def test_tag_fails_with_one_line_that_holds_no_note_text(small_model, tmp_path, capsys, name):
    message = bad_notes(tmp_path)[name]
    arguments = ["--model", small_model.folder, tmp_path / name, "--out", tmp_path / "out"]
    assert status(tag.main, arguments) == 2
    said = capsys.readouterr().err
    assert message in said and CANARY not in said and said.count("\n") == 1
    assert not list(tmp_path.glob("out/*"))


def test_a_fault_in_a_later_note_leaves_no_output(small_model, notes, tmp_path, capsys):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text(notes[0].text)
    (folder / "b.txt").write_bytes(b"\xff")
    assert status(tag.main, ["--model", small_model.folder, folder, "--out", tmp_path / "out"]) == 2
    assert not list(tmp_path.glob("out/*"))


def test_an_output_folder_that_holds_files_is_kept(small_model, notes, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(notes[0].text)
    arguments = ["--model", small_model.folder, tmp_path / "note.txt", "--out", tmp_path]
    assert status(tag.main, arguments) == 2
    assert "--overwrite" in capsys.readouterr().err


def test_other_encodings_are_named(small_model, tmp_path, capsys):
    (tmp_path / "latin.txt").write_bytes("Seen by Dr. Muñoz on 3/4/2061.".encode("latin-1"))
    tagged(small_model, tmp_path / "latin.txt", "--encoding", "latin-1", "--format", "inline")
    assert "Mu\u00f1oz" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "\0\0 NUL", "word " * 20_000, "\ufeffDr. Ruiz", "\r\n\r\n"])
def test_odd_texts_are_tagged(small_model, text):
    document = small_model.tag(Document("odd", text))
    assert all(document.text_of(span) for span in document.spans)


@pytest.mark.slow
def test_a_policy_leaves_out_what_does_not_count(tmp_path, capsys):
    note = tmp_path / "note.txt"
    note.write_text("Mr. John Smith, a 45-year-old man, was seen on 3/14/2059. He had surgery in 2057.\n")
    found = {}
    for chosen in ([], ["--policy", "i2b2"], ["--policy", "safe_harbor"]):
        tag.main([str(note), "--format", "inline", *chosen])
        found[" ".join(chosen)] = capsys.readouterr().out
    assert found[""] == found["--policy i2b2"]
    assert all(value in found[""] for value in (">45<", ">2057<", ">John Smith<", ">3/14/2059<"))
    safe = found["--policy safe_harbor"]
    assert ">45<" not in safe and ">2057<" not in safe and ">John Smith<" in safe and ">3/14/2059<" in safe


def test_a_policy_is_refused_in_one_line(small_model, notes, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(notes[0].text)
    (tmp_path / "mine.toml").write_text('name = "mine"\nsource = "us"\nrule = []\n')
    for name, message in (("safeharbor", "did you mean safe_harbor?"), ("mine.toml", "no rule for PATIENT")):
        path = tmp_path / name if name.endswith("toml") else name
        assert status(tag.main, ["--model", small_model.folder, tmp_path / "note.txt", "--policy", path]) == 2
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1


def test_several_processes_answer_as_one(small_model, notes, tmp_path, capsys):
    for note in notes[:6]:
        (tmp_path / f"{note.id}.txt").write_text(note.text)
    tagged(small_model, tmp_path)
    one = capsys.readouterr().out
    tagged(small_model, tmp_path, "--jobs", 2)
    assert capsys.readouterr().out == one
    assert status(tag.main, [tmp_path, "--jobs", 0]) == 2


def test_train_with_k_keeps_features_of_several_patients_only(notes, tmp_path, capsys):
    mine = replace(notes[0], text=notes[0].text.replace("Ruiz", CANARY), spans=(Span(12, 23, "DOCTOR"),))
    corpora.write([mine, *notes[1:30]], tmp_path / "notes.jsonl", "jsonl")
    rows = [replace(note, patient=None) for note in notes[:3]]
    corpora.write(rows, tmp_path / "rows.jsonl", "jsonl")
    settings = ["--set", 'features=["lexical"]', "--set", "crf.feature.minfreq=1"]
    settings += ["--set", "crf.max_iterations=9", "--out", tmp_path / "m"]
    assert status(train_main, [tmp_path / "rows.jsonl", "--k", 2, *settings]) == 2
    said = capsys.readouterr().err
    assert "3 of 3 documents have no patient to count" in said and said.count("\n") == 1
    names = {}
    for k in ("0", "1", "3"):
        arguments = ["--k", k, "--overwrite", *map(str, settings)]
        train_main([str(tmp_path / "notes.jsonl"), *arguments])
        names[k] = " ".join(model.load(tmp_path / "m").weights.attributes)
    assert CANARY.lower() in names["1"] and CANARY.lower() not in names["3"]
    assert "=2061" in names["0"] and "=2061" not in names["1"]
    train_main([str(tmp_path / "rows.jsonl"), "--k", "2", "--one-note-per-patient", *map(str, arguments[2:])])
