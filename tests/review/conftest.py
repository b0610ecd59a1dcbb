"""A small study that the tests of the review room share."""

import pytest

from crfdeid import corpora
from crfdeid.text.document import Document


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
    from crfdeid.review.study import accounts, create
    from crfdeid.review.study.source import Source
    from crfdeid.review.study.study import open_study

    create.create_study(corpus / "study.db", Source(corpus / "notes", "i2b2"), "i2b2-2014", None, 1)
    opened = open_study(corpus / "study.db")
    for name in ("ann", "bob", "cy"):
        accounts.add_reader(opened.store, name, "reader")
    accounts.add_reader(opened.store, "eve", "adjudicator")
    yield opened
    opened.store.close()
