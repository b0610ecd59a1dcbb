"""Which notes to correct next."""

import csv

import pytest

from crfdeid import corpora
from crfdeid.adapt import suggest
from crfdeid.adapt.__main__ import main
from crfdeid.errors import ConfigurationError


def test_half_are_drawn_at_random_and_half_by_doubt(before, notes, site):
    bare = [note.with_spans(()) for note in [*notes[24:34], *site[:6]]]
    rows = suggest.suggest(before, bare, 8)
    assert [row.why for row in rows] == ["random"] * 4 + ["doubt"] * 4
    assert len({row.note.id for row in rows}) == 8
    doubts = dict(zip([note.id for note in bare], suggest.measure_doubts(before, bare)))
    assert all(row.doubt == doubts[row.note.id] for row in rows)
    heads = {suggest.describe_head(row.note.text) for row in rows[4:]}
    assert heads == {suggest.describe_head(notes[0].text), suggest.describe_head(site[0].text)}
    assert [r.note.id for r in suggest.suggest(before, bare, 8)] == [r.note.id for r in rows]
    assert {r.note.id for r in suggest.suggest(before, bare, 8, seed=1)} != {r.note.id for r in rows}


def test_of_a_few_notes_all_are_taken_and_copies_once(before, site):
    rows = suggest.suggest(before, [*site[:3], site[0]], 20)
    assert sorted(row.note.id for row in rows) == ["s0", "s1", "s2"]


def test_the_command_writes_tagged_notes_and_a_table_of_why(before, site, tmp_path, capsys):
    corpora.write(site, tmp_path / "notes.jsonl", "jsonl")
    options = ["--unlabelled", str(tmp_path / "notes.jsonl"), "--model", str(before.folder)]
    main([*options, "--suggest", "6", "--out", str(tmp_path / "todo.jsonl")])
    assert "6 notes to correct: 3 at random, 3 by doubt" in capsys.readouterr().out
    written = list(corpora.read(tmp_path / "todo.jsonl", "jsonl"))
    with (tmp_path / "todo.jsonl.suggested.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [note.id for note in written]
    assert all(any(note.spans) for note in written) and {row["why"] for row in rows} == {"random", "doubt"}
    assert all(note.patient for note in written)


def test_options_that_do_not_go_together_are_refused(tmp_path):
    for options, said in (
        (["--suggest", "3"], "--suggest: wanted --unlabelled NOTES"),
        (["--suggest", "3", "--unlabelled", "x", "--notes", "y"], "no --notes, --lists or --page"),
        (["--unlabelled", "x", "--lists", "y"], "--unlabelled: wanted --notes CORRECTED with --lists"),
        (
            ["--unlabelled", "x", "--page", "y"],
            "--unlabelled: wanted --notes CORRECTED with --lists or --page",
        ),
        ([], "wanted --notes CORRECTED, --unlabelled NOTES, or both"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            main([*options, "--out", str(tmp_path / "m")])
