"""Two people read the sample of ``certify draw`` in the reading room; their exports are ``state``'s marks."""

import json
import re

import pytest

for package in ("fastapi", "argon2"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")

from review_client import Browser  # noqa: E402
from small_release import CANARY, draw, write_release  # noqa: E402

from crfdeid.certify.__main__ import main as certify_main  # noqa: E402
from crfdeid.errors import CrfdeidError  # noqa: E402
from crfdeid.review.__main__ import main as review_main  # noqa: E402
from crfdeid.review.study.study import open_study  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("only_the_rules")]

PHI = re.compile(rf"Ruiz|3/4/2061|{CANARY}")  # what a reader of small_release can see


@pytest.fixture
def study(tmp_path):
    """A study of the 100 notes that were drawn, with the readers ann and bob and the adjudicator eve."""
    write_release(tmp_path, leaking=8)
    draw(tmp_path, "--notes", "100")
    base = [str(tmp_path / "reading.jsonl"), "--store", str(tmp_path / "reading.db"), "--no-server"]
    review_main([*base, "--reader", "ann", "--reader", "bob", "--adjudicator", "eve"])
    opened = open_study(tmp_path / "reading.db", tmp_path / "exports")
    yield opened
    opened.store.close()


def read_all(study, name, notes, skip=10**9):
    """Mark what PHI shows, except every ``skip``-th place, and finish the notes."""
    browser, seen = Browser(study, name), 0
    for note in notes:
        state = shown = browser.get(f"/api/notes/{note.number}").json()
        for found in PHI.finditer(shown["text"]):
            seen += 1
            if seen % skip:
                place = {"start": found.start(), "end": found.end(), "type": "PATIENT"}
                state = browser.act(note.number, "add", state=state, **place)
        browser.act(note.number, "done", state=shown | state)


def export(study, reader, name):
    body = {"name": name, "format": "jsonl", "what": "reader", "who": reader}
    answer = Browser(study, "eve").post("/api/export", body)
    assert answer.status_code == 200, answer.text
    return f"--reader={reader}={answer.json()['path']}"


def state(folder, *options):
    certify_main(["state", str(folder / "study.json"), str(folder / "clean.jsonl"), *options])


def test_marks_of_the_reading_room_become_a_statement(study, tmp_path, capsys):
    *early, last = study.notes.all
    read_all(study, "ann", early)
    with pytest.raises(CrfdeidError, match="1 of 100 notes of the sample are missing"):
        state(tmp_path, export(study, "ann", "unfinished"))
    read_all(study, "ann", [last])
    read_all(study, "bob", study.notes.all, 4)
    notes = [study.notes.read_document(note.number) for note in study.notes.all]
    leaks = sum(note.text.count(CANARY) for note in notes)
    plants = sum(len(PHI.findall(note.text)) for note in notes) - leaks
    assert plants == 60 and leaks > 0  # nothing but the store tells them apart
    read_by = [export(study, reader, reader) for reader in ("ann", "bob")]
    state(tmp_path, *read_by, f"--out={tmp_path / 's.json'}")
    said = json.loads((tmp_path / "s.json").read_text())
    ann, bob = said["readers"]
    assert (ann["found"], ann["plants"], said["together"]["found"]) == (60, 60, 60)
    assert 40 <= bob["found"] < 60
    assert (said["misses"], said["leaking_notes"]) == (leaks, leaks)
    assert CANARY not in (tmp_path / "s.json").read_text() and CANARY not in capsys.readouterr().out
