"""Spanish dates: ``martes 12 de marzo de 2015``, ``12/III/15``, ``doce de marzo``, ``Navidad``.

Words that are not part of the day (weekdays, *el*, *a finales de*) are blanked out in a copy of the same
length, which the parser reads; what it edits is written into the text. Months in Roman numbers and days in
words have their own forms here. A feast becomes the part of the month where its day comes to lie.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

import regex

from crfdeid.lexicon import english
from crfdeid.lexicon.letters import drop_accents, match_case
from crfdeid.lexicon.spanish import FEASTS, MONTH_NUMBERS, MONTHS, NUMBER_WORDS, NUMBERS, ROMANS
from crfdeid.redact.surrogates.dates.parser import DateField
from crfdeid.redact.surrogates.dates.resolve import NO_NOTE_DATE, complete_year, find_nearest, make_date
from crfdeid.redact.surrogates.dates.shift import DateShifter, Shift, add_days
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices

DAYS = (
    r"(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?"
    r"|lun|mart?|mi[ée]r?|juev?|vier?|s[áa]b|dom)"
)
DAY_LETTERS = "LMXJVSD"
SEASONS = r"(?:primaveras?|veranos?|otoños?|inviernos?)"
FILLER = regex.compile(
    rf"(?<!\p{{L}})(?:{DAYS}(?:,|\.)?|(?-i:^[{DAY_LETTERS}](?=\s+$))"
    r"|el|la|los|las|al|en|del|de|desde|hasta|hacia|por|entre|este|pasado|pr[óo]ximo"
    rf"|d[íi]as?|mes|años?|fines|finales|principios|mediados|primeros|tarde|noche|mañana|horas?|hrs?|{SEASONS})"
    r"(?!\p{L})",
    regex.IGNORECASE,
)
ONLY_DAYS = regex.compile(
    rf"(?:{DAYS}|{SEASONS}|el|la|los|las|y|a|e|o|al|de|todos|cada|este|pasado|próximo|[\s,.;/-])+",
    regex.IGNORECASE,
)
NAMED = regex.compile(rf"{DAYS}|{SEASONS}", regex.IGNORECASE)
JOINER = regex.compile(r"(?<=\d)\s+(?:al|a|y|e)\s+(?=\d)", regex.IGNORECASE)
WEEKDAY = regex.compile(rf"(?<!\p{{L}}){DAYS}(?!\p{{L}})", regex.IGNORECASE)
HEAD = regex.compile(
    rf"(?:(?:{DAYS}|(?-i:[{DAY_LETTERS}](?=\s+\d))"
    r"|el|la|los|las|del|desde|día de|día|puente de|noche de)\b[.,]?\s+)+",
    regex.IGNORECASE,
)
SHORT_YEAR = regex.compile(r"(['’]?)([4-9]\d)")
ROMAN = regex.compile(
    r"(?P<d>\d{1,2})(?P<s>\s?[/.–-]\s?)(?P<m>X?I{1,3}|I?[VX]|VI{1,3}|XI{0,2})(?:(?P=s)(?P<y>\d{4}|\d\d))?",
    regex.IGNORECASE,
)
SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)}
OTHER_MONTHS = {"sept": 9, "set": 9, "ag": 8}
SHORT_MONTH = regex.compile(
    r"(?P<d>\d{1,2})(?P<s>(?:\s?[/.–-]\s?|\s+(?:de\s+)?))(?P<m>\p{L}{2,4})(?:\.?(?P<t>[/.–\s-]+)(?P<y>\d{4}|\d\d))?\.?",
    regex.IGNORECASE,
)
ONLY_SHORT_MONTH = regex.compile(r"(?P<m>\p{L}{3,4})\.?(?P<t>[/.–\s-]+)(?P<y>\d{4}|\d\d)", regex.IGNORECASE)
MONTHS_OF = (  # the forms of a day with a month that the parser does not know
    (ROMAN, {name: number for number, name in enumerate(ROMANS, 1)}),
    (SHORT_MONTH, SHORT_MONTHS | OTHER_MONTHS),
)
PLAIN_NUMBERS = {drop_accents(word): number for word, number in NUMBERS.items()} | {
    "primero": 1,
    "veintiun": 21,
}
IN_WORDS = regex.compile(
    r"(?P<d>\p{L}+(?: y \p{L}+)?)(?P<s> del? )(?P<m>\p{L}+)"
    r"(?:(?P<of> (?:del? )?(?:año )?)"
    r"(?P<y>\d{4}|(?:dos mil|mil novecientos)(?: [\p{L} ]+)?|\p{L}+(?: y \p{L}+)?))?",
    regex.IGNORECASE,
)
ONLY_MONTH = regex.compile(r"(?P<m>\p{L}{2,4})\.?", regex.IGNORECASE)
COMPACT = regex.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])")
DAY_RANGE = regex.compile(r"(\d\d?)(\s?[-–]\s?)(\d\d?)/(\d\d?)")
FIRST = regex.compile(r"\b1\.?[º°o](?=\s+de\s)")
SCANNED = regex.compile(r"(?<!\p{L})(?=[OolI]*\d)[\dOolI]*[OolI][\dOolI]*(?!\p{L})")
ALL_SCANNED = regex.compile(r"[\dOolI]{1,4}(?:\s?[./-]\s?[\dOolI]{1,4}){1,2}")
DIGITS = str.maketrans("OolI", "0011")
PADDED = regex.compile(r"(?<![\d/.:-])0(\d)(?![\d/.:-])")
DAY_OF = regex.compile(r"d[íi]a de\s+$", regex.IGNORECASE)
DECADE = regex.compile(r"(?P<head>(?:años |los )*)(?P<y>(?:19|20)?\d0)(?P<tail>s?)", regex.IGNORECASE)
PLAIN_FEASTS = {drop_accents(name): day for name, day in FEASTS.items()}
NAMES = "|".join(sorted(PLAIN_FEASTS, key=len, reverse=True))
FEAST = regex.compile(rf"(?P<name>{NAMES})(?:\s+(?:de\s+|del\s+)?(?P<y>\d{{4}}))?", regex.IGNORECASE)
QUARTER = regex.compile(r"\bQ(?=[1-4]\b)")
PARTS = ("principios", "mediados", "finales")


class SpanishDates(DateShifter):
    """Shifts the dates of one patient in Spanish notes. Days come before months unless a note proves the
    other order."""

    @classmethod
    def draw(cls, choices: KeyedChoices, years: int, weeks: int, month_first: bool) -> SpanishDates:
        """A shifter as :meth:`DateShifter.draw` makes it; ``month_first`` needs a proof, which it is not."""
        shifter = super().draw(choices, years, weeks, False)
        assert isinstance(shifter, SpanishDates)
        return shifter

    def find_note_date(self, texts: list[str]) -> date | None:
        """Return the note's own date, given the texts of all its dates."""
        return super().find_note_date([self._read_plainly(text) for text in texts])

    def _read_plainly(self, text: str) -> str:
        """Write a date as the parser reads it."""
        text = clean(text)
        found = read_day(text.strip())
        return f"{found.d:02}/{found.m:02}/{found.y}" if found and found.y else blank_fillers(text)

    def shift_text(self, text: str, note_date: date | None, after: str = "") -> str | None:
        """Shift all dates in ``text``. Return None if it cannot be read or would not change."""
        read = clean(text)
        near, end = note_date or NO_NOTE_DATE, len(find_head(read))
        if DAY_OF.search(read[:end]) and (day := shift_feast_day(read[end:], self.shift, near)):
            return DAY_OF.sub(lambda match: match[0][:4], read[:end]) + day
        for start, make in ((start, make) for start in dict.fromkeys((0, end)) for make in SHIFTERS):
            if made := make(read[start:], self.shift, near):
                return read[:start] + made if read[:start] + made != text else None
        blanked = blank_fillers(read)
        made = super().shift_text(blanked, note_date, after)
        return unpad(merge(read, blanked, made), read) if made else None

    def generalize_text(self, text: str, unit: str, note_date: date | None) -> str | None:
        """Write the year or the quarter (``T1 2024``) of all dates in ``text``."""
        made = super().generalize_text(self._read_plainly(text), unit, note_date)
        return made and QUARTER.sub("T", made)

    def shows_old_age(self, text: str, note_date: date | None, is_birth: bool = False) -> bool:
        return super().shows_old_age(self._read_plainly(text), note_date, is_birth)

    @staticmethod
    def is_weekday_or_season(text: str) -> bool:
        """
        >>> [SpanishDates.is_weekday_or_season(text) for text in ("Lunes y jueves", "verano de 2019")]
        [True, False]
        """
        is_letter = len(text) == 1 and text in DAY_LETTERS
        return is_letter or (ONLY_DAYS.fullmatch(text) is not None and NAMED.search(text) is not None)

    @staticmethod
    def read_number(text: str) -> int | None:
        """The number that words write, of those that days have.

        >>> SpanishDates.read_number("cuarenta y cuatro")
        44
        """
        return read_number(text)


