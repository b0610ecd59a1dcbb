"""The functions for DuckDB, on columns with NULLs, in parallel, and in the example of their page."""

import pytest

pytest.importorskip("duckdb", reason="duckdb is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import duckdb

import crfdeid.duckdb
from crfdeid import files
from crfdeid.errors import ConfigurationError
from crfdeid.policy import read_policy
from crfdeid.redact.redactor import Redactor
from crfdeid.systems import model
from crfdeid.text.document import Document

SECRET = b"a secret that has enough bytes"
CANARY = "Zanzibarova"
TEXT = f"Mrs. Ana {CANARY} was seen by Dr. Ruiz on 3/4/2061."


@pytest.fixture(scope="module")
def tagger():
    return model.load("rules")


@pytest.fixture
def connection(tagger):
    with duckdb.connect() as connection:
        crfdeid.duckdb.register(connection, tagger, SECRET)
        yield connection


def test_the_spans_are_those_of_the_tagger(connection, tagger):
    ((found,),) = connection.execute("SELECT phi_spans(?)", ["é 😀 " + TEXT]).fetchall()
    wanted = tagger.tag(Document("1", "é 😀 " + TEXT)).spans
    assert wanted and found == [{"start": s.start, "end": s.end, "type": s.type} for s in wanted]


def test_the_text_is_that_of_the_redactor(connection, tagger):
    ((clean,),) = connection.execute("SELECT phi_redact(?, '7')", [TEXT]).fetchall()
    note = tagger.tag(Document("1", TEXT, patient="7"))
    assert clean == Redactor(SECRET, by_note=True).redact([note])[0].document.text
    assert CANARY not in clean


def test_nulls_and_empty_texts_keep_their_rows(connection):
    rows = connection.execute(
        "SELECT n, phi_spans(t), phi_redact(t, p) FROM (VALUES (1, NULL, '7'), (2, '', '7'), "
        "(3, 'Mr. Okafor', NULL), (4, 'Mr. Okafor', NULL), (5, NULL, NULL)) AS notes (n, t, p) ORDER BY n"
    ).fetchall()
    assert [row[1] for row in rows[:2]] == [None, []] and rows[4][1:] == (None, None)
    assert rows[1][2] == "" and rows[2][2] == rows[3][2] != "Mr. Okafor"


@pytest.mark.slow
def test_a_patient_has_one_surrogate_in_all_rows_and_partitions(connection):
    connection.execute("CREATE TABLE notes AS SELECT range AS n, 'Mr. Okafor came.' AS t, "
                       "(range % 3)::VARCHAR AS p FROM range(5000)")  # fmt: skip
    connection.execute("SET threads = 4")
    found = connection.execute("SELECT DISTINCT p, phi_redact(t, p) FROM notes").fetchall()
    assert sorted(p for p, _ in found) == ["0", "1", "2"]
    assert not any("Okafor" in text for _, text in found)


def test_a_policy_and_a_field_of_a_struct(tagger):
    with duckdb.connect() as connection:
        crfdeid.duckdb.register(connection, tagger, policy=read_policy("safe_harbor"))
        query = 'SELECT s."type" FROM (SELECT unnest(phi_spans(?)) AS s) WHERE s."type" = \'DATE\''
        assert connection.execute(query, [TEXT]).fetchall() == [("DATE",)]


def test_an_error_shows_no_text(connection, tagger, monkeypatch):
    monkeypatch.setattr(tagger, "tag_all", lambda notes, threshold: iter([int(next(iter(notes)).text)]))
    with pytest.raises(duckdb.Error) as raised:
        connection.execute("SELECT phi_spans(?)", [TEXT]).fetchall()
    assert "ValueError at" in str(raised.value) and CANARY not in str(raised.value)


def test_a_short_secret_is_refused(tagger):
    with duckdb.connect() as connection, pytest.raises(ConfigurationError, match="a secret of 5 bytes"):
        crfdeid.duckdb.register(connection, tagger, b"short")


@pytest.mark.slow
def test_the_example_of_the_page_runs(tmp_path, monkeypatch):
    page = (files.PACKAGE.parent / "docs/databases.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(page.split("## DuckDB")[1].split("```python\n")[1].split("```")[0], names)
    assert names["spans"] == [("DOCTOR", "Ruiz"), ("DATE", "3/4/2061")]
    (clean,) = names["connection"].sql("SELECT * FROM 'clean.parquet'").fetchall()
    assert clean[0] == 1 and "Ruiz" not in clean[2]
