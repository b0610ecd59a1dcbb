"""Tables for papers: the best figure is bold, stars mark differences, the signature is below."""

import re

import pytest

from crfdeid import corpora
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.evaluate.evaluation import EvaluationOptions, compare
from crfdeid.evaluate.evaluation import evaluate as evaluate_sides
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.type_table import (
    COLUMNS,
    PaperRow,
    PaperTable,
    build_table,
    escape_latex,
    show_stars,
)
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

ROWS = [
    PaperRow("base_line", dict.fromkeys(COLUMNS, 0.5)),
    PaperRow(
        "ours & more",
        dict.fromkeys(COLUMNS, 0.25) | {"strict F1": 0.75},
        {"strict F1": 0.001, "token R": 0.04},
    ),
    PaperRow("equal", dict.fromkeys(COLUMNS, 0.50001)),
]
TABLE = PaperTable(ROWS, "scheme:i2b2-2014|documents:3")


LATEX = r"""
\begin{table}
\begin{tabular}{lrrrrrrrrr}
\toprule
 & \multicolumn{3}{c}{Strict} & \multicolumn{3}{c}{Relaxed} & \multicolumn{3}{c}{Token} \\
\cmidrule(lr){2-4} \cmidrule(lr){5-7} \cmidrule(lr){8-10}
System & P & R & F1 & P & R & F1 & P & R & F1 \\
\midrule
base\_line & BOLD & BOLD & 0.5000 & BOLD & BOLD & BOLD & BOLD & BOLD & BOLD \\
ours \& more & 0.2500 & 0.2500 & \textbf{0.7500}$^{**}$ & 0.2500 & 0.2500 & 0.2500 & 0.2500 & 0.2500$^{*}$ & 0.2500 \\
equal & BOLD & BOLD & 0.5000 & BOLD & BOLD & BOLD & BOLD & BOLD & BOLD \\
\bottomrule
\multicolumn{10}{p{0.95\linewidth}}{\footnotesize NOTE scheme:i2b2-2014\textbar{}documents:3} \\
\end{tabular}
\end{table}
"""  # noqa: E501
NOTE = r"*: p $<$ 0.05, **: p $<$ 0.01 against base\_line (two-sided, not adjusted)."


def test_latex_has_bold_stars_and_the_signature():
    """Bold is what is best as printed: 0.50001 is 0.5000 too."""
    wanted = LATEX.lstrip().replace("BOLD", r"\textbf{0.5000}").replace("NOTE", NOTE)
    assert TABLE.render_latex() == wanted


def test_of_two_systems_the_better_figures_are_bold():
    table = PaperTable([ROWS[1], PaperRow("b", dict.fromkeys(COLUMNS, 0.5))], "s:1")
    first, second = (line for line in table.render_latex().splitlines() if "0.5000" in line or "0.25" in line)
    assert first.count("textbf") == 1 and second.count("textbf") == 8


def test_the_note_says_how_p_was_adjusted():
    assert PaperTable(ROWS, "s:1", adjusted=True).note == (
        "*: p < 0.05, **: p < 0.01 against base_line "
        "(two-sided, adjusted for the number of rows by Holm's method). s:1"
    )


@pytest.mark.parametrize(("p", "stars"), [(0.0099, "**"), (0.01, "*"), (0.0499, "*"), (0.05, ""), (1.0, "")])
def test_stars_are_for_less_than_5_and_1_percent(p, stars):
    assert show_stars(p) == stars == PaperRow("a", {}, {"token P": p}).show_stars("token P")


def test_markdown_has_the_same_cells():
    head, rule, base, ours, _, _, note = TABLE.render_markdown().splitlines()
    assert head.count("|") == rule.count("|") == base.count("|") == ours.count("|") == 11
    assert "**0.7500**<sup>\\*\\*</sup>" in ours and "0.2500<sup>\\*</sup>" in ours
    assert note.startswith("\\*: p < 0.05")
    half = " | ".join(["**0.5000**"] * 2)
    assert base == f"| base_line | {half} | 0.5000 | {half} | {half} | {half} |"
    assert rule == "|---|---|---|---|---|---|---|---|---|---|"


def test_a_bar_in_a_name_does_not_end_a_cell_of_markdown():
    table = PaperTable([PaperRow("a|b", dict.fromkeys(COLUMNS, 0.5))], "s:1")
    assert table.render_markdown().splitlines()[2].startswith("| a\\|b | 0.5000 |")


def test_one_system_has_no_best_and_no_stars():
    table = PaperTable(ROWS[:1], "s:1")
    assert "textbf" not in table.render_latex() and table.note == "s:1"


def test_signs_of_latex_are_escaped():
    assert escape_latex("a_b & 5% {x} ~^\\ #$") == (
        r"a\_b \& 5\% \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} \#\$"
    )


def test_a_table_of_one_system_and_of_two():
    scheme = read_scheme()
    gold, half = (
        [build_scored_document(Document("a", "Ana Roe", spans), scheme)]
        for spans in ((Span(0, 3, "PATIENT"), Span(4, 7, "PATIENT")), (Span(0, 3, "PATIENT"),))
    )
    one, two = (evaluate_sides(gold, side, EvaluationOptions(scheme, resamples=9)) for side in (half, gold))
    alone = build_table(["half"], [one], [])
    assert alone.rows[0].figures["strict P"] == 1 and alone.rows[0].figures["token R"] == 0.5
    assert alone.note == one.signature.text(average="micro").replace("|system:1", "")
    both = build_table(["half", "whole"], [one, two], [compare(one, two)])
    assert both.signature.startswith("average:micro|method:approximate randomisation|unit:document|resamp")
    assert [row.p.keys() for row in both.rows] == [{}.keys(), set(COLUMNS)]
    assert both.rows[1].p["strict F1"] == compare(one, two).randomised["strict"]["f1"].p


@pytest.fixture
def sides(tmp_path):
    """Gold, and two systems in folders of other names."""
    texts = {f"n{n}": f"Seen by Dr. Ruiz on day {n}." for n in range(19)}
    spans = {"gold": 19, "crf": 19, "old": 3}
    for name, found in spans.items():
        notes = [
            Document(id, text, (Span(12, 16, "DOCTOR"),) * (n < found))
            for n, (id, text) in enumerate(texts.items())
        ]
        corpora.write(notes, tmp_path / name, "brat")
    return tmp_path


def test_evaluate_names_the_systems_and_writes_both_tables(sides, capsys):
    paths = [str(sides / name) for name in ("gold", "crf")]
    files = [
        "--latex",
        str(sides / "t.tex"),
        "--markdown",
        str(sides / "t.md"),
        "--html",
        str(sides / "p.html"),
    ]
    evaluate.main([*paths, "--against", str(sides / "old"), "--resamples", "200", *files])
    said = capsys.readouterr().out
    assert re.search(r"criterion metric +crf +old +p", said) and "system   other" not in said
    latex, page = (sides / "t.tex").read_text(), (sides / "p.html").read_text()
    assert re.search(r"crf & \\textbf{1.0000}|crf & 1.0000", latex) and "$^{*" in latex.split("old & ")[1]
    assert (sides / "t.md").read_text().startswith("| system | strict P |")
    assert "system:" not in latex and "gold:" in latex
    assert "What went wrong: crf, compared with old" in page and page.count("<pre>") == 3


def test_systems_of_one_name_are_called_by_their_paths(tmp_path):
    paths = [tmp_path / "a" / "found", tmp_path / "b" / "found"]
    assert evaluate.name_systems(paths) == [str(path) for path in paths]
