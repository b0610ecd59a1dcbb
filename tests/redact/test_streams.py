"""Streams, which are read once and written note by note, and several processes."""

import gc
import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from marked_notes import KEY, SECRET, STORY, marked, run, status

from crfdeid import corpora, synthetic
from crfdeid.corpora import whole_rows
from crfdeid.errors import DocumentError
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import destination, patients, processes, table_output
from crfdeid.redact.run.plan import STREAM
from crfdeid.redact.run.processes import SharedSteps
from crfdeid.redact.run.release import RedactSteps
from crfdeid.redact.run.tagging import PatientNotes
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.surrogate_map import SurrogateMap
from crfdeid.systems import parallel
from crfdeid.systems.rule_based import RuleTagger
from crfdeid.text.document import Document, Span

APART = [*STORY, marked("<PATIENT Ana Ruiz> again", "b-3", "a")]


@pytest.fixture
def pipe(tmp_path, monkeypatch):
    """Use a file as standard input."""

    def give(documents: list[Document], format: str = "jsonl"):
        path = tmp_path / ("stdin.txt" if format == "text" else "stdin")
        corpora.write(documents, tmp_path if format == "text" else path, format, overwrite=True)
        monkeypatch.setattr(patients, "INPUT", path)

    return give


@pytest.mark.parametrize("format", ["jsonl", "table"])
@pytest.mark.parametrize("options", [(), ("--by", "note"), ("--no-spans",), ("--new-ids", "keyed")])
def test_a_stream_has_the_bytes_of_a_file(tmp_path, pipe, capfdbinary, format, options):
    pipe(STORY, format)
    corpora.write(STORY, tmp_path / "n", format)
    arguments = ("--from", format, "--spans", "gold", "--seed", 1, *options)
    suffix = {"table": "csv"}.get(format, format)
    run(tmp_path / "n", "--out", tmp_path / f"c.{suffix}", *arguments)
    capfdbinary.readouterr()
    run("-", "--out", "-", *arguments)
    out, error = capfdbinary.readouterr()
    assert out == (tmp_path / f"c.{suffix}").read_bytes() and b"5 notes" in error
    run("-", "--out", tmp_path / f"d.{suffix}", *arguments)
    assert (tmp_path / f"d.{suffix}").read_bytes() == out


