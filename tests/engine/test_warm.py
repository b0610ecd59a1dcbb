"""``crfdeid warm`` compiles all that tag and redact need, also where its folder is read-only later."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from small_notes import note

from crfdeid import corpora
from crfdeid.errors import ConfigurationError
from crfdeid.tag import warm

pytest.importorskip("numba", reason="pip install 'crfdeid[fast]'")


def test_without_numba_there_is_nothing_to_compile(monkeypatch):
    monkeypatch.setattr(warm, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match="numba is not installed"):
        warm.main([])


def test_loops_that_cannot_be_kept_are_not_compiled(monkeypatch):
    from crfdeid.engine import kept_loops

    monkeypatch.setattr(kept_loops, "ARE_KEPT", False)
    with pytest.raises(ConfigurationError, match="NUMBA_CACHE_DIR"):
        warm.main([])


@pytest.mark.slow
def test_after_it_nothing_is_compiled(tmp_path):
    kept = tmp_path / "kept"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(kept), "TMPDIR": str(tmp_path)}

    def run(*arguments):
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    def list_loops():
        return sorted(path.name for path in kept.rglob("*.nb[ic]"))

    assert "loops compiled in" in run("-m", "crfdeid", "warm")
    before = list_loops()
    notes = [note(number) for number in range(1000)]
    notes[7] = replace(notes[7], text=notes[7].text + " ł")
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    run("-m", "crfdeid", "tag", tmp_path / "notes.jsonl", "--out", tmp_path / "tagged.jsonl")
    run("-m", "crfdeid", "redact", tmp_path / "notes.jsonl", "--out", tmp_path / "clean.jsonl")
    once = "from crfdeid.tag import warm; warm.WIDTHS = warm.TAGGING = ('',); warm.main([])"
    assert run("-c", once).endswith("all loops were compiled before\n") and list_loops() == before
