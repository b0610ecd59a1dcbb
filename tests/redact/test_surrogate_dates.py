"""Dates: parsed as people write them, shifted, and written in the same form."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid.lexicon import english
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates import shift as dates
from crfdeid.redact.surrogates.dates.shift import Shift, shift_text
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates, Rules
from crfdeid.redact.surrogates.patient_facts import collect_facts
from crfdeid.redact.utility.matching import find_orders
from crfdeid.text.document import Document, Span

BACK = Shift(-10, -3647)  # 521 weeks: ten years less five days... forward in the year
NOTE = date(2067, 3, 7)
SECRET = b"0123456789abcdef"

WRITTEN = [
    ("03/07/2067", "03/12/2057"), ("3/7/67", "3/12/57"), ("3-7-2067", "3-12-2057"),
    ("2067-03-07", "2057-03-12"), ("20670307", "20570312"), ("03072067", "03122057"),
    ("07-Mar-2067", "12-Mar-2057"), ("7 MAR 67", "12 MAR 57"), ("March 7, 2067", "March 12, 2057"),
    ("march 7th", "march 12th"), ("Mar. 7th, 2067", "Mar. 12th, 2057"),
    ("Monday, March 7, 2067", "Monday, March 12, 2057"), ("3rd of Jan", "8th of Jan"), ("3/7", "3/12"),
    ("the third of March, 2067", "the eighth of March, 2057"), ("03/2067", "03/2057"),
    ("Sept '66", "Sept '56"), ("'67", "'57"), ("2067", "2057"), ("2060s", "2050s"),
    ("the 12th", "the 17th"), ("Jan-Feb 2067", "Jan-Feb 2057"), ("12/30-1/3/67", "1/4-1/8/57"),
    ("3/5 - 3/9", "3/10 - 3/14"), ("March 3-5, 2067", "March 8-10, 2057"),
    ("March 25-28", "March 30-April 2"), ("2061-2063", "2051-2053"), ("summer of 2066", "summer of 2056"),
    ("Febuary 3, 2067", "February 8, 2057"), ("3 de marzo de 2067", "8 de marzo de 2057"),
    ("3 de setiembre de 2067", "8 de septiembre de 2057"),
    ("2067-03-07T10:22", "2057-03-12T10:22"), ("March", "April"), ("Christmas", "December 30"),
    ("Christmas 2066", "December 30 2056"), ("Wed 3/7", "Wed 3/12"), ("3.7.67", "3.12.57"),
    ("12/67", "12/57"), ("01-MAY-67", "06-MAY-57"), ("3–7–2067", "3–12–2057"), ("2067–03–07", "2057–03–12"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "moved"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_a_date_is_moved_and_keeps_its_form(text, moved):
    assert shift_text(text, BACK, NOTE) == moved


@pytest.mark.parametrize(
    "text",
    [
        "Okafor feast",
        "13/45/67",
        "2/30/2067",
        "some time ago",
        "Zanzibarova",
        "1/" * 10000,
        "...",
        "March 7 Zanzibarova",
    ],
)
def test_what_cannot_be_read_completely_is_not_read(text):
    assert shift_text(text, BACK, NOTE) is None


@pytest.mark.parametrize(
    ("text", "only"), [("Monday", True), ("Tues-Thurs", True), ("winter", True), ("May", False)]
)
def test_weekdays_and_seasons_may_stay(text, only):
    assert dates.is_weekday_or_season(text) is only


def test_a_year_before_the_first_or_after_the_last_is_not_written():
    assert shift_text("1/2/2067", Shift(9000, 9000 * 365 // 7 * 7), NOTE) is None


def test_day_first_is_decided_by_the_dates_of_the_patient():
    text = "25/12/2066 and 3/7/2067"
    note = Document("n", text, (Span(0, 10, "DATE"), Span(15, 23, "DATE")), patient="7")
    who = PatientSurrogates(SECRET, "7", collect_facts([note]))
    made = who.make_surrogate(note, note.spans[1])
    moved = date(2067, 7, 3) + timedelta(who.dates.shift.days)
    assert made == f"{moved.day}/{moved.month}/{moved.year}"
    assert parser.find_order("2067-05-13") is None


@pytest.mark.parametrize(
    ("others", "is_day_first"),
    [("26 Mar", True), ("3rd June 1991 and May 4", False), ("5 MAY", False), ("26 Mar and 12/25/66", False)],
)
def test_the_order_of_spoken_dates_decides_where_no_number_does(others, is_day_first):
    texts = ["7/10/67", *others.split(" and ")]
    text, ends = ", ".join(texts), [len(", ".join(texts[: number + 1])) for number in range(len(texts))]
    spans = [Span(end - len(each), end, "DATE") for each, end in zip(texts, ends)]
    note = Document("n", text, tuple(spans), patient="7")
    assert collect_facts([note]).month_first is not is_day_first
    assert find_orders([note]) == {note.owner: not is_day_first}


@pytest.mark.parametrize("number", range(60))
def test_a_shift_keeps_weekdays_and_nearly_the_season(number):
    shift = dates.draw_shift(KeyedChoices(SECRET, str(number)), years=25, weeks=2)
    assert shift.days % 7 == 0 and 1 <= abs(shift.years) <= 25
    assert 3 < abs(shift.days - shift.years * 365.25) < 18
    assert shift.direction in (-1, 1)


FORMS = (
    "{m}/{d}/{y}",
    "{m:02}/{d:02}/{y}",
    "{y}-{m:02}-{d:02}",
    "{month} {d}, {y}",
    "{d:02}-{mon}-{y}",
    "{y}{m:02}{d:02}",
)
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


def written(day, form):
    month = MONTHS[day.month - 1]
    return form.format(d=day.day, m=day.month, y=day.year, month=month, mon=month[:3])


def read(text, form):
    pattern = re.escape(form)
    for field, group in (("m", r"(?P<m>\d+)"), ("d", r"(?P<d>\d+)"), ("y", r"(?P<y>\d{4})")):
        for code in (field, f"{field}:02"):
            pattern = pattern.replace(
                re.escape("{" + code + "}"), group if ":" not in code else group.replace("+", "{2}")
            )
    pattern = pattern.replace(re.escape("{month}"), "(?P<month>[A-Z][a-z]+)").replace(
        re.escape("{mon}"), "(?P<month>[A-Z][a-z]{2})"
    )
    found = re.fullmatch(pattern, text).groupdict()
    month = (
        int(found["m"])
        if "m" in found
        else next(n for n, m in enumerate(MONTHS, 1) if m.startswith(found["month"]))
    )
    return date(int(found["y"]), month, int(found["d"]))


DAYS = st.dates(date(1900, 1, 1), date(2199, 12, 31))


@given(st.lists(st.tuples(DAYS, st.sampled_from(FORMS)), min_size=2, max_size=6), st.integers(0, 10**6))
@settings(max_examples=150, deadline=None)
def test_intervals_and_weekdays_are_kept_between_all_whole_dates(said, number):
    text, spans = "", []
    for day, form in said:
        spans.append(Span(len(text), len(text) + len(written(day, form)), "DATE"))
        text += written(day, form) + "; "
    note = Document("n", text, tuple(spans), patient=str(number))
    who = PatientSurrogates(SECRET, str(number), collect_facts([note]))
    near = who.find_note_date(note)
    moved = [read(who.make_surrogate(note, span, near), form) for span, (_, form) in zip(spans, said)]
    for new, (old, _) in zip(moved, said):
        assert new - old == moved[0] - said[0][0] and new.weekday() == old.weekday() and new != old


@given(DAYS, st.integers(-40, 40))
@settings(max_examples=150, deadline=None)
def test_a_date_without_its_year_moves_with_the_note(day, later):
    other = day + timedelta(later)
    shift = dates.draw_shift(KeyedChoices(SECRET, day.isoformat()))
    made = shift_text(f"{other.month}/{other.day}", shift, day)
    moved = other + timedelta(shift.days)
    assert list(map(int, made.split("/"))) == [moved.month, moved.day]


@given(st.text(alphabet="0123456789/-. ,'aMonthJFebrychuly", max_size=25))
@settings(max_examples=400, deadline=None)
def test_any_text_is_moved_or_not_read(text):
    made = shift_text(text, BACK, NOTE)
    assert made is None or made != text


# The earliest and the latest day, and the examples of Meeus, Astronomical Algorithms, chapter 8.
EASTERS = ["1818-03-22", "1886-04-25", "1943-04-25", "1954-04-18", "1991-03-31", "1992-04-19", "1993-04-11",
           "2000-04-23", "2024-03-31", "2038-04-25", "2100-03-28", "2200-04-06", "2285-03-22"]  # fmt: skip


@pytest.mark.parametrize("day", [date.fromisoformat(day) for day in EASTERS], ids=EASTERS)
def test_easter_is_computed_for_any_year(day):
    assert english.find_easter(day.year) == day


def test_every_easter_is_a_sunday_from_march_22_to_april_25():
    for year in range(1583, 4100):
        day = english.find_easter(year)
        assert day.weekday() == 6 and date(year, 3, 22) <= day <= date(year, 4, 25)


@pytest.mark.parametrize("name", english.HOLIDAY_NAMES)
def test_every_holiday_has_its_day(name):
    assert english.find_holiday(name, 2066).year == 2066
    assert parser.parse_dates(name.replace("years", "Year's")) is not None


# Every form of a date in the writings that people use: with and without blanks, marks, endings and years.
MOVED = """
2067-3-7 = 2057-3-12 | 2067 / 3 / 7 = 2057 / 3 / 12 | 2067 – 03 – 07 = 2057 – 03 – 12
2067.3.7 = 2057.3.12 | 2067/3 = 2057/3 | 2067 - 12 = 2057 - 12 | 3/7/2067 = 3/12/2057
3 / 7 / 2067 = 3 / 12 / 2057 | 3/7/'67 = 3/12/'57 | 3/7/’67 = 3/12/’57 | 3–7–67 = 3–12–57
3 7 2067 = 3 12 2057 | 3/2067 = 3/2057 | 3 / 2067 = 3 / 2057 | 3.2067 = 3.2057 | 12-2067 = 12-2057
7-9 March = 12-14 March | 7th - 9th March = 12th - 14th March | 7 to 9 March 2067 = 12 to 14 March 2057
7 through 9 March = 12 through 14 March | 7 thru 9 March = 12 thru 14 March
7 and 9  of  March  of  2067 = 12 and 14  of  March  of  2057 | 7 & 9 March '67 = 12 & 14 March '57
7th–9th  day  of  March = 12th–14th  day  of  March | 7—9 de marzo de 2067 = 12—14 de marzo de 2057
7-9  de  marzo  del  2067 = 12-14  de  marzo  del  2057 | 7-9 Mar. 67 = 12-14 Mar. 57
7–9 March of '67 = 12–14 March of '57 | 3/7 = 3/12 | 3 / 7 = 3 / 12 | 3-7 = 3-12 | 7Mar67 = 12Mar57
7Mar'67 = 12Mar'57 | 7MAR2067 = 12MAR2057 | 7 March = 12 March | 7th March = 12th March
7th  of  March = 12th  of  March | 7th  day  of  March = 12th  day  of  March | 7 of March = 12 of March
7  de  marzo  de  2067 = 12  de  marzo  de  2057 | 7 de marzo del 2067 = 12 de marzo del 2057
7  de  marzo  del  2067 = 12  de  marzo  del  2057 | 7 March  of  2067 = 12 March  of  2057
7 March, '67 = 12 March, '57 | 7 March ’67 = 12 March ’57 | 7 March 67 = 12 March 57
7/March/2067 = 12/March/2057 | 7–March–2067 = 12–March–2057 | first of March = sixth of March
the second  day  of  March = the seventh  day  of  March
twenty-first of March, 2067 = twenty-sixth of March, 2057
Twenty first  of  March = Twenty-sixth  of  March | third day of Mar. 2067 = eighth day of Mar. 2057
March 3-5 = March 8-10 | March 3rd - 5th = March 8th - 10th | March 3 and 5, 2067 = March 8 and 10, 2057
March 3-5,2067 = March 8-10,2057 | Mar. 3rd–5th  2067 = Mar. 8th–10th  2057
March 3 through 5 2067 = March 8 through 10 2057 | March 3-25 = March 8-30
March 25-28, 2067 = March 30-April 2, 2057 | March 7 = March 12 | March the 7th = March the 12th
March  the  7th = March  the  12th | March 7th, 2067 = March 12th, 2057 | March 7,2067 = March 12,2057
March 7 , 2067 = March 12 , 2057 | March 7, '67 = March 12, '57 | March 7, ’67 = March 12, ’57
March 7 '67 = March 12 '57 | March 7  '67 = March 12  '57 | March 7/67 = March 12/57
March 7-2067 = March 12-2057 | March 7  2067 = March 12  2057 | March 7 2067 = March 12 2057
March 7, 67 = March 12, 57 | March 29, 30 and 31 = April 3, 4 and 5
March 29, 30  and  31 = April 3, 4  and  5 | March 29 , 30 or 31 = April 3 , 4 or 5
March 29, 30 & 31 = April 3, 4 & 5 | March 2067 = March 2057 | March, 2067 = March, 2057
March of 2067 = March of 2057 | March  of  2067 = March  of  2057 | marzo  de  2067 = marzo  de  2057
marzo  del  2067 = marzo  del  2057 | Mar-67 = Mar-57 | Mar '67 = Mar '57 | Mar ’67 = Mar ’57
Mar. 2067 = Mar. 2057 | marzo de 67 = marzo de 57 | March = April | Mar. = Apr. | 20670307 = 20570312
03072067 = 03122057 | 030767 = 031257 | 670307 = 570312 | 2060s = 2050s | 1990's = 1980's
1990’s = 1980’s | '90s = '80s | ’90s = ’80s | 90s = 80s | 90's = 80's | 2067 = 2057 | '67 = '57
’67 = ’57 | 7th = 12th | the 7th = the 12th | first = sixth | the first = the sixth
the twenty-first = the twenty-sixth | the  twenty first = the  twenty-sixth | 7 = 12
Christmas = December 30 | Christmas 2066 = December 30 2056 | Christmas, 2066 = December 30, 2056
Christmas  of  2066 = December 30  of  2056 | Christmas of '66 = December 30 of '56
Christmas '66 = December 30 '56 | Christmas 66 = December 30 56 | XMAS = December 30
Xmas,  2066 = December 30,  2056 | New Years Day = January 6 | New Year's Eve = January 5
New Year’s Day = January 6 | St. Patrick's Day = March 22 | St Patricks Day = March 22
St Patrick's day = March 22 | Valentine's Day = February 19 | Valentines' Day = February 19
Valentines Day = February 19 | Mothers' Day = May 13 | Mother's day = May 13 | mothers day = May 13
Father’s Day = June 24 | Presidents' Day = February 26 | President's Day = February 26
Veterans Day = November 16 | Veteran's Day = November 16 | Patriots' Day = April 23
Patriot's Day = April 23 | MLK Day = January 22 | Easter Monday = April 9 | Easter = April 8
FEBRUARY 3RD = FEBRUARY 8TH | THE 7TH OF MARCH = THE 12TH OF MARCH
TWENTY-FIRST OF MARCH = TWENTY-SIXTH OF MARCH | THE 12TH = THE 17TH | CHRISTMAS 2066 = December 30 2056
2060S = 2050S | OCT 3 = OCT 8 | 7 DE MARZO DE 2067 = 12 DE MARZO DE 2057
3/7/2067 10:22 = 3/12/2057 10:22 | 3/7/2067 10:22:05 = 3/12/2057 10:22:05
3/7/2067 10:22:05.5 = 3/12/2057 10:22:05.5 | 3/7/2067 10:22 pm = 3/12/2057 10:22 pm
3/7/2067 10:22pm = 3/12/2057 10:22pm | 3/7/2067 10:22 p.m. = 3/12/2057 10:22 p.m.
3/7/2067 10:22PM = 3/12/2057 10:22PM | 3/7/2067 1:22 am = 3/12/2057 1:22 am
2067-03-07T10:22 = 2057-03-12T10:22 | 2067-03-07t10:22 = 2057-03-12t10:22
2067-03-07T10:22:05Z = 2057-03-12T10:22:05Z | 3/7/2067 10:22 hrs = 3/12/2057 10:22 hrs
3/7/2067 10:22 hr = 3/12/2057 10:22 hr | 3/7/2067 10:22h = 3/12/2057 10:22h
3/7/2067 at 10:22 z = 3/12/2057 at 10:22 z | 3/7 Wednesdays = 3/12 Wednesdays
mondays 3/7 = mondays 3/12 | weekends 3/7 = weekends 3/12 | on days of March = on days of April
since early March = since early April | between 3/7 and 3/9 = between 3/12 and 3/14
spring 3/7 = spring 3/12 | THE 7TH = THE 12TH | Wed 3/7 = Wed 3/12 | Weds 3/7 = Weds 3/12
from the 3rd to the 5th of March = from the 8th to the 10th of March
the 3rd and the 5th of March = the 8th and the 10th of March
March 3, the 5th and the 7th = March 8, the 10th and the 12th | March 3, 5 = March 8, 10
March 3 5 = March 8 10 | March 3 , 5 , and the 7 = March 8 , 10 , and the 12
3/7, 9, and 11 = 3/12, 14, and 16 | 3/7 - the 9th = 3/12 - the 14th | 3/7 or 9 = 3/12 or 14
3/7/67, 9 = 3/12/57, 14 | March 3, 2067, 5 = March 8, 2057, 10 | the 3 = the 8 | on 3 = on 8
of 3 = of 8 | by 3 = by 8 | from 3 = from 8 | since 3 = since 8 | till 3 = till 8 | until 3 = until 8
to 3 = to 8 | to the 3 = to the 8 | thru 3 = thru 8 | through 3 = through 8 | and 3 = and 8
10:22 3/7 = 10:22 3/12 | 13/7/2067 = 18/7/2057 | 7/13/2067 = 7/18/2057 | 3/67 = 3/57 | 3/31 = 4/5
3/00 = 3/90 | 2/29 = 3/6 | 19990101 = 19890106 | 18000307 = 17900312 | 22990307 = 22890312
01-MAY-67 = 06-MAY-57 | 1 May 67 = 6 May 57 | 1-may-67 = 6-may-57 | May-67 = May-57
3 May-2067 = 8 May-2057 | MAY 67 = MAY 57 | 2999 = 2989 | Decembr 3, 2067 = December 8, 2057
Decmber = January | Sept 9 = Sept 14 | sept. 2067 = sept. 2057 | SEPT = OCT | Setpember 3 = September 8
Marrch = April | Mrach = April | Octob = November | augst 3 = august 8 | Agosto = Septiembre
diciembre 2067 = diciembre 2057 | 3 de enero = 8 de enero | jun 3 = jun 8 | 40s = 30s | '05 = '95
'00s = '90s | the 2000s = the 1990s
25th of March and the 28th = 30th of March and the April 2nd
December 28-30 2066 = January 2-4 2057 | December 28-30,  2066 = January 2-4,  2057
December 30  2066 = January 4  2057 | Dec.28-30, 2066 = Jan.2-4, 2057
New Year's Eve,  2066 = January 5,  2057 | the 7th, 2061 = the 12th, 2051 | 2060summer = 2050summer
7 March  of  67 = 12 March  of  57 | 7 marzo  de  67 = 12 marzo  de  57
7 marzo  del  67 = 12 marzo  del  57 | 7-9 March  of  67 = 12-14 March  of  57
7-9 marzo  de  67 = 12-14 marzo  de  57 | 7-9 marzo  del  67 = 12-14 marzo  del  57
March  of  67 = March  of  57 | marzo  de  67 = marzo  de  57 | marzo  del  67 = marzo  del  57
March 7,67 = March 12,57 | March 7,  67 = March 12,  57 | March 7 ,67 = March 12 ,57
Christmas  66 = December 30  56 | Christmas of  66 = December 30 of  56
June 3, 5 and  27 = June 8, 10 and  July 2 | June 3, the  27th = June 8, the  July 2nd
JUNE 3, 5 AND 27 = JUNE 8, 10 AND JULY 2 | JUNE 3, THE 27TH = JUNE 8, THE JULY 2ND | THE  3 = THE  8
the  3 = the  8 | -3 = -8 | 2067-06-03, 27 = 2057-06-08, 07/02 | 3/32 = 3/22 | 1/2/2999 = 1/7/2989
2067-13 = 2057-18 | March 32 = March 22 | 29-MAY-67 = 03-JUN-57 | May-29-67 = Jun-3-57
29 May 67 = 3 June 57 | 29-May 67 = 03-Jun 57 | 29 May-67 = 3 Jun-57 | 29-MAY = 03-JUN | may-29 = jun-3
October 29, '05 = November 4, '95 | 10/28/67 = 11/02/57 | 3/28/67 = 4/2/57 | 28-Oct-67 = 02-Nov-57
3/28/05 = 4/3/95 | Feb 2065 and March = Feb 2055 and April | 7-9March = 12-14March
7th-9thMarch = 12th-14thMarch | 7thMarch = 12thMarch | 7March = 12March
3/7/67 10:22:05.25 = 3/12/57 10:22:05.25 | 3 and 28 June = 8 June and 3 July | 2067/3 - 5 = 2057/3 - 10
2067/3 -5 = 2057/3 -10 | March 3- 25 = March 8- 30 | 2067-03-7 = 2057-03-12 | 2067-3-07 = 2057-3-12
March 3-25 2067 = March 8-30 2057 | 7 of  March = 12 of  March
7 day of  March  67 = 12 day of  March  57 | 13/7/67 = 18/7/57 | 31/3/67 = 5/4/57 | 3/13/67 = 3/18/57
3/31/67 and 1/13/67 = 4/5/57 and 1/18/57 | Dec 30-31 = Jan 4-5 | (3/7) = (3/12) | [3/7/67] = [3/12/57]
3/7~3/9 = 3/12~3/14 | 3/7+3/9 = 3/12+3/14 | 3/7;3/9 = 3/12;3/14 | 3/7: = 3/12: | 3/7' = 3/12'
3/7—3/9 = 3/12—3/14 | 3/7&3/9 = 3/12&3/14 | 3/7,,3/9 = 3/12,,3/14 | sept 30 = oct 5
June 30th = July 5th | first-third of June = sixth-eighth of June | the 1st of June = the 6th of June
2ND OF JUNE = 7TH OF JUNE | Second of June = Seventh of June | FIRST OF JUNE = SIXTH OF JUNE
thirty-first of May = fifth of June | Thirty-First of May = Fifth of June
twenty second of June 2066 = twenty-seventh of June 2056 | mid June = mid July
beginning of June = beginning of July | June evening = July evening | circa 2060 = circa 2050
dated 3/7 = dated 3/12 | June 3, 5&27 = June 8, 10&July 2 | 7-9th  March = 12-14th  March
"""
UNREAD = """
twenty  first of March 2067 | March3-5 | March7 | 203007 | Easters | 3/7/2067 10:22 zz
3/7/2067 10:22 hx | 3/7/2067 10:22 pmx | 3/7 thex | 3/7 a | 3/7 Wedx | March 3; 5 | 3 pm | at 3 | or 3
10:22 | 32/1/2067 | 0/7 | 13/13 | 13/32 | 2/30 | 4/31/2067 | March 0 | 32 March | 31-32 March
0-3 March | 00-3 March | March 0-3 | 17990307 | 23000307 | 99123199 | 1/2/0999 | 0999 | 1/2/999 | Monda
Tueday | Sumer | 3/7/1 67 | 05s | 2005s | 0s
Christmas,66 | 3/7 Deon | on Monday 3 | 3/0 | 0/31 | 3000 | 1/2/3000 | 2067/32 | 25/13
3/7/67 10:22 ham | 90sx | the 90stop | 3rdx | thirdx | 3rds | firsts | Eastersunday | easters 2066
2067/3- | 2067-3 5 | Mar3 | Mar3-5 | xmasof 66 | St Patricks | presidents day's | presidentsday
June 12:34:5 | 12:34 | 1:2 3/7 | 12:345 3/7 | 123:45 3/7 | 7th March67
"""


def split_rows(table: str) -> list[str]:
    return table.strip().replace("\n", " | ").split(" | ")


def test_every_writing_of_a_date_is_moved_by_the_same_days():
    rows = [row.split(" = ") for row in split_rows(MOVED)]
    assert [[text, shift_text(text, BACK, NOTE)] for text, _ in rows] == rows


def test_what_only_looks_like_a_date_is_not_read():
    assert [text for text in split_rows(UNREAD) if shift_text(text, BACK, NOTE)] == []


MONTH_ROWS = {
    "January": "January February March April May June July August September October November December",
    "jan": "jan feb mar apr may jun jul aug sep oct nov dec",
    "Sept": "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec",
    "ENERO": "ENERO FEBRERO MARZO ABRIL MAYO JUNIO JULIO AGOSTO SEPTIEMBRE OCTUBRE NOVIEMBRE DICIEMBRE",
}


@pytest.mark.parametrize("like", MONTH_ROWS)
def test_a_month_is_read_and_written_in_its_language_length_and_capitals(like):
    names = MONTH_ROWS[like].split()
    assert [english.write_month(number, like) for number in range(1, 13)] == names
    assert [english.parse_month(name) for name in names] == list(range(1, 13))


ORDINAL_WORDS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth
twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"""


