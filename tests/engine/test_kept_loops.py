"""Where numba can write nowhere that it looks, compiled loops are kept elsewhere, or compiled each time."""

import stat
import tempfile

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
    with pytest.warns(UserWarning, match="NUMBA_CACHE_DIR names a folder"):
        assert not kept_loops.choose_cache_folder()


@pytest.mark.parametrize(("place", "expected"), [("a/b", True), ("/proc/none", False), ("file/x", False)])
def test_a_folder_is_writable_if_a_file_can_be_made_in_it(place, expected, tmp_path):
    (tmp_path / "file").write_text("")
    assert kept_loops.is_writable(tmp_path / place) is expected


def test_a_usual_folder_is_taken_where_it_can_be_written(monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert kept_loops.choose_cache_folder() and config.CACHE_DIR == ""
