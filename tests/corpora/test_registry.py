"""Which format a file has, which files a folder gives, and what is written where."""

import os
import sys
from pathlib import Path

import pytest

from crfdeid import corpora
from crfdeid.corpora import registry, storage
from crfdeid.corpora.folds import Part, draw_sample, have_common_text, hold_out, join_parts, make_folds
from crfdeid.corpora.format import Format
from crfdeid.corpora.output import Output, choose_output
from crfdeid.corpora.registry import count_left_out, describe_left_out
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.tag.run import parse_part
from crfdeid.text.document import Document, Span

FHIR = '{"resourceType": "Basic"}'
DETECTED = [
    ("a.jsonl", "", "jsonl"), ("a.JSONL", "", "jsonl"), ("a.json", "[]", "labelstudio"),
    ("a.json", FHIR, "fhir"),
    ("a.ndjson", "", "fhir"), ("a.csv", "id,text", "table"), ("a.csv", "note_id,person_id,note_text", "omop"),
    ("a.parquet", "", "parquet"), ("a.conll", "", "conll"), ("a.bio", "", "conll"), ("a.ann", "", "brat"),
    ("a.txt", "", "text"), ("a.docx", "", "documents"), ("a.pdf", "", "documents"), ("a.hl7", "", "hl7"),
    ("a.XML", "<ClinicalDocument/>", "cda"), ("a.xml", "<x><TEXT/></x>", "i2b2"),
    ("a.xml", '<x><RECORD ID="1">', "i2b2-2006"), ("a.text", "START_OF_RECORD=", "physionet"),
    ("a.text", "x", "text"), ("a", "x", "text"), ("a.2061", "x", "text"), ("a.txt", FHIR, "text"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "format"), DETECTED)
def test_the_format_of_a_file(name, content, format, tmp_path):
    (tmp_path / name).write_text(content)
    assert corpora.detect_format(tmp_path / name) == format
    if "." in name:
        assert corpora.detect_format(tmp_path) == format


def test_a_text_with_annotations_beside_it_is_of_brat(tmp_path):
    for name in ("a.txt", "a.ann", "b.txt", ".hidden"):
        (tmp_path / name).write_text("")
    found = [corpora.detect_format(tmp_path / name) for name in ("a.txt", "a.ann", "b.txt")]
    assert found == ["brat", "brat", "text"]
    assert corpora.detect_format(tmp_path) == "brat"
    (tmp_path / "c.docx").write_text("")
    with pytest.raises(FormatError, match="holds brat and documents files; --from names the format to read"):
        corpora.detect_format(tmp_path)


def test_a_folder_of_plain_texts_beside_word_files_is_of_documents(tmp_path):
    for name in ("a.txt", "b.docx", "c"):
        (tmp_path / name).write_text("")
    assert corpora.detect_format(tmp_path) == "documents"
    (tmp_path / "d.csv").write_text("id,text")
    with pytest.raises(FormatError, match="holds documents and table files"):
        corpora.detect_format(tmp_path)


@pytest.mark.parametrize("names", [[], ["a", "b"], [".a.txt"]])
def test_a_folder_without_suffixes_has_no_format(names, tmp_path):
    for name in names:
        (tmp_path / name).write_text("x")
    with pytest.raises(FormatError, match="no documents"):
        corpora.detect_format(tmp_path)
    with pytest.raises(FormatError, match="none: no such file or folder"):
        corpora.detect_format(tmp_path / "none")


def test_folders_are_entered_on_demand_and_begin_the_ids(tmp_path):
    (tmp_path / "b" / "c").mkdir(parents=True)
    for path in ("a.txt", "b/a.txt", "b/c/a.txt"):
        (tmp_path / path).write_text(path)
    assert [note.id for note in corpora.read(tmp_path)] == ["a"]
    found = list(corpora.read(tmp_path, recursive=True))
    assert [(note.id, note.text) for note in found] == [
        ("a", "a.txt"), ("b.a", "b/a.txt"), ("b.c.a", "b/c/a.txt"),
    ]  # fmt: skip
    assert corpora.detect_format(tmp_path / "b", recursive=True) == "text"
    (tmp_path / "a.txt").unlink()
    with pytest.raises(FormatError, match="no documents"):
        corpora.detect_format(tmp_path)
    assert corpora.detect_format(tmp_path, recursive=True) == "text"
    (tmp_path / "b" / "d.tex").write_text("x")
    with pytest.raises(
        FormatError, match=r"1 of 3 files \(number 2 by name\) with a suffix that no format has"
    ):
        list(corpora.read(tmp_path, "text", recursive=True))


