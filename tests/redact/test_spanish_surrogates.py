"""Spanish surrogates: names, dates, places, contacts and numbers."""

import re
from datetime import date, timedelta

import pytest
import regex

from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import SPANISH, spanish
from crfdeid.lexicon.letters import fold
from crfdeid.policy import read_policy
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import listed
from crfdeid.redact.surrogates.dates.spanish import SpanishDates
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.redact.surrogates.patient_facts import collect_facts
from crfdeid.redact.surrogates.spanish import (
    SpanishSurrogates,
    contacts,
    countries,
    institutions,
    is_known,
    numbers,
    places,
)
from crfdeid.synthetic.pieces import Piece, build_document
from crfdeid.synthetic.written_corpus import copy_document, read_corpus
from crfdeid.text.document import Document

SECRET = b"a secret of many bytes"
RULES = Rules(language="spanish")


def make_note(*pieces: str | tuple[str, str], id: str = "n") -> Document:
    """A note of texts and of (text, type) pairs."""
    return build_document([Piece(p) if isinstance(p, str) else Piece(*p) for p in pieces], id)


def redact(*pieces: str | tuple[str, str]) -> list[str]:
    """Return what the spans of a note become."""
    (redaction,) = Redactor(SECRET, rules=RULES).redact([make_note(*pieces)])
    return [made.replacement for made in redaction.replacements]


def make_surrogates(*notes: Document) -> SpanishSurrogates:
    return SpanishSurrogates(SECRET, "patient", collect_facts(notes), RULES)


def make_surrogates_of(secret: bytes) -> SpanishSurrogates:
    return SpanishSurrogates(SECRET + secret, "patient", collect_facts([]), RULES)


def list_firsts(kind: str) -> set[str]:
    return {fold(name) for name in listed.list_kind(spanish.LANGUAGE, kind)}


def test_a_name_keeps_its_order_particles_title_and_capitals():
    whole, capitals, doctor, initials = redact(
        ("María Pilar Cifuentes de la Torre", "PATIENT"), " = ",
        ("CIFUENTES DE LA TORRE, MARÍA PILAR", "PATIENT"),
        " Dra. ", ("A. Cifuentes", "DOCTOR"), " (", ("M.P.C.", "PATIENT"), ")",
    )  # fmt: skip
    first, second, last, *particles, end = whole.split()
    assert particles == ["de", "la"]
    assert capitals == f"{last} de la {end}, {first} {second}".upper()
    assert doctor.split()[1] == last
    assert (
        initials.replace(".", "")
        == fold(first + " ")[0].upper() + fold(second)[0].upper() + fold(last)[0].upper()
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("Covadonga", "female"), ("Néstor", "male"), ("Huenchullán", "surname")]
)
def test_a_name_stays_a_woman_s_a_man_s_or_a_surname(name, kind):
    for number in range(20):
        (made,) = (
            r.replacement
            for r in Redactor(SECRET + bytes([number]), rules=RULES)
            .redact([make_note((name, "PATIENT"))])[0]
            .replacements
        )
        assert (fold(made) in list_firsts(kind) or not is_known(fold(made))) and fold(made) != fold(name)


@pytest.mark.parametrize(
    ("before", "name", "kind"),
    [
        ("con la abuela ", "Hersiliana", "female"),
        ("su hija, ", "Yurikson", "female"),
        ("don ", "Eleuzia", "male"),
        ("ve a ", "Covadonguita", "female"),
        ("ve a ", "Anselmito", "male"),
        ("ve a ", "Yoli", "female"),
        ("ve a ", "Kimberly", "female"),
        ("Pcte ", "Quiroz Ortega Jomarilys", "female"),
        ("Pcte ", "Wafae Munuera", "female"),
    ],
)
def test_a_name_of_no_list_gets_the_sex_of_what_is_around_it(before, name, kind):
    surrogates = make_surrogates(make_note(before, (name, "PATIENT"), "."))
    words = name.split()
    assert surrogates.names._classify(fold(words[0 if name.startswith("Wafae") else -1])) == kind


