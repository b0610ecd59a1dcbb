"""The Spanish model that ships."""

import re

import pytest

from crfdeid import files
from crfdeid.redact.__main__ import main as redact_verb
from crfdeid.systems import model
from crfdeid.tag.__main__ import main as tag_verb
from crfdeid.text.document import Document

NOTE = (
    "INFORME DE ALTA\nPaciente: María Pilar Cifuentes Orduña   NHC: 1184207   F. nac.: 12/10/1941\n"
    "Domicilio: C/ Mayor 41, 3.º B, 50002 Zaragoza. Tel. 976 41 27 83\n"
    "Acude el 14 de marzo de 2023 con su hija Carmen por dolor torácico. No fiebre. Murphy negativo.\n"
    "Fdo.: Dra. Lucía Arrufat (col. 50/12345), Hospital Universitario Miguel Servet\n"
)
FOLDER = files.find_folder("models") / "spanish"


@pytest.fixture(scope="module")
def tagger():
    return model.load("spanish")


def test_it_is_small_names_its_language_and_its_source():
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
    card = (FOLDER / "CARD.md").read_text(encoding="utf-8")
    assert size < 8_000_000
    assert "MEDDOCAN" in card and "CC BY 4.0" in card and "Changes:" in card


def test_it_finds_the_phi_of_a_note(tagger):
    note = tagger.tag(Document("n", NOTE))
    found = {(span.type, note.text_of(span)) for span in note.spans}
    assert {
        ("PATIENT", "María Pilar Cifuentes Orduña"), ("MEDICALRECORD", "1184207"), ("DATE", "12/10/1941"),
        ("DATE", "14 de marzo de 2023"), ("PATIENT", "Carmen"), ("DOCTOR", "Lucía Arrufat"), ("ZIP", "50002"),
        ("CITY", "Zaragoza"), ("PHONE", "976 41 27 83"),
    } <= found  # fmt: skip
    assert tagger.language == "spanish"


def test_a_note_without_phi_stays_without_spans(tagger):
    text = "Abdomen blando, Blumberg y Murphy negativos. Se pauta paracetamol 1 g cada 8 h y dieta blanda."
    assert tagger.tag(Document("n", text)).spans == ()


@pytest.mark.slow
def test_the_verbs_know_it_by_its_name_and_redact_in_spanish(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nota.txt").write_text(NOTE, encoding="utf-8")
    tag_verb(["nota.txt", "--model", "spanish", "--format", "inline"])
    shown = capsys.readouterr()
    assert "<PATIENT>María Pilar Cifuentes Orduña</PATIENT>" in shown.out and shown.err == ""
    redact_verb(["nota.txt", "--model", "spanish", "--out", "limpia", "--seed", "1", "--format", "text"])
    (clean,) = (path.read_text("utf-8") for path in (tmp_path / "limpia").rglob("*.txt"))
    assert "Cifuentes" not in clean and "Zaragoza" not in clean
    assert re.search(r"Acude el \d+ de (?:febrero|marzo) de \d{4} con su hija", clean)
    assert "Dra. " in clean and re.search(r"C/ \w+ \d\d, \d\.º [A-Z]", clean)
