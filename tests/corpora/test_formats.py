"""What a format declares is what it does."""

import inspect
import os

import pytest

from crfdeid import corpora
from crfdeid.corpora import i2b2_2014
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.text.document import Document, Span

NOTE = Document("100-01", "Seen by Dr. Ruiz", (Span(12, 16, "DOCTOR"),))
FORMATS = [pytest.param(found, id=name) for name, found in corpora.FORMATS.items()]
CANARY = "Zanzibarova"


@pytest.mark.parametrize("name", corpora.FORMATS)
def test_a_format_is_found_by_its_name(name):
    assert corpora.find_format(name, "write").name == name


@pytest.mark.parametrize("found", FORMATS)
def test_a_format_has_one_writer(found):
    writers = (found.render_document, found.render_corpus, found.save_corpus)
    assert sum(writer is not None for writer in writers) == 1


@pytest.mark.parametrize("found", FORMATS)
def test_the_files_of_a_document_have_the_written_suffixes(found, tmp_path):
    corpora.write_each([NOTE], tmp_path / "out", found.name)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"{NOTE.id}{suffix}" for suffix in found.written_suffixes}
    assert found.read is None or set(found.written_suffixes) <= set(found.suffixes)


@pytest.mark.parametrize("found", FORMATS)
def test_only_tables_of_notes_take_columns(found):
    parameters = inspect.signature(found.read).parameters if found.read else {}
    assert found.has_columns == ({"id_column", "text_column", "patient_column"} <= set(parameters))


@pytest.mark.parametrize("found", FORMATS)
def test_a_format_with_spans_gives_them_back(found, tmp_path):
    if found.read is None:
        with pytest.raises(ConfigurationError, match=f"{found.name}: no format to read"):
            corpora.find_format(found.name, "read")
        return
    corpora.write_each([NOTE], tmp_path / "out", found.name)
    (document,) = corpora.read(tmp_path / "out", found.name)
    assert document.spans == (NOTE.spans if found.has_spans else ())


def test_a_corpus_of_one_file_of_text_can_come_through_a_pipe():
    assert {name for name, found in corpora.FORMATS.items() if not found.is_text_stream} == {
        "brat",
        "parquet",
    }


def test_a_terminal_shows_spans_and_no_binary_file():
    assert corpora.show_document(NOTE, "brat") == "T1\tDOCTOR 12 16\tRuiz\n"
    assert corpora.show_document(NOTE, "inline", colour=True) == (
        "Seen by Dr. \x1b[1;31m<DOCTOR>Ruiz</DOCTOR>\x1b[0m"
    )
    with pytest.raises(ConfigurationError, match="parquet: can only be written to a file"):
        corpora.show_document(NOTE, "parquet")
    with pytest.raises(ConfigurationError, match="i2b2: cannot be written to standard output"):
        corpora.render_corpus([NOTE], "i2b2")


def test_the_reader_of_i2b2_xml_keeps_tags_as_the_file_has_them(tmp_path):
    path = tmp_path / "100-01.xml"
    tags = '<LOCATION start="0" end="3" TYPE="OTHER"/><MEDICATION/><NAME start="4" end="4" TYPE="doctor"/>'
    path.write_text(f"<x><TEXT>Bay {CANARY}</TEXT><TAGS>{tags}</TAGS></x>")
    found = i2b2_2014.read_xml_document(path)
    assert found.tags == (("LOCATION", "OTHER", 0, 3), ("NAME", "doctor", 4, 4))
    assert CANARY in found.text and CANARY not in repr(found)
    with pytest.raises(FormatError, match="a span at 4-4 is empty"):
        list(corpora.read(path))


@pytest.mark.parametrize("attributes", ['start="0" end="3"', 'start="0" end="3" TYPE=""'])
def test_a_tag_without_type_is_refused(attributes, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(f"<x><TEXT>{CANARY}</TEXT><TAGS><NAME {attributes}/></TAGS></x>")
    with pytest.raises(FormatError, match="TYPE") as caught:
        list(corpora.read(path))
    assert CANARY not in str(caught.value)


def test_a_file_without_tags_has_no_spans(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text("<x><TEXT>Bay</TEXT></x>")
    assert i2b2_2014.read_xml_document(path).tags is None
    assert list(corpora.read(path)) == [Document("a", "Bay")]


def write_texts(folder, *names):
    for name in names:
        (folder / name).write_text(CANARY)
    return folder


@pytest.mark.parametrize("name", ["c.md", "c.2061-03-04"])
@pytest.mark.parametrize("format", [None, "text"])
def test_a_folder_of_texts_with_a_file_of_no_format_is_refused(tmp_path, name, format):
    with pytest.raises(FormatError, match=r"1 of 3 files \(number 3 by name\) with a suffix"):
        list(corpora.read(write_texts(tmp_path, "a.txt", "b", name), format))


def test_a_file_of_another_format_is_left_out_where_the_user_names_texts(tmp_path):
    write_texts(tmp_path, "a.txt", "A.TEXT", "b", "found.csv", ".hidden.md")
    (tmp_path / "sub.md").mkdir()
    assert {document.id for document in corpora.read(tmp_path, "text")} == {"a", "A", "b"}
    with pytest.raises(FormatError, match="holds table and text files"):
        list(corpora.read(tmp_path))


@pytest.mark.parametrize("make", [lambda path: path.symlink_to("none"), os.mkfifo])
@pytest.mark.parametrize("format", [None, "text"])
def test_a_broken_link_or_a_pipe_in_a_folder_is_refused(tmp_path, make, format):
    make(write_texts(tmp_path, "a.txt") / "b.txt")
    with pytest.raises(FormatError, match="b.txt: neither a file nor a folder"):
        list(corpora.read(tmp_path, format))


@pytest.mark.parametrize("type", ["A B", "A\tB", "A\u00a0B", "A\n", " ", "A\0B"])
def test_brat_has_no_type_with_a_blank(tmp_path, type):
    with pytest.raises(FormatError, match="the type of span 1 cannot be written in brat"):
        corpora.write([Document("1", "text", (Span(0, 4, type),))], tmp_path / "out", "brat")
    assert not (tmp_path / "out").exists()


def test_a_file_of_marked_text_is_named_by_its_note(tmp_path):
    corpora.write([NOTE], tmp_path / "out", "inline")
    (path,) = (tmp_path / "out").iterdir()
    assert (path.name, path.read_text()) == ("100-01.txt", "Seen by Dr. <DOCTOR>Ruiz</DOCTOR>")


def test_an_id_of_200_bytes_names_a_file_and_a_longer_one_does_not(tmp_path):
    for id in ("x" * 200, "é" * 100):
        corpora.write([Document(id, "text")], tmp_path / id[:1], "text")
        assert [document.id for document in corpora.read(tmp_path / id[:1])] == [id]
    for id in ("x" * 201, "é" * 100 + "x"):
        with pytest.raises(FormatError, match="cannot name a file"):
            corpora.write([Document(id, "text")], tmp_path / "out", "text")


@pytest.mark.parametrize("id", ["CON", "aux", "lpt1.note", "note.", "note ", "a/b", ""])
def test_an_id_that_cannot_name_a_file_everywhere_is_refused(tmp_path, id):
    with pytest.raises(FormatError, match="cannot name a file"):
        corpora.write([Document(id, "text")], tmp_path / "out", "text")


def test_ids_that_differ_in_capitals_only_are_refused(tmp_path):
    with pytest.raises(FormatError, match="two documents want one name"):
        corpora.write([Document("a", "text"), Document("A", "text")], tmp_path / "out", "text")
