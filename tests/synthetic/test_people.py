"""People, and every form in which their names are written."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
import regex

from crfdeid.synthetic import people, regions
from crfdeid.synthetic.cast import FILLERS, Cast, draw_world
from crfdeid.synthetic.drawing import is_in_part
from crfdeid.synthetic.people import Person

AN_DO = Person("An", "", "Do", "", "F")


@pytest.mark.parametrize(
    "variant, forms",
    [("last", {"Do"}), ("formal", {"Do, An", "DO,AN", "Do, A"}), ("full", {"An Do", "A. Do", "AN DO"})],
)
def test_a_name_that_spells_a_credential_is_written_in_its_forms(variant: str, forms: set[str]) -> None:
    assert forms <= {people.write_name(AN_DO, variant, Random(n)) for n in range(300)}


@pytest.mark.parametrize("last", ["Do", "Md", "Np", "Pa", "Rn"])
@pytest.mark.parametrize("variant", ["last", "full", "formal", "initials", "first", "nick"])
def test_every_form_of_a_surname_that_spells_a_credential_ends(last: str, variant: str) -> None:
    assert people.write_name(Person(last[0], "", last, "", "M"), variant, Random(1))


@pytest.mark.parametrize("first, last", [("Dana", "Ortiz"), ("Mia", "Diaz"), ("Ray", "Nash"), ("P", "A")])
def test_initials_never_read_as_credentials(first: str, last: str) -> None:
    person = Person(first, "", last, "", "F")
    written = {people.write_name(person, "initials", Random(n)) for n in range(300)}
    assert not {text.replace(".", "").upper() for text in written} & set(people.CREDENTIALS)


def test_initials_that_only_read_as_credentials_are_drawn_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "choose_pattern", lambda kind, rng: "{f}{l}")
    assert people.write_name(Person("Dana", "", "Ortiz", "", "F"), "initials", Random(1)) == "D.O.O."


# --- regions ------------------------------------------------------------------------


def draw_many(region: str, count: int = 200, part: str = "all") -> list[Person]:
    return [people.draw_person(Random(n), part, region=region) for n in range(count)]


@pytest.mark.parametrize("region", sorted(regions.read_regions()))
@pytest.mark.parametrize("part", ["train", "test"])
def test_the_names_of_every_region_belong_to_the_part(region: str, part: str) -> None:
    drawn = draw_many(region, 20, part)
    assert all(is_in_part(name, part) for person in drawn for name in (person.first, person.last))
    assert all(person.region == region for person in drawn)


@pytest.mark.parametrize("region", sorted(regions.read_regions()))
def test_every_region_has_names_of_both_sexes(region: str) -> None:
    names = regions.read_regions()[region].names
    assert region == regions.AMERICAN or min(len(names[k]) for k in ("surname", "female", "male")) >= 50


def test_half_of_the_people_are_of_the_american_mixture() -> None:
    drawn = [regions.choose_region(Random(n)) for n in range(1000)]
    assert 400 < drawn.count(regions.AMERICAN) < 600 and len(set(drawn)) == len(regions.read_regions())


@pytest.mark.parametrize(
    "region, pattern, least",
    [
        ("korean", r"^\w+-\w+", 0.1),  # Min-jun
        ("korean", r"^\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+$", 0.1),  # Min Jun
        ("african_american", r"\p{Ll}\p{Lu}", 0.2),  # DeShawn
    ],
)
def test_first_names_have_the_shapes_of_their_region(region: str, pattern: str, least: float) -> None:
    drawn = draw_many(region)
    assert sum(bool(regex.search(pattern, person.first)) for person in drawn) / len(drawn) > least


@pytest.mark.parametrize(
    "region, pattern, least",
    [
        ("chinese", r"^\w{2,3}$", 0.2),  # He, Ma, Wu
        ("arabic", r"^(Al|El|Ben|Abu|Abdel)[- ]", 0.05),
        ("hispanic", r"^\w+[ -]\w+$", 0.1),
        ("celtic", r"^(Mc|Mac|O')\p{Lu}", 0.1),
    ],
)
def test_surnames_have_the_shapes_of_their_region(region: str, pattern: str, least: float) -> None:
    drawn = draw_many(region)
    assert sum(bool(regex.search(pattern, person.last)) for person in drawn) / len(drawn) > least


def test_a_family_name_comes_first_only_in_the_full_name() -> None:
    person = Person("Van Minh", "", "Nguyen", "", "M", "vietnamese", "family_first")
    full = {people.write_name(person, "full", Random(n)) for n in range(99)}
    assert full == {"Nguyen Van Minh", "NGUYEN Van Minh", "NGUYEN VAN MINH"}
    assert people.write_name(person, "formal", Random(1)).upper().startswith("NGUYEN")


@pytest.mark.parametrize("variant", ["full", "formal", "last", "first", "nick"])
def test_a_person_of_one_name_is_always_written_with_it(variant: str) -> None:
    assert people.write_name(
        Person("Suharto", "", "Suharto", "", "M", order="single"), variant, Random(1)
    ) == ("Suharto")


def test_most_relatives_come_from_the_region_of_the_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    world = draw_world(Random(1), "all")
    world = replace(world, patient=people.draw_person(Random(1), "all", region="korean"))
    wanted: list[str | None] = []
    monkeypatch.setattr(
        people, "draw_person", lambda *_, region, **__: wanted.append(region) or world.patient
    )
    cast = Cast(world, Random(1), world.first_note)
    for _ in range(100):
        FILLERS["relative"](cast, "first")
    assert 70 < wanted.count("korean") < 100


def test_some_surnames_say_little_by_themselves() -> None:
    """A weak surname is a word or has two or three letters, and belongs to the part like any other."""
    weak = [people.draw_weak_surname(Random(n), "train") for n in range(300)]
    assert all(is_in_part(name, "train") and name[:1].isupper() for name in weak)
    short = sum(len(name) < 4 for name in weak)
    assert 100 < short < 220


def test_short_surnames_are_of_letters_without_accents() -> None:
    short = people.read_short_surnames()
    assert all(1 < len(name) < 4 and name.isalpha() and name.isascii() for name in short)
    assert {"Ng", "Do", "Xu"} <= {*short}
