"""The papers' figures as data: they load, agree with themselves, and are what the papers print."""

import dataclasses
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import published_tables
from crfdeid.systems.registry import read_config
from crfdeid.text import scheme

TABLES = published_tables.list_tables()
PAPERS = Path(__file__).parents[3] / "shared" / "papers"
FILES = {
    "he-2015": "he-2015-wi-deid",
    "shweta-2016": "shweta-2016",
    "sibanda-uzuner-2006": "sibanda-uzuner-2006",
    "tafvizi-2011": "tafvizi-2011",
    "douglass-2005": "douglass-2005",
}


def paper(name: str) -> str:
    return next(paper for paper in FILES if name.startswith(paper + "-"))


def rows_with(*columns: str) -> list[tuple[str, str, str]]:
    """Table, row and head ("CRF " of "CRF P") of all rows that have these columns."""
    found = []
    for name in TABLES:
        table = published_tables.read_table(name)
        for first in table.columns:
            head = first.removesuffix(columns[0])
            if first.endswith(columns[0]) and all(head + column in table.columns for column in columns):
                found += [(name, row, head) for row in table.rows]
    return found


def bounds(table: published_tables.PublishedTable, row: str, column: str) -> tuple[float, float]:
    """Between which numbers the one that was rounded to the printed one lies."""
    cell = table.rows[row][table.columns.index(column)]
    half = 0.5 * 10 ** -len(cell.partition(".")[2]) / (100 if column in table.percent else 1)
    value = table.value(row, column)
    return value - half - 1e-9, value + half + 1e-9


def test_every_paper_is_there():
    assert len(TABLES) >= 55
    assert {paper(name) for name in TABLES} == set(FILES)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_loads_and_its_numbers_are_in_range(name):
    table = published_tables.read_table(name)
    assert table.rows and all(text for text in (table.title, table.paper, table.table, table.corpus))
    assert set(table.percent) <= set(table.columns) and set(table.doubts) <= set(table.rows)
    for row in table.rows:
        for column in table.columns:
            value = table.value(row, column)
            share = column in table.percent or column.split()[-1] in ("P", "R", "F1")
            assert value is None or (0 <= value <= 1 if share else value >= 0)


def test_f1_is_the_harmonic_mean_of_p_and_r():
    """But for the rows that carry a doubt; and each such doubt is right."""
    wrong = set()
    for name, row, head in rows_with("P", "R", "F1"):
        table = published_tables.read_table(name)
        (p0, p1), (r0, r1), (f0, f1) = (bounds(table, row, head + column) for column in ("P", "R", "F1"))
        low, high = (2 * p * r / (p + r) if p > 0 and r > 0 else 0 for p, r in ((p0, r0), (p1, r1)))
        if not (low <= f1 and f0 <= high):
            wrong.add((name, row))
    assert wrong == {("sibanda-uzuner-2006-table-7", "IFinder Non-PHI"), ("tafvizi-2011-table-a-8", "DOCTOR")}
    assert all(row in published_tables.read_table(name).doubts for name, row in wrong)


@pytest.mark.parametrize("right, gold, system", [("right", "gold", "system"), ("TP", "FN", "FP")])
def test_p_and_r_follow_from_the_counts(right, gold, system):
    wrong = set()
    for name, row, _ in rows_with("P", "R", right):
        table = published_tables.read_table(name)
        tp = table.value(row, right)
        rest = tp if right == "TP" else 0
        for column, total in (("P", system), ("R", gold)):
            low, high = bounds(table, row, column)
            every = table.value(row, total) + rest
            if not low <= (tp / every if every else 0) <= high:
                wrong.add((name, row))
    assert wrong == ({("douglass-2005-table-5-3", "all")} if right == "TP" else set())
    assert all(row in published_tables.read_table(name).doubts for name, row in wrong)


