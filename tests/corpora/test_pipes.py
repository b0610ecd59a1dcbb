"""Pipes: a named one is refused at once, one that the shell has opened is read, and no pipe is read twice."""

import os
import shutil
import threading
from contextlib import contextmanager, suppress

import pytest

from crfdeid import cli, corpora
from crfdeid.convert import main as convert
from crfdeid.corpora import table
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.evaluate.__main__ import main as evaluate
from crfdeid.evaluate.corpus_statistics import main as stats
from crfdeid.redact.__main__ import main as redact
from crfdeid.systems import model
from crfdeid.tag.__main__ import main as tag
from crfdeid.text.document import Document
from crfdeid.train import main as train

LONGEST = 20  # seconds; a test that waits for a pipe longer is stopped
NOTES = [Document(str(n), "Mr. Ruiz came on 3/4/2061. " * 40, (), "ab"[n % 2]) for n in range(300)]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch, tmp_path):
    """Open the pipes of a test that still waits after LONGEST seconds, so that it fails and does not hang."""
    monkeypatch.chdir(tmp_path)
    ended = threading.Timer(LONGEST, lambda: [os.open(path, os.O_RDWR) for path in tmp_path.glob("p*")])
    ended.start()
    yield
    ended.cancel()


@contextmanager
def pipe(data):
    """The name of a pipe that the shell would have opened, with ``data`` in it."""
    end, start = os.pipe()

    def write():
        with suppress(BrokenPipeError), open(start, "wb") as file:
            file.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    yield f"/dev/fd/{end}"
    os.close(end)
    thread.join()


RUNS = {
    "tag": (tag, "pipe --model rules"), "tag with a format": (tag, "pipe --model rules --from jsonl"),
    "convert": (convert, "pipe out --to brat"), "stats": (stats, "pipe"),
    "evaluate": (evaluate, "notes.jsonl pipe"), "train": (train, "pipe --out out"),
    "redact": (redact, "pipe --spans gold --out out"),
    "a table of notes": (tag, "pipe.csv --model rules"), "an XML file": (tag, "pipe.xml --model rules"),
    "a JSON file": (tag, "pipe.json --model rules"), "Parquet": (tag, "pipe.parquet --model rules"),
    "a key": (redact, "notes.jsonl --spans gold --key-file pipe --out out"),
    "a map": (redact, "notes.jsonl --spans gold --map pipe --map-key key --out out"),
    "a policy": (tag, "notes.jsonl --model rules --policy pipe.toml"),
    "types": (tag, "notes.jsonl --model rules --types pipe.toml"),
    "thresholds": (tag, "notes.jsonl --model english --threshold pipe.toml"),
    "terms": (tag, "notes.jsonl --model rules --never pipe.txt"),
    "a configuration": (train, "notes.jsonl --config pipe.toml --out out"),
    "an output": (tag, "notes.jsonl --model rules --format jsonl --out pipe.jsonl"),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_a_named_pipe_is_refused_at_once(name, tmp_path, capsys):
    verb, line = RUNS[name]
    corpora.write(NOTES[:2], "notes.jsonl", "jsonl")
    (tmp_path / "key").write_bytes(b"campaign" * 4)
    (tmp_path / "key").chmod(0o600)
    os.mkfifo(next(part for part in line.split() if part.startswith("pipe")), 0o600)
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: verb(line.split()))
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and said.count("\n") == 1 and "pipe" in said


def test_a_model_folder_with_a_pipe_is_refused(small_model, tmp_path):
    folder = shutil.copytree(small_model.folder, tmp_path / "model")
    for name in ("model.crfsuite", "manifest.json", "scheme.toml"):
        (folder / name).rename(tmp_path / "kept")
        os.mkfifo(folder / name)
        with pytest.raises(CrfdeidError):
            model.load(folder)
        os.unlink(folder / name)
        (tmp_path / "kept").rename(folder / name)


@pytest.mark.parametrize("cuts_at_nul", [True, False])
def test_a_pipe_of_the_shell_is_read(cuts_at_nul, monkeypatch):
    monkeypatch.setattr(table, "cuts_at_nul", lambda: cuts_at_nul)  # as before pandas 3.1, and after
    with pipe(b'{"id": "1", "text": "Mr. Ruiz came."}\n{"id": "2", "text": ""}\n') as name:
        assert [note.id for note in corpora.read(name, "jsonl")] == ["1", "2"]
    with pipe(b"id,text\n1,Mr. Ruiz came\n") as name:
        assert [note.text for note in corpora.read(name, "table")] == ["Mr. Ruiz came"]


def test_a_pipe_is_not_read_twice(tmp_path, capsys):
    """The first reading stops at the third note: what is left in the pipe is not all of it."""
    corpora.write(NOTES, "notes.jsonl", "jsonl")
    with pipe((tmp_path / "notes.jsonl").read_bytes()) as name, pytest.raises(FormatError, match="only once"):
        redact([name, "--from", "jsonl", "--spans", "gold", "--out", "out.jsonl"])
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(("format", "head"), [("jsonl", b""), ("table", b"id,text\n")])
def test_a_pipe_in_another_encoding_is_refused(format, head):
    with pipe(head + b'{"id": "1", "text": "\xff"}\n') as name, pytest.raises(FormatError, match="not utf-8"):
        list(corpora.read(name, format))


def test_an_open_output_is_written_and_stays(tmp_path):
    """As /dev/stdout is: the link is not replaced by a file."""
    end, start = os.pipe()
    (tmp_path / "link").symlink_to(f"/dev/fd/{start}")
    corpora.write(NOTES[:1], tmp_path / "link", "jsonl")
    os.close(start)
    with open(end, encoding="utf-8") as file:
        assert file.read().count("\n") == 1
    assert (tmp_path / "link").is_symlink() and os.listdir(tmp_path) == ["link"]
