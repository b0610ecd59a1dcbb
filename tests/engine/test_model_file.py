"""CRFsuite's model file: its bytes, its hashes, and what is refused."""

import numpy as np
import pycrfsuite
import pytest

from crfdeid.engine import crfsuite_file
from crfdeid.errors import ModelError

LABELS = ["O", "B-AGE", "I-AGE", "B-CITY"]


@pytest.fixture(scope="module", params=[1, 8, 9, 400])
def trained(request, tmp_path_factory):
    """A model that CRFsuite trained, with so many attributes, of one to 70 bytes. The first has one label,
    and so no weights and no attributes."""
    path = tmp_path_factory.mktemp("crfsuite") / "m"
    trainer = pycrfsuite.Trainer(verbose=False)
    names = ["é" * (n % 3) + str(n) + "x" * (n % 61) for n in range(request.param)]
    trainer.append([[name, "bias"] for name in names], [LABELS[n * n % 4] for n in range(len(names))])
    trainer.set_params({"max_iterations": 3, "c2": 0.1})
    trainer.train(str(path))
    return path


def test_the_bytes_are_crfsuites(trained, tmp_path):
    found = crfsuite_file.read(trained)
    crfsuite_file.write(tmp_path / "copy", found.labels, found.attributes, found.records)
    assert (tmp_path / "copy").read_bytes() == trained.read_bytes()


def test_a_file_is_read_as_crfsuite_shows_it(trained):
    found = crfsuite_file.read(trained)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(trained))
    shown = tagger.info()
    assert found.labels == tagger.labels() and set(found.attributes) == set(shown.attributes)
    states = {
        (found.attributes[source], found.labels[target]): weight
        for kind, source, target, weight in found.records.tolist()
        if kind == crfsuite_file.STATE
    }
    assert states.keys() == shown.state_features.keys()
    assert all(
        states[pair] == pytest.approx(weight, abs=1e-6) for pair, weight in shown.state_features.items()
    )
    for (before, label), weight in shown.transitions.items():
        place = found.labels.index(before), found.labels.index(label)
        assert found.transitions[place] == pytest.approx(weight, abs=1e-6)
    assert np.count_nonzero(found.transitions) == len(shown.transitions)


@pytest.mark.parametrize("more", [b"\0", b"\0" * 4, b"lCRF"])
def test_a_file_with_bytes_after_its_end_is_refused(trained, tmp_path, more):
    (tmp_path / "m").write_bytes(trained.read_bytes() + more)
    with pytest.raises(ModelError, match="not a CRFsuite model, or damaged"):
        crfsuite_file.read(tmp_path / "m")


KEYS = [b"x" * size for size in (1, 2, 3, 4, 5, 8, 11, 12, 13, 23, 24, 25, 36, 37, 60)]


def test_hashes_do_not_depend_on_the_other_keys():
    found = crfsuite_file.hash_keys(KEYS)
    assert found.dtype == np.uint32 and found.tolist() == [
        int(crfsuite_file.hash_keys([key])[0]) for key in KEYS
    ]
    assert len(set(found.tolist())) == len(KEYS)
    assert crfsuite_file.hash_keys([]).tolist() == []


def test_strings_may_be_longer_than_one_or_two_bytes_can_count():
    names = ["", "a", *("x" * size for size in (254, 255, 256, 600, 65535, 70_000))]
    assert crfsuite_file.read_strings(b"head" + crfsuite_file.build_table(names), 4) == names


def make_weights(*records):
    """Three labels and two attributes."""
    return crfsuite_file.Weights(
        LABELS[:3], ["a", "b"], np.array(list(records), crfsuite_file.RECORD), np.zeros((3, 3))
    )


