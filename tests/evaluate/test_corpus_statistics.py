"""What a corpus has is counted, and no word of it is shown."""

import json
import re
from xml.etree import ElementTree

import pytest

from crfdeid import corpora
from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import published_tables
from crfdeid.evaluate.corpus_statistics import (
    MANY,
    SIZES,
    TypeStatistics,
    count_words,
    draw_counts,
    draw_pictures,
    format_statistics,
    group_sizes,
    main,
    measure_corpus,
    render_page,
)
from crfdeid.text.document import Document, Span

RUIZ, LONG = Span(4, 8, "DOCTOR"), Span(13, 38, "HOSPITAL")
NOTES = [
    Document("1", "Dr. Ruiz saw St Mary of the Long Road. Ruiz", (RUIZ, LONG, Span(39, 43, "DOCTOR")), "7"),
    Document("2", "Dr. Ruiz", (RUIZ,), "7"),
    Document("3", "Well."),
]


def test_spans_are_counted_by_type():
    found = measure_corpus(NOTES)
    assert (found.notes, found.patients, found.without_patient, found.without_spans) == (3, 1, 1, 1)
    doctor, hospital = found.types["DOCTOR"], found.types["HOSPITAL"]
    assert (doctor.spans, doctor.notes, doctor.words, doctor.longest) == (3, 2, 3, 1)
    assert (doctor.once, len(doctor.texts)) == (1, 1) and hospital.longest == 6
    assert found.words == [10, 2, 1] and found.lengths == {1: 3, 6: 1}


FACTS = """\
notes:                4
patients:             2, and 1 notes without one
words:                17; half of the notes have 1 to 8 (median 3)
spans:                7, 1.8 in a note; 70.6% of the words
notes without a span: 1
spans by words:       1: 6, 5 or more: 1
corpus:               FINGERPRINT

type      spans  share  notes  words  longest  once in its note  different texts
DOCTOR        3  42.9%      2    1.0        1               33%                1
CITY          1  14.3%      1    1.0        1              100%                1
DATE          1  14.3%      1    1.0        1              100%                1
HOSPITAL      1  14.3%      1    6.0        6              100%                1
STATE         1  14.3%      1    1.0        1              100%                1"""
AMES = Document("4", "Ames IA in 2061", (Span(0, 4, "CITY"), Span(5, 7, "STATE"), Span(11, 15, "DATE")), "8")


def test_the_table_of_a_corpus():
    """The most frequent type is first, others by name."""
    found = measure_corpus([*NOTES, AMES])
    assert format_statistics(found) == FACTS.replace("FINGERPRINT", found.fingerprint)
    assert found.by_patient == [2, 1]
    assert not any(word in repr(found) for word in ("Ruiz", "Mary", "Ames", "2061"))


def test_one_note_and_no_words_are_a_corpus_too():
    one = measure_corpus([Document("1", "A b c d e")]).list_facts()
    assert one["words"] == "5; half of the notes have 5 to 5 (median 5)"
    two = measure_corpus([Document("1", "a"), Document("2", "a b c")]).list_facts()
    assert two["words"].startswith("4; half of the notes have 0 to 4")  # of two, the quartiles lie outside
    empty = measure_corpus([Document("1", " ")]).list_facts()
    assert (empty["spans"], empty["spans by words"]) == ("0, 0.0 in a note; 0.0% of the words", "")
    short = measure_corpus([Document("1", "Ruiz", (Span(0, 4, "DOCTOR"),))]).list_facts()
    assert short["spans"] == "1, 1.0 in a note; 100.0% of the words"


def test_the_json_has_the_counts_of_each_type():
    found = measure_corpus(NOTES)
    assert found.build_json() == {
        "notes": 3, "patients": 1, "without_patient": 1, "without_spans": 1, "words": 13,
        "lengths": {"1": 3, "5 or more": 1}, "corpus": found.fingerprint,
        "types": {
            "DOCTOR": {"spans": 3, "notes": 2, "words": 3, "longest": 1, "once": 1, "texts": 1},
            "HOSPITAL": {"spans": 1, "notes": 1, "words": 6, "longest": 6, "once": 1, "texts": 1},
        },
    }  # fmt: skip


def test_what_occurs_once_and_what_is_repeated():
    each = TypeStatistics()
    each.add(["Ruiz", "Roe", "Ruiz", "Ruiz", "Ana Gil"])
    each.add(["Ruiz"])
    assert (each.spans, each.notes, each.words, each.longest) == (6, 2, 7, 2)
    assert (each.once, each.texts) == (3, {"Ruiz", "Roe", "Ana Gil"})


def read_bars(picture):
    """The names of the rows of a picture with the widths of their bars, in steps of its scale."""
    root = ElementTree.fromstring(picture)
    lines = [float(line.get("x1")) for line in root.iter("line")]
    names = [text.text for text in root.iter("text") if text.get("text-anchor") == "end"]
    bars = [float(rect.get("width")) for rect in root.iter("rect")]
    return {name: round(bar / (lines[1] - lines[0]), 2) for name, bar in zip(names, bars)}, len(lines) - 1


def test_bars_are_as_long_as_their_counts():
    """The scale goes to 4 at least, so that a single note does not fill it."""
    notes, spans, patients = map(read_bars, draw_pictures(measure_corpus(NOTES)))
    assert notes == ({"0 to 49": 3}, 4) and spans == ({"1": 3, "5 or more": 1}, 4)
    assert patients == ({"2": 1}, 4)
    assert read_bars(draw_counts("a", "b", {})) == ({}, 4)
    assert read_bars(draw_counts("a", "b", {"1": 5, "2": 4})) == ({"1": 5, "2": 4}, 5)
    assert len(list(draw_pictures(measure_corpus(NOTES[2:])))) == 2  # no patients


