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
RANGE = re.compile(r"\b([AB]\.)(\d+) to [AB]\.(\d+)")


def read_section(work):
    text = PAGE.split(HEADS[work])[1].split("\n## ")[0]
    return RANGE.sub(lambda m: ", ".join(f"{m[1]}{n}" for n in range(int(m[2]), int(m[3]) + 1)), text)


@pytest.mark.parametrize("name", published_tables.list_tables())
def test_every_printed_table_has_a_row(name):
    work, kind, number = re.fullmatch(r"(.+-\d{4})-(table|figure|section)-(.+)", name).groups()
    wanted = number.upper().replace("-", ".") if kind != "figure" else number
    assert re.search(rf"(?<![\d.]){re.escape(wanted)}(?!\.?\d)", read_section(work)), wanted


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`A (\w+)", PAGE))))
def test_a_command_of_the_page_has_its_configuration(name):
    assert plan.read_plan(name).published or name in ("sibanda_groups",)


@pytest.mark.parametrize(
    "path", sorted(resources.find_folder("configs").glob("*.toml")), ids=lambda p: p.stem
)
def test_a_configuration_that_prints_a_papers_table_is_on_the_page(path):
    if plan.read_plan(path).published:
        assert re.search(rf"\b{path.stem}\b", PAGE)