@pytest.mark.parametrize(
    ("record", "sound"),
    [
        ((0, 1, 2, 0.5), True),  # the last attribute and the last label
        ((1, 2, 2, 0.5), True),
        ((0, 2, 0, 0.5), False),
        ((0, 0, 3, 0.5), False),
        ((1, 3, 0, 0.5), False),
        ((1, 0, 3, 0.5), False),
        ((2, 0, 0, 0.5), False),
    ],
)
def test_a_record_is_of_a_label_and_an_attribute_that_the_model_has(record, sound):
    assert crfsuite_file.has_sound_records(make_weights(record, (0, 0, 0, 1.0))) is sound
    assert crfsuite_file.has_sound_records(make_weights())


def test_amounts_are_added_to_the_weights_of_one_attribute():
    before = make_weights((0, 0, 0, 0.5), (0, 0, 1, 1.0), (0, 1, 0, 2.0), (1, 0, 0, 4.0), (1, 0, 1, 8.0))
    found = crfsuite_file.add_to_weights(before, "a", {"O": 0.25, "I-AGE": -3.0})
    assert found.records.tolist() == [
        (0, 0, 0, 0.75), (0, 0, 1, 1.0), (0, 1, 0, 2.0), (1, 0, 0, 4.0), (1, 0, 1, 8.0), (0, 0, 2, -3.0),
    ]  # fmt: skip
    assert found.attributes == ["a", "b"] and before.records["weight"][0] == 0.5
    found = crfsuite_file.add_to_weights(before, "c", {"B-AGE": 7.0})
    assert found.attributes == ["a", "b", "c"] and found.records.tolist()[-1] == (0, 2, 1, 7.0)
    assert before.attributes == ["a", "b"] and len(found.records) == 6
    with pytest.raises(ModelError, match=r"^the model has no label B-CITY$"):
        crfsuite_file.add_to_weights(before, "a", {"B-CITY": 1.0})


def test_attributes_without_a_weight_are_left_out(tmp_path):
    """The others keep their order, and their weights."""
    rows = np.array([(0, 3, 1, 1.5), (0, 1, 0, 2.5), (1, 1, 0, 1.0), (0, 3, 0, -1.0)], crfsuite_file.RECORD)
    crfsuite_file.write(tmp_path / "m", LABELS[:2], ["never", "b", "also never", "d"], rows)
    found = crfsuite_file.read(tmp_path / "m")
    assert found.labels == LABELS[:2] and found.attributes == ["b", "d"]
    assert found.records.tolist() == [(0, 1, 1, 1.5), (0, 0, 0, 2.5), (1, 1, 0, 1.0), (0, 1, 0, -1.0)]
    assert found.transitions.tolist() == [[0, 0], [1.0, 0]]
    assert rows["source"].tolist() == [3, 1, 1, 3]  # not changed


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ((0, 0, 3, 0.5), "contains weights of labels or attributes that it does not have"),
        ((0, 0, 2, np.nan), "contains weights that are not finite numbers"),
        ((0, 0, 2, -np.inf), "contains weights that are not finite numbers"),
        ((0, 0, 2, -1e7), "contains weights over 1,000,000, which no training gives"),
    ],
)
def test_a_file_with_such_a_record_is_refused(tmp_path, record, message):
    path = tmp_path / "m"
    rows = np.array([(0, 0, 0, 1.0), record], crfsuite_file.RECORD)
    crfsuite_file.write(path, LABELS[:3], ["a"], rows)
    with pytest.raises(ModelError) as refused:
        crfsuite_file.read(path)
    assert str(refused.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (0, b"lCRX", "not a CRFsuite model, or damaged"),
        (4, b"\0\0\0\1", "not a CRFsuite model, or damaged"),
        (4, None, "written on a big-endian machine; wanted little-endian"),
        (12, b"e\0\0\0", "CRFsuite format 101; wanted 100"),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path, place, value, message):
    path = tmp_path / "m"
    crfsuite_file.write(path, LABELS[:3], ["a"], np.array([(0, 0, 0, 1.0)], crfsuite_file.RECORD))
    data = path.read_bytes()
    value = value or data[7:3:-1]  # its size, with the other order of bytes
    path.write_bytes(data[:place] + value + data[place + 4 :])
    with pytest.raises(ModelError) as refused:
        crfsuite_file.read(path)
    assert str(refused.value) == f"{path}: {message}"
