"""What programs read in notes is counted before and after redaction: tables of examples, and properties."""

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.redact.utility import alignment
from crfdeid.redact.utility.alignment import align, count_prefixes, find_pairs, measure_common
from crfdeid.redact.utility.comparison import (
    ALL,
    KINDS,
    MEDICINE,
    NEGATED,
    TOGETHER,
    Intervals,
    MovedDate,
    Utility,
    move_date,
)
from crfdeid.redact.utility.content import (
    DISEASE,
    DRUG,
    EPONYM,
    FINDING,
    MEASURE,
    NEGATION,
    TERM,
    Day,
    read_content,
)
from crfdeid.text.document import Document

MEASURES = {
    "Lasix 40 mg PO": ["40mg"],
    "2.5-5 MG/kg/day": ["2.5-5mg/kg/day"],
    "for 3 days, 24-hour urine": ["3days", "24-hour"],
    "BP 120/80, pulse: 88, temp 37.2": ["bp120/80", "pulse:88", "temp37.2"],
    "SpO2 98 % on 2 L": ["spo298", "2l"],
    "room 12, MRN 4471939, 3/7/2061, page 2 of 3": [],
    "67 years old": [],
    "0699561g, 101-39-0389-g, 12345678 units": [],
}


@pytest.mark.parametrize("text", MEASURES)
def test_numbers_with_a_unit_are_measures(text):
    assert read_content(text).list_texts(MEASURE) == MEASURES[text]


DATES = {
    "3/7/2061": date(2061, 3, 7), "03-07-2061": date(2061, 3, 7), "2061-03-07": date(2061, 3, 7),
    "7.3.2061": date(2061, 7, 3), "March 7, 2061": date(2061, 3, 7), "Mar. 7th, 2061": date(2061, 3, 7),
    "7 March 2061": date(2061, 3, 7), "7-Mar-2061": date(2061, 3, 7),
    "the 7th of March 2061": date(2061, 3, 7),
    "7 de marzo de 2061": date(2061, 3, 7), "25/12/2061": date(2061, 12, 25),
}  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_a_whole_date_is_read_however_it_is_written(text):
    assert [day.day for day in read_content(f"Seen {text} at noon").dates.values()] == [DATES[text]]


@pytest.mark.parametrize(
    "text", ["3/7", "120/80", "2/31/2061", "March", "version 1.2.34", "555-0148", "may 40 mg"]
)
def test_what_is_not_a_whole_date_is_none(text):
    assert not any(day.day for day in read_content(text).dates.values())


def test_a_year_is_a_date_without_a_day_and_two_digits_are_an_uncertain_century():
    assert list(read_content("since 2061").dates.values()) == [Day(2061)]
    (short,) = read_content("on 3/7/61").dates.values()
    assert short.is_short and (short.day.month, short.day.day) == (3, 7)
    assert [day.day for day in read_content("7/3/2061", month_first=False).dates.values()] == [
        date(2061, 3, 7)
    ]


AGES = {
    "67-year-old": 60, "67 y/o": 60, "67 yo.": 60, "67 years old": 60, "age: 67": 60, "aged 5": 0, "67M": 60,
    "60-69-year-old": 60, "90+ years old": 90, "forty-five year old": 40, "in her late 70s": 70,
    "18 month old": 0, "101 y.o.": 90,
}  # fmt: skip


@pytest.mark.parametrize("text", AGES)
def test_an_age_has_a_band(text):
    assert [age.band for age in read_content(f"A {text} person").ages.values()] == [AGES[text]]


@pytest.mark.parametrize("text", ["140F", "67 mg", "5 m", "age 3/7", "67", "4-67 words"])
def test_what_is_not_an_age_has_none(text):
    assert not read_content(text).ages


def test_words_of_medicine_have_a_kind():
    kinds = {
        "pneumonia": DISEASE, "Lisinopril": DRUG, "FEVER": FINDING, "resection": TERM, "cabg": TERM,
        "the": None, "with": None, "Smith": None, "Boston": None, "March": None, "MD": None, "Street": None,
        "Bell's palsy": EPONYM, "Foley catheter": EPONYM, "Mr. Foley": None,
    }  # fmt: skip
    for text, kind in kinds.items():
        found = read_content(text).items
        assert (found[0].kind if found else None) == kind, text


