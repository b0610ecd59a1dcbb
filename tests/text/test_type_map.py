"""Type maps: what each shipped one does, and maps that are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import SchemeError
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_map

MAPS = ("2006", "2014", "categories", "hipaa", "names", "phi")
TYPES = sorted({type for name in scheme.SHIPPED for type in scheme.read_scheme(name).types})

CASES = [
    ("2006", "PATIENT", "PATIENT"),
    ("2006", "CITY", "LOCATION"),
    ("2006", "LOCATION-OTHER", "LOCATION"),
    ("2006", "DEPARTMENT", "HOSPITAL"),
    ("2006", "FAX", "PHONE"),
    ("2006", "MEDICALRECORD", "ID"),
    ("2006", "USERNAME", "ID"),
    ("2006", "PROFESSION", None),
    ("2006", "EMAIL", None),
    ("2006", "ID", "ID"),
    ("2006", "NOMBRE_PERSONAL_SANITARIO", "DOCTOR"),
    ("2014", "TERRITORIO", "CITY"),
    ("2014", "SEXO_SUJETO_ASISTENCIA", None),
    ("2014", "HOSPITAL", "HOSPITAL"),
    ("categories", "USERNAME", "NAME"),
    ("categories", "HOSPITAL", "LOCATION"),
    ("categories", "PHONE", "CONTACT"),
    ("categories", "FECHAS", "DATE"),
    ("hipaa", "DOCTOR", None),
    ("hipaa", "IDNUM", None),
    ("hipaa", "ORGANIZATION", "ORGANIZATION"),
    ("phi", "DOCTOR", "PHI"),
    ("phi", "SEXO_SUJETO_ASISTENCIA", "PHI"),
    ("phi", "NAME", "PHI"),
    ("names", "HOSPITAL", "PHI"),
    ("names", "CENTRO_SALUD", "PHI"),
    ("names", "DATE", None),
]


@pytest.mark.parametrize(("name", "type", "wanted"), CASES)
def test_a_type_becomes_another_or_none(name, type, wanted):
    mapped = read_map(name).apply(Document("n", "Roe and so on", (Span(0, 3, type),)))
    assert [span.type for span in mapped.spans] == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    ("text", "kept"), [("67", 0), ("91", 1), ("forty-two", 0), ("elder", 1), ("90s", 1), ("8 1/2", 0)]
)
def test_of_ages_2006_has_those_over_89(text, kept):
    document = Document("n", text + " year old", (Span(0, len(text), "AGE"),))
    assert len(read_map("2006").apply(document).spans) == kept
    assert len(read_map("hipaa").apply(document).spans) == 1


@pytest.mark.parametrize(
    ("after", "kept"),
    [(" months old", 0), (" years old", 1), ("", 1), (" " * 9 + "day", 0), (" " * 10 + "day", 1)],
)
def test_the_unit_of_an_age_is_in_the_twelve_characters_after_it(after, kept):
    document = Document("n", "92" + after, (Span(0, 2, "AGE"),))
    assert len(read_map("2006").apply(document).spans) == kept


@pytest.mark.parametrize("name", MAPS)
@given(types=st.lists(st.sampled_from(TYPES), max_size=8))
def test_a_map_gives_types_of_its_scheme_and_changes_nothing_twice(name, types):
    found = read_map(name)
    types = [type for type in types if type in found.types]
    once = found.apply(Document("n", "abcdefgh", tuple(Span(n, n + 1, t) for n, t in enumerate(types))))
    found.scheme.check([once])
    assert found.apply(once) == once


@pytest.mark.parametrize(
    ("name", "source"),
    [(n, s) for n in ("2006", "categories", "hipaa", "phi") for s in ("i2b2-2014", "meddocan")],
)
def test_a_map_leaves_out_no_type(name, source):
    assert set(scheme.read_scheme(source).types) <= set(read_map(name).types)


def test_the_map_hipaa_keeps_what_the_script_counts():
    kept = {type for type in scheme.read_scheme().types if read_map("hipaa").types[type]}
    assert kept == scheme.read_scheme().hipaa


def test_a_type_without_a_row_is_refused_without_text():
    with pytest.raises(
        SchemeError, match=r"^100-01: the type at 0-3 has none in scheme i2b2-2014 .types 2014.$"
    ):
        read_map("2014").apply(Document("100-01", "Roe", (Span(0, 3, "Mr Roe"),)))


def test_the_document_without_a_row_is_named_by_its_number():
    notes = [Document("Ana Ruiz\n", "Roe", (Span(0, 3, type),)) for type in ("DATE", "DAY")]
    with pytest.raises(SchemeError, match="^document 2: the type at 0-3"):
        list(read_map("2014").apply_all(notes))


def test_a_type_that_another_map_makes_a_type_without_a_row_has_none(tmp_path):
    (tmp_path / "mine.toml").write_text('scheme = "i2b2-2006"\nthrough = "2014"\n[mine]\nCITY = "LOCATION"')
    found = read_map(tmp_path / "mine.toml").types
    assert found["TERRITORIO"] == "LOCATION" and found["FECHAS"] == "DATE"
    assert found["SEXO_SUJETO_ASISTENCIA"] == "" and "PROFESION" not in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scheme =", "not a type map"),
        ('[a]\nX = "AGE"', "not a type map: KeyError"),
        ('scheme = "i2b2-2006"\n[a]\nX = "AGES"', "no type of i2b2-2006; did you mean AGE"),
        ('scheme = "i2b2-2006"\n[a]\nX = "AGE"\n[b]\nX = "DATE"', "X = 'DATE': has another row"),
        ('scheme = "i2b2-2006"\n[a]\nAGE = "DATE"', "AGE = 'DATE': has another row, or is a type of"),
        ('scheme = "i2b2-2006"\nages = 3', "not a type map"),
    ],
)
def test_a_file_that_is_not_a_map_is_refused(tmp_path, text, message):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(SchemeError, match=message):
        read_map(tmp_path / "mine.toml")


def test_a_map_is_found_by_its_schemes():
    first, second, third = (scheme.read_scheme(name) for name in ("i2b2-2014", "i2b2-2006", "meddocan"))
    assert scheme.find_map_to(first, second) == read_map("2006")
    assert scheme.find_map_to(third, first) == read_map("2014")
    assert scheme.find_map_to(first, third) is None
