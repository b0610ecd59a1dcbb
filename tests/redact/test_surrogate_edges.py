"""What surrogates are computed from, at its edges: calendars, check digits, days in a text, ages, shifts."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crfdeid.lexicon import english
from crfdeid.lexicon.letters import SimilarNames, count_edits, match_case, split_possessive
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates.resolve import QUARTER, YEAR, generalize_text
from crfdeid.redact.surrogates.dates.shift import draw_shift
from crfdeid.redact.surrogates.generalize import band_age
from crfdeid.redact.surrogates.identifiers import find_checks
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.search.search_strings import find_days, list_starts

HOLIDAYS_OF_2024 = {
    "new years day": (1, 1), "martin luther king day": (1, 15), "valentines day": (2, 14),
    "presidents day": (2, 19), "st patricks day": (3, 17), "good friday": (3, 29), "easter": (3, 31),
    "easter sunday": (3, 31), "easter monday": (4, 1), "patriots day": (4, 15), "mothers day": (5, 12),
    "memorial day": (5, 27), "fathers day": (6, 16), "juneteenth": (6, 19), "independence day": (7, 4),
    "labor day": (9, 2), "columbus day": (10, 14), "halloween": (10, 31), "veterans day": (11, 11),
    "thanksgiving": (11, 28), "thanksgiving day": (11, 28), "christmas eve": (12, 24), "christmas": (12, 25),
    "christmas day": (12, 25), "xmas": (12, 25), "new years eve": (12, 31), "new years": (1, 1),
    "mlk day": (1, 15), "new year": (1, 1), "groundhog day": (2, 2), "mardi gras": (2, 13),
    "ash wednesday": (2, 14), "lent": (2, 14), "palm sunday": (3, 24), "easter saturday": (3, 30),
    "easter sat": (3, 30), "easter sun": (3, 31), "easter mon": (4, 1), "cinco de mayo": (5, 5),
    "election day": (11, 5), "xmas eve": (12, 24), "xmas day": (12, 25), "boxing day": (12, 26),
}  # fmt: skip


def test_the_holidays_of_2024_are_those_of_its_calendar():
    found = {name: english.find_holiday(name, 2024) for name in HOLIDAYS_OF_2024}
    assert found == {name: date(2024, *day) for name, day in HOLIDAYS_OF_2024.items()}


def find_easter_by_oudin(year: int) -> date:
    """Easter Sunday by another algorithm (Oudin 1940)."""
    century, golden = year // 100, year % 19
    skipped = century - century // 4 - (century - (century - 17) // 25) // 3
    moon = (skipped + 19 * golden + 15) % 30
    moon -= (moon // 28) * (1 - (moon // 28) * (29 // (moon + 1)) * ((21 - golden) // 11))
    after = moon - (year + year // 4 + moon + 2 - century + century // 4) % 7
    month = 3 + (after + 40) // 44
    return date(year, month, after + 28 - 31 * (month // 4))


def test_easter_is_that_of_another_algorithm():
    for year in range(1583, 4100):
        assert english.find_easter(year) == find_easter_by_oudin(year)


@pytest.mark.parametrize("text", ["3/7/2067", "7 March 2067", "20670307"])
def test_a_date_has_at_most_200_characters_and_begins_with_the_month(text):
    assert parser.parse_dates(text)[0].find("m").value == 3
    assert parser.parse_dates(text.ljust(200)) and parser.parse_dates(text.ljust(201)) is None


NUMBERS = [
    ("luhn", "4111111111111111 5500005555555559 79927398713"), ("npi", "1234567893 1245319599"),
    ("nhs", "9434765919 4505577104 9876543210"), ("dea", "AB1234563 B91234563"),
    ("vin", "1M8GDM9AXKP042788 1HGCM82633A004352 11111111111111111"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "number"), [(c, n) for c, numbers in NUMBERS for n in numbers.split()])
def test_a_check_finds_each_wrong_digit(check, number):
    assert check in find_checks(number)
    for index, digit in enumerate(number):
        if digit.isdigit() and (check, index) != ("dea", 1):
            same = {digit} | ({str((int(digit) + 5) % 10)} if check == "dea" else set())  # it doubles digits
            for other in set("0123456789") - same:
                assert check not in find_checks(number[:index] + other + number[index + 1 :])
    for wrong in (number[:-1], f"{number}0"):
        assert check == "luhn" or check not in find_checks(wrong)


def test_a_letter_of_a_vehicle_has_the_value_of_the_standard():
    """ISO 3779 as in 49 CFR 565.15: a letter in the first place counts eight times, one in the last twice."""
    values = "A1 B2 C3 D4 E5 F6 G7 H8 J1 K2 L3 M4 N5 P7 R9 S2 T3 U4 V5 W6 X7 Y8 Z9".split()  # noqa: SIM905
    for letter, value in values:
        first, last = ("0123456789X"[int(value) * weight % 11] for weight in (8, 2))
        assert "vin" in find_checks(f"{letter}0000000{first}00000000")
        assert "vin" in find_checks(f"00000000{last}0000000{letter}")


def test_numbers_of_eight_characters_have_checks_and_shorter_ones_do_not():
    assert find_checks("12345674") == {"luhn"} and not find_checks("2345674")
    assert not find_checks("1M8GDM9AXKPO42788") | find_checks("IM8GDM9AXKP042788")  # a VIN has no I, O, Q


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("march 7, 2061 march 7th '61 mar. 7 2061 mar 7,61", ["61-03-07"] * 4),
        ("7 march 2061 7th of march, 2061 7-mar-61 7mar61 7 de marzo de 2061", ["61-03-07"] * 5),
        ("march7, 2061 march  7, 2061 march 7  2061 march 7,  61", ["61-03-07"] * 4),
        ("7th of  march 2061 7 de  marzo 2061 7 march  2061 7 march de  2061", ["61-03-07"] * 4),
        ("12/31/61 31/12/61 2061-12-31 31 december 2061", ["61-12-31"] * 4),
        ("1/1/61 january 1, 2061 20610101", ["61-01-01"] * 3),
        ("enero 7, 2061 7 enero 2061 january 7th 2061 jan 7 '61", ["61-01-07"] * 4),
        ("20610307 2061-3-7 2061/03/07 13/7/2061 7/13/61 13.07.61",
         ["61-03-07"] * 3 + ["61-07-13"] * 3),
        ("3/7/2061", ["61-03-07 61-07-03"]),
        ("3/7/611 x3/7/61 3/7/61-5 3/7/61/5 30610307 13/13/61 3/32/61 0/7/61 7 mars 61", []),
        ("march 32, 2061 march 0, 2061 20611301 20610732", []),
    ],
)  # fmt: skip
def test_the_days_of_a_text_are_found_in_every_writing(text, keys):
    found = dict(find_days(text, list_starts(text)))
    assert [" ".join(sorted(each)) for _, each in sorted(found.items())] == keys


PARTS_OF_DATES = (
    "1", "2", "12", "31", "61", "2061", "20610307", "th", "de ", "of ", "march", "mar", "may", "mayo", "sept",
    "enero", "dec", "jan.", "/", "-", ".", ",", "'", " ", "  ", "\n", "(", "x", "_", "é", "٣",
)  # fmt: skip


@given(st.lists(st.sampled_from(PARTS_OF_DATES), max_size=12).map("".join))
@example("5 march 15, 2061 march 16 61")
def test_no_day_is_passed_over(text):
    every = find_days(text, range(len(text)))
    assert sorted(find_days(text, list_starts(text))) == sorted(every)


@pytest.mark.parametrize(
    ("text", "after", "width", "band"),
    [
        ("60", "", 10, "60-69"), ("59", "", 10, "50-59"), ("89", "", 10, "80-89"), ("90", "", 10, "90+"),
        ("0", "", 10, "0-9"), ("64", "", 5, "60-64"), ("65", "", 5, "65-69"), ("88", "", 20, "80-89"),
        ("65 to 72", "", 10, "60-79"), ("60s", "", 10, "60-69"), ("60s and 70s", "", 10, "60-79"),
        ("mid-60s", "", 10, "60-69"), ("67.5", "", 10, "60-69"), ("67 1/2", "", 10, "60-69"),
        ("67", " months", 10, "0-119"), ("20", " weeks", 10, "0-519"), ("3", " days", 10, "0-3649"),
        ("9", " hours", 10, "0-87659"), ("130", " months", 10, "120-239"),
        ("18 months", "", 10, "0-119 months"),
        ("forty-five", "", 10, "40-49"), ("nineteen", "", 10, "10-19"), ("twenty", "", 10, "20-29"),
        ("Teens", "", 10, "10-19"), ("teenager", "", 10, "10-19"),
        ("in his Sixties", "", 10, "in his 60-69"), ("60's to 70's", "", 10, "60-79"),
        ("sexagenarian", "", 5, "60-64"), ("septuagenarian", "", 5, "70-74"),
        ("Octogenarian", "", 5, "80-84"),
        ("forty  five", "", 10, "40-49"), ("67.25", "", 10, "60-69"), ("67  and  a  half", "", 10, "60-69"),
        ("Early 60s", "", 10, "60-69"), ("LATE 60's", "", 10, "60-69"), ("18months", "", 10, "0-119months"),
        ("18  months", "", 10, "0-119  months"), ("almost  67", "", 10, "60-69"),
        ("teens", "", 10, "10-19"), ("septuagenarian", "", 10, "70-79"), ("eighties", "", 10, "80-89"),
        ("preteen", "", 10, "preteen"), ("sixties", "", 5, "60-64"), ("EIGHTIES", "", 5, "80-84"),
        ("67.255", "", 10, "60-69"), ("67 and  a half", "", 10, "60-69"), ("67 AND a  half", "", 10, "60-69"),
        ("nearly 67", "", 10, "60-69"), ("middle 60s", "", 10, "60-69"), ("mid - 60s", "", 10, "60-69"),
        ("60s - 70s", "", 10, "60-79"), ("60 to 70semanas", "", 10, "0-519semanas"),
        ("teen", "", 10, "10-19"), ("67.95", "", 10, "60-69"), ("90.5", "", 10, "90+"),
        ("91.95", "", 10, "90+"),
        ("60semanas", "", 10, "0-519semanas"), ("67", "months", 10, "0-119"), ("67", " - mos", 10, "0-119"),
        ("sixty - five", "", 5, "65-69"), ("sixty\n five", "", 5, "65-69"), ("SIXTY-FIVE", "", 5, "65-69"),
        ("sexagenarian", "", 10, "60-69"), ("17 y/o", "", 10, "10-19 y/o"),
        ("30 Days", "", 10, "0-3649 Days"), ("3.7.61", "", 10, None),
        ("nine", "", 5, "5-9"), ("eighty-five", "", 10, "80-89"),
        ("forty", "", 5, "40-44"), ("fifteen", "", 5, "15-19"), ("one", "", 5, "0-4"),
        ("twenties", "", 10, "20-29"), ("2067", "", 10, None), ("3/7/61", "", 10, None), ("", "", 10, None),
    ],
)  # fmt: skip
def test_a_band_begins_at_its_first_year_and_ends_at_its_last(text, after, width, band):
    assert band_age(text, after, width) == band


@pytest.mark.parametrize(
    ("text", "year", "quarter"),
    [
        ("3/31/2066", "2066", "Q1 2066"), ("4/1/2066", "2066", "Q2 2066"), ("9/30/66", "2066", "Q3 2066"),
        ("10/1/2066", "2066", "Q4 2066"), ("12/31/66", "2066", "Q4 2066"), ("Easter 2066", "2066", "Q2 2066"),
        ("7/1", "2067", "Q3 2067"), ("12/1", "2066", "Q4 2066"),
        ("'78", "1978", "1978"), ("'77", "2077", "2077"),
        ("Jan 3 - Jan 5 2065", "2065", "Q1 2065"),
        ("Dec 3, Jan 5, Jan 7 2065", "2064, 2065", "Q4 2064, Q1 2065"),
        ("3/7/2065, June", "2065, 2067", "Q1 2065, Q2 2067"), ("November", "2066", "Q4 2066"),
        ("Christmas", "2066", "Q4 2066"), ("Jan-Feb 2065", "2065", "Q1 2065"), ("Dec-Jan 2065", "2064, 2065",
         "Q4 2064, Q1 2065"), ("the 30th", "2067", "Q2 2067"),
    ],
)  # fmt: skip
def test_a_date_becomes_its_year_or_quarter(text, year, quarter):
    seen = date(2067, 5, 1)
    assert (generalize_text(text, YEAR, seen), generalize_text(text, QUARTER, seen)) == (year, quarter)


@pytest.mark.parametrize(
    ("text", "year"), [("Easter", 2068), ("New Year's Day", 2068), ("January", 2068), ("the 1st", 2068)]
)
def test_a_date_at_the_end_of_a_year_may_be_in_the_next(text, year):
    assert generalize_text(text, YEAR, date(2067, 12, 30)) == str(year)


@pytest.mark.parametrize(("text", "year"), [("3/4/26", "2026"), ("3/4/27", "1927"), ("'26", "2026")])
def test_a_short_year_of_a_note_without_a_date_is_at_most_2026(text, year):
    assert generalize_text(text, YEAR) == year


@pytest.mark.parametrize("text", ["3/7", "Christmas", "March", "the 7th"])
def test_a_date_without_a_year_in_a_note_without_a_date_is_not_generalized(text):
    assert generalize_text(text, YEAR, None) is None


@pytest.mark.parametrize(("years", "weeks"), [(1, 0), (0, 1), (0, 3), (2, 1), (10, 25)])
def test_a_shift_is_of_whole_weeks_and_never_longer_than_was_said(years, weeks):
    drawn = {draw_shift(KeyedChoices(b"secret", str(n)), years, weeks) for n in range(300)}
    days = {shift.days for shift in drawn}
    assert all(day % 7 == 0 and day for day in days) or (years and weeks)
    assert min(days) < 0 < max(days) and max(map(abs, days)) <= years * 365.25 + 7 * weeks + 3.5
    if years <= 2 and weeks <= 3:
        assert len(days) == 2 * max(years, 1) * 2 * max(weeks, 1) // (1 if years and weeks else 2)


@pytest.mark.parametrize(
    ("word", "found"),
    [("okafro", "okafor"), ("okafr", "okafor"), ("okaforr", "okafor"), ("akafor", "okafor"), ("okfro", None),
     ("okarof", None), ("wrzeszczynsky", "wrzeszczynski"), ("wrzezczynsky", "wrzeszczynski"),
     ("wrzecynsky", None), ("wrzeszczinzky", None),
     ("wrzeszczinsky", "wrzeszczynski"), ("ruizo", None), ("xkafro", None), ("lindqwist", "lindqvist"),
     ("lndqwist", "lindqvist")],
)  # fmt: skip
def test_a_misspelling_has_one_edit_or_two_if_the_name_is_long(word, found):
    assert SimilarNames(["okafor", "wrzeszczynski", "ruiz", "lindqvist"]).find_name(word) == found


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("", "abc", 3), ("abc", "", 3), ("aaa", "a", 2), ("ab", "ba", 1), ("abcd", "badc", 2), ("abc", "cab", 2),
     ("ca", "abc", 3), ("abcdef", "abdcfe", 2), ("abcdef", "bcdefg", 2)],
)  # fmt: skip
def test_edits_between_two_words_are_counted(a, b, edits):
    assert count_edits(a, b) == count_edits(b, a) == edits


@pytest.mark.parametrize(
    ("word", "parts"),
    [("Li's", "Li 's"), ("LI'S", "LI 'S"), ("Ruiz’s", "Ruiz ’s"), ("Ruiz`s", "Ruiz `s"), ("J's", "J's"),
     ("D'Souza", "D'Souza"), ("Da'Shawn", "Da'Shawn"), ("Ruiz'", "Ruiz'"), ("Ruizs", "Ruizs")],
)  # fmt: skip
def test_a_possessive_ends_a_word_of_two_letters_at_least(word, parts):
    assert " ".join(part for part in split_possessive(word) if part) == parts


@pytest.mark.parametrize(
    ("like", "made"), [("S", "Weber"), ("SM", "WEBER"), ("s", "weber"), ("Sm", "Weber"), ("sM", "Weber")]
)
def test_a_name_is_written_in_the_capitals_of_another(like, made):
    assert match_case("Weber", like) == made
