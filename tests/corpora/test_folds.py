"""Folds keep the documents of a patient together, and larger samples contain smaller ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.corpora import folds
from crfdeid.corpora.folds import Part
from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document

documents = st.lists(st.sampled_from(["p1", "p2", "p3", "p4", None]), min_size=8, max_size=30).map(
    lambda patients: tuple(Document(f"n{i}", "text", (), patient) for i, patient in enumerate(patients))
)


@given(documents, st.integers(2, 4), st.integers(0, 5))
def test_folds_part_the_corpus_and_no_patient(documents, number, seed):
    part = Part("x", documents)
    if len({document.owner for document in documents}) < number:
        with pytest.raises(ConfigurationError, match="folds of"):
            folds.make_folds(part, number, seed)
        return
    pairs = folds.make_folds(part, number, seed)
    tested = [document for _, test in pairs for document in test.documents]
    assert sorted(d.id for d in tested) == sorted(d.id for d in documents)
    for train, test in pairs:
        assert test.documents and len(train.documents) + len(test.documents) == len(documents)
        assert not {d.owner for d in train.documents} & {d.owner for d in test.documents}
    assert pairs == folds.make_folds(part, number, seed)


def test_folds_are_of_like_size_and_differ_by_seed():
    part = Part("x", tuple(Document(f"n{i}", "text", (), f"p{i % 20}") for i in range(100)))
    found = [folds.make_folds(part, 5, seed) for seed in (1, 2)]
    assert [len(test.documents) for _, test in found[0]] == [20] * 5
    assert found[0] != found[1]


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 3))
def test_samples_grow(one, two, seed):
    part = Part("x", tuple(Document(f"n{i}", "text") for i in range(20)))
    small, large = (set(folds.draw_sample(part, n, seed).documents) for n in sorted((one, two)))
    assert small <= large and len(large) == max(one, two)


@given(documents, st.integers(1, 30), st.integers(1, 30), st.integers(0, 3))
def test_samples_of_patients_grow_and_cut_one_patient_at_most(documents, one, two, seed):
    part = Part("x", documents)
    found = [folds.draw_patients(part, n, seed).documents for n in sorted((one, two))]
    assert set(found[0]) <= set(found[1])
    for sample, wanted in zip(found, sorted((one, two))):
        assert len(sample) == min(wanted, len(documents))
        assert [d for d in documents if d in sample] == list(sample)
        left = {d.owner for d in documents if d not in sample}
        assert len(left & {d.owner for d in sample}) <= 1


def test_without_patients_a_sample_of_patients_is_one_of_documents():
    part = Part("x", tuple(Document(f"n{i}", "text") for i in range(20)))
    assert folds.draw_patients(part, 7, 2) == folds.draw_sample(part, 7, 2)


def test_folds_want_one_document_of_each_name():
    part = Part("x", (Document("a", "text"), Document("a", "other"), Document("b", "text")))
    with pytest.raises(ConfigurationError, match="x: document a occurs twice"):
        folds.make_folds(part, 2, 0)