def test_tables_of_he_agree():
    four, five, six, seven, eight = (published_tables.read_table(f"he-2015-table-{n}") for n in range(4, 9))
    for category in five.columns[:-1]:
        assert five.value("WI-deId", category) == four.value(category, "F1")
    three = published_tables.read_table("he-2015-table-3")
    assert five.value("WI-deId", "all") == three.value("i2b2 strict", "unofficial2 F1")
    for type in list(seven.rows)[:-1]:
        assert seven.value(type, "right") in (None, four.value(type, "right"))
    for column in ("missing", "spurious"):
        printed = [seven.value(row, column) for row in seven.rows]
        assert sum(printed[:-1]) == printed[-1] == six.value(column, "count")
    total = sum(six.value(kind, "count") for kind in six.rows)
    for kind in six.rows:
        assert six.value(kind, "share") == pytest.approx(six.value(kind, "count") / total, abs=5.1e-5)
    for column in eight.columns:
        parts = [eight.value(row, column) for row in eight.rows]
        assert sum(parts[:3]) == parts[3]
    assert eight.value("all", "all") == six.value("extent", "count")


def z(p1: float, p2: float, n1: float, n2: float) -> float:
    """Tafvizi 2011, equations 3.4 and 3.5."""
    p = (n1 * p1 + n2 * p2) / (n1 + n2)
    spread = math.sqrt(p * (1 - p) * (1 / n1 + 1 / n2))
    return abs(p1 - p2) / spread if spread else 0


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6, 8])
def test_z_follows_from_f1_and_the_token_counts(number):
    table = published_tables.read_table(f"tafvizi-2011-table-b-{number}")
    challenge, obesity = (published_tables.read_table(f"tafvizi-2011-table-5-{n}") for n in (1, 2))
    first = obesity if number == 5 else challenge
    second = obesity if number in (4, 5, 6) else challenge
    for row in table.rows:
        sizes = first.value(row, "test"), second.value(row, "test")
        if all(sizes):
            p1, p2, printed = (table.value(row, column) for column in table.columns)
            assert z(p1, p2, *sizes) == pytest.approx(printed, rel=0.02, abs=0.02)


COMPARED = {1: (6, 8), 2: (1, 3), 3: (6, 1), 4: (6, 12), 5: (12, 11), 6: (1, 11), 7: (14, 1), 8: (6, 15)}


@pytest.mark.parametrize("number", COMPARED)
def test_tables_of_tafvizi_agree(number):
    compared = published_tables.read_table(f"tafvizi-2011-table-b-{number}")
    for column, of in zip(compared.columns, COMPARED[number]):
        table = published_tables.read_table(f"tafvizi-2011-table-a-{of}")
        assert all(compared.value(row, column) == table.value(row, "F1") for row in table.rows)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_averages_of_douglass(number):
    table = published_tables.read_table(f"douglass-2005-table-a-{number}")
    rows = [row for row in table.rows if row[0].isdigit()]
    for column in table.columns:
        mean = sum(table.value(row, column) for row in rows) / len(rows)
        assert table.value("average", column) == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("number, who", [(1, "1 person"), (2, "2 people"), (3, "3 people")])
def test_the_summary_of_douglass_is_that_of_her_appendix(number, who):
    table, four = (
        published_tables.read_table(f"douglass-2005-table-a-{number}"),
        published_tables.read_table("douglass-2005-table-4-1"),
    )
    for column in table.columns:
        values = [table.value(row, column) for row in table.rows if row[0].isdigit()]
        wanted = {"min": min(values), "max": max(values), "mean": table.value("average", column)}
        for name, value in wanted.items():
            assert four.value(f"{who}, {column}", name) == pytest.approx(value, abs=0.0051)


def test_rows_are_types_of_our_schemes():
    for name in ("he-2015-table-4", "he-2015-table-7", "shweta-2016-table-2"):
        ours = scheme.read_scheme("i2b2-2014")
        assert set(published_tables.read_table(name).rows) <= {*ours.types, *ours.categories, "all"}
    for name in TABLES:
        if name.startswith("tafvizi"):
            assert set(published_tables.read_table(name).rows) == {
                *scheme.read_scheme("i2b2-2006").types,
                "Non-PHI",
            }


