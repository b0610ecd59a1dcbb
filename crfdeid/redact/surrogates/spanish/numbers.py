"""Numbers where Spanish is spoken: identity, tax and insurance, with their check letters and digits.

The surrogate of a number that passes the check of its form passes it too: the letter of a DNI or NIE, the
digits of a Spanish NSS and IBAN, of a Mexican CURP, a Chilean RUT, an Argentine CUIT, and the *cédulas* of
Ecuador and Uruguay. Other numbers come from :mod:`crfdeid.redact.surrogates.identifiers`. A number with the
letters of a scan (*O* for 0) or in words is read, replaced, and written in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import regex

from crfdeid.lexicon.letters import match_case, remove_marks, word_set
from crfdeid.lexicon.spanish import NUMBER_WORDS, NUMBERS
from crfdeid.redact.surrogates.identifiers import MAX_TRIES, Identifiers, ends_alike, fill_pattern

DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
CURP_VALUES = {sign: number for number, sign in enumerate("0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ")}
STATES = regex.findall("..", "ASBCBSCCCLCMCSCHDFDGGTGRHGJCMCMNMSNTNLOCPLQTQRSPSLSRTCTSTLVZYNZS")
CONSONANTS = "BCDFGHJKLMNPQRSTVWXYZ"
SCANNED = regex.compile(r"(?<![\p{L}\d])(?:[OolI\d]*\d[OolI\d]*|[lO]*l[lO]*)(?![\p{L}\d])")
FALSE_DIGIT, READ = regex.compile("[OolI]"), {"O": "0", "o": "0", "l": "1", "I": "1"}
DIGITS_IN_WORDS = {"cero": 0, **NUMBERS}
ONE_WORD = "|".join(sorted(DIGITS_IN_WORDS, reverse=True)).replace(" ", r"\s+")
IN_WORDS = regex.compile(rf"(?<!\p{{L}})(?:{ONE_WORD})(?!\p{{L}})", regex.IGNORECASE)
BETWEEN_WORDS = word_set("guion guión barra punto raya espacio y")


class Check(NamedTuple):
    """A form of numbers without marks: the characters that are checked, and what checks them, which
    ``compute`` makes of them. ``draw`` makes other characters."""

    form: regex.Pattern[str]
    compute: Callable[[str], str]
    draw: Callable[[str, Iterator[int]], str]


def check_dni(body: str) -> str:
    """
    >>> check_dni("12345678"), check_dni("X1234567")
    ('Z', 'L')
    """
    return DNI[int(body.replace("X", "0").replace("Y", "1").replace("Z", "2")) % 23]


def check_rut(body: str) -> str:
    """The digit of a Chilean RUT: modulo 11.

    >>> check_rut("12345678"), check_rut("10000013")
    ('5', 'K')
    """
    total = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(body)))
    return "0123456789K"[(11 - total % 11) % 11]


def check_nss(body: str) -> str:
    """The two digits of a Spanish NSS: the rest by 97.

    >>> check_nss("2812345678")
    '40'
    """
    return f"{int(body[:2] + body[3:] if body[2] == '0' else body) % 97:02}"


def check_cuit(body: str) -> str:
    """The digit of an Argentine CUIT or CUIL: modulo 11.

    >>> check_cuit("2012345678")
    '6'
    """
    rest = 11 - sum(int(a) * b for a, b in zip(body, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2))) % 11
    return {11: "0", 10: "9"}.get(rest, str(rest))


def check_ecuador(body: str) -> str:
    """The digit of an Ecuadorian *cédula*: modulo 10.

    >>> check_ecuador("171003406")
    '5'
    """
    doubled = (int(digit) * (2 - place % 2) for place, digit in enumerate(body))
    return str(-sum(value - 9 if value > 9 else value for value in doubled) % 10)


def check_uruguay(body: str) -> str:
    """The digit of a Uruguayan *cédula*: modulo 10.

    >>> check_uruguay("1234567")
    '2'
    """
    return str(-sum(int(a) * b for a, b in zip(body.zfill(7), (2, 9, 8, 7, 6, 3, 4))) % 10)


def check_curp(body: str) -> str:
    """The digit of a Mexican CURP: modulo 10.

    >>> check_curp("HEGG560427MVZRRL0")
    '4'
    """
    return str(-sum(CURP_VALUES[sign] * (18 - place) for place, sign in enumerate(body)) % 10)


def check_iban(body: str) -> str:
    """The two digits of a Spanish IBAN, given its twenty digits of the account.

    >>> check_iban("21000418450200051332")
    '91'
    """
    return f"{98 - int(body + '142800') % 97:02}"


def draw_digits(body: str, stream: Iterator[int]) -> str:
    """Other digits; a number does not begin with 0 unless the real one does."""
    first = "0" if body[0] == "0" else str(1 + next(stream) % 9)
    return first + "".join(str(next(stream) % 10) for _ in body[1:])


def draw_behind_kind(body: str, stream: Iterator[int]) -> str:
    """Other digits behind the letter of a NIE or the kind of a CUIT."""
    kept = 1 if body[0].isalpha() else 2
    return body[:kept] + "".join(str(next(stream) % 10) for _ in body[kept:])


def draw_region(body: str, stream: Iterator[int]) -> str:
    """Other digits behind another region of Ecuador, or another province of Spain; the third is 0 to 5."""
    regions = 24 if len(body) == 9 else 50
    rest = "".join(str(next(stream) % 10) for _ in body[3:])
    return f"{1 + next(stream) % regions:02}{next(stream) % 6}{rest}"


def draw_curp(body: str, stream: Iterator[int]) -> str:
    """Another CURP: letters, a day of birth, the same sex, a state."""

    def draw(signs: Sequence[str]) -> str:
        return signs[next(stream) % len(signs)]

    name = draw(CONSONANTS) + draw("AEIOU") + draw(CONSONANTS) + draw(CONSONANTS)
    year, month, day = (next(stream) % below for below in (100, 12, 28))
    letters = "".join(draw(CONSONANTS) for _ in range(3))
    return f"{name}{year:02}{month + 1:02}{day + 1:02}{body[10]}{draw(STATES)}{letters}{body[16]}"


FORMS = (
    Check(regex.compile(r"(\d{8})([A-Z])"), check_dni, draw_digits),
    Check(regex.compile(r"([XYZ]\d{7})([A-Z])"), check_dni, draw_behind_kind),
    Check(regex.compile(r"(\d{10})(\d\d)"), check_nss, draw_region),
    Check(regex.compile(r"((?:20|23|24|27|30|33|34)\d{8})(\d)"), check_cuit, draw_behind_kind),
    Check(regex.compile(r"([A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d])(\d)"), check_curp, draw_curp),
    Check(regex.compile(r"((?:0[1-9]|1\d|2[0-4])[0-5]\d{6})(\d)"), check_ecuador, draw_region),
    Check(regex.compile(r"(\d{7,8})([\dK])"), check_rut, draw_digits),
    Check(regex.compile(r"(\d{6,7})(\d)"), check_uruguay, draw_digits),
)
NIE = regex.compile(r"[XYZ]\d{7}[A-Z]")
IBAN = regex.compile(r"ES(\d\d)(\d{20})")


class SpanishIdentifiers(Identifiers):
    """The surrogates of one patient's numbers."""

    def replace_identifier(self, text: str) -> str | None:
        return replace_as_written(text, super().replace_identifier)

    def _draw(self, text: str, number: str) -> str:
        bare = remove_marks(text).upper()
        for attempt in range(MAX_TRIES):
            made = make_checked(bare, self.choices.stream_bytes("identifier", number, attempt))
            if made is None or self.check_digits == "never":
                return self._draw_foreign(bare, text, number)
            is_taken = self.taken.get(made, f"number {number}") != f"number {number}"
            if not (made == bare or is_taken or made in self.real or ends_alike(made, bare)):
                return fill_pattern(made, text)
        return super()._draw(text, number)

    def _draw_foreign(self, bare: str, text: str, number: str) -> str:
        """Draw a number without a right check; the first letter of a NIE stays."""
        drawn = super()._draw(text, number)
        first = next((place for place, sign in enumerate(text) if sign.isalnum()), 0)
        is_nie = NIE.fullmatch(bare) is not None
        return drawn[:first] + text[first] + drawn[first + 1 :] if is_nie else drawn


