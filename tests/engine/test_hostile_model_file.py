"""A model file whose records or tables lead out of bounds is refused, or never reaches CRFsuite."""

import gzip
import json
import shutil
from hashlib import sha256

import numpy as np
import pytest

from crfdeid.engine import crfsuite_file
from crfdeid.errors import ModelError
from crfdeid.systems import model

FAR = 2**32 - 1


@pytest.fixture
def copy(small_model, tmp_path):
    return shutil.copytree(small_model.folder, tmp_path / "copy")


def find_records(data, count):
    """The file's records, as an array that writes into ``data``."""
    start = crfsuite_file.HEADER.unpack_from(data)[7] + crfsuite_file.CHUNK.size
    return np.frombuffer(data, crfsuite_file.RECORD, count, start)


def replace_file(folder, data):
    """Put the bytes into the folder, and their checksum into the manifest, as an attacker can."""
    (folder / "model.crfsuite").write_bytes(data)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    old = manifest["files"]["model.crfsuite"]
    path.write_text(path.read_text().replace(old, sha256(data).hexdigest()))


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
@pytest.mark.parametrize(
    ("field", "kind", "value"),
    [
        ("kind", crfsuite_file.STATE, 2),
        ("source", crfsuite_file.STATE, FAR),
        ("source", crfsuite_file.STATE, None),  # the first attribute that is none
        ("source", crfsuite_file.TRANSITION, FAR),
        ("target", crfsuite_file.STATE, FAR),
        ("target", crfsuite_file.TRANSITION, None),  # the first label that is none
    ],
)
def test_a_record_out_of_range_is_refused_in_one_line(copy, engine, field, kind, value):
    sound = crfsuite_file.read(copy / "model.crfsuite")
    data = bytearray((copy / "model.crfsuite").read_bytes())
    records = find_records(data, len(sound.records))
    row = int(np.flatnonzero(records["kind"] == kind)[0])
    if value is None:
        value = len(sound.attributes if (field, kind) == ("source", crfsuite_file.STATE) else sound.labels)
    records[field][row] = value
    replace_file(copy, bytes(data))
    with pytest.raises(
        ModelError, match=r"model\.crfsuite: (contains weights of labels|not a CRFsuite model)"
    ):
        model.load(copy, engine)


def test_crfsuite_never_reads_the_tables_of_a_file(copy, notes):
    """Its hash tables and lists of records lead anywhere; the labels are those of the records."""
    wanted = [model.load(copy, "fast").tag(note) for note in notes[:5]]
    data = bytearray((copy / "model.crfsuite").read_bytes())
    lists = crfsuite_file.HEADER.unpack_from(data)[10]
    data[lists + crfsuite_file.CHUNK.size :] = b"\xff" * (len(data) - lists - crfsuite_file.CHUNK.size)
    replace_file(copy, bytes(data))
    assert [model.load(copy, "crfsuite").tag(note) for note in notes[:5]] == wanted


def test_a_file_of_another_kind_is_no_model(small_model):
    data = (small_model.folder / "model.crfsuite").read_bytes()
    assert crfsuite_file.parse(data).labels
    with pytest.raises(ValueError, match="not lCRF"):
        crfsuite_file.parse(b"lCRX" + data[4:])


def test_weights_of_zero_are_not_written():
    rows = crfsuite_file.make_records(
        crfsuite_file.STATE, np.arange(3), np.arange(3), np.array([1.0, 0.0, -2.5])
    )
    assert rows["source"].tolist() == [0, 2] and rows["weight"].tolist() == [1.0, -2.5]


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
@pytest.mark.parametrize("label", ["", "B", "B-", "AGE", "X-AGE", "I-A\x00", "B-AGE\n", "o"])
def test_a_label_that_no_training_gives_is_refused_without_its_text(copy, engine, label):
    """It would become a span without a type, an error of a list, or a line more in an output."""
    sound = crfsuite_file.read(copy / "model.crfsuite")
    labels = [label, *sound.labels[1:]]
    replace_file(copy, crfsuite_file.render(labels, sound.attributes, sound.records))
    with pytest.raises(
        ModelError, match=r"model\.crfsuite: contains a label that is neither O, B- nor I- with"
    ):
        model.load(copy, engine)


def test_a_compressed_file_is_the_same_model(copy, notes):
    plain = copy / "model.crfsuite"
    wanted, data = [model.load(copy).tag(note) for note in notes[:5]], plain.read_bytes()
    weights = crfsuite_file.read(plain)
    path = copy / "model.crfsuite.gz"
    crfsuite_file.write(path, weights.labels, weights.attributes, weights.records)
    plain.unlink()
    rename_in_manifest(copy, path)
    assert gzip.decompress(path.read_bytes()) == data
    for engine in ("fast", "crfsuite"):
        assert [model.load(copy, engine).tag(note) for note in notes[:5]] == wanted


def rename_in_manifest(folder, path):
    """Name the compressed file in the manifest, with its checksum."""
    manifest = folder / "manifest.json"
    table = json.loads(manifest.read_text())
    del table["files"]["model.crfsuite"]
    table["files"][path.name] = sha256(path.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(table))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"lCRF" + data,
        lambda data: gzip.compress(b"lCRF"),
        lambda data: gzip.compress(gzip.decompress(data) + b"more"),
        lambda data: gzip.compress(gzip.decompress(data)[:-1]),
    ],
)
def test_a_damaged_compressed_file_is_refused_in_one_line(small_model, tmp_path, spoil):
    data = gzip.compress((small_model.folder / "model.crfsuite").read_bytes())
    path = tmp_path / "model.crfsuite.gz"
    path.write_bytes(spoil(data))
    with pytest.raises(ModelError, match=r"model\.crfsuite\.gz: not a CRFsuite model, or damaged$"):
        crfsuite_file.read(path)


def test_shrinking_leaves_small_weights_out_and_rounds_the_others(small_model, tmp_path):
    path = tmp_path / "model.crfsuite"
    path.write_bytes((small_model.folder / "model.crfsuite").read_bytes())
    before = crfsuite_file.read(path)
    crfsuite_file.shrink(path, 0.1)
    after = crfsuite_file.read(tmp_path / "model.crfsuite.gz")
    rows = before.records[(before.records["kind"] == 1) | (np.abs(before.records["weight"]) >= 0.1)]
    assert [*tmp_path.iterdir()] == [tmp_path / "model.crfsuite.gz"] and len(rows) < len(before.records)
    np.testing.assert_allclose(after.records["weight"], rows["weight"], rtol=2**-crfsuite_file.DIGITS)
