"""The support vector machine, and what all linear classifiers of tokens share."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.svm import LinearSVC
from small_notes import SMALL

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.errors import ConfigurationError, DocumentError, ModelError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model, model_folder, registry
from crfdeid.systems.works import linear, svm
from crfdeid.tag import __main__ as tag
from crfdeid.text import bio
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

SVM = Config(system="svm", features=SMALL.features)
CANARY = "Zyxwovny"


def with_options(**options) -> Config:
    return dataclasses.replace(SVM, options=options)


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:30], SVM, tmp_path_factory.mktemp("svm") / "model")


def test_finds_what_it_learned(tagger, notes):
    assert [tagger.tag(note).spans for note in notes[30:]] == [note.spans for note in notes[30:]]
    assert tagger.tag(Document("empty", "")).spans == ()


@pytest.mark.parametrize("multiclass", svm.MULTICLASS)
@pytest.mark.parametrize("sequence", ["document", "line"])
def test_scores_are_scikit_learns(notes, tmp_path, multiclass, sequence):
    """From the note's text, through files and decoder: LinearSVC's own decision, token by token."""
    options = {
        "multiclass": multiclass,
        "phi_cost": 2.0,
        "costs": {"AGE": 3.0},
        "boundaries": True,
        "least": 1,
    }
    settings = dataclasses.replace(SVM, options=options, sequence=sequence)
    tagger = model.train(notes[:20], settings, tmp_path / "m")
    found = linear.build_matrix(tagger.pipeline, notes[:20], 1, True)
    weights = {label: 1 if label == "O" else 6 if label.endswith("AGE") else 2 for label in found.names}
    machine = LinearSVC(
        C=1.0, tol=0.01, dual=True, fit_intercept=False, random_state=0,
        multi_class=svm.MULTICLASS[multiclass],
    )  # fmt: skip
    costs = [weights[found.names[label]] for label in found.labels]
    rows = row_matrix(tagger.pipeline, notes[20], found.features)
    if multiclass == "crammer-singer":
        theirs = machine.fit(found.matrix, found.labels, costs).decision_function(rows)
    else:
        fitted = [clone(machine).fit(found.matrix, found.labels == n, costs) for n in range(len(found.names))]
        theirs = np.column_stack([one.decision_function(rows) for one in fitted])
    ours = tagger.score_tokens(notes[20])
    there = tagger.decoder.path(tagger.decoder.batch([notes[20]])) != NONE
    assert tagger.labels == found.names
    np.testing.assert_allclose(ours[there], theirs, atol=2e-6)


def row_matrix(pipeline, document, features) -> csr_matrix:
    """[tokens, features] of one document, made of feature strings."""
    number = {feature: i for i, feature in enumerate(features)}
    tokenized, sequences = pipeline.tokenize_document(document)
    rows = [row for sequence in sequences for row in pipeline.extractor.features(tokenized, sequence)]
    matrix = np.zeros((len(rows), len(features)))
    for row, names in zip(matrix, rows):
        for name in names:
            if name in number:
                row[number[name]] += 1
    return csr_matrix(matrix)


@pytest.mark.parametrize("loss", svm.LOSSES)
def test_the_loss_is_that_of_the_option(notes, loss):
    """LinearSVC's own weights, class by class, with the hinge or its square."""
    settings = dataclasses.replace(SVM, options={"loss": loss, "least": 1})
    design = linear.build_matrix(
        Pipeline(templates.read_templates(templates.find_group("lexical"))), notes[:8], 1, False
    )
    options = svm.Options(**settings.options)
    found = svm.fit(design, options).matrix.toarray()
    machine = LinearSVC(C=1.0, loss=loss, tol=0.01, dual=True, fit_intercept=False, random_state=0)
    wanted = machine.fit(design.matrix, design.labels == 1).coef_[0]
    np.testing.assert_allclose(found[:, 1], wanted, atol=1e-9)


def test_two_classes():
    """LinearSVC has one row of weights for two classes; the scores are that row and its negative."""
    matrix = csr_matrix(np.array([[1.0, 1.0], [1.0, 0.0]] * 4))
    labels = np.array([1, 0] * 4, np.int32)
    found = linear.DesignMatrix(matrix, labels, ["bias", "dr"], ["O", "I-DOCTOR"])
    weights = svm.fit(found, svm.Options()).matrix.toarray()
    np.testing.assert_allclose(weights[:, 0], -weights[:, 1])
    assert weights[1, 1] > 0


def test_a_higher_threshold_for_o_finds_more(notes, tmp_path):
    """``recall_bias`` comes off the score of O, and nothing that was found is lost."""
    train, test = notes[:4], notes[30:]
    found = []
    for bias in (0.0, 0.7, 1.5):
        settings = dataclasses.replace(with_options(cost=0.001), recall_bias=bias)
        tagger = model.train(train, settings, tmp_path / str(bias))
        found.append(
            {(n.id, i) for n in map(tagger.tag, test) for s in n.spans for i in range(s.start, s.end)}
        )
    assert found[0] < found[1] < found[2]


def test_costs_raise_recall(notes, tmp_path):
    tokens = []
    for cost in (1.0, 30.0):
        settings = with_options(cost=0.0002, phi_cost=cost)
        tagger = model.train(notes[:10], settings, tmp_path / str(cost))
        tokens.append(sum(s.end - s.start for note in notes for s in tagger.tag(note).spans))
    assert tokens[0] < tokens[1]


