"""What a damaged or hostile file holds is read whole or refused; nothing is left out in silence."""

from random import Random

import pytest

from crfdeid import convert, corpora
from crfdeid.corpora import conll
from crfdeid.errors import CrfdeidError, DocumentError, FormatError
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
NOTES = [
    Document(f"10{n}-01", f"Seen by Dr. Ruiz, {n}.", (Span(12, 16, "DOCTOR"),), f"10{n}") for n in range(9)
]
CONLL = f'# id = "1"\n# text = "Dr. {CANARY}"\nDr\t0\t2\tO\n.\t2\t3\tO\n{CANARY}\t4\t15\tB-DOCTOR\n'
TAG = '<NAME start="0" end="1" TYPE="DOCTOR"/>'
PROBABLE = '{{"text": "x", "spans": [{{"start": 0, "end": 1, "type": "A", "probability": {}}}]}}'
FILES = {
    "a second text": ("a.xml", f"<x><TEXT>{CANARY}</TEXT><TEXT>{CANARY}</TEXT></x>", "2 TEXT elements"),
    "a second block of tags": (
        "a.xml", f"<x><TEXT>{CANARY}</TEXT><TAGS/><TAGS>{TAG}</TAGS></x>", "2 TAGS elements",
    ),
    "a tag after the block of tags": (
        "a.xml", f"<x><TEXT>{CANARY}</TEXT><TAGS/>{TAG}</x>", "1 tags outside of TAGS",
    ),
    "a second text of a record": (
        "a.xml", f'<x><RECORD ID="1"><TEXT>a</TEXT><TEXT>{CANARY}</TEXT></RECORD></x>', "record 1: 2 TEXT",
    ),
    "another element around a record's text": (
        "a.xml", f'<x><RECORD ID="1"><TEXT><FOO TYPE="A">{CANARY}</FOO></TEXT></RECORD></x>', "wanted flat",
    ),
    "PHI without a type": (
        "a.xml", f'<x><RECORD ID="1"><TEXT><PHI>{CANARY}</PHI></TEXT></RECORD></x>', "element 1 in TEXT",
    ),
    "an element in PHI": (
        "a.xml", f'<x><RECORD ID="1"><TEXT><PHI TYPE="A"><b>{CANARY}</b></PHI></TEXT></RECORD></x>', "flat",
    ),
    "a record without an id": ("a.xml", f"<x><RECORD ><TEXT>{CANARY}</TEXT></RECORD></x>", "no TEXT"),
    "PHI beside a record's text": (
        "a.xml", f'<x><RECORD ID="1"><TEXT>a</TEXT><PHI TYPE="A">{CANARY}</PHI></RECORD></x>', "1 PHI el",
    ),
    "elements in each other": (
        "a.xml", "<x><TEXT>" + "<a>" * 100_000 + CANARY, "line 1: more than 200 elements in each other",
    ),
    "tokens without their last line": ("a.conll", CONLL[: CONLL.index(f"{CANARY}\t")], "the text at 3-15"),
    "a text without tokens": ("a.conll", CONLL[: CONLL.index("Dr\t")], "for the text at 0-15"),
    "tokens without their first line": ("a.conll", CONLL.replace("Dr\t0\t2\tO\n", ""), "the text at 0-2"),
    "many wide gaps": (
        "a.conll", "".join(f"x\t{n * 9_000_000}\t{n * 9_000_000 + 1}\tO\n" for n in range(9)), "line 4: over",
    ),
    "wide gaps of many notes": (
        "a.conll", "".join(f'# id = "{n}"\nx\t9000000\t9000001\tO\n' for n in range(9)), "line 6: over",
    ),
    "a row cut after its id": ("a.csv", f"id,text\n1,{CANARY}\n2", "row 2: fewer cells than the header"),
    "a row cut before its spans": (
        "a.csv", f'id,text,spans\n1,"{CANARY}\n\n",[]\n\n2,{CANARY}', "row 2: fewer cells",
    ),
    "a probability that is not a number": (
        "a.jsonl", PROBABLE.format("NaN"), "malformed spans",
    ),
    "a probability over 1": (
        "a.jsonl", PROBABLE.format("2"), "malformed spans",
    ),
    "an empty type": ("a.jsonl", '{"text": "x", "spans": [[0, 1, ""]]}', "at 0-1 has no type"),
    "a lone surrogate in an id": ("a.jsonl", '{"id": "\\ud800", "text": "x"}', "offset 0 of its id"),
    "a lone surrogate in a patient": (
        "a.jsonl", '{"text": "x", "patient": "a\\udfff"}', "offset 1 of its patient",
    ),
    "a lone surrogate in a type": (
        "a.jsonl", '{"text": "x", "spans": [[0, 1, "\\ud800"]]}', "of the type of a span",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), FILES.values(), ids=FILES)
def test_what_would_be_lost_is_refused(name, content, message, tmp_path):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        list(corpora.read(tmp_path / name))
    assert CANARY not in str(caught.value) and "\n" not in str(caught.value)


