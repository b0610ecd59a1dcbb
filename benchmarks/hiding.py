"""Can a reader tell the names that a tagger missed from the surrogates around them?

    python benchmarks/hiding.py [--data FILE] [--notes 400]
    python benchmarks/hiding.py --language spanish

An attacker sees released notes and knows the shipped lists and the census. A logistic regression, tested on
notes that it was not trained on, separates missed real words from surrogates by their frequency, the lists
that have them, their writing, and their check digits. Printed are the area under the curve (0.5: no better
than chance; goal: at most 0.60) and the advantage, which is the largest difference between the shares of
missed and of surrogate words above a threshold (goal: at most 0.15). Spans are missed at random, by the
rules, or by the default of ``redact``. The last lines are of real ones from lists: hospitals of
``gazetteers/hospitals``, addresses of ``town_codes`` (town, state, ZIP code, telephone), towns by their size,
first names as people bear them, and days of visits, each against its surrogate, by an attacker who knows
these lists and sees one word at a time. A missed date shows by its year, since the other dates moved by
years. ``--notes 0`` prints only these lines. The notes are the development set. Its phones are invented and
have the exchange 555; the attacker does not know this, because real phones have other exchanges.

In Spanish the notes are the written documents of the train hands, a fifth of whose names, places and numbers
are missed at random. The attacker knows the Spanish lists, how frequent words are, the check letters and the
area codes. The names of these documents were invented, and real ones are more often in lists.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import devset
import numpy as np
from foreign import copy_all
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from crfdeid import cli
from crfdeid.lexicon import ENGLISH, word_lists
from crfdeid.lexicon import SPANISH as SPANISH_LANGUAGE
from crfdeid.lexicon.letters import WORD, fold, remove_marks
from crfdeid.redact.redactor import Redaction, Redactor
from crfdeid.redact.surrogates import identifiers, institutions, kinds, places
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.spanish import contacts, numbers
from crfdeid.synthetic.written_corpus import read_corpus
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

SHARE = 0.2  # of the spans are missed at random
LISTS = ("surnames", "first_names", "common_surnames", "common_words", "medical_words", "eponyms")
FORMS = (str.isupper, str.istitle, str.islower)
NAME_LISTS = (
    "es_first_names_female", "es_first_names_male", "es_surnames", "es_american_surnames", "surnames",
    "first_names", "es_nicknames",
)  # fmt: skip
PLACE_LISTS = (
    "es_cities", "es_hospital_words", "es_street_words", "es_surnames", "es_american_surnames",
    "es_first_names_female", "es_first_names_male", "es_place_names",
)  # fmt: skip
FOLDS = 5
SEED, LISTED = 7, 400  # entries of a list
NOT_IN_CENSUS = 0.1  # of people have a first name that the census leaves out


class Unit(NamedTuple):
    """A word or number in a released note: ``missed`` if it is real."""

    note: int
    kind: str
    text: str
    missed: bool


def describe_name(text: str) -> list[float]:
    """The features of a word of a name."""
    word = fold(text)
    shares = [word_lists.load_shares(kind).get(word, 0.0) for kind in ("surname", "female", "male")]
    rank = sum(name.startswith(word[:1]) for name in word_lists.load_folded("common_surnames"))
    return [
        *(math.log(share + 1e-4) for share in shares),
        *(float(share > 0) for share in shares),
        *(float(word in word_lists.load_folded(name)) for name in LISTS),
        *(float(form(text)) for form in FORMS),
        *(float(len(text) <= length) for length in (1, 2, 3, 5, 7, 9)),
        math.log(rank + 1),
        float(text[:1] in "QXZ"),
    ]


def describe_number(text: str) -> list[float]:
    """The features of a number."""
    bare = remove_marks(text)
    passed = identifiers.find_checks(text)
    return [
        *(float(name in passed) for name in identifiers.CHECKS),
        *(float(len(bare) <= length) for length in (4, 5, 6, 7, 8, 9, 10)),
        *(float(mark in text) for mark in "-. /()"),
        float(bare[:1] == "0"), float(bare.isdigit()), float(len(set(bare)) <= len(bare) / 2),
        float(any(part in text for part in ("911", "411", "000"))),
    ]  # fmt: skip


def describe_hospital(text: str) -> list[float]:
    """The features of the name of a hospital: its kind, its length, and what its other words are."""
    words = [fold(word) for word in WORD.findall(text)]
    kind = [phrase for phrase in institutions.KIND_OF if phrase in text.lower()]
    proper = [word for word in words if word not in word_lists.load_words("hospital_words")]
    shares = word_lists.load_shares("surname")
    return [
        *(float(phrase in kind) for phrase in institutions.KIND_OF),
        *(float(len(words) >= size) for size in (2, 3, 4, 5)), float(len(proper)),
        float(any(word in word_lists.locate_towns("city_states") for word in proper)),
        float(any(word in institutions.SAINTS for word in proper)), float("St" in text.split(".")[0].split()),
        max((math.log(shares.get(word, 0.0) + 1e-4) for word in proper), default=0.0),
    ]  # fmt: skip


def describe_town(text: str) -> list[float]:
    """The features of a town: its words, its ending, its share as a surname, and how large it is."""
    words = [fold(word) for word in WORD.findall(text)]
    shares, town = word_lists.load_shares("surname"), " ".join(words)
    zips = [len(codes.zips) for (name, _), codes in load_town_sizes().items() if name == town]
    return [
        float(len(words) > 1), float(len(words) > 2), float(town in word_lists.locate_towns("city_states")),
        float(town in word_lists.locate_towns("city_countries")), float(len(zips) > 1), float(len(zips) > 3),
        math.log(max(zips, default=0) + 1), math.log(max(shares.get(word, 0.0) for word in words) + 1e-4),
        *(float(town.endswith(end)) for end in ("ville", "ton", "burg", "field", "town", "ford", "city")),
        *(float(words[0] == first) for first in ("new", "north", "west", "saint", "st", "lake", "fort")),
        *(float(len(town) <= length) for length in (4, 6, 8, 10, 13)),
    ]  # fmt: skip


@cache
def load_town_sizes() -> dict[tuple[str, str], places.TownCodes]:
    return dict(places.load_town_codes())


def describe_date(text: str) -> list[float]:
    """The features of a day: its weekday, its month, and where in the month it is; not its year."""
    day = date.fromisoformat(text)
    return [
        *(float(day.weekday() == number) for number in range(7)),
        *(float(day.month == number) for number in range(1, 13)),
        *(float(day.day <= last) for last in (1, 9, 12, 15, 28, 30)), float(day.day == day.month),
        float((day.month, day.day) in ((1, 1), (7, 4), (12, 25))), float(day.year % 5 == 0),
    ]  # fmt: skip


def describe_address(text: str) -> list[float]:
    """Whether the parts of an address agree, and whether its codes exist."""
    town, state, zip, phone = text.split("|")
    codes = places.load_town_codes().get((fold(town), state), places.NO_CODES)
    return [
        float(zip in codes.zips), float(zip in places.list_zips(state)), float(phone[:3] in codes.areas),
        float(places.find_zip_state(zip) == state), float(places.load_area_states().get(phone[:3]) == state),
        float(phone[5:7] == "11"), float(bool(codes.zips)),
    ]  # fmt: skip


def describe_spanish_word(text: str, lists: Sequence[str]) -> list[float]:
    """The features of a word of a name or place: the lists that have it, its frequency, and its writing."""
    word, row = fold(text), load_spanish_words().get(fold(text), (0, 0))
    return [
        *(float(word in word_lists.load_folded(name)) for name in lists), float(row[0]), float(row[1]),
        *(float(form(text)) for form in FORMS), float(text.isascii()), float(word != text.lower()),
        *(float(len(text) <= length) for length in (1, 2, 3, 5, 7, 9, 12)), float(word.endswith("ez")),
        float(word[-1:] in "ao"), float(word[:1] in "wkyxq"),
    ]  # fmt: skip


@cache
def load_spanish_words() -> dict[str, tuple[int, int]]:
    """The frequency and the share of capitals of each folded word."""
    rows = (entry.split("|") for entry in word_lists.read_entries("es_words"))
    return {fold(word): (int(frequency), int(capitals)) for word, _, frequency, capitals in rows}


def describe_spanish_number(text: str) -> list[float]:
    """The features of a number: as in English, and whether a Spanish check or area code is right."""
    bare = remove_marks(text)
    plans = [contacts.split_number(country, bare) for country in contacts.PLANS if bare.isdecimal()]
    return [
        *describe_number(text), float(numbers.make_checked(bare, iter(range(200))) is not None),
        float(len([plan for plan in plans if plan])), float(any(plan.is_mobile for plan in plans if plan)),
        float(any(letter in bare for letter in "QWXYZ")), float(bare[:1] in "12"), float("555" in bare),
        float(bare[-2:] in ("00", "01")), float(len(bare)),
    ]  # fmt: skip


DESCRIBE: dict[str, Callable[[str], list[float]]] = {"names": describe_name, "numbers": describe_number}
DESCRIBE_LISTS = {
    "hospitals": describe_hospital, "addresses": describe_address, "towns": describe_town,
    "men": describe_name, "women": describe_name, "dates": describe_date,
}  # fmt: skip
SPANISH: dict[str, Callable[[str], list[float]]] = {
    "names": partial(describe_spanish_word, lists=NAME_LISTS),
    "places": partial(describe_spanish_word, lists=PLACE_LISTS),
    "numbers": describe_spanish_number,
}
SPANISH_PLACES = dict.fromkeys((kinds.CITY, kinds.STATE, kinds.STREET, kinds.HOSPITAL), "places")
KINDS = {kinds.NAME: "names", kinds.IDENTIFIER: "numbers", kinds.PHONE: "numbers"}


def miss_at_random(gold: Sequence[Document], share: float = SHARE) -> list[Document]:
    """Leave out a share of the spans."""
    rng = Random(SEED)
    return [note.with_spans(span for span in note.spans if rng.random() >= share) for note in gold]


def tag_with(name: str) -> Callable[[Sequence[Document]], list[Document]]:
    return lambda gold: list(model.load(name).tag_all([note.with_spans(()) for note in gold]))


TAGGERS = {
    "missed at random": miss_at_random,
    "rules": tag_with("rules"),
    "english+rules": tag_with(model.CAREFUL),
}


def redact_each(tagged: Sequence[Document], title: str, language: str = ENGLISH) -> list[Redaction]:
    """Redact each note as the only one of its patient."""
    redactor = Redactor(b"a secret of this benchmark", rules=Rules(language=language))
    return [redactor.redact([note])[0] for note in cli.show_progress(tagged, title)]


def list_units(
    number: int, gold: Document, redaction: Redaction, attacked: Mapping[str, str] = KINDS
) -> Iterator[Unit]:
    """Yield the surrogates of a note and the real texts that stayed in it."""
    replaced = [(made.start, made.end) for made in redaction.replacements]
    for made in redaction.replacements:
        if (kind := attacked.get(kinds.kind_of(made.type))) and made.treatment == "surrogate":
            yield from split_units(number, kind, made.replacement, False)
    for span in gold.spans:
        kind = attacked.get(kinds.kind_of(span.type))
        if kind and not any(start < span.end and span.start < end for start, end in replaced):
            yield from split_units(number, kind, gold.text_of(span), True)


def split_units(number: int, kind: str, text: str, missed: bool) -> Iterator[Unit]:
    """Yield the words of a name, or a whole number."""
    for part in [text] if kind == "numbers" else WORD.findall(text):
        yield Unit(number, kind, part, missed)


def attack(
    units: Sequence[Unit], describe: Mapping[str, Callable[[str], list[float]]] | None = None
) -> tuple[float, float]:
    """Return the area under the curve and the advantage of the attacker."""
    describe = describe or DESCRIBE | DESCRIBE_LISTS
    table = np.array([describe[unit.kind](unit.text) for unit in units])
    real = np.array([unit.missed for unit in units])
    notes = np.array([unit.note for unit in units])
    attacker = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000, class_weight="balanced"))
    folds = GroupKFold(FOLDS).split(table, real, notes)
    scores = cross_val_predict(attacker, table, real, cv=list(folds), method="decision_function")
    false, true, _ = roc_curve(real, scores)
    return float(roc_auc_score(real, scores)), float(np.max(true - false))


def list_hospitals() -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the listed hospitals of two words or more, each with its span."""
    for name in word_lists.load_sorted("hospitals"):
        if len(name.split()) > 1:
            yield name, (Span(0, len(name), "HOSPITAL"),)


