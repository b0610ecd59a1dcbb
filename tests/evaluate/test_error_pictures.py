"""The pictures of an evaluation have its figures, by hand, and no text of a note."""

import re

import numpy as np
import pytest

from crfdeid.evaluate import calibration, error_pictures, evaluation
from crfdeid.evaluate.evaluation import EvaluationOptions
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

SCHEME = read_scheme()
TEXT = "Tom Okafor saw Dr. Ruiz Lind on 3/14/61 in Ames."
GOLD = (Span(0, 10, "PATIENT"), Span(19, 28, "DOCTOR"), Span(32, 39, "DATE"), Span(43, 47, "CITY"))
SYSTEM = (Span(0, 10, "PATIENT"), Span(19, 23, "DOCTOR"), Span(32, 39, "DATE"), Span(11, 14, "PATIENT"))
OTHER = (Span(0, 10, "DOCTOR"), Span(43, 47, "CITY"))


def build(spans):
    sides = [[build_scored_document(Document("1", TEXT, each), SCHEME)] for each in (GOLD, spans)]
    return evaluation.evaluate(*sides, EvaluationOptions(SCHEME, resamples=0))


def read_texts(picture):
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def test_coverage_is_that_of_each_type_and_system():
    texts = read_texts(error_pictures.draw_coverage([build(SYSTEM), build(OTHER)], ["one", "other"]))
    assert texts.count("0.500 of 4") == 2  # of all: one leaks Lind and Ames, the other two too
    for type, shares in (
        ("PATIENT", ["1.000", "1.000"]),
        ("DOCTOR", ["0.000", "0.000"]),
        ("CITY", ["0.000", "1.000"]),
    ):
        at = texts.index(type)
        assert texts[at + 1 : at + 3] == [f"{share} of 1" for share in shares]
    assert {"one", "other"} <= set(texts) and "AGE" not in texts


def test_lengths_are_in_words():
    texts = read_texts(error_pictures.draw_lengths(build(SYSTEM)))
    assert texts[texts.index("1 word") + 1 :][:2] == ["0.500 of 2", "0.500 of 2"]  # the date, not the town
    assert texts[texts.index("2 words") + 1 :][:2] == [
        "0.500 of 2",
        "0.500 of 2",
    ]  # not Ruiz Lind


def test_wrong_ends_are_counted_by_characters():
    texts = read_texts(error_pictures.draw_ends(build(SYSTEM).errors))
    assert texts[texts.index("4 to 9 too early") + 1 :][:2] == ["0", "1"]  # start, end: " Lind" is left
    assert texts.count("0") == 12  # eleven bars, and the scale


def test_the_matrix_counts_and_says_what_changed():
    picture = error_pictures.draw_confusion(build(SYSTEM), build(OTHER), "rules")
    for said in (
        "gold PATIENT, system PATIENT: 1 (+1)", "gold PATIENT, system DOCTOR: 0 (-1)",
        "gold CITY, system missing: 1 (+1)", "gold CITY, system CITY: 0 (-1)",
        "gold spurious, system PATIENT: 1 (+1)", "gold DATE, system DATE: 1 (+1)",
    ):  # fmt: skip
        assert f"<title>{said}</title>" in picture
    assert "the change from rules" in picture and "(+" not in error_pictures.draw_confusion(build(SYSTEM))


def test_a_type_that_the_base_does_not_have_counts_0_there():
    found = build((*SYSTEM, Span(29, 31, "STATE")))
    assert "<title>gold spurious, system STATE: 1 (+1)</title>" in error_pictures.draw_confusion(
        found, build(GOLD), "gold"
    )


def test_names_of_columns_are_over_their_cells():
    picture = error_pictures.draw_confusion(build(SYSTEM))
    names = [float(x) for x in re.findall(r"translate\(([\d.]+),", picture)]
    cells = [float(x) for x in re.findall(r'<rect class="cell[^"]*" x="([\d.]+)"', picture)]
    assert [x + 16 for x in sorted(set(cells))] == names
    rows = [float(x) for x in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>[A-Z]+<', picture)]
    assert max(rows) < min(cells) and "AGE" not in picture
    lowest = max(float(y) for y in re.findall(r'<rect class="cell[^"]*" x="[\d.]+" y="([\d.]+)"', picture))
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)[0])
    assert lowest + 26 <= height and max(cells) + 26 <= width


def with_probabilities(*probabilities):
    spans = zip(SYSTEM, probabilities)
    return build(tuple(Span(span.start, span.end, span.type, each) for span, each in spans))


def test_spans_with_probabilities_have_a_calibration_and_a_curve():
    found = with_probabilities(0.999, 0.6, 0.97, 0.7)
    calibrated, curve = calibration.draw_probabilities(found)
    texts = read_texts(calibrated)
    assert texts[texts.index("0.5 to 0.8") + 1 :][:2] == ["0.000 of 2", "0.650"]
    assert texts[texts.index("0.95 to 0.99") + 1 :][:2] == ["1.000 of 1", "0.970"]
    assert {"all", "0.9"} <= set(read_texts(curve)) and 'class="own"' in curve


def test_a_probability_at_an_edge_belongs_to_the_upper_bin():
    texts = read_texts(calibration.draw_probabilities(with_probabilities(0.5, 0.8, 1.0, 1.0))[0])
    assert [name for name in ("0 to 0.5", "0.5 to 0.8", "0.8 to 0.9", "0.99 to 1") if name in texts] == [
        "0.5 to 0.8", "0.8 to 0.9", "0.99 to 1",
    ]  # fmt: skip


LIMITS = [
    ([0.95, 0.7, 0.4], {"0.5": (0.2, 2), "0.9": (0.1, 1)}),
    ([0.9, 0.6], {"0.9": (0.1, 1)}),  # all are over 0.5: that is the operating point
    ([0.4, 0.3], {}),
]


@pytest.mark.parametrize(("probabilities", "marked"), LIMITS)
def test_a_limit_is_marked_where_its_last_span_is(probabilities, marked):
    points = [(0.1, 1), (0.2, 2), (0.3, 3)][: len(probabilities)]
    assert calibration.mark_limits(np.array(probabilities), points) == marked


@pytest.mark.parametrize("probabilities", [(None,) * 4, (0.9, None, 0.9, 0.9)])
def test_without_all_probabilities_there_is_no_such_picture(probabilities):
    assert calibration.draw_probabilities(with_probabilities(*probabilities)) == []


@pytest.mark.parametrize("spans", [(), SYSTEM, OTHER])
def test_pictures_have_no_text_of_a_note(spans):
    drawn = error_pictures.draw_pictures([build(spans), build(GOLD)], ["a", "b"])
    drawn.append(error_pictures.draw_confusion(build(spans), build(GOLD), "b"))
    assert not any(word in picture for picture in drawn for word in ("Okafor", "Ruiz", "Ames", "3/14"))


def test_notes_without_gold_spans_have_empty_pictures():
    sides = [[build_scored_document(Document("1", TEXT, each), SCHEME)] for each in ((), SYSTEM[:1])]
    found = evaluation.evaluate(*sides, EvaluationOptions(SCHEME, resamples=0))
    drawn = [*error_pictures.draw_pictures([found], ["a"]), error_pictures.draw_confusion(found)]
    assert all(picture.startswith("<svg") for picture in drawn)
    assert "gold spurious, system PATIENT: 1" in drawn[-1]
