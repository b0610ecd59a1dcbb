"""The pictures of an evaluation have its figures, by hand, and no text of a note."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

from crfdeid.evaluate import calibration, error_page, evaluation
from crfdeid.evaluate.evaluation import EvaluationOptions
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.pages.curves import place_point
from crfdeid.pages.pictures import Axis, Estimate, measure_text
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


def read_shapes(picture, tag, kind=""):
    """The elements of a picture with this tag, and of this class."""
    return [e for e in ElementTree.fromstring(picture).iter(tag) if kind in e.get("class", "").split(" ")]


def read_numbers(shape, *names):
    return tuple(float(shape.get(name)) for name in names)


class Cell(NamedTuple):
    """A cell of a matrix: its square, its colour, and its texts with their places."""

    x: float
    y: float
    width: float
    height: float
    shade: float
    kind: str
    texts: list


def read_cells(picture):
    """The cells of a matrix by the types in gold and in the system."""
    cells = {}
    for group in read_shapes(picture, "g"):
        (rect,) = group.iter("rect")
        square = read_numbers(rect, "x", "y", "width", "height", "fill-opacity")
        texts = [(t.text, *read_numbers(t, "x", "y"), t.get("class", "")) for t in group.iter("text")]
        said = re.match("gold (.+), system (.+):", group.find("title").text)
        cells[said.groups()] = Cell(*square, rect.get("class"), texts)
    return cells


def test_coverage_is_that_of_each_type_and_system():
    texts = read_texts(error_page.draw_coverage([build(SYSTEM), build(OTHER)], ["one", "other"]))
    assert texts.count("0.500 of 4") == 2  # of all: one leaks Lind and Ames, the other two too
    for type, shares in (
        ("PATIENT", ["1.000", "1.000"]),
        ("DOCTOR", ["0.000", "0.000"]),
        ("CITY", ["0.000", "1.000"]),
    ):
        at = texts.index(type)
        assert texts[at + 1 : at + 3] == [f"{share} of 1" for share in shares]
    assert {"one", "other"} <= set(texts) and "AGE" not in texts


def test_an_axis_of_shares_begins_below_all_figures_and_the_low_ends_of_the_first_row():
    rows = [[Estimate(0.9, 0.8, 0.95), None], [Estimate(0.85, 0.2, 1.0)]]
    assert error_page.list_shares(rows) == [0.8, 0.9, 0.85]
    assert error_page.list_shares([]) == []


@pytest.mark.parametrize(
    ("words", "row"), [(1, "1 word"), (2, "2 words"), (4, "4 words"), (5, "5 or more"), (6, "5 or more")]
)
def test_long_spans_are_counted_together(words, row):
    text = " ".join("abcdef"[:words])
    side = [build_scored_document(Document("1", text, (Span(0, len(text), "HOSPITAL"),)), SCHEME)]
    found = evaluation.evaluate(side, side, EvaluationOptions(SCHEME, resamples=0))
    texts = read_texts(error_page.draw_lengths(found))
    assert [t for t in texts if "word" in t or "more" in t] == [row]


def test_lengths_are_in_words():
    texts = read_texts(error_page.draw_lengths(build(SYSTEM)))
    assert texts[texts.index("1 word") + 1 :][:2] == ["0.500 of 2", "0.500 of 2"]  # the date, not the town
    assert texts[texts.index("2 words") + 1 :][:2] == [
        "0.500 of 2",
        "0.500 of 2",
    ]  # not Ruiz Lind


def test_wrong_ends_are_counted_by_characters():
    texts = read_texts(error_page.draw_ends(build(SYSTEM).errors))
    assert texts[texts.index("4 to 9 too early") + 1 :][:2] == ["0", "1"]  # start, end: " Lind" is left
    assert texts.count("0") == 12  # eleven bars, and the scale


def draw_shifts(shifts):
    """The picture of spans in long gold spans, whose starts and ends are as many characters away."""
    text = "x" * 40 * len(shifts)
    starts = [40 * number + 15 for number in range(len(shifts))]
    gold = [Span(start, start + 12, "HOSPITAL") for start in starts]
    system = [Span(start + a, start + 12 + b, "HOSPITAL") for start, (a, b) in zip(starts, shifts)]
    sides = [[build_scored_document(Document("1", text, tuple(spans)), SCHEME)] for spans in (gold, system)]
    return error_page.draw_ends(evaluation.evaluate(*sides, EvaluationOptions(SCHEME)).errors)


@pytest.mark.parametrize("wrong", [1, 4, 9])
def test_bars_of_wrong_ends_are_as_long_as_their_numbers(wrong):
    """``wrong`` spans begin 2 characters early, one 10; one ends 12 late, one 3."""
    picture = draw_shifts([(-2, 0)] * (wrong - 1) + [(-2, 12), (-10, 3)])
    texts = read_texts(picture)
    names = [text for text in texts if "too" in text]
    assert names == [
        "10 or more too early", "4 to 9 too early", "1 to 3 too early",
        "1 to 3 too late", "4 to 9 too late", "10 or more too late",
    ]  # fmt: skip
    pairs = [[int(number) for number in texts[texts.index(name) + 1 :][:2]] for name in names]
    assert pairs == [[1, 0], [0, 0], [wrong, 0], [0, 1], [0, 0], [0, 1]]
    widths = [read_numbers(bar, "width")[0] for bar in read_shapes(picture, "rect", "block")]
    ticks = [read_numbers(line, "x1")[0] for line in read_shapes(picture, "line", "grid")]
    unit = (ticks[1] - ticks[0]) / (2 if wrong > 4 else 1)
    assert widths == pytest.approx([unit * number for pair in pairs for number in pair], abs=0.15)
    assert len(ticks) == 5  # 0 to 4 where there are few, else 0, 2, … 8


def test_the_matrix_counts_and_says_what_changed():
    picture = error_page.draw_confusion(build(SYSTEM), build(OTHER), "rules")
    for said in (
        "gold PATIENT, system PATIENT: 1 (+1)", "gold PATIENT, system DOCTOR: 0 (-1)",
        "gold CITY, system missing: 1 (+1)", "gold CITY, system CITY: 0 (-1)",
        "gold spurious, system PATIENT: 1 (+1)", "gold DATE, system DATE: 1 (+1)",
    ):  # fmt: skip
        assert f"<title>{said}</title>" in picture
    assert "the change from rules" in picture and "(+" not in error_page.draw_confusion(build(SYSTEM))


def test_a_type_that_the_base_does_not_have_counts_0_there():
    found = build((*SYSTEM, Span(29, 31, "STATE")))
    assert "<title>gold spurious, system STATE: 1 (+1)</title>" in error_page.draw_confusion(
        found, build(GOLD), "gold"
    )


@pytest.mark.parametrize(("base", "side"), [(None, 26), (OTHER, 36)])
def test_the_cells_of_the_matrix_are_a_grid(base, side):
    """Squares with a line of one pixel between them, all names outside, and room for the slanted ones."""
    picture = error_page.draw_confusion(build(SYSTEM), base and build(base), "rules")
    cells = read_cells(picture)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*cells))
    assert rows == ["PATIENT", "DOCTOR", "CITY", "DATE", "spurious"]
    assert columns == ["PATIENT", "DOCTOR", *(["CITY"] if base else []), "DATE", "missing"]
    left, top, *_ = cells["PATIENT", "PATIENT"]
    for (row, column), cell in cells.items():
        place = left + side * columns.index(column), top + side * rows.index(row)
        assert cell[:4] == (*place, side - 1, side - 1)
        assert cell.kind == ("cell hit" if row == column else "cell miss")
    named = {text.text: text for text in read_shapes(picture, "text") if text.text in rows}
    for number, row in enumerate(rows):
        assert named[row].get("text-anchor") == "end"
        assert read_numbers(named[row], "x", "y") == (left - 8, top + side * (number + 0.5) + 4)
    slanted = [text for text in read_shapes(picture, "text") if text.get("transform")]
    turned = [re.fullmatch(r"translate\((.+),(.+)\) rotate\(-60\)", t.get("transform")) for t in slanted]
    assert [text.text for text in slanted] == columns
    for number, place in enumerate(turned):
        assert (float(place[1]), float(place[2])) == (left + side * (number + 0.5) + 3, top - 6)
    width, height = map(float, re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)[0])
    assert (width, height) == (left + side * len(columns) + 60, top + side * len(rows) + 12)
    assert left == top >= 8 + measure_text("MEDICALRECORD")  # the longest name of a type


def test_a_cell_is_as_dark_as_its_share_of_its_row():
    gold = tuple(Span(start, start + 2, "CITY") for start in range(0, 18, 3)) + GOLD[3:]
    system = (*gold[:3], *(Span(s.start, s.end, "DATE") for s in gold[3:4]), Span(20, 22, "DATE"), GOLD[3])
    sides = [[build_scored_document(Document("1", TEXT, each), SCHEME)] for each in (gold[:6], system[:5])]
    cells = read_cells(error_page.draw_confusion(evaluation.evaluate(*sides, EvaluationOptions(SCHEME))))
    found = {
        names: (cell.shade, [(t[0], t[3]) for t in cell.texts]) for names, cell in cells.items() if cell.shade
    }
    assert found == {
        ("CITY", "CITY"): (0.5, [("3", "")]),
        ("CITY", "DATE"): (0.167, [("1", "")]),
        ("CITY", "missing"): (0.333, [("2", "")]),
        ("spurious", "DATE"): (1.0, [("1", "strong")]),  # light letters on a dark cell
    }


def test_numbers_are_in_the_middle_of_their_cells():
    cells = read_cells(error_page.draw_confusion(build(SYSTEM), build(OTHER), "rules"))
    for x, y, width, height, _, _, texts in cells.values():
        assert all(text[1] == x + (width + 1) / 2 for text in texts)
        heights = {text[0]: text[2] - y - (height + 1) / 2 for text in texts}
        changed = any(name[0] in "+-" for name in heights)
        assert set(heights.values()) <= ({-1, 11} if changed else {4})
    assert cells["PATIENT", "PATIENT"].texts == [("1", 148, 147, "strong"), ("+1", 148, 159, "change strong")]
    assert [text[0] for text in cells["PATIENT", "DOCTOR"].texts] == ["-1"]  # no 0
    assert [text[0] for text in cells["DOCTOR", "DOCTOR"].texts] == ["1", "+1"]
    assert cells["DATE", "PATIENT"].texts == []


def test_the_matrix_of_one_system_has_no_changes():
    cells = read_cells(error_page.draw_confusion(build(SYSTEM)))
    assert cells["DATE", "DATE"].texts == [("1", 195, 225, "strong")]
    assert {text[0] for cell in cells.values() for text in cell.texts} == {"1"}


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
    names = [text for text in texts if re.fullmatch(r"\S+ to \S+", text)]
    assert [(name, texts[texts.index(name) + 1]) for name in names] == [
        ("0.5 to 0.8", "1.000 of 1"), ("0.8 to 0.9", "0.000 of 1"), ("0.99 to 1", "0.500 of 2"),
    ]  # fmt: skip


def test_the_bins_of_probabilities():
    values = np.array([0.0, 0.1, 0.3, 0.7, 0.85, 0.92, 0.97, 0.995])
    texts = read_texts(calibration.draw_calibration("a", "spans", values, values > 0.5))
    names = [text for text in texts if re.fullmatch(r"\S+ to \S+", text)]
    assert [(name, *texts[texts.index(name) + 1 :][:2]) for name in names] == [
        ("0 to 0.1", "0.000 of 1", "0.000"), ("0.1 to 0.5", "0.000 of 2", "0.200"),
        ("0.5 to 0.8", "1.000 of 1", "0.700"), ("0.8 to 0.9", "1.000 of 1", "0.850"),
        ("0.9 to 0.95", "1.000 of 1", "0.920"), ("0.95 to 0.99", "1.000 of 1", "0.970"),
        ("0.99 to 1", "1.000 of 1", "0.995"),
    ]  # fmt: skip


def test_spans_of_one_probability_are_one_point_of_the_curve():
    probabilities, right = np.array([0.9, 0.6, 0.9, 0.3]), np.array([True, False, False, True])
    limits, points = calibration.trace_limits(probabilities, right, 4)
    assert limits.tolist() == [0.9, 0.6, 0.3]
    assert points == [(1 / 4, 1 / 2), (1 / 4, 1 / 3), (2 / 4, 2 / 4)]


@pytest.mark.parametrize(
    ("many", "axes", "point"), [(1, (0.0, 0.99), (0.25, 1.0)), (2, (0.0, 0.5), (0.25, 0.5))]
)
def test_the_ring_is_at_recall_and_precision_of_all_spans(many, axes, point):
    """One of four gold spans is found, alone or with a wrong one beside it."""
    curve = calibration.draw_probabilities(with_probabilities(*[0.7, 0.6][:many]))[1]
    (ring,) = read_shapes(curve, "circle", "own")
    wanted = place_point((Axis("", axes[0]), Axis("", axes[1])), point)
    assert read_numbers(ring, "cx", "cy") == pytest.approx(wanted, abs=0.06)


LIMITS = [
    ([0.95, 0.7, 0.4], {"0.5": (0.2, 2), "0.9": (0.1, 1)}),
    ([0.99, 0.95, 0.2], {"0.99": (0.1, 1), "0.9": (0.2, 2), "0.5": (0.2, 2)}),
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
    drawn = error_page.draw_pictures([build(spans), build(GOLD)], ["a", "b"])
    drawn.append(error_page.draw_confusion(build(spans), build(GOLD), "b"))
    assert not any(word in picture for picture in drawn for word in ("Okafor", "Ruiz", "Ames", "3/14"))


def test_notes_without_gold_spans_have_empty_pictures():
    sides = [[build_scored_document(Document("1", TEXT, each), SCHEME)] for each in ((), SYSTEM[:1])]
    found = evaluation.evaluate(*sides, EvaluationOptions(SCHEME, resamples=0))
    drawn = [*error_page.draw_pictures([found], ["a"]), error_page.draw_confusion(found)]
    assert all(picture.startswith("<svg") for picture in drawn)
    assert "gold spurious, system PATIENT: 1" in drawn[-1]
