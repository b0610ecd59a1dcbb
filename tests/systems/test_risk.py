"""Minimum-risk decoding of a CRF."""

import dataclasses

import pytest
from small_notes import SMALL

from crfdeid.errors import ConfigurationError
from crfdeid.systems import model, registry
from crfdeid.systems.crf import CrfTagger
from crfdeid.text.document import Document


@pytest.fixture(scope="module")
def unsure(notes, tmp_path_factory):
    """A model after few iterations, which is sure of little."""
    settings = dataclasses.replace(SMALL, repair=False, crf=SMALL.crf | {"max_iterations": 4})
    return model.train(notes[:20], settings, tmp_path_factory.mktemp("risk") / "m")


@pytest.fixture(scope="module")
def texts(notes):
    longer = [Document(f"x{n}", f"Seen 3/7 by Ruiz, {n} Dr. Ana 12 year\nOn 4") for n in range(5)]
    return [d.with_spans(()) for d in notes[20:30]] + [
        *longer,
        Document("empty", ""),
        Document("space", " \n"),
    ]


def tag_by_risk(tagger, documents, compiled=False, engine="fast", **limits):
    settings = dataclasses.replace(tagger.config, decode="risk", span_threshold=limits)
    registry.check(settings)
    other = CrfTagger(dataclasses.replace(tagger.model, config=settings), engine)
    if compiled:
        pytest.importorskip("numba")
        other.compile()
    return list(other.tag_all(documents, probabilities=True))


@pytest.mark.parametrize("compiled", [False, True])
def test_probable_spans_are_found_with_their_probability(unsure, texts, compiled):
    found = tag_by_risk(unsure, texts, compiled, default=0.2)
    best = list(unsure.tag_all(texts, probabilities=True))
    known = {(d.id, span): span.probability for d in best for span in d.spans}
    spans = {(d.id, span): span.probability for d in found for span in d.spans}
    assert any(0.2 < p < 0.8 for p in spans.values())
    for (owner, span), probability in known.items():
        own = next(d.spans for d in found if d.id == owner)
        if (owner, span) in spans:
            assert spans[owner, span] == pytest.approx(probability, abs=1e-9)
        elif probability > 0.2:
            assert any(span.overlaps(other) for other in own)
    assert all(p > 0.2 for p in spans.values())
    assert not any(a.overlaps(b) for d in found for a in d.spans for b in d.spans if a != b)


def test_the_two_engines_find_the_same(unsure, texts):
    wanted = [d.spans for d in tag_by_risk(unsure, texts, default=0.1)]
    assert [d.spans for d in tag_by_risk(unsure, texts, True, default=0.1)] == wanted
    assert [d.spans for d in tag_by_risk(unsure, texts, engine="crfsuite", default=0.1)] == wanted


def test_a_type_has_its_own_threshold(unsure, texts):
    types = [
        {s.type for d in tag_by_risk(unsure, texts, default=0.2, DATE=p) for s in d.spans} for p in (0.2, 1)
    ]
    assert "DATE" in types[0] and types[1] == types[0] - {"DATE"}


def test_a_threshold_of_the_command_replaces_the_decoding(unsure, texts):
    settings = dataclasses.replace(unsure.config, decode="risk")
    other = CrfTagger(dataclasses.replace(unsure.model, config=settings))
    wanted = [d.spans for d in unsure.tag_all(texts, threshold=0.3)]
    assert [d.spans for d in other.tag_all(texts, threshold=0.3)] == wanted


def test_a_model_folder_keeps_its_decoding(notes, tmp_path):
    settings = dataclasses.replace(SMALL, decode="risk", span_threshold={"AGE": 0.5})
    tagger = model.train(notes[:8], settings, tmp_path / "m")
    assert (tagger.config.decode, tagger.config.span_threshold) == ("risk", {"AGE": 0.5})
    assert [d.spans for d in tagger.tag_all(notes[:8])] == [d.spans for d in notes[:8]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decode": "risky"}, "wanted one of best, risk"),
        ({"span_threshold": {"AGE": 0.3}}, "only for decode = 'risk'"),
        ({"decode": "risk", "span_threshold": {"AGE": 2.0}}, "above 0 and at most 1"),
        ({"decode": "risk", "span_threshold": {"AEG": 0.2}}, "no type of scheme i2b2-2014; did you mean AGE"),
        ({"decode": "risk", "system": "svm"}, "svm does not have it; wanted crf"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ConfigurationError, match=message):
        registry.check(dataclasses.replace(SMALL, **changes))


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
def test_a_crf_can_learn_where_spans_end(notes, tmp_path, engine):
    settings = dataclasses.replace(SMALL, repair=False, decode="risk", span_mark="last")
    tagger = model.train(notes[:20], settings, tmp_path / "m", engine=engine)
    bare = [document.with_spans(()) for document in notes[30:34]]
    assert [d.spans for d in tagger.tag_all(bare)] == [d.spans for d in notes[30:34]]
    with pytest.raises(ConfigurationError, match="has only span_threshold"):
        tagger.tag(bare[0], threshold=0.5)
    with pytest.raises(ConfigurationError, match="span_mark = 'last'"):
        tagger.find_n_best(bare[0], 2)


@pytest.mark.parametrize("changes", [{"decode": "best"}, {"constraints": "bio"}])
def test_a_crf_that_marks_ends_needs_minimum_risk(changes):
    settings = dataclasses.replace(SMALL, **{"decode": "risk", "span_mark": "last"} | changes)
    with pytest.raises(ConfigurationError, match="span_mark = 'last': only for decode = 'risk'"):
        registry.check(settings)
