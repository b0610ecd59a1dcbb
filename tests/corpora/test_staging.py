"""A folder appears whole, and a killed run leaves no mix of two runs that anybody reads."""

import multiprocessing
import os
import signal
import stat
import sys
import tempfile
import threading

import pytest

from crfdeid import corpora, files
from crfdeid.corpora import storage
from crfdeid.errors import FormatError
from crfdeid.text.document import Document

NAMES = ("a.txt", "b.txt", "c.txt", "d.txt")
fork = multiprocessing.get_context("fork")


def fill(folder, text, overwrite=False):
    with storage.stage_folder(folder, overwrite) as staged:
        for name in NAMES:
            (staged / name).write_text(text)


def die_after(moves, folder):
    """Fill the folder in a process that is killed after some moves, as by kill -9."""

    def run():
        real, left = os.replace, [moves]

        def replace(source, target):
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            real(source, target)

        os.replace = replace
        fill(folder, "new", overwrite=True)

    child = fork.Process(target=run)
    child.start()
    child.join()
    return child.exitcode


def read_all(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_new_folder_is_renamed_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "replace", None)  # no file is moved
    fill(tmp_path / "out", "new")
    assert read_all(tmp_path / "out") == dict.fromkeys(NAMES, "new")
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o777 & ~files.read_umask()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_exists_keeps_its_permissions_and_other_files(tmp_path):
    out = tmp_path / "out"
    out.mkdir(0o700)
    fill(out, "first")
    (out / "own.md").write_text("mine")
    fill(out, "second", overwrite=True)
    assert read_all(out) == {**dict.fromkeys(NAMES, "second"), "own.md": "mine"}
    assert stat.S_IMODE(out.stat().st_mode) == 0o700


@pytest.mark.parametrize("moves", range(len(NAMES)))
def test_a_killed_move_is_refused_by_readers_and_finished_by_the_next_run(tmp_path, moves):
    out = tmp_path / "out"
    fill(out, "old")
    assert die_after(moves, out) == -signal.SIGKILL
    with pytest.raises(FormatError, match="run its command again"):
        list(corpora.read(out))
    with pytest.raises(FormatError, match="holds files"):  # the rest has moved; nothing is replaced
        fill(out, "other")
    assert read_all(out) == dict.fromkeys(NAMES, "new")
    assert len(list(corpora.read(out))) == len(NAMES)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_run_that_is_killed_before_the_move_leaves_the_folder_as_it_was(tmp_path):
    def run():
        with storage.stage_folder(tmp_path / "out") as staged:
            (staged / "a.txt").write_text("new")
            os.kill(os.getpid(), signal.SIGKILL)

    child = fork.Process(target=run)
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("number", "stopped"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_signal_waits_until_all_files_have_moved(tmp_path, monkeypatch, number, stopped):
    out, real = tmp_path / "out", os.replace
    fill(out, "old")

    def replace(source, target):
        signal.raise_signal(number)
        real(source, target)

    def end(*_):
        raise stopped

    usual = signal.signal(number, end)
    monkeypatch.setattr(os, "replace", replace)
    try:
        with pytest.raises(stopped):
            fill(out, "new", overwrite=True)
    finally:
        signal.signal(number, usual)
    assert read_all(out) == dict.fromkeys(NAMES, "new")


@pytest.fixture
def raised():
    """The signals that reach this process, by handlers that are put back."""
    numbers: list[int] = []
    usual = {each: signal.signal(each, lambda number, _: numbers.append(number)) for each in files.HELD}
    yield numbers
    for each, handler in usual.items():
        signal.signal(each, handler)


def test_the_first_of_the_signals_that_came_is_raised_at_the_end(raised):
    for sent in ([signal.SIGTERM, signal.SIGINT, signal.SIGINT], [signal.SIGINT], [signal.SIGHUP], []):
        with files.hold_signals():
            for number in sent:
                signal.raise_signal(number)
            assert not raised
        assert raised == sent[:1]
        raised.clear()


def test_handlers_of_signals_are_what_they_were(raised):
    for handler in (signal.SIG_IGN, signal.SIG_DFL, signal.default_int_handler):
        signal.signal(signal.SIGTERM, handler)
        with files.hold_signals():
            pass
        assert signal.getsignal(signal.SIGTERM) == handler


def test_a_thread_has_no_signals_to_hold(tmp_path):
    thread = threading.Thread(target=fill, args=(tmp_path / "out", "new"))
    thread.start()
    thread.join()
    assert read_all(tmp_path / "out") == dict.fromkeys(NAMES, "new")


def test_what_stands_in_the_way_is_refused_and_stays(tmp_path):
    staged, out = tmp_path / "staged", tmp_path / "out"
    for folder in (staged, out, storage.name_journal(out)):
        folder.mkdir()
        (folder / "a.txt").write_text(folder.name)
    with pytest.raises(FormatError, match="out: another run moves files into it"):
        storage.put_in_place(staged, out)
    with pytest.raises(FileNotFoundError):
        storage.put_in_place(tmp_path / "none", tmp_path / "new")
    with pytest.raises(FormatError, match="a.txt: is a file; wanted a folder to write into"):
        fill(out / "a.txt", "new", overwrite=True)
    assert read_all(out) == {"a.txt": "out"}


def test_a_folder_with_files_is_refused_before_anything_is_written(tmp_path):
    fill(tmp_path / "out", "old")
    with pytest.raises(FormatError, match="holds files"), storage.stage_folder(tmp_path / "out"):
        pytest.fail("the block begins")
    assert read_all(tmp_path / "out") == dict.fromkeys(NAMES, "old")


def test_the_staged_folder_of_a_killed_run_is_cleared(tmp_path):
    (tmp_path / ".out.abcdefgh.partial").mkdir()
    (tmp_path / ".out.abcdefgh.partial" / "a.txt").write_text("left")
    fill(tmp_path / "out", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_runs_into_one_folder_do_not_mix(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(FormatError, match="holds files"), storage.stage_folder(out) as staged:
        (staged / "e.txt").write_text("one")
        fill(out, "other")
    assert read_all(out) == dict.fromkeys(NAMES, "other")


def test_a_folder_into_which_another_run_moves_files_is_refused(tmp_path):
    out = tmp_path / "out"
    fill(out, "old")
    journal = storage.name_journal(out)
    journal.mkdir()
    descriptor = os.open(journal, os.O_RDONLY)
    assert files.try_lock(descriptor)
    with pytest.raises(FormatError, match="another run moves files into it"):
        fill(out, "new", overwrite=True)
    os.close(descriptor)
    fill(out, "new", overwrite=True)
    assert read_all(out) == dict.fromkeys(NAMES, "new")


@pytest.mark.parametrize(
    ("make", "write"),
    [
        ("mkstemp", lambda path: corpora.write([Document("1", "x")], path, "jsonl")),
        ("mkdtemp", lambda path: fill(path, "new")),
    ],
)
def test_a_signal_while_a_temporary_file_is_made_leaves_none(make, write, tmp_path, monkeypatch):
    usual = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(143))
    made = getattr(tempfile, make)

    def make_and_send(*arguments):
        found = made(*arguments)
        signal.raise_signal(signal.SIGTERM)
        return found

    monkeypatch.setattr(tempfile, make, make_and_send)
    try:
        with pytest.raises(SystemExit):
            write(tmp_path / "out")
    finally:
        signal.signal(signal.SIGTERM, usual)
    assert not list(tmp_path.iterdir())