class Day(NamedTuple):
    """A day in words or Roman numbers; ``y`` is None where no year is written."""

    d: int
    m: int
    y: int | None


def clean(text: str) -> str:
    """Read the letters of a scan as digits, and the first of a month as 1.

    >>> clean("O9-l2-2O18"), clean("ll/O6"), clean("1.º de mayo"), clean("Ola 3")
    ('09-12-2018', '11/06', '1 de mayo', 'Ola 3')
    """
    if ROMAN.fullmatch(text):
        return text
    if ALL_SCANNED.fullmatch(text):
        return text.translate(DIGITS)
    return FIRST.sub("1", SCANNED.sub(lambda match: match[0].translate(DIGITS), text))


def unpad(made: str, like: str) -> str:
    """Write the days beside words without a zero where ``like`` has none.

    >>> unpad("lunes 02", "lunes 19"), unpad("lunes 02", "lunes 09"), unpad("02/05", "19/05")
    ('lunes 2', 'lunes 02', '02/05')
    """
    has_words = any(c.isalpha() for c in made)
    return PADDED.sub(r"\1", made) if has_words and not PADDED.search(like) else made


def read_day(text: str) -> Day | None:
    """Read a day that the parser does not know: in words, or with a Roman or short month."""
    if match := IN_WORDS.fullmatch(text):
        d, m = read_number(match["d"]), read_month(match)
        y = read_year(match["y"]) or read_number(match["y"]) if match["y"] else None
        return Day(d, m, y) if d and m and d <= 31 and (y or not match["y"]) else None
    for form, months in MONTHS_OF:
        if match := form.fullmatch(text):
            month = months.get(match["m"].lower())
            d, y = int(match["d"]), int(match["y"]) if match["y"] else None
            if month and 1 <= d <= 31:
                return Day(d, month, y)
    return None


