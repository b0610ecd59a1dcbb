"""docs/works.md has every printed table, and names only configurations and features that exist."""

import re
from pathlib import Path

import pytest

from crfdeid import resources
from crfdeid.ablate import plan
from crfdeid.evaluate import published_tables

PAGE = (Path(__file__).parents[1] / "docs" / "works.md").read_text(encoding="utf-8")
HEADS = {
    "he-2015": "## He et al. 2015",
    "shweta-2016": "## Shweta et al. 2016",
    "sibanda-uzuner-2006": "## Sibanda & Uzuner 2006",
    "tafvizi-2011": "## Tafvizi 2011",
    "douglass-2005": "## Douglass 2005",
}
RANGE = re.compile(r"\b((?:[AB]|\d)[.-])(\d+) to \1(\d+)")
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


@pytest.mark.parametrize("name", published_tables.list_tables())
def test_every_printed_table_has_a_row(name):
    work, kind, number = re.fullmatch(r"(.+-\d{4})-(table|figure|section)-(.+)", name).groups()
    wanted = number.upper().replace("-", ".") if kind != "figure" else number
    assert re.search(rf"(?<![\d.]){re.escape(wanted)}(?!\.?\d)", read_section(work)), wanted


@pytest.mark.parametrize(("work", "number"), ITEMS)
def test_every_table_and_figure_of_the_papers_has_a_row(work, number):
    assert re.search(rf"(?<![\d.-]){re.escape(number)}(?![.-]?\d)", read_section(work))


@pytest.mark.parametrize("name", [*SYSTEMS, *GROUPS])
def test_every_system_and_feature_group_of_the_papers_is_on_the_page(name):
    assert re.search(rf"`{name}`", PAGE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`A (\w+)", PAGE))))
def test_a_command_of_the_page_has_its_configuration(name):
    assert plan.read_plan(name).published or name in ("sibanda_groups", "operating_points", "normal_forms")


@pytest.mark.parametrize(
    "path", sorted(resources.find_folder("configs").glob("*.toml")), ids=lambda p: p.stem
)
def test_a_configuration_that_prints_a_papers_table_is_on_the_page(path):
    if plan.read_plan(path).published:
        assert re.search(rf"\b{path.stem}\b", PAGE)
