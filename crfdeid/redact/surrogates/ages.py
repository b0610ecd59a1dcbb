"""Ages: the Safe Harbor lets those up to 89 stand; all above are one group, 90+."""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates.letter_case import words

OLDEST = 89
GROUP = "90+"
NUMBER = regex.compile(r"\d+")
WORD = regex.compile(r"\p{L}+")
SMALL = r"one|two|three|four|five|six|seven|eight|nine"
NO_AGE = regex.compile(r"\d{4}|\d\s*[/.-]\s*\d+\s*[/.-]\s*\d|(?:\d+\D+){3,}\d")  # a date, a code, a list
YOUNG = regex.compile(
    r"^[\s-]*(?:months?|mos?\b|m/o|weeks?|wks?\b|w/o|days?|d/o|hours?|hrs?\b|mes(?:es)?\b|semanas?|días?)",
    regex.IGNORECASE,
)
OLD = regex.compile(
    rf"""\b(?:ninety(?:[-\s]+(?:{SMALL}))? | nineties | nonagenarian | centenarian
    | (?:one\s|a\s)?\s*hundred(?:\s+and)?(?:\s+(?:{SMALL}))?)\b""",
    regex.VERBOSE | regex.IGNORECASE,
)
WORDS = words(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty twenties thirties forties
    fifties sixties seventies eighties teens teen teenager infant newborn half year years yr yrs yo y o old of
    age aged and a an month months m mo mos week weeks wk wks w day days d hour hours in his her the early mid
    late to s adult middle over under almost nearly older younger
    than años año edad meses mes semanas semana días día de f male female man woman yof yom yf ym boy girl"""
)


def treated(text: str, after: str = "") -> str | None:
    """``text`` as it may stand: unchanged up to 89, else with ``90+``; None where a word of it is
    not known, or its numbers are none of an age. ``after`` follows it in the note and may hold the unit.

    >>> [treated(text) for text in ("67", "93", "93-year-old", "ninety-two", "her 90s")]
    ['67', '90+', '90+-year-old', '90+', 'her 90+']
    >>> treated("92", " months"), treated("elder")
    ('92', None)
    """

    def number(match: regex.Match[str]) -> str:
        rest = text[match.end() :] or after
        limit = 12 * OLDEST if YOUNG.match(rest) else OLDEST
        return GROUP if int(match[0]) > limit else match[0]

    if NO_AGE.search(text) or any(c.isalnum() and not c.isalpha() and not c.isdecimal() for c in text):
        return None
    out = OLD.sub(GROUP, NUMBER.sub(number, text))
    out = regex.sub(r"90\+(?:['’]?s\b|\+)", GROUP, out)
    unread = [word for word in WORD.findall(out) if word.lower() not in WORDS]
    return None if unread or not any(c.isalnum() for c in out) else out
