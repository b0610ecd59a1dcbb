"""What a surrogate is, at the edges where a small change of the code would make it something else."""

import re
from datetime import date

import pytest
from marked_notes import marked

from crfdeid.errors import ConfigurationError
from crfdeid.redact.redactor import STYLES, Redactor
from crfdeid.redact.surrogates.dates.generalize import QUARTER, YEAR, generalize_text
from crfdeid.redact.surrogates.dates.parser import Field
from crfdeid.redact.surrogates.dates.shift import Shift, shift_decade
from crfdeid.redact.surrogates.initials import THINGS, Initials
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.text_forms import pluralize

SECRETS = [bytes([number]) * 32 for number in range(6)]


def replace(text, secret, **options):
    return Redactor(secret, **options).redact([marked(text)])[0].document.text


@pytest.mark.parametrize("secret", SECRETS)
def test_a_plural_becomes_the_plural_of_the_surrogate(secret):
    found = replace("<PATIENT Garcia> came; the Garcias wait.", secret)
    one, many = re.fullmatch(r"(\w+) came; the (\w+) wait\.", found).groups()
    assert one != "Garcia" and many == pluralize(one)


def test_a_listed_name_that_looks_like_a_plural_is_a_name():
    """Hays is a surname: its surrogate is not the plural of Hay's."""
    plural = [
        (pluralize(one), many)
        for one, many in (replace("<PATIENT Hay> <DOCTOR Hays>", secret).split() for secret in SECRETS)
    ]
    assert all(a != b for a, b in plural)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    ("text", "form"), [("1990s", r"\d\d\d0s"), ("90s", r"\d0s"), ("1990's", r"\d\d\d0's")]
)
def test_a_decade_becomes_another_decade(secret, text, form):
    found = replace(f"<DATE 3/7/2061> in the <DATE {text}>", secret).split()[-1]
    assert re.fullmatch(form, found) and found != text


DECADES = [
    (1990, 3, "2000s"), (1990, -3, "1980s"), (1990, 0, "1980s"), (1990, 12, "2000s"), (1990, -12, "1980s"),
    (1990, 14, "2000s"), (1990, -16, "1970s"), (1990, 25, "2020s"), (2000, -25, "1980s"),
]  # fmt: skip


@pytest.mark.parametrize(("decade", "years", "made"), DECADES)
def test_a_decade_moves_with_the_dates_and_at_least_to_the_next(decade, years, made):
    edits = shift_decade(Field("decade", decade, 0, 4, str(decade)), Shift(years, 7 * 52 * years))
    assert f"{edits[0][2]}s" == made


@pytest.mark.parametrize("style", ["foo", "", "Surrogate", "surrogates"])
def test_a_style_that_does_not_exist_is_refused(style):
    with pytest.raises(ConfigurationError, match="not a style.*; the styles are surrogate"):
        Redactor(SECRETS[0], style=style)
    assert "surrogate" in STYLES


@pytest.mark.parametrize("thing", THINGS)
def test_no_initial_becomes_q_or_x_and_q_and_x_do_not_stay(thing):
    """Hardly a name begins with Q or X: an initial that stays, or becomes one, would stand out."""
    for number in range(20):
        initials = Initials(KeyedChoices(SECRETS[0], f"p{number}"))
        found = {letter: initials.replace_letter(letter, thing) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
        assert not set(found.values()) & {"Q", "X"}
        assert all(found[letter] in "BCDGHLMPRSW" for letter in "QX")
        assert initials.replace_letter("q", thing) == found["Q"].lower()


def test_identifiers_of_five_characters_are_found_again_and_shorter_ones_are_not():
    text = "<MEDICALRECORD 44719> <MEDICALRECORD 8302> then 44719 and 8302 of them"
    for secret in SECRETS:
        rest = replace(text, secret).split(" then ")[1]
        assert "44719" not in rest and " 8302 " in rest


@pytest.mark.parametrize(
    ("text", "note", "quarter"),
    [("March 2067", "2067-06-01", "Q1 2067"), ("September", "2067-03-16", "Q3 2066"),
     ("September", "2067-03-17", "Q3 2067")],
)  # fmt: skip
def test_a_month_without_a_day_is_its_middle(text, note, quarter):
    """From 16 March, 15 September of the year before is 182 days away, and the next one 183."""
    when = date.fromisoformat(note)
    assert generalize_text(text, QUARTER, when) == quarter
    assert generalize_text(text, YEAR, when) == quarter.split()[1]


@pytest.mark.parametrize(
    ("text", "lost"),
    [("<PATIENT Okaf>or came. Okafor left.", "kafor"), ("Ok<PATIENT afor> came. Okafor left.", "kafor"),
     ("MRN <MEDICALRECORD 4471>902 and 4471902", "902"), ("<PATIENT OKAF>OR and OKAFOR", "KAFOR")],
)  # fmt: skip
def test_a_span_that_cuts_a_word_is_widened_and_the_word_is_found_again(text, lost):
    for secret in SECRETS:
        assert lost not in replace(text, secret)


@pytest.mark.parametrize("text", ["<PATIENT Okafor>Marital", "MARY<MEDICALRECORD 3041023>", "<AGE 54>yo"])
def test_a_span_beside_another_kind_of_character_is_not_widened(text):
    rest = re.sub(r"<\w+ \w+>", "", text)
    for secret in SECRETS:
        assert rest in replace(text, secret)


def test_a_span_is_not_widened_into_another():
    found = Redactor(SECRETS[0]).redact([marked("<MEDICALRECORD 4471902><IDNUM 303107>")])[0]
    assert [made.end - made.start for made in found.replacements] == [7, 6]
