"""Bad rows end a run, or are left out with their numbers and reasons."""

import csv

import pytest

from crfdeid import cli, convert, corpora
from crfdeid.corpora.bad_rows import BadRows, RowReader
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact import __main__ as redact
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document

SECRET = "Zanzibarova"
ROWS = ["A-1,Ana Ruiz", "A-2,NULL", f"A-1,{SECRET}", "A-3,\\N", "A-4,well", "A-5,NULL"]
BAD = [("2", "A-2"), ("3", "A-1"), ("4", "A-3"), ("6", "A-5")]
JSON_LINES = ['{"id": 1, "text": "a"}', '{"id": 1, "text": "b"}', "{", '{"id": 2, "text": null}']


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("\n".join(["id,text", *ROWS]))
    return path


def status(module, *arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: module.main([str(argument) for argument in arguments]))
    return stopped.value.code


def read_bad(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_without_the_option_the_first_bad_row_is_an_error_that_names_it(table, tmp_path, capsys):
    with pytest.raises(FormatError, match="n.csv, row 2: its text is NULL"):
        list(corpora.read(table))
    table.write_text("id,text\nA-1,a\nA-1,b\n")
    assert status(convert, table, tmp_path / "o.jsonl", "--to", "jsonl") == 2
    assert "A-1 occurs twice, again as number 2" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["tag", "convert", "redact"])
def test_bad_rows_are_left_out_with_their_reasons(verb, table, tmp_path, capsys):
    out, bad = tmp_path / "out.jsonl", tmp_path / "bad.csv"
    module, *arguments = {
        "tag": (tag, table, "--model", "rules", "--out", out),
        "convert": (convert, table, out, "--to", "jsonl"),
        "redact": (redact, table, "--spans", "gold", "--out", out),
    }[verb]
    assert status(module, *arguments, "--skip-bad", bad) == 3
    assert [note.id for note in corpora.read(out)] == ["A-1", "A-4"]
    rows = read_bad(bad)
    assert [(row["row"], row["id"]) for row in rows] == BAD
    assert rows[1]["reason"] == "its id occurs in an earlier row" and "NULL" in rows[0]["reason"]
    said = capsys.readouterr()
    assert f"4 rows were left out; {bad}" in said.err and SECRET not in said.err + bad.read_text()
    assert bad.stat().st_mode & 0o777 == 0o600
    assert status(module, *arguments, "--skip-bad", bad) == 2


def test_a_redacted_table_leaves_the_bad_rows_out(table, tmp_path):
    out = tmp_path / "clean.csv"
    options = ("--spans", "gold", "--keep-ids", "--skip-bad", tmp_path / "bad.csv")
    assert status(redact, table, "--out", out, *options) == 3
    assert out.read_text() == '"id","text"\n"A-1","Ana Ruiz"\n"A-4","well"\n'


def test_lines_of_json_are_rows(tmp_path):
    path, bad = tmp_path / "n.jsonl", tmp_path / "bad.csv"
    path.write_text("\n".join(JSON_LINES))
    assert status(convert, path, tmp_path / "o.csv", "--to", "table", "--skip-bad", bad) == 3
    assert [(row["row"], row["reason"].split(";")[0]) for row in read_bad(bad)] == [
        ("2", "its id occurs in an earlier row"),
        ("3", "malformed JSON"),
        ("4", "no text"),
    ]


def test_a_corpus_without_bad_rows_has_an_empty_table_and_status_0(tmp_path):
    (tmp_path / "n.csv").write_text("id,text\n1,well\n")
    convert.main([str(each) for each in (tmp_path / "n.csv", tmp_path / "o.jsonl", "--to", "jsonl",
                                         "--skip-bad", tmp_path / "bad.csv")])  # fmt: skip
    assert (tmp_path / "bad.csv").read_text() == "file,row,id,reason\n"


def test_the_ids_that_were_seen_are_not_in_the_repr(tmp_path):
    reader = RowReader(tmp_path / "n.csv", BadRows(tmp_path / "bad.csv"))
    assert [note.id for note in reader.build(1, "", lambda: Document(SECRET, ""))] == [SECRET]
    assert reader.seen == {SECRET} and SECRET not in repr(reader)


def test_formats_without_rows_refuse_the_option(tmp_path):
    (tmp_path / "n.txt").write_text("well")
    with pytest.raises(ConfigurationError, match="--skip-bad: text has no rows"):
        tag.main([str(tmp_path / "n.txt"), "--model", "rules", "--skip-bad", "bad.csv"])
