"""Tagging in several processes gives what one gives, in order."""

import gc
from dataclasses import replace

import pytest

from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import BATCH
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


def test_a_second_process_starts_after_one_batch(small_model, notes, monkeypatch):
    size, started = len(notes[0].text), []
    many = [replace(notes[0], id=str(n), patient=None) for n in range(2 * BATCH // size)]
    start = parallel._start_pool
    monkeypatch.setattr(parallel, "_start_pool", lambda *args: started.append(1) or start(*args))
    tagged = parallel.tag_in_processes(small_model, small_model.folder, "fast", iter(many), 2)
    alone = [next(tagged)]
    while not started:
        alone.append(next(tagged))
    assert len(alone) <= BATCH // size + 2  # the last one is not alone


def test_collections_leave_alone_what_processes_share(small_model, notes, monkeypatch):
    monkeypatch.setattr(parallel, "CHUNK", 60)
    gc.unfreeze()  # what another test froze
    tagged = parallel.tag_in_processes(small_model, small_model.folder, "fast", iter(notes), 2)
    frozen = [gc.get_freeze_count() for _ in tagged]
    assert frozen[0] == 0 < frozen[-1]
    assert gc.get_freeze_count() == 0


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
