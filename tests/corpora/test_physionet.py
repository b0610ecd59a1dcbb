"""PhysioNet's nursing notes: records, phrase lists, lists of offsets, and what is refused."""

import pytest

from crfdeid import corpora
from crfdeid.corpora import physionet
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_map

TEXT = """START_OF_RECORD=1||||1||||
CCU Nursing Progress Note
S: "Will I be going home with Mr. Quimby on 3/4?"

||||END_OF_RECORD

START_OF_RECORD=1||||2||||
seen by Dr Roe
||||END_OF_RECORD
"""
FIRST = 'CCU Nursing Progress Note\nS: "Will I be going home with Mr. Quimby on 3/4?"\n'
PHRASES = "1 1 60 66 PTName Quimby\n1 1 70 73 Date 3/4\n1 2 11 14 HCPName Roe\n"
RANGES = "Patient 1\tNote 1\n60\t60\t66\n70\t70\t73\nPatient 1\tNote 2\n11\t11\t14\n"


def write(folder, text=TEXT, phrases=None, ranges=None, name="id.phi"):
    (folder / "id.text").write_text(text)
    if phrases is not None:
        (folder / "id-phi.phrase").write_text(phrases)
    if ranges is not None:
        (folder / name).write_text(ranges)
    return folder / "id.text"


def test_records_and_phrases(tmp_path):
    first, second = corpora.read(write(tmp_path, phrases=PHRASES, ranges="not read"))
    assert (first.id, first.patient, first.text) == ("1-1", "1", FIRST)
    assert [(first.text_of(s), s.type) for s in first.spans] == [("Quimby", "PTName"), ("3/4", "Date")]
    assert second == Document("1-2", "seen by Dr Roe", (Span(11, 14, "HCPName"),), "1")
    assert [s.type for d in (first, second) for s in read_map("2014").apply(d).spans] == [
        "PATIENT", "DATE", "DOCTOR"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["id.phi", "id.deid"])
def test_a_list_of_offsets_has_no_types(tmp_path, name):
    first, second = corpora.read(write(tmp_path, ranges=RANGES, name=name))
    assert [first.text_of(span) for span in first.spans] == ["Quimby", "3/4"]
    assert {span.type for span in (*first.spans, *second.spans)} == {"PHI"}


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ("START_OF_RECORD=163||||12||||\nill\n||||END_OF_RECORD", Document("163-12", "ill", patient="163")),
        ("START_OF_RECORD= 16 |||| 2 |||| \t\nill\n||||END_OF_RECORD \t\n",
         Document("16-2", "ill", patient="16")),
        ("\n \nSTART_OF_RECORD=n||||||||\nill||||END_OF_RECORD\n", Document("n", "ill")),
        ("START_OF_RECORD=1||||2||||\n\n\na|||b\n\n\n||||END_OF_RECORD\n\n",
         Document("1-2", "\n\na|||b\n\n", patient="1")),
        ("START_OF_RECORD=1||||2||||\n||||END_OF_RECORD\n", Document("1-2", "", patient="1")),
        ("START_OF_RECORD=1||||2||||\r\na\r\nb\r\n||||END_OF_RECORD\r\n",
         Document("1-2", "a\r\nb", patient="1")),
    ],
)  # fmt: skip
def test_the_form_of_a_record(tmp_path, record, found):
    path = tmp_path / "id.text"
    path.write_bytes(record.encode())
    assert physionet.is_records(path)
    assert list(corpora.read(path)) == [found]


@pytest.mark.parametrize(
    "text",
    [
        "START_OF_RECORD=1|||2||||\nQuimby\n||||END_OF_RECORD",
        "START_OF_RECORD=1||||2||||Quimby\n||||END_OF_RECORD",
        "START_OF_RECORD=1||||2||||\nQuimby\n||||END_OF_RECORD.\n",
        "START_OF_RECORD=1\n||||2||||\nQuimby\n||||END_OF_RECORD",
    ],
)
def test_another_form_is_refused(tmp_path, text):
    with pytest.raises(FormatError, match="line 1: wanted a record, START_OF_RECORD=PATIENT"):
        list(corpora.read(write(tmp_path, text), "physionet"))


def test_a_list_names_patients_and_notes_of_several_digits(tmp_path):
    text = "START_OF_RECORD=163||||12||||\nseen by  Dr\nRoe\n||||END_OF_RECORD\n"
    path = write(tmp_path, text, phrases="\n163 12 9 15 HCPName Dr Roe\n \n163 12 0 4 Word seen\n")
    (found,) = corpora.read(path)
    assert found.spans == (Span(0, 4, "Word"), Span(9, 15, "HCPName"))
    (tmp_path / "id-phi.phrase").unlink()
    for head in ("Patient 163\tNote 12", "patient 163  note 12 "):
        (found,) = corpora.read(
            write(tmp_path, text, ranges=f"{head}\n\n12\t12\t15\n 12  12  15\n10  9  11\n")
        )
        assert found.spans == (Span(10, 11, "PHI"), Span(12, 15, "PHI"))


def test_notes_without_lists_and_line_ends_of_windows(tmp_path):
    (tmp_path / "id.text").write_bytes(TEXT.replace("\n", "\r\n").encode())
    first, second = corpora.read(tmp_path / "id.text")
    assert second.text == "seen by Dr Roe" and not second.spans and first.text.startswith("CCU")