def test_what_an_error_costs():
    assert svm.Options(costs={"AGE": 3.0}, phi_cost=2.0).find_cost("I-AGE") == 6.0
    assert svm.Options(phi_cost=2.0).find_cost(bio.OUTSIDE) == 1.0


def test_training_tells_how_far_it_is(notes, tmp_path):
    """After each class its number, and the share of tokens on the wrong side of its plane."""
    heard = []
    tagger = model.train(notes[:10], SVM, tmp_path / "m", lambda *said: heard.append(said))
    assert [number for number, _ in heard] == list(range(1, len(tagger.labels) + 1))
    assert all(0 <= share < 0.1 for _, share in heard)


def test_ctrl_c_leaves_nothing(notes, tmp_path):
    def stop(number, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.train(notes[:10], SVM, tmp_path / "m", stop)
    assert not list(tmp_path.iterdir())


def test_same_bytes_for_the_same_seed(notes, tmp_path):
    for name in "ab":
        model.train(notes[:12], SVM, tmp_path / name)
    for file in (linear.NAMES, linear.WEIGHTS):
        assert model_folder.hash_file(tmp_path / "a" / file) == model_folder.hash_file(tmp_path / "b" / file)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"multiclas": "x"}, "did you mean multiclass?"),
        ({"multiclass": "both"}, "wanted one of one-vs-rest, crammer-singer"),
        ({"loss": "log"}, "loss = 'log': wanted one of squared_hinge, hinge"),
        ({"cost": 0}, "wanted a number above 0"),
        ({"costs": {"AGE": -1}}, "AGE = -1: wanted a number above 0"),
    ],
)
def test_refused_options(options, said):
    with pytest.raises(ConfigurationError, match=said):
        registry.check(with_options(**options))


def test_costs_of_types_that_are_none_are_refused(notes, tmp_path):
    with pytest.raises(ConfigurationError, match="costs.PATEINT: not a type .* did you mean PATIENT"):
        model.train(notes[:5], with_options(costs={"PATEINT": 3.0}), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_refuses_one_class_and_tells_no_text(tmp_path):
    note = Document("1", CANARY, (Span(0, len(CANARY), "DOCTOR"),))
    with pytest.raises(DocumentError, match="of one class") as raised:
        model.train([note], SVM, tmp_path / "m")
    assert CANARY not in str(raised.value) and not (tmp_path / "m").exists()


def test_refuses_more_than_liblinear_counts(notes, tmp_path, monkeypatch):
    monkeypatch.setattr(linear, "MOST", 100)
    with pytest.raises(DocumentError, match="liblinear counts to 100"):
        model.train(notes[:3], SVM, tmp_path / "m")


@pytest.mark.parametrize("damage", ["names", "weights", "nan"])
def test_refuses_a_damaged_model(tagger, notes, tmp_path, damage):
    """Also where somebody wrote a fitting manifest."""
    folder = tmp_path / "m"
    model.train(notes[:10], SVM, folder)
    if damage == "names":
        (folder / linear.NAMES).write_text('{"labels": ["O"], "features": ["bias"]}')
    elif damage == "weights":
        (folder / linear.WEIGHTS).write_bytes(b"PK nothing")
    else:
        found = linear.read_classifier(folder)
        found.matrix.data[0] = np.nan
        linear.write_classifier(folder, found)
    with pytest.raises(ModelError, match="damaged"):
        model.load(folder) if damage != "nan" else model_folder.check_files(folder)
    model_folder.write_manifest(folder)
    with pytest.raises(ModelError):
        model.load(folder)


@pytest.mark.slow
def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    out = str(tmp_path / "model")
    changes = ["--set", 'features=["lexical", "orthographic"]', "--set", 'pos=""']
    train_main(
        [str(tmp_path / "train"), "--test", str(tmp_path / "test"), "--config", "svm", "--out", out, *changes]
    )
    assert "1.0000" in capsys.readouterr().out
    tag.main([str(tmp_path / "test"), "--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"])
    found = {d.id: d.spans for d in corpora.read(tmp_path / "found")}
    assert found == {note.id: note.spans for note in notes[30:]}
    with pytest.raises(ConfigurationError, match="svm gives no probabilities"):
        tag.main([str(tmp_path / "test"), "--model", out, "--probabilities"])
    command = [sys.executable, "-m", "crfdeid.tag", "-", "--model", out, "--engine", "crfsuite"]
    run = subprocess.run(command, input=f"Seen by Dr. {CANARY}", capture_output=True, text=True)
    assert run.returncode == 2 and "no other engine" in run.stderr and CANARY not in run.stderr


def test_boundaries_part_neighbours():
    """Two spans side by side are one where the classes are types, and two where they are BIO."""
    row = [Document(str(n), "Ana Bo", (Span(0, 3, "DOCTOR"), Span(4, 6, "DOCTOR"))) for n in range(3)]
    row += [Document("o", "no pain")]
    for boundaries, expected in ((False, [(0, 6)]), (True, [(0, 3), (4, 6)])):
        assert spans_of(row, boundaries) == expected


def spans_of(documents, boundaries):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        settings = with_options(boundaries=boundaries, cost=10.0, least=1)
        tagger = model.train(documents, settings, f"{folder}/m")
    (found,) = tagger.tag_unrepaired([Document("x", "Ana Bo")])  # repair joins the parts of a name
    return [(span.start, span.end) for span in found.spans]
