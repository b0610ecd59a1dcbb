"""Words of dates: months, weekdays, ordinals, in English and, for months, in Spanish."""

from __future__ import annotations

from difflib import get_close_matches

from crfdeid.text.english_dates import MONTHS, WEEKDAYS, write_ordinal

SPANISH = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
    "noviembre", "diciembre",
)  # fmt: skip
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
    "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth",
    "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
FULL = {name.lower(): n for n, name in enumerate(MONTHS, 1)}
ABBREVIATED = {name[:3].lower(): n for n, name in enumerate(MONTHS, 1)} | {"sept": 9}
IN_SPANISH = {name: n for n, name in enumerate(SPANISH, 1)}
LONG = tuple(name.lower() for name in WEEKDAYS)
WEEKDAY_NAMES = (*LONG, "tues", "thurs", "weds", "thur", *(name[:3] for name in LONG))
SEASONS = ("winter", "spring", "summer", "fall", "autumn")


def month(word: str) -> int | None:
    """The number of a month's name, also misspelt.

    >>> month("Sept"), month("Febuary"), month("marzo"), month("Monday")
    (9, 2, 3, None)
    """
    low = word.lower()
    number = FULL.get(low) or ABBREVIATED.get(low) or IN_SPANISH.get(low)
    if number or len(low) < 5 or low in WEEKDAY_NAMES or low in SEASONS:
        return number
    near = get_close_matches(low, FULL, n=1, cutoff=0.8)
    return FULL[near[0]] if near else None


def written(number: int, like: str) -> str:
    """A month's name in the length, language and capitals of ``like``.

    >>> written(11, "MAR"), written(9, "Sept"), written(1, "december"), written(2, "marzo")
    ('NOV', 'Sept', 'january', 'febrero')
    """
    low = like.lower()
    name = SPANISH[number - 1] if low in IN_SPANISH and low not in FULL else MONTHS[number - 1]
    if low in ABBREVIATED and low not in FULL:
        name = name[:4] if low == "sept" and number in (6, 7, 9) else name[:3]
    return name.upper() if like.isupper() else name.lower() if like.islower() else name.capitalize()


def ordinal(number: int, like: str) -> str:
    """
    >>> ordinal(22, "3rd"), ordinal(2, "Third"), ordinal(1, "12TH")
    ('22nd', 'Second', '1ST')
    """
    name = write_ordinal(number) if like[0].isdigit() else ORDINALS[number - 1]
    return name.upper() if like[-2:].isupper() else name.capitalize() if like[0].isupper() else name
