"""Training, the model folder, tagging, and what a damaged model says."""

import dataclasses
import itertools
import json
import shutil

import numpy as np
import pytest
from small_notes import SMALL

from crfdeid.engine.decoding import decoder
from crfdeid.errors import ConfigurationError, DocumentError, ModelError, SchemeError, Stopped
from crfdeid.systems import crf, model
from crfdeid.text import bio
from crfdeid.text.document import Document, Span


def test_a_model_finds_what_it_learned(small_model, notes):
    assert [small_model.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]


def test_an_empty_document_has_no_spans(small_model):
    assert small_model.tag(Document("e", "")).spans == ()
    assert small_model.tag(Document("e", " \n\n")).spans == ()


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
def test_probabilities_are_given_only_where_they_are_asked_for(small_model, notes, engine):
    tagger = model.load(small_model.folder, engine)
    (asked,) = tagger.tag_all(notes[:1], True)
    for found in (tagger.tag(notes[0]), *tagger.tag_all(notes[:1])):
        assert found.spans == asked.spans and {span.probability for span in found.spans} == {None}
    assert all(span.probability is not None for span in asked.spans)


def test_probabilities_are_those_of_whole_spans(small_model, notes):
    spans = small_model.tag(notes[31], probabilities=True).spans
    assert spans == notes[31].spans
    assert all(0.5 < span.probability <= 1.0 for span in spans)


def test_the_folder_holds_all_that_was_used(small_model):
    files = json.loads((small_model.folder / "manifest.json").read_text())["files"]
    assert set(files) == {
        "features/lexical.template", "features/orthographic.template",
        "model.crfsuite", "scheme.toml", "settings.json", "tuned_notes.json.gz",
    }  # fmt: skip


def test_training_gazetteers_hold_the_training_part_alone(notes, tmp_path):
    path = tmp_path / "own.template"
    path.write_text("in_training_doctor[0] lower[0]\n")
    settings = dataclasses.replace(SMALL, features=(str(path),), training_gazetteers=("DOCTOR",))
    trained = model.train(notes[:3], settings, tmp_path / "m", engine="crfsuite")
    held_out = {notes[i].text_of(notes[i].spans[0]).lower() for i in range(3, 8)}
    words = (trained.folder / "gazetteers" / "training_doctor.txt").read_text().lower().split()
    assert {"ruiz", "smith", "nowak"} <= set(words)
    assert not held_out & set(words)


def test_a_dictionary_holds_training_spans_and_a_list(notes, tmp_path):
    """He et al. 2015, section 2.2: one dictionary of each type, of tokens in small letters."""
    path = tmp_path / "own.template"
    path.write_text("in_training_doctor[0] lower[0]\n")
    settings = dataclasses.replace(SMALL, features=(str(path),), training_gazetteers=("DOCTOR+countries",))
    trained = model.train(notes[:3], settings, tmp_path / "m", engine="crfsuite")
    words = trained.pipeline.gazetteers["training_doctor"].words
    assert {"ruiz", "zealand", "france"} <= words
    with pytest.raises(ConfigurationError, match="countrys"):
        wrong = dataclasses.replace(settings, training_gazetteers=("DOCTOR+countrys",))
        model.train(notes[:3], wrong, tmp_path / "wrong", engine="crfsuite")


def test_a_type_without_training_spans_makes_an_empty_list(notes, tmp_path):
    path = tmp_path / "own.template"
    path.write_text("in_training_city[0] lower[0]\n")
    settings = dataclasses.replace(SMALL, features=(str(path),), training_gazetteers=("CITY",))
    assert model.train(notes[:3], settings, tmp_path / "m", engine="crfsuite").tag(notes[4])


@pytest.fixture
def copy(small_model, tmp_path):
    return shutil.copytree(small_model.folder, tmp_path / "copy")


@pytest.mark.parametrize("name", ["model.crfsuite", "settings.json", "features/lexical.template"])
def test_a_damaged_file_is_named(copy, name):
    (copy / name).write_bytes((copy / name).read_bytes()[:-7])
    with pytest.raises(ModelError, match=f"{name}: damaged"):
        model.load(copy)


def test_a_missing_file_is_named(copy):
    (copy / "scheme.toml").unlink()
    with pytest.raises(ModelError, match="scheme.toml: missing"):
        model.load(copy)


