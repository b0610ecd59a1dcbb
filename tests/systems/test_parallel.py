"""Tagging in several processes gives what one gives, in order."""

from dataclasses import replace

import pytest

from crfdeid.systems import model, parallel
from crfdeid.text.document import Document


@pytest.mark.parametrize("name", ["forked", "rules"])
def test_several_processes_find_what_one_finds(name, small_model, notes, monkeypatch):
    monkeypatch.setattr(parallel, "CHUNK", 200)
    tagger, folder = (small_model, small_model.folder) if name == "forked" else (model.load(name), name)
    bare = [Document(note.id, note.text, patient=f"p{n // 3}") for n, note in enumerate(notes)]
    found = list(parallel.tag_in_processes(tagger, folder, "fast", iter(bare), 2))
    assert [replace(d, spans=()) for d in found] == bare
    assert found == list(tagger.tag_all(bare))
    assert any(document.spans for document in found)


def test_few_notes_start_no_process(small_model, notes, monkeypatch):
    monkeypatch.setattr(parallel, "_start_pool", None)
    found = list(parallel.tag_in_processes(small_model, small_model.folder, "fast", notes[:2], 2))
    assert found == list(small_model.tag_all(notes[:2]))
    assert list(parallel.tag_in_processes(small_model, small_model.folder, "fast", [], 2)) == []


def test_who_stops_reading_ends_the_processes(small_model, notes, monkeypatch):
    monkeypatch.setattr(parallel, "CHUNK", 60)
    running = parallel.tag_in_processes(small_model, small_model.folder, "fast", iter(notes), 2)
    assert [next(running).id for _ in range(3)] == [note.id for note in notes[:3]]
    running.close()