def test_ids_do_not_repeat_among_the_files_of_a_folder(tmp_path):
    for name, ids in (("a", "12"), ("b", "345"), ("c", "62")):
        corpora.write([Document(id, "x") for id in ids], tmp_path / f"{name}.jsonl", "jsonl")
    with pytest.raises(FormatError, match="c.jsonl: document 2 occurs twice, again as number 2"):
        list(corpora.read(tmp_path))
    (tmp_path / "a.jsonl").write_text('{"id": "Ana Eze", "text": ""}\n{"id": "Ana Eze", "text": ""}\n')
    with pytest.raises(FormatError, match="a.jsonl: document number 2 occurs twice$"):
        list(corpora.read(tmp_path / "a.jsonl"))


def test_annotations_without_their_text_are_refused_also_below(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("a.txt", "a.ann", "c.ann", "b/a.ann"):
        (tmp_path / name).write_text("")
    with pytest.raises(FormatError, match=f"{tmp_path}/c.txt: no such file, but its .ann is there"):
        registry.list_files(tmp_path, "brat")
    (tmp_path / "c.ann").unlink()
    assert registry.list_files(tmp_path, "brat") == [tmp_path / "a.txt"]
    with pytest.raises(FormatError, match="b/a.txt: no such file"):
        registry.list_files(tmp_path, "brat", recursive=True)
    assert registry.list_files(tmp_path / "a.txt", "brat") == [tmp_path / "a.txt"]


def test_a_format_that_does_not_exist(tmp_path):
    with pytest.raises(
        ConfigurationError, match="jsonk: no format to write; did you mean jsonl.; there are i2b2"
    ):
        corpora.find_format("jsonk", "write")
    with pytest.raises(ConfigurationError, match="spans: no format to read") as refused:
        corpora.find_format("csv", "read")
    assert "inline" not in str(refused.value) and "physionet" in str(refused.value)
    assert corpora.find_format("csv", "write").name == "spans"
    own = Format("own", (".own",))
    assert corpora.find_format(own, "write") is own


def test_two_documents_do_not_want_one_file(tmp_path):
    for first, second in (("a", "a"), ("a", "A"), ("É", "é")):
        with pytest.raises(FormatError, match="want one name: the document whose id has length 1"):
            corpora.write([Document(first, "x"), Document(second, "y")], tmp_path / "out", "text")
    assert not list(tmp_path.iterdir())


def test_what_exists_is_replaced_only_on_demand(tmp_path):
    note, other = Document("1", "a"), Document("1", "b")
    for name, format in (("a.jsonl", "jsonl"), ("a.parquet", "parquet"), ("a.csv", "table"), ("out", "text")):
        corpora.write([note], tmp_path / name, format)
        with pytest.raises(FormatError, match="--overwrite replaces"):
            corpora.write([other], tmp_path / name, format)
        assert list(corpora.read(tmp_path / name)) == [note]
        corpora.write([other], tmp_path / name, format, overwrite=True)
        assert list(corpora.read(tmp_path / name)) == [other]
    with pytest.raises(FormatError, match="out: holds files; --overwrite replaces files of the same name"):
        corpora.write_each([note], tmp_path / "out", "text")
    (tmp_path / "empty").mkdir()
    corpora.write([note], tmp_path / "empty", "text")
    with pytest.raises(FormatError, match="is a folder; wanted a file to write"):
        corpora.write([note], tmp_path / "empty", "jsonl", overwrite=True)
    with pytest.raises(FormatError, match="a.jsonl: is a file; wanted a folder to write into"):
        corpora.write([note], tmp_path / "a.jsonl", "text", overwrite=True)


def test_what_a_killed_run_left_is_cleared(tmp_path):
    for name, format in (("a.jsonl", "jsonl"), ("b.parquet", "parquet")):
        (tmp_path / f".{name}.abcdefgh.partial").write_text("Ana Eze")
        corpora.write([Document("1", "a")], tmp_path / name, format)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.parquet"]


def test_an_error_of_the_system_names_the_path(tmp_path):
    def fail(number):
        yield Document("1", "a")
        raise OSError(number, os.strerror(number))

    with pytest.raises(FormatError, match="a.jsonl: cannot be written: No space left on device"):
        corpora.write(fail(28), tmp_path / "a.jsonl", "jsonl")
    with pytest.raises(BrokenPipeError):
        corpora.write(fail(32), tmp_path / "a.jsonl", "jsonl")
    assert not list(tmp_path.iterdir())


def test_standard_output_gets_what_is_one_text(tmp_path):
    note = Document("1", "Ana", (Span(0, 3, "PATIENT"),))
    assert (
        "".join(corpora.render_corpus([note], "physionet"))
        == "START_OF_RECORD=1||||||||\nAna\n||||END_OF_RECORD\n"
    )
    assert corpora.show_document(note, "text") == "Ana"
    assert corpora.show_document(note, "inline") == "<PATIENT>Ana</PATIENT>"
    assert corpora.show_document(note, "jsonl").endswith('"type": "PATIENT"}]}\n')
    for format in ("brat", "text", "parquet", "inline"):
        with pytest.raises(
            ConfigurationError, match=f"{format}: cannot be written to standard output; name a"
        ):
            corpora.render_corpus([note], format)


def test_formats_that_lose_spans_and_formats_of_messages():
    formats = corpora.FORMATS.values()
    assert {found.name for found in formats if not found.has_spans} == {
        "text", "documents", "omop", "hl7", "fhir", "cda", "physionet",
    }  # fmt: skip
    assert {found.name for found in formats if found.read_messages} == {"omop", "hl7", "fhir", "cda"}
    assert {found.name for found in formats if found.has_columns} == {"table", "parquet"}
    assert registry.FORMAT.written_suffixes == (".txt",) and corpora.FORMATS["jsonl"].written_suffixes == (
        ".jsonl",
    )


@pytest.mark.parametrize(
    "id", ["a:b", "a?", "a*", "a|b", 'a"', "a<", "a>", "nul.x", "COM1", "lpt9", "a\x7f", "a\u2028"]
)
def test_an_id_that_some_system_cannot_have_as_a_name(id):
    with pytest.raises(FormatError, match="cannot name a file; jsonl and table hold any id"):
        storage.file_stem(id)


@pytest.mark.parametrize("id", ["a.b", "a b", "com0", "com10", "lpt", "nulx", "é", "a" * 200, "x.con"])
def test_an_id_that_names_a_file(id):
    assert storage.file_stem(id) == id


def test_the_files_of_a_folder_by_name(tmp_path):
    for name in ("b.txt", "a.TXT", ".c.txt", "d.md"):
        (tmp_path / name).write_text("")
    (tmp_path / "e.txt").mkdir()
    (tmp_path / "e.txt" / "f.txt").write_text("")
    (tmp_path / ".g").mkdir()
    (tmp_path / ".g" / "h.txt").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "e.txt")
    names = [path.name for path in storage.list_folder(tmp_path, (".txt",))]
    assert names == ["a.TXT", "b.txt"]
    assert [path.name for path in storage.list_folder(tmp_path)] == ["a.TXT", "b.txt", "d.md"]
    names = [path.name for path in storage.list_folder(tmp_path, (".txt",), recursive=True)]
    assert names == ["a.TXT", "b.txt", "f.txt"]
    (tmp_path / "z.txt").symlink_to("none")
    assert storage.list_folder(tmp_path, (".md",)) == [tmp_path / "d.md"]
    with pytest.raises(FormatError, match="z.txt: neither a file nor a folder"):
        storage.list_folder(tmp_path)
    with pytest.raises(FormatError, match=f"^{tmp_path}/d.md: Not a directory$"):
        storage.list_folder(tmp_path / "d.md")


