"""Sentence splitting: examples, and that nothing is lost on any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_counts import check_proportion

from crfdeid.errors import ConfigurationError
from crfdeid.text.tokenizer import split_sentences

EXAMPLES = [
    ("Seen by Dr. Ruiz. No pain.", ["Seen by Dr. Ruiz.", "No pain."]),
    ("Mr. John Q. Smith was seen.", ["Mr. John Q. Smith was seen."]),
    ("Temp 38.5. BP 120/80.", ["Temp 38.5.", "BP 120/80."]),
    ("1. Aspirin 81 mg\n2. Lasix", ["1. Aspirin 81 mg", "2. Lasix"]),
    ("Take b.i.d. with food.", ["Take b.i.d. with food."]),
    ("HPI: fine\nPLAN: rest", ["HPI: fine", "PLAN: rest"]),
    ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
    ('He said "no." Then left.', ['He said "no." Then left.']),
    ("Stop.) Then (Go.) Now", ["Stop.)", "Then (Go.)", "Now"]),
    ("Seen. (Later) done. [x] y. 5 mg", ["Seen.", "(Later) done.", "[x] y.", "5 mg"]),
    ("Seen. then left", ["Seen. then left"]),
    ("At 9 a.m. Then. (B. Ruiz) x. Y", ["At 9 a.m. Then.", "(B. Ruiz) x.", "Y"]),
    ("10. Aspirin. Rest", ["10. Aspirin.", "Rest"]),
    ("100. Aspirin", ["100.", "Aspirin"]),
    ("See Nowak et al. Ruiz agrees", ["See Nowak et al. Ruiz agrees"]),
    ("xDr. Ruiz", ["xDr.", "Ruiz"]),
    ("Wait... Then", ["Wait...", "Then"]),
    ("Well?! Then", ["Well?!", "Then"]),
    ("Given ASA. Then left", ["Given ASA.", "Then left"]),
    ("Seen.  Then left", ["Seen.", "Then left"]),
    ("a\rB\r\nC\nd", ["a", "B", "C", "d"]),
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


MARKS = ["- ", "* ", "# ", "(2) ", "22) ", "2. ", "a) ", "B. ", "Plan: ", "S: ", "A/P (new): "]


@pytest.mark.parametrize("mark", MARKS)
def test_a_list_or_a_heading_is_not_joined_to_the_line_before(mark):
    wrapped = "w" * 39 + " and\n{}yyyyyyyyyyyyyyyy zz"
    assert len(split_sentences(wrapped.format(""))) == 1 and len(split_sentences(wrapped.format(mark))) == 2


def count_joined(width: int, here: int, word: int) -> int:
    """The number of sentences in a block so wide whose line of ``here`` letters is before such a word."""
    return len(split_sentences(f"{'w' * width}\n{'v' * here}\n{'y' * word} z"))


def test_a_line_is_joined_where_the_next_word_had_no_room():
    assert [count_joined(60, 55, word) for word in (2, 3)] == [2, 1]  # 55 + 1 + 3 > 60 - 2
    assert [count_joined(60, here, 30) for here in (47, 48)] == [2, 1]  # 12 less than the width
    assert [count_joined(width, width, 9) for width in (39, 40)] == [3, 1]  # a narrow block was not wrapped
    block = f"{'w' * 39}\n{'y' * 30} z"
    assert len(split_sentences(block)) == 2 and len(split_sentences(f"{block}\n\n{'v' * 60}")) == 3


@given(st.text(alphabet="aB1 .:-\n\r\t)", max_size=200))
def test_ranges_are_in_order_and_hold_all_but_white_space(text):
    found = split_sentences(text)
    assert all(a < b for a, b in found)
    assert all(left[1] <= right[0] for left, right in zip(found, found[1:]))
    assert "".join("".join(text[a:b].split()) for a, b in found) == "".join(text.split())


def test_an_unknown_splitter():
    with pytest.raises(ConfigurationError, match="did you mean rules"):
        split_sentences("x", "rule")


@pytest.mark.slow
def test_punkt_without_its_data_is_refused(monkeypatch):
    def fail(language):
        raise LookupError(language)

    monkeypatch.setattr("nltk.tokenize.PunktTokenizer", fail)
    wanted = "splitter punkt: nltk's data punkt_tab is not installed: .* -m nltk.downloader punkt_tab "
    with pytest.raises(ConfigurationError, match=wanted):
        split_sentences("Seen. Then left.", "punkt")


def test_the_width_of_a_block_is_that_of_its_longest_line_from_here_on():
    wide, joined = "w" * 60, f"{'v' * 47}\n{'y' * 9} z"  # a line of 47 is too narrow for a width of 60
    assert [len(split_sentences(f"{'v' * here}\n{wide}")) for here in (47, 48)] == [2, 1]
    assert len(split_sentences(f"{wide}\n- a\n{joined}")) == 3
    assert len(split_sentences(f"{joined}\n\n{wide}")) == 2
    assert len(split_sentences(f"{joined}\n{wide}")) == 3


def test_many_short_lines_are_measured_once():
    check_proportion(lambda size: split_sentences("short line\n" * size))