def read_month(match: regex.Match[str]) -> int | None:
    """The month of a day in words: its name, or its number behind *del*."""
    number = read_number(match["m"]) if match["s"].strip().lower() == "del" else None
    return MONTH_NUMBERS.get(match["m"].lower()) or (number if number and number <= 12 else None)


def read_number(text: str) -> int | None:
    return PLAIN_NUMBERS.get(drop_accents(text.lower()))


def read_year(text: str) -> int | None:
    """
    >>> read_year("dos mil veintitrés"), read_year("mil novecientos noventa y ocho"), read_year("2015")
    (2023, 1998, 2015)
    """
    if text.isdigit():
        return int(text)
    low = text.lower()
    for head, value in (("mil novecientos", 1900), ("dos mil", 2000)):
        if low.startswith(head):
            rest = low.removeprefix(head).strip()
            number = read_number(rest) if rest else 0
            return None if number is None else value + number
    return None


def write_year(year: int) -> str:
    """
    >>> write_year(2023), write_year(1998), write_year(2000)
    ('dos mil veintitrés', 'mil novecientos noventa y ocho', 'dos mil')
    """
    head, rest = ("dos mil", year - 2000) if year >= 2000 else ("mil novecientos", year - 1900)
    return f"{head} {NUMBER_WORDS[rest]}" if rest else head