def list_addresses() -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield an address of each town that has a ZIP code and an area code, with its spans."""
    for (town, state), codes in places.load_town_codes().items():
        if codes.zips and codes.areas:
            rng = Random(f"{town} {state}")
            phone = f"{rng.choice(codes.areas)}-{rng.randrange(212, 999)}-{rng.randrange(10_000):04}"
            parts = (town.title(), state, rng.choice(codes.zips), phone)
            text, spans = "", []
            for part, type, mark in zip(parts, ("CITY", "STATE", "ZIP", "PHONE"), (", ", " ", " ", "")):
                spans.append(Span(len(text), len(text) + len(part), type))
                text += part + mark
            yield text, tuple(spans)


def list_towns() -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield towns of the US, a large one more often: as often as it has ZIP codes."""
    towns = [name for (name, _), codes in load_town_sizes().items() for _ in codes.zips]
    for name in Random(SEED).sample(towns, LISTED):
        yield name.title(), (Span(0, len(name), "CITY"),)


def list_first_names(kind: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield first names of women or of men, drawn as people bear them: one in ten is not in the census."""
    shares, rng = word_lists.load_shares(kind), Random(SEED)
    others = sorted(set(word_lists.load_folded(f"first_names_{kind}")) - shares.keys())
    listed = rng.choices(list(shares), list(shares.values()), k=LISTED)
    for name in (rng.choice(others) if rng.random() < NOT_IN_CENSUS else name for name in listed):
        yield name.title(), (Span(0, len(name), "PATIENT"),)


def list_dates() -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the days of visits, four of five of them on the first five days of a week."""
    rng = Random(SEED)
    for _ in range(LISTED):
        day = date(2005, 1, 3) + timedelta(
            weeks=rng.randrange(1000), days=rng.choice((0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 6))
        )
        yield day.isoformat(), (Span(0, 10, "DATE"),)


LISTED_KINDS: dict[str, Callable[[], Iterable[tuple[str, tuple[Span, ...]]]]] = {
    "hospitals": list_hospitals, "addresses": list_addresses, "towns": list_towns,
    "men": partial(list_first_names, word_lists.MALE), "women": partial(list_first_names, word_lists.FEMALE),
    "dates": list_dates,
}  # fmt: skip


def compare_list(kind: str, entries: Iterable[tuple[str, tuple[Span, ...]]]) -> list[Unit]:
    """Return each real entry of a list and its surrogate."""
    units = []
    for number, (text, spans) in enumerate(entries):
        real = Document(f"{number}", text, spans)
        made = Redactor(b"a secret of this benchmark").redact([real])[0].document
        units += [
            Unit(number, kind, "|".join(map(note.text_of, note.spans)), note is real)
            for note in (real, made)
        ]  # fmt: skip
    return units


def print_spanish() -> None:
    """Print the attack on the written documents of the train hands."""
    gold = list(copy_all(read_corpus("train", SPANISH_LANGUAGE)))
    redactions = redact_each(miss_at_random(gold), "missed at random", SPANISH_LANGUAGE)
    attacked = KINDS | SPANISH_PLACES
    units = [unit for n, pair in enumerate(zip(gold, redactions)) for unit in list_units(n, *pair, attacked)]
    for kind in SPANISH:
        chosen = [unit for unit in units if unit.kind == kind]
        missed, (auc, advantage) = sum(unit.missed for unit in chosen), attack(chosen, SPANISH)
        print(
            f"{'written, Spanish':18}{kind:10}{len(chosen) - missed:11}{missed:8}{auc:7.3f}{advantage:11.3f}"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=devset.DATA)
    parser.add_argument("--notes", type=int, default=devset.COUNT)
    parser.add_argument("--language", choices=(ENGLISH, SPANISH_LANGUAGE), default=ENGLISH)
    args = parser.parse_args(arguments)
    if args.language == SPANISH_LANGUAGE:
        print(f"{'spans':18}{'kind':10}{'surrogates':>11}{'missed':>8}{'AUC':>7}{'advantage':>11}")
        return print_spanish()
    gold = devset.build_notes(args.data, args.notes) if args.notes else []
    print(f"{'spans':18}{'kind':10}{'surrogates':>11}{'missed':>8}{'AUC':>7}{'advantage':>11}")
    for name, tag in TAGGERS.items() if gold else ():
        redactions = redact_each(tag(gold), name)
        units = [unit for n, pair in enumerate(zip(gold, redactions)) for unit in list_units(n, *pair)]
        for kind in DESCRIBE:
            chosen = [unit for unit in units if unit.kind == kind]
            missed = sum(unit.missed for unit in chosen)
            auc, advantage = attack(chosen) if missed >= 2 * FOLDS else (math.nan, math.nan)
            print(f"{name:18}{kind:10}{len(chosen) - missed:11}{missed:8}{auc:7.3f}{advantage:11.3f}")
    for kind, list_entries in LISTED_KINDS.items():
        units = compare_list(kind, islice(list_entries(), LISTED))
        auc, advantage = attack(units)
        print(f"{'of a list':18}{kind:10}{len(units) // 2:11}{len(units) // 2:8}{auc:7.3f}{advantage:11.3f}")


if __name__ == "__main__":
    cli.run(main)
