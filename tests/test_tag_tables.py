"""Tables in and spans out: what a row says, what is left out, several inputs, and runs that go on."""

import csv
import json
from itertools import islice

import pytest

from crfdeid import __version__, convert, corpora
from crfdeid.corpora import output
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import try_lock
from crfdeid.redact import __main__ as redact
from crfdeid.systems.tagger import Tagger
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document

pytestmark = pytest.mark.usefixtures("models_once")

NOTES = [("a", "7", "Call Dr. Ruiz on 3/4/2061."), ("b", "", "Well."), ("c", "9", "Seen by Dr. Lind.")]
COLUMNS = ["note", "row", "patient", "start", "end", "type", "probability", "model", "version", "text"]
SPANS = [("a", 1, "7", 9, 13, "DOCTOR"), ("a", 1, "7", 17, 25, "DATE"), ("c", 3, "9", 12, 16, "DOCTOR")]


def write_table(path, rows=NOTES, delimiter=","):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["id", "patient", "text"])
        writer.writerows(rows)
    return path


def run(*arguments):
    tag.main(["--model", "rules", *map(str, arguments)])


def read_spans(path):
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    if path.suffix == ".parquet":
        return pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist()
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_row_of_a_span_says_where_it_is_and_what_found_it(suffix, tmp_path):
    out = tmp_path / f"spans{suffix}"
    run(write_table(tmp_path / "n.csv"), "--out", out, "--format", "spans")
    rows = read_spans(out)
    assert [list(row) for row in rows] == [COLUMNS] * 3
    assert [tuple(map(str, list(row.values())[:6])) for row in rows] == [tuple(map(str, s)) for s in SPANS]
    assert {(row["model"], row["version"]) for row in rows} == {("rules", __version__)}
    assert [row["text"] for row in rows] == ["Ruiz", "3/4/2061", "Lind"]
    assert [row["start"] for row in rows] == ([9, 17, 12] if suffix != ".csv" else ["9", "17", "12"])


@pytest.mark.parametrize("out", ["spans.csv", "spans.jsonl", "spans.parquet", "folder", None])
def test_no_text_leaves_the_phi_out_of_every_file(out, tmp_path, capsys):
    where = ["--out", tmp_path / "o" / out] if out else []
    (tmp_path / "o").mkdir()
    run(write_table(tmp_path / "n.csv"), "--format", "spans", "--no-text", *where)
    written = b"".join(path.read_bytes() for path in (tmp_path / "o").rglob("*") if path.is_file())
    written += capsys.readouterr().out.encode()
    assert b"DOCTOR" in written and not any(name in written for name in (b"Ruiz", b"Lind", b"3/4/2061"))


def test_rows_left_out_and_parts_keep_the_numbers_of_the_others(tmp_path):
    table = write_table(tmp_path / "n.csv", [NOTES[0], ("a", "", "again"), *NOTES[1:]])
    with pytest.raises(SystemExit):
        run(table, "--out", tmp_path / "s.csv", "--skip-bad", tmp_path / "bad.csv")
    assert [row["row"] for row in read_spans(tmp_path / "s.csv")] == ["1", "1", "4"]
    table = write_table(tmp_path / "many.csv", [(f"n{i}", "", "Dr. Ruiz") for i in range(20)])
    for part in ("1/2", "2/2"):
        run(table, "--out", tmp_path / "part.csv", "--part", part, "--overwrite")
        found = {row["note"]: int(row["row"]) for row in read_spans(tmp_path / "part.csv")}
        assert found and all(row == int(note[1:]) + 1 for note, row in found.items())


def test_several_inputs_are_one_run_and_ids_do_not_repeat(tmp_path, capsys):
    first = write_table(tmp_path / "n.csv")
    corpora.write([Document("d", "Dr. Eze")], tmp_path / "more.jsonl", "jsonl")
    run(first, tmp_path / "more.jsonl", "--out", tmp_path / "s.csv")
    rows = read_spans(tmp_path / "s.csv")
    assert [(row["note"], row["row"]) for row in rows][2:] == [("c", "3"), ("d", "1")]
    said = capsys.readouterr().err
    assert "; 4 notes in" in said and "words a second" in said
    with pytest.raises(FormatError, match="number 4 of all inputs together: its id occurs in an earlier"):
        run(first, write_table(tmp_path / "again.csv"), "--out", tmp_path / "no.csv")
    assert not (tmp_path / "no.csv").exists()
    with pytest.raises(ConfigurationError, match="standard input is one note"):
        run(first, "-")


@pytest.mark.parametrize(("written", "given"), [(";", ";"), ("\t", "tab"), ("\t", "\\t"), ("|", "|")])
def test_tables_have_the_delimiter_that_is_given(written, given, tmp_path):
    table = write_table(tmp_path / "n.csv", delimiter=written)
    run(table, "--out", tmp_path / "s.csv", "--delimiter", given)
    assert (tmp_path / "s.csv").read_text().startswith(written.join(COLUMNS))
    convert.main([str(table), str(tmp_path / "n.jsonl"), "--to", "jsonl", "--delimiter", given])
    assert [note.text for note in corpora.read(tmp_path / "n.jsonl")] == [text for *_, text in NOTES]
    where = ["--out", str(tmp_path / "clean.csv"), "--model", "rules", "--delimiter", given, "--keep-ids"]
    redact.main([str(table), *where])
    clean = (tmp_path / "clean.csv").read_text()
    assert "Ruiz" not in clean and clean.startswith(f'"id"{written}"patient"{written}"text"\n')