def test_the_digits_of_a_scan_in_a_name_are_read_as_letters():
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        note = make_note(
            ("V1LCHEZ PAL0MINO, Rodr1go", "PATIENT"), " o ", ("VILCHEZ PALOMINO, Rodrigo", "PATIENT"), "."
        )
        (redaction,) = redactor.redact([note])
        scanned, clean = (each.replacement for each in redaction.replacements)
        assert regex.fullmatch(r"[\p{Lu}\d]+ [\p{Lu}\d]+, \p{Lu}[\p{L}\d]+", scanned)
        read = scanned.replace("1", "i").replace("0", "o").replace("5", "s")
        assert fold(read) == fold(clean) and any(c in scanned for c in "015") == any(
            c in fold(clean) for c in "ios"
        )


def test_a_name_whose_initial_a_scan_read_as_a_digit_has_a_capital():
    (made,) = redact("la nieta ", ("0lga", "PATIENT"), ".")
    assert made[0].isupper() and made.isalnum()


def test_a_surname_of_no_list_stays_a_surname():
    note = make_note("visto por el Dr. ", ("Munuera", "DOCTOR"), ".")
    assert make_surrogates(note).names._classify("munuera") == "surname"


def test_a_name_of_no_list_mostly_becomes_an_invented_one_and_a_listed_name_a_listed_one():
    known = []
    for name in ("Huenchullán", "Gutiérrez"):
        made = [make_surrogates_of(bytes([n])).names.replace_names(name) for n in range(100)]
        known.append(sum(is_known(fold(each)) for each in made if each))
    assert known[0] < 30 and known[1] > 70


def test_a_nickname_becomes_one_of_the_surrogate_or_the_surrogate_itself():
    full, nickname = redact(("Francisco", "PATIENT"), " (", ("Paco", "PATIENT"), ")")
    assert nickname == full or fold(full) in listed.load_full_names(spanish.LANGUAGE)[fold(nickname)]


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("12 de marzo de 2015", "10 de marzo de 2016"),
        ("martes 12 de marzo de 2015", "martes 10 de marzo de 2016"),
        ("12/III/15", "10/III/16"),
        ("12-mar-15", "10-mar-16"),
        ("28/ABR/2015", "26/ABR/2016"),
        ("ene. 2016", "ene. 2017"),
        ("12/03/2015", "10/03/2016"),
        ("3/4", "1/4"),
        ("doce de marzo", "diez de marzo"),
        ("DOCE DE MARZO DE DOS MIL QUINCE", "DIEZ DE MARZO DE DOS MIL DIECISÉIS"),
        ("martes veinte", "martes dieciocho"),
        ("octubre de 2014", "octubre de 2015"),
        ("2009", "2010"),
        ("del 11 al 13 de febrero", "del 10 al 12 de febrero"),
        ("Nochebuena", "finales de diciembre"),
        ("Semana Santa de 2015", "finales de marzo de 2016"),
        ("20|05|2024", "19/05/2025"),
        ("mié, 2 dic 2015", "mié, 30 nov 2016"),
        ("mier 11 marzo", "mier 9 marzo"),
        ("L 4 mar", "L 2 mar"),
        ("X 11", "X 9"),
        ("lunes 11", "lunes 9"),
        ("15 ag. 2014", "14 ago. 2015"),
        ("2O Set. 14", "19 Sep. 15"),
        ("O9-l2-2O14", "08-12-2015"),
        ("ll/O3", "09/03"),
        ("1.º de marzo", "28 de febrero"),
        ("20150312", "20160310"),
        ("12-13/10", "11-12/10"),
        ("once de mayo dos mil catorce", "diez de mayo dos mil quince"),
        ("cinco de marzo del cincuenta y seis", "cuatro de marzo del cincuenta y siete"),
        ("veinte del once", "diecinueve del once"),
        ("sesenta", "sesenta y uno"),
        ("veinte de julio", "dieciocho de julio"),
        ("día de San José", "día 17 de marzo"),
        ("Velitas", "principios de diciembre"),
        ("los martes", None),
        ("algún día", None),
    ],
)
def test_a_date_moves_in_its_own_form(text, moved):
    shifter = make_surrogates().dates
    assert isinstance(shifter, SpanishDates)
    shifter.move_by(364)
    assert shifter.shift_text(text, date(2015, 3, 12)) == moved


