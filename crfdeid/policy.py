"""Policies: what becomes of the PHI of each type, and in which forms it does not count.

A policy is a TOML file, shipped in ``configs/policies`` or the user's own (docs/policies.md). Each rule names
types, one action, and the paragraph that asks for it; ``forms`` give another action to texts of one form:

    [[rule]]
    cite = "(C)"
    title = "dates"
    action = "surrogate"
    types = ["DATE"]
    forms = { year = "keep", season = "keep" }

After tagging, :meth:`Policy.select_phi` leaves out the spans whose action is ``keep``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crfdeid import files
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.files import read_text
from crfdeid.lexicon.english import MONTH_PATTERN
from crfdeid.text.ages import generalise_age
from crfdeid.text.document import Document, Span
from crfdeid.text.gazetteer import find_gazetteer, read_entries
from crfdeid.text.scheme import Scheme

FOLDER = "configs/policies"
SURROGATE, MARKER, BLANK, KEEP, GENERALIZE, HASH = ACTIONS = (
    "surrogate", "marker", "blank", "keep", "generalize", "hash",
)  # fmt: skip
DATE_UNITS, AGE_BANDS = ("year", "quarter"), ("5 years", "10 years", "20 years")  # what ``to`` can name
CONTEXT = 24  # characters of the note before and after a span that a form can ask for
SHOWN = 3  # types that a message lists

CENTURIES = r"(?:1[89]|2[01])"
DECADE = re.compile(rf"(?<!\d)(?:(?:{CENTURIES}|['’])?\d0['’]?s)\b", re.IGNORECASE)
# A year of two digits needs an apostrophe, or a year before it: 2014-15, where 2014-11 may be November.
YEAR = re.compile(
    rf"(?<![\d])(?:{CENTURIES}\d\d(?!\w)|['’]\d\d(?!\w))|(?<=\d{{4}}[-–/])(?:1[3-9]|[2-9]\d)(?!\w)"
)
WORD = re.compile(r"\w+")
YEAR_WORDS = frozenset(
    WORD.findall(
        """in since from between around about circa c ca the year years calendar fiscal fy cy of before after
        by until through to and or vs versus than en año años desde hasta entre el los y a de del"""
    )
)
DECADE_WORDS = YEAR_WORDS | {"early", "mid", "middle", "late"}
BIRTH = re.compile(
    r"\b(?:born|birth(?:day|date)?|d\.?o\.?b|b|nacid[oa]|nacimiento)\b\W*(?:\w+\W+){0,2}$", re.IGNORECASE
)
SEASONS = re.compile(
    r"\b(?:(?:winter|spring|summer)(?:s|time)?|falls?|autumns?|primavera|verano|otoño|invierno)\b",
    re.IGNORECASE,
)
MONTH_BEFORE = re.compile(rf"\b(?:{MONTH_PATTERN})\.?\s*$", re.IGNORECASE)
COUNTRIES = frozenset(
    {"us", "usa", "uk", "america", "england", "scotland", "wales", "korea"}
)  # not in the list
ONE_YEAR = rf"(?:{CENTURIES}\d\d|['’]\d\d)(?!\w)"
YEAR_AFTER = re.compile(rf"[\s,]*(?:(?:of|in|de|del)\s+)?{ONE_YEAR}")
YEAR_BEFORE = re.compile(rf"(?<!\w){ONE_YEAR}[\s,]*(?:in\s+)?(?:the\s+)?$")
SEASON_WORDS = frozenset(
    WORD.findall(
        """in since from during until through to and or the this that last next past previous coming every
        each early mid late season of en el la y o de del este esta pasado pasada"""
    )
)

Decide = Callable[[str, str, str], bool]


def is_year(text: str, before: str = "", after: str = "") -> bool:
    """Whether a date says no more than a year, years, or a decade. Not so a year of birth, which may show an
    age over 89 (``before`` is what precedes the date in the note), nor a part of a year.

    >>> [is_year(text) for text in ("2014", "from 2014 to 2016", "'98", "early 1990s")]
    [True, True, True, True]
    >>> is_year("summer 2014"), is_year("late 2014"), is_year("98"), is_year("1921", "born in ")
    (False, False, False, False)
    """
    rest, decades = DECADE.subn(" ", text)
    rest, years = YEAR.subn(" ", rest)
    allowed = YEAR_WORDS if years else DECADE_WORDS
    return bool(years or decades) and has_only(rest, allowed) and not BIRTH.search(before)


def is_season(text: str, before: str = "", after: str = "") -> bool:
    """Whether a date says no more than a season, and no year is in it or beside it.

    >>> is_season("last summer"), is_season("summer 2014"), is_season("summer", after=" of 2014")
    (True, False, False)
    """
    rest, seasons = SEASONS.subn(" ", text)
    return bool(seasons) and has_only(rest, SEASON_WORDS) and not has_year_beside(before, after)


def is_season_of_year(text: str, before: str = "", after: str = "") -> bool:
    """Whether a date says no more than a season of a year, which may be beside it.

    >>> [is_season_of_year(*texts) for texts in (("summer 2014",), ("summer",), ("summer", "", " of 2014"))]
    [True, False, True]
    """
    rest, seasons = SEASONS.subn(" ", text)
    rest, years = YEAR.subn(" ", rest)
    return bool(seasons and (years or has_year_beside(before, after))) and has_only(rest, SEASON_WORDS)


def has_year_beside(before: str, after: str) -> bool:
    return bool(YEAR_AFTER.match(after) or YEAR_BEFORE.search(before))


def is_age_under_90(text: str, before: str = "", after: str = "") -> bool:
    """Whether an age can be read and is under 90, or is the group of all older ages. ``after`` is what
    follows the age in the note and may contain the unit. A number after a month is rather a day.

    >>> [is_age_under_90(text) for text in ("45", "forty-five", "70s", "92", "elder")]
    [True, True, True, False, False]
    >>> is_age_under_90("92", after=" months")
    True
    """
    return generalise_age(text, after) == text and not MONTH_BEFORE.search(before)


def is_state(text: str, before: str = "", after: str = "") -> bool:
    """Whether a text is a state or territory of the US, or its postal abbreviation in capitals. What a model
    took for a state can be a name.

    >>> [is_state(text) for text in ("Ohio", "new york", "MA", "oh", "Vorin")]
    [True, True, True, False, False]
    """
    return text in list_places("state_abbreviations") or text.lower() in list_places("us_states")


def is_country(text: str, before: str = "", after: str = "") -> bool:
    """Whether a text is a country.

    >>> is_country("Peru"), is_country("the U.S."), is_country("Vorin")
    (True, True, False)
    """
    name = text.lower().removeprefix("the ")
    return name.replace(".", "") in COUNTRIES or name in list_places("countries")


@cache
def list_places(name: str) -> frozenset[str]:
    """Return the entries of a gazetteer in lower case; abbreviations as they are."""
    entries = read_entries(find_gazetteer(name))
    return frozenset(entry if entry.isupper() else entry.lower() for entry in entries)


def has_only(text: str, allowed: Collection[str]) -> bool:
    return all(word.lower() in allowed for word in WORD.findall(text))


class Form(NamedTuple):
    """A form of a text: the types that can have it, and the function that decides."""

    types: frozenset[str]
    decide: Decide


DATES, AGES = frozenset({"DATE", "FECHAS"}), frozenset({"AGE", "EDAD_SUJETO_ASISTENCIA"})
FORMS = {
    "year": Form(DATES, is_year),
    "season": Form(DATES, is_season),
    "season_of_year": Form(DATES, is_season_of_year),
    "under_90": Form(AGES, is_age_under_90),
    "state": Form(frozenset({"STATE"}), is_state),
    "country": Form(frozenset({"COUNTRY"}), is_country),
    "province": Form(frozenset({"STATE"}), lambda text, before, after: False),  # redact knows its language
}


@dataclass(frozen=True)
class Rule:
    """One rule of a policy. ``cite`` is the paragraph and ``title`` what it is about; ``forms`` maps names of
    :data:`FORMS` to actions. ``to`` says what dates and ages are generalized to."""

    cite: str
    title: str
    action: str
    types: tuple[str, ...]
    forms: Mapping[str, str] = field(default_factory=dict)
    to: str = ""

    def __post_init__(self) -> None:
        for action in (self.action, *self.forms.values()):
            check_word("action", action, ACTIONS)
        for name in self.forms:
            check_word("form", name, FORMS)
            if not FORMS[name].types & set(self.types):
                raise ConfigurationError(f"the form {name} is for other types than {', '.join(self.types)}")
        self._check_to()

    def _check_to(self) -> None:
        """Raise :class:`ConfigurationError` where ``to`` fits neither the types nor the actions."""
        if not self.to:
            return
        check_word("value of to", self.to, (*DATE_UNITS, *AGE_BANDS))
        wanted = DATES if self.to in DATE_UNITS else AGES
        if not wanted.issuperset(self.types) or GENERALIZE not in (self.action, *self.forms.values()):
            raise ConfigurationError(
                f"to = {self.to!r} needs the action {GENERALIZE} and types of its kind only"
            )


@dataclass(frozen=True)
class Policy:
    """The action for the PHI of each type. ``source`` is the law or guideline that the rules cite."""

    name: str
    source: str
    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        types = [type for rule in self.rules for type in rule.types]
        if twice := next((type for type in types if types.count(type) > 1), None):
            raise ConfigurationError(f"two rules have the type {twice}")

    @cached_property
    def by_type(self) -> dict[str, Rule]:
        return {type: rule for rule in self.rules for type in rule.types}

    def check_scheme(self, scheme: Scheme) -> None:
        """Raise :class:`ConfigurationError` where a type of the scheme has no rule."""
        if missing := [type for type in scheme.types if type not in self.by_type]:
            more = f" and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
            shown = ", ".join(missing[:SHOWN]) + more
            raise ConfigurationError(f"policy {self.name}: no rule for {shown} of scheme {scheme.name}")

    def choose_action(self, document: Document, span: Span) -> str:
        """Return the action for a span of the document: the action for its form, else for its type. A type
        without a rule gets a marker."""
        rule = self.by_type.get(span.type)
        if rule is None:
            return MARKER
        before = document.text[max(0, span.start - CONTEXT) : span.start]
        after = document.text[span.end : span.end + CONTEXT]
        for name, action in rule.forms.items():
            form = FORMS[name]
            if span.type in form.types and form.decide(document.text_of(span), before, after):
                return action
        return rule.action

    def shifts(self, type: str) -> bool:
        """Whether texts of the type get surrogates, except texts of some forms."""
        return type in self.by_type and self.by_type[type].action == SURROGATE

    def select_phi(self, document: Document) -> Document:
        """Return the document without the spans that the policy keeps in the text."""
        counting = [span for span in document.spans if self.choose_action(document, span) != KEEP]
        return document if len(counting) == len(document.spans) else document.with_spans(counting)


def list_shipped() -> list[str]:
    """Return the names of the shipped policies."""
    return files.list_names(FOLDER, ".toml")


@cache
def read_policy(name: str | Path) -> Policy:
    """Read the shipped policy of that name, or the file of that path. Raises :class:`ConfigurationError`
    where there is none, or the file is not a policy.

    >>> read_policy("safe_harbor").by_type["AGE"].forms
    {'under_90': 'keep'}
    """
    path = files.find_file(FOLDER, str(name), ".toml")
    try:
        return build_policy(tomllib.loads(read_text(path)))
    except (tomllib.TOMLDecodeError, ConfigurationError) as error:
        raise ConfigurationError(f"{path}: {error}") from None


def build_policy(table: Mapping[str, Any]) -> Policy:
    check_keys(table, {"name": TEXT, "source": TEXT, "rule": TABLES}, "a policy")
    return Policy(table["name"], table["source"], tuple(build_rule(rule) for rule in table["rule"]))


def build_rule(table: Mapping[str, Any]) -> Rule:
    keys = {"cite": TEXT, "title": TEXT, "action": TEXT, "types": TEXTS, "forms": TEXT_TABLE, "to": TEXT}
    check_keys({"forms": {}, "to": "", **table}, keys, "a rule")
    return Rule(**dict(table) | {"types": tuple(table["types"])})


TEXT, TEXTS, TABLES, TEXT_TABLE = "a text", "a list of texts", "a list of tables", "a table of texts"
IS_OF_KIND: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    TEXTS: lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    TABLES: lambda value: isinstance(value, list) and all(isinstance(table, dict) for table in value),
    TEXT_TABLE: lambda value: isinstance(value, dict) and IS_OF_KIND[TEXTS](list(value.values())),
}


def check_keys(table: Mapping[str, Any], wanted: Mapping[str, str], what: str) -> None:
    """Raise :class:`ConfigurationError` at an unknown or missing key, or a value of another kind."""
    for key, value in table.items():
        check_word("key", key, wanted)
        if not IS_OF_KIND[wanted[key]](value):
            raise ConfigurationError(f"{key} = {value!r}: wanted {wanted[key]}")
    if missing := [key for key in wanted if key not in table]:
        raise ConfigurationError(f"{what} without {', '.join(missing)}")


def check_word(what: str, word: str, known: Collection[str]) -> None:
    """Raise :class:`ConfigurationError` where the word is unknown."""
    if word not in known:
        raise ConfigurationError(f"no {what} {word}{did_you_mean(word, known)}")
