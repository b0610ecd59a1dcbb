"""A package outside the tree adds a format, a system and a verb: the one of docs/extending.md, installed."""

import re
from pathlib import Path

import pytest
from plugin_site import install, run, run_each

from crfdeid import corpora, plugins
from crfdeid.config import Config
from crfdeid.conformance import check_format, check_system
from crfdeid.corpora.format import Format
from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import find_language, spanish
from crfdeid.systems import crf, registry

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parent.parent / "docs" / "extending.md").read_text(encoding="utf-8")
TOML, PACKAGE, CHECKS = (
    re.search(rf"```{kind}\n(.*?)```", part, re.DOTALL)[1]
    for kind, part in zip(("toml", "python", "python"), (PAGE, PAGE, PAGE.partition("## Check yours")[2]))
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder as pip leaves it: the module, and the entry points that its project names."""
    return install(tmp_path_factory.mktemp("site"), "crfdeid_badges", PACKAGE, TOML)


def test_the_package_of_the_page_works_by_name(site, tmp_path):
    (tmp_path / "ward.lines").write_text("n1\tDr. Roth took BX-4471 home.\nn2\tNobody.\n")
    tagged, _, counted, _, shown = run_each(
        site,
        ["tag", "ward.lines", "--model", "rules+badges"],
        ["tag", "ward.lines", "--model", "badges", "--out", "x.lines"],
        ["count", "ward.lines"],
        ["convert", "ward.lines", "y.jsonl", "--to", "jsonl"],
        ["--help"],
        folder=tmp_path,
    )
    assert "IDNUM" in tagged and "DOCTOR" in tagged
    assert (tmp_path / "x.lines").read_text() == (tmp_path / "ward.lines").read_text()
    assert counted == "2 notes\n" and "count the notes of files" in shown
    assert len((tmp_path / "y.jsonl").read_text().splitlines()) == 2


def test_its_checks_pass_as_the_page_shows_them(site):
    done = run(site, "-c", CHECKS)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('lines = "crfdeid_badges:NOTHING"', "cannot be imported as it says"),
        ('lines = "crfdeid_badges:Options"', "gives a type"),
    ],
)
def test_a_package_that_does_not_give_what_it_says_is_named(site, tmp_path, line, message):
    project = f'[project]\nname = "crfdeid-badges"\n[project.entry-points."crfdeid.formats"]\n{line}\n'
    install(tmp_path, "crfdeid_badges", PACKAGE, project)
    (tmp_path / "ward.lines").write_text("n1\tx\n")
    done = run(tmp_path, "-m", "crfdeid", "tag", "ward.lines", "--from", "lines", folder=tmp_path)
    assert done.returncode == 2 and message in done.stderr and "crfdeid-badges" in done.stderr
    assert run(tmp_path, "-m", "crfdeid", "tag", "--help").returncode == 0


def test_every_hook_is_documented():
    hooks = {value for name, value in vars(plugins).items() if name.isupper() and isinstance(value, str)}
    assert len(hooks) == 4 and all(f"| `{hook}` |" in PAGE for hook in hooks)


def test_our_names_win(monkeypatch):
    monkeypatch.setattr(plugins, "find_plugins", lambda group: pytest.fail("a name of ours was looked for"))
    assert corpora.find_format("jsonl", "read") is corpora.FORMATS["jsonl"]
    assert registry.find_system("crf") is crf.SYSTEM
    assert find_language("spanish") is spanish.LANGUAGE


def test_an_unknown_name_is_refused_as_before():
    with pytest.raises(ConfigurationError, match="no such system"):
        registry.find_system("crff")
    with pytest.raises(ConfigurationError, match="did you mean jsonl"):
        corpora.find_format("jsonll", "read")


@pytest.mark.parametrize("found", [pytest.param(found, id=name) for name, found in corpora.FORMATS.items()])
def test_our_formats_pass_the_battery(found):
    check_format(found)


@pytest.mark.parametrize("name", ["rules", "heuristic", "crf", "hmm"])
def test_our_systems_pass_the_battery(name, notes):
    features = ("lexical",) if registry.find_system(name).needs_features else ()
    settings = Config(system=name, features=features, crf={"max_iterations": 5} if name == "crf" else {})
    check_system(name, settings, tuple(notes))


@pytest.mark.parametrize(
    ("change", "promise"),
    [
        ({"read": lambda path, encoding: iter([])}, "values to unpack"),
        ({"suffixes": ()}, "has a suffix"),
        ({"has_columns": True}, "has_columns"),
        ({"has_spans": True}, "spans come back"),
    ],
)
def test_the_battery_finds_what_is_broken(change, promise):
    given = {"suffixes": (".lines",), "has_spans": False, "read": read_plain, "render_corpus": render_plain}
    check_format(Format("plain", **given))
    with pytest.raises((AssertionError, ValueError), match=promise):
        check_format(Format("plain", **{**given, **change}))


def read_plain(path, encoding):
    for line in path.read_text(encoding).splitlines():
        yield corpora.registry.Document(*line.split("\t", 1))


def render_plain(documents):
    for document in documents:
        yield f"{document.id}\t{document.text}\n"
