"""The verb: a golden corpus in i2b2 XML with its official rows, the shared ones, and bad input."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from crfdeid import corpora
from crfdeid.errors import CrfdeidError, FormatError, SchemeError
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.evaluate import evaluation, matching, official, paper_counts, report
from crfdeid.evaluate.evaluation import EvaluationOptions
from crfdeid.evaluate.leakage import measure_leakage
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.published_tables import read_table
from crfdeid.evaluate.scores import Counts
from crfdeid.evaluate.word_scores import WordScores, format_word_scores, measure_phi_words, measure_words
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SHARED = Path(__file__).parents[3] / "shared" / "data" / "i2b2_scoring"
CORPORA = sorted(SHARED.glob("*/official.json"))
SCHEME = scheme.read_scheme()
CANARY = "Zebulon"


def xml(text, *tags):
    lines = "".join(f'<{name} start="{s}" end="{e}" TYPE="{type}"/>\n' for name, type, s, e in tags)
    return f"<deIdi2b2>\n<TEXT><![CDATA[{text}]]></TEXT>\n<TAGS>\n{lines}</TAGS>\n</deIdi2b2>\n"


def folder(path, **files):
    path.mkdir()
    for name, content in files.items():
        (path / name.replace("_", "-")).with_suffix(".xml").write_bytes(content.encode())
    return path


NOTE = f"Dr. {CANARY} Roe, MRN 12-34, 3/4"
#       0123456789...  name 4-15, MRN 21-26, date 28-31
GOLD = [("NAME", "DOCTOR", 4, 15), ("ID", "MEDICALRECORD", 21, 26), ("DATE", "DATE", 28, 31)]
SYSTEM = [("NAME", "doctor", 4, 15), ("ID", "medicalrecord", 21, 26), ("DATE", "date", 28, 31)]


@pytest.fixture
def sides(tmp_path):
    gold = folder(tmp_path / "gold", n100_01=xml(NOTE, *GOLD), n100_02=xml("none"))
    system = folder(tmp_path / "system", n100_01=xml(NOTE, *SYSTEM), n100_02=xml("none"))
    return gold, system


def run(*arguments):
    evaluate.main([str(argument) for argument in arguments])


@pytest.mark.parametrize("path", CORPORA, ids=lambda path: path.parent.name)
def test_every_number_of_the_official_script(path, tmp_path):
    folder, out = path.parent, tmp_path / "scores.json"
    run(folder / "gold", folder / "system", "--missing-documents", "ignore", "--resamples", 0, "--json", out)
    assert json.loads(out.read_text())["official"] == json.loads(path.read_text())


def test_all_shared_corpora_are_found():
    if not CORPORA:
        pytest.skip("the shared scoring corpora are not beside the checkout")
    assert len(CORPORA) >= 7


def test_case_in_the_official_rows(sides):
    """By the rules, strict and relaxed ignore case; token does not; HIPAA requires capitals,
    but includes every DATE. The empty note scores 0 in the macro averages."""
    gold, system = (official.read_verbatim(side, SCHEME) for side in sides)
    rows = official.build_table(evaluation.evaluate(gold, system, EvaluationOptions(SCHEME)).scores)

    def row(name):
        return [rows[name][figure]["micro"] for figure in ("precision", "recall", "f1")]

    assert row("Strict") == row("Relaxed") == [1, 1, 1]
    assert row("Token") == [0, 0, 0]
    assert row("Binary Token") == [1, 1, 1]
    assert row("HIPAA Strict") == [1, 0.5, 0.6667]
    assert row("ID Binary HIPAA Strict") == [0, 0, 0]
    assert row("DATE Strict") == [1, 1, 1]
    assert rows["Strict"]["recall"] == {"micro": 1.0, "macro": 0.5}
    assert rows["HIPPA Token"]["f1"] == {"micro": 0.0, "macro": None}
    assert rows["Strict"]["documents"] == 2


def test_ids_patients_and_line_ends(tmp_path):
    read = official.read_verbatim(
        folder(tmp_path / "g", n0="<r><TEXT>a&lt;b\r\nRoe</TEXT><TAGS/></r>"), SCHEME
    )
    assert (read[0].document.id, read[0].document.text) == ("n0", "a<b\nRoe")
    (tmp_path / "g" / "310-02_late.xml").write_text(xml("x"))
    first = official.read_verbatim(tmp_path / "g", SCHEME)[0].document
    assert (first.id, first.patient) == ("310-02", "310")


def test_a_tag_without_a_character_is_scored_but_is_not_a_span(tmp_path):
    gold = official.read_verbatim(folder(tmp_path / "g", a=xml("note", ("DATE", "DATE", 2, 2))), SCHEME)
    found = evaluation.evaluate(gold, gold, EvaluationOptions(SCHEME))
    assert official.build_table(found.scores)["Token"]["f1"]["micro"] == 1.0
    assert gold[0].document.spans == ()


def test_other_elements_do_not_count(tmp_path):
    (side,) = official.read_verbatim(folder(tmp_path / "g", a=xml("note", ("MEDICATION", "X", 0, 4))), SCHEME)
    assert side.tags == ()


@pytest.mark.parametrize(
    ("element", "type", "fold", "found"),
    [
        ("NAME", "doctor", True, "DOCTOR"),
        ("NAME", "doctor", False, "doctor"),
        ("NAME", "small", True, "small"),
        ("LOCATION", "other", True, "LOCATION-OTHER"),
        ("LOCATION", "OTHER", False, "LOCATION-OTHER"),
        ("OTHER", "other", True, "OTHER"),
        ("NAME", "nurse", True, "NURSE"),
    ],
)
def test_the_types_of_tags_are_those_of_the_scheme(element, type, fold, found):
    types = frozenset({"DOCTOR", "small", "LOCATION-OTHER", "OTHER"})
    assert official.find_type(matching.ScoredTag(element, type, 0, 1), types, fold) == found


def test_formats_compare_with_each_other(sides, tmp_path, capsys):
    gold, _ = sides
    corpora.write(list(corpora.read(gold)), tmp_path / "system.jsonl", "jsonl")
    run(gold, tmp_path / "system.jsonl", "--resamples", 100)
    assert "      3      3      3   1.0000 1.0000 1.0000   1.0000" in capsys.readouterr().out


def test_everything_is_written_and_carries_its_signature(sides, tmp_path, capsys):
    names = [tmp_path / name for name in ("s.json", "s.csv", "s.html")]
    run(*sides, "--against", sides[0], "--resamples", 50, "--by", "patient",
        "--json", names[0], "--csv", names[1], "--html", names[2])  # fmt: skip
    out = capsys.readouterr().out
    figures = json.loads(names[0].read_text())
    assert out.count("|version:") == 9
    rows = figures["comparison"]["rows"]
    assert list(rows) == ["PHI or not", "HIPAA", "NAME", "DOCTOR", "DATE", "ID", "MEDICALRECORD"]
    assert rows["DOCTOR"]["p"] == rows["DOCTOR"]["p Holm"] == 1.0 and "p, Holm" in out
    assert figures["recipe"]["gold"] == 3
    assert all("corpus:" + figures["recipe"]["corpus"] in row["recipe"] for row in figures["scores"])
    first = figures["scores"][0]["recipe"]
    assert first.startswith("row:all|criterion:strict|subset:all|binary:False|scheme:i2b2-2014|hipaa:script|")
    assert figures["comparison"]["randomisation"]["strict"]["f1"]["p"] == 1.0
    assert names[1].read_text().splitlines()[0].startswith("document,kind,extent,gold_type")
    assert os.stat(names[2]).st_mode & 0o777 == 0o600
    assert CANARY in names[2].read_text()
    assert CANARY not in names[0].read_text() + names[1].read_text() + out


def test_meddocan_rules(tmp_path, capsys):
    note = Document("a", "Ana Gil", (Span(0, 7, "NOMBRE_SUJETO_ASISTENCIA"),))
    found = note.with_spans([Span(0, 3, "NOMBRE_SUJETO_ASISTENCIA"), Span(4, 7, "NOMBRE_SUJETO_ASISTENCIA")])
    out = tmp_path / "s.json"
    for name, document in (("gold", note), ("system", found)):
        corpora.write([document], tmp_path / f"{name}.jsonl", "jsonl")
    run(tmp_path / "gold.jsonl", tmp_path / "system.jsonl", "--rules", "meddocan", "--json", out)
    rows = json.loads(out.read_text())["official"]
    assert [rows[name]["f1"] for name in ("ner", "strict", "merged")] == [0, 0, 1]
    assert "sub-track 2 merged" in capsys.readouterr().out


def test_a_type_outside_the_scheme_is_refused_or_counted(tmp_path):
    gold = folder(tmp_path / "g", a=xml("note", ("OTHER", "KENNEL", 0, 4)))
    with pytest.raises(SchemeError, match="document 1: the type at 0-4 is not a type of scheme i2b2-2014"):
        run(gold, gold)
    run(gold, gold, "--unknown-types", "count", "--json", tmp_path / "s.json", "--html", tmp_path / "s.html")
    rows = json.loads((tmp_path / "s.json").read_text())["official"]
    assert rows["OTHER Strict"]["f1"]["micro"] == 1


def test_a_type_outside_the_scheme_is_refused_or_counted_in_every_format(tmp_path):
    path = tmp_path / "g.jsonl"
    corpora.write([Document("d0", "note", (Span(0, 4, "KENNEL"),))], path, "jsonl")
    with pytest.raises(SchemeError, match="not a type of scheme i2b2-2014; --scheme FILE names another"):
        run(path, path)
    run(path, path, "--unknown-types", "count", "--json", tmp_path / "s.json")
    rows = json.loads((tmp_path / "s.json").read_text())["scores"]
    wanted = {("all", False), ("all", True), ("hipaa", False), ("hipaa", True)}
    assert {(row["subset"], row["binary"]) for row in rows} == wanted


def test_types_of_files_are_those_of_the_scheme_or_of_the_map(tmp_path, capsys):
    """A type in small letters is known to the scheme; i2b2's OTHER of places is known to that of 2014."""
    path = folder(tmp_path / "g", a=xml("note", ("LOCATION", "OTHER", 0, 4)))
    run(path, path, "--types", "2006", "--resamples", 0)
    assert "LOCATION" in capsys.readouterr().out
    small = scheme.Scheme("small", {"NAME": ("person",)})
    scheme.write_scheme(small, tmp_path / "small.toml")
    path = folder(tmp_path / "s", a=xml("note", ("NAME", "person", 0, 4)))
    run(path, path, "--scheme", tmp_path / "small.toml", "--resamples", 0)
    assert "person" in capsys.readouterr().out


