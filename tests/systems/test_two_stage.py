"""The second CRF, what it is told, and that nobody tells of a document that it saw."""

import dataclasses
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_notes import SMALL, note

from crfdeid import corpora
from crfdeid.engine.decoding.chain import run_chain
from crfdeid.errors import ConfigurationError, ModelError, Stopped
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model, registry
from crfdeid.systems.works import cross_fitting, two_stage
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

FAST = dataclasses.replace(SMALL, crf=SMALL.crf | {"max_iterations": 15})
TWICE = dataclasses.replace(FAST, system="two_stage", options={"folds": 2})


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:30], TWICE, tmp_path_factory.mktemp("two") / "model")


def test_a_threshold_is_for_the_second_crf(tagger):
    document = Document("1", "Dr. Quimby on 3/44/2061, A 77 Nowak;\nMr. Haddad of 12 Smith Street - (Ruiz)")
    found = [tagger.tag(document, threshold=t).spans for t in (1, 0.5, 0.01, 1e-5)]
    sizes = [sum(span.end - span.start for span in spans) for spans in found]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]
    batch = tagger.second.batch(
        [document], two_stage.make_columns(tagger.pipeline, list(tagger.first.tag_unrepaired([document])))
    )
    chain = run_chain(tagger.second.decoder.emissions(batch), tagger.second.weights.transitions)
    phi = 1 - chain.marginals()[:, tagger.second.weights.labels.index("O")]
    probable = [token for token, p in zip(batch.tokens(0), phi) if p >= 0.01 and token.text.isalnum()]
    (raw,) = tagger.tag_unrepaired([document], threshold=0.01)
    assert {token.text for token in probable} == {
        token.text for token in batch.tokens(0)
        if token.text.isalnum() and any(s.start <= token.start < s.end for s in raw.spans)
    }  # fmt: skip


def test_sure_spans_are_those_without_a_threshold_in_two_stages(tagger, notes):
    assert [n.spans for n in tagger.tag_all(notes[30:], threshold=0.5)] == [n.spans for n in notes[30:]]


def plain_line(**changes) -> Pipeline:
    from crfdeid.feature_extraction import templates

    return Pipeline(list(templates.parse_templates("word[0]")), **changes)


def test_finds_what_it_learned(tagger, notes):
    assert [found.spans for found in tagger.tag_all(notes[30:])] == [n.spans for n in notes[30:]]
    assert tagger.tag(Document("empty", "")).spans == ()


def test_a_word_elsewhere_by_hand():
    """Ruiz is a DOCTOR twice and nothing once here, a PATIENT in the patient's other note."""
    text = "Ruiz, Ruiz, Ruiz"
    here = Document("1", text, (Span(0, 4, "DOCTOR"), Span(6, 10, "DOCTOR")), patient="p")
    other = Document("2", "Ruiz", (Span(0, 4, "PATIENT"),), patient="p")
    stranger = Document("3", "Ruiz", (Span(0, 4, "CITY"),), patient="q")
    alone, _ = two_stage.make_columns(plain_line(), [here, stranger])
    told, _ = two_stage.make_columns(plain_line(), [here, other])
    assert told["first"] == ["B-DOCTOR", "O", "B-DOCTOR", "O", "O"]
    assert told["share"] == ["most", None, "most", None, "all"]
    assert told["majority"] == ["DOCTOR", None, "DOCTOR", None, "DOCTOR"]
    assert told["patient_share"] == ["all", None, "all", None, "all"]
    assert told["patient_majority"] == ["PATIENT", None, "PATIENT", None, "PATIENT"]
    assert alone["patient_share"] == [None] * 5


@given(st.dictionaries(st.sampled_from(["", "CITY", "DATE"]), st.integers(0, 4)))
def test_the_share_is_that_of_the_counts(counts):
    share, majority = two_stage.summarize_types(Counter(counts))
    phi, total = sum(n for type, n in counts.items() if type), sum(counts.values())
    assert (share is None) == (total == 0) and (share == "none") == (total > 0 == phi)
    assert (share == "all") == (phi == total > 0) and (majority is not None) == (phi > 0)
    assert majority is None or counts[majority] == max(n for type, n in counts.items() if type)


