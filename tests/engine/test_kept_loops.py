"""Where numba can write nowhere that it looks, compiled loops are kept elsewhere, or compiled each time."""

import os
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
    monkeypatch.setattr(kept_loops.resources, "PACKAGE", Path("/package"))
    monkeypatch.setattr(kept_loops, "is_writable", lambda folder: str(folder) == writable)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", settings["caches"])
    home = "~" if "~" in writable else "/home/ana"
    monkeypatch.setattr("os.path.expanduser", lambda path: path.replace("~", home))
    assert kept_loops.choose_cache_folder()
    named = str(tmp_path / f"crfdeid-numba-{os.getuid()}")
    assert (settings["numba"] if kept else named) == config.CACHE_DIR


def test_a_folder_of_another_user_is_not_used(read_only, monkeypatch):
    monkeypatch.setattr(kept_loops, "is_private", lambda folder: False)
    assert kept_loops.choose_cache_folder()
    folder = Path(config.CACHE_DIR)
    assert folder.name.startswith("crfdeid-numba-") and folder.name != f"crfdeid-numba-{os.getuid()}"
    assert folder.stat().st_mode & 0o777 == stat.S_IRWXU
    folder.rmdir()


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