def test_an_ordinal_in_words_is_its_day():
    for number, word in enumerate(ORDINAL_WORDS.split(), 1):
        expected = f"{(date(2067, 1, number) + timedelta(5)).day}"
        assert english.write_ordinal_like(number, "fifth") == word
        assert shift_text(f"January {number}", BACK, NOTE).split()[-1] == expected
        moved = shift_text(f"the {word} of January", BACK, NOTE).split()[1]
        assert moved == ORDINAL_WORDS.split()[int(expected) - 1]


@pytest.mark.parametrize(
    ("text", "order"),
    [("31/12/66", parser.DAY_FIRST), ("13/1/66", parser.DAY_FIRST), ("12/31/66", parser.MONTH_FIRST),
     ("1/13/66", parser.MONTH_FIRST), ("12/12/66", None), ("32/1/66", None), ("1/32/66", None),
     ("13/13/66", None), ("seen 31.12.2066", parser.DAY_FIRST), ("31/12", None), ("31/12-66", None),
     ("31/12/661", None), ("131/12/66", None)],
)  # fmt: skip
def test_a_date_proves_the_order_of_day_and_month_or_does_not(text, order):
    assert parser.find_order(text) == order


@pytest.mark.parametrize(
    ("text", "moved"),
    [("3/7/67", "8/7/57"), ("3/12/67", "8/12/57"), ("3/13/67", "3/18/57"), ("12/13", "12/18"),
     ("12/12", "17/12"), ("13/3", "18/3"), ("3/32", "3/22"), ("12/67", "12/57"), ("7/3", "12/3")],
)  # fmt: skip
def test_two_numbers_are_day_and_month_where_the_day_comes_first(text, moved):
    assert shift_text(text, BACK, NOTE, month_first=False) == moved