@pytest.mark.parametrize("number", [2, 3, 7])
def test_out_of_fold(notes, tmp_path, number):
    """Every document is tagged by exactly one model, which saw neither it nor its patient, and
    which was not shown its spans."""
    twin = dataclasses.replace(notes[0], id="twin", text=notes[0].text + " ")
    seen = []

    class Witness:
        def __init__(self, documents):
            self.documents = documents

        def tag_unrepaired(self, documents):
            for document in documents:
                assert document.spans == ()
                seen.append((document.id, {d.patient for d in self.documents}, len(self.documents)))
                yield document.with_spans([Span(0, 1, "AGE")])

    given_folder = []

    def fit(documents, folder):
        given_folder.append(folder)
        folder.mkdir()
        return Witness(documents)

    corpus = [*notes, twin]
    found = cross_fitting.cross_fit(corpus, number, 0, tmp_path, fit)
    assert [d.id for d in found] == [d.id for d in corpus] and all(len(d.spans) == 1 for d in found)
    assert Counter(id for id, _, _ in seen) == Counter(d.id for d in corpus)
    patient = {d.id: d.patient for d in corpus}
    assert not any(patient[id] in patients for id, patients, _ in seen)
    assert all(size >= len(corpus) // number for _, _, size in seen)
    assert not any(folder.exists() for folder in given_folder) and not list(tmp_path.iterdir())


def test_the_second_is_trained_on_what_the_folds_found(notes, tmp_path, monkeypatch):
    """The models of ``train`` itself: what is told of a document never comes from one that saw it."""
    trained, told = [], []
    original = model.train
    monkeypatch.setattr(model, "train", lambda docs, *rest: trained.append(docs) or original(docs, *rest))
    columns = two_stage.make_columns
    monkeypatch.setattr(two_stage, "make_columns", lambda pipeline, d: told.append(d) or columns(pipeline, d))
    original(notes[:12], dataclasses.replace(TWICE, options={"folds": 3}), tmp_path / "m")
    assert [len(documents) for documents in trained] == [8, 8, 8, 12]
    assert [d.id for d in told[0]] == [d.id for d in notes[:12]]
    left_out = [{d.id for d in notes[:12]} - {d.id for d in documents} for documents in trained[:3]]
    assert set.union(*left_out) == {d.id for d in notes[:12]} and sum(map(len, left_out)) == 12


def test_notes_of_a_patient_help_each_other(tagger, monkeypatch):
    """The groups of ``tag_all``: neighbours of one patient; nobody else's."""
    notes = [note(n) for n in range(4)]
    same = [dataclasses.replace(n, patient="p") for n in notes[:2]]
    shown = []
    second = tagger.second.tag_with_columns
    witness = lambda documents, columns, *rest: shown.append(columns) or second(documents, columns)  # noqa: E731
    monkeypatch.setattr(tagger.second, "tag_with_columns", witness)
    list(tagger.tag_all([*same, *notes[2:]]))
    (columns,) = shown
    assert [any(own["patient_share"]) for own in columns] == [True, True, False, False]


def test_notes_of_one_text_have_their_own_columns(tagger):
    """Two patients have a note of the same text; only one of them has another note."""
    text = "Ruiz came."
    notes = [
        Document("1", text, (Span(0, 4, "DOCTOR"),), patient="a"),
        Document("2", "Ruiz", (Span(0, 4, "PATIENT"),), patient="a"),
        Document("3", text, (Span(0, 4, "CITY"),), patient="b"),
    ]
    first, _, third = two_stage.make_columns(tagger.pipeline, notes)
    assert (first["first"][0], first["patient_majority"][0]) == ("B-DOCTOR", "PATIENT")
    assert (third["first"][0], third["patient_majority"][0]) == ("B-CITY", None)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "yy", ""])), max_size=9))
def test_batches_keep_order_and_do_not_part_a_patient(pairs):
    documents = [Document(str(i), text, patient=patient) for i, (patient, text) in enumerate(pairs)]
    batches = list(cross_fitting.batch_patients(documents, characters=3))
    assert [document for batch in batches for document in batch] == documents
    assert all(one[-1].patient != other[0].patient for one, other in zip(batches, batches[1:]))
    assert all(sum(len(document.text) for document in batch) >= 3 for batch in batches[:-1])


def test_same_bytes_for_the_same_seed(notes, tmp_path):
    manifests = []
    for name in "ab":
        model.train(notes[:10], TWICE, tmp_path / name)
        manifests.append(json.loads((tmp_path / name / "manifest.json").read_text()))
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize("folds", [1, 2.5, "x"])
def test_refused_options(folds):
    with pytest.raises(ConfigurationError, match="folds"):
        registry.check(dataclasses.replace(TWICE, options={"folds": folds}))


def test_refuses_fewer_patients_than_folds(notes, tmp_path):
    with pytest.raises(ConfigurationError, match="9 folds of 4 patients"):
        model.train(notes[:4], dataclasses.replace(TWICE, options={"folds": 9}), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_half_a_training_is_no_model(notes, tmp_path, monkeypatch):
    """Ctrl-C in one of the trainings, where that one could be kept."""

    def stopped(*_):
        raise Stopped("kept")

    monkeypatch.setattr(two_stage.crf, "train_with_columns", stopped)
    with pytest.raises(KeyboardInterrupt) as raised:
        model.train(notes[:6], TWICE, tmp_path / "m")
    assert not isinstance(raised.value, Stopped) and not list(tmp_path.iterdir())


def test_a_damaged_first_stage_is_refused(notes, tmp_path):
    model.train(notes[:6], TWICE, tmp_path / "m")
    with (tmp_path / "m" / "first" / "model.crfsuite").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="damaged"):
        model.load(tmp_path / "m")


def test_the_command_line(notes, tmp_path, capsys):
    corpora.write(notes[:30], tmp_path / "train", "i2b2")
    corpora.write(notes[30:], tmp_path / "test", "i2b2")
    out = str(tmp_path / "model")
    changes = ['features=["lexical", "orthographic"]', "options={folds = 2}", "crf.max_iterations=15"]
    sets = [word for change in changes for word in ("--set", change)]
    train_main([str(tmp_path / "train"), "--config", "two_stage", "--out", out, *sets])
    tag.main([str(tmp_path / "test"), "--model", out, "--out", str(tmp_path / "found"), "--format", "i2b2"])
    found = {d.id: d.spans for d in corpora.read(tmp_path / "found")}
    assert found == {note.id: note.spans for note in notes[30:]}
