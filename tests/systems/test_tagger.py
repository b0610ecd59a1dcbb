"""The base class of all systems, and documents that carry extra columns."""

import pytest
from small_notes import SMALL

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, TemplateError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import crf, model, model_folder
from crfdeid.systems.registry import Training
from crfdeid.systems.tagger import Tagger, Union, batch_documents
from crfdeid.text import bio
from crfdeid.text.document import Document

HINT = list(templates.parse_templates("hint[-1..1]"))


def hints(pipeline, note):
    """The gold labels of a note's tokens, as an extra column."""
    return {"hint": bio.encode(pipeline.tokenize(note.text), note.spans)}


def test_a_capability_that_a_system_does_not_have_is_refused(small_model):
    rules = model.load("rules")
    note = Document("1", "Seen on 03/14/2019.")
    assert not rules.has_probabilities and small_model.has_probabilities
    with pytest.raises(ConfigurationError, match="the system rules gives no probabilities"):
        rules.tag_all([note], probabilities=True)
    with pytest.raises(ConfigurationError, match=r"none of rules\+heuristic gives probabilities"):
        Union([rules, model.load("heuristic")]).tag_all([note], probabilities=True)
    (found,) = Union([rules, small_model]).tag_all([note], probabilities=True)
    assert [span.probability for span in found.spans] == [None]
    with pytest.raises(ConfigurationError, match="does not score tokens by themselves"):
        small_model.score_tokens(note)
    assert small_model.rules is None and "date_mdy" in rules.rules.rules


def test_a_tagger_must_say_how_it_tags():
    with pytest.raises(TypeError, match="abstract"):
        Tagger(None)


def test_notes_of_one_patient_are_tagged_together(notes, small_model):
    pair = [Document("1", "Mr. Zacharias Quimbly was seen."), Document("2", "Quimbly is well.")]
    assert [len(note.spans) for note in model.load("rules").tag_patient(pair)] == [1, 1]
    assert small_model.tag_patient(notes[30:32]) == list(small_model.tag_all(notes[30:32]))


def test_batches_hold_all_documents_in_order(notes):
    batches = list(batch_documents(notes, 200))
    assert [note for batch in batches for note in batch] == notes
    assert all(sum(len(note.text) for note in batch) >= 200 for batch in batches[:-1])


def test_features_of_a_document_are_those_it_is_trained_on(notes):
    pipeline = Pipeline(list(templates.parse_templates("lower[-1..1]")), sequence="line").with_extra_columns(
        HINT, ["hint"]
    )
    columns = [hints(pipeline, note) for note in notes[:2]]
    trained = [features for features, _ in pipeline.make_examples(notes[:2], columns)]
    assert trained == [s for note, own in zip(notes, columns) for s in pipeline.features(note, own)]
    assert any("hint[1]=B-DOCTOR" in token for token in trained[0])


def test_a_template_can_use_only_the_columns_that_are_named():
    with pytest.raises(TemplateError, match="hint: no such observation"):
        Pipeline(HINT)


def test_extra_columns_reach_both_engines_and_both_trainers(notes, tmp_path):
    """The columns say the labels, and nothing else does: the fast engine and CRFsuite find every span."""
    found = []
    for engine in ("fast", "crfsuite"):
        config = Config(features=SMALL.features[:1], crf={"max_iterations": 30})
        folder = model_folder.create_folder(tmp_path / engine, notes, config)
        pipeline = Pipeline().with_extra_columns(HINT, ["hint"])
        made = model_folder.ModelFolder(folder.path, config, pipeline, folder.scheme)
        columns = [hints(pipeline, note) for note in notes]
        crf.train_with_columns(Training(made, notes[:20], engine=engine), columns[:20])
        for reader in ("fast", "crfsuite"):
            tagger = crf.CrfTagger(made, reader)
            bare = [note.with_spans(()) for note in notes[20:]]
            found.append([note.spans for note in tagger.tag_with_columns(bare, columns[20:])])
    assert all(spans == [note.spans for note in notes[20:]] for spans in found)
