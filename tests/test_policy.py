"""Policies: which dates, ages and places count as PHI, and what a policy file must hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import policy
from crfdeid.errors import ConfigurationError
from crfdeid.policy import is_age_under_90, is_country, is_season, is_season_of_year, is_state, is_year
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import SHIPPED, read_scheme


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2014", True), ("1987", True), ("2098", True), ("'98", True), ("’07", True),
        ("the 1990s", True), ("1980's", True), ("'70s", True), ("early 1990s", True), ("mid-90s", True),
        ("2014-2016", True), ("2014–16", True), ("2014/15", True), ("1998, 2004 and 2006", True),
        ("from 2010 to 2015", True), ("year 2000", True), ("FY 2019", True), ("since 2010", True),
        ("año 2014", True), ("2014 y 2016", True), ("2010 vs 2015", True),
        ("March 2014", False), ("3/2014", False),
        ("2014-03", False), ("2014-03-05", False), ("03/05/2014", False),
        ("2014-11", False), ("summer 2014", False), ("Q3 2014", False), ("Christmas 2014", False),
        ("late 2014", False), ("end of 2014", False), ("May '98", False),
        ("Monday", False), ("98", False), ("0304", False),
        ("1206", False), ("20140305", False), ("5/98", False),
        ("2014 at 14:30", False), ("3014", False), ("", False), ("since", False),
        ("12014", False), ("2014th", False), ("marzo de 2014", False),
    ],
)  # fmt: skip
def test_a_date_is_only_a_year(text: str, expected: bool) -> None:
    assert is_year(text) is expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("seen in ", True), ("", True), ("admissions since ", True), ("stillborn twins, then in ", True),
        ("She was born in ", False), ("DOB: ", False), ("year of birth ", False), ("D.O.B. ", False),
        ("(b. ", False), ("a veteran born around ", False),
        ("birthday in ", False), ("nacida en ", False),
        ("gave birth in ", False),
    ],
)  # fmt: skip
def test_a_year_of_birth_may_show_an_age_over_89(before: str, expected: bool) -> None:
    assert is_year("1921", before) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spring", True), ("Winter", True), ("last summer", True), ("the fall", True), ("winters", True),
        ("early spring", True), ("fall and winter", True),
        ("summertime", True), ("this past autumn", True),
        ("verano", True), ("el otoño", True),
        ("summer 2014", False), ("spring of '98", False),
        ("Easter", False), ("July", False), ("summer break", False),
        ("the", False), ("", False), ("spring 3", False), ("last week of summer", False),
    ],
)  # fmt: skip
def test_a_date_is_only_a_season(text: str, expected: bool) -> None:
    assert is_season(text) is expected


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("45", "", True), ("89", "", True),
        ("forty-five", "", True), ("70s", "", True), ("late 60's", "", True),
        ("45-year-old", "", True), ("45 y/o", "", True), ("67F", "", True), ("2-1/2", "-year-old", True),
        ("2½", "", True), ("2 1/2", "", True),
        ("18 months", "", True), ("100", " days", True), ("six weeks", "", True),
        ("eighty-nine", "", True), ("octogenarian", "", True),
        ("toddler", "", True), ("65 and 67", "", True),
        ("45 años", "", True), ("30 something", "", True), ("newborn", "", True), ("mid-80s", "", True),
        ("3.5", " years", True), ("5 years 3 months", "", True),
        ("90", "", False), ("92", "", False), ("93-year-old", "", False), ("ninety-two", "", False),
        ("nineties", "", False), ("90s", "", False), ("104", "", False), ("nonagenarian", "", False),
        ("a hundred and two", "", False), ("one hundred fifteen", "", False),
        ("100", " years", False), ("89 or 91", "", False),
        ("92-1/2", "", False), ("elder", "", False), ("1950", "", False),
        ("3/4/50", "", False), ("", "", False), ("Ruiz", "", False),
        ("90+", "", True), ("over 89", "", True),
    ],
)  # fmt: skip
def test_an_age_is_under_90_or_in_the_group_of_older_ages(text: str, after: str, expected: bool) -> None:
    assert is_age_under_90(text, after=after) is expected


@pytest.mark.parametrize("before", ["dec ", "on March ", "Sept. "])
def test_a_number_after_a_month_is_no_age(before: str) -> None:
    assert not is_age_under_90("22", before)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ohio", True),
        ("NEW YORK", True),
        ("MA", True),
        ("Puerto Rico", True),
        ("oh", False),
        ("Mass.", False),
        ("", False),
    ],
)
def test_a_state_is_a_listed_one(text: str, expected: bool) -> None:
    assert is_state(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Peru", True), ("the USA", True), ("U.S.", True), ("south korea", True), ("Vorin", False), ("", False)],
)
def test_a_country_is_a_listed_one(text: str, expected: bool) -> None:
    assert is_country(text) is expected


@given(st.integers(0, 130))
def test_the_limit_is_89(age: int) -> None:
    assert is_age_under_90(str(age), after="-year-old") is (age < 90)


@given(st.text(max_size=40), st.text(max_size=10))
def test_any_text_can_be_asked(text: str, around: str) -> None:
    for decide in (is_year, is_season, is_season_of_year, is_age_under_90, is_state, is_country):
        assert decide(text, around, around) in (True, False)


@pytest.mark.parametrize(
    ("text", "before", "after", "expected"),
    [
        ("summer 2014", "", "", True), ("spring of '98", "", "", True), ("winter", "", " 2014 flu", True),
        ("winter", "", ", 2014", True), ("fall", "since the ", " of 2014", True),
        ("spring", "in 2014, in the ", "", True),
        ("2014 winter", "", "", True), ("verano de 2014", "", "", True),
        ("winter", "", " 20145", False), ("winter", "", " flu", False), ("2014", "winter ", "", False),
        ("March 2014", "", "", False), ("winter", "", " 2 weeks", False),
        ("winter break 2014", "", "", False),
    ],
)  # fmt: skip
def test_a_season_of_a_year_is_another_form(text: str, before: str, after: str, expected: bool) -> None:
    assert is_season_of_year(text, before, after) is expected
    assert not (expected and is_season(text, before, after))


def build_note(text: str) -> Document:
    """Read a note with spans written ``<TYPE text>``."""
    plain, spans = "", []
    for part in text.replace("<", "\0<").replace(">", "\0").split("\0"):
        if part.startswith("<"):
            type, value = part[1:].split(" ", 1)
            spans.append(Span(len(plain), len(plain) + len(value), type))
            part = value
        plain += part
    return Document("n", plain, tuple(spans))


NOTE = (
    "<PATIENT Ana Ruiz>, <AGE 45>, of <CITY Reno>, <STATE NV>, <COUNTRY USA>, a <PROFESSION welder>, was "
    "born in <DATE 1921>. Seen <DATE 3/4/2061>, in <DATE 2059> and in <DATE spring>; her mother is <AGE 93>."
)


def test_safe_harbor_leaves_out_years_seasons_ages_under_90_states_and_countries() -> None:
    note = build_note(NOTE)
    kept = policy.read_policy("safe_harbor").select_phi(note)
    assert kept.text == note.text
    assert [kept.text_of(span) for span in kept.spans] == [
        "Ana Ruiz", "Reno", "welder", "1921", "3/4/2061", "93",
    ]  # fmt: skip


def test_i2b2_leaves_out_nothing() -> None:
    note = build_note(NOTE)
    assert policy.read_policy("i2b2").select_phi(note) is note


def test_a_name_that_the_model_took_for_a_state_stays_found() -> None:
    note = build_note("is <STATE Vorin> of <STATE OH>, <COUNTRY Peru> or <COUNTRY Zachary> in")
    kept = policy.read_policy("safe_harbor").select_phi(note)
    assert [kept.text_of(span) for span in kept.spans] == ["Vorin", "Zachary"]


def test_a_limited_data_set_may_have_dates_ages_and_towns() -> None:
    kept = policy.read_policy("limited_data_set").select_phi(build_note(NOTE))
    assert [kept.text_of(span) for span in kept.spans] == ["Ana Ruiz"]


@pytest.mark.parametrize("name", policy.list_shipped())
@pytest.mark.parametrize("scheme", SHIPPED)
def test_a_shipped_policy_has_every_type_and_cites_its_rule(name: str, scheme: str) -> None:
    found = policy.read_policy(name)
    found.check_scheme(read_scheme(scheme))
    assert found.source and all(rule.cite and rule.title for rule in found.rules)


FILE = """
name = "mine"
source = "our board"
[[rule]]
cite = "1"
title = "names"
action = "surrogate"
types = ["PATIENT", "DOCTOR"]
[[rule]]
cite = "2"
title = "dates"
action = "marker"
types = ["DATE"]
forms = { year = "keep" }
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("marker", "markr", "no action markr; did you mean marker?"),
        ("year =", "yeer =", "no form yeer; did you mean year?"),
        ('"keep"', '"kep"', "no action kep; did you mean keep?"),
        ('"DOCTOR"', '"DATE"', "two rules have the type DATE"),
        ("forms =", "froms =", "no key froms; did you mean forms?"),
        ('title = "dates"\n', "", "a rule without title"),
        ("source", "sorce", "no key sorce; did you mean source?"),
        ('types = ["DATE"]', "types = 3", "types = 3: wanted a list of texts"),
        ("{ year", "{ under_90", "the form under_90 is for other types"),
        ("[[rule]]", "[[rules]]", "no key rules; did you mean rule?"),
        ("name =", "name", "Expected '='"),
        ('forms = { year = "keep" }', "forms = 3", "forms = 3: wanted a table"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(ConfigurationError, match="mine.toml") as error:
        policy.read_policy(path)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_policy_that_leaves_out_a_type_of_the_scheme_is_refused(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    with pytest.raises(ConfigurationError, match=r"mine: no rule for USERNAME, PROFESSION, ROOM .* 2\d more"):
        policy.read_policy(path).check_scheme(read_scheme())


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="did you mean safe_harbor"):
        policy.read_policy("safe_habor")


def test_a_type_without_a_rule_stays_found(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    note = build_note("in <DATE 2014>, <SPECIES cat> and <PHONE 555-1212>")
    assert [span.type for span in policy.read_policy(path).select_phi(note).spans] == ["SPECIES", "PHONE"]
