"""Copies of feet: what is a foot, what is exchanged, and who may learn from them."""

from dataclasses import replace

import pytest

from crfdeid.errors import ConfigurationError
from crfdeid.systems import registry
from crfdeid.systems.foot_copies import copy_feet, find_foot, split_foot
from crfdeid.text.document import Document, Span

ONE = Document(
    "1",
    "Ana is stable today.\nDr. Gil, Leeds 12345\nUK\n",
    (Span(0, 3, "PATIENT"), Span(25, 28, "DOCTOR"), Span(30, 35, "CITY"), Span(36, 41, "CITY")),
)
TWO = Document(
    "2",
    "Dr. Roe saw him today.\nDr. Roe. York (54321)",
    (Span(4, 7, "DOCTOR"), Span(27, 30, "DOCTOR"), Span(32, 36, "CITY"), Span(38, 43, "CITY")),
)
FILLED = ONE.with_spans([*ONE.spans, Span(42, 44, "COUNTRY")])


def test_a_foot_is_the_last_lines_that_spans_fill():
    assert FILLED.text[find_foot(FILLED) :] == "Dr. Gil, Leeds 12345\nUK\n"
    assert TWO.text[find_foot(TWO) :] == "Dr. Roe. York (54321)"


def test_a_last_line_without_a_span_ends_the_search():
    assert find_foot(ONE) == len(ONE.text)


def test_the_spans_of_a_copy_have_the_texts_of_feet_with_their_types():
    known = {(part.text, part.type) for note in (FILLED, TWO) for part in split_foot(note)[0]}
    copies = copy_feet([FILLED, TWO], 20)
    assert len(copies) == 40
    assert {(copy.text_of(span), span.type) for copy in copies for span in copy.spans} == known


def test_numbers_are_exchanged_with_numbers():
    copies = copy_feet([FILLED, TWO], 20)
    assert {copy.text_of(copy.spans[2]) for copy in copies} == {"12345", "54321"}


def test_a_copy_can_have_other_marks_between_spans_or_none():
    texts = [copy.text for copy in copy_feet([FILLED, TWO], 20)]
    assert any("Gil. " in text for text in texts)
    assert any("Gil Leeds" in text or "Gil York" in text for text in texts)


def test_copies_are_drawn_by_the_seed():
    assert copy_feet([FILLED, TWO], 3) == copy_feet([FILLED, TWO], 3)
    assert copy_feet([FILLED, TWO], 9) != copy_feet([FILLED, TWO], 9, seed=1)


def test_a_note_without_a_foot_has_no_copies():
    assert copy_feet([Document("1", "Stable.\n"), Document("2", "")], 2) == []


@pytest.mark.parametrize("number", [-1, 1.5])
def test_the_number_of_copies_is_whole(number):
    with pytest.raises(ConfigurationError, match="foot_copies = .*: wanted a whole number"):
        registry.check(registry.read_config("meddocan", options={"foot_copies": number}))


def test_copies_are_refused_where_patients_are_counted():
    settings = registry.read_config("meddocan", options={"foot_copies": 1})
    with pytest.raises(ConfigurationError, match="foot_copies: not with min_patients"):
        registry.check(replace(settings, min_patients=2))
