"""A model folder that somebody made to do harm: one line each, and no file outside of it is read."""

import json
import os
import shutil
from pathlib import Path
from random import Random

import pytest

from crfdeid import files
from crfdeid.errors import CrfdeidError, ModelError
from crfdeid.systems import model, model_folder
from crfdeid.text.document import Document

CANARY = "Mrs. Zanzibarova of 12 Main Street"
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture
def copy(small_model, tmp_path):
    return shutil.copytree(small_model.folder, tmp_path / "copy")


def sign(folder, **changes):
    """Write a manifest that fits the folder, with changes to its list of files."""
    (folder / "manifest.json").unlink()
    model_folder.write_manifest(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] |= changes
    (folder / "manifest.json").write_text(json.dumps(manifest))


def refuse(folder, match):
    with pytest.raises(ModelError, match=match) as caught:
        model.load(folder)
    said = str(caught.value)
    assert "Zanzibarova" not in said and "\n" not in said and len(said) < 500
    return said


@pytest.mark.parametrize("name", ["../secret", "features/../../secret", "{parent}/secret", "a\0b", "x" * 300])
def test_a_path_that_leaves_the_folder_is_refused(name, copy):
    secret = copy.parent / "secret"
    secret.write_text("x")
    sign(copy, **{name.format(parent=copy.parent): model_folder.hash_file(secret)})
    refuse(copy, r"file \d+ is outside the folder|missing")


def test_a_link_that_leaves_the_folder_is_refused(copy):
    outside = copy.parent / "settings.json"
    shutil.move(copy / "settings.json", outside)
    (copy / "settings.json").symlink_to(outside)
    refuse(copy, "outside the folder")


@pytest.mark.parametrize("name", ["gazetteers/surnames.txt", ".hidden.txt", "features/more.template", "x"])
def test_a_file_that_the_manifest_does_not_list_is_refused(name, copy):
    (copy / name).write_text(CANARY)
    refuse(copy, r"1 files that manifest.json does not list")


def test_a_name_in_the_manifest_is_not_quoted(copy):
    sign(copy, **{CANARY: "0"})
    refuse(copy, r"manifest.json: file \d+: missing")


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"7", DEEP.encode(), b'{"format": 1}', b'{"format": "1", "files": {}}', b"\xff",
     b'{"format": 1, "files": []}', b'{"format": [], "files": {}}', f'{{"format": "{CANARY}"}}'.encode(),
     b'{"format": 1' + b"0" * 5000 + b', "files": {}}'],
)  # fmt: skip
def test_a_broken_manifest_is_one_line(content, copy):
    (copy / "manifest.json").write_bytes(content)
    refuse(copy, "manifest.json: damaged|format 1")


@pytest.mark.parametrize(
    "settings",
    [DEEP, "[]", "{", f'"{CANARY}"', json.dumps({CANARY: 1}), json.dumps({"system": CANARY}),
     json.dumps({"features": [CANARY]}), json.dumps({"tokenizer": CANARY}), json.dumps({"crf": {CANARY: 1}}),
     json.dumps({"options": {CANARY: 1}}), json.dumps({"features": {}}), json.dumps({"recall_bias": 1e999}),
     json.dumps({"features": ["../features/lexical.template"]}),
     json.dumps({"features": ["lexical.template"], "type_bias": {CANARY: 1}})],
)  # fmt: skip
def test_signed_settings_that_are_none_are_one_line(settings, copy):
    (copy / "settings.json").write_text(settings)
    sign(copy)
    with pytest.raises(CrfdeidError) as caught:
        model.load(copy)
    assert "Zanzibarova" not in str(caught.value) and "\n" not in str(caught.value)


NEEDED = ("settings.json", "scheme.toml", "model.crfsuite", "features/lexical.template")


@pytest.mark.parametrize("name", NEEDED)
def test_a_signed_folder_without_one_of_its_files_is_one_line(name, copy):
    (copy / name).unlink()
    sign(copy)
    with pytest.raises(CrfdeidError):
        model.load(copy)


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
def test_a_signed_file_with_changed_bytes_loads_and_tags_or_is_one_line(seed, engine, copy, notes):
    draw = Random(seed)
    path = copy / draw.choice(model_folder.list_files(copy))
    data = bytearray(path.read_bytes() or b"x")
    for _ in range(draw.choice((1, 8))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    path.write_bytes(data)
    sign(copy)
    try:
        tagger = model.load(copy, engine)
    except CrfdeidError as error:
        assert "\n" not in str(error)
        return
    (found,) = tagger.tag_all(notes[:1])
    assert all(0 <= span.start < span.end <= len(found.text) for span in found.spans)


def test_a_model_takes_the_place_of_another_in_one_step(tmp_path, monkeypatch):
    for one_step in (True, False):
        for name in "ab":
            (tmp_path / name).mkdir(exist_ok=True)
            (tmp_path / name / "x").write_text(name)
        if not one_step:
            monkeypatch.setattr(files.ctypes, "CDLL", lambda *some, **more: None)
        files.exchange(tmp_path / "a", tmp_path / "b")
        assert [(tmp_path / name / "x").read_text() for name in "ab"] == ["b", "a"]
        assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_what_a_killed_training_left_is_removed_by_the_next(notes, tmp_path):
    from small_notes import SMALL

    left = tmp_path / f".m.abcdefgh{files.TEMPORARY}"
    (left / "model").mkdir(parents=True)
    model.train(notes[:5], SMALL, tmp_path / "m", engine="crfsuite")
    assert os.listdir(tmp_path) == ["m"]
    assert Path(tmp_path / "m" / "manifest.json").is_file()


def test_an_engine_of_c_does_not_cut_features_at_a_nul(small_model, notes):
    texts = [note.text.replace(" ", "\0", 5).replace(".", "\0.") for note in notes[:20]]
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    taggers = [model.load(small_model.folder, engine) for engine in ("fast", "crfsuite")]
    found = [list(tagger.tag_all(documents)) for tagger in taggers]
    assert found[0] == found[1] and any(document.spans for document in found[0])
