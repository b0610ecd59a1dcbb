"""Where numba can write nowhere that it looks, compiled loops are kept elsewhere, or compiled each time."""

import os
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="pip install 'crfdeid[fast]'")
from numba.core import config

from crfdeid.engine import kept_loops


@pytest.fixture
def read_only(tmp_path, monkeypatch):
    """Only the folder for temporary files can be written."""
    monkeypatch.setattr(kept_loops, "is_writable", lambda folder: False)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(config, "CACHE_DIR", "")
    return tmp_path


def test_compiled_loops_get_a_private_folder_where_nothing_else_can_be_written(read_only):
    assert kept_loops.choose_cache_folder()
    (folder,) = read_only.iterdir()
    assert str(folder) == config.CACHE_DIR
    assert folder.stat().st_mode & 0o777 == stat.S_IRWXU
    folder.chmod(0o777)
    assert not kept_loops.is_private(folder)


def test_where_nothing_can_be_written_loops_are_not_kept_and_it_is_said(read_only, monkeypatch):
    def refuse(**names):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(kept_loops, "is_private", lambda folder: False)
    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR names a folder") as heard:
        assert not kept_loops.choose_cache_folder()
    assert heard[0].filename == __file__  # who asked for the folder


@pytest.mark.parametrize(("place", "expected"), [("a/b", True), ("/proc/none", False), ("file/x", False)])
def test_a_folder_is_writable_if_a_file_can_be_made_in_it(place, expected, tmp_path):
    (tmp_path / "file").write_text("")
    assert kept_loops.is_writable(tmp_path / place) is expected


def test_a_usual_folder_is_taken_where_it_can_be_written(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert kept_loops.choose_cache_folder() and config.CACHE_DIR == ""


@pytest.mark.parametrize(
    ("settings", "writable", "kept"),
    [
        ({"numba": "mine", "caches": "/caches"}, "mine", True),
        ({"numba": "", "caches": "/caches"}, "/caches/numba", True),
        ({"numba": "", "caches": ""}, "/home/ana/.cache/numba", True),
        ({"numba": "mine", "caches": "/caches"}, "/package/engine/__pycache__", True),
        ({"numba": "", "caches": ""}, "~/.cache/numba", False),  # the user has no home
    ],
)
def test_numbas_own_folders_are_tried_first(tmp_path, monkeypatch, settings, writable, kept):
    """Where one of them can be written, no other is named."""
    monkeypatch.setattr(config, "CACHE_DIR", settings["numba"])
    monkeypatch.setattr(kept_loops.files, "PACKAGE", Path("/package"))
    monkeypatch.setattr(kept_loops, "is_writable", lambda folder: str(folder) == writable)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", settings["caches"])
    home = "~" if "~" in writable else "/home/ana"
    monkeypatch.setattr("os.path.expanduser", lambda path: path.replace("~", home))
    assert kept_loops.choose_cache_folder()
    named = str(tmp_path / f"crfdeid-numba-{os.getuid()}")
    assert (settings["numba"] if kept else named) == config.CACHE_DIR


def test_loops_in_a_folder_that_cannot_be_written_are_linked(tmp_path, monkeypatch):
    shipped, own = tmp_path / "shipped", tmp_path / "own"
    own.mkdir()
    place = kept_loops._CacheLocator.get_suitable_cache_subpath(kept_loops.__file__)
    (shipped / place).mkdir(parents=True)
    (shipped / place / "loop-1.py311.nbi").write_text("kept")
    monkeypatch.setattr(config, "CACHE_DIR", str(shipped))
    monkeypatch.setattr(kept_loops, "is_writable", lambda folder: not folder.is_relative_to(shipped))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(own))
    for _ in range(2):
        assert kept_loops.choose_cache_folder()
        (link,) = own.rglob("*.nbi")
        assert link.read_text() == "kept" and link.is_relative_to(config.CACHE_DIR)
        monkeypatch.setattr(config, "CACHE_DIR", str(shipped))
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(kept_loops, "is_writable", lambda folder: True)
    assert kept_loops.choose_cache_folder() and config.CACHE_DIR == ""


@pytest.mark.parametrize(("seconds", "heard"), [(0.01, 0), (2, 1)])
def test_compiling_is_announced_once_where_it_takes_long(monkeypatch, seconds, heard):
    calls, clock = [], iter(number * seconds for number in range(100))
    monkeypatch.setattr(kept_loops.files, "COMPILING", [lambda: calls.append(1)])
    monkeypatch.setattr(kept_loops.time, "monotonic", lambda: next(clock))
    compiling = kept_loops.Compiling()
    for _ in range(2):
        compiling.on_start(None)
        compiling.on_end(None)
    assert len(calls) == heard and compiling.count == 2


def test_a_folder_of_another_user_is_not_used(read_only, monkeypatch):
    monkeypatch.setattr(kept_loops, "is_private", lambda folder: False)
    assert kept_loops.choose_cache_folder()
    folder = Path(config.CACHE_DIR)
    assert folder.name.startswith("crfdeid-numba-") and folder.name != f"crfdeid-numba-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == stat.S_IRWXU
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("mode", "private"), [(0o700, True), (0o755, True), (0o720, False), (0o702, False), (0o777, False)]
)
def test_a_folder_is_private_if_no_other_user_can_write_there(tmp_path, mode, private):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept").chmod(mode)
    assert kept_loops.is_private(tmp_path / "kept") is private


def test_neither_a_link_nor_a_file_nor_a_folder_of_another_user_is_private(tmp_path, monkeypatch):
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "file").write_text("")
    assert not kept_loops.is_private(tmp_path / "link")
    assert not kept_loops.is_private(tmp_path / "file") and not kept_loops.is_private(
        tmp_path / "file" / "in"
    )
    monkeypatch.setattr("os.getuid", lambda: (tmp_path / "kept").stat().st_uid + 1)
    assert not kept_loops.is_private(tmp_path / "kept")
