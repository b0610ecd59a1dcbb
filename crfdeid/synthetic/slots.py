"""Every slot that a frame or a layout can use: the type of its span, and its variants.

This is the table of docs/synthetic.md as data. The variant ``*`` takes a range.
"""

from __future__ import annotations

import regex

from crfdeid.errors import ConfigurationError, did_you_mean

RANGE = regex.compile(r"\d+(\.\d+)?-\d+(\.\d+)?")
PERSON = ("full", "last", "first", "formal", "initials", "nick")
DAY = (
    "numeric", "numeric_noyear", "iso", "long", "long_noyear", "month_year", "month", "year", "short_year",
    "weekday", "holiday", "season", "ordinal", "range", "compact",
)  # fmt: skip
YEARS = ("number", "words", "decade", "fraction", "months")

# Slots without variants whose names are also their types.
PLAIN = (
    "username", "profession", "room", "department", "organization", "street", "city", "zip", "country",
    "phone",
    "fax", "email", "url", "ipaddr", "ssn", "medicalrecord", "healthplan", "account", "license", "vehicle",
    "device", "bioid", "idnum",
)  # fmt: skip

PHI: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: ("PATIENT", PERSON) for name in ("patient", "relative")},
    **{name: ("DOCTOR", PERSON) for name in ("doctor", "doctor2", "doctor3", "nurse", "someone")},
    **{name: ("DATE", DAY) for name in ("date", "past_date", "next_date", "dob", "today")},
    **{name: ("AGE", YEARS) for name in ("age", "relative_age")},
    **{name: ("HOSPITAL", ("full", "acronym", "nick")) for name in ("hospital", "hospital2")},
    "state": ("STATE", ("full", "abbr")),
    "location_other": ("LOCATION-OTHER", ()),
    **{name: ("PHONE", ()) for name in ("pager", "uk_phone")},
    "nhs": ("MEDICALRECORD", ()),
    "npi": ("IDNUM", ()),
    "postcode": ("ZIP", ()),
    **{name: (name.upper(), ()) for name in PLAIN},
}

LISTED = (
    "relation", "disease", "symptom", "drug", "dose", "frequency", "route", "procedure", "lab", "labvalue",
    "imaging", "organ", "side", "allergen", "organism", "specialty", "eponym", "device_name", "finding",
    "diet", "author", "topic",
)  # fmt: skip
INVENTED = ("instrument", "brand", "maker", "model", "listed_instrument")
PRONOUNS = ("he", "him", "his", "himself", "sex", "title", "person")
MEASURED = ("duration", "time", "weight", "bp", "temp", "pulse")

OTHER: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*PRONOUNS, *LISTED, *INVENTED, *MEASURED), ()),
    "number": ("*",),
}

VARIANTS: dict[str, tuple[str, ...]] = {name: variants for name, (_, variants) in PHI.items()} | OTHER


def span_type(slot: str) -> str | None:
    """The type of the span that a slot makes, or ``None``.

    >>> span_type("pager"), span_type("drug")
    ('PHONE', None)
    """
    return PHI[slot][0] if slot in PHI else None


def check_slot(slot: str, variant: str | None, where: str) -> None:
    """Raise :class:`ConfigurationError` if the slot or its variant does not exist."""
    if slot not in VARIANTS:
        raise ConfigurationError(f"{where}: {slot}: no such slot{did_you_mean(slot, VARIANTS)}")
    known = VARIANTS[slot]
    if known == ("*",):
        if not RANGE.fullmatch(variant or ""):
            raise ConfigurationError(f"{where}: {{{slot}}} needs a range, as in {{{slot}:2-40}}")
    elif variant is not None and variant not in known:
        raise ConfigurationError(f"{where}: {slot}.{variant}: no such variant{did_you_mean(variant, known)}")
