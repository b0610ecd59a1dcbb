"""One rule for all verbs: a name with a suffix is a file, one without is a folder."""

import re
from pathlib import Path

import pytest

from crfdeid import convert, corpora
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError
from crfdeid.redact import __main__ as redact
from crfdeid.synthetic import __main__ as synthetic
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span

CHOSEN = [
    ("spans.csv", None, "table", True),
    ("spans.csv", "csv", "spans", True),
    ("spans.parquet", "spans", "spans", True),
    ("a.JSONL", None, "jsonl", True),
    ("a.xml", "i2b2-2006", "i2b2-2006", True),
    ("tagged", None, "i2b2", False),
    ("tagged", "jsonl", "jsonl", False),
    ("run.2061", None, "i2b2", False),
    ("/dev/null", "jsonl", "jsonl", True),
    ("/", "jsonl", "jsonl", False),
]


@pytest.mark.parametrize(("name", "format", "chosen", "is_file"), CHOSEN)
def test_the_suffix_decides(name, format, chosen, is_file):
    assert choose_output(Path(name), format, "i2b2") == (Path(name), chosen, is_file)


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("a.csv", "i2b2", "i2b2 writes a file for each note, into a folder"),
        ("a.xml", None, "i2b2 writes a file for each note, into a folder"),
        ("a.csv", "jsonl", "jsonl does not write .csv; wanted .jsonl"),
        ("a.csv", "span", "did you mean spans"),
    ],
)
def test_a_format_that_does_not_write_such_a_file_is_refused(name, format, message):
    with pytest.raises(ConfigurationError, match=message):
        choose_output(Path(name), format, "i2b2")


@pytest.fixture
def notes_file(tmp_path):
    corpora.write(
        [Document(id, "Ana Ruiz", (Span(0, 8, "PATIENT"),)) for id in "ab"], tmp_path / "n.jsonl", "jsonl"
    )
    return tmp_path / "n.jsonl"


VERBS = {
    "tag": (tag, "{notes} --model rules --out {out} --format jsonl"),
    "convert": (convert, "{notes} {out} --to jsonl"),
    "redact": (redact, "{notes} --out {out} --spans gold"),
    "synthetic": (synthetic, "--documents 2 --out {out} --format jsonl"),
}


def write_output(verb, notes, out):
    module, arguments = VERBS[verb]
    module.main([word.format(notes=notes, out=out) for word in arguments.split()])


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_keeps_the_rule_and_says_what_it_wrote(verb, notes_file, tmp_path, capsys):
    write_output(verb, notes_file, tmp_path / "out.jsonl")
    said = capsys.readouterr()
    assert re.search(f"wrote the file {tmp_path / 'out.jsonl'}(; .* a second)?\n", said.out + said.err)
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    write_output(verb, notes_file, tmp_path / "out")
    said = capsys.readouterr()
    assert re.search(f"wrote the folder {tmp_path / 'out'}(; .* a second)?\n", said.out + said.err)
    assert len(list((tmp_path / "out").glob("*.jsonl"))) == 2


def test_tag_writes_one_table_of_spans(notes_file, tmp_path):
    tag.main([str(notes_file), "--model", "rules", "--out", str(tmp_path / "spans.csv")])
    lines = (tmp_path / "spans.csv").read_text().splitlines()
    assert lines[0] == "note,row,patient,start,end,type,probability,model,version,text"
    assert {line[0] for line in lines[1:]} == {"a", "b"}