def replace_as_written(text: str, replace: Callable[[str], str | None]) -> str | None:
    """Replace a number by ``replace``, also one that has the letters of a scan or is written in words.

    >>> replace_as_written("4O71", lambda text: "9382"), replace_as_written("dos cero", lambda text: "47")
    ('9l82', 'cuatro siete')
    """
    if is_in_words(text):
        read = "".join(str(read_number(match[0])) for match in IN_WORDS.finditer(text))
        return (made := replace(read)) and write_in_words(made, text)
    read = read_scanned(text)
    made = replace(read)
    return made if made is None or read == text else write_scanned(made, text)


def read_scanned(text: str) -> str:
    """Return ``text`` with the digits that a scanner read as letters.

    >>> read_scanned("7.ll8.O43"), read_scanned("IO-OLO 12"), read_scanned("lo O7")
    ('7.118.043', 'IO-OLO 12', 'lo 07')
    """
    return SCANNED.sub(lambda match: FALSE_DIGIT.sub(lambda sign: READ[sign[0]], match[0]), text)


def write_scanned(made: str, text: str) -> str:
    """Write one of the letters of a scan where ``text``, of the same length, has one for a digit.

    >>> write_scanned("3.542.071", "7.ll8.O43")
    '3.lO2.O71'
    """
    read = read_scanned(text)
    if len(made) != len(text):
        return made
    written = [c if old == new else "Ol"[int(c) % 2] for c, old, new in zip(made, text, read)]
    if "".join(written) == text:
        place = next(n for n, (old, new) in enumerate(zip(text, read)) if old != new)
        written[place] = "l" if text[place] in "Oo" else "O"
    return "".join(written)


