"""Forms of repair for Spanish notes: each with its sample, and what none of them touches."""

from __future__ import annotations

import re

import pytest

from crfdeid.repair import find_forms, repair_spans
from crfdeid.repair.spanish import FORMS
from crfdeid.text.document import Document, Span

MARK = re.compile(r"<([A-Z-]+)\|([^>]*)>", re.DOTALL)
LEFT_ALONE = """
Gregorio, <AGE|ochenta y seis> años, del barrio
Texas A-D y 0-III, necesita placa NUEVA y papel
Acude <PATIENT|Ana Ruiz> con su hija <PATIENT|Marta Vega>.
Sus hijos <PATIENT|Ana>, <PATIENT|Luis> y <PATIENT|Marta> la visitan
SUS HIJOS <PATIENT|ANA>, <PATIENT|LUIS> Y <PATIENT|MARTA> LA VISITAN
visto el <DATE|3/10> y el día <DATE|4/10> en consulta
nacida en <DATE|12/III/15>, de <AGE|8> años de edad
lactante de <AGE|20> días de vida, traída por la madre
niño de <AGE|18> meses de <CITY|Cuenca> sin fiebre
firma <DOCTOR|C. Ruiz> en planta
vive en <STREET|C/ Mayor 12>, <CITY|Cieza> con su madre
ingresa en <HOSPITAL|Hospital Reina Sofía> de nuevo
trabaja de <PROFESSION|peluquera> en su barrio
tel. <PHONE|968 45 72 18> de la hija
""".strip().splitlines()
CHANGED = {
    "L.T.S. <DOCTOR|T.S. Ana Zepeda>": "L.T.S. T.S. <DOCTOR|Ana Zepeda>",
    "De: <HOSPITAL|T.S. Gladys Loayza>, y": "De: T.S. <DOCTOR|Gladys Loayza>, y",
    "firma <DOCTOR|Loza R2>": "firma <DOCTOR|Loza> R2",
    "ayuda <DOCTOR|DR. O. VALDIVIA>": "ayuda DR. <DOCTOR|O. VALDIVIA>",
    "y <CITY|Ma>. <PATIENT|Guadalupe Orozco>, de": "y <PATIENT|Ma. Guadalupe Orozco>, de",
    "Paciente: <PATIENT|NDIAYE>, <PATIENT|FATOU> y": "Paciente: <PATIENT|NDIAYE, FATOU> y",
    "a <PATIENT|Ana Ruiz> de <PATIENT|Vicuña>, que": "a <PATIENT|Ana Ruiz de Vicuña>, que",
    "a <PATIENT|A. Ruiz>, DNI <DATE|05611884>": "a <PATIENT|A. Ruiz>, DNI <IDNUM|05611884>",
    "<DOCTOR|Ana Ruiz>, de 44 años": "<PATIENT|Ana Ruiz>, de 44 años",
    "la <PROFESSION|primigesta> y": "la primigesta y",
    "grapas a los <AGE|14> días": "grapas a los 14 días",
    "pesa <AGE|43>,2 kg": "pesa 43,2 kg",
    "Fue Pastor <AGE|40> años de ovejas": "Fue Pastor 40 años de ovejas",
    "Pág. <DATE|1/1> y": "Pág. 1/1 y",
    "fisio, sesión <DATE|4/10> y": "fisio, sesión 4/10 y",
    "TGO <DATE|28 / 35> y": "TGO 28 / 35 y",
    "toma <DATE|1/2> lorazepam": "toma 1/2 lorazepam",
    "nació en <DATE|mayo> de <DATE|2013> y": "nació en <DATE|mayo de 2013> y",
    "en <STREET|Lerma 14, col. Las Pintas, C.P. 45588> y": (
        "en <STREET|Lerma 14>, col. <CITY|Las Pintas>, C.P. <ZIP|45588> y"
    ),
    "en <STREET|C/ San Diego 9>, bajo izq. y": "en <STREET|C/ San Diego 9, bajo izq.> y",
    "colonia <ORGANIZATION|Loma Dorada> y": "colonia <CITY|Loma Dorada> y",
    "de <CITY|Linares>, <CITY|Nuevo León> y": "de <CITY|Linares>, <STATE|Nuevo León> y",
    "Provincia: <CITY|Cotopaxi> y": "Provincia: <STATE|Cotopaxi> y",
    "En el <HOSPITAL|centro de salud> hoy": "En el centro de salud hoy",
    "en <CITY|Subcentro San Bartolo> y": "en <HOSPITAL|Subcentro San Bartolo> y",
    "placas <IDNUM|VBX-48-21-C> y": "placas <VEHICLE|VBX-48-21-C> y",
    "serie TX<IDNUM|8-00417-K> y": "serie <DEVICE|TX8-00417-K> y",
    "CUENTA: ES41 2085 0044 7703 3011 8890 y": "CUENTA: <ACCOUNT|ES41 2085 0044 7703 3011 8890> y",
    "con NHC 512884 y": "con NHC <MEDICALRECORD|512884> y",
    "Recibido: 6/IX/18 y": "Recibido: <DATE|6/IX/18> y",
    "va en móvil 14 con la": "va en móvil <VEHICLE|14> con la",
    "Obra Social: Federada Cuyo, socio": "Obra Social: <ORGANIZATION|Federada Cuyo>, socio",
    "no cubre Asmet Salud por": "no cubre <ORGANIZATION|Asmet Salud> por",
    "a la P.S. Señor de los Milagros hoy": "a la <HOSPITAL|P.S. Señor de los Milagros> hoy",
}


def read_marks(marked: str) -> Document:
    spans, text, at = [], "", 0
    for match in MARK.finditer(marked):
        text += marked[at : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1]))
        text, at = text + match[2], match.end()
    return Document("n", text + marked[at:], tuple(spans))


def write_marks(note: Document) -> str:
    text, at = "", 0
    for span in note.spans:
        text += f"{note.text[at : span.start]}<{span.type}|{note.text_of(span)}>"
        at = span.end
    return text + note.text[at:]


@pytest.mark.parametrize("name", FORMS)
def test_a_form_does_what_its_sample_says(name):
    form = FORMS[name]
    assert write_marks(repair_spans(read_marks(form.before), [form])) == form.after
    repaired = repair_spans(read_marks(form.before), FORMS.values())
    assert write_marks(repaired) == form.after


@pytest.mark.parametrize("marked", LEFT_ALONE)
def test_right_spans_stay(marked):
    assert write_marks(repair_spans(read_marks(marked), FORMS.values())) == marked


@pytest.mark.parametrize("marked", CHANGED)
def test_spans_are_repaired(marked):
    assert write_marks(repair_spans(read_marks(marked), FORMS.values())) == CHANGED[marked]


def test_the_pack_names_the_forms_of_its_scheme():
    assert find_forms("i2b2-2014", "spanish") == tuple(FORMS.values())
    assert not find_forms("meddocan", "spanish")