def write_year_like(year: int, like: str) -> str:
    """
    >>> write_year_like(2016, "2015"), write_year_like(1961, "cincuenta y seis")
    ('2016', 'sesenta y uno')
    """
    if like.isdigit():
        return str(year)
    return NUMBER_WORDS.get(year % 100, write_year(year)) if read_year(like) is None else write_year(year)


def move(day: Day, shift: Shift, near: date) -> date | None:
    """The day after the shift; without a year it is the one nearest to ``near``."""
    if day.y is not None:
        full = complete_year(DateField("y", day.y, 0, 0, "0000" if day.y > 99 else "00"), near)
        return add_days(make_date(full, day.m, day.d), shift)
    return add_days(
        find_nearest([make_date(y, day.m, day.d) for y in range(near.year - 4, near.year + 5)], near), shift
    )


def move_read(
    form: regex.Pattern[str], text: str, shift: Shift, near: date
) -> tuple[regex.Match[str], date] | None:
    """Return the match of the form and the moved day, if the text is a day of that form."""
    match = form.fullmatch(text)
    moved = move(day, shift, near) if match and (day := read_day(text)) else None
    return (match, moved) if match and moved else None


def shift_words(text: str, shift: Shift, near: date) -> str | None:
    """
    >>> shift_words("Doce de marzo de dos mil quince", Shift(1, 364), date(2015, 3, 12))
    'Diez de marzo de dos mil dieciséis'
    """
    found = move_read(IN_WORDS, text, shift, near)
    if not found or found[1].year < 1900:
        return None
    match, moved = found
    has_name = match["m"].lower() in MONTH_NUMBERS
    month = MONTHS[moved.month - 1] if has_name else NUMBER_WORDS[moved.month]
    made = f"{NUMBER_WORDS[moved.day] if moved.day > 1 else 'uno'}{match['s']}{month}"
    if match["y"]:
        made += f"{match['of']}{write_year_like(moved.year, match['y'])}"
    return match_case(made, text) if text.isupper() or text.islower() else made[0].upper() + made[1:]


def shift_roman(text: str, shift: Shift, near: date) -> str | None:
    """
    >>> shift_roman("12/III/15", Shift(1, 364), date(2015, 3, 12))
    '10/III/16'
    """
    if not (found := move_read(ROMAN, text, shift, near)):
        return None
    match, moved = found
    month = ROMANS[moved.month - 1]
    return write_parts(match, moved, month.upper() if match["m"].isupper() else month)


def shift_short(text: str, shift: Shift, near: date) -> str | None:
    """
    >>> [shift_short(text, Shift(1, 364), date(2019, 5, 3)) for text in ("28/abr/2019", "ENE/2019")]
    ['26/abr/2020', 'ENE/2020']
    """
    if found := move_read(SHORT_MONTH, text, shift, near):
        return write_parts(*found, write_short_month(*found))
    match = ONLY_SHORT_MONTH.fullmatch(text)
    month = match and SHORT_MONTHS.get(match["m"].lower())
    moved = move(Day(15, month, int(match["y"])), shift, near) if match and month else None
    if not match or not moved:
        return None
    between = text[match.end("m") : match.start("y")]
    return write_short_month(match, moved) + between + write_digits(moved.year, match["y"])


def write_short_month(match: regex.Match[str], moved: date) -> str:
    return match_case(MONTHS[moved.month - 1][:3], match["m"])


def write_digits(year: int, like: str) -> str:
    """
    >>> write_digits(2016, "15"), write_digits(2016, "2015")
    ('16', '2016')
    """
    return f"{year % 100:02}" if len(like) == 2 else str(year)


