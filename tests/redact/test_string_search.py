"""A search finds the same whether strings are looked for one by one or word by word."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crfdeid.redact.leftover.unknown_words import SMALL, find_capitalized, is_unknown, list_small
from crfdeid.redact.surrogates.search import PatientSearch
from crfdeid.redact.surrogates.search.finder import Finder
from crfdeid.redact.surrogates.search.search_strings import RUN, SearchString, derive_strings, split_range
from crfdeid.redact.surrogates.search.text_index import TextIndex
from crfdeid.text.document import Document

PIECES = (
    "Okafor", "OKAFOR", "okafors", "Anders", "Anderson", "anders", "José", "jose\u0301", "O'Neil", "Li",
    "smi\u200bth", "a", "o", "k", "A", "4471902", "447", "19", "02", "12", "1212", "2061", "61", "3", "7",
    "15", "March", "march", "mar", "th", "of", "x", "a1", "b2", "ab12", "Elm", "Street", "St", "Mercy",
)  # fmt: skip
GAPS = ("", " ", " ", " ", "-", "/", ".", ", ", "_", "\n", "-\n", "  ", "'s ", "@", "½", "ß")
LONG = "abcdefghij" * 6 + "kl"  # longer than what of a word is looked at
TYPES = ("PATIENT", "DOCTOR", "IDNUM", "PHONE", "DATE", "HOSPITAL", "STREET", "EMAIL", "AGE", "CITY")


def join(pieces: list[str], gaps: list[str]) -> str:
    return "".join(part for pair in zip(pieces, gaps) for part in pair)


def texts(most: int) -> st.SearchStrategy[str]:
    pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=most)
    return st.builds(join, pieces, st.lists(st.sampled_from(GAPS), min_size=most, max_size=most))


@given(st.text() | texts(30))
@example("a_b 1\x1f2 '\x7f.")
def test_the_words_of_a_text_are_its_runs_of_letters_and_digits(text):
    index = TextIndex(text)
    assert index.words == RUN.findall(index.low)


@settings(deadline=None, max_examples=150)
@given(texts(30), st.lists(st.tuples(texts(4), st.sampled_from(TYPES)), min_size=1, max_size=4))
@example("30990453OKAFOR, Andersonanders, 4-471902 ab12ab12", [("Okafor", "PATIENT"), ("ab12", "IDNUM")])
@example("2121212 121 2121", [("1212", "IDNUM"), ("12 12", "PHONE"), ("12-1212", "PHONE")])
@example(f"{LONG} {LONG}x x{LONG} {LONG}{LONG}", [(LONG, "PATIENT")])
@example("1 1111 11 111 1111", [("1111", "IDNUM")])
@example("12Li Li7 li7 7LI a7Li7", [("Li", "PATIENT")])
@example("andexyz xanderx sandersander", [("Ander", "PATIENT"), ("Anders", "DOCTOR")])
@example("b12 ab12 1b12 bb12 bbb1 2b1b2", [("b12", "IDNUM"), ("bb12", "IDNUM"), ("bbb1 2", "PHONE")])
@example("March 15, 2061; 3/15/61, o k a f o r, Oka-\nfor", [("3/15/2061", "DATE"), ("Okafor", "DOCTOR")])
def test_few_strings_are_found_where_many_are(text, found):
    strings = [string for each, type in found for string in derive_strings(each, type)]
    few, many = Finder(strings, few=10**6), Finder(strings, few=-1)
    index = TextIndex(text)
    assert few.find_mentions(index) == many.find_mentions(index)
    assert few.find_in_words(index) == many.find_in_words(index)


@given(texts(30))
def test_an_index_has_the_runs_of_letters_and_digits(text):
    index = TextIndex(text)
    assert index.runs == [match.span() for match in RUN.finditer(index.low)]
    assert index.squeezed == "".join(index.words)
    assert [index.low[at] for at in index.places.tolist()] == list(index.squeezed)


@given(texts(12))
def test_capitalized_words_and_those_written_small(text):
    found = {word for word, _ in find_capitalized(text)}
    assert all(text[start:end] == word for word, (start, end) in find_capitalized(text))
    mistyped = re.findall(r"(?<![^\W_])[a-z][A-Z][a-z]{2,}", text)
    assert found >= {*re.findall(r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}", text), *mistyped}
    lows = {word.lower() for word in found if is_unknown(word)}
    assert lows & list_small(text, lows) == lows & {*SMALL.findall(text)}


# What was found, and what is searched for then: ! in capitals, ^ with a first capital, * derived, = the root.
DERIVED = """
PATIENT Ana Okafor-Lee :: okaforlee*, ana, anas^*=ana, okafor, okafors^*=okafor, lee, lees^*=lee
PATIENT Dr. J. O'Neil's :: o neil=oneil, oneil*, o neils^*=oneil
PATIENT Li :: li
PATIENT NG :: ng!
PATIENT JRM :: jrm!, jrms^*=jrm
PATIENT ABCD :: abcd, abcds^*=abcd
PATIENT Ruiz :: ruiz, ruizes^*=ruiz
PATIENT Max :: max, maxes^*=max
PATIENT Okafor-Lee-Cruz :: okaforleecruz*, okafor, okafors^*=okafor, lee, lees^*=lee, cruz, cruzes^*=cruz
PATIENT Al-Amin :: alamin*, amin, amins^*=amin
PATIENT A-Lee :: lee, lees^*=lee
PATIENT VAN  DER  Berg :: vanderberg*, berg, bergs^*=berg
PATIENT Stefan Ng :: stefan, stefans^*=stefan, ng
PATIENT de Li :: deli*, li
PATIENT Ivan Berg :: ivan, ivans^*=ivan, berg, bergs^*=berg
PATIENT Liz :: liz, lizes^*=liz, elizabeth*
AGE 92 :: 92*, 92st*, 92nd*, 92rd*, 92th*, 92yo*, 92yof*, 92yom*, 92yr*, 92yrs*, 92year*, 92years*
AGE 90 :: 90*, 90st*, 90nd*, 90rd*, 90th*, 90yo*, 90yof*, 90yom*, 90yr*, 90yrs*, 90year*, 90years*
AGE 89-90 years :: 90*, 90st*, 90nd*, 90rd*, 90th*, 90yo*, 90yof*, 90yom*, 90yr*, 90yrs*, 90year*, 90years*
AGE ninety-two :: ninety two*
AGE 89 ::
DATE 3/7/2061 :: 3 7 2061, 61-03-07*, 61-07-03*
DATE March 7 :: march 7
DATE Monday ::
STREET 12 Elm Street :: 12 elm street, 12 elm, 12 elm street, elm street^*, 12 elm st, elm st^*,
    12 elm str, elm str^*
