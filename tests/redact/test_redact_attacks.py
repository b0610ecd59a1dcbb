"""What a hostile reader tries on redacted notes: each case was, or might have been, a way out for PHI."""

import json
import re
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_notes import SECRET, marked, redacted, replace_identifier

from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import ages, name_pools, places
from crfdeid.redact.surrogates.dates import parser
from crfdeid.redact.surrogates.dates import shift as dates
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates
from crfdeid.redact.surrogates.patient_facts import collect_facts
from crfdeid.redact.surrogates.text_forms import fold
from crfdeid.text.document import Document, Span


def second(found: str, text: str, **choices) -> str:
    """What becomes of a note of the same patient in which nothing was found."""
    notes = [marked(found, "n1"), Document("n2", text, (), "7")]
    return Redactor(SECRET, **choices).redact(notes)[1].document.text


def alone(text: str) -> str:
    return Redactor(SECRET).redact([marked(text)])[0].document.text


@pytest.mark.parametrize(
    ("found", "text", "gone"),
    [
        ("<MEDICALRECORD 4471902>", "MRN 447-19-02", "447"),
        ("<MEDICALRECORD 447-19-02>", "#4471902", "4471902"),
        ("<MEDICALRECORD 4471902>", "MRN4471902.", "4471902"),
        ("<MEDICALRECORD 4471902>", "447 19 02", "447"),
        ("<MEDICALRECORD 66 32 94>", "#66 32 94", "66"),
        ("<MEDICALRECORD 12 345>", "MRN 12 345", "345"),
        ("<SSN 123-45-6789>", "SSN 123456789", "6789"),
        ("<SSN 123-45-6789>", "xxx-xx-6789", "6789"),
        ("<SSN 123-45-6789>", "last four 6789", "6789"),
        ("<SSN 123-45-6789>", "card ending in 6789", "6789"),
        ("<PHONE (617) 555-0148>", "call 617.555.0148", "617"),
        ("<PHONE (617) 555-0148>", "6175550148", "0148"),
        ("<PHONE 617-555-0148>", "617-555-\n0148", "0148"),
        ("<EMAIL b.ruiz@x.org>", "B.RUIZ@X.ORG", "RUIZ"),
        ("<PATIENT Ana Garcia>", "the Garcias came", "Garcia"),
        ("<PATIENT Ana Davis>", "the Davises", "Davis"),
        ("<PATIENT Okafor>", "OKAFORS", "OKAFOR"),
        ("<PATIENT José Peña>", "Jose\u0301 Pen\u0303a", "Jos"),
        ("<PATIENT Okafor>", "Oka\u200bfor", "for"),
        ("<PATIENT Okafor>", "Oka\u00adfor's", "Oka"),
        ("<PATIENT Okafor>", "Ｏｋａｆｏｒ", "Ｏｋａｆｏｒ"),
        ("<PATIENT O'Neil>", "O\u2019Neil", "Neil"),
        ("<PATIENT Okafor>", "jokafor@clinic.org", "okafor"),
        ("<PATIENT Okafor>", "okafor_j.pdf", "okafor"),
        ("<PATIENT Okafor>", "http://x.org/~okafor2", "okafor"),
        ("<PATIENT Okafor>", "Okafor-Lund", "Okafor"),
        ("<PATIENT Robert Lund>", "Bob came", "Bob"),
        ("<PATIENT Bob Lund>", "Robert came", "Robert"),
        ("<HOSPITAL Elmira Hill Clinic>", "at Elmira Hill\r\n  Clinic", "Elmira"),
        ("<STREET 12 Oak Lane>", "12 OAK  LANE", "OAK"),
        ("<CITY New Bedford>", "NEW\nBEDFORD", "BEDFORD"),
        ("<AGE 93>", "this 93-year-old man", "93"),
        ("<AGE 93>", "aged 93", "93"),
        ("<AGE ninety-three>", "is ninety three", "ninety"),
        ("<DATE 3/7/2067>", "on 3-7-2067", "3-7-2067"),
        ("<PATIENT Xqztl Vrbnk>", "Xqztl was seen", "Xqztl"),
        ("<PATIENT SMITH,ROBERT A>", "Rob Smith", "Smith"),
    ],
)
def test_what_was_found_is_found_again_in_other_writing(found, text, gone):
    made = second(found, text)
    assert gone not in made and made != text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("<MEDICALRECORD 12345>", "12.3 45 mg"),
        ("<MEDICALRECORD 4471902>", "44719025"),
        ("<AGE 93>", "93 mg"),
        ("<AGE 67>", "67-year-old"),
        ("<SSN 123-45-6789>", "6789 cells"),
        ("<PATIENT Ana Price>", "prices rose"),
        ("<DATE 3/7/67>", "3, 7, 67"),
        ("<USERNAME thedoctor>", "the doctor"),
        ("<PATIENT Will Roe>", "willing@heart"),
        ("<ID 1 2>", "1 2 3"),
    ],
)
def test_what_only_looks_alike_is_left(found, text):
    assert second(found, text) == text


