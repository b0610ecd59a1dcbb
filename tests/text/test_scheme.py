"""Schemes: written and read, and documents that do not fit them are refused without their texts."""

import pytest

from crfdeid.errors import SchemeError
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme, collect_types, read_scheme, show_span, write_scheme


def test_a_written_scheme_is_read_again(tmp_path):
    path = tmp_path / "mine.toml"
    for categories in ({"NAME": ("PATIENT", 'O"DD')}, {"NAME": ("DOCTOR",), "É": ("A B",)}):
        write_scheme(Scheme("mine", categories), path)  # the second one replaces the first
        assert read_scheme(path) == Scheme("mine", categories)
    assert path.read_text("utf-8") == 'name = "mine"\n\n[categories]\n"NAME" = ["DOCTOR"]\n"É" = ["A B"]\n'


@pytest.mark.parametrize("text", ["", "name = 1", 'name = "x"', "[", 'name = "x"\ncategories = 3'])
def test_another_file_is_not_a_scheme(tmp_path, text):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(SchemeError, match="mine.toml: not a scheme file"):
        read_scheme(tmp_path / "mine.toml")


def test_the_first_document_whose_type_a_scheme_lacks_is_refused():
    notes = [Document("a", "Ruiz", (Span(0, 4, "DOCTOR"),)), Document("b", "Ruiz", (Span(0, 4, "DOKTOR"),))]
    scheme = read_scheme()
    scheme.check(notes[:1])
    with pytest.raises(SchemeError, match="document 2: the type at 0-4 is not a type of scheme i2b2-2014"):
        scheme.check(notes)
    assert next(scheme.check_each(notes)) == notes[0]
    collect_types(notes, "mine").check(notes)
    with pytest.raises(SchemeError, match="did you mean"):
        scheme.category("DOCTR")


def test_a_type_that_may_be_text_is_not_shown():
    assert [show_span(Span(3, 8, type)) for type in ("CALLE", "Ana Ruiz")] == [
        "CALLE at 3-8",
        "a span at 3-8",
    ]
