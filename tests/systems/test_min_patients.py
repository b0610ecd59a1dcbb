"""Training with features of several patients only: the fast trainer, CRFsuite and a count by hand agree."""

from dataclasses import replace

import numpy as np
import pytest
from small_notes import SMALL

from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.feature_extraction.long_numbers import names_long_number
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model, model_folder, registry
from crfdeid.text.document import Document, Span

TEMPLATE = "lower[-1..1] suffix5[0] shape[0] lower[-1]|lower[0] lower[0]|shape[1] words_left[0]\n"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    path = tmp_path_factory.mktemp("templates") / "own.template"
    path.write_text(TEMPLATE)
    return replace(SMALL, features=(str(path),), crf=SMALL.crf | {"feature.minfreq": 2})


@pytest.fixture(scope="module")
def corpus(notes):
    """Two notes of each patient, apart; a name and a number that only one patient has, often."""
    documents = [replace(note, patient=str(number % 12)) for number, note in enumerate(notes[:24])]
    text = "Dr. Zanzibarov 445566 a|b 1234|x.\n" * 9
    spans = [Span(at, at + 10, "DOCTOR") for at in range(4, len(text), len(text) // 9)]
    return [*documents, Document("900-01", text, tuple(spans), patient="3")]


def count_by_hand(documents, pipeline: Pipeline) -> dict[str, int]:
    owners: dict[str, set] = {}
    for document in documents:
        for features, _ in pipeline.make_examples([document]):
            for feature in {feature for own in features for feature in own}:
                owners.setdefault(feature, set()).add(document.patient)
    return {feature: len(own) for feature, own in owners.items()}


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
@pytest.mark.parametrize("least", [1, 2, 5])
def test_a_model_has_only_features_of_enough_patients(corpus, settings, tmp_path, engine, least):
    if engine == "fast":
        pytest.importorskip("numba")
    tagger = model.train(corpus, replace(settings, min_patients=least), tmp_path / "m", engine=engine)
    patients = count_by_hand(corpus, tagger.pipeline)
    assert tagger.weights.attributes
    for attribute in tagger.weights.attributes:
        assert patients[attribute] >= least and not names_long_number(attribute)
    assert ("lower[0]=zanzibarov" in tagger.weights.attributes) == (least == 1)
    assert not [a for a in tagger.weights.attributes if "445566" in a or "2061" in a]
    assert "shape[0]=0000" in tagger.weights.attributes


def test_both_trainers_learn_the_same(corpus, settings, tmp_path):
    pytest.importorskip("numba")
    chosen = replace(settings, min_patients=2)
    weights, losses = [], {"fast": [], "crfsuite": []}
    for engine, own in losses.items():
        tagger = model.train(
            corpus, chosen, tmp_path / engine, lambda n, loss, own=own: own.append(loss), engine
        )
        w = tagger.weights
        rows = [row for row in w.records.tolist() if row[0] == 0]
        weights.append({(w.attributes[a], w.labels[y]): value for _, a, y, value in rows})
    assert np.allclose(losses["fast"], losses["crfsuite"], rtol=1e-6)
    assert weights[0].keys() == weights[1].keys()
    assert all(abs(weights[0][key] - weights[1][key]) < 1e-3 for key in weights[0])


def test_training_gazetteers_have_only_texts_of_enough_patients(corpus, settings, tmp_path):
    chosen = replace(settings, training_gazetteers=("DOCTOR", "DATE"))
    for least, count in ((0, 9), (3, 8)):
        tagger = model.train(corpus, replace(chosen, min_patients=least), tmp_path / str(least))
        text = (tagger.folder / "gazetteers/training_doctor.txt").read_text()
        assert len(text.splitlines()) - 2 == count and ("Zanzibarov" in text) == (not least)
        dates = (tagger.folder / "gazetteers/training_date.txt").read_text()
        assert ("2061" in dates) == (not least)


@pytest.mark.parametrize("system", ["svm", "hmm", "two_stage", "snow", "rnn", "rules"])
def test_other_systems_are_refused(system):
    with pytest.raises(ConfigurationError, match=f"min_patients: the system {system} does not have it"):
        registry.check(replace(SMALL, system=system, min_patients=5))


def test_documents_without_patients_and_too_few_patients_are_refused(corpus, settings, tmp_path):
    with pytest.raises(DocumentError, match="1 of 25 documents have no patient to count; wanted"):
        anonymous = [replace(corpus[0], patient=None), *corpus[1:]]
        model.train(anonymous, replace(settings, min_patients=2), tmp_path / "m")
    with pytest.raises(DocumentError, match=r"of 12 patients; wanted at least 13 \(k\)"):
        model.train(corpus, replace(settings, min_patients=13), tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
@pytest.mark.parametrize("least", [1, 2])
def test_the_letters_of_one_patient_s_name_leave_nothing_in_the_model(corpus, tmp_path, engine, least):
    """Pieces that several patients have, such as "ov", are learned from their words only."""
    if engine == "fast":
        pytest.importorskip("numba")
    rename = corpus[-1].text.replace
    others = [replace(corpus[-1], id=str(n), text=rename("Zanzibarov", name), patient=f"x{n}")
              for n, name in enumerate(("Zanmukinov", "Zanmukinov", "Kinzibarov", "Kinzibarov"))]  # fmt: skip
    path = tmp_path / "own.template"
    path.write_text("lower[0] prefix3[0] suffix3[-1..1] prefix3[0]|shape[1] shape[0] ngrams[0]\n")
    settings = replace(SMALL, features=(str(path),), min_patients=least)
    files = []
    for name in ("Zanzibarov", "Kinmukinov"):
        last = replace(corpus[-1], text=corpus[-1].text.replace("Zanzibarov", name))
        tagger = model.train([*corpus[:-1], last, *others], settings, tmp_path / name, engine=engine)
        files.append((tagger.folder / "model.crfsuite").read_bytes())
    assert (files[0] == files[1]) == (least == 2)


def test_a_model_knows_the_words_of_enough_patients_also_when_it_tags(corpus, settings, tmp_path):
    folder = model.train(corpus, replace(settings, min_patients=2), tmp_path / "m").folder
    words = (folder / model_folder.KNOWN_WORDS).read_text().split("\n")
    assert "seen" in words and "zanzibarov" not in words and "445566" not in words and "2061" not in words
    assert words == [*sorted(set(words) - {""}), ""]
    seen, rare = (find_pieces(model.load(folder), text) for text in ("Seen by Dr", "Kinmukinov 2061"))
    assert seen == ["suffix5[0]=seen", "suffix5[0]=by", "suffix5[0]=dr"] and rare == []
    for least in (0, 1):  # with 1 the list would have every word
        plain = model.train(corpus, replace(settings, min_patients=least), tmp_path / str(least))
        assert not (plain.folder / model_folder.KNOWN_WORDS).exists()
        assert find_pieces(plain, "Kinmukinov") == ["suffix5[0]=kinov"]


def find_pieces(tagger, text):
    (rows,) = tagger.pipeline.features(Document("1", text))
    return [feature for row in rows for feature in row if feature.startswith("suffix5")]