@pytest.mark.parametrize("text", ["xOkafor", "preOkaforian"])
def test_a_name_within_another_word_is_left_and_listed(text):
    notes = [marked("<PATIENT Okafor>", "n1"), Document("n2", text, (), "7")]
    found = Redactor(SECRET).redact(notes)[1]
    assert found.document.text == text
    assert [found.document.text_of(span).lower() for span in found.survivors] == ["okafor"]
    notes = [marked("<PATIENT Robert>", "n1"), Document("n2", "Robertson, mankind", (), "7")]
    assert not Redactor(SECRET).redact(notes)[1].survivors


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<PATIENT Dr. Al Smith>", "Al"),
        ("<PATIENT Smith, Al B.>", "Al"),
        ("<PATIENT John Fellow>", "Fellow"),
        ("<PATIENT Fellow, John>", "Fellow"),
        ("<PATIENT Ann Nurse>", "Nurse"),
        ("<PATIENT KIM DO>", "DO"),
        ("<PATIENT van nguyen>", "van"),
        ("<PATIENT Do Kim>", "Do"),
        ("<PATIENT Di Smith>", "Di"),
        ("<PATIENT Mrs. Di Smith>", "Di"),
        ("<PATIENT Y. Smith>", "Y"),
        ("<PATIENT Ana Y. Smith>", "Y"),
        ("<PATIENT Smith, R. N.>", "R"),
        ("<STREET 12 North Street>", "North"),
        ("<STREET 45 Park Place>", "Park"),
        ("<STREET 9 Court St, Apt 4>", "Court"),
        ("<STREET 100 Broadway>", "Broadway"),
        ("<HOSPITAL Beth Israel Deaconess Medical Center>", "Deaconess"),
        ("<HOSPITAL New York Presbyterian Hospital>", "Presbyterian"),
        ("<HOSPITAL Mercy Hospital>", "Mercy"),
        ("<AGE 3/4/67>", "3"),
        ("<AGE 02139>", "02139"),
        ("<AGE 12 34 56 78>", "12"),
        ("<DATE 10/12 Ruiz>", "Ruiz"),
    ],
)
def test_nothing_that_tells_who_or_where_stays_in_a_surrogate(text, gone):
    assert gone not in re.findall(r"\w+", alone(text))


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Ana Ruiz",
        "Mr. and Mrs. Ruiz",
        "Ana Ruiz, MD, PhD",
        "Ruiz, Ana, M.D., Ph.D.",
        "Nurse Ruiz",
        "Ludwig van Ruiz",
    ],
)
def test_titles_that_tell_nothing_stay(text):
    made = alone(f"<DOCTOR {text}>")
    stays = [w for w in re.findall(r"\w+", text) if w not in ("Ana", "Ruiz", "Ludwig")]
    assert [w for w in re.findall(r"\w+", made) if w in stays] == stays and "Ruiz" not in made


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("Monday", ("DATE", "PATIENT")),
        ("67", ("AGE", "IDNUM")),
        ("USA", ("COUNTRY", "PATIENT")),
        ("Park Hospital", ("HOSPITAL", "PATIENT")),
        ("Nurse Ruiz", ("DOCTOR", "CITY")),
        ("Monday 3/7", ("DATE", "PATIENT")),
    ],
)
def test_what_one_type_lets_stand_goes_where_another_overlaps_it(text, types):
    for first, other in (types, types[::-1]):
        spans = (Span(0, len(text), first), Span(0, len(text.split()[0]), other))
        (found,) = Redactor(SECRET).redact([Document("n", text, spans)])
        assert not {*re.findall(r"\w+", text)} & {*re.findall(r"\w+", found.document.text)}