@pytest.mark.parametrize(
    ("text", "moved"),
    [("the 30th", "the 5th"), ("2/7", "2/13"), ("3/7", "3/12"), ("Easter", "April 9"), ("12/31", "01/06")],
)
def test_a_note_without_a_date_is_of_july_2010(text, moved):
    assert shift_text(text, BACK, None) == moved


@pytest.mark.parametrize("text", ["2/2064", "Feb-Mar 2064", "Feb 2064"])
def test_a_month_moves_with_its_fifteenth_day(text):
    """From 15 February 2064 to 29 February 2068; the 16th would come into March."""
    assert shift_text(text, Shift(4, 1475)) == text.replace("64", "68")


def test_weeks_beyond_the_years_have_a_direction():
    days = {735: 1, 729: 1, 728: 0, 727: -1, 721: -1, -728: 0}
    assert {day: Shift(2 if day > 0 else -2, day).direction for day in days} == days
    assert Shift(0, 7).direction == 1 and Shift(0, -7).direction == -1


def test_dates_shift_by_at_most_25_years_and_2_weeks_if_nothing_is_said():
    assert (Rules().years, Rules().weeks) == (25, 2)
    drawn = {dates.draw_shift(KeyedChoices(SECRET, str(number))) for number in range(400)}
    assert {shift.years for shift in drawn} == {*range(-25, 26)} - {0}
    assert {abs(shift.days - round(shift.years * 365.25 / 7) * 7) for shift in drawn} == {7, 14}