@pytest.mark.parametrize("given", ["", ";;", '"', "\n"])
def test_a_delimiter_is_one_character(given, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run(write_table(tmp_path / "n.csv"), "--delimiter", given)
    assert "--delimiter" in capsys.readouterr().err


CONTRADICTIONS = [
    (["--no-text", "--out", "{}/x"], "--no-text: i2b2 holds the notes"),
    (["--no-text", "--format", "inline"], "--no-text: inline holds the notes"),
    (["--resume"], "--resume: wanted --out"),
    (["--resume", "--out", "{}/x", "--format", "csv"], "--resume: wanted --out"),
]


@pytest.mark.parametrize(("options", "message"), CONTRADICTIONS)
def test_options_that_contradict_each_other_are_refused(options, message, tmp_path):
    with pytest.raises(ConfigurationError, match=message):
        run(write_table(tmp_path / "n.csv"), *(option.format(tmp_path) for option in options))


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """A table, and the folder that a run has written which was stopped after its first note."""
    save, table = output._save_document, write_table(tmp_path / "n.csv")

    def save_one(*arguments):
        if any((tmp_path / "out").glob("[!.]*")):
            raise KeyboardInterrupt
        return save(*arguments)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(output, "_save_document", save_one)
        run(table, "--out", tmp_path / "out", "--resume", "--format", "jsonl")
    return tmp_path


def test_a_stopped_run_goes_on_where_it_was(stopped):
    out = stopped / "out"
    assert [path.name for path in out.iterdir()] == ["a.jsonl"]
    before = (out / "a.jsonl").stat()
    table = stopped / "n.csv"
    run(table, "--out", out, "--resume", "--format", "jsonl")
    assert (out / "a.jsonl").stat() == before and not (stopped / "out.unfinished").exists()
    run(table, "--out", stopped / "whole", "--format", "jsonl")
    names = [path.name for path in (stopped / "whole").iterdir() if path.suffix]
    assert names and all((out / n).read_bytes() == (stopped / "whole" / n).read_bytes() for n in names)


def test_a_run_with_other_options_does_not_go_on(stopped):
    with pytest.raises(ConfigurationError, match="begun with another key or other options"):
        run(
            stopped / "n.csv",
            "--out",
            stopped / "out",
            "--resume",
            "--format",
            "jsonl",
            "--policy",
            "safe_harbor",
        )


@pytest.fixture
def half(tmp_path, monkeypatch):
    """A table, and the journal of a run into one file that was stopped after its first note."""
    table = write_table(tmp_path / "n.csv")

    def tag_one(self, documents, *more, tag_all=Tagger.tag_all):
        yield from islice(tag_all(self, documents, *more), 1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Tagger, "tag_all", tag_one)
        run(table, "--out", tmp_path / "spans.csv", "--resume")
    return tmp_path


def test_a_file_goes_on_where_a_stopped_run_was(half, monkeypatch, capsys):
    journal = half / ".spans.csv.unfinished"
    assert journal.stat().st_mode & 0o777 == 0o600 and not (half / "spans.csv").exists()
    lines = journal.read_text().splitlines()
    assert len(lines) == 2 and not any(word in journal.read_text() for word in ("Ruiz", '"a"'))
    tagged, tag_all = [], Tagger.tag_all

    def count(self, documents, *more):
        return tag_all(self, (tagged.append(note.id) or note for note in documents), *more)

    monkeypatch.setattr(Tagger, "tag_all", count)
    run(half / "n.csv", "--out", half / "spans.csv", "--resume")
    assert tagged == [id for id, *_ in NOTES][1:] and not journal.exists()
    assert "3 notes in" in (said := capsys.readouterr().err) and "1 of them were tagged before" in said
    run(half / "n.csv", "--out", half / "whole.csv")
    assert (half / "spans.csv").read_bytes() == (half / "whole.csv").read_bytes()
    with pytest.raises(FormatError, match="exists"):
        run(half / "n.csv", "--out", half / "spans.csv", "--resume")


def test_a_journal_of_other_options_or_notes_is_refused(half):
    again = ("--out", half / "spans.csv", "--resume")
    with pytest.raises(ConfigurationError, match="begun with other options"):
        run(half / "n.csv", *again, "--policy", "safe_harbor")
    text = (half / "n.csv").read_text()
    (half / "n.csv").write_text(text.replace("Ruiz", "Raiz"))
    with pytest.raises(ConfigurationError, match="is of other notes"):
        run(half / "n.csv", *again)
    (half / "n.csv").write_text(text)
    run(half / "n.csv", *again)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0, 3, 64, 70, -1])
def test_a_torn_journal_loses_only_its_last_note(half, kept):
    journal = half / ".spans.csv.unfinished"
    journal.write_bytes(journal.read_bytes()[:kept])
    run(half / "n.csv", "--out", half / "spans.csv", "--resume")
    run(half / "n.csv", "--out", half / "whole.csv")
    assert (half / "spans.csv").read_bytes() == (half / "whole.csv").read_bytes()


def test_two_runs_do_not_write_one_file(half):
    with open(half / ".spans.csv.unfinished", "rb") as file:
        assert try_lock(file.fileno())
        with pytest.raises(ConfigurationError, match="another run writes it"):
            run(half / "n.csv", "--out", half / "spans.csv", "--resume")