@pytest.mark.slow
def test_a_patient_is_written_when_the_next_one_comes():
    command = [
        sys.executable,
        "-m",
        "crfdeid.redact",
        "-",
        "--from",
        "jsonl",
        "--out",
        "-",
        "--spans",
        "gold",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin and running.stdout
        for note in STORY[:3]:
            running.stdin.writelines(corpora.render_corpus([note], "jsonl"))
            running.stdin.flush()
        assert [json.loads(running.stdout.readline())["id"] for _ in range(2)] == ["a-1", "a-2"]
        running.stdin.close()
        assert json.loads(running.stdout.readline())["id"] == "b-1"
    assert running.returncode == 0


def test_a_patient_who_comes_again_is_refused_on_a_stream(tmp_path, pipe, capsys):
    pipe(APART)
    arguments = ("-", "--from", "jsonl", "--spans", "gold")
    assert status(*arguments, "--out", "-") == 2
    said = capsys.readouterr()
    assert "b-3: its patient came before another one" in said.err and said.err.count("\n") == 1
    assert '"b-3"' not in said.out
    assert status(*arguments, "--out", tmp_path / "c.jsonl") == 2 and not (tmp_path / "c.jsonl").exists()
    run(*arguments, "--out", tmp_path / "c.jsonl", "--by", "note")
    assert len(list(corpora.read(tmp_path / "c.jsonl"))) == 6


def watch_output(monkeypatch) -> io.BytesIO:
    """What leaves a standard output that keeps what is written to it until it is flushed."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=io.BufferedWriter(raw)))
    return raw


def test_each_note_is_written_before_the_next_is_asked_for(monkeypatch):
    written, came = watch_output(monkeypatch), []

    def give():
        for id in "ba":
            came.append(written.getvalue().count(b"\n"))
            yield Document(id, "x", (Span(0, 1, "PATIENT"),))

    destination.StandardOutput(STREAM, "jsonl").write(give())
    notes = [json.loads(line) for line in written.getvalue().splitlines()]
    assert came == [0, 1] and [(note["id"], len(note["spans"])) for note in notes] == [("b", 1), ("a", 1)]


def test_each_row_is_written_before_the_next_is_asked_for(monkeypatch):
    table = SimpleNamespace(written_header=whole_rows.guess_header({"text": "x"}), delimiter=",")
    written, came = watch_output(monkeypatch), []

    def give():
        for text in "abc":
            came.append(written.getvalue())
            yield {"text": text}

    table_output.TableDestination(STREAM, "table", table=table)._write_cells(give(), True)
    assert came == [b"", b'"text"\n"a"\n', b'"text"\n"a"\n"b"\n']
    assert written.getvalue() == b'"text"\n"a"\n"b"\n"c"\n'


def test_one_plain_note_is_the_default(pipe, capfdbinary):
    pipe([Document("stdin", "Seen by Dr. Zanzibarova on 3/7/2067.\r\n")], "text")
    run("-", "--out", "-", "--seed", 1)
    out = capfdbinary.readouterr().out.decode()
    assert out.startswith("Seen by Dr. ") and "Zanzibarova" not in out and "2067" not in out
    run("-", "--out", "-", "--seed", 1, "--format", "jsonl")
    assert json.loads(capfdbinary.readouterr().out)["text"] == out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "brat"), "not for standard output"),
        (("--format", "parquet"), "not for standard output"),
        (("--format", "i2b2"), "standard output holds one note"),
        (("--resume", "--seed", "1"), "--resume"),
        (("--from", "brat"), "a single file of text"),
        (("--spans", "auto", "--jobs", "0"), "--jobs 0"),
    ],
)
def test_what_a_stream_cannot_do_is_refused(pipe, capfd, options, said):
    pipe(STORY)
    arguments = options if "--from" in options else ("--from", "jsonl", *options)
    assert status("-", "--out", "-", "--spans", "gold", *arguments) == 2
    found = capfd.readouterr()
    assert said in found.err and found.err.count("\n") == 1 and not found.out


LISTS = ("--always", "always", "--never", "never", "--patients", "table.csv")
EACH_WAY = [
    (),
    ("--by", "note"),
    ("--spans", "tag"),
    ("--spans", "gold", "--new-ids", "keyed"),
    ("--spans", "gold", "--policy", "safe_harbor", *LISTS),
]


@pytest.mark.slow
@pytest.mark.parametrize("options", EACH_WAY)
def test_several_processes_write_the_bytes_of_one(tmp_path, monkeypatch, options):
    monkeypatch.setattr(processes, "CHUNK", 3000)
    monkeypatch.chdir(tmp_path)
    notes = [note.with_spans(note.spans[:2]) for note in synthetic.generate(14, seed=3)]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    names = [re.findall("[A-Za-z]{3,}", note.text)[-1] for note in notes]
    (tmp_path / "always").write_text("HOSPITAL clinic\n")
    (tmp_path / "never").write_text(f"{names[0]}\n{names[-1]}\n")
    rows = [f"{note.patient},{name}" for note, name in zip(notes[::2], names[::2])]
    (tmp_path / "table.csv").write_text("\n".join(["patient,last_name", *dict.fromkeys(rows), ""]))
    arguments = ("n.jsonl", "--model", "rules" if options else "english+rules", "--seed", 1, *options)
    run(*arguments, "--out", tmp_path / "one.jsonl", "--report", tmp_path / "one")
    run(*arguments, "--out", tmp_path / "two.jsonl", "--report", tmp_path / "two", "--jobs", 2)
    for one, two in (("one.jsonl", "two.jsonl"), ("one", "two")):
        assert (tmp_path / one).read_bytes() == (tmp_path / two).read_bytes()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_notes_before_one_that_cannot_be_redacted_are_written(tmp_path, monkeypatch, capfd, jobs):
    redact = Redactor.redact

    def redact_most(redactor, notes):
        if notes[0].patient == "p13":
            raise DocumentError("note 13: a reason")
        return redact(redactor, notes)

    monkeypatch.setattr(processes, "CHUNK", 60)
    monkeypatch.setattr(Redactor, "redact", redact_most)
    notes = [marked("<PATIENT Ana Ruiz> came", f"{n:02}", f"p{n}") for n in range(20)]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    arguments = ("--spans", "gold", "--format", "text", "--out", tmp_path / "c", "--jobs", jobs)
    assert status(tmp_path / "n.jsonl", *arguments) == 2
    assert "note 13: a reason" in capfd.readouterr().err
    assert sorted(path.stem for path in (tmp_path / "c").iterdir()) == [f"{n:02}" for n in range(13)]


@pytest.mark.parametrize(("count", "prepared"), [(4, 0), (14, 1)])
def test_what_many_notes_need_is_loaded_once_before_processes_are_forked(
    tmp_path, monkeypatch, count, prepared
):
    here = []
    monkeypatch.setattr(RuleTagger, "compile", lambda tagger: here.append(tagger))
    monkeypatch.setattr(processes, "CHUNK", 60)
    notes = [marked("Ana Ruiz came", f"{n:02}", f"p{n}") for n in range(count)]
    corpora.write(notes, tmp_path / "n.jsonl", "jsonl")
    run(tmp_path / "n.jsonl", "--model", "rules", "--out", tmp_path / "c.jsonl", "--jobs", 2)
    assert len(here) == prepared


@pytest.mark.slow
def test_processes_resume_with_a_map(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "CHUNK", 3000)
    monkeypatch.setenv("CRFDEID_MAP_KEY", KEY.decode())
    corpora.write(synthetic.generate(14, seed=3), tmp_path / "n.jsonl", "jsonl")
    arguments = (tmp_path / "n.jsonl", "--model", "rules", "--spans", "tag", "--format", "text", "--jobs", 2,
                 "--map", tmp_path / "map", "--out", tmp_path / "c")  # fmt: skip
    run(*arguments)
    held, whole = surrogate_map.read_map(tmp_path / "map", KEY), read_all(tmp_path / "c")
    for path in sorted((tmp_path / "c").iterdir())[3:9]:
        path.unlink()
    run(*arguments, "--resume")
    assert read_all(tmp_path / "c") == whole
    assert surrogate_map.read_map(tmp_path / "map", KEY) == held


@pytest.mark.slow
def test_processes_keep_in_a_map_what_one_process_keeps(tmp_path, monkeypatch):
    """A patient whom the map knows keeps its surrogates, and what is new of each patient is added."""
    monkeypatch.setattr(processes, "CHUNK", 40)
    monkeypatch.setenv("CRFDEID_MAP_KEY", KEY.decode())
    text = "<PATIENT Ana Ruiz> came on <DATE 3/7/2067> to <CITY Boston>, <STATE MA>"
    earlier = [marked("<CITY Lynn>, <STATE MA>", f"{n}-a", f"p{n}") for n in range(0, 8, 2)]
    corpora.write(earlier, tmp_path / "earlier.jsonl", "jsonl")
    corpora.write([marked(text, f"{n}", f"p{n}") for n in range(8)], tmp_path / "n.jsonl", "jsonl")
    kept = {}
    for name, jobs in (("one", 1), ("more", 2)):
        path = tmp_path / f"{name}.map"
        surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
        options = ("--spans", "gold", "--map", path)
        run(tmp_path / "earlier.jsonl", "--out", tmp_path / f"{name}.earlier.jsonl", *options)
        run(tmp_path / "n.jsonl", "--out", tmp_path / f"{name}.jsonl", *options, "--jobs", jobs)
        kept[name] = surrogate_map.read_map(path, KEY).patients, (tmp_path / f"{name}.jsonl").read_bytes()
    assert kept["more"] == kept["one"] and len(kept["one"][0]) == 8


class Counted:
    """Counts the notes that were tagged, here and in other processes."""

    def __init__(self):
        self.count = 1000  # before the processes are forked

    def take_counts(self):
        taken, self.count = self.count, 0
        return taken

    def add_counts(self, counts):
        self.count += counts


@pytest.mark.slow
def test_notes_are_shared_by_as_many_processes_as_are_wanted(monkeypatch):
    """Objects of before are frozen meanwhile, or each process would copy their memory when it collects."""
    gc.unfreeze()  # what another test froze
    monkeypatch.setattr(processes, "CHUNK", 1)
    counted, started, start = Counted(), [], parallel.start_forks

    def tag_group(group):
        counted.count += 1
        return [replace(note, text=f"{os.getpid()} {gc.get_freeze_count() > 0}") for note in group]

    monkeypatch.setattr(parallel, "start_forks", lambda jobs: started.append(jobs) or start(jobs))
    steps = RedactSteps(tag_group, Redactor(SECRET), None)
    shared = SharedSteps(steps, [counted], 3, lambda: None)
    todo = [PatientNotes([Document(f"{n}", "x", (), f"p{n}")], {}, set(), False) for n in range(20)]
    found = [outcome.redaction.document.text for _, (outcome,) in shared.redact_each(iter(todo))]
    assert started == [2] and counted.count == 1020
    assert found[0] == f"{os.getpid()} False"  # before there are other processes
    assert {text.split()[1] for text in found[1:]} == {"True"} and gc.get_freeze_count() == 0
    assert 2 <= len({text.split()[0] for text in found}) <= 3


def read_all(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