def write_parts(match: regex.Match[str], moved: date, month: str) -> str:
    """Write a day, month and year with the signs of the text between them."""
    is_long = match["d"].startswith("0") or (len(match["d"]) == 2 and not match["s"].isspace())
    day = f"{moved.day:02}" if is_long and "de" not in match["s"] else str(moved.day)
    year = match["y"] and write_digits(moved.year, match["y"])
    end = match.string[match.end("y") if match["y"] else match.end("m") :]
    return (
        f"{day}{match['s']}{month}"
        + (f"{match.string[match.end('m') : match.start('y')]}{year}" if year else "")
        + end
    )


def shift_word(text: str, shift: Shift, near: date) -> str | None:
    """Move a day or a year in words, and a year of two digits.

    >>> [shift_word(text, Shift(1, 364), date(2015, 3, 12)) for text in ("catorce", "dos mil cuatro", "'86")]
    ['doce', 'dos mil cinco', "'87"]
    """
    if year := SHORT_YEAR.fullmatch(text):
        return f"{year[1]}{(int(year[2]) + shift.years) % 100:02}"
    if text[:1].isalpha() and (full := read_year(text)):
        return match_case(write_year(full + shift.years), text)
    if not (number := read_number(text)) or text.isdigit():
        return None
    if 40 <= number < 100:
        return match_case(NUMBER_WORDS.get((number + shift.years) % 100, "dos mil"), text)
    if number > 31:
        return None
    around = [near + timedelta(days) for days in range(-31, 32)]
    moved = add_days(find_nearest([day for day in around if day.day == number], near), shift)
    return match_case(NUMBER_WORDS[moved.day], text) if moved else None


def shift_compact(text: str, shift: Shift, near: date) -> str | None:
    """
    >>> shift_compact("20240522", Shift(1, 364), date(2024, 5, 22))
    '20250521'
    """
    match = COMPACT.fullmatch(text)
    moved = add_days(make_date(*(int(part) for part in match.groups())), shift) if match else None
    return moved.strftime("%Y%m%d") if moved else None


def shift_month(text: str, shift: Shift, near: date) -> str | None:
    """Write the next short month, or the one before.

    >>> shift_month("nov", Shift(1, 392), date.min), shift_month("OCT.", Shift(-1, -392), date.min)
    ('dic', 'SEP.')
    """
    match = ONLY_MONTH.fullmatch(text)
    month = match and (SHORT_MONTHS | OTHER_MONTHS).get(match["m"].lower())
    if not match or not month or not shift.direction:
        return None
    return match_case(MONTHS[(month - 1 + shift.direction) % 12][:3], match["m"]) + text[match.end("m") :]


def shift_day_range(text: str, shift: Shift, near: date) -> str | None:
    """
    >>> [shift_day_range(text, Shift(1, 364), date(2015, 3, 12)) for text in ("12-13/10", "1-2/10", "2-3")]
    ['11-12/10', '30/9-1/10', None]
    """
    if not (match := DAY_RANGE.fullmatch(text)):
        return None
    first, last = (move(Day(int(match[n]), int(match[4]), None), shift, near) for n in (1, 3))
    if not first or not last:
        return None
    month = "" if first.month == last.month else f"/{first.month}"
    return f"{first.day}{month}{match[2]}{last.day}/{last.month}"


def shift_decade(text: str, shift: Shift, near: date) -> str | None:
    """Move a decade with its middle year, at least to the next one.

    >>> [shift_decade(text, Shift(-12, -4382), date(2015, 3, 12)) for text in ("años 90", "90", "20")]
    ['años 80', '80', None]
    """
    match = DECADE.fullmatch(text)
    is_other = match and not match["head"] and not match["tail"] and not 40 <= int(match["y"]) < 100
    if not match or is_other:  # a year, or a day
        return None
    value = int(match["y"])
    moved = (value + 5 + shift.years) // 10 * 10
    moved = moved if moved != value else value + (10 if shift.years > 0 else -10)
    return (
        f"{match['head']}{moved % 100:02}{match['tail']}"
        if value < 100
        else f"{match['head']}{moved}{match['tail']}"
    )


