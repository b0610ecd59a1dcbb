"""Sentence splitting: examples, and that nothing is lost on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError
from crfdeid.text.sentences import split_sentences

EXAMPLES = [
    ("Seen by Dr. Ruiz. No pain.", ["Seen by Dr. Ruiz.", "No pain."]),
    ("Mr. John Q. Smith was seen.", ["Mr. John Q. Smith was seen."]),
    ("Temp 38.5. BP 120/80.", ["Temp 38.5.", "BP 120/80."]),
    ("1. Aspirin 81 mg\n2. Lasix", ["1. Aspirin 81 mg", "2. Lasix"]),
    ("Take b.i.d. with food.", ["Take b.i.d. with food."]),
    ("HPI: fine\nPLAN: rest", ["HPI: fine", "PLAN: rest"]),
    ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
    ("", []),
    (" \n\n ", []),
]
WRAPPED = (
    "The patient is a pleasant woman who was seen in the clinic\n"
    "yesterday for cough. She was given antibiotics and asked to\n"
    "return."
)


@pytest.mark.parametrize(("text", "wanted"), EXAMPLES)
def test_examples(text, wanted):
    assert [text[start:end] for start, end in split_sentences(text)] == wanted


def test_lines_cut_at_a_fixed_width_are_joined_first():
    found = [" ".join(WRAPPED[start:end].split()) for start, end in split_sentences(WRAPPED)]
    assert found == [
        "The patient is a pleasant woman who was seen in the clinic yesterday for cough.",
        "She was given antibiotics and asked to return.",
    ]


@given(st.text(alphabet="aB1 .:-\n\r\t)", max_size=200))
def test_ranges_are_in_order_and_hold_all_but_white_space(text):
    found = split_sentences(text)
    assert all(a < b for a, b in found)
    assert all(left[1] <= right[0] for left, right in zip(found, found[1:]))
    assert "".join("".join(text[a:b].split()) for a, b in found) == "".join(text.split())


def test_an_unknown_splitter():
    with pytest.raises(ConfigurationError, match="did you mean rules"):
        split_sentences("x", "rule")
