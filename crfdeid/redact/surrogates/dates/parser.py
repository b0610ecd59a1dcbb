"""Reading dates as people write them, so that they can be written again in the same form.

A date is a list of moments; a moment is the fields that say it, each with its place in the text.
Everything between the fields must be known filler (:data:`FILLER`): a text of which any
digit or word stays unread is not read at all, for nothing of it may be left.
"""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates.dates import months
from crfdeid.redact.surrogates.dates.fields import (
    DateExpression,
    Field,
    digits,
    fields,
    like,
    numeric,
    possible,
)
from crfdeid.redact.surrogates.dates.patterns import FILLER, FORMS, HOLIDAYS, LIST, NUMERIC

LEAD = regex.compile(
    r"(?:the|on|of|thru|through|to|until|till|by|from|since|and|,|-)\s*$", regex.IGNORECASE
)  # what may stand before a bare day
LONGEST = 200  # characters; nobody writes a longer date
MONTH_FIRST, DAY_FIRST = "month first", "day first"


def order(text: str) -> str | None:
    """Which order of day and month a numeric date proves.

    >>> order("25/12/2066"), order("12/25/66"), order("1/2/66")
    ('day first', 'month first', None)
    """
    match = NUMERIC.search(text)
    if not match:
        return None
    a, b = int(match[1]), int(match[3])
    return DAY_FIRST if 31 >= a > 12 >= b else MONTH_FIRST if 31 >= b > 12 >= a else None


def read(text: str, month_first: bool = True) -> list[DateExpression] | None:
    """The moments of a date; none for one that is only a weekday or season; None for what is no
    date that can be read whole.

    >>> [[(f.unit, f.value) for f in m.fields] for m in read("Jan-Feb 2067")]
    [[('m', 1)], [('y', 2067), ('m', 2)]]
    >>> read("some time ago") is None, read("Monday")
    (True, [])
    """
    if len(text) > LONGEST:
        return None
    found: list[DateExpression] = []
    at = 0
    while at < len(text):
        step = one(text, at, month_first)
        if step:
            moments, end = step
            if (moments := in_list(text, at, moments, found)) is None:
                return None
            found, at = found + moments, end
        elif match := FILLER.match(text, at):
            at = match.end()
        else:
            return None
    return found if found or any(c.isalpha() for c in text) else None


def in_list(
    text: str, at: int, moments: list[DateExpression], found: list[DateExpression]
) -> list[DateExpression] | None:
    """``moments`` that begin at ``at``. A bare day is of the month that was said before it ("March 3,
    5 and 7"); a bare number elsewhere in a longer text may be anything, and is not read."""
    if not moments[0].is_day() or moments[0].beside or len(moments) > 1:
        return moments
    day, before = moments[0].fields[0], found[-1] if found else None
    if before and before.of("m") and (last := before.of("d")):
        end = max(f.end for f in before.fields)
        year_behind = any(f.unit == "y" and f.start > last.start for f in before.fields)
        if LIST.fullmatch(text, end, at) and not year_behind:
            return [DateExpression(moments[0].fields, beside=(*before.fields, *before.beside))]
    told = not day.text.isdigit() or text.strip() == day.text or LEAD.search(text, 0, at)
    return moments if told else None


def one(text: str, at: int, month_first: bool) -> tuple[list[DateExpression], int] | None:
    """The moments that begin at ``at``, and where they end."""
    if match := HOLIDAYS.match(text, at):
        name = regex.sub(r"[^a-z0-9 ]", "", match["holiday"].lower())
        return [DateExpression(fields(match, "y"), name, match.span("holiday"))], match.end()
    if text[at].isdigit() and regex.match(r"\d\d?:\d\d", text, pos=at):
        return None
    for name, form in FORMS.items():
        if (match := form.match(text, at)) and (moments := built(name, match, month_first)):
            return moments, match.end()
    return None


def built(name: str, match: regex.Match[str], month_first: bool) -> list[DateExpression] | None:
    """The moments of a match, or None where a value cannot be (month 13)."""
    if name == "digits":
        return digits(match)
    known = list(fields(match, "m", "d", "y"))
    if name.startswith("ab"):
        known += numeric(match, month_first)
    if "mon" in match.groupdict():
        number = months.month(match["mon"])
        if number is None:
            return None
        known.append(Field("m", number, *match.span("mon"), like(match)))
    if match.groupdict().get("word"):
        number = months.ORDINALS.index(regex.sub(r"\s", "-", match["word"].lower())) + 1
        known.append(Field("d", number, *match.span("word"), match["word"]))
    if match.groupdict().get("decade"):
        known.append(Field("decade", int(match["decade"]), *match.span("decade"), match["decade"]))
    if not all(possible(f) for f in known):
        return None
    if name not in ("mdd", "ddm"):
        return [DateExpression(tuple(known))]
    days = [[f for f in known if f.unit == "d"], [*fields(match, "d2")]]
    whole, alone = days if name == "mdd" else days[::-1]
    told = DateExpression((*(f for f in known if f.unit != "d"), *whole))
    lone = DateExpression(tuple(alone), beside=told.fields)
    return [told, lone][:: 1 if name == "mdd" else -1] if possible(days[1][0]) else None
