"""Strict P, R and F1 by type: counts, intervals, tests with Holm's correction, and the forms for a paper."""

import csv

import pytest

from crfdeid import corpora
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.evaluate import type_table
from crfdeid.evaluate.evaluation import EvaluationOptions, compare
from crfdeid.evaluate.evaluation import evaluate as score
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.significance import Interval, bootstrap
from crfdeid.evaluate.type_table import TypeRow, escape_latex
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

TEXT = "Seen by Dr. Ruiz on 3/2061."
DOCTOR, DATE, PATIENT = Span(12, 16, "DOCTOR"), Span(20, 26, "DATE"), Span(12, 16, "PATIENT")
GOLD = [(DOCTOR, DATE)] * 12
GOOD = [(DOCTOR, DATE)] * 11 + [(PATIENT,)]
POOR = [(DOCTOR,)] * 12


def notes(rows):
    return [Document(str(number), TEXT, spans) for number, spans in enumerate(rows)]


@pytest.fixture(scope="module")
def systems():
    options = EvaluationOptions(read_scheme(), resamples=300)
    gold, *sides = ([build_scored_document(n, options.scheme) for n in notes(r)] for r in (GOLD, GOOD, POOR))
    return {name: score(gold, side, options) for name, side in zip(("good", "poor"), sides)}


def test_the_rows_of_one_system(systems):
    (rows,) = type_table.build_type_tables({"good": systems["good"]}, {}).values()
    found = {row.title: row for row in rows}
    titles = ["all", "PHI or not", "HIPAA", "NAME", "PATIENT", "DOCTOR", "DATE"]
    assert list(found) == titles
    assert found["all"].sizes == (24, 23, 22) and found["PHI or not"].sizes == (24, 23, 23)
    assert found["DOCTOR"].figures == {"P": 1.0, "R": 11 / 12, "F1": pytest.approx(22 / 23)}
    assert found["PATIENT"].sizes == (0, 1, 0) and found["PATIENT"].adjusted is None
    counts = systems["good"].scores.count_by_document
    for row, element, type in (("all", "", ""), ("DATE", "DATE", ""), ("DOCTOR", "NAME", "DOCTOR")):
        strict = next(c for c in systems["good"].scores.statistics if str(c.name) == "strict" and not c.hipaa)
        ends = bootstrap(counts(strict, element, type), resamples=300)
        assert found[row].intervals == {"P": ends["precision"], "R": ends["recall"], "F1": ends["f1"]}


def test_the_tests_are_those_of_a_comparison_and_are_adjusted_together(systems):
    good, poor = systems["good"], systems["poor"]
    tables = type_table.build_type_tables(systems, {"poor": good})
    found = {row.title: row for row in tables["poor"]}
    rows = compare(poor, good).rows
    assert {title: row.p for title, row in found.items() if title in rows} == {
        title: difference.p for title, (difference, _) in rows.items() if title in found
    }
    assert found["DATE"].change == pytest.approx(-22 / 23) and found["DATE"].stars == "**"
    assert found["DATE"].adjusted == rows["DATE"][1]
    assert all(row.p is None for row in tables["good"])


ENDS = dict.fromkeys(("P", "R", "F1"), Interval(0.25, 0.75))
ROW = TypeRow("all", (4, 5, 2), {"P": 0.4, "R": 0.5, "F1": 4 / 9}, ENDS)
OTHER = TypeRow("all", (4, 2, 1), {"P": 0.5, "R": 0.25, "F1": 1 / 3}, {}, -1 / 9, 0.01, 0.02)
TABLES = {"base_1": [ROW], "b": [OTHER]}
STARS = (
    "*: p < 0.05, **: p < 0.01 for F1 against base_1, Holm's correction within categories, types and unions. "
    "s:1"
)
LATEX = r"""
\begin{table}
\caption{base\_1}
\begin{tabular}{lrrrrrr}
\toprule
spans & gold & system & right & P & R & F1 \\
\midrule
all & 4 & 5 & 2 & 0.400 (0.250 to 0.750) & 0.500 (0.250 to 0.750) & 0.444 (0.250 to 0.750) \\
\bottomrule
\multicolumn{7}{p{0.95\linewidth}}{\footnotesize NOTE} \\
\end{tabular}
\end{table}

\begin{table}
\caption{b}
\begin{tabular}{lrrrrrr}
\toprule
spans & gold & system & right & P & R & F1 \\
\midrule
all & 4 & 2 & 1 & 0.500 & 0.250 & 0.333$^{*}$ \\
\bottomrule
\multicolumn{7}{p{0.95\linewidth}}{\footnotesize NOTE} \\
\end{tabular}
\end{table}
"""
MARKDOWN = r"""
**base_1**

| spans | gold | system | right | P | R | F1 |
|---|---:|---:|---:|---:|---:|---:|
| all | 4 | 5 | 2 | 0.400 (0.250 to 0.750) | 0.500 (0.250 to 0.750) | 0.444 (0.250 to 0.750) |

**b**

| spans | gold | system | right | P | R | F1 |
|---|---:|---:|---:|---:|---:|---:|
| all | 4 | 2 | 1 | 0.500 | 0.250 | 0.333\* |

NOTE
"""


