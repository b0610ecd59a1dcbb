"""The stack: what it is told by hand, and that nobody decides about a document that it saw."""

import dataclasses
import json

import pytest
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError, Stopped
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model, registry
from crfdeid.systems.tagger import ModelFolder, Tagger
from crfdeid.systems.works import hmm, linear, multi
from crfdeid.tag import __main__ as tag
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

CRF = {"features": ["lexical"], "crf": {"max_iterations": 8}}
BASES = {"crf": CRF, "svm": {"system": "svm", "features": ["orthographic"]}, "hmm": {"system": "hmm"}}
STACK = Config(system="multi", sequence="line", options={"bases": BASES, "folds": 2})


def stack(**options) -> Config:
    return dataclasses.replace(STACK, options=STACK.options | options)


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:30], STACK, tmp_path_factory.mktemp("multi") / "model")


def test_finds_what_it_learned(tagger, notes):
    assert [found.spans for found in tagger.tag_all(notes[30:])] == [n.spans for n in notes[30:]]
    assert tagger.tag(Document("empty", "")).spans == ()
    assert [base.config.system for base in tagger.bases.values()] == ["crf", "hmm", "svm"]
    assert all(base.config.sequence == "line" for base in tagger.bases.values())


def test_decisions_by_hand():
    text = "Ana Ruiz 12"
    decided = {
        "a": [Document("1", text, (Span(0, 8, "DOCTOR"),))],
        "b": [Document("1", text, (Span(4, 8, "CITY"), Span(9, 11, "AGE")))],
        "c": [Document("1", text, (Span(0, 3, "DOCTOR"), Span(4, 8, "CITY")))],
    }
    (told,) = multi.make_columns(Pipeline(), decided)
    assert told["by_a"] == ["B-DOCTOR", "I-DOCTOR", "O"]
    assert told["by_b"] == ["O", "B-CITY", "B-AGE"]
    assert told["votes"] == ["2", "3", "1"]
    assert told["most"] == ["DOCTOR", "CITY", "AGE"]


def test_learns_whom_to_trust(notes, tmp_path):
    """Of two systems one is always wrong: the SVM's decision is the other's."""
    pipeline = Pipeline()
    wrong = [n.with_spans([Span(0, 4, "CITY")]) for n in notes]
    columns = multi.make_columns(pipeline, {"liar": wrong, "honest": notes})
    longer = multi.extend_pipeline(pipeline, ["honest", "liar"])
    design = linear.build_matrix(longer, notes[:20], 1, True, columns[:20])
    linear.write_classifier(tmp_path, multi.svm.fit(design, multi.svm.Options()))
    last = linear.LinearTagger(ModelFolder(tmp_path, STACK, longer, scheme.read_scheme()))
    found = last.tag_with_columns(notes[20:], columns[20:])
    assert [document.spans for document in found] == [n.spans for n in notes[20:]]


def test_no_document_is_decided_by_a_model_that_saw_it(notes, tmp_path, monkeypatch):
    """What the SVM is trained on, traced: each document's decisions come from a model whose training
    documents hold neither it nor another note of its patient."""
    pairs = [dataclasses.replace(n, patient=str(i // 2)) for i, n in enumerate(notes[:12])]
    trained, decided = {}, {}
    fit, everything, columns = model.train, Tagger.tag_unrepaired, multi.make_columns

    def training(documents, base, folder, *rest):
        found = fit(documents, base, folder, *rest)
        trained[id(found)] = (found, {d.id for d in documents}, {d.patient for d in documents})
        return found

    def tagging(tagger, documents):
        documents = list(documents)
        _, ids, patients = trained[id(tagger)]
        for document in documents:
            assert document.spans == ()
            assert document.id not in ids and document.patient not in patients
            decided.setdefault(document.id, []).append(tagger.config.system)
        return everything(tagger, documents)

    def telling(pipeline, given):
        assert {d.id for found in given.values() for d in found} == set(decided)
        return columns(pipeline, given)

    monkeypatch.setattr(model, "train", training)
    monkeypatch.setattr(Tagger, "tag_unrepaired", tagging)
    monkeypatch.setattr(multi, "make_columns", telling)
    fit(pairs, stack(folds=3), tmp_path / "m")
    assert set(decided) == {n.id for n in pairs}
    assert all(sorted(by) == ["crf", "hmm", "svm"] for by in decided.values())
    assert len(trained) == 3 * (3 + 1)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"bases": {"one": CRF}}, "wanted two tables"),
        ({"bases": {"One": CRF, "b": CRF}}, "bases.One: wanted a name of small letters"),
        ({"bases": {"a": CRF, "b": 3}}, "wanted two tables"),
        ({"folds": 1}, "folds = 1"),
        ({"bases": {"a": CRF, "b": {"system": "cfr", "features": ["lexical"]}}}, "did you mean crf"),
        ({"bases": {"a": CRF, "b": {"feature": ["lexical"]}}}, "options.bases.b: no setting feature"),
        ({"bases": {"a": CRF, "b": {"system": "multi", "options": {"bases": BASES}}}}, "a multi in a multi"),
    ],
)
def test_refused_options(notes, tmp_path, options, said):
    with pytest.raises(ConfigurationError, match=said):
        model.train(notes[:4], stack(**options), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_half_a_training_is_no_model(notes, tmp_path, monkeypatch):
    def stopped(*_):
        raise Stopped("kept")

    monkeypatch.setattr(hmm, "write_counts", stopped)
    with pytest.raises(KeyboardInterrupt) as raised:
        model.train(notes[:6], STACK, tmp_path / "m")
    assert not isinstance(raised.value, Stopped) and not list(tmp_path.iterdir())


def test_a_damaged_base_is_refused(notes, tmp_path):
    model.train(notes[:6], STACK, tmp_path / "m")
    with (tmp_path / "m" / "bases" / "hmm" / "names.json").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelError, match="damaged"):
        model.load(tmp_path / "m")


@pytest.mark.slow
def test_same_bytes_for_the_same_seed(notes, tmp_path):
    manifests = []
    for name in "ab":
        model.train(notes[:8], STACK, tmp_path / name)
        manifests.append(json.loads((tmp_path / name / "manifest.json").read_text()))
    assert manifests[0] == manifests[1]


def test_the_shipped_stack_is_complete():
    """Its five bases are settings that can be trained (pos and rules need what is installed)."""
    shipped = registry.read_config("multi")
    assert sorted(shipped.options["bases"]) == ["illinois", "mimic", "mist", "stanford", "stat_deid"]
    found = multi.build_bases(shipped)
    assert found["illinois"].system == "two_stage" and found["stanford"].pos == "gruut"


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    out = str(tmp_path / "model")
    features = ", ".join(f'"{name}"' for name in SMALL.features)
    bases = f'{{a = {{system = "svm", features = [{features}]}}, b = {{system = "hmm"}}}}'
    where = [str(tmp_path / "train"), "--test", str(tmp_path / "test")]
    changes = ["--set", f"options={{folds = 2, bases = {bases}}}"]
    train_main([*where, "--config", "multi", "--out", out, *changes])
    assert "1.0000" in capsys.readouterr().out
    tag.main([str(tmp_path / "test"), "--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"])
    found = {d.id: d.spans for d in corpora.read(tmp_path / "found")}
    assert found == {note.id: note.spans for note in notes[30:]}