def test_a_missing_document_is_refused_or_ignored(sides, capsys):
    gold, system = sides
    (system / "n100-02.xml").unlink()
    with pytest.raises(CrfdeidError, match="document n100-02 is in gold but not in system"):
        run(gold, system)
    run(gold, system, "--missing-documents", "ignore", "--resamples", 0)
    assert "|documents:1|gold:3|system:3|missing:1|" in capsys.readouterr().out


REFUSED = [
    ("<r><TEXT>x", "a.xml"),
    ("<r><TAGS/></r>", "no TEXT element"),
    ("<r><TEXT>x</TEXT></r>", "no TAGS element"),
    (xml(CANARY, ("DATE", "DATE", 3, 99)), "tag 1: DATE at 3-99 leaves the text of 7 characters"),
    (xml(CANARY, ("DATE", "DATE", 3, 1)), "tag 1: DATE at 3-1 leaves"),
    (xml(CANARY, ("DATE", "DATE", "x", 1)), "tag 1: DATE: its start and end must be whole numbers"),
    (f'<r><TEXT>{CANARY}</TEXT><TAGS><DATE start="0" end="1"/></TAGS></r>', "tag 1: DATE has no TYPE"),
    ('<!DOCTYPE r [<!ENTITY a "b">]><r><TEXT>&a;</TEXT><TAGS/></r>', "entit"),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_files_that_cannot_be_scored(tmp_path, content, message):
    path = folder(tmp_path / "g", a=content)
    with pytest.raises(FormatError) as caught:
        run(path, path)
    assert message in str(caught.value)
    assert CANARY not in str(caught.value)


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(FormatError, match="no such file or folder"):
        run(tmp_path / "nothing", tmp_path)


def test_an_empty_corpus_gives_zeros():
    side = official.ScoredDocument(Document("a", ""), ())
    found = evaluation.evaluate([side], [side], EvaluationOptions(SCHEME, resamples=10))
    assert "nan" not in report.format_report(found)
    assert "NaN" not in json.dumps(report.build_json(found))


def test_the_report_has_the_means_of_each_criterion():
    gold, system = (
        build_scored_document(note((0, 11, "PATIENT"), (16, end, "DOCTOR")), SCHEME) for end in (19, 18)
    )
    lines = report.format_macro(evaluation.evaluate([gold], [system], EvaluationOptions(SCHEME)).scores)
    assert [line.split()[0] for line in lines.splitlines()[1:]] == list(report.CRITERIA)
    assert re.search(r"strict +0.5000 \(0.0000\) +0.5000 \(0.0000\) +0.5000", lines)


def test_rows_are_in_the_order_of_the_scheme_and_others_come_last():
    keys = [
        ("strict", False, *row) for row in (("", ""), ("NAME", ""), ("NAME", "DOCTOR"), ("X", ""), ("", "X"))
    ]
    order = evaluation.order_rows(SCHEME)
    assert [order(key) for key in keys[:2]] == [(0, 0), (1, 0)] and order(keys[2])[1] > 0
    assert order(keys[3])[0] > len(SCHEME.categories) and order(keys[4])[1] == len(SCHEME.types) + 1


def note(*spans, id="a", patient=None, text="Ana Roe-May saw Tom at 9."):
    return Document(id, text, tuple(Span(*span) for span in spans), patient)


def test_leakage_counts_characters_spans_documents_and_patients():
    system = note((0, 7, "DATE"), (16, 19, "DATE"), (20, 22, "AGE"))
    pairs = [
        (note((0, 11, "PATIENT"), (16, 19, "DOCTOR")), system),
        (note((0, 11, "PATIENT"), id="b", patient="p"), note((0, 3, "CITY"), (4, 11, "CITY"), id="b")),
        (note(id="c", patient="p"), note(id="c")),
    ]
    found = measure_leakage(pairs)
    assert found.total() == (25, 22, 20, 3, 3, 1, 21)
    figures = found.figures()
    assert figures["leaks per 1000 words"] == pytest.approx(1000 / 21)
    assert figures["leaks per document"] == pytest.approx(1 / 3)
    assert figures["documents without a leak"] == pytest.approx(2 / 3)
    assert (
        figures["patients without a leak"] == 1 / 2
    )  # note a is a patient by itself, b and c are of one patient
    assert figures["any-overlap recall"] == 1
    assert measure_leakage(pairs[1:]).figures()["patients without a leak"] == 1


@pytest.mark.parametrize(
    ("system", "leaks"), [([], 1), ([(4, 5, "DATE")], 0), ([(3, 4, "DATE")], 1), ([(0, 9, "DATE")], 0)]
)
def test_a_span_without_letters_leaks_if_nothing_touches_it(system, leaks):
    found = measure_leakage([(note((4, 6, "DATE"), text="on: -- here"), note(*system, text="on: -- here"))])
    assert found.total().leaks == leaks


def test_the_table_of_words():
    counts = np.array([[[3, 1, 2], [0, 0, 0], [4, 0, 4]]])
    table = format_word_scores(WordScores(("Non-PHI", "Patients", "Doctors"), counts))
    assert table.splitlines() == [
        "                   words   P       R       F",
        "Non-PHI                5   0.75000 0.60000 0.66667",
        "Doctors                8   1.00000 0.50000 0.66667",
    ]


def test_a_text_without_words_has_none():
    pairs = [(note((0, 1, "DATE"), text="... -"), note(text="... -"))]
    assert measure_words(pairs, SCHEME).counts() == {}


def test_instances_are_counted_once_and_false_spans_each():
    """A name that two spans touch, one that nothing touches, and two false spans."""
    gold = note((0, 7, "PATIENT"), (16, 19, "DOCTOR"))
    system = note((0, 3, "DATE"), (4, 11, "CITY"), (12, 15, "DATE"), (20, 22, "DATE"))
    found = paper_counts.measure_instances([(gold, system)], SCHEME)
    assert found == {"NAME": Counts(1, 0, 1), "DATE": Counts(0, 2, 0), "all": Counts(1, 2, 1)}
    assert paper_counts.list_cells(found)["all"] == {
        "TP": 1, "FP": 2, "FN": 1, "R": 0.5, "P": pytest.approx(1 / 3),
    }  # fmt: skip


@pytest.mark.parametrize(("name", "wanted"), [("douglass-2005-table-5-4", True), ("he-2015-table-3", False)])
def test_tables_of_instances_have_the_columns_of_douglass(name, wanted):
    assert paper_counts.is_table_of_instances(read_table(name)) is wanted


def test_words_in_tafvizis_kinds():
    pairs = [(note((0, 11, "PATIENT"), (16, 19, "DOCTOR")), note((0, 7, "PATIENT"), (16, 19, "PATIENT")))]
    counts = measure_words(pairs, SCHEME).counts()
    assert {kind: (c.tp, c.fp, c.fn) for kind, c in counts.items()} == {
        "Non-PHI": (3, 1, 0), "Patients": (2, 1, 1), "Doctors": (0, 0, 1),
    }  # fmt: skip
    counts = measure_phi_words(pairs * 2)
    assert {kind: (c.tp, c.fp, c.fn) for kind, c in counts.items()} == {
        "PHI": (6, 0, 2),
        "Non-PHI": (6, 2, 0),
    }


def test_the_worked_example_of_the_documentation(tmp_path, capsys):
    text = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(json|text)\n(.*?)```", text, re.S)
    gold, system, printed = (body for _, body in blocks)
    (tmp_path / "gold.jsonl").write_text(gold)
    (tmp_path / "system.jsonl").write_text(system)
    run(tmp_path / "gold.jsonl", tmp_path / "system.jsonl")
    out = capsys.readouterr().out.splitlines()
    assert [line for line in printed.splitlines() if line and line not in out] == []
    signatures = [line for line in text.splitlines() if line.startswith("criterion:")]
    assert signatures[0].partition("scheme")[2] in out[out.index("") - 1]


def test_an_error_is_one_line_and_status_2(sides, end, capsys):
    gold, system = sides
    (system / "n100-01.xml").write_text(xml(NOTE + CANARY))
    assert end(evaluate.main, gold, system) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and CANARY not in said.err
    assert said.err.startswith("crfdeid: n100-01: gold and system texts differ at offset 31 (")


def test_two_files_with_one_id_are_refused(sides):
    gold, system = sides
    for name in ("310-01.xml", "310-01_again.xml"):
        (gold / name).write_text(xml("x"))
    with pytest.raises(CrfdeidError, match="310-01: two gold documents have this id"):
        run(gold, system)


def test_a_scheme_in_small_letters(tmp_path):
    small = scheme.Scheme("small", {"names": ("person", "place")})
    side = [matching.build_scored_document(Document("a", "Roe", (Span(0, 3, "person"),)), small)]
    assert "person" in report.format_report(
        evaluation.evaluate(side, side, EvaluationOptions(small, resamples=0))
    )