# Not rows of a printed table, or a table whose cells the machine-read text holds in another order.
LOOSE = (
    "he-2015-table-7",
    "sibanda-uzuner-2006-section-6-4",
    "tafvizi-2011-table-a-15",
    "he-2015-figure-2",
)


@pytest.mark.skipif(not PAPERS.is_dir(), reason="needs the papers beside the checkout")
@pytest.mark.parametrize("name", TABLES)
def test_every_row_stands_in_the_paper_as_printed(name):
    table = published_tables.read_table(name)
    text = (PAPERS / f"{FILES[paper(name)]}.txt").read_text(encoding="utf-8")
    for row, cells in table.rows.items():
        if name in LOOSE:
            assert all(cell in text for cell in cells if "rank" not in table.columns)
        else:
            together = r"[\s%]+".join(map(re.escape, cells))
            assert re.search(rf"(?<![\d.]){together}(?![\d]|\.\d)", text), row


FIVE = published_tables.read_table("he-2015-table-5")


def test_beside_puts_our_number_next_to_the_paper_s():
    ours = {"WI-deId": {"AGE": 0.87654, "all": 1.0}, "SVM": {"all": 0.5, "spans": 12}}
    lines = published_tables.format_beside(FIVE, ours, "150 synthetic notes", width=1000).splitlines()
    assert "table 5" in lines[0]
    assert lines[1].startswith("paper: i2b2/UTHealth 2014") and lines[2] == "ours:  150 synthetic notes"
    assert lines[4].split()[-3:] == ["all", "all", "spans"]
    assert lines[5].split()[-3:] == ["paper", "ours", "ours"]
    assert lines[7].split()[4:7] == ["0.9137", "0.8765", "0.9746"]
    assert lines[7].split()[-3:] == ["0.9232", "1.0000", "-"]
    assert lines[8].split()[-3:] == ["-", "0.5000", "12.0000"]


def test_beside_tells_ours_in_percent_where_the_paper_does():
    text = published_tables.format_beside(
        published_tables.read_table("shweta-2016-table-5"), {"all": {"CRF F1": 0.87654}}, "x"
    )
    assert "91.99" in text and "87.65" in text and "in percent" in text


def test_beside_names_the_paper_s_own_contradictions():
    table = published_tables.read_table("tafvizi-2011-table-a-8")
    assert table.doubts["DOCTOR"] in published_tables.format_beside(table, {}, "x")


CELLS = st.dictionaries(st.sampled_from([*FIVE.columns, "z"]), st.floats(0, 1))


def test_what_rounds_to_nothing_has_no_sign():
    text = published_tables.format_beside(
        published_tables.read_table("he-2015-figure-2"), {"DATE": {"gain": -0.004}}, "x"
    )
    assert next(line for line in text.splitlines() if line.startswith("DATE")).split() == ["DATE", "-", "0"]


PLAIN = published_tables.PublishedTable(
    "t", "A title", "a paper", "table 1", "a corpus", "", "strict", ("P", "R"),
    {"AGE": ("90.1", "80"), "all": ("-", "85.55")}, percent=("P", "R"), doubts={"AGE": "too high"},
)  # fmt: skip


def test_a_table_beside_ours_whole():
    ours = {"AGE": {"P": 0.5, "F1": 0.25}, "mine": {"R": 1.0}}
    assert published_tables.format_beside(PLAIN, ours, "3 notes").splitlines() == [
        "A title (a paper, table 1)",
        "paper: a corpus, strict",
        "ours:  3 notes",
        "",
        "          P     P      R       R     F1",
        "      paper  ours  paper    ours   ours",
        "AGE    90.1  50.0     80       -  25.00",
        "all       -     -  85.55       -      -",
        "mine      -     -      -  100.00      -",
        "",
        "in percent: P, R",
        "the paper's AGE: too high",
    ]