def test_other_files_of_this_suffix_are_notes(tmp_path):
    (tmp_path / "note.text").write_text("seen by Dr Roe")
    assert corpora.detect_format(tmp_path / "note.text") == "text"
    assert corpora.detect_format(write(tmp_path)) == "physionet"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"text": "START_OF_RECORD=1||||1||||\nQuimby\n"}, "id.text: line 1: wanted a record"),
        ({"text": TEXT + "Quimby"}, "id.text: line 10: wanted a record"),
        ({"text": "\nSTART_OF_RECORD=1||||1||||\nQuimby\n"}, "id.text: line 2: wanted a record"),
        ({"phrases": "1 1 60 66 PTName\n"}, "id-phi.phrase: line 1: wanted patient, note"),
        ({"phrases": "1 1 66 60 PTName Quimby\n"}, "line 1: wanted patient, note"),
        ({"phrases": "1 1 61 67 PTName Quimby\n"}, "line 1: the note does not have this phrase"),
        ({"phrases": "1 9 60 66 PTName Quimby\n"}, "line 1: the note does not have this phrase"),
        ({"phrases": PHRASES + "\n1 1 60 60 PTName\n"}, "id-phi.phrase: line 5: wanted patient, note"),
        ({"phrases": "1 1 60 60 PTName \n"}, "line 1: wanted patient, note"),
        ({"phrases": " 1 1 60 66 PTName Quimby\n"}, "line 1: wanted patient, note"),
        ({"ranges": "60 60 66\n"}, "id.phi: line 1: wanted Patient and Note"),
        ({"ranges": "Patient 1\tNote 1 Quimby\n"}, "id.phi: line 1: wanted Patient and Note"),
        ({"ranges": "Patient 1\tNote 1\n60 60 60\n"}, "id.phi: line 2: wanted Patient and Note"),
        ({"ranges": "Patient 1\tNote 2\n11 11 15\n"}, "id.phi: 1-2: a span ends after the note"),
        ({"ranges": "Patient 1\tNote 1\nQuimby\n"}, "id.phi: line 2: wanted Patient and Note"),
        ({"ranges": "Patient 1\tNote 1\n60 60 660\n"}, "id.phi: 1-1: a span ends after the note"),
        ({"ranges": RANGES + "Patient 2\tNote 1\n1 1 2\n"}, "id.phi: 1 notes that id.text does not have"),
    ],
)
def test_what_is_refused_quotes_no_note(tmp_path, files, message):
    with pytest.raises(FormatError, match=message) as error:
        list(corpora.read(write(tmp_path, **files)))
    assert "Quimby" not in str(error.value)


def test_written_records_come_back(tmp_path):
    notes = [Document("1-2", "a\n\nb", patient="1"), Document("n", ""), Document("x-y", "|||", patient="z")]
    corpora.write(notes, tmp_path / "out.text", "physionet")
    found = list(corpora.read(tmp_path / "out.text"))
    assert [(d.id, d.text) for d in found] == [(d.id, d.text) for d in notes] and found[0].patient == "1"
    for bad in (Document("a|b", ""), Document("a", "||||END_OF_RECORD"), Document("a\nb", "")):
        with pytest.raises(CrfdeidError, match="document 1: the id has a bar, or the text the end"):
            corpora.write([bad], tmp_path / "bad.text", "physionet")
    with pytest.raises(CrfdeidError, match="document 2: the id has a bar"):
        corpora.write([Document("a", ""), Document("a|b", "")], tmp_path / "bad.text", "physionet")


def test_a_system_is_scored_on_them(tmp_path, capsys):
    path = write(tmp_path, phrases=PHRASES)
    corpora.write(list(map(read_map("2014").apply, corpora.read(path))), tmp_path / "system.jsonl", "jsonl")
    evaluate.main([str(path), str(tmp_path / "system.jsonl"), "--types", "2014", "--resamples", "0"])
    assert "      3      3      3   1.0000 1.0000 1.0000" in capsys.readouterr().out


def test_her_table_stands_beside_our_counts(tmp_path, capsys):
    """Her 139 names found, 3 missed, and so on. Ours: two names, one with its title and one found in part;
    a date that is missed, and two names that are none."""
    path = write(tmp_path, phrases=PHRASES)
    first, second = corpora.read(path)
    found = [
        first.with_spans([Span(56, 62, "DOCTOR"), Span(0, 3, "PATIENT"), Span(4, 11, "PATIENT")]),
        second.with_spans([Span(8, 14, "PATIENT")]),
    ]
    corpora.write(found, tmp_path / "system.jsonl", "jsonl")
    arguments = [str(path), str(tmp_path / "system.jsonl"), "--types", "2014", "--resamples", "0"]
    evaluate.main([*arguments, "--published", "douglass-2005-table-5-4"])
    rows = {row[0]: row[1:] for line in capsys.readouterr().out.splitlines() if (row := line.split())}
    assert rows["NAME"] == ["139", "2", "178", "2", "3", "0", "0.98", "1.00", "0.44", "0.50"]
    assert rows["DATE"] == ["160", "0", "132", "0", "6", "1", "0.96", "0.00", "0.55", "0.00"]
    with pytest.raises(CrfdeidError, match="no counts of instances; wanted douglass-2005-table-5-3 or"):
        evaluate.main([*arguments, "--published", "he-2015-table-3"])


def test_the_head_is_read_from_bytes(tmp_path):
    (tmp_path / "id.text").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert physionet.is_records(tmp_path / "id.text")
    (tmp_path / "id.text").write_bytes(b"x" + TEXT.encode())
    assert not physionet.is_records(tmp_path / "id.text")
    with pytest.raises(FormatError, match="none.text: No such file"):
        physionet.is_records(tmp_path / "none.text")
