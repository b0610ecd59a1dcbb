"""docs/works.md has every printed table, and names only configurations and features that exist."""

import re
from pathlib import Path

import pytest
from shipped_plans import CONFIGS, read_shipped

from crfdeid import cli
from crfdeid.evaluate import published_tables

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "works.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
HEADS = {
    "he-2015": "## He et al. 2015",
    "shweta-2016": "## Shweta et al. 2016",
    "sibanda-uzuner-2006": "## Sibanda & Uzuner 2006",
    "tafvizi-2011": "## Tafvizi 2011",
    "douglass-2005": "## Douglass 2005",
}
RANGE = re.compile(r"\b((?:[AB]|\d)[.-]|(?<=equations ))(\d+) to \1(\d+)")
# What the papers print, and the systems and feature groups that stand for theirs.
PRINTED = {
    "he-2015": ("table 1 2 3 4 5 6 7 8", "figure 1 2 3"),
    "shweta-2016": ("table 1 2 3 4 5 6", "figure 1 2"),
    "sibanda-uzuner-2006": ("table 1 2 3 4 5 6 7 8 9 10 11 12 13",),
    "tafvizi-2011": (
        "table 2.1 2.2 2.3 2.4 2.5 2.6 5.1 5.2",
        "table A.1 A.2 A.3 A.4 A.5 A.6 A.7 A.8 A.9 A.10 A.11 A.12 A.13 A.14 A.15",
        "table B.1 B.2 B.3 B.4 B.5 B.6 B.7 B.8",
        "figure 1-1 1-2 3-1 4-1",
    ),
    "douglass-2005": (
        "table 4.1 5.1 5.2 5.3 5.4 A.1 A.2 A.3",
        "figure 2-1 2-2 2-3 2-4 2-5 2-6 2-7 3-1 3-2",
    ),
}
EQUATIONS = {
    "he-2015": "1 2 3",
    "shweta-2016": "1 2 3 4 5 6 7 8 9",
    "tafvizi-2011": "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 3.1 3.2 3.3 3.4 3.5",
    "douglass-2005": "3.1",
}
OURS = ("sibanda_groups", "operating_points", "normal_forms", "he_crfpp")  # no paper has such a table
ITEMS = [(work, number) for work, lines in PRINTED.items() for line in lines for number in line.split()[1:]]
SYSTEMS = (
    "crf",
    "svm",
    "mega",
    "multi",
    "two_stage",
    "hmm",
    "snow",
    "rnn_elman",
    "rnn_jordan",
    "heuristic",
    "rules",
)
GROUPS = (
    "lexical", "pos", "orthographic", "training_dictionary", "he_official", "shweta", "sibanda", "snow",
    "stat_deid", "stanford", "mist", "illinois", "mimic",
)  # fmt: skip


def read_section(work):
    text = PAGE.split(HEADS[work])[1].split("\n## ")[0]
    return RANGE.sub(lambda m: ", ".join(f"{m[1]}{n}" for n in range(int(m[2]), int(m[3]) + 1)), text)


def list_rows(work):
    """Return the cells of each row of a work's table."""
    lines = [line for line in read_section(work).splitlines() if line.startswith("|")]
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def list_spans(text):
    """Return what the page writes as code."""
    return re.findall(r"`([^`]+)`", text)


def has_number(text, number):
    return re.search(rf"(?<![\d.-]){re.escape(number)}(?![.-]?\d)", text)


def read_name(published):
    """Return the work, the kind and the number of a published table, as they are printed."""
    work, kind, number = re.fullmatch(r"(.+-\d{4})-(table|figure|section)-(.+)", published).groups()
    return work, kind, number if kind == "figure" else number.upper().replace("-", ".")


def list_configurations(work, kind, number):
    """Return the configurations in the rows of a table or figure."""
    rows = [row for row in list_rows(work) if (kind == "figure") == row[0].startswith("figure")]
    cells = [here for part, here, *_ in rows if has_number(part.split("table")[-1], number)]
    names = [
        name for cell in cells for span in list_spans(cell) for name in re.findall(r"^(?:A )?(\w+)", span)
    ]
    return [name for name in names if name in CONFIGS]


ROWS = [(work, *cells) for work in HEADS for cells in list_rows(work)]


def test_a_row_has_a_part_what_runs_what_is_as_printed_and_what_is_ours():
    for row in ROWS:
        assert len(row) == 5 and all(cell.strip() for cell in row), row
        *_, printed, ours = row
        assert "as printed" not in printed + ours and (printed != "no" or ours != "–"), row


@pytest.mark.parametrize("published", published_tables.list_tables())
def test_an_ablation_in_the_row_of_a_table_prints_it(published):
    plans = [read_shipped(name) for name in list_configurations(*read_name(published))]
    assert not any(p.published for p in plans) or any(published in p.published for p in plans)