def is_in_words(text: str) -> bool:
    """Whether a number is written in words: it has no digit, and a word for one and what may be between."""
    rest = IN_WORDS.sub(" ", text)
    return rest != text and all(word in BETWEEN_WORDS for word in regex.findall(r"\w+", rest.lower()))


def read_number(words: str) -> int:
    """
    >>> read_number("TREINTA y  uno"), read_number("veintidós")
    (31, 22)
    """
    return DIGITS_IN_WORDS.get(" ".join(words.lower().split()), 0)


def write_in_words(digits: str, text: str) -> str:
    """Write digits in words, as many in each as the words of ``text`` have."""
    rest = iter(digits)

    def write(match: regex.Match[str]) -> str:
        number = "".join(next(rest, "0") for _ in str(read_number(match[0])))
        words = NUMBER_WORDS[int(number)] if number[0] != "0" else " ".join(map(write_digit, number))
        return match_case(words, match[0])

    return IN_WORDS.sub(write, text)


def write_digit(digit: str) -> str:
    return NUMBER_WORDS.get(int(digit), "cero")


def make_checked(bare: str, stream: Iterator[int]) -> str | None:
    """Another number of the form whose check the text passes, None where it passes none.

    >>> made = make_checked("12345678Z", iter(range(20)))
    >>> made[-1] == check_dni(made[:-1])
    True
    """
    if (account := IBAN.fullmatch(bare)) and check_iban(account[2]) == account[1]:
        body = draw_digits(account[2], stream)
        return f"ES{check_iban(body)}{body}"
    for check in FORMS:
        match = check.form.fullmatch(bare)
        if match and check.compute(match[1]) == match[2]:
            body = check.draw(match[1], stream)
            return body + check.compute(body)
    return None
