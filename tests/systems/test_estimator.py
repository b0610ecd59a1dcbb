"""The scikit-learn face: clone, cross-validation and search work with the current release."""

import pickle

import joblib
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score

from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.systems.sklearn_estimator import CRFTagger, make_scorer


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


def test_a_fitted_tagger_is_pickled_with_all_features_of_a_configuration(notes, tmp_path):
    tagger = CRFTagger(max_iterations=3).fit(notes[:10])
    joblib.dump(tagger, tmp_path / "tagger")
    loaded = joblib.load(tmp_path / "tagger")
    assert loaded.predict(notes[30:]) == tagger.predict(notes[30:])
    assert loaded.get_params() == tagger.get_params()
    assert not hasattr(pickle.loads(pickle.dumps(CRFTagger())), "pipeline_")


@pytest.mark.slow
def test_a_search_in_two_processes_with_a_scorer(tagger, notes):
    search = GridSearchCV(tagger, {"c2": [0.01, 1.0]}, scoring=make_scorer("token"), cv=2, n_jobs=2)
    assert search.fit(notes).best_score_ > 0.9


def test_a_scorer_gives_the_official_figures(tagger, notes):
    tagger.fit(notes[:30])
    assert make_scorer()(tagger, notes[30:]) == tagger.score(notes[30:]) == 1.0
    found = [note.with_spans(note.spans[:1]) for note in notes[30:]]
    tagger.predict = lambda X: [note.spans for note in found]
    every = sum(len(note.spans) for note in notes[30:])
    assert make_scorer("relaxed", "recall")(tagger, notes[30:]) == pytest.approx(len(found) / every)
    assert make_scorer(measure="precision")(tagger, notes[30:]) == 1.0


@pytest.mark.parametrize("given", [("strct",), ("strict", "f2")])
def test_a_scorer_of_an_unknown_name_is_refused(given):
    with pytest.raises(ConfigurationError, match="wanted one of"):
        make_scorer(*given)


def test_spans_beside_the_documents_are_the_gold_spans(tagger, notes):
    """They were passed over, so that a tagger learned nothing from documents without spans."""
    bare, gold = [note.with_spans(()) for note in notes], [note.spans for note in notes]
    tagger.fit(bare[:30], gold[:30])
    assert tagger.predict(bare[30:]) == gold[30:]
    assert make_scorer()(tagger, bare[30:], gold[30:]) == tagger.score(bare[30:], gold[30:]) == 1
    with pytest.raises(DocumentError, match="4 documents, and 3 lists of spans"):
        tagger.fit(bare[:4], gold[:3])