@pytest.mark.parametrize(
    ("percent", "note", "remarks"),
    [((), "", []), ((), "A note.", ["", "A note."]), (("P",), "A note.", ["", "in percent: P", "A note."])],
)
def test_remarks_are_below_the_table(percent, note, remarks):
    table = dataclasses.replace(PLAIN, percent=percent, note=note, doubts={})
    assert published_tables.format_remarks(table) == remarks


@pytest.mark.parametrize(
    ("column", "percent", "wanted"),
    [("P", ("P", "R"), True), ("P", ("R",), False), ("F1", ("P", "R"), True), ("F1", ("P",), False),
     ("F1", (), False)],
)  # fmt: skip
def test_a_column_of_ours_is_in_percent_where_all_of_the_paper_are(column, percent, wanted):
    assert published_tables.is_percent(dataclasses.replace(PLAIN, percent=percent), column) is wanted


def test_a_table_is_split_where_a_line_would_be_too_long():
    lines = [["", "a P", "a R", "b"], ["A ROW", "0.5", "0.25", "1"]]
    (whole,) = published_tables.split_columns(lines, 19)
    assert published_tables.align_columns(whole)[1] == "A ROW  0.5  0.25  1"  # 19 characters
    assert list(published_tables.split_columns(lines, 18)) == [
        [["", "a P", "a R"], ["A ROW", "0.5", "0.25"]], [["", "b"], ["A ROW", "1"]],
    ]  # fmt: skip


def test_a_wide_table_goes_on_below():
    table = published_tables.read_table("he-2015-table-3")
    ours = {"HIPAA token": dict.fromkeys(table.columns, 0.5)}
    lines = published_tables.format_beside(table, ours, "x").splitlines()
    heads = [line.split() for line in lines if "F1" in line]
    assert [set(head[::2]) for head in heads] == [{"official"}, {"unofficial1"}, {"unofficial2"}]
    assert max(map(len, lines[3:-2])) <= published_tables.WIDTH
    assert sum(line.startswith("HIPAA token") for line in lines) == 3


@given(st.dictionaries(st.sampled_from([*FIVE.rows, "new"]), CELLS))
def test_beside_shows_each_of_our_numbers(rows):
    lines = published_tables.format_beside(FIVE, rows, "c", width=1000).splitlines()
    head = lines[4:6]
    for row, cells in rows.items():
        line = next(line for line in lines[6:] if line.startswith(row))
        values = line.removeprefix(row).split()
        assert len(values) == len(head[1].split())
        assert all(f"{value:.4f}" in values for value in cells.values())


BAD = [
    ('colums = ["P"]', "no setting colums; did you mean columns?"),
    ("", "columns is not set"),
    ('columns = ["P", "R"]\n[rows]\nAGE = [0.5]', "row AGE has 1 cells; wanted 2"),
    ("columns = [", "Invalid value"),
]


@pytest.mark.parametrize("text, message", BAD)
def test_a_bad_table_is_refused(tmp_path, text, message):
    rest = "".join(f'{key} = "x"\n' for key in ("title", "paper", "table", "corpus", "split", "criterion"))
    (tmp_path / "t.toml").write_text(rest + text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        published_tables.read_table(str(tmp_path / "t.toml"))


def test_an_unknown_table_row_or_column_is_refused_with_the_nearest():
    with pytest.raises(ConfigurationError, match="did you mean he-2015-table-5"):
        published_tables.read_table("he-2015-tabel-5")
    with pytest.raises(ConfigurationError, match="did you mean WI-deId"):
        FIVE.value("WI-deid", "AGE")


@pytest.mark.parametrize("network", ["Elman", "Jordan"])
def test_the_networks_have_the_settings_of_shweta_s_table_3(network):
    table = published_tables.read_table("shweta-2016-table-3")
    options = read_config(f"rnn_{network.lower()}").options
    keys = ("hidden", "rate", "dropout", "epochs", "window")
    wanted = [table.value(row, network) for row in table.rows]
    assert [options[key] for key in keys] == wanted
