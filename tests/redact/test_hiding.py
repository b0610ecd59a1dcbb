"""Surrogates of names are drawn as people bear names, so that missed names do not stand out."""

from collections import Counter

import pytest
from marked_notes import SECRET, marked

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import keyed_choice, name_drawing
from crfdeid.redact.surrogates.institutions import is_acronym
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates
from crfdeid.redact.surrogates.patient_facts import collect_facts


def draw(name: str, kind: str = word_lists.SURNAME, count: int = 400) -> list[str]:
    """Surrogates of one name for many patients, with the initials of each patient."""
    made = []
    for number in range(count):
        choices = KeyedChoices(SECRET, str(number))
        initial = keyed_choice.Initials(choices).choose_initial(name)
        made.append(name_drawing.draw_name(name, kind, initial, choices, 0))
    return made


@pytest.mark.parametrize(
    ("name", "kind", "band"),
    [
        ("smith", word_lists.SURNAME, 0),
        ("ellsworth", word_lists.SURNAME, 2),
        ("zanzibarova", word_lists.SURNAME, name_drawing.UNLISTED),
        ("margaret", word_lists.FEMALE, 0),
    ],
)
def test_most_surrogates_are_as_frequent_as_the_real_name(name, kind, band):
    made = Counter(name_drawing.find_band(fold(each), kind) for each in draw(name, kind))
    assert made[band] > 0.7 * sum(made.values()) and len(made) > 1


def test_frequent_surnames_occur_also_where_they_are_eponyms_or_words():
    made = {each.lower() for each in draw("wilson", count=1500)}
    assert made >= {"smith", "brown", "harris", "baker", "moore"}


def test_an_invented_name_is_in_no_list_and_can_be_read():
    made = [each for each in draw("zanzibarova") if name_drawing.find_band(fold(each), "surname") == 4]
    assert not any(name_drawing.is_known(fold(each)) for each in made)
    assert all(4 <= len(each) <= 11 and any(vowel in each.lower() for vowel in "aeiouy") for each in made)


def test_a_name_after_a_title_is_a_surname_and_one_after_a_comma_is_not():
    notes = [marked("Dr. <DOCTOR Arabella>, <PATIENT Nelson, Kim>", "1")]
    facts = collect_facts(notes)
    kinds = [facts.classify_name(name) for name in ("arabella", "nelson", "kim")]
    assert kinds == ["surname", "surname", "either"]
    alone = collect_facts(notes, complete=False)
    assert alone.classify_name("nelson") == word_lists.classify_name("nelson")


def list_letters(of, thing):
    return {letter: of.find_letter(letter, thing) for letter in keyed_choice.GROUPS}


def test_the_letters_of_hospitals_say_nothing_about_those_of_people():
    patients = [keyed_choice.Initials(KeyedChoices(SECRET, str(n))) for n in range(40)]
    tables = [{thing: list_letters(of, thing) for thing in keyed_choice.THINGS} for of in patients]
    for thing in (keyed_choice.DOCTORS, keyed_choice.INSTITUTIONS, keyed_choice.STREETS, keyed_choice.HOSTS):
        same = sum(
            table[thing][letter] == new for table in tables for letter, new in table["patients"].items()
        )
        assert same < 0.25 * sum(len(table["patients"]) for table in tables)


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("TEXAS CLINIC", "TEXAS"),
        ("Forest Park Hospital", "Park"),
        ("Lakeview Beach Hospital", "Beach"),
        ("Children's Hospital", "Children's"),
        ("UNIVERSITY HOSPITAL", "UNIVERSITY"),
    ],
)
def test_a_hospital_becomes_a_hospital_with_names_that_can_be_read(text, lost):
    for number in range(20):
        made = PatientSurrogates(SECRET, str(number)).institutions.replace_institution(text) or ""
        assert lost.lower() not in made.lower().split() and made.isupper() == text.isupper()
        assert any(vowel in made.split()[0].lower() for vowel in "aeiouy")
        assert any(kind in made.lower() for kind in ("hospital", "center", "clinic", "medic", "family"))


def test_the_kind_of_a_hospital_and_its_number_of_words_vary():
    made = {
        PatientSurrogates(SECRET, str(number)).institutions.replace_institution("Elmira Medical Center") or ""
        for number in range(40)
    }
    assert {len(each.split()) for each in made} == {2, 3, 4}
    assert not [each for each in made if each.endswith("Elmira Medical Center")]


def test_a_kind_without_a_name_becomes_another_kind():
    made = PatientSurrogates(SECRET, "7").institutions.replace_institution("general hospital") or ""
    assert made.islower() and ("hospital" in made or "center" in made) and made != "general hospital"


@pytest.mark.parametrize(("word", "text", "said"), [("OHIO", "OHIO CLINIC", False), ("BWH", "BWH", True)])
def test_words_in_capitals_are_not_acronyms(word, text, said):
    assert is_acronym(word, text) == said


def test_a_doctor_and_a_patient_of_one_name_keep_one_surrogate():
    notes = [marked("<DOCTOR Okafor>, <DOCTOR R. Okafor> and <PATIENT Okafor>")]
    clean = Redactor(SECRET).redact(notes)[0].document
    made = [clean.text_of(span) for span in clean.spans]
    assert made[0] == made[2] == made[1].split()[-1]


@pytest.mark.parametrize(
    ("name", "kind", "region"), [("kowalski", "surname", "slavic"), ("okafor", "surname", "west_african")]
)
def test_a_name_of_one_region_becomes_a_name_of_that_region(name, kind, region):
    bit = name_drawing.read_regions()[0][region]
    listed = [each for each in draw(name, kind) if name_drawing.find_band(fold(each), kind) < 4]
    there = [each for each in listed if name_drawing.find_regions(fold(each)) & bit]
    assert len(there) > 0.6 * len(listed)
