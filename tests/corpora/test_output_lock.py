"""Two runs into one output: the second is refused in one line, and a killed run keeps nobody out."""

import multiprocessing
import os
import signal
import stat
import time

import pytest
from elsewhere import hold_elsewhere

from crfdeid import cli, corpora, files
from crfdeid.ablate.__main__ import main as ablate
from crfdeid.convert import main as convert
from crfdeid.errors import FormatError
from crfdeid.evaluate.__main__ import main as evaluate
from crfdeid.files import hold_output
from crfdeid.redact.__main__ import main as redact
from crfdeid.synthetic.__main__ import main as synthetic
from crfdeid.systems import model
from crfdeid.tag.__main__ import main as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train

fork = multiprocessing.get_context("fork")
NOTES = [Document(f"n{n}", "Seen by Ana Ruiz.", (Span(8, 16, "DOCTOR"),)) for n in range(4)]
PLAN = 'features = ["lexical"]\n'


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpora.write(NOTES, tmp_path / "notes.jsonl", "jsonl")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "notes.jsonl"


COMMANDS = {
    "tag into a folder": (tag, "notes.jsonl --model rules --out out --overwrite"),
    "tag note by note": (tag, "notes.jsonl --model rules --out out --resume"),
    "tag into a file": (tag, "notes.jsonl --model rules --out out.jsonl --overwrite"),
    "convert": (convert, "notes.jsonl out --to brat --overwrite"),
    "convert into Parquet": (convert, "notes.jsonl out.parquet --to parquet --overwrite"),
    "synthetic": (synthetic, "--documents 2 --out out --overwrite"),
    "train": (train, "notes.jsonl --out out --overwrite"),
    "ablate": (ablate, "plan.toml notes.jsonl --out out"),
    "redact": (redact, "notes.jsonl --spans gold --out out --format jsonl --overwrite"),
    "redact into a file": (redact, "notes.jsonl --spans gold --out out.jsonl --report report --overwrite"),
    "evaluate": (evaluate, "notes.jsonl notes.jsonl --resamples 0 --html out.html"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_second_run_into_one_output_is_refused(name, notes, capsys):
    verb, line = COMMANDS[name]
    arguments = line.split()
    out = next(part for part in arguments if part.startswith("out"))
    before = sorted(os.listdir())
    with hold_elsewhere(notes.parent / out), pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: verb(arguments))
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert said == f"crfdeid: {out}: another run writes it; wait for its end, or name another output\n"
    assert [each for each in sorted(os.listdir()) if each != out] == before


def test_a_page_of_text_removes_what_a_killed_run_has_left_of_it(notes):
    left = notes.parent / ".new" / ".out.html.ab12cd_9.partial"
    left.parent.mkdir()
    left.write_text("Seen by Ana Ruiz.")
    evaluate(f"notes.jsonl notes.jsonl --resamples 0 --html {left.parent / 'out.html'}".split())
    assert os.listdir(left.parent) == ["out.html"]


def test_the_lock_is_there_while_a_run_writes_and_not_after(tmp_path):
    def look():
        assert (tmp_path / ".out.lock").is_file()
        yield from NOTES

    corpora.write_each(look(), tmp_path / "out", "brat")
    assert os.listdir(tmp_path) == ["out"]
    with pytest.raises(ZeroDivisionError):
        corpora.write_each((1 / 0 for _ in NOTES), tmp_path / "other", "brat")
    assert os.listdir(tmp_path) == ["out"]


def test_a_model_is_held_while_it_learns(tmp_path):
    refused = pytest.raises(FormatError, match="another run writes it")
    with hold_elsewhere(tmp_path / "model"), refused, model.make_folder_beside(tmp_path / "model"):
        pass


def hold_and_die(path):
    with hold_output(path):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_run_keeps_nobody_out(tmp_path):
    child = fork.Process(target=hold_and_die, args=(tmp_path / "out",))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL and os.listdir(tmp_path) == [".out.lock"]
    corpora.write_each(NOTES, tmp_path / "out", "brat")
    assert os.listdir(tmp_path) == ["out"]


def fork_and_die(path, sender):
    """Hold the output and begin to write it; a forked process lives on."""
    end, start = os.pipe()
    with hold_output(path), files.open_whole(path):
        if not (child := os.fork()):
            os.write(start, b"1")
            time.sleep(60)
            os._exit(0)
        os.read(end, 1)
        sender.send(child)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_of_a_killed_run_keeps_nobody_out(tmp_path):
    """On a busy machine it ends a moment after the run, and the next run was refused."""
    receiver, sender = fork.Pipe(duplex=False)
    killed = fork.Process(target=fork_and_die, args=(tmp_path / "out.jsonl", sender))
    killed.start()
    child = receiver.recv()
    killed.join()
    try:
        corpora.write(NOTES, tmp_path / "out.jsonl", "jsonl")
        assert os.listdir(tmp_path) == ["out.jsonl"]
    finally:
        os.kill(child, signal.SIGKILL)


def test_the_same_output_by_another_name_is_the_same(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    monkeypatch.chdir(tmp_path / "out")
    for path in ("../out", "../link", ".", tmp_path / "x" / ".." / "out"):
        with hold_elsewhere(tmp_path / "out"), pytest.raises(FormatError), hold_output(path):
            pass


def test_a_lock_that_its_run_removes_meanwhile_is_taken_again(tmp_path, monkeypatch):
    real, opened = os.open, []

    def open_and_lose(path, *arguments):
        descriptor = real(path, *arguments)
        if not opened:
            os.unlink(path)  # the other run ends between open and lock
        opened.append(path)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose)
    with hold_output(tmp_path / "out"):
        assert (tmp_path / ".out.lock").exists() and len(opened) == 2


def test_devices_and_file_systems_without_locks_are_written(tmp_path, monkeypatch):
    with hold_output("/dev/null"), hold_output("/dev/null"):
        assert not os.path.exists("/dev/.null.lock")

    def fail(descriptor):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files, "try_lock", fail)
    with hold_output(tmp_path / "out"):
        pass
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_where_nothing_can_be_written_the_path_is_named(tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(FormatError, match="out: cannot be written: "), hold_output(tmp_path / "out"):
        pass
