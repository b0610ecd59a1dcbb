"""A small study that the tests of the review room share."""

import sqlite3
from functools import partial

import pytest

from crfdeid import corpora
from crfdeid.review.study.study import create_study
from crfdeid.text.document import Document


class Unsynced(sqlite3.Connection):
    """A store that does not wait for the disk."""

    def executescript(self, script):
        super().execute("PRAGMA synchronous = OFF")
        return super().executescript(script)

    def execute(self, sql, *values):
        return super().execute(sql.replace("synchronous = FULL", "synchronous = OFF"), *values)


@pytest.fixture(autouse=True)
def unsynced(request, monkeypatch, one_loop):
    """No test cuts the power, so that none waits for the disk, except those marked ``synced``."""
    if not request.node.get_closest_marker("synced"):
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Unsynced))


@pytest.fixture
def corpus(tmp_path):
    """A folder with the three notes of :data:`review_client.TEXTS` in ``notes``."""
    pytest.importorskip("starlette", reason="pip install 'crfdeid[review]'")
    from review_client import TEXTS

    documents = [Document(id, text, (), patient) for id, (text, patient) in TEXTS.items()]
    corpora.write(documents, tmp_path / "notes", "i2b2")
    return tmp_path


@pytest.fixture
def study(corpus):
    """A study of three notes of two patients, with the readers ann, bob, cy and the adjudicator eve."""
    pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")
    from crfdeid.review.study import accounts
    from crfdeid.review.study.source import Source
    from crfdeid.review.study.study import open_study

    create_study(corpus / "study.db", Source(corpus / "notes", "i2b2"), "i2b2-2014", None, 1)
    opened = open_study(corpus / "study.db")
    for name in ("ann", "bob", "cy"):
        accounts.add_reader(opened.store, name, "reader")
    accounts.add_reader(opened.store, "eve", "adjudicator")
    yield opened
    opened.store.close()