def test_weekdays_stay_and_days_come_before_months():
    assert redact(("sábados", "DATE"), " y ", ("lunes y jueves", "DATE")) == ["sábados", "lunes y jueves"]
    assert redact(("L", "DATE"), ", ", ("X", "DATE")) == ["L", "X"]
    first, second = redact(("3/4/2015", "DATE"), " a ", ("10/4/2015", "DATE"))
    days = [date(*map(int, reversed(text.split("/")))) for text in (first, second)]
    assert days[1] - days[0] == timedelta(7)


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [
        ("94", " años", "90 o más"),
        ("noventa y dos", "", "90 o más"),
        ("67", "", "67"),
        ("95", " días", "95"),
        ("treintañera", "", "treintañera"),
        ("nonagenaria", "", "90 o más"),
    ],
)
def test_an_age_over_89_becomes_a_group(text, after, made):
    assert redact("edad ", (text, "AGE"), after) == [made]


@pytest.mark.parametrize(
    "number",
    ["12345678-Z", "X1234567-L", "28/12345678/40", "20-12345678-6", "12.345.678-5", "1.234.567-2",
     "1710034065", "HEGG560427MVZRRL04", "ES91 2100 0418 4502 0005 1332"],
)  # fmt: skip
def test_a_number_with_a_right_check_becomes_another_one_with_a_right_check(number):
    bare = re.sub(r"\W", "", number)
    assert numbers.make_checked(bare, iter(range(10, 90)))
    for secret in range(30):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        made = redactor.redact([make_note((number, "IDNUM"))])[0].replacements[0].replacement
        assert made != number and re.sub(r"\w", "x", made) == re.sub(r"\w", "x", number)
        assert numbers.make_checked(re.sub(r"\W", "", made), iter(range(10, 90)))


def test_a_number_with_a_wrong_check_keeps_its_pattern():
    (made,) = redact(("43772018-Q", "IDNUM"))
    assert re.fullmatch(r"\d{8}-[A-Z]", made)


def test_an_address_stays_coherent():
    street, code, town, province = redact(
        ("C/ Mayor 12, 3.º B", "STREET"),
        ", ",
        ("33401", "ZIP"),
        " ",
        ("Avilés", "CITY"),
        " (",
        ("Asturias", "STATE"),
        ")",
    )
    assert re.fullmatch(r"C/ \w+ \d\d, \d\.º [A-Z]", street) and "Mayor" not in street
    own = ("ES", province)
    assert (
        town in places.group_towns()[own]
        and code.startswith(places.load_prefixes()[own])
        and province != "Asturias"
    )


def test_a_colombian_street_keeps_its_signs_and_a_town_its_country():
    street, town = redact(("Cra. 7 # 45-12", "STREET"), ", ", ("Medellín", "CITY"))
    assert re.fullmatch(r"Cra\. \d # \d\d-\d\d", street)
    assert {country for country, _ in places.find_provinces(fold(town))} & {"CO"}


@pytest.mark.parametrize(
    ("pieces", "country"),
    [
        ([("Villa Vorín", "CITY"), ", tel. ", ("+598 99 418 207", "PHONE")], "UY"),
        ([("Villa Vorín", "CITY"), ", CURP ", ("HEGG560427MVZRRL04", "IDNUM")], "MX"),
        ([("Villa Vorín", "CITY"), ", RUT ", ("12.345.678-5", "IDNUM")], "CL"),
        ([("Villa Vorín", "CITY"), ", ", ("12.345.672-Z", "IDNUM")], "ES"),
        ([("Villa Vorín", "CITY"), ", afiliada al IESS desde hace años"], "EC"),
        ([("Villa Vorín", "CITY"), ", UMF ", ("UMF 8", "HOSPITAL")], "MX"),
        ([("Villa Vorín", "CITY"), ", ", ("Totonicapán", "STATE")], "GT"),
        ([("Villa Vorín", "CITY"), ", ", ("Choloma", "CITY")], "HN"),
        ([("Villa Vorín", "CITY"), ", ", ("Bogotá D.C.", "STATE")], "CO"),
        ([("Villa Vorín", "CITY"), ", ", ("CDMX", "STATE")], "MX"),
        ([("Villa Vorín", "CITY"), ", viaja a ", ("Colombia", "COUNTRY")], "ES"),
    ],
)
def test_a_town_of_no_list_becomes_one_of_the_country_of_the_note(pieces, country):
    for secret in range(5):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact([make_note("Vive en ", *pieces, ".")])
        town = redaction.replacements[0].replacement
        assert country in {own for own, _ in places.find_provinces(fold(town))}


