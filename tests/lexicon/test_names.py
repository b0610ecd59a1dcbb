"""What is written beside a name."""

import pytest

from crfdeid.lexicon.names import TITLE_PART

TITLES = (
    "Jr", "Sr.", "I", "II", "III", "IV", "Dr", "Drs.", "MR.", "Mrs", "Ms", "Miss", "Prof", "m.d.", "MD", "DO",
    "D.O.", "RN", "NP", "PA", "PhD", "V", "PA-C", "Ph.D.",
)  # fmt: skip


@pytest.mark.parametrize("text", TITLES)
def test_a_title_may_stay_in_a_message(text):
    assert TITLE_PART.fullmatch(text)


@pytest.mark.parametrize("text", ["", "IIII", "Eze", "Dr. Eze", "Dr..", "r"])
def test_what_may_be_a_name_does_not_stay_in_a_message(text):
    assert not TITLE_PART.fullmatch(text)
