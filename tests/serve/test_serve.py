"""The service: what it answers, what it refuses, and that nothing of a request stays anywhere."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("prometheus_client", reason="prometheus_client is not installed")

from starlette.testclient import TestClient

from crfdeid import cli, files
from crfdeid.errors import ConfigurationError
from crfdeid.serve import __main__ as verb
from crfdeid.serve import workers
from crfdeid.serve.app import application
from crfdeid.serve.dispatcher import Dispatcher, Limits, Metrics
from crfdeid.serve.server import ServeOptions
from crfdeid.serve.workers import DONE, FAILED, TIMEOUT, Answer, Engine, Task, Worker
from crfdeid.systems import model

ROOT = files.PACKAGE.parent
CANARY = "Zanzibarov"
TEXT = f"Mr. John {CANARY} was seen by Dr. Ruiz on 3/4/2061."
KEY = b"a key that has enough bytes"


class LocalWorker:
    """Works in this process, as a worker that is a process does."""

    def __init__(self, engine: workers.LoadedEngine) -> None:
        self.engine, self.gate = engine, threading.Event()
        self.gate.set()

    def ask(self, job: Task) -> Answer:
        self.gate.wait(10)
        return workers.perform(self.engine, job)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def engine():
    return workers.LoadedEngine(model.load(model.CAREFUL))


def open_client(worker, key=b"", limits=None, **options):
    limits = limits or Limits()
    counts = Metrics()
    dispatcher = Dispatcher([worker], limits.queue, limits.seconds, counts)  # type: ignore[list-item]
    app = application(dispatcher, counts, key, limits)
    return TestClient(app, "http://localhost:8750", raise_server_exceptions=False, **options)


@pytest.fixture
def client(engine):
    return open_client(LocalWorker(engine))


def notes(*texts):
    return {"notes": [{"text": text} for text in texts]}


@pytest.mark.slow
def test_tag_gives_the_spans_that_the_tagger_gives(client, engine):
    reply = client.post("/tag", json={"notes": [{"id": "n1", "text": TEXT}, {"text": "é Dr. Ruiz"}]})
    found = list(workers.read_notes({"notes": [{"text": TEXT}, {"text": "é Dr. Ruiz"}]}))
    wanted = [[(s.start, s.end, s.type) for s in engine.tagger.tag(note).spans] for note in found]
    said = reply.json()["notes"]
    assert [note["id"] for note in said] == ["n1", "2"] and wanted[0]
    assert [[(s["start"], s["end"], s["type"]) for s in note["spans"]] for note in said] == wanted


@pytest.mark.parametrize("style", ["placeholder", "surrogate"])
def test_what_is_redacted_is_restored(client, style):
    redacted = client.post("/redact", json=notes(TEXT, f"Write to {CANARY}.") | {"style": style}).json()
    texts = [note["text"] for note in redacted["notes"]]
    assert CANARY not in "".join(texts) and len(texts) == 2
    restored = client.post("/restore", json=notes(*texts) | {"map": redacted["map"]}).json()
    assert [note["text"] for note in restored["notes"]] == [TEXT, f"Write to {CANARY}."]


@pytest.mark.slow
def test_a_map_cannot_make_a_reply_that_fills_the_memory(client, monkeypatch):
    pair = {"issued": "[PATIENT_1]", "real": "A" * 10_000, "type": "PATIENT"}
    texts = notes("[PATIENT_1]" * 2_000)
    refused = client.post("/restore", json=texts | {"map": [pair]})
    assert refused.status_code == 422 and "more than 16,000,000 characters" in refused.json()["error"]
    longer = {**pair, "real": "A" * 10_001}
    assert client.post("/restore", json=notes("x") | {"map": [longer]}).status_code == 422
    assert client.post("/restore", json=notes("[PATIENT_1]") | {"map": [pair]}).status_code == 200


def test_a_conversation_goes_on_with_the_map_of_its_last_reply(client):
    first = client.post("/redact", json=notes(TEXT)).json()
    second = client.post("/redact", json=notes(f"Who is John {CANARY}?") | {"map": first["map"]}).json()
    assert second["notes"][0]["text"] == "Who is [PATIENT_1]?"
    other = client.post("/redact", json=notes("Mr. Okafor was seen.")).json()
    assert CANARY not in json.dumps(other)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "body"),
        (b"[]", "body"),
        (b'{"notes": []}', "body.notes"),
        (f'{{"notes": [{{"txt": "{CANARY}"}}]}}'.encode(), "body.notes.0.text, body.notes.0.?"),
        (f'{{"{CANARY}": 1, "notes": [{{"text": "a"}}]}}'.encode(), "body.?"),
        (f'{{"notes": [{{"text": ["{CANARY}"]}}]}}'.encode(), "body.notes.0.text"),
        (f'{{"notes": [{{"text": "{CANARY} \\ud800"}}]}}'.encode(), "unpaired UTF-16 surrogate at offset 11"),
    ],
)
def test_a_wrong_request_is_refused_without_its_text(client, body, message, capfd):
    reply = client.post("/tag", content=body, headers={"content-type": "application/json"})
    said = reply.text + "".join(capfd.readouterr())
    assert reply.status_code == 422 and CANARY not in said
    assert all(part in reply.json()["error"] for part in message.split(", "))


def test_of_two_systems_the_spans_of_the_one_with_probabilities_have_them(client):
    reply = client.post("/tag", json=notes(TEXT) | {"probabilities": True})
    spans = reply.json()["notes"][0]["spans"]
    assert reply.status_code == 200 and any(0 < (span["probability"] or 0) <= 1 for span in spans)


def test_an_error_of_the_program_shows_no_text(client, monkeypatch, capfd):
    monkeypatch.setitem(workers.JOBS, "tag", lambda engine, request: int(request["notes"][0]["text"]))
    reply = client.post("/tag", json=notes(TEXT))
    assert reply.status_code == 500 and CANARY not in reply.text
    log = "".join(capfd.readouterr())
    assert "ValueError at" in log and CANARY not in log and log.count("\n") == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 401), ({"authorization": "Bearer wrong"}, 401), ({"x-api-key": ""}, 401), ({"x-api-key": "é"}, 401),
     ({"authorization": f"Bearer {KEY.decode()}"}, 200), ({"x-api-key": KEY.decode()}, 200)],
)  # fmt: skip
def test_a_key_is_wanted_everywhere_but_for_health(engine, headers, status):
    client = open_client(LocalWorker(engine), KEY)
    raw = {name: value.encode() for name, value in headers.items()}
    assert client.post("/tag", json=notes("a"), headers=raw).status_code == status
    assert client.get("/metrics", headers=raw).status_code == status
    assert client.get("/openapi.json", headers=raw).status_code == status
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8750", "", "127.0.0.1.evil:80"])
def test_without_a_key_another_host_name_is_refused(client, host):
    assert client.post("/tag", json=notes("a"), headers={"host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8750", "[::1]:8750"])
def test_the_names_of_this_machine_are_its_hosts(client, host):
    assert client.get("/metrics", headers={"host": host}).status_code == 200


def test_bodies_have_limits(engine):
    client = open_client(LocalWorker(engine), limits=Limits(body=200))
    assert client.post("/tag", json=notes("a" * 300)).status_code == 413
    assert client.post("/tag", json=notes("a")).status_code == 200
    assert client.post("/tag", content=iter([b"{}"])).status_code == 411
    assert client.post("/tag", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415


def test_too_many_requests_are_told_to_come_again(engine):
    worker = LocalWorker(engine)
    worker.gate.clear()
    with open_client(worker, limits=Limits(queue=1)) as client, ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(client.post, "/tag", json=notes("a")) for _ in range(2)]
        deadline = time.monotonic() + 10
        while "crfdeid_waiting 1.0" not in client.get("/metrics").text and time.monotonic() < deadline:
            time.sleep(0.01)
        refused = client.post("/tag", json=notes("a"))
        worker.gate.set()
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert [reply.result().status_code for reply in asked] == [200, 200]
        assert client.post("/tag", json=notes("a")).status_code == 200


def test_a_request_that_waits_too_long_is_answered(engine):
    worker = LocalWorker(engine)
    worker.gate.clear()
    with open_client(worker, limits=Limits(seconds=1.5)) as client, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.post, "/tag", json=notes("a"))
        time.sleep(0.05)
        assert client.post("/tag", json=notes("a")).status_code == 504
        worker.gate.set()
        assert asked.result().status_code == 200


def test_metrics_count_and_have_no_text(client):
    client.post("/tag", json=notes(TEXT, "a"))
    client.post("/tag", json={"bad": CANARY})
    client.get(f"/{CANARY}")
    said = client.get("/metrics").text
    assert 'crfdeid_requests_total{route="/tag",status="200"} 1.0' in said
    assert 'crfdeid_requests_total{route="other",status="404"} 1.0' in said
    assert "crfdeid_notes_total 2.0" in said and f"crfdeid_characters_total {len(TEXT) + 1}.0" in said
    assert CANARY not in said and "Ruiz" not in said


def test_openapi_describes_every_address(client):
    paths = client.get("/openapi.json").json()["paths"]
    assert set(paths) == {"/tag", "/redact", "/restore", "/health", "/metrics"}
    assert {"200", "401", "413", "422", "503", "504"} <= set(paths["/redact"]["post"]["responses"])


def test_replies_are_not_kept_by_anybody(client):
    reply = client.get("/health")
    assert reply.headers["cache-control"] == "no-store" and "server" not in reply.headers


def test_an_address_of_others_needs_a_key(tmp_path):
    with pytest.raises(ConfigurationError, match="wanted --key-file"):
        ServeOptions(Engine(), host="0.0.0.0")
    assert "a key that" not in repr(ServeOptions(Engine(), host="0.0.0.0", key=KEY))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "wanted --key-file"),
        (["--jobs", "0"], "are positive"),
        (["--model", "englsh"], "englsh"),
        (["--policy", "safeharbor"], "did you mean safe_harbor?"),
        (["--threshold", "2"], "threshold"),
        (["--certificate", "c.pem"], "need each other"),
        (["--key-file", "/no/such/key"], "No such file"),
    ],
)
def test_wrong_options_are_refused_in_one_line(arguments, message, capsys, monkeypatch):
    monkeypatch.delenv(verb.KEY_VARIABLE, raising=False)
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: verb.main(["--model", "rules", *arguments]))
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and message in said and said.count("\n") == 1


def test_a_short_key_of_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv(verb.KEY_VARIABLE, "short")
    with pytest.raises(ConfigurationError, match="a key of 5 bytes"):
        verb.main(["--model", "rules"])


# Copies of a worker


def test_a_copy_answers_and_the_worker_remembers_nothing(engine):
    seen = []
    engine.tagger.forget()
    before = len(engine.tagger.parts[0].decoder.vocabulary)
    job = Task("tag", notes(TEXT), 30.0)
    seen = [workers.answer_in_copy(engine, job) for _ in range(2)]
    assert [answer.outcome for answer in seen] == [DONE, DONE] and seen[0] == seen[1]
    assert len(engine.tagger.parts[0].decoder.vocabulary) == before


@pytest.mark.slow
def test_a_worker_knows_the_words_of_invented_notes_when_it_is_warm(engine, monkeypatch):
    monkeypatch.setattr(workers, "WARM_NOTES", 3)
    engine.tagger.forget()
    workers.warm_up(engine)
    assert "the" in engine.tagger.parts[0].decoder.vocabulary.numbers


def test_a_copy_that_works_too_long_is_killed(engine, monkeypatch):
    monkeypatch.setitem(workers.JOBS, "tag", lambda engine, request: time.sleep(60))
    assert workers.answer_in_copy(engine, Task("tag", {}, 0.2)).outcome == TIMEOUT


def test_a_copy_that_is_killed_is_an_error(engine, monkeypatch):
    monkeypatch.setitem(workers.JOBS, "tag", lambda engine, request: os.kill(os.getpid(), signal.SIGKILL))
    assert workers.answer_in_copy(engine, Task("tag", {}, 30.0)).outcome == FAILED


def test_a_tagger_that_cannot_be_forked_forgets(engine):
    answer = workers.answer_and_forget(engine, Task("tag", notes(TEXT), 30.0))
    assert answer.outcome == DONE and CANARY not in engine.tagger.parts[0].decoder.vocabulary.numbers


# One real process


@pytest.mark.slow
def test_the_example_of_the_page_asks_through_the_service(server):
    page = (ROOT / "docs/serve.md").read_text("utf-8")
    names: dict = {}
    exec(page.split("```python\n")[1].split("```")[0], names)
    sent = []
    answer = names["ask_language_model"](
        server[1], lambda prompt: sent.append(prompt) or f"Re: {prompt}", TEXT, KEY.decode()
    )
    assert answer == f"Re: {TEXT}" and CANARY not in sent[0]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    key = tmp_path_factory.mktemp("serve") / "key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    command = [sys.executable, "-m", "crfdeid.serve", "--port", "0", "--key-file", key, "--model", "rules"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield process, line.split()[2].rstrip(";")
        process.kill()


def post(address: str, path: str, body: object) -> dict:
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY.decode()}"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return dict(json.loads(reply.read()))


@pytest.mark.slow
def test_a_real_process_serves_several_clients_and_stops_gracefully(server):
    process, address = server
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda n: post(address, "/redact", notes(f"{TEXT} {n}")), range(8)))
    assert len(replies) == 8 and all(CANARY not in reply["notes"][0]["text"] for reply in replies)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGTERM)
    out, log = process.communicate(timeout=60)
    assert process.returncode in (0, 143) and log == "" and CANARY not in out
    deadline = time.monotonic() + 30
    while (left := list(filter(is_alive, children))) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children and left == []


def is_alive(pid: str) -> bool:
    """Whether a process is there and is not only waiting to be buried."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.slow
def test_a_worker_that_died_is_started_again():
    worker = Worker(Engine("rules"))
    try:
        worker.wait()
        worker.process.kill()
        worker.process.join()
        assert worker.ask(Task("tag", notes("a"), 30.0)).outcome == FAILED
        assert worker.ask(Task("tag", notes("Dr. Ruiz came."), 30.0)).outcome == DONE
    finally:
        worker.close()