def test_a_state_without_towns_in_the_first_list_becomes_another_state():
    for short in ("Q. Roo", "B.C.S.", "CDMX", "Edomex."):
        (made,) = redact(("Tuxpan", "CITY"), " y ", (short, "STATE"))[1:]
        assert made != short and {own for own, _ in places.find_provinces(fold(made))} >= {"MX"}


def test_a_spanish_town_stays_spanish_in_a_note_with_a_migrant():
    home, birth = redact(
        ("Vilalba", "CITY"), ", ", ("Lugo", "STATE"), ". Natural de ", ("Cali", "CITY"), "."
    )[::2]  # fmt: skip
    assert ("ES" in places.find_countries(fold(home))) and ("CO" in places.find_countries(fold(birth)))


@pytest.mark.parametrize("short", ["N.L.", "Jal.", "PUE"])
def test_a_short_state_becomes_a_short_state_whose_town_is_beside_it(short):
    town, state = redact(("Villa Vorín", "CITY"), ", ", (short, "STATE"))
    (own,) = places.find_provinces(fold(state))
    assert state != short and state.endswith(".") == short.endswith(".") and town in places.group_towns()[own]


def test_another_spelling_of_a_province_is_that_province():
    first, second = redact(("Castelló", "STATE"), ", ", ("Castellón", "STATE"))
    assert first == second and first in {name for _, name in places.list_provinces()}


def test_a_country_becomes_one_of_its_kind():
    spoken, frequent, usa, united = redact(
        ("Chile", "COUNTRY"), ", ", ("Marruecos", "COUNTRY"), ", ",
        ("EEUU", "COUNTRY"), ", ", ("Estados Unidos", "COUNTRY"),
    )  # fmt: skip
    assert spoken in places.SPEAKING and frequent in places.FREQUENT and fold(usa) == fold(united)


def test_what_a_hospital_is_stays_and_which_one_it_is_does_not():
    hospital, centre = redact(
        ("Hospital Universitario del Naranco", "HOSPITAL"), ", ", ("C.S. Sabugo", "HOSPITAL")
    )
    assert hospital.startswith("Hospital Universitario del ") and "Naranco" not in hospital
    assert centre.startswith("C.S. ") and "Sabugo" not in centre


def test_the_first_word_of_a_school_is_not_searched_in_the_notes():
    note = make_note("Liceo: va al ", ("Liceo Salomé Ureña", "ORGANIZATION"), ".")
    (redaction,) = Redactor(SECRET, rules=RULES).redact([note])
    assert redaction.document.text.startswith("Liceo: va al Liceo ")


def test_a_name_that_is_a_word_is_found_again_only_with_its_capital():
    note = make_note(("Luz", "PATIENT"), " apaga la luz. Luz duerme.")
    (redaction,) = Redactor(SECRET, rules=RULES).redact([note])
    made = redaction.replacements[0].replacement
    assert redaction.document.text == f"{made} apaga la luz. {made} duerme."


@pytest.mark.parametrize(
    "text", ["618 44 09 27", "+56 9 5510 8834", "341 15-602-8817", "ext. 3312", "981 70 44 18"]
)
def test_a_phone_number_keeps_its_grouping_and_first_digits(text):
    (made,) = redact("tel. ", (text, "PHONE"))
    assert re.sub(r"\d", "0", made) == re.sub(r"\d", "0", text) and made != text
    assert (text[0] == made[0] or text.startswith("341")) and made.startswith("+56 9 ") == text.startswith(
        "+56 9 "
    )