STREET 12 Elm Street Apt 4 :: 12 elm street apt 4, 12 elm, 12 elm street, elm street^*,
    12 elm st, elm st^*, 12 elm str, elm str^*
STREET Elm Street :: elm street, elm street^*, elm st^*, elm str^*
STREET 12 St :: 12 st
STREET Ox Rd :: ox rd
STREET 9 5th Ave :: 9 5th ave, 9 5th, 9 5th avenue, 5th avenue^*, 9 5th ave, 5th ave^*, 9 5th av, 5th av^*
STREET 7 :: 7
STREET Elm Street North :: elm street north, elm street^*, elm st^*, elm str^*
STREET 1st Elm Way :: 1st elm way, 1st elm, 1st elm way, elm way^*
CITY MGH :: mgh!
CITY Boston :: boston
CITY New York :: new york
HOSPITAL BIDMC :: bidmc!
HOSPITAL BIDMCX :: bidmcx
HOSPITAL Kestrel Clinic :: kestrel clinic, kestrel^*
HOSPITAL Kestrel Hill Clinic of Elm :: kestrel hill clinic of elm, kestrel^*, khce!*
HOSPITAL Kestr Clinic :: kestr clinic, kestr^*
HOSPITAL Kest Clinic :: kest clinic
HOSPITAL Kestrel :: kestrel
ORGANIZATION Kestrel Robotics :: kestrel robotics, kestrel^*
CITY Kestrel Robotics :: kestrel robotics
HOSPITAL General Kestrel :: general kestrel
HOSPITAL St. Mary's :: st mary s, saint mary s^*, st marys^*, saint marys^*
HOSPITAL Saint Mary’s :: saint mary s, st mary s^*, st marys^*, saint marys^*
HOSPITAL St. Mary's Hospital ::
    st mary s hospital, st mary s^*, saint mary s^*, st marys^*, saint marys^*, smh!*
