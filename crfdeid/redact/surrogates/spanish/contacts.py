"""Phones, mailboxes and addresses of the internet where Spanish is spoken.

A number keeps what it is: the area code of a province becomes one of the province that replaces it, as towns
and postal codes do, and a mobile stays a mobile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import drop_accents, fold, word_set
from crfdeid.lexicon.spanish import LANGUAGE
from crfdeid.redact.surrogates.contacts import ENDINGS, Contacts, has_letter_or_digit
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.listed import list_names, load_first_names
from crfdeid.redact.surrogates.spanish.numbers import replace_as_written

KEPT = word_set(
    "ext extensión extension int interno anexo busca tel tfno tlf telf fax móvil movil cel celular fono y o n"
)
COUNTRY = regex.compile(r"\(?(?:\+|00)\d{1,3}\)?[\s.-]*(?:9(?=[\s.-]*\d{4}[\s.-]*\d{4}))?[\s.-]*")
NATIONAL = regex.compile(r"\(?\d[\d\s().-]{5,}\d")
COUNTRY_ENDINGS = word_set(
    "ar bo br cat cl cr cu do ec eus gal gob gt gub hn lat mx ni pa pe pr pt py sv uy ve example"
)
LAST_ENDING = regex.compile(r"\.\p{L}{2}(?![\p{L}\d.-])")  # the country behind com or gob
DIALLED = {  # behind + or 00
    "34": "ES", "51": "PE", "52": "MX", "53": "CU", "54": "AR", "56": "CL", "57": "CO", "58": "VE",
    "502": "GT", "503": "SV", "504": "HN", "505": "NI", "506": "CR", "507": "PA", "591": "BO", "593": "EC",
    "595": "PY", "598": "UY",
}  # fmt: skip
DIALLED_CODE = regex.compile(rf"^\W*(?:\+|00)\s?({'|'.join(sorted(DIALLED, reverse=True))})(?=\D|\d{{6}})")
MX_TRUNK, ZERO = regex.compile("01|04[45]"), regex.compile("0")
TOLL_FREE = regex.compile(r"(?:01?)?800|90[012](?=\d{6}$)")
MOBILE_MARK = "15"  # behind the area code in Argentina


class Plan(NamedTuple):
    """How the numbers of a country are: the ``length`` of one with its area code, the form of a mobile, and
    what mobiles begin with. ``trunk`` may come before."""

    length: int
    mobile: regex.Pattern[str] | None = None
    prefixes: tuple[str, ...] = ()
    trunk: regex.Pattern[str] = ZERO


def make_plan(length: int, mobile: str, prefixes: str) -> Plan:
    return Plan(length, regex.compile(mobile), tuple(prefixes.split()))


PLANS = {
    "ES": make_plan(9, r"[67]\d{8}", "60 61 62 63 64 65 66 67 68 69"),
    "AR": Plan(10),
    "DO": Plan(10),
    "MX": Plan(10, trunk=MX_TRUNK),
    "PR": Plan(10),
    "CL": make_plan(9, r"9\d{8}", "9"),
    "PE": make_plan(8, r"9\d{8}", "9"),
    "EC": make_plan(8, r"9\d{8}", "93 95 96 97 98 99"),
    "BO": make_plan(8, r"[67]\d{7}", "6 7"),
    "UY": make_plan(8, r"9\d{7}", "91 92 93 94 95 96 97 98 99"),
    "CO": make_plan(
        10, r"3[0-5]\d{8}", "300 301 304 305 310 311 312 313 314 315 316 317 318 320 321 322 323 350"
    ),
    "VE": make_plan(10, r"4(?:1[246]|2[46])\d{7}", "412 414 416 424 426"),
    "PY": make_plan(8, r"9[6-9]\d{7}", "961 971 972 973 975 976 981 982 983 984 985 991 992 994 995"),
}


class Number(NamedTuple):
    """The parts of a number: ``before`` the area code or the beginning of a mobile, ``code``, ``mark`` behind
    it, and the ``rest``."""

    before: str
    code: str
    mark: str
    rest: str
    is_mobile: bool


ROLES = word_set(  # of mailboxes; they name nobody
    """administracion admision admisiones archivo area atencion autorizaciones ayuda calidad cita
    citaciones citas comision comite compras consulta consultas contabilidad contacto control coord
    coordinacion correo dictamen direccion docencia emergencias enfermeria epi escolar estadistica
    expediente expedientes facturacion farmacia formacion gerencia glosas guardia hema
    hospitalizacion info informacion informes ingresos inspeccion juridico lab laboratorio medicina
    noreply orientacion paciente pacientes pediatria planta pqrs quirofano recepcion reclamaciones
    recursos referencia referencias registro residencia resultados rrhh sac salud secretaria seguros
    servicio servicios sistemas soporte sst tesoreria todos trabajo trauma turno turnos uci
    urgencias urxencias usuario usuarios ventanilla"""
)
ADDRESS_WORD = regex.compile(r"\p{L}+|\d+")
SAME = 6  # the last digits decide, so that a number is the same with and without the code of its area


class SpanishContacts(Contacts):
    """The surrogates of one patient's contacts. The code of the country stays; an area code becomes one of
    the province that replaces its own. In a number of no plan of the country the first digit stays."""

    endings = ENDINGS | COUNTRY_ENDINGS
    find_country: Callable[[], str] | None = None  # of the notes; it and the codes come from the places
    list_codes: Callable[[Sequence[tuple[str, str]]], Sequence[str]] | None = None

    def _is_ending(self, word: str, rest: str) -> bool:
        is_before_country = word in self.endings and LAST_ENDING.match(rest) is not None
        return is_before_country or super()._is_ending(word, rest)

    def replace_phone(self, text: str) -> str | None:
        """Replace a telephone number in its own grouping."""
        return replace_as_written(text, self._replace_digits_of)

    def _replace_digits_of(self, text: str) -> str | None:
        if not has_letter_or_digit(text):
            return None
        country, dialled = COUNTRY.match(text), DIALLED_CODE.match(text)
        head = country[0] if country else ""
        own = DIALLED[dialled[1]] if dialled else "" if head or not self.find_country else self.find_country()
        made = NATIONAL.sub(
            lambda match: self._replace_national(match, own), self._replace_short(text[len(head) :])
        )
        return head + made

    def _replace_short(self, text: str) -> str:
        """Replace extensions and letters; keep the words of telephones and whole numbers."""

        def replace(match: regex.Match[str]) -> str:
            return (
                match[0] if match[0].lower() in KEPT else replace_characters(match[0], self.choices, "phone")
            )

        parts, at = [], 0
        for match in NATIONAL.finditer(text):
            parts += [regex.sub(r"[\p{L}\d]+", replace, text[at : match.start()]), match[0]]
            at = match.end()
        return "".join([*parts, regex.sub(r"[\p{L}\d]+", replace, text[at:])])

    def _replace_national(self, match: regex.Match[str], country: str) -> str:
        """Replace a number without the code of its country (*country* is empty where it is unknown)."""
        digits = regex.sub(r"\D", "", match[0])
        toll_free = TOLL_FREE.match(digits)
        number = split_number(country, digits) if country in PLANS and not toll_free else None
        if number is None:
            head = toll_free[0] if toll_free else digits[:1]
            return write_like(match[0], 0, len(head), head, self._replace_last(digits[len(head) :]))
        code = self._replace_code(country, number)
        longer = max(len(code) - len(number.code), 0)
        rest = self._replace_last(number.rest[longer:], len(number.code) - len(code) + longer)
        rest = number.mark + rest
        if country == "ES":  # 91 is written as if the next digit were part of it
            code, rest = (code + rest)[: len(number.code)], (code + rest)[len(number.code) :]
        return write_like(match[0], len(number.before), len(number.code), code, rest)

    def _replace_last(self, digits: str, more: int = 0) -> str:
        """Replace the digits behind an area code, with ``more`` of them. The last ones decide alone. The
        first of many stays, since it says what the number is; no other begins with 0 or 1."""
        end = replace_characters(digits[-SAME:], self.choices, "phone")
        middle = digits[:-SAME] + "2" * more
        kept = middle[: len(middle) > 1]
        drawn = replace_characters(middle[len(kept) :], self.choices, "area") if middle[len(kept) :] else ""
        made = kept + drawn + end
        is_low = middle and made[0] in "01" and middle[0] not in "01"
        return str(int(made[0]) + 2) + made[1:] if is_low else made

    def _replace_code(self, country: str, number: Number) -> str:
        """The area code of the province that replaces that of a number, or the beginning of a mobile."""
        if number.is_mobile:
            return self.choices.choose(PLANS[country].prefixes, "mobile", number.code, number.rest[-SAME:])
        codes = load_area_codes()[country]
        provinces = [(country, name) for name in codes[number.code]]
        found = self.list_codes(provinces) if self.list_codes else ()
        groups = ([c for c in found if len(c) == len(number.code) and c[0] == number.code[0]],
                  [c for c in found if len(c) == len(number.code)], found, [*codes])  # fmt: skip
        return self.choices.choose(next(filter(None, groups)), "area", country, number.code)

    def _list_hosts(self, initial: str) -> Sequence[str]:
        names = [name for name in list_names(LANGUAGE, word_lists.SURNAME, initial) if name.isascii()]
        return names or word_lists.load_pool(word_lists.SURNAME)[initial]

    def _is_name(self, folded: str) -> bool:
        return folded in self.facts.names or (len(folded) > 3 and folded in load_first_names(LANGUAGE))

    def replace_email(self, text: str) -> str | None:
        """Replace an address; the words of a role in a mailbox (*citas*) stay."""
        local, at, domain = text.rpartition("@")
        if not at or not any(is_role(word) for word in regex.findall(r"\p{L}+", local)):
            return super().replace_email(text)

        def replace(match: regex.Match[str]) -> str:
            return match[0] if is_role(match[0]) else self._replace_username_part(match[0])

        user = ADDRESS_WORD.sub(replace, local)
        return f"{drop_accents(user) if local.isascii() else user}@{self._replace_domain(domain)}"

    def replace_username(self, text: str) -> str | None:
        """Replace a login name; it has no accents."""
        made = super().replace_username(text)
        return "".join(c if c.isascii() else fold(c) for c in made) if made and text.isascii() else made


def split_number(country: str, digits: str) -> Number | None:
    """The parts of a number of a country, given without the country's code; None if it is not of its plan.

    >>> split_number("ES", "954330718"), split_number("AR", "341156028817")
    (Number(before='', code='954', mark='', rest='330718', is_mobile=False), \
Number(before='', code='341', mark='15', rest='6028817', is_mobile=False))
    >>> split_number("VE", "04125590713"), split_number("ES", "4471")
    (Number(before='0', code='412', mark='', rest='5590713', is_mobile=True), None)
    """
    plan = PLANS[country]
    trunk = plan.trunk.match(digits)
    before = trunk[0] if trunk else "9" if country == "AR" and len(digits) == plan.length + 1 else ""
    own = digits.removeprefix(before)
    is_mobile = plan.mobile is not None and plan.mobile.fullmatch(own) is not None
    codes = plan.prefixes if is_mobile else load_area_codes()[country]
    code = max((code for code in codes if own.startswith(code)), key=len, default="")
    rest = own.removeprefix(code)
    mark = (
        MOBILE_MARK
        if country == "AR" and len(own) == plan.length + 2 and rest.startswith(MOBILE_MARK)
        else ""
    )
    is_whole = is_mobile or len(own) - len(mark) == plan.length
    return Number(before, code, mark, rest.removeprefix(mark), is_mobile) if code and is_whole else None


def write_like(text: str, before: int, old: int, code: str, rest: str) -> str:
    """Write ``code`` where ``text`` has ``old`` digits behind the first ``before`` ones, and the ``rest`` in
    its other places; the group behind a longer code has fewer digits.

    >>> write_like("(81) 8346-0912", 0, 2, "667", "3190744"), write_like("01 355-7081", 1, 1, "84", "291155")
    ('(667) 319-0744', '084 29-1155')
    """
    places = [place for place, sign in enumerate(text) if sign.isdecimal()]
    new = dict.fromkeys(places[before:], "") | {places[before]: code}
    last = places[before + old :]
    filled = last[max(len(last) - len(rest), 0) :]
    new |= zip(filled, rest[len(rest) - len(filled) :])
    if len(rest) > len(filled) and filled:
        new[filled[0]] = rest[: len(rest) - len(filled)] + new[filled[0]]
    return "".join(new.get(place, sign) for place, sign in enumerate(text))


@cache
def load_area_codes() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """The provinces of each area code, by country."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for code, country, province in (entry.split("|") for entry in word_lists.read_entries("es_area_codes")):
        found[country].setdefault(code, []).append(province)
    return {country: {code: tuple(own) for code, own in codes.items()} for country, codes in found.items()}


def is_role(word: str) -> bool:
    """Whether a word of a mailbox says whose it is by role.

    >>> [is_role(word) for word in ("Citas", "admisión", "ana")]
    [True, True, False]
    """
    return drop_accents(word.lower()) in ROLES