@pytest.mark.parametrize("by_note", [False, True])
def test_touching_spans_at_both_ends_and_nothing_else(by_note):
    text = "Ana Ruiz3/7/206702115"
    spans = (
        Span(0, 3, "PATIENT"),
        Span(3, 4, "OTHER"),
        Span(4, 8, "PATIENT"),
        Span(8, 16, "DATE"),
        Span(16, 21, "ZIP"),
    )
    (found,) = Redactor(SECRET, by_note=by_note).redact([Document("n", text, spans)])
    assert len(found.document.spans) == 5 and found.document.spans[-1].end == len(found.document.text)
    assert not any(part in found.document.text for part in ("Ana", "Ruiz", "3/7", "2067", "02115"))
    empty = Redactor(SECRET, by_note=by_note).redact([Document("e", "")])[0]
    assert empty.document.text == "" and not empty.replacements


def test_people_with_names_alike_stay_two_people():
    """Few names begin with X or fit either gender: what is drawn from few must not be given twice."""
    for number in range(40):
        people = ["Olsen", "Ortiz", "Owens", "Pat", "Paris", "Ellis", "Xu", "Xiong", "Roger", "Bob"]
        notes = [marked(f"<PATIENT {name}>", f"n{n}", str(number)) for n, name in enumerate(people)]
        who = PatientSurrogates(SECRET, str(number), collect_facts(notes))
        made = [fold(who.names.replace_names(name)) for name in people]
        assert len({*made}) == len(made)
        roger, bob = made[-2:]
        assert bob not in name_pools.load_nicknames().get(roger, ())


@pytest.mark.parametrize("state", ["VT", "AK", "DE", "MA", "CA"])
def test_two_towns_stay_two_towns(state):
    towns = name_pools.load_lefts("city_states")[state][:8]
    text = " ".join(f"<CITY {town}>, <STATE {state}>;" for town in towns)
    for number in range(25):
        (found,) = Redactor(SECRET).redact([marked(text, patient=str(number))])
        made = [found.document.text_of(s) for s in found.document.spans if s.type == "CITY"]
        assert len({*made}) == len(towns) and not {*made} & {*towns}


def test_short_numbers_stay_apart_and_none_is_another_real_one():
    numbers = [f"{n:04}" for n in range(1000, 1060)]
    note = marked(" ".join(f"<IDNUM {n}>" for n in numbers))
    (found,) = Redactor(SECRET).redact([note])
    made = [found.document.text_of(span) for span in found.document.spans]
    assert len({*made}) == len(numbers) and not {*made} & {*numbers}


def test_the_last_four_digits_agree_with_the_whole_number():
    (found,) = Redactor(SECRET).redact([marked("<SSN 123-45-6789>, last four <SSN 6789>, ending in 6789")])
    whole, *parts = (found.document.text_of(span) for span in found.document.spans)
    assert [whole[-4:]] * 2 == parts


def test_no_long_number_keeps_its_last_four_digits():
    patients = [KeyedChoices(SECRET, str(number)) for number in range(4)]
    for number in range(100_000, 103_000):
        for choices in patients:
            assert replace_identifier(f"MA {number}", choices)[-4:] != f"{number}"[-4:]


def test_no_surrogate_is_a_name_that_was_missed_in_the_notes():
    note = marked("<PATIENT Robert Smith> is here")
    given = Redactor(SECRET).redact([note])[0].document.text.split()[:2]
    (found,) = Redactor(SECRET).redact([marked(note.text.replace("Robert Smith", "<PATIENT Robert Smith>")
                                                 + f" with {' and '.join(given)}")])  # fmt: skip
    assert not {*given} & {*found.document.text_of(found.document.spans[0]).split()}


def test_no_hospital_or_town_is_named_after_the_patient():
    names = sorted(name for name in name_pools.load_pool(name_pools.SURNAME)["B"])[:900]
    people = " ".join(f"<PATIENT {name}>" for name in names)
    (found,) = Redactor(SECRET).redact([marked(f"{people} <HOSPITAL Elmira Clinic> <STREET 4 Oak Lane>")])
    assert not {*names} & {*re.findall(r"\w+", found.document.text)}


def test_a_zip_code_and_its_longer_form_agree():
    (found,) = Redactor(SECRET).redact([marked("<ZIP 02115> <ZIP 02115-1234> <ZIP 021151234>")])
    five, nine, joined = (found.document.text_of(span) for span in found.document.spans)
    assert nine.startswith(five) and nine.replace("-", "") == joined and len(nine) == 10
    assert places.find_zip_state(five) is not None and not nine.endswith("1234")


