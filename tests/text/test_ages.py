"""Ages over 89 become 90+; what cannot be read as an age is not."""

import pytest

from crfdeid.text.ages import generalise_age

OLD = [
    "ninety", "ninety-two", "Ninety  two", "nineties", "nonagenarian", "centenarian", "a hundred",
    "one  hundred", "hundred and two", "a hundred  and  five", "hundred five", "90", "100", "90th", "90's",
    "90s", "91st", "95+",
]  # fmt: skip
KEPT = [
    "89", "0", "120 months", "999 months", "90 weeks", "95 days", "99 mos", "91 w/o", "89 1/2", "89½", "y",
    "eighty-nine", "sixties",
]  # fmt: skip
UNITS = [
    "months", "month", "mos", "mo", "m/o", "weeks", "week", "wks", "wk", "w/o", "days", "day", "d/o", "hours",
    "hour", "hrs", "hr", "meses", "mes", "semanas", "semana", "días", "día", "-month", "- Week",
]  # fmt: skip
NOT_UNITS = ["mow", "wkx", "hrd", "mesx", "years", "x months", ""]
UNREAD = [
    "90 1/2", "90½", "3/7/61", "2067", "1-2-3-4", "1 2 3 4", "90x", "90thx", "ninetyish", "²", "90 stoned",
    "-", "", "90  1/2", "90 - 1/2", "3/17/61", "3-17-61", "12 13 14 15", "1, 2, 3, 4", "91styear",
    "oneninety", "ahundred", "ninetyyear", "1068 months",
]  # fmt: skip


@pytest.mark.parametrize("text", OLD)
def test_an_age_over_89_becomes_one_group(text):
    assert generalise_age(text) == "90+"
    assert generalise_age(f"late {text}") == "late 90+"


@pytest.mark.parametrize("text", KEPT)
def test_an_age_up_to_89_stays(text):
    assert generalise_age(text) == text


@pytest.mark.parametrize("unit", UNITS)
def test_an_age_in_less_than_years_stays(unit):
    assert generalise_age("90", f" {unit}") == "90"
    assert generalise_age("999", unit) == "999"


@pytest.mark.parametrize("unit", NOT_UNITS)
def test_what_is_no_unit_is_not_read(unit):
    assert generalise_age("90", f" {unit}") == "90+"


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_no_age_is_not_read(text):
    assert generalise_age(text) is None