def test_a_negation_reaches_the_words_of_its_sentence():
    content = read_content("No fever, cough or rash. Edema. Denies nausea\n\nVomiting. Wasn't septic")
    assert content.negated == ["fever", "cough", "rash", "nausea", "septic"]
    assert content.list_texts(NEGATION) == ["no", "denies", "wasnt"]
    far = read_content("no one here has ever said a word of his fever")
    assert far.negated == []


def test_a_marker_is_no_word():
    assert read_content("seen by [**DOCTOR**] for [**PNEUMONIA**]").items == []


def test_what_is_read_is_not_printed():
    content = read_content("Pneumonia, 67M, 3/7/2061, 40 mg")
    shown = repr((content, content.items, content.ages, compare("pneumonia", "fever")))
    assert not any(word in shown.lower() for word in ("pneumonia", "67m", "40mg"))


words = st.lists(st.sampled_from("abcd"), max_size=12)


def solve(a, b):
    """The longest common subsequence by the table of the textbook."""
    best = {(i, j): 0 for i in range(len(a) + 1) for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            best[i, j] = (
                best[i - 1, j - 1] + 1 if a[i - 1] == b[j - 1] else max(best[i - 1, j], best[i, j - 1])
            )
    return best[len(a), len(b)]


@given(words, words)
def test_the_alignment_is_a_longest_common_subsequence(a, b):
    pairs = align(a, b)
    assert len(pairs) == measure_common(a, b) == count_prefixes(a, b)[-1] == solve(a, b)
    assert all(a[i] == b[j] for i, j in pairs)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in zip(pairs, pairs[1:]))


@given(words, words)
def test_a_large_table_is_parted_and_gives_as_many_pairs(a, b):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "LARGEST", 4)
        pairs = find_pairs(a, b)
    assert len(pairs) == solve(a, b) and all(a[i] == b[j] for i, j in pairs)
    assert all(first[0] < second[0] and first[1] < second[1] for first, second in zip(pairs, pairs[1:]))


moved = st.builds(MovedDate, st.just(True), st.none() | st.integers(0, 3), st.none() | st.integers(0, 2))


@given(st.lists(moved, max_size=8))
def test_pairs_are_counted_as_one_by_one(dates):
    dates = [d._replace(years=0 if d.days is not None and d.years is None else d.years) for d in dates]
    pairs = list(combinations(dates, 2))
    days = [a.days is not None and a.days == b.days for a, b in pairs]
    years = [same or (a.years is not None and a.years == b.years) for same, (a, b) in zip(days, pairs)]
    assert Intervals.count(dates) == Intervals(len(pairs), sum(days), len(pairs), sum(years))


def test_a_date_moves_by_days_and_a_short_year_by_the_fewest():
    day = date(1925, 2, 18)
    assert move_date(Day(1925, day), Day(2013, date(2013, 2, 26), True)).years == -12
    assert move_date(Day(1925, day), Day(2013, date(2013, 2, 26))).years == 88
    assert move_date(Day(1925), Day(1950)) == MovedDate(False, None, 25)
    assert move_date(Day(2000, date(2000, 2, 29)), Day(2100, date(2100, 3, 1), True)).days == 1


def compare(before, after, patient=None):
    found = Utility()
    found.add(Document("n1", before, (), patient), after, 1)
    return found


