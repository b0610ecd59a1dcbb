"""How rules read a note: its words, and the entries of lists in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from line_counts import check_proportion

from crfdeid.lexicon.ordinary import Entries, load_shipped
from crfdeid.rules import names, tagger
from crfdeid.rules.note import HEADER, WORD, Beside, IndexedNote, _read_any, read_words, split_paragraphs
from crfdeid.rules.rule import PLACE_GAP, find_capitalised_entries, find_entries
from crfdeid.rules.tagger import RULES

SIGNS = st.sampled_from("abzABZ019 \n\t_-.,'éÉ²٣\u0301ß")
TEXTS = st.text(SIGNS, max_size=40) | st.text(st.characters(max_codepoint=127), max_size=40)


@given(TEXTS)
def test_the_words_are_those_of_the_pattern(text):
    words = read_words(text)
    assert list(zip(words.starts, words.ends)) == [match.span() for match in WORD.finditer(text)]
    assert words == _read_any(text)


@given(TEXTS)
def test_a_note_knows_its_capitals_and_numbers(text):
    note = IndexedNote(text)
    words = WORD.findall(text)
    assert [note.word(index) for index in range(len(note))] == words
    assert note.lowered == [word.lower() for word in words]
    numbers = [index for index, word in enumerate(words) if word[0].isdecimal()]
    assert note.number_starts == [note.starts[index] for index in numbers]
    assert note.indices == {low: [i for i, w in enumerate(note.lowered) if w == low] for low in note.lowered}
    capitalised = {word for index, word in enumerate(note.lowered) if note.is_capitalised(index)}
    assert note.capitalised_words == capitalised
    assert [note.find_index(offset) for offset in note.starts] == list(range(len(note)))
    assert {note.find_index(offset) for offset in {*range(len(text) + 2)} - {*note.starts}} <= {None}


SMALL, CASED, CAPITALS = "all of it " * 12, "All of it " * 12, "ALL OF IT " * 12


@pytest.mark.parametrize(
    ("paragraphs", "caseless"),
    [
        ((SMALL,), [True]), ((CASED,), [False]), ((CAPITALS,), [False]), (("all of it",), [False]),
        ((SMALL, CAPITALS), [True, False]), ((SMALL, CASED), [True, False]),
        (("all of it", SMALL, CAPITALS, "it"), [True, True, False, True]),
        (("all of it", SMALL, CASED, "it"), [False, True, False, False]),
        (("12 13 " * 40, CASED), [False, False]), (("",), []), (("12", "13"), [False, False]),
    ],
)  # fmt: skip
def test_a_paragraph_says_whether_capitals_have_a_meaning(paragraphs, caseless):
    note = IndexedNote("\n\n".join(paragraphs))
    found = split_paragraphs(note.text, read_words(note.text))
    assert [note.is_caseless(words.start) for words in found] == caseless
    written_small = note.is_written_small("it")
    assert written_small == any(not flag and "it" in part for part, flag in zip(paragraphs, caseless))


def test_a_long_note_is_asked_for_a_word_in_proportion_to_its_places():
    def ask(size: int) -> None:
        note = IndexedNote("It was done. " * size)
        assert not any(note.is_written_small("it") for _ in range(size))

    check_proportion(ask)


PLACES = [("new", "york"), ("new", "york", "mills"), ("york",), ("st", "ann"), ("ann", "arbor"), ("of",)]
PIECES = st.sampled_from(["New", "new", "York", "york", "Mills", "St", "Ann", "Arbor", "of", "x"])
GAPS = st.sampled_from([" ", " ", "-", ". ", "\n", ", "])


def measure_plainly(note: IndexedNote, index: int) -> int:
    """The length of the longest entry at a word, by trying each entry."""
    lengths = [
        len(entry)
        for entry in PLACES
        if tuple(note.lowered[index : index + len(entry)]) == entry
        and all(PLACE_GAP.fullmatch(note.gap(i)) for i in range(index + 1, index + len(entry)))
    ]
    return max(lengths, default=0)


@given(st.lists(st.tuples(PIECES, GAPS), max_size=12))
def test_the_longest_entry_is_found_at_each_place(pieces):
    note, entries = IndexedNote("".join(word + gap for word, gap in pieces)), Entries(PLACES)
    wanted = {(i, i + length) for i in range(len(note)) if (length := measure_plainly(note, i))}
    assert set(find_entries(note, entries)) == wanted
    capitalised = {
        (first, stop)
        for first, stop in wanted
        if note.is_capitalised(first)
        and all(note.is_capitalised(i) or len(note.word(i)) < 4 for i in range(first, stop))
    }
    assert set(find_capitalised_entries(note, entries)) == capitalised


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Seen 3/4/2061", 2061), ("DOB: 3/4/1961 seen 2061-03-04", 2061), ("born 3/4/1961", None),
        ("Birth date 3/4/1961", 1961), ("12/3/4/2061", None), ("3/4/20611", None), ("3-4-2061.", 2061),
        ("x" * HEADER + " 3/4/2061", None), ("", None),
        ("x" * 391 + " 3/4/2061", 2061), ("x" * 392 + " 3/4/2061", None),  # ends at 400, and at 401
        ("Seen 2061-3-4", 2061), ("2061-12-14", 2061), ("DOB_____3/4/1961", None),
        ("3/4/2061: two children were born", 2061), ("3/4/2061, stillborn 1/2/2063", 2061),
    ],
)  # fmt: skip
def test_the_year_of_a_note_is_that_of_a_date_at_its_top(text, year):
    assert IndexedNote(text).year == year


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("Seen 3/4/2061", 1941, 2071), ("No date", 1880, 2199)],  # 120 years before and 10 after
)
def test_a_note_can_mention_the_years_around_its_own(text, first, last):
    note = IndexedNote(text)
    found = [note.is_plausible_year(year) for year in (first - 1, first, last, last + 1)]
    assert found == [False, True, True, False]


def test_a_line_begins_after_a_line_break_or_with_the_text():
    note = IndexedNote("\nab\ncd")
    assert [note.find_line_start(offset) for offset in range(8)] == [0, 1, 1, 1, 4, 4, 4, 4]
    assert IndexedNote("ab").find_line_start(1) == 0


@pytest.mark.parametrize(("text", "sign", "starts"), [
    ("(45) (4", "(", [1, 6]), ("  4", ["  "], [2]), ("4 5", [""], [0]), ("\t 4", ["\t "], [2]),
])  # fmt: skip
def test_numbers_are_found_by_the_sign_before_them(text, sign, starts):
    assert IndexedNote(text).find_numbers(Beside(before=sign)) == starts


OLD_YEAR = re.compile(
    r"(?P<born>(?:dob|birth|born)\W*)?(?<![\d./-])"
    r"(?:(?P<iso>(?:18|19|20|21)\d\d)-\d\d?-\d\d?|\d\d?[/-]\d\d?[/-](?P<us>(?:18|19|20|21)\d\d))(?!\d)",
    re.IGNORECASE,
)
DATES = st.sampled_from(
    ["dob", "Born", "birth", "on", "3/4/2061", "1961-03-04", "3-4-1999", "1", ":", " ", "-"]
)


@given(st.lists(DATES, max_size=10).map("".join))
def test_the_year_is_that_of_one_pattern_over_the_top(text):
    years = [int(date["iso"] or date["us"]) for date in OLD_YEAR.finditer(text) if not date["born"]]
    assert IndexedNote(text).year == max(years, default=None)


NUMBERS = st.sampled_from(
    """3 12 25 61 90 120 555 617 0101 1961 2061 02139 123456 4401234 30990453 6175550101 20610304 s 's
    st th of march Mar years old yo y.o. M F male she he is age aged: died at on fax phone call
    Oak St MA ZIP fifty ſ mg dob born months""".split()  # noqa: SIM905
)
SIGNS_BESIDE = st.sampled_from(
    [" ", " ", " ", "-", "/", ".", ":", "(", ")", "#", "'", "", "", "\n", "  ", "\t", ","]
)


@given(st.lists(st.tuples(NUMBERS, SIGNS_BESIDE), max_size=14))
def test_a_number_rule_asks_all_numbers_that_it_can_match(pieces):
    text = "".join(word + sign for word, sign in pieces)
    lists, rules = load_shipped(), [rule for rule in RULES.values() if rule not in tagger.RULES]
    everywhere = IndexedNote(text)
    everywhere.find_numbers = lambda beside: everywhere.number_starts  # type: ignore[method-assign]
    for rule in rules:
        assert set(rule.find(IndexedNote(text), lists)) == set(rule.find(everywhere, lists)), rule.name


LAYOUT = st.sampled_from(
    [
        "JRM/abc",
        "jrm:ab",
        "JR/AB/12",
        "Ana Ruiz",
        "12 Oak St",
        "PO Box 9",
        "ROTH, ANA M",
        "3/4/2061",
        "D: 3",
        "cc",
        ".",
    ]
)
LAYOUT_GAPS = st.sampled_from(["\n", "\n", " ", ". ", "  ", "\t", "\n  "])


@given(st.lists(st.tuples(LAYOUT, LAYOUT_GAPS), max_size=10))
@example([("JRM/abc", " "), ("ROTH, ANA M", "  "), ("3/4/2061", "\n")])
def test_the_lines_of_a_layout_are_those_of_the_whole_patterns(pieces):
    note = IndexedNote("".join(word + gap for word, gap in pieces))
    places = {place for at in names.find_typists(note.text) for place in names.find_authors(note, at)}
    found = {match.span() for place in places if (match := names.INITIALS.match(note.text, place))}
    assert found == {match.span() for match in names.INITIALS.finditer(note.text)}
    for pattern, offsets in (
        (names.OVER_ADDRESS, [match.start() for match in names.HOUSE_OR_BOX.finditer(note.text)]),
        (names.PAGE_HEAD, [s for s in note.number_starts if names.SHORT_DATE.match(note.text, s)]),
    ):
        matches = {match.span() for match in names.match_lines(note.text, pattern, offsets)}
        assert matches == {match.span() for match in pattern.finditer(note.text)}
