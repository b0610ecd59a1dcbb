"""The scikit-learn face: clone, cross-validation and search work with the current release."""

import pytest
from sklearn.base import clone
from sklearn.model_selection import RandomizedSearchCV, cross_val_score

from crfdeid.errors import DocumentError
from crfdeid.systems.sklearn_estimator import CRFTagger


@pytest.fixture
def tagger():
    return CRFTagger(features=["lexical"], max_iterations=30)


def test_fit_predict_score(tagger, notes):
    tagger.fit(notes[:30])
    assert tagger.predict(notes[30:]) == [note.spans for note in notes[30:]]
    assert tagger.score(notes[30:]) == 1.0


def test_clone_and_cross_validation(tagger, notes):
    assert clone(tagger).get_params() == tagger.get_params()
    assert cross_val_score(tagger, notes, cv=2).shape == (2,)


def test_randomized_search(tagger, notes):
    search = RandomizedSearchCV(tagger, {"c1": [0.0, 0.1], "c2": [0.01, 1.0]}, n_iter=2, cv=2, random_state=1)
    assert search.fit(notes).best_params_.keys() == {"c1", "c2"}


def test_nothing_to_fit(tagger):
    with pytest.raises(DocumentError, match="no documents"):
        tagger.fit([])
