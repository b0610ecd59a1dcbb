"""A model knows the notes that trained it, by hashes, and certify refuses a release that has them."""

import gzip
import hashlib
import json
from dataclasses import replace

import pytest
from small_notes import SMALL
from small_release import draw, read_notes, write_release

from crfdeid import corpora
from crfdeid.certify.__main__ import main as certify_main
from crfdeid.certify.sampling import read_tuning_list
from crfdeid.errors import ConfigurationError, CrfdeidError, FormatError, ModelError
from crfdeid.systems import model, model_folder
from crfdeid.systems.model import TUNED_NOTES, hash_id, hash_text, read_model_hashes, write_note_hashes


@pytest.fixture(scope="module")
def folder(notes, tmp_path_factory):
    return model.train(notes[:6], SMALL, tmp_path_factory.mktemp("tuned") / "mine").folder


def copy_model(folder, place):
    model_folder.shutil.copytree(folder, place / "copy")
    return place / "copy"


def test_a_model_has_the_hashes_of_its_training_notes_and_no_text(folder, notes):
    hashes = model.read_model_hashes(folder)
    assert set(hashes) == {h for note in notes[:6] for h in (hash_id(note.id), hash_text(note.text))}
    assert TUNED_NOTES in json.loads((folder / "manifest.json").read_text())["files"]
    assert b"Ruiz" not in gzip.decompress((folder / TUNED_NOTES).read_bytes())


def test_white_space_does_not_make_another_note():
    assert hash_text("Dr. Ruiz\r\n called ") == hash_text("Dr. Ruiz called") != hash_text("Dr. Ruiz call")


def test_a_list_of_whole_hashes_is_read_by_its_first_digits(tmp_path):
    whole = hashlib.sha256(b"Dr.Ruiz").hexdigest()
    (tmp_path / "older.json").write_text(json.dumps({"tuned_notes": [whole]}))
    assert model.read_note_hashes(tmp_path / "older.json") == [hash_text("Dr. Ruiz")] == [whole[:16]]


def test_a_model_for_sharing_has_no_list(notes, tmp_path):
    patients = [replace(note, patient=note.id) for note in notes[:20]]
    folder = model.train(patients, replace(SMALL, min_patients=2), tmp_path / "k").folder
    assert not (folder / TUNED_NOTES).exists()
    with pytest.raises(ConfigurationError, match="has no list of the notes that trained it"):
        read_tuning_list(folder)


def test_a_continued_model_keeps_the_notes_of_before(notes, tmp_path):
    model.train(notes[:4], SMALL, tmp_path / "mine")
    model.train(notes[2:8], SMALL, tmp_path / "mine", resume=True)
    hashes = model.read_model_hashes(tmp_path / "mine")
    assert set(hashes) == set(model.hash_notes(notes[:8])) and hashes == sorted(set(hashes))


def test_a_model_without_a_list_still_loads(folder, notes, tmp_path):
    older = copy_model(folder, tmp_path)
    (older / TUNED_NOTES).unlink()
    with pytest.raises(ModelError, match="missing from the model"):
        model.load(older)
    (older / "manifest.json").unlink()
    model_folder.write_manifest(older)
    assert model.load(older).tag(notes[0]) == model.load(folder).tag(notes[0])


def test_a_damaged_list_is_refused(folder, tmp_path):
    copy = copy_model(folder, tmp_path)
    (copy / TUNED_NOTES).write_bytes(gzip.compress(b'{"tuned_notes": []}'))
    with pytest.raises(ModelError, match="its checksum is not the manifest's"):
        read_tuning_list(copy)


def test_a_name_means_the_models_that_it_joins(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(model_folder.files, "find_folder", lambda name: folder.parent)
    monkeypatch.chdir(tmp_path)
    known = read_tuning_list(folder)
    assert known == read_tuning_list(folder.parent / "mine")
    assert known == read_tuning_list(type(folder)("mine+rules"))


@pytest.mark.slow
def test_draw_and_state_refuse_the_notes_of_a_model(notes, tmp_path):
    release = write_release(tmp_path)
    trained = [note.with_spans(note.spans) for note in corpora.read(release)][3:5]
    folder = model.train([*notes[:6], *trained], SMALL, tmp_path / "mine").folder
    with pytest.raises(CrfdeidError, match="2 of 160 notes of the release tuned the model"):
        draw(tmp_path, f"--tuned={folder}")
    assert not (tmp_path / "study.json").exists()
    draw(tmp_path)
    marks, state = read_notes(tmp_path, "ann", 1), ["state", str(tmp_path / "study.json"), str(release)]
    with pytest.raises(CrfdeidError, match="2 of 160 notes of the release tuned the model"):
        certify_main([*state, marks, f"--tuned={folder}"])
    assert '"looks": []' in (tmp_path / "study.json").read_text()
    certify_main([*state, marks])


def test_the_list_of_an_earlier_version_is_read(folder, tmp_path):
    known = read_model_hashes(folder)
    (tmp_path / "tuned_notes.json").write_text(json.dumps({"tuned_notes": known}))
    assert known and read_model_hashes(tmp_path) == known
    write_note_hashes(tmp_path, known[:1])  # takes its place
    assert [path.name for path in tmp_path.iterdir()] == [TUNED_NOTES]
    assert read_model_hashes(tmp_path) == known[:1]


def test_a_list_that_cannot_be_read_is_refused_in_one_line(tmp_path):
    for data in (b"", b"{", gzip.compress(b"{"), gzip.compress(b"[]")[:-9]):
        (tmp_path / TUNED_NOTES).write_bytes(data)
        with pytest.raises(FormatError, match="malformed JSON"):
            read_model_hashes(tmp_path)
