"""What a folder has and a run does not read is counted, with the reason."""

import pytest

from crfdeid import convert, corpora
from crfdeid.corpora.registry import count_left_out, describe_left_out
from crfdeid.errors import FormatError
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document


@pytest.fixture
def folder(tmp_path):
    notes = tmp_path / "notes"
    corpora.write([Document("1", "well"), Document("2", "ill")], notes, "i2b2")
    for name in (".hidden", "a.docx", "b.docx", "Okafor.pdf", "Okafor.tex"):
        (notes / name).write_bytes(b"\xff")
    (notes / "Okafor").mkdir()
    return notes


def test_each_reason_has_its_count_and_no_name(folder):
    expected = {".docx files": 2, ".pdf files": 1, "hidden": 1, "folders, which are not entered": 1}
    assert count_left_out(folder, "i2b2") == expected | {"not files of i2b2": 1}
    assert "Okafor" not in describe_left_out(folder, count_left_out(folder, "i2b2"))
    assert describe_left_out(folder / "1.xml", count_left_out(folder / "1.xml", "i2b2")) == ""


def test_verbs_say_what_they_leave_out(folder, tmp_path, capsys):
    tag.main([str(folder), "--from", "i2b2", "--model", "rules"])
    assert (
        "left out: 2 .docx files, 1 .pdf files, 1 folders, which are not entered" in capsys.readouterr().err
    )
    convert.main([str(folder), str(tmp_path / "o.jsonl"), "--from", "i2b2", "--to", "jsonl"])
    assert "2 .docx files" in capsys.readouterr().err
    corpora.write([Document("1", "well")], tmp_path / "clean", "i2b2")
    tag.main([str(tmp_path / "clean"), "--model", "rules"])
    assert "left out" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a.doc", "a.ODT", "a.rtf"])
def test_a_file_that_is_not_plain_text_is_refused_by_what_it_is(name, tmp_path):
    (tmp_path / name).write_bytes(b"PK\x03\x04")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(FormatError, match="which is not read; wanted .docx, .pdf or .txt"):
            corpora.detect_format(path)


@pytest.mark.parametrize("name", ["a.xlsx", "a.XLS", "a.ods"])
def test_a_spreadsheet_is_refused_by_what_it_is(name, tmp_path):
    (tmp_path / name).write_bytes(b"PK\x03\x04")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(FormatError, match="which is not read; save its sheet as CSV"):
            corpora.detect_format(path)


def test_a_readme_among_notes_is_no_note(tmp_path):
    (tmp_path / "1.txt").write_text("well")
    (tmp_path / "readme.md").write_text("# Notes")
    assert [note.id for note in corpora.read(tmp_path)] == ["1"]
    assert count_left_out(tmp_path, "text") == {"not files of text": 1}
    corpora.write([Document("1", "well")], tmp_path / "x", "i2b2")
    (tmp_path / "x/README.md").write_text("# Notes")
    assert corpora.detect_format(tmp_path / "x") == "i2b2"
