"""Odd forms of dates, ranges of dates, and dates that reveal an age over 89."""

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_notes import SECRET, marked

from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates import shift as dates
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices


def moved(text: str, near: str = "2067-03-07") -> str | None:
    return dates.shift_text(text, dates.Shift(-10, -3647), date.fromisoformat(near))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("7-9 March 2067", "12-14 March 2057"),
        ("7 and 9 March", "12 and 14 March"),
        ("07MAR67", "12MAR57"),
        ("7Mar2067", "12Mar2057"),
        ("2067/12", "2057/12"),
        ("2067-03", "2057-03"),
        ("Mar 3, 5 and 7", "Mar 8, 10 and 12"),
        ("Thursday 3/31/67", "Thursday 4/5/57"),
        ("2/29/68", "3/6/58"),
        ("1/31/2067", "2/5/2057"),
        ("12/31/67 10:22 PM", "1/5/58 10:22 PM"),
        ("Mar 7th-Apr 2nd", "Mar 12th-Apr 7th"),
        ("'67", "'57"),
        ("2060's", "2050's"),
        ("3/7/67 at 0930", None),
        ("Q1 2067", None),
        ("March 7 67", None),
        ("2067\u00a003\u00a007", "2057\u00a003\u00a012"),
        ("3/7/2067\u200b", None),
        ("March 29, 30, and 31", "April 3, 4, and 5"),
        ("03 07 2067", "03 12 2057"),
        ("12 34", None),
        ("the 12th and 14th", "the 17th and 19th"),
        ("3/29, 30 and 31", "4/3, 4 and 5"),
        ("3/25, 28", "3/30, 4/2"),
        ("25-28 March", "30 March-2 April"),
        ("25th to 28th of March", "30th March to 2nd of April"),
        ("31 March-2 April 2067", "5 April-7 April 2057"),
        ("2/28-3/1/2067", "3/5-3/6/2057"),
    ],
)
def test_odd_forms_of_dates_keep_their_intervals_or_are_not_read(text, made):
    assert moved(text) == made


@pytest.mark.parametrize(
    ("text", "near", "year"),
    [("3/4/30", "2010-07-01", 1930), ("3/4/12", "2010-07-01", 2012), ("3/4/75", "2070-07-01", 2075)],
)
def test_a_short_year_is_not_far_in_the_future(text, near, year):
    assert (
        dates.complete_year(parser.DateField("y", int(text[-2:]), 0, 2, text[-2:]), date.fromisoformat(near))
        == year
    )


DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()  # noqa: SIM905
NAMES = "January February March April May June July August September October November December".split()  # noqa: SIM905


