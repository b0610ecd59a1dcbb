"""The reading room over HTTP: marking, consensus, measures, and what is refused."""

import json

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")
testclient = pytest.importorskip("starlette.testclient")

from crfdeid import corpora  # noqa: E402
from crfdeid.document import Document, Span  # noqa: E402
from crfdeid.review import notes as on_disk  # noqa: E402
from crfdeid.review import readers, room, server, systems  # noqa: E402
from crfdeid.review.security import Address, Sessions  # noqa: E402

ADDRESS = Address(("127.0.0.1", "localhost"), 8765)
CANARY = "Zanzibarova"
TEXTS = {
    "7-01": ("Seen by Dr. Ruiz on 3/4/2061. Ruiz will call.", "7"),
    "7-02": (f"RUIZ called; wife {CANARY} informed \U0001f600 Ruiz.", "7"),
    "8-01": ("<script>alert(1)</script> vent 24/06, vent 24/06", "8"),
}


@pytest.fixture
def study(tmp_path):
    """A room of three notes on disk, two patients, and readers ann, bob, cy and the adjudicator eve."""
    notes = tmp_path / "notes"
    documents = [Document(id, text, (), patient) for id, (text, patient) in TEXTS.items()]
    corpora.write(documents, notes, "i2b2")
    source = on_disk.Source(notes, "i2b2")
    on_disk.make(tmp_path / "study.db", source, "i2b2-2014", None, 1, iter)
    opened = room.enter(tmp_path / "study.db")
    for name in ("ann", "bob", "cy"):
        readers.add(opened.store, name, "reader")
    readers.add(opened.store, "eve", "adjudicator")
    yield opened
    opened.store.close()


class Browser:
    """A client with a session, which speaks JSON and names its origin."""

    def __init__(self, opened, name=None, sessions=None):
        sessions = sessions or Sessions()
        self.sessions = sessions
        app = server.application(opened, sessions, ADDRESS)
        self.client = testclient.TestClient(app, base_url="http://127.0.0.1:8765", follow_redirects=False)
        self.client.get("/", params={"key": sessions.new_key()})
        if name:
            assert self.post("/api/login", {"name": name}).status_code == 200

    def get(self, path, **params):
        return self.client.get(path, params=params)

    def post(self, path, body=None, headers=None):
        given = {"Origin": "http://127.0.0.1:8765", "Content-Type": "application/json"} | (headers or {})
        return self.client.post(path, content=json.dumps(body or {}), headers=given)

    def act(self, number, kind, status=200, **fields):
        """One action on the state as it is now; the new state."""
        version = self.get(f"/api/notes/{number}").json()["version"]
        answer = self.post(f"/api/notes/{number}/actions", {"version": version, "kind": kind} | fields)
        assert answer.status_code == status, answer.text
        return answer.json()

    def decide(self, number, kind, status=200, **fields):
        version = self.get(f"/api/consensus/{number}").json()["version"]
        answer = self.post(f"/api/consensus/{number}/actions", {"version": version, "kind": kind} | fields)
        assert answer.status_code == status, answer.text
        return answer.json()


def stretches(state):
    return [(mark["start"], mark["end"], mark["type"]) for mark in state["marks"]]


def test_marks_are_made_changed_and_taken_back_without_limit(study):
    ann = Browser(study, "ann")
    assert stretches(ann.act(1, "add", start=12, end=16, type="PATIENT")) == [(12, 16, "PATIENT")]
    assert stretches(ann.act(1, "change", mark=1, type="DOCTOR")) == [(12, 16, "DOCTOR")]
    state = ann.act(1, "add", start=8, end=16, type="DOCTOR")
    assert stretches(state) == [(8, 16, "DOCTOR")] and state["undo"] == 3
    assert stretches(ann.act(1, "undo")) == [(12, 16, "DOCTOR")]
    assert stretches(ann.act(1, "undo")) == [(12, 16, "PATIENT")]
    assert stretches(ann.act(1, "redo")) == [(12, 16, "DOCTOR")]
    state = ann.act(1, "undo")
    assert stretches(ann.act(1, "undo")) == [] and state["redo"] == 2
    assert ann.act(1, "undo", status=409)["stage"] == "nothing"
