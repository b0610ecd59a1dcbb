"""What a corpus has is counted, and no word of it is shown."""

import json

import pytest

from crfdeid import corpora
from crfdeid.evaluate.corpus_statistics import MANY, SIZES, group_sizes, main, measure_corpus
from crfdeid.text.document import Document, Span

RUIZ, LONG = Span(4, 8, "DOCTOR"), Span(13, 38, "HOSPITAL")
NOTES = [
    Document("1", "Dr. Ruiz saw St Mary of the Long Road. Ruiz", (RUIZ, LONG, Span(39, 43, "DOCTOR")), "7"),
    Document("2", "Dr. Ruiz", (RUIZ,), "7"),
    Document("3", "Well."),
]


def test_spans_are_counted_by_type():
    found = measure_corpus(NOTES)
    assert (found.notes, found.patients, found.without_patient, found.without_spans) == (3, 1, 1, 1)
    doctor, hospital = found.types["DOCTOR"], found.types["HOSPITAL"]
    assert (doctor.spans, doctor.notes, doctor.words, doctor.longest) == (3, 2, 3, 1)
    assert (doctor.once, len(doctor.texts)) == (1, 1) and hospital.longest == 6
    assert found.words == [10, 2, 1] and found.lengths == {1: 3, 6: 1}


def test_notes_are_counted_by_doublings_of_their_words():
    assert group_sizes([0, 49, 50, 399, 400, 3200], SIZES) == {
        "0 to 49": 2, "50 to 99": 1, "100 to 199": 0, "200 to 399": 1, "400 to 799": 1, "800 to 1,599": 0,
        "1,600 to 3,199": 0, "3,200 or more": 1,
    }  # fmt: skip
    assert list(group_sizes([1, 50], MANY)) == [
        "1", "2", "3", "4", "5 to 9", "10 to 19", "20 to 49", "50 or more",
    ]  # fmt: skip


@pytest.mark.parametrize("notes", [NOTES, NOTES[2:]])
def test_the_verb_shows_counts_and_no_text(notes, tmp_path, capsys):
    corpora.write(notes, tmp_path / "Okafor.jsonl", "jsonl")
    files = [tmp_path / "s.json", tmp_path / "s.html"]
    main([str(tmp_path / "Okafor.jsonl"), "--json", str(files[0]), "--html", str(files[1])])
    said = capsys.readouterr().out
    assert all("Ruiz" not in text and "Mary" not in text for text in (said, *(f.read_text() for f in files)))
    assert json.loads(files[0].read_text())["notes"] == len(notes)
    if len(notes) == 3:
        assert "DOCTOR" in said and "75.0%" in said and 'class="bar"' in files[1].read_text()