def shift_feast(text: str, shift: Shift, near: date) -> str | None:
    """Write the part of the month where the day of a feast comes to lie.

    >>> shift_feast("Navidad", Shift(1, 364), date(2015, 12, 30))
    'finales de diciembre'
    """
    if (moved := move_feast(text, shift, near)) is None:
        return None
    made = f"{PARTS[min((moved.day - 1) // 10, 2)]} de {MONTHS[moved.month - 1]}"
    return made + (f" de {moved.year}" if text[-4:].isdigit() else "")


def shift_feast_day(text: str, shift: Shift, near: date) -> str | None:
    """Write the day where that of a feast comes to lie."""
    if (moved := move_feast(text, shift, near)) is None:
        return None
    return f"{moved.day} de {MONTHS[moved.month - 1]}" + (f" de {moved.year}" if text[-4:].isdigit() else "")


def move_feast(text: str, shift: Shift, near: date) -> date | None:
    match = FEAST.fullmatch(drop_accents(text).lower())
    if not match:
        return None
    year = int(match["y"]) if match["y"] else None
    days = [
        find_feast(match["name"], each) for each in ((year,) if year else range(near.year - 1, near.year + 2))
    ]
    return add_days(find_nearest(days, near), shift)


def find_feast(name: str, year: int) -> date | None:
    """The day of a feast, whose name has no accents."""
    day = PLAIN_FEASTS[name]
    return english.find_easter(year) + timedelta(day) if isinstance(day, int) else make_date(year, *day)


SHIFTERS = (
    shift_feast, shift_words, shift_roman, shift_compact, shift_day_range, shift_short, shift_month,
    shift_decade, shift_word,
)  # fmt: skip


def find_head(text: str) -> str:
    """The weekday and other words before a date.

    >>> find_head("martes veinte"), find_head("el 3 de mayo")
    ('martes ', 'el ')
    """
    head = HEAD.match(text)
    return head[0] if head and head.end() < len(text) else ""


def blank_fillers(text: str) -> str:
    """Write spaces in place of weekdays and words around a date, and a hyphen between two days: the text
    stays as long.

    >>> blank_fillers("martes 12 de marzo de 2015"), blank_fillers("del 3 al 5 de mayo")
    ('       12 de marzo de 2015', '    3 -  5 de mayo')
    """
    text = text.replace("|", "/")
    first, last = find_dates(text)
    head, tail = (FILLER.sub(lambda m: " " * len(m[0]), part) for part in (text[:first], text[last:]))
    inside = WEEKDAY.sub(lambda m: m[0] if m[0].lower() == "mar" else " " * len(m[0]), text[first:last])
    return head + JOINER.sub(lambda match: write_hyphen(match[0]), inside) + tail


def write_hyphen(joiner: str) -> str:
    """Write a word between two days as the parser reads it, in as many characters."""
    return " -".ljust(len(joiner))


def find_dates(text: str) -> tuple[int, int]:
    """Where the first number or month begins, and where the last one ends."""
    names = "|".join(MONTH_NUMBERS)
    found = list(regex.finditer(rf"\d+|(?<!\p{{L}})(?:{names})(?!\p{{L}})", text, regex.IGNORECASE))
    return (found[0].start(), found[-1].end()) if found else (len(text), len(text))


def merge(text: str, blanked: str, made: str) -> str:
    """Write the words that were blanked out back around the date ``made``.

    >>> merge("el martes 12", "          12", "          14")
    'el martes 14'
    """
    if blanked == text:
        return made
    first, last = find_dates(text)
    head, tail = text[:first], text[last:]
    middle = made[first : len(made) - len(tail)]
    for joiner in JOINER.findall(text[first:last]):
        middle = middle.replace(write_hyphen(joiner), joiner, 1)
    for day in (day for day in WEEKDAY.findall(text[first:last]) if day.lower() != "mar"):
        middle = middle.replace(" " * len(day), day, 1)
    return head + middle + tail