def test_a_release_of_two_notes_is_counted():
    """A drug became a name, a date a year, an age a band; intervals of a patient are kept between notes."""
    found = Utility()
    first = "67M seen 3/7/2061 and 3/9/2061. No fever. Lasix 40 mg."
    found.add(Document("n1", first, (), "p"), "67M seen 4/7/2061 and 4/9/2061. No fever. Weber 40 mg.", 1)
    found.add(Document("n2", "93M on 3/10/2061, 3/17/2061", (), "p"), "90+M on 4/10/2061, 2061", 2)
    drugs, medicine, measures = found.kinds[DRUG], found.kinds[MEDICINE], found.kinds[MEASURE]
    assert (drugs.before, drugs.after, drugs.kept, drugs.in_order, drugs.new) == (1, 0, 0, 0, 0)
    assert (medicine.before, medicine.kept) == (2, 1) and (measures.before, measures.kept) == (1, 1)
    assert (found.kinds[NEGATED].before, found.kinds[NEGATED].kept) == (1, 1)
    assert (found.dates, found.found_dates) == (4, 3)
    assert found.within == Intervals(2, 1, 2, 2) and found.between == Intervals(4, 2, 4, 4)
    bands = {first: (band.before, band.same_band, band.same_age) for first, band in found.bands.items()}
    assert bands == {60: (1, 1, 1), 90: (1, 1, 0)}
    assert [(note.id, note.lost, note.new) for note in found.list_changed(9)] == [("n1", 1, 0)]


def test_a_lost_date_does_not_move_the_others():
    before, after = (
        f"Admitted {first}. Seen 3/9/2061. Left 3/12/2061." for first in ("3/7/2061", "[**DATE**]")
    )
    found = compare(before, after)
    assert (found.dates, found.found_dates, found.within) == (3, 2, Intervals(3, 1, 3, 1))


def test_order_counts():
    found = compare("fever cough rash", "rash fever cough").kinds[MEDICINE]
    assert (found.before, found.kept, found.in_order, found.new) == (3, 3, 2, 0)


NOTE = (
    "fever",
    "Ruiz",
    "Lasix",
    "40 mg",
    "no",
    "3/7/2061",
    "3/9/2061",
    "67M",
    "pneumonia",
    "the",
    "Seen",
    "12",
    ".",
)
texts = st.lists(st.sampled_from(NOTE), min_size=1, max_size=30).map(" ".join)


@given(st.lists(texts, min_size=1, max_size=4))
def test_identical_notes_keep_everything(notes):
    found = Utility()
    for number, text in enumerate(notes, 1):
        found.add(Document(f"n{number}", text, (), "p"), text, number)
    assert all(row.before == row.after == row.kept == row.in_order for row in found.kinds.values())
    assert found.dates == found.found_dates and found.unchanged == len(notes)
    for pairs in (found.within, found.between):
        assert (pairs.days, pairs.years) == (pairs.same_days, pairs.same_years)
    assert all(band.before == band.same_band == band.same_age for band in found.bands.values())
    assert found.list_changed(9) == []


@given(texts, texts)
def test_a_drug_that_becomes_a_name_loses_exactly_one_word(before, after):
    found = compare(f"{before} . took Lisinopril . {after}", f"{before} . took Weberski . {after}")
    for name in (DRUG, MEDICINE, TOGETHER, ALL):
        row = found.kinds[name]
        assert row.before - row.kept == row.before - row.in_order == 1, name
    unchanged = set(found.kinds) - {DRUG, MEDICINE, TOGETHER, ALL}
    assert all(found.kinds[name].before == found.kinds[name].in_order for name in unchanged)
    assert [(note.lost, note.new) for note in found.list_changed(9)] == [(1, 0)]


@given(
    st.lists(st.dates(date(1950, 1, 1), date(2100, 1, 1)), min_size=2, max_size=8), st.integers(-9000, 9000)
)
def test_one_shift_keeps_all_intervals(days, shift):
    moved = [day + timedelta(shift) for day in days]
    before, after = (" then ".join(f"{d:%m/%d/%Y}" for d in each) for each in (days, moved))
    found = compare(before, after, "p").within
    assert found.days == found.same_days == len(days) * (len(days) - 1) // 2


def test_every_row_has_kinds_that_a_text_has():
    assert {kind for kinds in KINDS.values() for kind in kinds} == {
        DISEASE,
        DRUG,
        FINDING,
        TERM,
        EPONYM,
        MEASURE,
        NEGATION,
    }
