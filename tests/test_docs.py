"""The README and the pages of docs/: one index links each page, links lead to files, the example is real."""

import re
from pathlib import Path

import pytest

from crfdeid.tag import __main__ as tag

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").glob("*.md"))


def read_page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_page_is_in_the_index_and_the_readme_links_the_index():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= set(LINK.findall(read_page("docs/index.md")))
    assert "docs/index.md" in LINK.findall(read_page("README.md"))


def dead_links(page: Path) -> list[str]:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    return [target for target in targets if not (page.parent / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(page):
    assert dead_links(page) == []


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("[a](page.md) [b](gone.md#part) [c](https://example.org)")
    assert dead_links(page) == ["gone.md"]


def test_the_example_of_the_readme_is_what_the_command_prints(capsys):
    command = "$ crfdeid tag docs/note.txt --format inline\n"
    example = read_page("README.md").split(command)[1].split("```")[0]
    tag.main([str(ROOT / "docs/note.txt"), "--format", "inline"])
    assert capsys.readouterr().out == example


@pytest.mark.parametrize(
    "name",
    ["README.md", "CONTRIBUTING.md", "docs/measured.md", "docs/index.md", "docs/architecture.md"],
)
def test_lines_are_under_120_characters(name):
    assert max(map(len, read_page(name).splitlines())) < 120


def test_pages_write_the_command_and_one_page_says_that_python_runs_it_too():
    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGES if path.name != "CHANGELOG.md"}
    said = {name: text.count("python -m crfdeid") for name, text in texts.items()}
    assert {name: count for name, count in said.items() if count} == {"commands.md": 1}


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_has_colours_for_the_dark_and_loads_nothing(path):
    text = path.read_text(encoding="utf-8")
    assert path.name == "logo.svg" or "prefers-color-scheme" in text.replace(" ", "")
    assert re.findall(r"(?:href|src|url\()[=\"'(]*https?:|@import", text) == []


EXTRAS = {
    "assurance": "review", "databases": "parquet sql duckdb", "experiments": "works plot",
    "i2b2-2014": "works plot",
    "language_models": "litellm langchain", "pipelines": "spacy presidio transformer",
    "redaction": "redact",
    "release": "redact review", "review": "review", "rnn": "rnn", "scale": "spark", "serve": "serve",
    "works": "works plot rnn",
}  # fmt: skip


@pytest.mark.parametrize("page", EXTRAS)
def test_a_page_that_needs_an_extra_says_so_in_its_first_lines(page):
    first = read_page(f"docs/{page}.md").split("\n\n")[2]
    assert [extra for extra in EXTRAS[page].split() if not re.search(rf"\b{extra}\b", first)] == []
    assert "pip install '.[" in first


def test_the_readme_is_short():
    assert len(read_page("README.md").splitlines()) < 130
