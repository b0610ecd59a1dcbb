"""People, and every form in which their names are written."""

from __future__ import annotations

from random import Random

import pytest

from crfdeid.synthetic import people
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
