"""A client of the review server for tests, and the notes that it reads."""

import json

from starlette.testclient import TestClient

from crfdeid.review.web.serve import application
from crfdeid.review.web.sessions import Address, Sessions

ADDRESS = Address(("127.0.0.1", "localhost"), 8765)
ORIGIN = "http://127.0.0.1:8765"
CANARY = "Zanzibarova"
TEXTS = {
    "7-01": ("Seen by Dr. Ruiz on 3/4/2061. Ruiz will call.", "7"),
    "7-02": (f"RUIZ called; wife {CANARY} informed \U0001f600 Ruiz.", "7"),
    "8-01": ("<script>alert(1)</script> vent 24/06, vent 24/06", "8"),
}


class Browser:
    """A client with a session, which speaks JSON and names its origin."""

    def __init__(self, study, name=None, sessions=None):
        sessions = sessions or Sessions(study.store)
        self.sessions = sessions
        app = application(study, sessions, ADDRESS)
        self.client = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        self.client.get("/", params={"key": sessions.create_key(owner=True)})
        if name:
            assert self.post("/api/login", {"name": name}).status_code == 200

    def get(self, path, **params):
        return self.client.get(path, params=params)

    def post(self, path, body=None, headers=None):
        all_headers = {"Origin": ORIGIN, "Content-Type": "application/json"} | (headers or {})
        return self.client.post(path, content=json.dumps(body or {}), headers=all_headers)

    def act(self, number, kind, status=200, state=None, **fields):
        """One action on the state as it is now, or on ``state``, the answer of the last action; the new
        state. A note is shown before it is finished."""
        state = state or self.get(f"/api/notes/{number}").json()
        if kind == "done":
            self.see(number, state)
        body = {"version": state["version"], "kind": kind} | fields
        answer = self.post(f"/api/notes/{number}/actions", body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def see(self, number, state=None):
        """Show the whole note, whose text may be in ``state``."""
        text = (state or {}).get("text") or self.get(f"/api/notes/{number}").json()["text"]
        whole = [[0, len(text)]]
        assert self.post(f"/api/notes/{number}/shown", {"stretches": whole}).status_code == 200

    def decide(self, number, kind, status=200, **fields):
        version = self.get(f"/api/consensus/{number}").json()["version"]
        answer = self.post(f"/api/consensus/{number}/actions", {"version": version, "kind": kind} | fields)
        assert answer.status_code == status, answer.text
        return answer.json()