def test_a_shifter_takes_the_shift_that_a_map_remembers():
    shifter = dates.DateShifter(Shift(1, 364))
    shifter.move_by(364)
    assert shifter.shift == Shift(1, 364)
    shifter.move_by(9317)  # 25 years and 186 days
    assert shifter.shift == Shift(26, 9317)
    shifter.move_by(-3647)
    assert shifter.shift == Shift(-10, -3647) and shifter.shift_text("3/7/67", NOTE) == "3/12/57"


@pytest.mark.parametrize(
    ("texts", "found"),
    [(["3/4/61", "5/1/2067"], date(2067, 5, 1)), (["3/4/61", "5/1"], date(1961, 3, 4)), (["5/1"], None),
     (["5/1/2067", "6/1/2066"], date(2067, 5, 1)), (["6/1/2066", "6/2/2066", "5/1/2067"], date(2066, 6, 1)),
     (["3/4/50", "3/5/50", "5/1/2067"], date(2067, 5, 1)), (["March 3-5, 2067"], date(2067, 3, 3)),
     (["3-5 March 2067"], date(2067, 3, 3)), (["soon", "2067", "May 2067"], None),
     (["2/30/2067", "2/3/2066"], date(2066, 2, 3))],
)  # fmt: skip
def test_the_date_of_a_note_is_the_first_of_its_most_frequent_year(texts, found):
    assert dates.find_note_date(texts) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [("3/4/1977", True), ("3/4/1978", False), ("3/4/77", False), ("1976", True), ("1979", False),
     ("1970s", True), ("1980s", False), ("5/1", False), ("soon", False)],
)  # fmt: skip
def test_a_birth_ninety_years_ago_shows_an_old_age(text, shown):
    assert dates.shows_old_age(text, date(2067, 5, 1)) is shown
    assert dates.shows_old_age(text, None) is False


