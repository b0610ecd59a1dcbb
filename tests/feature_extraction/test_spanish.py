"""Dates, ages and people in Spanish notes."""

import pytest

from crfdeid.feature_extraction import spanish
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine


def observe(name, text):
    document = TokenizedDocument(text, fine(text))
    return document, spanish.CONTEXTUAL[name](document)


def list_expressions(name, text):
    """The text and the kind of each marked expression."""
    document, values = observe(name, text)
    found = []
    for index, value in enumerate(values):
        if value and value[0] == "B":
            stop = index + 1
            while stop < len(values) and values[stop] == f"I{value[1:]}":
                stop += 1
            found.append((document.text_of(range(index, stop)), value[1:]))
    return found


DATES = [
    ("el 14/03/2016.", [("14/03/2016", "dmy")]),
    ("14 - 3 - 16", [("14 - 3 - 16", "dmy")]),
    ("2016-03-14", [("2016-03-14", "ymd")]),
    ("el 3 de mayo de 2016", [("3 de mayo de 2016", "dmoy")]),
    ("3 Mayo", [("3 Mayo", "dmoy")]),
    ("14-mar-16", [("14-mar-16", "dmony")]),
    ("13-noviembre-2017", [("13-noviembre-2017", "dmoy")]),
    ("marzo de 2016", [("marzo de 2016", "moy")]),
    ("mar. 2016", [("mar. 2016", "moy")]),
    ("en marzo", [("marzo", "month")]),
    ("en el mes de enero", [("enero", "mo")]),
    ("en el mes de enero de 2016", [("enero de 2016", "moy")]),
    ("en junio del mismo año", [("junio", "same")]),
    ("3/2016", [("3/2016", "my")]),
    ("desde 2016", [("2016", "year")]),
    ("en el año 1999", [("año 1999", "ayear")]),
    ("12/05/2011 y 13/05/2011", [("12/05/2011", "dmy"), ("13/05/2011", "dmy")]),
    ("(16/09/03), 2-3-07", [("16/09/03", "dmy"), ("2-3-07", "dmy")]),
    ("mar de fondo, 120/80, 3 años, 2500 mg, mayor", []),
    ("38.9-51.4, 985-27-36-14, citoqueratinas 5/6/8/18, 1-14/21 días", []),
    ("ana1980@hospital.es, 1980@hospital.es", []),
]
AGES = [
    ("Varón de 54 años de edad", [("54 años", "age")]),
    ("niña de tres años y dos meses de edad", [("tres años y dos meses", "age")]),
    ("un 3 a. de edad", [("3 a.", "age")]),
    ("hace dos meses", [("dos meses", "ago")]),
    ("hace más de 20 años", [("20 años", "ago")]),
    ("2 semanas de evolución", [("2 semanas", "later")]),
    ("a los 6 meses", [("6 meses", "at")]),
    ("fumador de 20 años", [("20 años", "time")]),
    ("sesenta y tres años de edad", [("sesenta y tres años", "age")]),
    ("a los 22 y 24 años", [("22", "list"), ("24 años", "time")]),
    ("al tercer mes de vida", [("tercer mes", "nth")]),
    ("Recién nacido, adolescente", [("Recién nacido", "stage"), ("adolescente", "stage")]),
    ("20 mg, una añada, tercer mes, recién operado", []),
]
RELATIVES = [
    ("Su madre y dos hermanas mayores", [("madre", "kin"), ("dos hermanas mayores", "counted")]),
    ("Tío materno, 2 sobrinos", [("Tío materno", "kin"), ("2 sobrinos", "counted")]),
    ("2 mg, tiologénico, maternal, dos veces", []),
]


STREETS = [
    ("Calle Mayor, 3, 2º A, 28041 Madrid", [("Calle Mayor, 3, 2º A", "number")]),
    ("Domicilio: Calle Mayor, 3, 2, A.", [("Calle Mayor, 3, 2, A", "number")]),
    ("Hospital Sur. C/ Doctor Gil s/n. 08001", [("C/ Doctor Gil s/n", "number")]),
    ("Avda. de la Paz 12 Elche", [("Avda. de la Paz 12", "number")]),
    ("Plaza 2 de Mayo, 7 28004 Madrid", [("Plaza 2 de Mayo, 7", "number")]),
    ("Paseo de Gracia, 41 E-08007", [("Paseo de Gracia, 41", "number")]),
    ("Apartado de correos 41 03550", [("Apartado de correos 41", "box")]),
    ("Calle Luna 0500 Providencia, Calle Luna 28004 Madrid", []),
    ("C. Colombia, calle mayor 3, av. 3, Olivos 973", []),
]
MAKERS = [
    ("(Azopt®, Alcon Cusi)", [("Alcon Cusi", "mark")]),
    ("(colirio 5 mg, Alcon, Barcelona, España)", [("Alcon", "place"), ("Barcelona", "place")]),
    ("(MODUS; Medartis ®, Basel, Suiza)", [("MODUS", "place"), ("Medartis ®", "place"), ("Basel", "place")]),
    ("(Sintrom®), fiebre, Madrid, (ver tabla 1), Azopt", []),
]


@pytest.mark.parametrize(("text", "wanted"), STREETS)
def test_a_street_is_marked_without_the_code_and_the_town_after_it(text, wanted):
    assert list_expressions("es_street", text) == wanted


@pytest.mark.parametrize(("text", "wanted"), MAKERS)
def test_a_maker_is_marked_after_a_trade_mark_or_before_a_place(text, wanted):
    assert list_expressions("es_maker", text) == wanted


@pytest.mark.parametrize(("text", "wanted"), DATES)
def test_a_date_is_marked_with_its_kind(text, wanted):
    assert list_expressions("es_date", text) == wanted


@pytest.mark.parametrize(("text", "wanted"), AGES)
def test_an_age_or_time_is_marked_with_its_kind(text, wanted):
    assert list_expressions("es_age", text) == wanted


@pytest.mark.parametrize(("text", "wanted"), RELATIVES)
def test_a_relative_is_marked(text, wanted):
    assert list_expressions("es_relative", text) == wanted


PEOPLE = [
    ("es_subject", "Su madre de 70", [None, None, "family", "family"]),
    ("es_subject", "La madre. Varón sano", [None, None, "family", "family", "person"]),
    ("es_subject", "Mujer\nde 3", [None, "person", None, None]),
    ("es_family", "Su madre de 70 años", [None, None, "madr.0", "madr.1", "madr.1"]),
    ("es_family", "La madre. Otra vez", [None, None, "madr.0", None, None]),
    ("es_person", "Mujer de 3", [None, "muje.0", "muje.1"]),
    ("es_person", "Mujer\nde 3", [None, "muje.0", None, None]),
    ("es_person", "Varón y mujer sana", [None, "varó.0", "varó.1", "muje.0"]),
]


@pytest.mark.parametrize(("name", "text", "wanted"), PEOPLE)
def test_the_last_mention_in_the_sentence_is_followed(name, text, wanted):
    assert observe(name, text)[1] == wanted


def test_words_that_begin_no_expression_are_never_matched():
    for name, (begins, _) in spanish.EXPRESSIONS.items():
        assert not spanish.compile_pattern(begins).fullmatch("paciente")
        assert spanish.can_begin(name, "calle" if name == "es_street" else "54")
