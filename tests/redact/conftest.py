"""A small corpus and a key file."""

from functools import lru_cache
from pathlib import Path

import pytest
from marked_notes import SECRET, STORY

from crfdeid import corpora
from crfdeid.systems import model

load_once = lru_cache(model.load)


@pytest.fixture
def models_once(monkeypatch):
    """A model that several tests load is read from its folder once."""
    monkeypatch.setattr(model, "load", load_once)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_bytes(SECRET)
    path.chmod(0o600)
    return path


@pytest.fixture
def corpus(tmp_path: Path, key: Path) -> Path:
    """A folder with a corpus, ``notes.jsonl``, and the key."""
    corpora.write(STORY, tmp_path / "notes.jsonl", "jsonl")
    return tmp_path
