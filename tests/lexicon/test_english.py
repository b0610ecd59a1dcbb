"""The words of dates."""

import re
from datetime import date

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


@pytest.mark.parametrize(
    ("name", "days"),
    [
        # as countries kept them
        ("diwali", "2017-10-19 2020-11-14 2021-11-04 2022-10-24 2023-11-12"),
        ("holi", "2020-03-10 2023-03-08 2024-03-25"),
        ("chinese new year", "2004-01-22 2015-02-19 2023-01-22 2024-02-10"),
        ("mid-autumn festival", "2006-10-06 2021-09-21 2023-09-29"),
        ("dragon boat festival", "2020-06-25 2023-06-22 2024-06-10"),
        ("rosh hashanah", "2020-09-19 2023-09-16 2024-10-03"),
        ("passover", "2022-04-16 2023-04-06 2024-04-23"),
        ("purim", "2022-03-17 2023-03-07 2024-03-24"),
        ("hanukkah", "2022-12-19 2023-12-08 2024-12-26"),
        ("tisha bav", "2021-07-18 2023-07-27"),
        ("eidalfitr", "2019-06-04 2022-05-02 2024-04-10"),
        ("ramadan", "2021-04-13 2023-03-23 2030-01-05"),
        ("pentecost", "2023-05-28 2024-05-19"),
    ],
)
def test_feasts_of_other_calendars_have_their_days(name, days):
    for day in map(date.fromisoformat, days.split()):
        assert abs((english.find_holiday(name, day.year) - day).days) <= 1


def test_every_feast_has_a_day_in_every_year():
    for name in english.HOLIDAY_NAMES:
        for year in (1000, 1900, 2024, 2999):
            assert english.find_holiday(name, year).year == year
