"""Ordinal numbers of days."""

from crfdeid.lexicon.english import write_ordinal

DAYS = """1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th
21st 22nd 23rd 24th 25th 26th 27th 28th 29th 30th 31st"""


def test_every_day_of_a_month_has_its_ending():
    assert [write_ordinal(day) for day in range(1, 32)] == DAYS.split()


def test_a_hundred_more_changes_no_ending():
    assert [write_ordinal(100 + day) for day in range(1, 32)] == [
        f"{100 + int(day[:-2])}{day[-2:]}" for day in DAYS.split()
    ]
