"""Lines that repeat in the notes of a site."""

import json

import pytest

from crfdeid.errors import ModelError
from crfdeid.systems import repeated_lines
from crfdeid.systems.repeated_lines import RepeatedLines, learn_lines
from crfdeid.text.document import Document, Span

NAMES = (
    "RUIZ, ANA",
    "DE LA CRUZ, EVA",
    "ODA, KEN",
    "LI, MEI",
    "VOSS, UWE",
    "BLY, AMY",
    "ROE, TIM",
    "ORR, ZOE",
)
ENDINGS = ("sunlit", "tepid", "brisk", "mellow", "vivid", "stark", "plain", "faint")


def write_note(number, is_found=True, patient=None):
    """A note with a head, of which a model finds the name or does not."""
    text = f"PT: {NAMES[number]} [44-{number}21]\nSeen {ENDINGS[number]} today.\n"
    start = text.index(NAMES[number])
    spans = (Span(start, start + len(NAMES[number]), "PATIENT"),) if is_found else ()
    return Document(f"n{number}", text, spans, patient or f"p{number}")


def find_texts(note):
    return [(note.text_of(span), span.type) for span in note.spans]


def test_a_head_that_was_read_in_most_notes_is_known_in_all():
    lines = learn_lines([write_note(number, is_found=number > 1) for number in range(8)])
    for number in range(8):
        found = lines.apply(write_note(number, is_found=False))
        assert find_texts(found) == [(NAMES[number], "PATIENT")]
    other = Document("x", "PT: seen by HER, AND [44-21]\nPATIENT: ROE, TIM [44-21]\n")
    assert lines.apply(other).spans == ()


def test_a_head_that_was_read_in_fewer_than_half_of_the_notes_is_not_learned():
    assert not learn_lines([write_note(number, is_found=number < 3) for number in range(8)], 3).marks
    assert learn_lines([write_note(number, is_found=number < 4) for number in range(8)], 3).marks


def test_lines_and_words_of_fewer_than_k_patients_are_not_kept():
    notes = [write_note(number, patient=f"p{number % 4}") for number in range(8)]
    assert learn_lines(notes) == RepeatedLines()
    lines = learn_lines(notes, 4)
    assert lines.words == {"PT", "Seen", "today"} and list(lines.marks) == ["=PT : A , A [ 9 - 9 ]"]
    kept = lines.render()
    assert not [
        word for word in [*" ".join(NAMES).replace(",", "").split(), *ENDINGS, "44", "21"] if word in kept
    ]


def test_the_marks_of_two_corrected_patients_take_the_place_of_those_of_the_model():
    read = [write_note(number, is_found=False) for number in range(2, 8)]
    corrected = [write_note(number) for number in range(2)]
    assert not learn_lines([*read, *corrected]).marks and not learn_lines(read, corrected=corrected[:1]).marks
    lines = learn_lines(read, corrected=corrected)
    assert find_texts(lines.apply(read[0])) == [(NAMES[2], "PATIENT")]
    wrong = [note.with_spans([Span(0, 2, "DOCTOR")]) for note in read]
    bare = [note.with_spans(()) for note in corrected]
    assert learn_lines(wrong).marks and not learn_lines(wrong, corrected=bare).marks


def test_the_lines_of_corrected_notes_are_of_k_patients_too():
    corrected = [write_note(number) for number in range(4)]
    assert learn_lines([], 5, corrected) == learn_lines([write_note(0)], 5, corrected[:2]) == RepeatedLines()
    assert list(learn_lines([], 4, corrected).marks) == ["=PT : A , A [ 9 - 9 ]"]
    same = [write_note(number, patient="p0") for number in range(8)]
    assert not learn_lines(same, 2, [write_note(0)]).marks


def test_nothing_that_the_model_found_is_left_open():
    lines = learn_lines([write_note(number) for number in range(8)])
    note = write_note(2, is_found=False)
    number = note.text.index("44-")
    wide = Span(number, number + 6, "MEDICALRECORD")
    assert lines.apply(note.with_spans([wide])).spans == (wide,)
    across = Span(0, len(note.text), "DATE")
    assert lines.apply(note.with_spans([across])).spans == (across,)
    wrong = Span(4, 7, "DOCTOR", 0.4)  # inside the name
    assert find_texts(lines.apply(note.with_spans([wrong]))) == [("ODA, KEN", "PATIENT")]


def test_a_span_that_stays_keeps_its_probability():
    lines = learn_lines([write_note(number) for number in range(8)])
    sure = Span(4, 12, "PATIENT", 0.9)
    assert lines.apply(write_note(2).with_spans([sure])).spans[0].probability == 0.9


def test_notes_are_learned_folded():
    dashed = [write_note(number) for number in range(8)]
    dashed = [Document(n.id, n.text.replace("-", "\u2013"), n.spans, n.patient) for n in dashed]
    assert learn_lines(dashed) == learn_lines([write_note(number) for number in range(8)])


def test_lines_are_read_as_they_were_written(tmp_path):
    lines = learn_lines([write_note(number) for number in range(8)])
    (tmp_path / "lines.json").write_text(lines.render())
    assert repeated_lines.read_lines(tmp_path / "lines.json") == lines


@pytest.mark.parametrize(
    "table", ["[", "[]", "{}", '{"words": [], "lines": {"a": [[1]]}}', '{"words": 1, "lines": {}}']
)
def test_a_damaged_file_is_refused_without_its_text(tmp_path, table):
    (tmp_path / "lines.json").write_text(table)
    with pytest.raises(ModelError, match="not the repeated lines of a site; damaged?"):
        repeated_lines.read_lines(tmp_path / "lines.json")


def test_a_mark_of_no_part_is_refused(tmp_path):
    table = {"words": [], "lines": {"A": [[0, 7, "DATE"]]}}
    (tmp_path / "lines.json").write_text(json.dumps(table))
    with pytest.raises(ModelError, match="damaged?"):
        repeated_lines.read_lines(tmp_path / "lines.json")
