"""docs/i2b2-2014.md: from the folders of the release to the tables of He et al. in five commands."""

import shlex
from pathlib import Path

import pytest
from i2b2_release import FOLDERS, write_release

from crfdeid import __main__, corpora, files
from crfdeid.evaluate import published_tables
from crfdeid.text.document import drop_doubled, keep_longest

PAGE = (files.PACKAGE.parent / "docs" / "i2b2-2014.md").read_text(encoding="utf-8")
QUICK = ["--set", "crf.max_iterations=3"]


def list_commands():
    block = PAGE.split("```sh\n")[1].split("```")[0].replace("\\\n", " ")
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines() if line.startswith("crfdeid")]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("i2b2")
    return folder, write_release(folder)


def test_the_release_is_read_as_it_was_written(release):
    folder, written = release
    for name, notes in written.items():
        assert (folder / name / f"._{notes[0].id}.xml").exists()
        assert list(corpora.read(folder / name)) == sorted(notes, key=lambda note: note.id)
        assert all(note.text.startswith("\n\n\n") and "\r" not in note.text for note in notes)
        assert sum(len(note.spans) - len(drop_doubled(note.spans)) for note in notes) == 1
        assert sum(len(note.spans) - len(keep_longest(note.spans)) for note in notes) == 2


def test_the_page_has_five_commands_on_the_folders_of_the_release():
    commands = list_commands()
    assert len(commands) == 5
    assert all(set(FOLDERS) < set(words) for words in commands)


@pytest.mark.slow
def test_the_five_commands_print_the_tables_of_the_paper(release, in_process, monkeypatch, capsys):
    pytest.importorskip("gruut_lang_en", reason="pip install 'crfdeid[works]'")
    monkeypatch.chdir(release[0])
    dry_run, *ablations = list_commands()
    __main__.main([*dry_run, *QUICK])
    said = capsys.readouterr().out
    assert ["notes", "14", "6"] in [line.split() for line in said.splitlines()]
    assert "train: spans that occur twice in one place, and count once: 2" in said
    assert "train: spans that overlap a longer one: 2" in said and "with a patient id of train" not in said
    for words in ablations:
        __main__.main([*words, *QUICK, "--resamples", "20", "--jobs", "1"])
    said = capsys.readouterr()
    for name in published_tables.list_tables():
        if name.startswith("he-2015"):
            assert published_tables.read_table(name).title in said.out, name
    assert "14 documents" in said.out and "6 documents" in said.out and "not shown" not in said.out
    assert all((Path("runs") / words[1] / "table.tex").exists() for words in ablations)


def test_the_page_has_the_counts_of_the_paper():
    rows = published_tables.read_table("he-2015-table-4").rows
    whole = ("NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID")
    train, gold = (sum(int(rows[name][column]) for name in whole) for column in (0, 1))
    assert all(number in PAGE for number in (f"{train:,}", f"{gold:,}", "790", "514"))
