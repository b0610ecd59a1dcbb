"""A corpus in parts: disjoint, together all, and the same on every machine."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_examples import use_this_python

from crfdeid import corpora, files
from crfdeid.errors import ConfigurationError
from crfdeid.tag import __main__ as tag
from crfdeid.tag.run import Part, parse_part
from crfdeid.text.document import Document

ROOT = files.PACKAGE.parent


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(1, 40))
def test_each_document_is_in_exactly_one_part(id, count):
    assert sum(Part(number, count).has(id) for number in range(1, count + 1)) == 1


def test_the_parts_are_of_similar_size():
    sizes = [sum(Part(number, 16).has(f"note {n}") for n in range(16_000)) for number in range(1, 17)]
    assert sum(sizes) == 16_000 and min(sizes) > 850 and max(sizes) < 1150


def test_the_order_stays():
    notes = [Document(str(number), "") for number in range(100)]
    chosen = list(Part(2, 3).select(notes))
    assert chosen and chosen == sorted(chosen, key=lambda note: int(note.id))


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/ 4", "1.0/4"])
def test_other_texts_are_refused(text):
    with pytest.raises(ConfigurationError, match="wanted a part and their number"):
        parse_part(text)


def print_part(small_model, path, capsys, *options):
    tag.main(["--model", str(small_model.folder), str(path), *options])
    return capsys.readouterr().out.splitlines()[1:]


def test_tagged_parts_are_together_what_one_run_tags(small_model, notes, tmp_path, capsys):
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    whole = print_part(small_model, tmp_path / "notes.jsonl", capsys)
    parts = [
        print_part(small_model, tmp_path / "notes.jsonl", capsys, "--part", f"{number}/3")
        for number in (1, 2, 3)
    ]
    assert sorted(row for rows in parts for row in rows) == sorted(whole)
    assert all(0 < len(rows) < len(whole) for rows in parts)


def test_a_part_of_standard_input_is_refused(small_model):
    with pytest.raises(ConfigurationError, match="--part"):
        tag.main(["-", "--model", str(small_model.folder), "--part", "1/2"])


@pytest.mark.slow
def test_the_example_of_the_page_tags_every_note_once(notes, tmp_path):
    page = (ROOT / "docs/scale.md").read_text("utf-8")
    example = use_this_python(page.split("```sh\n")[1].split("```")[0])
    corpora.write(notes[:6], tmp_path / "notes.jsonl", "jsonl")
    subprocess.run(["sh", "-ec", example], cwd=tmp_path, check=True, capture_output=True)
    tagged = list(corpora.read(tmp_path / "tagged.jsonl"))
    assert sorted(note.id for note in tagged) == sorted(note.id for note in notes[:6])
    assert any(note.spans for note in tagged)