@pytest.mark.parametrize(
    ("town", "phone", "country"),
    [
        ("Avilés", "985 70 44 18", "ES"), ("Cieza", "+34 968 45 72 18", "ES"),
        ("Monterrey", "(81) 8346-0912", "MX"), ("Ibagué", "608 555 0119", "CO"),
        ("Rosario", "341 15-602-8817", "AR"), ("Córdoba", "0351 455-7081", "AR"),
        ("Rosario", "+54 9 341 700-4418", "AR"), ("Concepción", "+56 41 221 8077", "CL"),
        ("Puno", "051 36 4471", "PE"), ("Cuenca", "07 555-0170", "EC"), ("Carora", "0252-421.77.10", "VE"),
    ],
)  # fmt: skip
def test_an_area_code_becomes_one_of_the_province_of_the_new_town(town, phone, country):
    if town in ("Córdoba", "Cuenca", "Concepción", "Rosario"):
        extra = {"AR": "Jujuy", "EC": "Riobamba", "CL": "Temuco"}[country]
    else:
        extra = town
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        note = make_note(
            "Vive en ", (town, "CITY"), " (antes ", (extra, "CITY"), "), tel. ", (phone, "PHONE")
        )
        (redaction,) = redactor.redact([note])
        new, _, made = (each.replacement for each in redaction.replacements)
        digits = re.sub(r"\D", "", made.removeprefix(f"+{dict(ES=34, AR=54, CL=56).get(country, '')}"))
        number = contacts.split_number(country, digits)
        names = {name for own, name in places.find_provinces(fold(new)) if own == country}
        assert number and names & {*contacts.load_area_codes()[country][number.code]}, (made, new)
        assert len(made) == len(phone) and re.sub(r"\d+", "0", made) == re.sub(r"\d+", "0", phone) != made


@pytest.mark.parametrize(
    ("town", "phone", "form"),
    [
        ("Avilés", "618 44 09 27", r"6\d\d \d\d \d\d \d\d"),
        ("Ibagué", "310 555 0148", r"3[0-5]\d \d{3} \d{4}"),
        ("Carora", "0412-5590713", r"0(412|414|416|424|426)-\d{7}"),
        ("Salto", "099 441 028", r"09[1-9] \d{3} \d{3}"),
        ("Ambato", "0975 218 640", r"09[356789]\d \d{3} \d{3}"),
        ("Temuco", "9 9555 0162", r"9 \d{4} \d{4}"),
        ("Rosario", "0800 222 0717", r"0800 \d{3} \d{4}"),
        ("Avilés", "900 161 161", r"900 \d{3} \d{3}"),
        ("Ambato", "+34 618 44 09 27", r"\+34 6\d\d \d\d \d\d \d\d"),
    ],
)
def test_a_mobile_stays_a_mobile_and_a_free_number_stays_free(town, phone, form):
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact([make_note((town, "CITY"), ": ", (phone, "PHONE"))])
        made = redaction.replacements[1].replacement
        assert re.fullmatch(form, made) and made != phone


@pytest.mark.parametrize(
    ("text", "type", "form"),
    [
        ("Cra. 4 n.º 13-70 of. 211", "STREET", r"Cra\. \d n\.º \d\d-\d\d of\. \d{3}"),
        ("C/ Ancha 14, 5.ºA", "STREET", r"C/ \p{Lu}\w+ \d\d, \d\.º\p{Lu}"),
        ("calle Morera 77, bajo", "STREET", r"calle \p{Lu}\w+ \d\d, bajo"),
        ("Mza. 12 Casa 8", "STREET", r"Mza\. \d\d Casa \d"),
        ("5.º anillo, condominio Los Nogales, casa 31", "STREET",
         r"\d\.º anillo, condominio Los \p{Lu}\w+, casa \d\d"),
        ("Rúa do Norteiro 12, baixo", "STREET", r"Rúa do \p{Lu}\w+ \d\d, baixo"),
        ("JUZGADO DE INSTRUCCION N.º 4 DE GETAFE", "LOCATION-OTHER",
         r"JUZGADO DE INSTRUCCION N\.º \d DE \p{Lu}+"),
        ("Juzgado de Violencia sobre la Mujer n.º 3 de Gavá", "LOCATION-OTHER",
         r"Juzgado de Violencia sobre la Mujer n\.º \d de \p{Lu}\w+"),
        ("templo de Tlacuilo", "LOCATION-OTHER", r"templo de \p{Lu}\w+"),
        ("CLINICA QUIROZ", "HOSPITAL", r"CLINICA \p{Lu}+"),
        ("Hospital Insular del Puerto", "HOSPITAL", r"Hospital Insular del \p{Lu}\w+"),
        ("Hospital III Zárraga", "HOSPITAL", r"Hospital III \p{Lu}\w+"),
    ],
)  # fmt: skip
def test_the_words_of_an_address_or_a_place_that_name_nothing_stay(text, type, form):
    (made,) = redact("Va a ", (text, type), ".")
    assert regex.fullmatch(form, made) and made != text


