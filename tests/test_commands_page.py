"""The page of commands is what the commands say, and each page says where it is; a shell completes verbs."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crfdeid import cli

SCRIPT = Path(__file__).parent.parent / "docs" / "build.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("commands", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_commands_say(script):
    page = script.place_page(script.render_page(), script.list_places()["commands.md"])
    assert script.PAGE.read_text(encoding="utf-8") == page, "run: python docs/build.py"


def test_every_page_says_where_it_is(script):
    places = script.list_places()
    texts = {path.name: path.read_text(encoding="utf-8") for path in script.DOCS.glob("*.md")}
    assert set(places) == set(texts) - {"index.md"}
    assert [n for n, line in places.items() if texts[n].split("\n")[2] != line] == [], (
        "run: python docs/build.py"
    )
    assert places["formats.md"].count("](") == 3


def test_the_navigation_of_the_site_has_the_groups_of_the_index(script):
    site = script.SITE.read_text(encoding="utf-8")
    assert script.place_navigation(site) == site, "run: python docs/build.py"
    groups = re.findall(r"^  - (\w+):\n      - (.+?):", site, re.M)
    assert [name for name, _ in groups] == ["Start", "Train", "Release", "Review", "Measure", "Inside"]
    assert groups[0] == ("Start", "Install")


def test_the_site_loads_its_search_from_its_own_files(script):
    """The plugin offline loads the shim from elsewhere, unless the setting names one."""
    site = script.SITE.read_text(encoding="utf-8")
    (shim,) = re.findall(r"^  polyfills: \[(docs/iframe-worker\.js)\]", site, re.M)
    assert (script.DOCS.parent / shim).exists() and "font: false" in site


def test_the_picture_of_speed_has_the_figures_of_the_table(script):
    drawn = script.draw_speeds()
    assert (script.DOCS / "speed.svg").read_text(encoding="utf-8") == drawn, "run: python docs/build.py"
    table = (script.DOCS / "engine.md").read_text(encoding="utf-8")
    for begin, name in script.PEERS.items():
        (row,) = (line for line in table.splitlines() if line.startswith(begin))
        assert name in drawn and f'class="quiet">{row.split("|")[2].split()[0]}</text>' in drawn


@pytest.mark.slow
def test_the_page_of_the_written_corpus_has_its_counts(script):
    page = script.WRITTEN.read_text(encoding="utf-8")
    for language, place in script.COUNTS.items():
        assert place.search(page)[0] == script.render_counts(language), "run: python docs/build.py"


def test_every_verb_has_an_example(script):
    sections = script.render_page().split("\n### ")[1:]
    assert {section.split("\n")[0] for section in sections} == {n for g in cli.VERBS.values() for n in g}
    assert [section.split("\n")[0] for section in sections if "```" not in section] == []


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("crfdeid re", {"redact", "release", "restore", "reidentify", "review"}),
        ("crfdeid tag --no-t", {"--no-text"}),
    ],
)
def test_a_shell_completes_verbs_and_options(line, wanted, tmp_path):
    pytest.importorskip("argcomplete", reason="pip install 'crfdeid[completion]'")
    out = tmp_path / "out"
    shell = {
        "_ARGCOMPLETE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "_ARGCOMPLETE_SHELL": "bash",
    }
    shell |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(out), "_ARGCOMPLETE_SUPPRESS_SPACE": "1", "IFS": "\v"}
    subprocess.run([sys.executable, "-m", "crfdeid"], env=os.environ | shell, check=True)
    assert {word.strip() for word in out.read_text().split("\v")} == wanted
