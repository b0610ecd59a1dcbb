"""A search finds the same whether strings are looked for one by one or word by word."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from crfdeid.redact.surrogates.search.finder import Finder
from crfdeid.redact.surrogates.search.search_strings import RUN, derive_strings
from crfdeid.redact.surrogates.search.text_index import TextIndex
from crfdeid.redact.unknown_words import SMALL, find_capitalized, is_unknown, list_small

PIECES = (
    "Okafor", "OKAFOR", "okafors", "Anders", "Anderson", "anders", "José", "jose\u0301", "O'Neil", "Li",
    "smi\u200bth", "a", "o", "k", "A", "4471902", "447", "19", "02", "12", "1212", "2061", "61", "3", "7",
    "15", "March", "march", "mar", "th", "of", "x", "a1", "b2", "ab12", "Elm", "Street", "St", "Mercy",
)  # fmt: skip
GAPS = ("", " ", " ", " ", "-", "/", ".", ", ", "_", "\n", "-\n", "  ", "'s ", "@", "½", "ß")
TYPES = ("PATIENT", "DOCTOR", "IDNUM", "PHONE", "DATE", "HOSPITAL", "STREET", "EMAIL", "AGE", "CITY")


def join(pieces: list[str], gaps: list[str]) -> str:
    return "".join(part for pair in zip(pieces, gaps) for part in pair)


def texts(most: int) -> st.SearchStrategy[str]:
    pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=most)
    return st.builds(join, pieces, st.lists(st.sampled_from(GAPS), min_size=most, max_size=most))


@settings(deadline=None, max_examples=150)
@given(texts(30), st.lists(st.tuples(texts(4), st.sampled_from(TYPES)), min_size=1, max_size=4))
@example("30990453OKAFOR, Andersonanders, 4-471902 ab12ab12", [("Okafor", "PATIENT"), ("ab12", "IDNUM")])
@example("2121212 121 2121", [("1212", "IDNUM"), ("12 12", "PHONE"), ("12-1212", "PHONE")])
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
