"""Tables of words."""

import gzip

import pytest

from crfdeid.errors import FormatError, TemplateError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.token import observe_column
from crfdeid.text import gazetteer

HEAD = "# title: words\n# columns: cluster frequency\n"
ROWS = "rosa|0132|11\nRosa|30|\nAna|31|9\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(HEAD + ROWS, encoding="utf-8")
    return gazetteer.read_list(path)


def test_a_list_with_columns_is_a_table_and_another_is_a_gazetteer(table, tmp_path):
    assert isinstance(table, gazetteer.WordTable)
    assert table.words == {"rosa", "ana"}
    path = tmp_path / "names.txt"
    path.write_text("# title: names\nAna\n", encoding="utf-8")
    assert type(gazetteer.read_list(path)) is gazetteer.Gazetteer


def test_no_word_is_in_the_repr(table):
    assert "rosa" not in repr(table) and "0132" not in repr(table)


COLUMNS = [
    ("cluster", ["0132", "30", "0132", "31", "none", None]),
    ("cluster2", ["01", "30", "01", "31", "no", None]),
    ("frequency", ["11", None, "11", "9", "none", None]),
    ("cluster_1", ["0", "3", "0", "3", None, None]),
    ("cluster_3", ["3", None, "3", None, None, None]),
]


@pytest.mark.parametrize(("column", "wanted"), COLUMNS)
def test_a_column_gives_the_value_of_the_word_in_its_capitals(table, column, wanted):
    observe = observe_column(f"table_words_{column}", {"words": table})
    assert [observe(text) for text in ("rosa", "Rosa", "ROSA", "ANA", "Xyz", "12")] == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEAD + "rosa|0132\n", "entry 1: wanted a word and 2 values"),
        (HEAD, "no entries"),
        ("# columns: A\nrosa|1\n", "wanted names of small letters"),
    ],
)
def test_a_damaged_table_is_refused(tmp_path, content, message):
    path = tmp_path / "words.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        gazetteer.read_list(path)


def test_a_compressed_table_is_the_same(table, tmp_path):
    path = tmp_path / "words.txt.gz"
    path.write_bytes(gzip.compress((HEAD + ROWS).encode()))
    found = gazetteer.read_list(path)
    assert found.name == table.name == "words" and found.words == table.words
    assert {name: dict(own) for name, own in found.columns.items()} == {
        name: dict(own) for name, own in table.columns.items()
    }


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"# columns: a\nrosa|1\n", "damaged, or not a compressed list"),
        (gzip.compress(HEAD.encode(), mtime=0)[:-9], "damaged, or not a compressed list"),
        (gzip.compress(b"Ana\n", mtime=0), "wanted a table of words"),
        (gzip.compress((HEAD + 99 * "x").encode(), mtime=0), "wanted at most 90 bytes"),
    ],
    ids=["plain", "cut", "gazetteer", "long"],
)
def test_a_damaged_compressed_table_is_refused(tmp_path, monkeypatch, data, message):
    monkeypatch.setattr(gazetteer, "LONGEST", 90)
    path = tmp_path / "words.txt.gz"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=message):
        gazetteer.read_list(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("table_words_clusters", "no column clusters; did you mean cluster"),
        ("table_names_cluster", "names is not a table of words"),
    ],
)
def test_a_template_of_no_column_is_refused(table, name, message):
    with pytest.raises(TemplateError, match=message):
        observe_column(name, {"words": table, "names": gazetteer.build_gazetteer("names", ["Ana"])})


def test_the_templates_name_their_tables():
    found = list(templates.parse_templates("table_es_words_cluster3[0]|in_titles[1]"))
    assert templates.list_gazetteers(found) == ["es_words", "titles"]
    assert templates.list_tables(found) == ["es_words"]
