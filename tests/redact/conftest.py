"""A small corpus and a key file."""

from pathlib import Path

import pytest
from marked_notes import SECRET, STORY

from crfdeid import corpora


@pytest.fixture(autouse=True, scope="module")
def shipped_once(models_once):
    """Many runs load a model that ships; what loads it has its tests in tests/systems."""


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