@pytest.mark.parametrize("work", EQUATIONS)
def test_every_numbered_equation_has_a_row(work):
    parts = "; ".join(part for part, *_ in list_rows(work) if "equation" in part)
    assert [number for number in EQUATIONS[work].split() if not has_number(parts, number)] == []


@pytest.mark.parametrize(
    ("work", "section"),
    [
        ("he-2015", "2.1, step 1"),
        ("tafvizi-2011", "4.1.2"),
        ("tafvizi-2011", "4.1.3"),
        ("tafvizi-2011", "listing 4.1"),
        ("tafvizi-2011", "listing 4.2"),
        ("tafvizi-2011", "2.5.3"),
        ("douglass-2005", "2.4"),
        ("douglass-2005", "5.3"),
    ],
)
def test_a_section_with_a_method_has_a_row(work, section):
    assert any(section.split(", ")[-1] in part or has_number(part, section) for part, *_ in list_rows(work))


@pytest.mark.parametrize("command", [c for c in list_spans(PAGE) if re.search(r"(^| )-(-|m )", c)])
def test_a_command_of_the_page_exists_with_its_options(command):
    options = re.findall(r"(--[a-z-]+)", command)
    verbs = {verb for group in cli.VERBS.values() for verb in group}
    used = [verb for verb in re.findall(r"(?:crfdeid[ .]|^)(\w+)", command) if verb in verbs]
    assert used or not re.search(r"crfdeid[ .]", command)
    if script := re.search(r"benchmarks/\w+\.py", command):
        text = (ROOT / script[0]).read_text(encoding="utf-8")
    elif used:
        text = COMMANDS.split(f"\n### {used[0]}\n")[1].split("\n### ")[0]
    else:
        text = COMMANDS + "".join(
            (ROOT / f"benchmarks/{name}.py").read_text(encoding="utf-8") for name in ("rnn", "sibanda")
        )
    assert [option for option in options if option not in text] == []


def test_the_paths_of_the_page_are_there():
    paths = [path for path in list_spans(PAGE) if re.fullmatch(r"[\w/]+(\.(py|toml)|/)", path)]
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []


def test_every_table_and_figure_of_the_papers_has_a_row():
    names = [read_name(name) for name in published_tables.list_tables()]
    items = [*ITEMS, *((work, number) for work, _, number in names)]
    assert [item for item in items if not has_number(read_section(item[0]), item[1])] == []


HYPOTHESES = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8").split("### Her four hypotheses")[1]
# What the table of hypotheses takes of each published table, and the result that follows.
CITED = {
    1: [("b-1", "DOCTOR", "z", 2)],
    2: [("b-6", "PATIENT", "obesity F1", 5), ("a-13", "PATIENT", "F1", 5)],
    3: [("b-7", "HOSPITAL", "z", 5), ("b-7", "Non-PHI", "z", 5)],
    4: [],
}


@pytest.mark.parametrize("number", CITED)
def test_a_hypothesis_has_her_claim_her_result_and_ours(number):
    (row,) = re.findall(rf"^\| {number} \| (.+) \|$", HYPOTHESES, re.MULTILINE)
    claim, result, ours = row.split(" | ")
    assert "Mega" in claim and '"' in claim and f"6.1.{number}" in result and ours
    for table, name, column, digits in CITED[number]:
        value = published_tables.read_table(f"tafvizi-2011-table-{table}").value(name, column)
        assert f"{value:.{digits}f}" in result


def test_the_fourth_hypothesis_is_refuted_by_her_and_by_us():
    (row,) = re.findall(r"^\| 4 \| (.+) \|$", HYPOTHESES, re.MULTILINE)
    claim, result, ours = row.split(" | ")
    assert (
        claim.startswith('Mega "outperforms') and result.startswith("refuted") and ours.startswith("refuted")
    )
    table = published_tables.read_table("tafvizi-2011-table-b-8")
    for type in ("DOCTOR", "LOCATION", "HOSPITAL", "DATE", "Non-PHI"):
        assert table.value(type, "multi F1") > table.value(type, "mega F1") and table.value(type, "z") > 1.96


def test_every_system_and_feature_group_of_the_papers_is_on_the_page():
    assert [name for name in (*SYSTEMS, *GROUPS) if f"`{name}`" not in PAGE] == []


def test_a_command_of_the_page_has_its_configuration():
    names = set(re.findall(r"`A (\w+)", PAGE))
    assert names and [name for name in names if not read_shipped(name).published and name not in OURS] == []


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_that_prints_a_papers_table_is_on_the_page(name):
    if read_shipped(name).published:
        assert re.search(rf"\b{name}\b", PAGE)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_page_says_of_each_configuration_with_runs_whether_it_was_run(name):
    made = read_shipped(name)
    if len(made.runs) > 1 or made.published:
        assert f"`{name}`" in PAGE.split("\n## Run on ")[1]