@pytest.mark.parametrize(
    ("text", "type", "country", "form"),
    [
        ("IMSS", "ORGANIZATION", "MX", r"(\p{Lu}{3,})"),
        ("imss", "ORGANIZATION", "MX", r"(\p{Ll}{3,})"),
        ("IMSS-Bienestar", "ORGANIZATION", "MX", r"(\p{Lu}{3,})-\p{Lu}\w+"),
        ("DIF Tlaquepaque", "ORGANIZATION", "MX", r"(\p{Lu}{2,}) \p{Lu}\w+"),
        ("PAMI", "ORGANIZATION", "AR", r"(\p{Lu}{3,})"),
        ("SEDES de Oruro", "ORGANIZATION", "BO", r"(\p{Lu}{3,}) de \p{Lu}\w+"),
        ("IGSS", "HOSPITAL", "GT", r"(\p{Lu}{2,})"),
        ("INSS", "ORGANIZATION", "ES", r"(\p{Lu}{2,})"),
        ("UMF 15", "HOSPITAL", "MX", r"(UMF) \d\d"),
        ("CESFAM Pulmahue", "HOSPITAL", "CL", r"(CESFAM) \p{Lu}\w+"),
    ],
)
def test_an_acronym_becomes_another_one_of_its_country(text, type, country, form):
    for secret in range(5):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact([make_note("Acude a ", (text, type), ".")])
        made = redaction.replacements[0].replacement
        match = regex.fullmatch(form, made)
        assert match and made != text and country in countries.load_acronyms()[match[1].upper()], made


def test_two_acronyms_become_two_others():
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact(
            [make_note(("IMSS", "ORGANIZATION"), " o ", ("ISSSTE", "ORGANIZATION"))]
        )
        assert len({"IMSS", "ISSSTE", *(each.replacement for each in redaction.replacements)}) == 4


def test_a_saint_gets_the_name_of_a_man_or_of_a_woman():
    he, she = redact(("Hospital San Anselmo", "HOSPITAL"), ", ", ("CEIP SANTA ENGRACIA", "ORGANIZATION"))
    assert fold(he.removeprefix("Hospital San ")) in list_firsts("male")
    assert fold(she.removeprefix("CEIP SANTA ")) in list_firsts("female")


def test_an_address_of_the_internet_keeps_the_ending_of_its_country():
    made = redact(("c.lemus@paltasdelsur.com.mx", "EMAIL"), " ", ("www.paltas.gob.pe", "URL"))
    assert [text.rsplit(".", 2)[1:] for text in made] == [["com", "mx"], ["gob", "pe"]]


def test_a_nie_with_a_wrong_letter_stays_a_nie():
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact([make_note(("Y4477213-K", "IDNUM"))])
        assert re.fullmatch(r"Y\d{7}-[A-Z]", redaction.replacements[0].replacement)


@pytest.mark.parametrize(
    "text", ["modista", "auxiliar de farmacia", "guarda forestal", "estudiante de Letras"]
)
def test_a_job_of_both_sexes_becomes_one_of_both(text):
    (made,) = redact((text, "PROFESSION"))
    assert institutions.find_gender(made) == "either" and made.islower()