def test_a_path_that_cannot_be(tmp_path):
    with pytest.raises(FormatError, match="embedded null"):
        registry.refuse_missing(tmp_path / "a\0b")
    with pytest.raises(FormatError, match=f"^{tmp_path}/a/b: Not a directory$"):
        (tmp_path / "a").write_text("")
        registry.refuse_missing(tmp_path / "a" / "b")
    with (
        pytest.raises(FormatError, match=f"^{tmp_path}: Is a directory$"),
        storage.open_text(tmp_path, "utf-8"),
    ):
        pass


def test_the_journal_of_a_folder_is_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert storage.name_journal(Path("out")) == tmp_path / ".out.moving"
    assert storage.name_journal(Path("/")) == Path("/.moving")


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("a.parquet", "pyarrow", "parquet"), ("a.docx", "docx", "documents"), ("a.pdf", "pypdf", "documents")],
)
def test_a_package_that_is_missing_is_named(name, module, extra, tmp_path, monkeypatch):
    (tmp_path / name).write_text("x")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(FormatError, match=rf"needs? [a-z-]+: \S+ -m pip install 'crfdeid\[{extra}\]'"):
        list(corpora.read(tmp_path / name))


def test_a_line_end_is_not_translated(tmp_path):
    (tmp_path / "a").write_bytes(b"a\r\nb\rc\n")
    with storage.open_text(tmp_path / "a", "utf-8") as file:
        assert list(file) == ["a\r\n", "b\rc\n"]