HOSPITAL St. Louis Clinic :: st louis clinic, slc!*
IDNUM 4471902 :: 4471902, 1902*
IDNUM 447190 :: 447190
IDNUM 12-34 :: 1234, 12 34
IDNUM 12-345 :: 12345, 12 345
IDNUM 12-3456 :: 123456
IDNUM 12345 :: 12345
IDNUM ABC1234 :: abc1234, 1234*
IDNUM 123ABCD :: 123abcd
PHONE 617-555-0148 :: 6175550148, 5550148
PHONE 1-617-555-0148 :: 16175550148, 5550148
PHONE 555-0148 :: 5550148
PHONE 61755501480 :: 61755501480, 5501480
PHONE 617555014801 :: 617555014801
PHONE x617-555-014 :: x617555014
EMAIL m.quevixo@mail.org :: mquevixomailorg, mquevixo
EMAIL nurse@mail.org :: nursemailorg
EMAIL abcd@mail.org :: abcdmailorg
EMAIL quevixo :: quevixo
ZIP 02115 :: 02115
USERNAME ab-12 :: ab12, ab 12
"""


def show(string: SearchString) -> str:
    words = " ".join(string.words)
    root = f"={string.root}" if string.root not in ("", words) else ""
    return words + {"": "", "all": "!", "first": "^"}[string.capitals] + "*" * string.derived + root


@pytest.mark.parametrize("row", DERIVED.strip().replace("\n    ", " ").split("\n"))
def test_what_is_searched_for_after_a_text_was_found(row):
    found, _, strings = row.partition(" ::")
    type, _, text = found.partition(" ")
    assert ", ".join(map(show, derive_strings(text, type))) == strings.strip()
    assert not any(string.doubtful for string in derive_strings(text, type))


def test_a_long_string_is_searched_in_parts_of_16_to_32_words():
    for size in range(33, 200):
        parts = list(split_range(size))
        assert [0, *(end for _, end in parts)] == [*(start for start, _ in parts), size]
        assert all(16 <= end - start <= 32 for start, end in parts)
    sizes = {32: [32], 33: [16, 17], 64: [32, 32], 65: [32, 16, 17]}
    for size, lengths in sizes.items():
        text = " ".join(f"w{number}" for number in range(size))
        assert [len(string.words) for string in derive_strings(text, "CITY")] == lengths


@pytest.mark.parametrize(
    ("type", "text", "id", "occurs"),
    [
        ("PATIENT", "Okafor", "okafor-12", True), ("PATIENT", "Okafor", "n_xokaforx", True),
        ("PATIENT", "Okafor", "n12", False), ("PATIENT", "Ng", "NG_3", True),
        ("IDNUM", "12345", "n-12345", True),
        ("IDNUM", "123-45", "n12345", True), ("IDNUM", "1234", "n-1234", False),
        ("CITY", "Boston", "boston-1", False),
        ("USERNAME", "ab123", "ab123", True), ("DATE", "3/7/2061", "3-7-2061", False),
    ],
)  # fmt: skip
def test_an_id_has_a_name_or_a_number_of_five_characters(type, text, id, occurs):
    assert PatientSearch({type: [text]}).occurs_in_id(id) is occurs


@pytest.mark.parametrize(
    ("type", "name", "words", "misspelt"),
    [
        ("PATIENT", "Okafor", "okafro okafr okaforr okafors okafor okaf okapi", "okafro okafr okaforr"),
        ("PATIENT", "Anderson", "andersen", ""), ("PATIENT", "Liz", "elizabteh", ""),
        ("CITY", "Zimmstraboro", "zimmstraborp", ""), ("PATIENT", "Cancer", "cancre", ""),
        ("PATIENT", "Quevi", "quevy", ""), ("PATIENT", "Quevix", "quevi", "quevi"),
        ("PATIENT", "Quevix", "quev", ""),
    ],
)  # fmt: skip
def test_words_of_the_notes_that_are_taken_for_misspellings(type, name, words, misspelt):
    search = PatientSearch({type: [name]}, lambda: words.split())
    assert sorted(search.misspelt) == sorted(misspelt.split())


def test_a_listed_name_that_is_similar_is_only_listed():
    search = PatientSearch({"PATIENT": ["Anderson"]}, lambda: ["andersen"])
    note = Document("n", "Mr. Andersen came")
    assert search.find_missed(note, ()) == []
    assert [note.text_of(span) for span in search.find_survivors(note)] == ["Andersen"]


def test_a_month_beside_a_town_is_no_name():
    search = PatientSearch({"PATIENT": ["May"], "CITY": ["Zimmstraboro"]})
    note = Document("n", "a May Zimmstraboro trip")
    assert [note.text_of(span) for span in search.find_missed(note, ())] == ["Zimmstraboro"]