def test_names_of_notes_and_patients_that_tell_are_counted():
    note = marked("<PATIENT Robert Smith>, <MEDICALRECORD 4471902>", "SMITH_ROBERT-01", "447-1902")
    assert Redactor(SECRET).redact([note])[0].id_has_phi
    assert Redactor(SECRET).redact([Document("n1", note.text, note.spans, "4471902")])[0].id_has_phi
    assert not Redactor(SECRET).redact([Document("n1", note.text, note.spans, "7")])[0].id_has_phi


# Dates


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
def test_odd_forms_of_dates_keep_their_intervals_or_go(text, made):
    assert moved(text) == made


@pytest.mark.parametrize(
    ("text", "near", "year"),
    [("3/4/30", "2010-07-01", 1930), ("3/4/12", "2010-07-01", 2012), ("3/4/75", "2070-07-01", 2075)],
)
def test_a_short_year_is_no_far_future(text, near, year):
    assert (
        dates.full_year(parser.Field("y", int(text[-2:]), 0, 2, text[-2:]), date.fromisoformat(near)) == year
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
    """``text`` without what "May" and "10/12" do not tell: whether months are short, numbers padded."""
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
def test_sixty_forms_say_the_moved_day_as_they_said_the_day(day, number):
    """A day and a note five days later. What leaves out its year or month means the nearest."""
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
def test_both_ends_of_a_range_are_moved_alike(first, length, number):
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


def test_a_birthday_said_often_is_not_the_date_of_the_note():
    said = ["3/4/1950", "3/4/1950", "03/04/1950", "5/1/2067", "5/3/2067"]
    assert dates.find_note_date(said) == date(2067, 5, 1)


def test_a_date_that_tells_an_age_over_89_goes():
    note = "Seen <DATE 5/1/2067>; born <DATE 3/4/{}>, aged <AGE {}>; <DATE {}>."
    (old,) = Redactor(SECRET).redact([marked(note.format(1970, 97, 1970))])
    assert [p.resolved for p in old.replacements] == [True, False, True, False]
    assert [p.why for p in old.replacements][1] == "shows an age over 89"
    (decade,) = Redactor(SECRET).redact([marked("Seen <DATE 5/1/2067>, born in the <DATE 1960s>")])
    assert not decade.replacements[1].resolved
    (young,) = Redactor(SECRET).redact([marked(note.format(1990, 77, 1990))])
    assert all(p.resolved for p in young.replacements)


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [
        ("in her nineties", "", "in her 90+"),
        ("90", "", "90+"),
        ("89", "", "89"),
        ("91 y/o", "", "90+ y/o"),
        ("2 1/2", " years", "2 1/2"),
        ("5 years 3 months", "", "5 years 3 months"),
        ("1900", "", None),
        ("Ⅸ", "", None),
    ],
)
def test_odd_ages(text, after, made):
    assert ages.generalise_age(text, after) == made


def test_ten_thousand_letters_take_no_time():
    long = "a" * 10_000 + " " + "1-" * 5_000 + " " + "Okafor " * 2_000
    made = second("<PATIENT Okafor> <PATIENT Aaaa> <MEDICALRECORD 11111111> <AGE 93> <DATE 1/1/2067>", long)
    assert "Okafor" not in made


def test_every_letter_has_one_letter():
    for number in range(30):
        names = PatientSurrogates(SECRET, str(number)).names
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZÉØ":
            assert (
                names.replace_letter(letter).lower() == names.replace_letter(letter.lower()) != letter.lower()
            )


def test_results_do_not_depend_on_the_order_with_all_these():
    notes = [
        marked("<PATIENT Ana Garcia>, <SSN 123-45-6789>, <CITY Boston>, <STATE MA>; <IDNUM 1234>", "a"),
        marked(
            "the <PATIENT Garcias>, <SSN 6789>, <ZIP 02115-1234>, <IDNUM 4321>, <CITY Lynn>, <STATE MA>", "b"
        ),
        marked("<HOSPITAL Elm Hospital>, <PATIENT Pat>, <PATIENT Bob>, <CITY Salem>. 6789", "c"),
    ]
    for by_note in (False, True):
        assert redacted(notes, by_note=by_note) == redacted(notes[::-1], by_note=by_note)
    assert json.dumps(KeyedChoices(SECRET, "7").draw_number(10, "x"))