def test_the_forms_of_two_systems():
    note = type_table.write_note(TABLES, "s:1")
    assert note == STARS
    assert type_table.render_latex(TABLES, note) == LATEX.lstrip().replace("NOTE", escape_latex(note))
    assert type_table.render_markdown(TABLES, note) == MARKDOWN.lstrip().replace(
        "NOTE", note.replace("*", "\\*")
    )
    head, *lines = type_table.build_csv_rows(TABLES)
    assert head == [
        "run", "spans", "gold", "system", "right", "P", "R", "F1", "P low", "P high", "R low", "R high",
        "F1 low", "F1 high", "F1 change", "F1 p", "F1 p Holm",
    ]  # fmt: skip
    assert lines == [
        ["base_1", "all", 4, 5, 2, 0.4, 0.5, 4 / 9, *(0.25, 0.75) * 3, "", "", ""],
        ["b", "all", 4, 2, 1, 0.5, 0.25, 1 / 3, *("", "") * 3, -1 / 9, 0.01, 0.02],
    ]


def test_one_system_needs_no_name_over_its_table():
    head = "| spans | gold | system | right | P | R | F1 |"
    assert type_table.render_markdown({"a": [ROW]}, "s:1").splitlines()[0] == head
    assert type_table.write_note({"a": [ROW]}, "s:1") == "s:1"


def test_a_row_without_a_test_has_no_stars():
    assert (ROW.stars, OTHER.stars) == ("", "*")


def test_the_command_writes_each_form(tmp_path, capsys):
    for name, rows in (("gold", GOLD), ("good", GOOD), ("poor", POOR)):
        corpora.write(notes(rows), tmp_path / f"{name}.jsonl", "jsonl")
    paths = [str(tmp_path / f"{name}.jsonl") for name in ("gold", "good")]
    files = [tmp_path / name for name in ("t.tex", "t.md", "t.csv")]
    options = [str(o) for pair in zip(("--latex", "--markdown", "--types-csv"), files) for o in pair]
    evaluate.main([*paths, "--against", str(tmp_path / "poor.jsonl"), "--resamples", "300", *options])
    latex, markdown, sheet = (file.read_text() for file in files)
    assert latex.count("\\begin{table}") == latex.count("\\end{table}") == 3
    assert "\\caption{poor}" in latex and "DATE & 12 & 0 & 0 & 0.000 (0.000 to 0.000)" in latex
    start = "| DOCTOR | 12 | 11 | 11 | 1.000 ("
    line = next(line for line in markdown.splitlines() if line.startswith(start))
    assert line.count("|") == 8
    assert "Holm's correction" in latex and "Holm's correction" in markdown
    table = list(csv.DictReader(sheet.splitlines()))
    assert [row["run"] for row in table if row["spans"] == "all"] == ["good", "poor"]
    assert {row["F1 p Holm"] for row in table if row["run"] == "good"} == {""}


def test_without_resamples_there_are_counts_only(systems, tmp_path):
    options = EvaluationOptions(read_scheme(), resamples=0)
    gold, good = ([build_scored_document(n, options.scheme) for n in notes(rows)] for rows in (GOLD, GOOD))
    evaluation = score(gold, good, options)
    tables = type_table.build_type_tables({"a": evaluation, "b": evaluation}, {"b": evaluation})
    assert all(not row.intervals and row.p is None for rows in tables.values() for row in rows)
    assert type_table.write_note(tables, "s:1") == "s:1"