def test_the_widest_bar_of_the_page_fits_its_column():
    html = render_page(measure_corpus(NOTES), "corpus")
    (room,) = re.findall(r"td\.track {[^}]*min-width: (\d+)rem", html)
    widths = [float(width) for width in re.findall(r'class="bar" style="width:([\d.]+)rem"', html)]
    assert widths == [int(room) - 1, pytest.approx((int(room) - 1) / 3, abs=0.01)]
    assert "DOCTOR" not in render_page(measure_corpus(NOTES[2:]), "corpus")


def test_the_verb_says_what_it_is_and_what_it_leaves_out(tmp_path, capsys):
    german = Document("4", "Ana", (Span(0, 3, "ÄRZTIN"),))
    for folder, notes in ((tmp_path / "in", NOTES[:1]), (tmp_path / "in" / "more", [*NOTES[1:], german])):
        folder.mkdir()
        corpora.write(notes, folder, "brat")
    main([str(tmp_path / "in")])
    said = capsys.readouterr()
    assert "notes:                1\n" in said.out and "1 folder" in said.err
    main([str(tmp_path / "in"), "--recursive", "--json", str(tmp_path / "s.json")])
    assert "notes:                4\n" in capsys.readouterr().out
    written = (tmp_path / "s.json").read_text()
    assert written.startswith('{\n "notes": 4,\n "patients": 0,\n') and "ÄRZTIN" in written
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "Count what an annotated corpus has, without a word of it" in capsys.readouterr().out


def test_notes_are_counted_by_doublings_of_their_words():
    assert group_sizes([0, 49, 50, 399, 400, 3200], SIZES) == {
        "0 to 49": 2, "50 to 99": 1, "100 to 199": 0, "200 to 399": 1, "400 to 799": 1, "800 to 1,599": 0,
        "1,600 to 3,199": 0, "3,200 or more": 1,
    }  # fmt: skip
    assert list(group_sizes([1, 50], MANY)) == [
        "1", "2", "3", "4", "5 to 9", "10 to 19", "20 to 49", "50 or more",
    ]  # fmt: skip


@pytest.mark.parametrize("notes", [NOTES, NOTES[2:]])
def test_the_verb_shows_counts_and_no_text(notes, tmp_path, capsys):
    corpora.write(notes, tmp_path / "Okafor.jsonl", "jsonl")
    files = [tmp_path / "s.json", tmp_path / "s.html"]
    main([str(tmp_path / "Okafor.jsonl"), "--json", str(files[0]), "--html", str(files[1])])
    said = capsys.readouterr().out
    assert all("Ruiz" not in text and "Mary" not in text for text in (said, *(f.read_text() for f in files)))
    assert json.loads(files[0].read_text())["notes"] == len(notes)
    if len(notes) == 3:
        assert "DOCTOR" in said and "75.0%" in said and 'class="bar"' in files[1].read_text()


OWN_WORDS = {"DOCTOR": {"words": 3}, "HOSPITAL": {"words": 6}, "Non-PHI": {"words": 4}}


def test_words_are_counted_by_the_eight_kinds_of_2006_and_those_that_are_not_phi():
    assert count_words(NOTES) == OWN_WORDS
    marks = [
        TokenMark("1", 4, 8, "DOCTOR", True, True, "host"),
        TokenMark("1", 0, 2, "", True, False, "host"),
    ]
    counted = count_words(NOTES, marks)
    assert counted["DOCTOR"] == {"words": 3, "ambiguous": 1, "in no list": 1}
    assert counted["Non-PHI"] == {"words": 4, "ambiguous": 1, "in no list": 0}


@pytest.mark.parametrize(
    "table", ["tafvizi-2011-table-5-1", "tafvizi-2011-table-5-2", "sibanda-uzuner-2006-table-1"]
)
def test_a_papers_counts_of_words_are_printed_beside_ours(tmp_path, capsys, table):
    path = tmp_path / "notes.jsonl"
    corpora.write(NOTES, path, "jsonl")
    main([str(path), "--types", "2006", "--published", table])
    lines = capsys.readouterr().out.splitlines()
    assert "ours:  notes.jsonl (3 notes)" in lines
    assert [line.split()[-1] for line in lines if line.startswith("Non-PHI")] == ["4"]
    paper = published_tables.read_table(table).rows["DOCTOR"]
    assert any(line.split() == ["DOCTOR", *paper, "3"] for line in lines)


def test_the_words_of_table_6_are_those_that_reidentify_marked(tmp_path, capsys):
    path, marks = tmp_path / "notes.jsonl", tmp_path / "notes.tokens.csv"
    corpora.write(NOTES, path, "jsonl")
    marks.write_text("document,start,end,type,ambiguous,unseen,where\n1,4,8,DOCTOR,1,0,host\n")
    main([str(path), "--published", "sibanda-uzuner-2006-table-6", "--tokens", str(marks)])
    assert re.search(r"^DOCTOR +311 +3 +247 +1", capsys.readouterr().out, re.MULTILINE)


def test_a_table_without_counts_of_words_is_refused_by_the_names_of_those_that_have_them():
    with pytest.raises(
        ConfigurationError, match="no counts of words; wanted sibanda-uzuner-2006-table-1 or "
    ):
        main(["notes.jsonl", "--published", "he-2015-table-3"])
