"""Tables for papers: the best figure is bold, stars mark differences, the signature is below."""

import re

import pytest

from crfdeid import corpora
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.evaluate.paper_table import COLUMNS, PaperRow, PaperTable, escape_latex
from crfdeid.text.document import Document, Span

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


def test_latex_has_bold_stars_and_the_signature():
    lines = TABLE.render_latex().splitlines()
    base, ours, equal = (
        next(line for line in lines if line.startswith(name)) for name in ("base", "ours", "equal")
    )
    assert base.startswith(r"base\_line & \textbf{0.5000} & \textbf{0.5000} & 0.5000 & ")
    assert ours.startswith(r"ours \& more & 0.2500 & 0.2500 & \textbf{0.7500}$^{**}$ & ")
    assert ours.endswith(r"& 0.2500$^{*}$ & 0.2500 \\") and equal.count("textbf") == 8
    assert all(line.count("&") - line.count(r"\&") == 9 for line in (base, ours, equal))
    assert r"*: p $<$ 0.05, **: p $<$ 0.01 against base\_line" in lines[-3]
    assert r"scheme:i2b2-2014\textbar{}documents:3" in lines[-3]
    for rule in ("toprule", "midrule", "bottomrule", "end{tabular}"):
        assert sum(rule in line and "cmidrule" not in line for line in lines) == 1


def test_markdown_has_the_same_cells():
    head, rule, base, ours, _, _, note = TABLE.render_markdown().splitlines()
    assert head.count("|") == rule.count("|") == base.count("|") == ours.count("|") == 11
    assert "**0.7500**<sup>\\*\\*</sup>" in ours and "0.2500<sup>\\*</sup>" in ours
    assert note.startswith("\\*: p < 0.05")


def test_one_system_has_no_best_and_no_stars():
    table = PaperTable(ROWS[:1], "s:1")
    assert "textbf" not in table.render_latex() and table.note == "s:1"


def test_signs_of_latex_are_escaped():
    assert escape_latex("a_b & 5% {x} ~^\\ #$") == (
        r"a\_b \& 5\% \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} \#\$"
    )


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
