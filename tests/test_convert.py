"""From any format to any other, also through pipes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crfdeid import convert, corpora
from crfdeid.errors import ConfigurationError, DocumentError, FormatError, SchemeError
from crfdeid.text.document import Document, Span

HOME = Path(__file__).resolve().parents[1]
NOTES = [
    Document("100-01", "Dr. Ruiz ]]> &\r\n👩‍⚕️ José, 3/4/61", (Span(4, 8, "DOCTOR"), Span(26, 32, "DATE"))),
    Document("101-01", "", ()),
]
BOTH = [name for name, found in corpora.FORMATS.items() if found.read and found.has_spans]
FOLDERS = ("i2b2", "brat")


def name_target(folder, format):
    return folder / (format if format in FOLDERS else format + corpora.FORMATS[format].suffixes[0])


def list_contents(documents):
    return [(document.id, document.text, document.spans) for document in documents]


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_there_and_back(first, second, tmp_path):
    before, after = name_target(tmp_path / "before", first), name_target(tmp_path / "after", second)
    corpora.write(NOTES, before, first)
    convert.main([str(before), str(after), "--from", first, "--to", second])
    assert list_contents(corpora.read(after, second)) == list_contents(NOTES)


def test_a_scheme_and_overlaps_are_checked(tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out.conll"
    spans = Span(0, 6, "CITY"), Span(0, 15, "KLINIK")
    corpora.write([Document("n", "Newton Hospital", spans)], path, "jsonl")
    with pytest.raises(SchemeError, match="document 1: the type at 0-15 is not a type of scheme i2b2-2014"):
        convert.main([str(path), str(out), "--to", "conll", "--scheme", "i2b2-2014"])
    with pytest.raises(DocumentError, match="length 1: CITY at 0-6 overlaps a span at 0-15"):
        convert.main([str(path), str(out), "--to", "conll"])
    assert [found.name for found in tmp_path.iterdir()] == ["a.jsonl"]
    convert.main([str(path), str(out), "--to", "conll", "--overlaps", "longest"])
    assert next(corpora.read(out)).spans == (Span(0, 15, "KLINIK"),)


def test_columns_and_encoding_can_be_named(tmp_path):
    path, out = tmp_path / "a.csv", tmp_path / "a.jsonl"
    path.write_bytes("nr,note,mrn\n1,José,7\n".encode("latin-1"))
    columns = ["--id-column", "nr", "--text-column", "note", "--patient-column", "mrn"]
    with pytest.raises(FormatError, match="not utf-8: byte 17 "):
        convert.main([str(path), str(out), "--to", "jsonl", *columns])
    convert.main([str(path), str(out), "--to", "jsonl", "--encoding", "latin-1", *columns])
    assert json.loads(out.read_text()) == {"id": "1", "text": "José", "patient": "7", "spans": []}
    with pytest.raises(FormatError, match="--overwrite"):
        convert.main([str(path), str(out), "--to", "jsonl", "--encoding", "latin-1", *columns])


REFUSED = [
    (["-", "out", "--to", "brat"], "--from names its format"),
    (["-", "out", "--to", "brat", "--from", "parquet"], "single file of text"),
    (["in.jsonl", "-", "--to", "brat"], "brat: cannot be written to standard output"),
    (["in.jsonl", "out", "--to", "i2b3"], "did you mean i2b2"),
    (["in.jsonl", "out", "--to", "brat", "--from", "inline"], "inline: no format to read"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_arguments_that_do_not_fit_are_refused(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpora.write(NOTES, "in.jsonl", "jsonl")
    with pytest.raises(ConfigurationError, match=message):
        convert.main(arguments)
    assert not Path("out").exists()


def run(arguments, data):
    command = [sys.executable, "-m", "crfdeid.convert", *arguments]
    environment = os.environ | {"PYTHONPATH": str(HOME), "PYTHONIOENCODING": "ascii"}
    return subprocess.run(command, input=data, capture_output=True, env=environment, cwd="/")


def test_a_pipe_works_and_an_error_is_one_line(tmp_path):
    corpora.write(NOTES, tmp_path / "a.jsonl", "jsonl")
    lines = (tmp_path / "a.jsonl").read_bytes()
    done = run(["-", "-", "--from", "jsonl", "--to", "i2b2-2006"], lines)
    assert (done.returncode, done.stderr) == (0, b"")
    (tmp_path / "b.xml").write_bytes(done.stdout)
    assert list_contents(corpora.read(tmp_path / "b.xml")) == list_contents(NOTES)
    failed = run(["-", "-", "--from", "jsonl", "--to", "conll"], b'{"text": "Zanzibarova')
    assert (failed.returncode, failed.stdout) == (2, b"")
    assert failed.stderr == b"crfdeid: /dev/stdin, line 1: malformed JSON\n"