@pytest.mark.parametrize(("text", "message"), [("{", "damaged"), ('{"format": 9, "files": {}}', "format 9")])
def test_manifests_that_are_refused(copy, text, message):
    (copy / "manifest.json").write_text(text)
    with pytest.raises(ModelError, match=message):
        model.load(copy)


def test_no_model_at_all(tmp_path):
    with pytest.raises(ModelError, match="no model here"):
        model.load(tmp_path)


def test_training_refuses(notes, tmp_path):
    with pytest.raises(DocumentError, match="nothing to learn from"):
        model.train([Document("n", "text")], SMALL, tmp_path / "m")
    with pytest.raises(SchemeError, match="document 1: the type at 0-4 is not a type.*DOCTOR"):
        model.train([Document("n", "text", (Span(0, 4, "DOKTOR"),))], SMALL, tmp_path / "m")
    overlapping = Document("n", "some text", (Span(0, 4, "AGE"), Span(2, 9, "DATE")))
    with pytest.raises(DocumentError, match="length 1: AGE at 0-4 overlaps DATE at 2-9"):
        model.train([overlapping], SMALL, tmp_path / "m", engine="crfsuite")
    with pytest.raises(ConfigurationError, match="pos names no source"):
        model.train(notes, dataclasses.replace(SMALL, features=("pos",)), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_doubled_spans_count_once(notes, tmp_path):
    doubled = [note.with_spans([*note.spans, *note.spans]) for note in notes[:4]]
    one, two = (
        model.train(some, SMALL, tmp_path / name) for name, some in (("a", notes[:4]), ("b", doubled))
    )
    assert [one.tag(note) for note in notes] == [two.tag(note) for note in notes]


def test_an_existing_model_is_kept_unless_told(small_model, notes):
    with pytest.raises(ModelError, match="--overwrite"):
        model.train(notes, SMALL, small_model.folder)


def test_recall_bias_lowers_the_score_of_the_outside_label(notes, tmp_path):
    settings = dataclasses.replace(SMALL, recall_bias=50.0)
    biased = model.train(notes, settings, tmp_path / "m", engine="crfsuite")
    document = Document("n", "nothing here at all")
    assert biased.tag(document).spans


@pytest.fixture(scope="module")
def biased(notes, tmp_path_factory):
    """Models that differ in ``type_bias`` and nothing else, by the bias of AGE."""
    place = tmp_path_factory.mktemp("biased")
    settings = {bias: dataclasses.replace(SMALL, type_bias={"AGE": bias, "ZIP": 2.0}) for bias in (-50, 0, 1)}
    return {bias: model.train(notes, s, place / str(bias), engine="crfsuite") for bias, s in settings.items()}


def test_type_bias_changes_the_scores_of_its_types_labels_and_no_other(biased, notes):
    expected = tuple(span for span in notes[30].spans if span.type != "AGE")
    assert biased[-50].tag(notes[30]).spans == expected and biased[0].tag(notes[30]).spans == notes[30].spans
    scores = {bias: t.decoder.emissions(t.batch([notes[30]])) for bias, t in biased.items()}
    labels = biased[0].weights.labels
    change = [1.0 if label.endswith("-AGE") else 0.0 for label in labels]
    assert np.allclose(scores[1] - scores[0], change)


def test_probabilities_follow_the_type_bias(biased, notes):
    age = {bias: biased[bias].tag(notes[30], probabilities=True).spans[2] for bias in (0, 1)}
    assert age[0].type == age[1].type == "AGE" and age[0].probability < age[1].probability <= 1.0


def test_a_model_folder_keeps_its_type_bias_and_crfsuite_reads_it(biased, notes):
    folder = biased[-50].folder
    assert json.loads((folder / "settings.json").read_text())["type_bias"] == {"AGE": -50, "ZIP": 2.0}
    for note in notes[:5]:
        assert model.load(folder, "crfsuite").tag(note).spans == biased[-50].tag(note).spans


def test_a_second_stage_has_the_type_bias_once_in_each_stage(notes, tmp_path):
    settings = dataclasses.replace(SMALL, system="two_stage", options={"folds": 2}, type_bias={"AGE": -60.0})
    tagger = model.train(notes[:20], settings, tmp_path / "m")
    assert {span.type for note in notes[:5] for span in tagger.tag(note).spans} == {"DOCTOR", "DATE"}


def test_training_that_was_stopped_leaves_its_model_and_goes_on(notes, tmp_path):
    pytest.importorskip("numba")
    settings = dataclasses.replace(SMALL, recall_bias=0.5)
    losses: list[float] = []

    def stop(number, loss):
        losses.append(loss)
        if number == 4:
            raise KeyboardInterrupt

    with pytest.raises(Stopped, match="--resume continues"):
        model.train(notes[:30], settings, tmp_path / "m", stop)
    assert model.load(tmp_path / "m").tag(notes[0])
    hear = lambda number, loss: losses.append(loss)  # noqa: E731
    model.train(notes[:30], settings, tmp_path / "m", hear, resume=True)
    whole: list[float] = []
    model.train(notes[:30], settings, tmp_path / "w", lambda number, loss: whole.append(loss))
    assert losses[4] < losses[3]
    assert losses[-1] == pytest.approx(whole[-1], rel=0.01)


def test_stopping_before_an_iteration_leaves_nothing(notes, tmp_path, monkeypatch):
    pytest.importorskip("numba")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("crfdeid.engine.training.training_set.build", stop)
    with pytest.raises(KeyboardInterrupt):
        model.train(notes[:30], SMALL, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_resume_refuses_what_it_cannot_go_on_from(small_model, notes, tmp_path):
    with pytest.raises(ModelError, match="no model here"):
        model.train(notes, SMALL, tmp_path, resume=True)
    with pytest.raises(ModelError, match="other settings"):
        model.train(notes, dataclasses.replace(SMALL, sequence="line"), small_model.folder, resume=True)
    with pytest.raises(ConfigurationError, match="cannot continue"):
        model.train(notes, SMALL, small_model.folder, engine="crfsuite", resume=True)


def test_the_compiled_loops_are_loaded_once_there_was_enough_to_do(small_model, notes, monkeypatch):
    pytest.importorskip("numba")
    loaded = model.load(small_model.folder)
    monkeypatch.setattr(decoder, "WORTH_COMPILED", len(notes[30].text) + 1)
    first, second = loaded.tag(notes[30]), loaded.compiled
    again, third = loaded.tag(notes[30]), loaded.compiled
    assert (second, third) == (False, True) and again == first


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
def test_constraints_forbid_what_bio_does_not_allow(notes, tmp_path, engine):
    """Few iterations and words in another order: without constraints it happens."""
    few = dataclasses.replace(SMALL, crf=SMALL.crf | {"max_iterations": 3})
    shuffled = [Document(str(n), " ".join(reversed(note.text.split()))) for n, note in enumerate(notes)]
    found = {}
    for constraints in ("none", "bio"):
        settings = dataclasses.replace(few, constraints=constraints)
        tagger = model.train(notes, settings, tmp_path / constraints, engine=engine)
        reference = model.load(tagger.folder, "crfsuite")
        pairs = set(bio.list_illegal_pairs(tagger.weights.labels))
        found[constraints] = 0
        for document in shuffled:
            path = tagger.decoder.path(tagger.batch([document]))
            found[constraints] += len(pairs & set(itertools.pairwise(tagger.weights.labels[y] for y in path)))
            assert reference.tag(document).spans == tagger.tag(document).spans
    assert found["none"] > 0 and found["bio"] == 0


def test_what_is_not_learned_is_given_once_where_training_goes_on(notes, tmp_path):
    pytest.importorskip("numba")
    every = {"feature.possible_transitions": True, "max_iterations": 5}
    settings = dataclasses.replace(
        SMALL, recall_bias=0.5, type_bias={"AGE": -2000.0}, constraints="bio", crf=SMALL.crf | every
    )
    for resume in (False, True):
        tagger = model.train(notes, settings, tmp_path / "m", resume=resume)
        learned, bias = tagger.weights, tagger.decoder.bias
        assert -2900 < bias[learned.labels.index("B-AGE")] < -1900
        pairs = [tuple(map(learned.labels.index, pair)) for pair in bio.list_illegal_pairs(learned.labels)]
        assert {round(learned.transitions[pair], -2) for pair in pairs} == {-crf.FORBIDDEN}