def test_an_output_writes_a_file_or_a_folder(tmp_path):
    note = Document("1", "a")
    for name in ("a.jsonl", "out"):
        output = choose_output(tmp_path / name, "jsonl", "i2b2")
        output.write([note])
        assert str(output) == f"wrote the {'file' if output.is_file else 'folder'} {tmp_path / name}"
        with pytest.raises(FormatError, match="--overwrite"):
            output.write([note])
        output.write([note], overwrite=True)
        assert list(corpora.read(tmp_path / name)) == [note]
    own = Format("own", (".jsonl",), render_corpus=lambda documents: (each.text for each in documents))
    Output(tmp_path / "b.jsonl", "jsonl", True).write([note], format=own)
    assert (tmp_path / "b.jsonl").read_text() == "a"


def test_a_folder_with_a_suffix_is_a_folder(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    (tmp_path / "b").write_text("")
    assert choose_output(tmp_path / "a.jsonl", None, "i2b2") == (tmp_path / "a.jsonl", "i2b2", False)
    assert choose_output(tmp_path / "b", None, "jsonl") == (tmp_path / "b", "jsonl", True)
    assert choose_output(tmp_path / "b", None, "i2b2") == (tmp_path / "b", "i2b2", False)
    assert choose_output(tmp_path / "c.csv", None, "i2b2", {".csv": "omop"}).format == "omop"
    assert choose_output(tmp_path / "c.json", "fhir", "i2b2").is_file


def test_what_is_left_out_is_counted_also_below_and_inside(tmp_path):
    (tmp_path / "b" / ".c").mkdir(parents=True)
    for name in ("a.hl7", "b/a.hl7", "b/a.PDF", "b/x", ".tagged_by.json", "b/.hidden"):
        (tmp_path / name).write_text("MSH|^~\\&|A\rZZZ|Ana\rNTE|1||x\r")
    assert count_left_out(tmp_path, "hl7") == {"folders, which are not entered": 1}
    below = {".pdf files": 1, "not files of hl7": 1, "hidden": 2}
    assert count_left_out(tmp_path, "hl7", recursive=True) == below
    inside = count_left_out(tmp_path, "hl7", recursive=True, encoding="utf-8")
    assert inside == below | {"segments or elements that are not known": 2}
    assert count_left_out(tmp_path / "a.hl7", "hl7", encoding="utf-8").total() == 1
    said = describe_left_out(Path("x"), count_left_out(tmp_path, "hl7", recursive=True))
    assert said == "x: left out: 1 .pdf files, 2 hidden, 1 not files of hl7"


@pytest.mark.parametrize("text", ["1/1", "16/16", "999999/999999"])
def test_parts_are_counted_from_one(text):
    part = parse_part(text)
    assert f"{part.number}/{part.count}" == text
    with pytest.raises(ConfigurationError, match="--part 1000000/1000000: wanted a part and their number"):
        parse_part("1000000/1000000")


def build_part(name: str, *patients: str | None) -> Part:
    return Part(name, tuple(Document(f"n{at}", f"text {at}", (), each) for at, each in enumerate(patients)))


def test_each_fold_gets_the_largest_group_that_is_left():
    part = build_part("x", *"aaabbbccdd", None, None)
    sizes = sorted(len(test.documents) for _, test in make_folds(part, 4, 7))
    assert sizes == [3, 3, 3, 3]
    assert [len(make_folds(part, number, 0)) for number in (1, 6)] == [1, 6]
    with pytest.raises(ConfigurationError, match="7 folds of 6 patients: wanted at most 6 folds"):
        make_folds(part, 7, 0)


def test_parts_of_a_corpus():
    one, other = build_part("x", "a", None), build_part("y", "a", "b", "c")
    train, test = hold_out(other, {(True, "b")})
    assert [note.patient for note in test.documents] == ["b"] and [each.name for each in (train, test)] == [
        "y",
        "y",
    ]
    assert [note.patient for note in train.documents] == ["a", "c"]
    assert join_parts([one]) is one
    joined = join_parts([one, other])
    assert joined.name == "x+y" and joined.documents == one.documents + other.documents
    assert have_common_text(one, other) and not have_common_text(one, Part("z", (Document("1", "text"),)))
    assert draw_sample(other, 2, 0).name == "y" and len(draw_sample(other, 2, 0).documents) == 2
    assert draw_sample(other, 3, 5).documents == other.documents
    spans = Part("x", (Document("1", "ab", (Span(0, 1, "A"), Span(1, 2, "A"))), Document("2", "")))
    assert spans.spans == 2 and spans.fingerprint != one.fingerprint