def th(number: int) -> str:
    return f"{number}" + ("th" if 10 < number < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th"))


def written(form: str, day: date) -> str:
    """``form`` with d, m, y and their likes: 0d and 0m padded, yy of two digits, M and Mon in words, th,
    and w the weekday."""
    words = {
        "0d": f"{day.day:02}", "0m": f"{day.month:02}", "yy": f"{day.year % 100:02}",
        "M": NAMES[day.month - 1], "Mon": NAMES[day.month - 1][:3], "th": th(day.day),
        "d": f"{day.day}", "m": f"{day.month}", "y": f"{day.year}",
        "w": DAYS[day.weekday()], "MON": NAMES[day.month - 1][:3].upper(),
    }  # fmt: skip
    return re.sub(r"\{(\w+)\}", lambda match: words[match[1]], form)


def alike(text: str | None) -> str | None:
    """``text`` without what "May" and "10/12" cannot show: whether months are short and numbers padded."""
    if text is None:
        return None
    short = re.sub("|".join(NAMES), lambda match: match[0][:3], text, flags=re.IGNORECASE)
    return re.sub(r"(?<!\d)0(?=\d)", "", short)


FORMS = [
    "{m}/{d}/{y}", "{0m}/{0d}/{y}", "{m}/{d}/{yy}", "{0m}/{0d}/{yy}", "{m}-{d}-{y}",
    "{0m}-{0d}-{yy}", "{m}.{d}.{yy}", "{0m}.{0d}.{y}", "{y}-{0m}-{0d}", "{y}/{0m}/{0d}",
    "{y}.{0m}.{0d}", "{y}{0m}{0d}", "{0m}{0d}{y}", "{m}/{d}", "{0m}/{0d}", "{m}-{d}",
    "{M} {d}, {y}", "{M} {d} {y}", "{M} {th}, {y}", "{M} {th}", "{M} {d}", "{Mon} {d}, {y}",
    "{Mon}. {d}, {y}", "{Mon} {th} {y}", "{Mon}-{0d}-{y}", "{0d}-{Mon}-{y}", "{0d}-{Mon}-{yy}",
    "{0d} {MON} {y}", "{d} {M} {y}", "{d} {M}", "{th} {M} {y}", "{th} of {M}", "{th} of {M}, {y}",
    "the {th} of {M} {y}", "the {th}", "{0d}{MON}{yy}", "{0d}{Mon}{y}", "{w} {m}/{d}/{y}",
    "{w}, {M} {d}, {y}", "{w} {m}/{d}", "{w}, {m}/{d}/{yy}", "{w}. {Mon} {d}", "{m}/{d}/{y} 10:22",
    "{m}/{d}/{yy} 10:22 PM", "{y}-{0m}-{0d}T10:22:33", "{y}-{0m}-{0d} 10:22:33.5",
    "10:22 on {m}/{d}", "on {M} {d}", "since {m}/{d}/{yy}", "({m}/{d}/{y})", "{m} / {d} / {y}",
    "{M} {d}, '{yy}", "{Mon} {d} '{yy}", "{M}, {d} {y}", "week of {m}/{d}/{y}", "before {M} {th}",
    "{w} the {th}", "{0m} {0d} {y}", "{m}/{d}/{y} (early)", "{M} the {th}, {y}",
]  # fmt: skip


@given(st.dates(date(2059, 1, 1), date(2069, 12, 31)), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_sixty_forms_write_the_moved_day_as_they_wrote_the_day(day, number):
    """The note is five days later. A date without its year or month means the nearest one."""
    shift = dates.draw_shift(KeyedChoices(SECRET, str(number)))
    new = day + timedelta(shift.days)
    for form in FORMS:
        made = dates.shift_text(written(form, day), shift, day + timedelta(5))
        assert alike(made) in (alike(written(form, new)), None), form


RANGES = [
    "{m}/{d} - ", "{m}/{d}-", "from {m}/{d}/{y} to ", "{M} {d} to ", "{m}/{d}/{yy}-",
    "{M} {d} through ", "{0d}-{Mon}-{y} until ",
]  # fmt: skip


@given(st.dates(date(2059, 1, 1), date(2069, 12, 31)), st.integers(0, 40), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_both_ends_of_a_range_move_by_the_same_days(first, length, number):
    shift, last = dates.draw_shift(KeyedChoices(SECRET, str(number))), first + timedelta(length)
    for start in RANGES:
        end = re.search(r"\{.*\}", start)[0]
        said = written(start, first) + written(end, last)
        made = dates.shift_text(said, shift, last)
        moved = [day + timedelta(shift.days) for day in (first, last)]
        assert alike(made) == alike(written(start, moved[0]) + written(end, moved[1])), said


@given(st.dates(date(2060, 1, 1), date(2068, 12, 31)), st.integers(1, 27), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_ranges_within_a_month_keep_their_length(first, length, number):
    last = first + timedelta(length)
    if first.month != last.month:
        return
    shift = dates.draw_shift(KeyedChoices(SECRET, str(number)))
    a, b = (day + timedelta(shift.days) for day in (first, last))
    said = f"{NAMES[first.month - 1]} {first.day}-{last.day}, {first.year}"
    second = f"{b.day}" if a.month == b.month else f"{NAMES[b.month - 1]} {b.day}"
    assert dates.shift_text(said, shift, first).startswith(f"{NAMES[a.month - 1]} {a.day}-{second}, ")
    said = f"{first.day}-{last.day} {NAMES[first.month - 1]} {first.year}"
    second = f"{a.day}" if a.month == b.month else f"{a.day} {NAMES[a.month - 1]}"
    assert dates.shift_text(said, shift, first).startswith(f"{second}-{b.day} {NAMES[b.month - 1]} ")


def test_a_frequent_birthday_is_not_the_date_of_the_note():
    said = ["3/4/1950", "3/4/1950", "03/04/1950", "5/1/2067", "5/3/2067"]
    assert dates.find_note_date(said) == date(2067, 5, 1)


def test_a_date_that_shows_an_age_over_89_becomes_a_marker():
    note = "Seen <DATE 5/1/2067>; born <DATE 3/4/{}>, aged <AGE {}>; <DATE {}>."
    (old,) = Redactor(SECRET).redact([marked(note.format(1970, 97, 1970))])
    assert [p.resolved for p in old.replacements] == [True, False, True, False]
    assert [p.why for p in old.replacements][1] == "shows an age over 89"
    (decade,) = Redactor(SECRET).redact([marked("Seen <DATE 5/1/2067>, born in the <DATE 1960s>")])
    assert not decade.replacements[1].resolved
    (young,) = Redactor(SECRET).redact([marked(note.format(1990, 77, 1990))])
    assert all(p.resolved for p in young.replacements)


@pytest.mark.parametrize(
    ("seen", "texts", "markers"),
    [
        ("5/1/2067", ("DOB <DATE 3/4/1970>", "On <DATE 1970-03-04>", "born in <DATE 1970>"), 3),
        ("5/1/2067", ("DOB <DATE 3/4/1990>", "Since <DATE 1/2/1970>"), 0),
        ("12/31/9999", ("DOB <DATE 3/4/1970>",), 0),  # until further notice
    ],
)
def test_a_birth_shows_an_age_over_89_by_the_date_of_another_note(seen, texts, markers):
    notes = [marked(text) for text in (f"Seen <DATE {seen}>.", *texts)]
    notes = [replace(note, id=str(number), patient="7") for number, note in enumerate(notes)]
    redactions = Redactor(SECRET).redact(notes)
    why = [made.why for each in redactions for made in each.replacements]
    assert why.count("shows an age over 89") == markers
