"""The words of dates."""

import re

import pytest

from crfdeid.lexicon import english, spanish
from crfdeid.lexicon.english import parse_month, write_month, write_ordinal

DAYS = """1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th
21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st"""


def test_every_day_of_a_month_has_its_ending():
    assert [write_ordinal(day) for day in range(1, 32)] == DAYS.split()


def test_a_hundred_more_changes_no_ending():
    assert [write_ordinal(100 + day) for day in range(1, 32)] == [
        f"{100 + int(day[:-2])}{day[-2:]}" for day in DAYS.split()
    ]


@pytest.mark.parametrize("name", spanish.MONTH_NUMBERS)
def test_a_spanish_month_is_read_and_written_in_spanish(name):
    assert parse_month(name) == spanish.MONTH_NUMBERS[name]
    assert write_month(parse_month(name), name) == spanish.MONTHS[parse_month(name) - 1]


def test_september_has_two_spellings_in_spanish():
    assert parse_month("setiembre") == 9 and write_month(3, "Setiembre") == "Marzo"


def test_the_patterns_of_months_match_all_their_names():
    assert all(re.fullmatch(english.MONTH_PATTERN, name) for name in english.MONTH_NUMBERS)
    assert all(re.fullmatch(spanish.MONTH_PATTERN, name) for name in spanish.MONTH_NUMBERS)
    assert not any(name in english.MONTH_NUMBERS for name in spanish.MONTH_NUMBERS)