@pytest.mark.parametrize(
    ("text", "type", "form"),
    [
        ("7.ll8.O43", "IDNUM", r"[1-9]\.[lO]{2}\d\.[lO]\d\d"),
        ("O07l884/O3", "IDNUM", r"[lO]\d\d[lO]\d{3}/[lO]\d"),
        ("4O71", "MEDICALRECORD", r"[1-9][lO]\d\d"),
        ("965 7O2 118", "PHONE", r"9\d\d \d[lO]\d \d{3}"),
        ("22-O187", "PHONE", r"\d\d-[lO]\d{3}"),
        ("5lOO2", "ZIP", r"\d[lO]{3}\d"),
        ("HC-8824O", "IDNUM", r"[A-Z]{2}-\d{4}[lO]"),
        ("XL-4410", "IDNUM", r"[A-Z]{2}-\d{4}"),
    ],
)
def test_the_letters_of_a_scan_in_a_number_keep_their_places(text, type, form):
    for secret in range(9):
        redactor = Redactor(SECRET + bytes([secret]), rules=RULES)
        (redaction,) = redactor.redact([make_note("n.º ", (text, type), ".")])
        made = redaction.replacements[0].replacement
        assert re.fullmatch(form, made) and made != text


def test_a_scanned_number_agrees_with_the_number():
    scanned, number = redact(("44O7l892", "MEDICALRECORD"), " = ", ("44071892", "MEDICALRECORD"))
    assert [a for a in scanned if a.isdecimal()] == [b for a, b in zip(scanned, number) if a.isdecimal()]


@pytest.mark.parametrize(
    ("text", "made"), [("5l", "5l"), ("9l", "90 o más"), ("5O", "5O"), ("lO", "lO"), ("1O4", "90 o más")]
)
def test_an_age_with_the_letters_of_a_scan_is_read(text, made):
    assert redact("edad ", (text, "AGE"), " años") == [made]


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("nueve cinco cuatro dos dos uno cero ocho seis", "PHONE"),
        ("TREINTA Y UNO CERO CERO CUATRO", "LICENSE"),
        ("cuatro cuatro uno guion veintiuno", "MEDICALRECORD"),
        ("siete cero dos", "VEHICLE"),
    ],
)
def test_a_number_in_words_becomes_a_number_in_words(text, type):
    (made,) = redact("n.º ", (text, type), ".")
    parts = set(re.split(r" y |\s+", made.lower())) - {"guion", "y"}
    known = {"cero"} | {word for words in spanish.NUMBERS for word in words.split()}
    assert parts <= known and made != text and made.isupper() == text.isupper()
    assert made.count("guion") == text.count("guion")


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("citas@hcordillera.example", "citas"),
        ("admision.urgencias@hcordillera.example", "admision.urgencias"),
        ("ADMISIÓN@HCORDILLERA.EXAMPLE", "ADMISIÓN"),
        ("enfermeria2@hcordillera.example", "enfermeria"),
    ],
)
def test_the_mailbox_of_a_role_keeps_its_role(text, role):
    (made,) = redact((text, "EMAIL"))
    user, _, host = made.partition("@")
    assert user.startswith(role) and "cordillera" not in host.lower()
    assert redact(("citas.lopez@hcordillera.example", "EMAIL"))[0].startswith("citas.")


@pytest.mark.parametrize(
    ("text", "type", "form"),
    [
        ("Hospital Dr. V. Gómez", "HOSPITAL", r"Hospital Dr\. (?!V)\p{Lu}\. \p{Lu}\w+"),
        ("C/ I. Zuloaga 4", "STREET", r"C/ (?!I)\p{Lu}\. \p{Lu}\w+ \d"),
        ("ESCUELA X. VILLAURRUTIA", "ORGANIZATION", r"ESCUELA (?!X)\p{Lu}\. \p{Lu}+"),
        ("Hospital Juan Pablo II", "HOSPITAL", r"Hospital \p{Lu}\w+ \p{Lu}\w+ II"),
        ("C.S. Aínsa", "HOSPITAL", r"C\.S\. \p{Lu}\w+"),
    ],
)
def test_a_roman_numeral_before_a_name_is_an_initial(text, type, form):
    (made,) = redact("Va a ", (text, type), ".")
    assert regex.fullmatch(form, made)


