import hashlib
import sys

import pytest

from crfdeid.errors import DocumentError
from crfdeid.text.document import Document, Span, fingerprint_documents
from crfdeid.text.gazetteer import build_gazetteer


def test_the_fingerprint_is_of_content_not_of_order():
    a, b = Document("a", "Ana Ruiz"), Document("b", "Ana Ruiz", (Span(0, 3, "PATIENT"),))
    assert fingerprint_documents([a, b]) == fingerprint_documents([b, a])
    assert fingerprint_documents([a, b]) != fingerprint_documents([a, b.with_spans([])])
    content = b'["a", "Ana Ruiz", []]["b", "Ana Ruiz", [[0, 3, "PATIENT"]]]'
    assert fingerprint_documents([a, b]) == hashlib.sha256(content).hexdigest()[:12]


def test_the_spans_of_a_document_are_in_order():
    spans = [Span(4, 8, "DOCTOR"), Span(0, 8, "DATE"), Span(0, 3, "PATIENT"), Span(0, 3, "AGE")]
    wanted = (Span(0, 3, "AGE"), Span(0, 3, "PATIENT"), Span(0, 8, "DATE"), Span(4, 8, "DOCTOR"))
    assert Document("a", "Ana Ruiz", spans).spans == wanted


def test_no_text_is_in_the_repr():
    assert repr(Document("a", "Ana Ruiz", patient="7")) == "Document(id='a', spans=(), patient='7')"
    assert repr(build_gazetteer("staff", ["Ana", "Ana Ruiz"])) == "Gazetteer(name='staff')"


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (4, 3), (0, 9), (8, 9)])
def test_a_span_is_inside_the_text_and_not_empty(start, end):
    with pytest.raises(DocumentError):
        Document("a", "Ana Ruiz", (Span(start, end, "PATIENT"),))
    assert Document("a", "Ana Ruiz", (Span(0, 8, "PATIENT"),)).spans


def test_a_span_has_a_type():
    with pytest.raises(DocumentError, match="d0: a span at 0-8 has no type"):
        Document("d0", "Ana Ruiz", (Span(0, 8, ""),))


@pytest.mark.parametrize(
    ("text", "id", "patient", "type", "what"),
    [
        ("xx\udcff", "1", None, "A", "offset 2 of its text"),
        ("xx", "\udcff", None, "A", "offset 0 of its id"),
        ("xx", "1", "é\ud800", "A", "offset 1 of its patient"),
        ("xx", "1", "7", "A\udfff", "offset 1 of the type of a span"),
    ],
)
def test_half_a_character_is_refused(text, id, patient, type, what):
    with pytest.raises(DocumentError, match=f"unpaired UTF-16 surrogate at {what}; not valid text$"):
        Document(id, text, (Span(0, 2, type),), patient)


def test_half_a_character_of_a_file_name_has_a_hint_where_names_are_not_read_as_utf_8(monkeypatch):
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    with pytest.raises(DocumentError, match="not valid text; PYTHONUTF8=1 reads file names as UTF-8$"):
        Document("\udcff", "xx")


@pytest.mark.parametrize(
    ("patient", "owner"), [("7", (True, "7")), (None, (False, "d0")), ("", (True, "d0"))]
)
def test_the_owner_is_the_patient_or_the_document(patient, owner):
    assert Document("d0", "", patient=patient).owner == owner
