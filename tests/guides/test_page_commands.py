"""The commands of all pages: each has options that its verb knows, and those that no other test runs are run.

A page is run in a folder with the notes and corpora that its commands name (``PAGES``), in page order: what a
command writes, the next ones read. ``ELSEWHERE`` names the tests that run the other pages.
"""

import csv
import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from page_examples import use_this_python
from small_notes import note as write_note

from crfdeid import __main__, cli, corpora, files
from crfdeid.text.document import Document

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```|^ {4,7}(crfdeid [a-z]+ .*)\n", re.M | re.S)
REMARK = re.compile(r"(?:  +|^)#.*|   +.*")  # what a command does, beside it
PATHS = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
VERBS = {name: verb for group in cli.VERBS.values() for name, verb in group.items()}

CORPUS = {"corpus/train": 30, "corpus/test": 12}
PAGES = {  # the notes that a page takes for granted, and the commands that need more than a small test has
    "README.md": ({**CORPUS, "docs/note.txt": 0}, ()),
    "docs/assurance.md": ({"notes": 4, "gold": 110}, ("--spans tag", "certify plan", "certify draw",
        "certify rehearse", "certify state", "synthetic")),
    "docs/explain.md": ({"docs/note.txt": 0}, ("models/hmm", "models/elman")),
    "docs/features.md": ({"notes": 40, "corpus": 20, "reports": 40}, ()),
    "docs/formats.md": ({"corpus/brat": 6, "notes.csv": 3, "corpus.jsonl": 3, "i2b2-2014": 20, "gold": 5,
        "i2b2-2006.xml": 9, "i2b2-2006-test.xml": 4, "system": 5}, ()),
    "docs/policies.md": ({"notes": 4}, ()),
    "docs/redaction.md": ({"notes": 4, "corpus/xml": 4, "notes.csv": 4}, ("release report.json",)),
    "docs/rules.md": ({"note.txt": 0, "docs/note.txt": 0}, ()),
    "docs/scoring.md": ({"GOLD": 6, "SYSTEM": 6, "OTHER": 6, "id.text": 3}, ()),
    "docs/sharing.md": ({"corpus/train": 30}, ()),
    "docs/spanish.md": ({"nota.txt": 0, "notas": 2}, ()),
    "docs/synthetic.md": ({}, ()),
    "docs/systems.md": ({**CORPUS, "corpus/held-out": 12, "notes": 3, "note.txt": 0}, ("ablate",)),
    "docs/written.md": ({}, ()),
}  # fmt: skip
ELSEWHERE = {
    "docs/adapt.md": "guides/test_guides.py",
    "docs/check.md": "check/test_check.py",
    "docs/clinical_formats.md": "redact/test_clinical_examples.py",
    "docs/commands.md": "guides/test_page_commands.py",
    "docs/databases.md": "guides/test_guides.py",
    "docs/experiments.md": "ablate/test_ablate.py",
    "docs/extending.md": "test_extending.py",
    "docs/i2b2-2014.md": "ablate/test_i2b2_page.py",
    "docs/install.md": "test_package.py",
    "docs/languages.md": "lexicon/test_languages.py",
    "docs/own-corpus.md": "guides/test_guides.py",
    "docs/pipelines.md": "systems/test_transformer.py",
    "docs/reidentify.md": "synthetic/test_reidentify.py",
    "docs/release.md": "guides/test_guides.py",
    "docs/review.md": "review/test_server.py",
    "docs/rnn.md": "systems/test_rnn.py",
    "docs/scale.md": "test_parts.py",
    "docs/serve.md": "serve/test_serve.py",
    "docs/utility.md": "redact/test_utility_verb.py",
}
COLUMNS = {"docs/formats.md": ("note_id", "patient", "note")}
FORMATS = {
    "corpus/brat": "brat",
    "corpus/xml": "i2b2",
    "i2b2-2006.xml": "i2b2-2006",
    "i2b2-2006-test.xml": "i2b2-2006",
    "id.text": "jsonl",
}


def list_lines(path: str) -> Iterator[str]:
    """Yield the lines of the shell blocks of a page in order, without what is beside a command."""
    for kind, block, indented in FENCE.findall((ROOT / path).read_text(encoding="utf-8")):
        if kind in ("", "sh"):
            for line in re.sub(r" *\\\n *", " ", block or indented).splitlines():
                yield REMARK.sub("", line.strip().removeprefix("$ "))


def list_commands(line: str) -> Iterator[list[str]]:
    """Yield the words of each command of a line, the verb first."""
    for part in re.split(r"\||&&", line):
        if part.strip().startswith("crfdeid "):
            yield shlex.split(part.partition(">")[0], comments=True)[1:]


def list_page(path: str) -> list[list[str]]:
    return [words for line in list_lines(path) for words in list_commands(line)]


@pytest.mark.parametrize("path", PATHS)
def test_every_command_has_only_options_that_its_verb_knows(path, capsys):
    bad = []
    for name, *words in list_page(path):
        if name in VERBS:
            try:
                import_module(VERBS[name].module).build_parser().parse_args(words)
            except SystemExit:
                bad.append((name, *words, capsys.readouterr().err))
    assert not bad


def test_a_test_runs_the_commands_of_every_page():
    pages = {path for path in PATHS if list_page(path)}
    assert pages - PAGES.keys() - ELSEWHERE.keys() == set()
    assert [test for test in ELSEWHERE.values() if not (ROOT / "tests" / test).exists()] == []


def write_notes(folder: Path, name: str, count: int, columns: tuple[str, ...]) -> None:
    """Write a stand-in for what a command of a page reads: a note, a file of notes, or a folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    notes = [write_note(number) for number in range(count)]
    if not count:
        path.write_text((ROOT / "docs/note.txt").read_text(encoding="utf-8"), encoding="utf-8")
    elif path.suffix == ".csv":
        rows = [(note.id, note.patient, note.text) for note in notes]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
    elif "." in name or name in FORMATS:
        corpora.write(notes, path, FORMATS.get(name, "jsonl"))
    else:
        path.mkdir()
        plain = name.startswith("not")
        notes = [Document(note.id, note.text) if plain else note for note in notes]
        corpora.write_each(notes, path, "text" if plain else "i2b2")


def write_files(path: str, folder: Path) -> None:
    """Write the files that a page shows: ``# thresholds.toml`` heads one, a policy is ``mine.toml``."""
    for kind, block, _ in FENCE.findall((ROOT / path).read_text(encoding="utf-8")):
        if kind == "toml":
            name = re.match(r"# (\w+\.toml)", block)
            (folder / (name[1] if name else "mine.toml")).write_text(block, encoding="utf-8")


def make_smaller(words: list[str]) -> list[str]:
    """Return the same command on fewer notes, with a small model, and without a server."""
    verb = words[0]
    smaller = [
        {"--documents": "8", "--fills": "1", "--clusters": "9"}.get(before, word)
        for before, word in zip(["", *words], words)
    ]
    if verb == "train":
        own = ["--set", 'features=["lexical"]'] if "features" not in " ".join(words) else []
        smaller += [*own, "--set", "crf.max_iterations=5"] if "--config" not in words else []
    elif verb in ("tag", "redact") and not {"--model", "--threshold"} & set(words):
        smaller += ["--model", "rules"]
    smaller += ["--clusters", "9"] if verb == "clusters" and "--clusters" not in words else []
    return smaller + (["--no-server"] if verb == "review" else [])


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES)
def test_the_commands_of_a_page_run_as_they_are_printed(path, tmp_path, monkeypatch, models_once):
    stand_ins, elsewhere = PAGES[path]
    for name, count in stand_ins.items():
        write_notes(tmp_path, name, count, COLUMNS.get(path, ("id", "mrn", "text")))
    write_files(path, tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models/english").symlink_to(files.PACKAGE.parent / "models/english")
    monkeypatch.chdir(tmp_path)
    for line in list_lines(path):
        if line.startswith(("echo ", "cat ")):
            subprocess.run(use_this_python(line), shell=True, check=True)
            continue
        for words in list_commands(line):
            if not any(part in " ".join(words) for part in elsewhere):
                __main__.main(make_smaller(words))