def test_a_job_keeps_its_gender():
    woman, man = (
        redact(("modista", "PROFESSION"), " y ", ("panadera", "PROFESSION"))[1],
        redact(("albañil", "PROFESSION"))[0],
    )
    assert institutions.is_feminine(woman) and not institutions.is_feminine(man)


def list_shifts(note: Document) -> set[int]:
    """The days that the whole dates of a note move by, and the days that they should move by."""
    surrogates = make_surrogates(note)
    days = {surrogates.dates.shift.days}
    for span in (span for span in note.spans if span.type == "DATE"):
        text = note.text_of(span)
        made = surrogates.make_surrogate(note, span, surrogates.find_note_date(note))
        if made and re.fullmatch(r"\d\d?[/.-]\d\d?[/.-]\d{4}", text):
            numbers = [[*map(int, re.findall(r"\d+", each))] for each in (text, made)]
            if numbers[0][1] > 12:  # as in the United States: the month comes first, also in the surrogate
                numbers = [[day, month, year] for month, day, year in numbers]
            old, new = (date(year, month, day) for day, month, year in numbers)
            days.add((new - old).days)
    return days


@pytest.mark.slow
def test_of_the_written_notes_only_other_words_survive_and_whole_dates_keep_their_intervals():
    # Of names in ascensor, PRIMARIA, mariachi, antigenuria, vacunas and peluquero.
    days_and_maria = re.compile(r"\d{1,2}(?:-\d{1,2})?|M[aª]|ascen|MARIA|maria|nuria|acuna|luque")
    for document in read_corpus("train", SPANISH):
        note = build_document(copy_document(document), document.id)
        (redaction,) = Redactor(SECRET, rules=RULES).redact([note])
        left = {redaction.document.text[s.start : s.end] for s in redaction.survivors}
        assert all(map(days_and_maria.fullmatch, left)), document.id
        assert len(list_shifts(note)) == 1, document.id


def test_the_same_secret_gives_the_same_note_and_the_language_is_in_the_hash():
    note = make_note(("Ana Ruiz", "PATIENT"), " de ", ("Soria", "CITY"))
    first, second = (Redactor(SECRET, rules=RULES).redact([note])[0].document.text for _ in "ab")
    assert first == second
    assert Redactor(SECRET, rules=RULES).hash_options() != Redactor(SECRET).hash_options()


def test_an_unknown_language_is_refused():
    with pytest.raises(ConfigurationError, match="^latin: no such language; wanted english or spanish$"):
        Redactor(SECRET, rules=Rules(language="latin")).redact([make_note(("Ana", "PATIENT"))])


@pytest.mark.parametrize(
    ("text", "type", "made"),
    [
        ("cuarenta y cuatro", "AGE", "40-49"), ("67", "AGE", "60-69"), ("noventa y dos", "AGE", "90 o más"),
        ("cuarenta y pocos", "AGE", "[**AGE**]"),
        ("12/03/2015", "DATE", "T1 2015"), ("doce de marzo de 2015", "DATE", "T1 2015"),
        ("2015", "DATE", "2015"),
        ("50002", "ZIP", "50"), ("Calatayud", "CITY", "Zaragoza"), ("Zaragoza", "CITY", "España"),
        ("Nowhere", "CITY", "[**CITY**]"),
        ("Huesca", "STATE", "Huesca"), ("Vorin", "STATE", "[**STATE**]"), ("Suiza", "COUNTRY", "Suiza"),
    ],
)  # fmt: skip
def test_the_policy_of_the_gdpr_reads_spanish(text, type, made):
    redactor = Redactor(SECRET, rules=RULES, policy=read_policy("gdpr"))
    (redaction,) = redactor.redact([make_note("Vive: ", (text, type), ".")])
    assert redaction.document.text == f"Vive: {made}."


def test_the_policy_of_the_gdpr_reads_english_as_before():
    redactor = Redactor(SECRET, policy=read_policy("gdpr"))
    note = make_note(("Suiza", "COUNTRY"), ", ", ("Huesca", "STATE"), ", ", ("12/03/2015", "DATE"))
    (redaction,) = redactor.redact([note])
    assert redaction.document.text == "[**COUNTRY**], [**STATE**], Q4 2015"