NTH = {"martin luther king day": (1, 0, 3), "presidents day": (2, 0, 3), "patriots day": (4, 0, 3),
       "mothers day": (5, 6, 2), "memorial day": (5, 0, -1), "fathers day": (6, 6, 3), "labor day": (9, 0, 1),
       "columbus day": (10, 0, 2), "thanksgiving": (11, 3, 4)}  # fmt: skip


@pytest.mark.parametrize("name", NTH)
def test_a_movable_holiday_is_the_same_weekday_of_its_month_in_every_year(name):
    month, weekday, which = NTH[name]
    for year in range(2001, 2029):
        days = [date(year, month, 1) + timedelta(day) for day in range(28 if which > 0 else 31)]
        weekdays = [day for day in days if day.weekday() == weekday]
        assert english.find_holiday(name, year) == weekdays[which - (which > 0)]


# Five weeks before the first days of a year: a year that were read on its own would stay.
BEFORE_NEW_YEAR = """
2067-1-7 = 2066-12-3 | 2067-01-7 = 2066-12-3 | 2067-1-07 = 2066-12-03 | 2067 / 1 / 7 = 2066 / 12 / 3
1/7/2067 = 12/3/2066 | 1/7/67 = 12/3/66 | 1 - 7 - '67 = 12 - 3 - '66 | 01 07 2067 = 12 03 2066
1 7 2067 = 12 3 2066 | 7 Jan 2067 = 3 Dec 2066 | 7 Jan 67 = 3 Dec 66 | 7 Jan. ’67 = 3 Dec. ’66
7-9 Jan 2067 = 3-5 Dec 2066 | 7th to 9th of January, 67 = 3rd to 5th of December, 66
7 and 9 day of Jan of '67 = 3 and 5 day of Dec of '66 | 7-9 de enero de 2067 = 3-5 de diciembre de 2066
7-9 enero del 67 = 3-5 diciembre del 66 | 7Jan67 = 3Dec66 | 7JAN2067 = 3DEC2066 | 07Jan'67 = 03Dec'66
7th of January of 2067 = 3rd of December of 2066 | 7 de enero de 67 = 3 de diciembre de 66
7 enero del 2067 = 3 diciembre del 2066 | 7th day of January 2067 = 3rd day of December 2066
seventh of January 2067 = third of December 2066 | seventh day of Jan., 2067 = third day of Dec., 2066
Jan 7-9, 2067 = Dec 3-5, 2066 | Jan 7-9 2067 = Dec 3-5 2066 | Jan 7th-9th,2067 = Dec 3rd-5th,2066
Jan 7 thru 9  2067 = Dec 3 thru 5  2066 | Jan 7, 2067 = Dec 3, 2066 | Jan 7,67 = Dec 3,66
Jan the 7th , '67 = Dec the 3rd , '66 | Jan 7 '67 = Dec 3 '66 | Jan 7/67 = Dec 3/66 | Jan 7-2067 = Dec 3-2066
Jan 7 2067 = Dec 3 2066 | Jan 7  2067 = Dec 3  2066 | January of 2067 = December of 2066
Jan. '67 = Dec. '66 | enero de 2067 = diciembre de 2066 | enero del 67 = diciembre del 66
Jan/67 = Dec/66 | 1/2067 = 12/2066 | 1 / 2067 = 12 / 2066 | 2067/1 = 2066/12 | 2067 - 01 = 2066 - 12
1/67 = 12/66 | 20670107 = 20661203 | 01072067 = 12032066 | 010767 = 120366 | 670113 = 661209
New Year's Day 2067 = November 27 2066 | New Year's Day, 2067 = November 27, 2066
New Years Day of '67 = November 27 of '66 | Wed 1/7/67, 10:22 = Wed 12/3/66, 10:22
1/7 and 1/9/2067 = 12/3 and 12/5/2066 | Jan 7, 9 and 11, 2067 = Dec 3, 5 and 7, 2066
1/7, 2067 = 12/3, 2066 | 1/7, 9 and 11 2067 = 12/3, 5 and 7 2066
Feb 1, 3 and 11, 2067 = Dec 28, 30 and Jan 7, 2067 | 1/7/2067, 2065 = 12/3/2066, 2065
7th and 9th  day  of  January 2067 = 3rd and 5th  day  of  December 2066
Jan 7, New Year's Day 2067 = Dec 3, November 27 2066 | Jan and 2067 = Dec and 2067
Jan 7 to 2067 = Dec 3 to 2067
"""


def test_a_year_moves_with_its_day():
    rows = [row.split(" = ") for row in split_rows(BEFORE_NEW_YEAR)]
    for note in (date(2067, 3, 7), date(2064, 7, 1)):
        assert [[text, shift_text(text, Shift(0, -35), note)] for text, _ in rows] == rows