def test_a_row_that_is_cut_can_be_left_out_and_is_counted(tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n1,one\n2\n3,three\n")
    with pytest.raises(SystemExit) as stopped:
        convert.main([str(tmp_path / "a.csv"), str(tmp_path / "b.jsonl"), "--to", "jsonl",
                      "--skip-bad", str(tmp_path / "bad.csv")])  # fmt: skip
    assert stopped.value.code == 3
    assert [document.id for document in corpora.read(tmp_path / "b.jsonl")] == ["1", "3"]
    assert ",2,2,fewer cells than the header" in (tmp_path / "bad.csv").read_text()


def test_a_file_name_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "a\udcff.txt").write_text("x")
    with pytest.raises(FormatError, match="unpaired UTF-16 surrogate at offset 1 of its id"):
        list(corpora.read(tmp_path))


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "rot13", "base64", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv", "a.xml", "a.conll", "a.json"])
def test_an_encoding_that_does_not_fit_is_one_line(encoding, name, tmp_path):
    (tmp_path / name).write_text(f"id,text\n1,{CANARY}é\n\n", encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        list(corpora.read(tmp_path / name, encoding=encoding))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "rot13"])
def test_an_odd_encoding_that_xml_declares_is_refused(encoding, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><x><TEXT>{CANARY}</TEXT></x>')
    with pytest.raises(FormatError, match="a.xml"):
        list(corpora.read(path))


def test_an_encoding_that_the_user_names_is_used_whatever_xml_declares(tmp_path):
    path = tmp_path / "a.xml"
    text = '<?xml version="1.0" encoding="latin-1"?><x><TEXT>Peña</TEXT></x>'
    path.write_bytes(text.encode("cp437"))
    assert [document.text for document in corpora.read(path, encoding="cp437")] == ["Peña"]
    path.write_bytes(text.encode("latin-1"))
    assert [document.text for document in corpora.read(path)] == ["Peña"]


@pytest.mark.parametrize("text", ["\ufeff", "a \ufeff\nb", "\ufeff\ufeff x"])
@pytest.mark.parametrize("format", ["conll", "jsonl", "table", "labelstudio", "brat"])
def test_a_byte_order_mark_inside_a_note_stays(text, format, tmp_path):
    note = Document("1", text, (Span(0, len(text), "DOCTOR"),))
    corpora.write_each([note], tmp_path / "out", format)
    assert list(corpora.read(tmp_path / "out", format)) == [note]


def test_a_document_has_no_lone_surrogate_and_no_span_without_type():
    for wrong in (("\ud800", "x"), ("1", "x", (Span(0, 1, "\ud800"),)), ("1", "x", (), "\ud800")):
        with pytest.raises(DocumentError, match="unpaired UTF-16 surrogate"):
            Document(*wrong)
    with pytest.raises(DocumentError, match="has no type"):
        Document("1", "x", (Span(0, 1, ""),))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "a.parquet"
    corpora.write(NOTES, path, "parquet")
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(40))
def test_a_parquet_file_with_changed_bytes_is_read_whole_or_refused(seed, table, tmp_path):
    draw, data = Random(seed), bytearray(table)
    for _ in range(draw.choice((1, 1, 3))):
        data[draw.randrange(len(data))] = draw.randrange(256)
    (tmp_path / "a.parquet").write_bytes(data[: draw.choice((len(data), draw.randrange(len(data))))])
    try:
        found = list(corpora.read(tmp_path / "a.parquet"))
    except CrfdeidError:
        return
    assert [(each.text, each.spans) for each in found] == [(each.text, each.spans) for each in NOTES]


def test_a_parquet_column_of_another_kind_or_twice_is_refused(tmp_path):
    import pyarrow

    def save(**columns):
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
        return list(corpora.read(tmp_path / "a.parquet"))

    for column in ([[CANARY]], [{CANARY: "x"}], [b"x"], [True]):
        with pytest.raises(FormatError, match="column (id|text|patient) holds neither") as caught:
            save(**{"id": ["1"], "text": ["x"]} | {Random(str(column)).choice(["id", "text"]): column})
        assert CANARY not in str(caught.value)
    with pytest.raises(FormatError, match="row 1: no text"):
        save(id=["1"], text=[7])
    assert [document.id for document in save(id=[7, 8], text=["x", "y"], other=[[1], [2]])] == ["7", "8"]
    twice = pyarrow.Table.from_arrays([pyarrow.array(["1"])] * 3, names=["id", "text", "text"])
    pyarrow.parquet.write_table(twice, tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="two of its columns have one name"):
        list(corpora.read(tmp_path / "a.parquet"))


def test_the_bound_on_blanks_is_of_a_file_without_texts(tmp_path):
    text = "x" + " " * 100 + "y"
    corpora.write([Document("1", text)], tmp_path / "a.conll", "conll")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll, "MOST_BLANKS", 0)
        assert [document.text for document in corpora.read(tmp_path / "a.conll")] == [text]
