"""Lines that repeat in notes which nobody has corrected."""

import json

import pytest

from crfdeid import corpora
from crfdeid.adapt.__main__ import main
from crfdeid.errors import DocumentError
from crfdeid.systems import model
from crfdeid.systems.model import SITE_LINES, SITE_TERMS
from crfdeid.text.document import Document

NAMES = ("Ruiz", "Oda", "Quimby", "Voss", "Bly", "Roe", "Orr", "Weber")


def write_head(number):
    """A head whose name the small model finds, and whose date it finds in some notes."""
    return Document(f"h{number}", f"Seen by Dr. {NAMES[number]} on 3/4/2061.\n", (), f"p{number}")


@pytest.fixture(scope="module")
def lined(before, tmp_path_factory):
    """The folder of the model with lines, and what was printed is not looked at."""
    place = tmp_path_factory.mktemp("lined")
    corpora.write([write_head(number) for number in range(8)], place / "notes.jsonl", "jsonl")
    options = ["--unlabelled", str(place / "notes.jsonl"), "--model", str(before.folder)]
    main([*options, "--k", "4", "--out", str(place / "site")])
    return place


def test_the_lines_are_in_the_folder_with_words_of_k_patients_only(lined):
    kept = json.loads((lined / "site" / SITE_LINES).read_text())
    assert set(kept["words"]) == {"Seen", "by", "Dr", "on"}
    [(key, marks)] = kept["lines"].items()
    assert key == "=Seen =by =Dr . Aa =on 9 / 9 / 9 ." and [4, 4, "DOCTOR"] in marks
    written = (lined / "site" / "CARD.md").read_text() + (lined / "site" / "manifest.json").read_text()
    assert "Lines that repeat in the unlabelled notes: 1, each of at least 4 patients" in written and not [
        name for name in NAMES if name in written
    ]


def test_a_model_with_lines_finds_them_by_itself_and_with_a_list(before, lined, tmp_path):
    tagger = model.load(lined / "site")
    assert tagger.fingerprint != before.fingerprint
    line = json.loads((lined / "site" / SITE_LINES).read_text())["lines"]
    note = Document("n", "Seen by Dr. Zzyzx on 7/8/2061.\n")
    [marks] = line.values()
    assert [span.type for span in tagger.tag(note).spans] == [type for _, _, type in marks]
    step = model.load_site(lined / "site")
    assert [span.type for span in step(note).spans] == [type for _, _, type in marks]
    (tmp_path / SITE_TERMS).write_text("USERNAME Zzyzx\n")
    (tmp_path / SITE_LINES).write_text((lined / "site" / SITE_LINES).read_text())
    assert "USERNAME" in [span.type for span in model.load_site(tmp_path)(note).spans]  # lists are last
    assert model.load_site(before.folder) is None


def test_notes_without_patients_are_refused_or_counted_each(before, tmp_path, capsys):
    notes = [Document(note.id, note.text) for note in map(write_head, range(8))]
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    options = ["--unlabelled", str(tmp_path / "notes.jsonl"), "--model", str(before.folder)]
    with pytest.raises(DocumentError, match="8 of 8 documents have no patient to count"):
        main([*options, "--out", str(tmp_path / "site")])
    assert not (tmp_path / "site").exists()
    main([*options, "--one-note-per-patient", "--out", str(tmp_path / "site")])
    assert (
        "Lines that repeat: 1, each of 5 or more patients, in 8 notes of 8 patients"
        in capsys.readouterr().out
    )
    with pytest.raises(DocumentError, match="8 patients; wanted at least 9"):
        main([*options, "--one-note-per-patient", "--k", "9", "--out", str(tmp_path / "other")])
