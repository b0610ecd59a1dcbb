"""Ages: the Safe Harbor allows those up to 89; all higher ages become one group, 90+."""

from __future__ import annotations

import regex

OLDEST = 89
GROUP = "90+"
NUMBER = regex.compile(r"\d+")
WORD = regex.compile(r"\p{L}+")
ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SMALL = "|".join(ONES)
NOT_AGE = regex.compile(
    r"\d{4}|\d\s*[/.-]\s*\d+\s*[/.-]\s*\d|(?:\d+\D+){3,}\d"
)  # a date, a code, a list of numbers
YOUNG = regex.compile(
    r"[\s-]*(?:months?|mos?\b|m/o|weeks?|wks?\b|w/o|days?|d/o|hours?|hrs?\b|mes(?:es)?\b|semanas?|días?)",
    regex.IGNORECASE,
)
HALF = regex.compile(r"(?<=\d)(?:[\s-]+1\s*/\s*2|\s*[½¼¾])(?!\d)")
OLD = regex.compile(
    rf"""\b(?:ninety(?:[-\s]+(?:{SMALL}))? | nineties | nonagenarian | centenarian
    | (?:(?:one|a)\s+)?hundred(?:\s+and)?(?:\s+(?:{SMALL}))?)\b""",
    regex.VERBOSE | regex.IGNORECASE,
)
DECADE = regex.compile(r"\b(?:9\d|1\d\d)['’]?s\b|\bnineties\b", regex.IGNORECASE)
DECADE_GROUP = "90s or older"
WORDS = frozenset(
    WORD.findall(
        """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty twenties thirties forties
        fifties sixties seventies eighties teens teen teenager infant newborn half year years yr yrs yo y o
        old of age aged and a an month months m mo mos week weeks wk wks w day days d hour hours in his her
        the early mid late to s adult middle over under almost nearly older younger than años año edad meses
        mes semanas semana días día de f male female man woman yof yom yf ym boy girl toddler child neonate
        adolescent preteen something sexagenarian septuagenarian octogenarian"""
    )
)


def generalise_age(text: str, after: str = "") -> str | None:
    """Return ``text`` with each age over 89 replaced by ``90+``. Return None if a word is unknown or a number
    cannot be an age. ``after`` is what follows ``text`` in the note and may contain the unit.

    >>> [generalise_age(text) for text in ("67", "93", "93-year-old", "ninety-two", "her 90s", "91st")]
    ['67', '90+', '90+-year-old', '90+', 'her 90+', '90+']
    >>> generalise_age("92", " months"), generalise_age("elder")
    ('92', None)
    """

    def generalise(match: regex.Match[str]) -> str:
        is_young = YOUNG.match(text[match.end() :] or after)  # no month of an old age has three digits
        return GROUP if int(match[0]) > OLDEST and not is_young else match[0]

    if HALF.search(text):
        whole = HALF.sub("", text)
        return text if generalise_age(whole, after) == whole else None
    if NOT_AGE.search(text) or any(c.isalnum() and not c.isalpha() and not c.isdecimal() for c in text):
        return None
    out = OLD.sub(GROUP, NUMBER.sub(generalise, text))
    out = regex.sub(r"90\+(?:['’]?s\b|(?:st|nd|rd|th)\b|\+)", GROUP, out)
    unknown = [word for word in WORD.findall(out) if word.lower() not in WORDS]
    return None if unknown or not any(c.isalnum() for c in out) else out


def write_decade(text: str, made: str) -> str:
    """Write the group in ``made``, which :func:`generalise_age` made of ``text``, as a decade where the text
    has one.

    >>> [write_decade(text, generalise_age(text)) for text in ("her 90s", "early nineties", "93")]
    ['her 90s or older', '90s or older', '90+']
    """
    if not DECADE.search(text):
        return made
    return str(regex.sub(r"(?:\b(?:early|mid|late)[\s-]+)?90\+", DECADE_GROUP, made, flags=regex.IGNORECASE))
