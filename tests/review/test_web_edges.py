"""The edges of the review server: sessions, requests, jobs, addresses, options and replies of routes."""

import asyncio
import json
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")
pytest.importorskip("uvicorn")

from review_client import ADDRESS, ORIGIN, Browser
from starlette.testclient import TestClient

from crfdeid import corpora
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.review import __main__ as verb
from crfdeid.review.operations import listing, marking
from crfdeid.review.study import accounts, errors, note_index, system_spans
from crfdeid.review.study.errors import NotFoundError, SlowRequestError, StageError
from crfdeid.review.study.store import APPLICATION_ID, VERSION
from crfdeid.review.web import jobs, middleware, requests, serve
from crfdeid.review.web import sessions as web_sessions
from crfdeid.review.web.middleware import BodyReceiver, ResponseSender, SecurityMiddleware
from crfdeid.review.web.serve import FILE_NAME, ServerOptions, application
from crfdeid.review.web.sessions import Address, LoginSession, ProxyIdentity, Sessions
from crfdeid.text.document import Span

PASSWORD = "correct horse battery"


# Sessions and addresses


@pytest.fixture
def clock(monkeypatch):
    """The time, which only the test moves."""
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    return now


def test_a_session_ends_twelve_hours_after_its_last_use(study, clock):
    sessions = Sessions(study.store)
    token = sessions.begin(LoginSession("ann", True))
    clock[0] += web_sessions.IDLE_SECONDS
    assert sessions.find(token) == LoginSession("ann", True)
    clock[0] += web_sessions.IDLE_SECONDS
    assert sessions.find(token) == LoginSession("ann", True)
    clock[0] += web_sessions.IDLE_SECONDS + 1
    assert sessions.find(token) is None
    assert study.store.fetch_all("SELECT * FROM sessions") == []
    assert web_sessions.IDLE_SECONDS == 12 * 60 * 60


def test_the_use_of_a_session_is_written_every_five_minutes(study, clock):
    sessions = Sessions(study.store)
    token = sessions.begin(LoginSession())
    used = []
    for seconds in (300, 1, 300, 1):
        clock[0] += seconds
        assert sessions.find(token) == LoginSession()
        used.append(study.store.fetch_one("SELECT used FROM sessions")[0])
    assert used == [1000, 1301, 1301, 1602]


def test_sessions_that_have_ended_are_removed_when_one_begins(study, clock):
    sessions = Sessions(study.store)
    sessions.begin(LoginSession("ann"))
    clock[0] += web_sessions.IDLE_SECONDS
    sessions.begin(LoginSession("bob"))
    assert study.store.fetch_all("SELECT reader FROM sessions ORDER BY reader") == [("ann",), ("bob",)]
    clock[0] += 1
    sessions.begin(LoginSession("cy"))
    assert study.store.fetch_all("SELECT reader FROM sessions ORDER BY reader") == [("bob",), ("cy",)]


def test_a_key_opens_one_session_of_its_owner_or_of_a_guest(study):
    sessions = Sessions(study.store)
    for owner, keys in ((True, sessions.create_key(owner=True)), (False, sessions.create_key())):
        token = sessions.redeem(keys)
        assert sessions.find(token) == LoginSession(None, owner) and sessions.redeem(keys) is None
    for none in (None, "", "x"):
        assert sessions.find(none) is None and not sessions.is_known_browser(none, "ann")
    sessions.forget_reader(None)
    sessions.end(None)
    named = sessions.begin(LoginSession("ann", True))
    sessions.forget_reader(named)
    assert sessions.find(named) == LoginSession(None, True) and sessions.find(token) == LoginSession(
        None, False
    )
    sessions.end(named)
    assert sessions.find(named) is None and sessions.find(token)


def test_addresses_of_browsers():
    plain, secure = Address(("desk", "::1"), 80), Address(("::1", "desk"), 8443, True)
    assert plain.hosts == {"desk:80", "desk", "[::1]:80", "[::1]"}
    assert plain.origins == {"http://desk:80", "http://desk", "http://[::1]:80", "http://[::1]"}
    assert (plain.cookie, plain.browser_cookie, plain.url) == (
        "crfdeid-80", "crfdeid-80-known", "http://desk:80/",
    )  # fmt: skip
    assert secure.hosts == {"[::1]:8443", "desk:8443"}
    assert (secure.cookie, secure.url) == ("__Host-crfdeid-8443", "https://[::1]:8443/")
    assert Address(("desk",), 443, True).hosts == {"desk:443", "desk"}
    assert Address(("desk",), 80, True).hosts == {"desk:80"}


def test_a_proxy_names_one_reader_from_its_own_address():
    identity = ProxyIdentity("X-User", frozenset({"10.0.0.2"}))
    assert identity.read_name("10.0.0.2", ["ann"]) == "ann"
    for client, values in (("10.0.0.3", ["ann"]), ("10.0.0.2", []), ("10.0.0.2", [""])):
        assert identity.read_name(client, values) is None
    assert identity.read_name("10.0.0.2", ["ann", "ann"]) is None


# Requests and replies


def test_a_reply_is_short_json_of_its_letters():
    answer = requests.reply({"a": ["\u00e9", 1]}, 201)
    assert (answer.status_code, answer.body) == (201, '{"a":["é",1]}'.encode())
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("secure", [False, True])
def test_cookies_are_for_this_server_only(secure):
    answer, address = requests.reply({}), Address(("desk",), 8000, secure)
    requests.set_cookie(answer, "token", address)
    requests.set_browser_cookie(answer, "known", address)
    first, second = [value for name, value in answer.headers.items() if name == "set-cookie"]
    flags = "HttpOnly; Path=/; SameSite=strict" + ("; Secure" if secure else "")
    assert first == f"{address.cookie}=token; {flags}"
    age = "Max-Age=15552000; "  # half a year
    assert second == f"{address.browser_cookie}=known; " + flags.replace("Path", f"{age}Path")


@pytest.mark.parametrize("content", ["{", "[" * 100_000, "[]", "null", '"x"', "1", "\\xff"])
def test_a_body_is_an_object(study, content):
    headers = {"Origin": ORIGIN, "Content-Type": "application/json; charset=utf-8"}
    answer = Browser(study, "ann").client.post("/api/search", content=content, headers=headers)
    assert answer.status_code == 422 and answer.json()["fault"].startswith("the request's body is not ")


def test_an_empty_body_is_an_empty_object(study):
    answer = Browser(study, "ann").client.post("/api/search", headers={"Origin": ORIGIN})
    assert answer.json() == {"fault": "wanted a text of 3 to 200 characters"}


@pytest.mark.parametrize("number", ["0", "1000000001", "-1", "x"])
def test_the_number_of_a_note_is_from_one_to_a_billion(study, number):
    answer = Browser(study, "ann").get(f"/api/notes/{number}")
    assert (answer.status_code, answer.json()) == (422, {"fault": "not a valid value: path.number"})
    assert Browser(study, "ann").get("/api/notes/1000000000").json() == {"fault": "no note 1000000000"}


def test_pages_that_are_not_there_are_one_line(study):
    ann = Browser(study, "ann")
    for path in ("/nowhere", "/api/nowhere", "/static/nowhere.js", "/api/notes/"):
        assert (ann.get(path).status_code, ann.get(path).json()) == (404, {"fault": "no such page"})
    answer = ann.client.put("/api/notes/1", headers={"Origin": ORIGIN})
    assert (answer.status_code, answer.json()["fault"]) == (405, "this page does not allow this method")
    eve = Browser(study, "eve")
    assert eve.get("/api/log", after=-1).json() == {"fault": "not a valid value: query.after"}
    assert eve.get("/api/log", after=0).status_code == 200


@pytest.mark.parametrize(
    ("name", "served"),
    [("a.js", True), ("a-b_1.min.css", True), ("a.png", True), ("a.svg", True), ("a.html", True),
     ("a", False), (".js", False), ("a.py", False), ("a..js", False), ("a.js.map", False), ("../a.js", False),
     ("a.jsx", False), ("\u00e4.js", False), ("xa js", False), ("a.JS", False)],
)  # fmt: skip
def test_the_names_of_files_of_the_page(name, served):
    assert bool(FILE_NAME.fullmatch(name)) is served


def test_files_of_the_page_have_their_type(study, tmp_path):
    utf = "; charset=utf-8"
    types = {"a.min.css": f"text/css{utf}", "b.js": f"text/javascript{utf}", "c.svg": "image/svg+xml",
             "d.png": "image/png", "e.html": f"text/html{utf}"}  # fmt: skip
    for name in types:
        (tmp_path / name).write_text("x")
    (tmp_path / "folder.js").mkdir()
    client = TestClient(application(study, Sessions(study.store), ADDRESS, tmp_path), base_url=ORIGIN)
    found = {name: client.get(f"/static/{name}").headers["content-type"] for name in types}
    assert found == types
    assert client.get("/static/folder.js").status_code == 404


@pytest.mark.parametrize(
    ("error", "status"), [(errors.StoreError("x"), 500), (CrfdeidError("x"), 422), (NotFoundError("x"), 404)]
)
def test_errors_of_the_store_are_the_servers(study, monkeypatch, error, status):
    def fail(*_):
        raise error

    monkeypatch.setattr(marking, "show_note", fail)
    answer = Browser(study, "ann").get("/api/notes/1")
    assert (answer.status_code, answer.json()) == (status, {"fault": "x"})


def test_a_session_without_a_name_reads_nothing(study):
    answer = Browser(study).get("/api/study")
    assert (answer.status_code, answer.json()) == (401, {"fault": "pick a reader's name first"})


def check(headers, method="GET", address=ADDRESS):
    scope = {"method": method, "headers": [(k.encode(), v.encode()) for k, v in headers]}
    refusal = SecurityMiddleware(None, address).find_refusal(scope)
    return refusal and refusal[0]


HOST = ("Host", "127.0.0.1:8765")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([HOST], None),
        ([("host", "LOCALHOST:8765")], None),
        ([], 400),
        ([HOST, HOST], 400),
        ([HOST, ("Content-Length", "0")], None),
        ([HOST, ("Content-Length", "1000001")], 413),
        ([HOST, ("Content-Length", "-1")], 413),
        ([HOST, ("Content-Length", "x")], 413),
        ([HOST, ("Transfer-Encoding", "chunked")], 413),
        ([HOST, ("Content-Length", "1000000")], 415),
        ([HOST, ("Content-Length", "1")], 415),
        ([HOST, ("Content-Length", "1"), ("Content-Type", "application/json ; x")], None),
        ([HOST, ("Content-Length", "1"), ("Content-Type", "text/json")], 415),
        ([HOST, ("Origin", "HTTP://127.0.0.1:8765")], None),
        ([HOST, ("Origin", "http://127.0.0.1:8765"), ("Origin", "http://evil")], 403),
    ],
)
def test_a_request_is_refused_by_its_headers(headers, status):
    assert check(headers) == status


def test_only_a_request_that_reads_needs_no_origin():
    for method, status in (("GET", None), ("HEAD", None), ("POST", 403), ("PUT", 403), ("DELETE", 403)):
        assert check([HOST], method) == status
    for method, status in (("GET", None), ("HEAD", 403)):
        headers = [HOST, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
        assert check(headers, method) == status


def test_only_addresses_of_other_machines_hold_browsers_to_encryption():
    def extra(name, secure):
        return SecurityMiddleware(None, Address((name,), 443, secure)).extra

    wanted = {"Strict-Transport-Security": "max-age=31536000"}
    assert extra("ward.example.org", True) == wanted
    assert extra("ward.example.org", False) == extra("localhost", True) == {}


def run(app, scope, *messages):
    """What the middleware sends for a scope, when these messages come."""
    sent, waiting = [], list(messages)

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    asyncio.run(SecurityMiddleware(app, ADDRESS)(scope, receive, send))
    return sent


def test_what_is_no_request_is_not_answered():
    called = []

    async def app(scope, receive, send):
        called.append(scope["type"])
        await send({"type": "x"})

    assert run(app, {"type": "websocket"}) == [] and called == []
    assert run(app, {"type": "lifespan"}) == [{"type": "x"}] and called == ["lifespan"]


def test_an_unforeseen_error_is_answered_once_and_its_place_printed(capsys):
    scope = {"type": "http", "method": "GET", "headers": [(b"host", b"127.0.0.1:8765")]}

    async def fail(scope, receive, send):
        raise ValueError("Zanzibarova")

    async def fail_late(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        await fail(scope, receive, send)

    start, body = run(fail, scope)
    assert start["status"] == 500
    assert json.loads(body["body"]) == {"fault": "an error in the program; its terminal shows where"}
    headers = dict(start["headers"])
    assert headers[b"content-length"] == str(len(body["body"])).encode()
    assert headers[b"x-frame-options"] == b"DENY" and headers[b"content-type"] == b"application/json"
    (start,) = run(fail_late, scope)
    assert start["status"] == 200 and (b"cache-control", b"no-store") in start["headers"]
    first, _ = capsys.readouterr().err.splitlines()
    file = Path(__file__).name
    assert first.startswith("crfdeid.review: ValueError at middleware.py:")
    assert f", {file}:" in first and first.count(":") == 4 - 1


def test_a_place_is_the_three_innermost_calls(capsys):
    def call(depth):
        return call(depth - 1) if depth else int("x")

    with pytest.raises(ValueError) as failed:
        call(9)
    middleware.print_location(failed.value)
    places = capsys.readouterr().err.split(" at ")[1].strip().split(", ")
    assert len(places) == 3 and all(place.startswith("test_web_edges.py:") for place in places)


def test_the_body_of_a_request_comes_in_time(monkeypatch):
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.02)

    async def read():
        first = {"type": "http.request", "more_body": True}
        waiting = [first, {"type": "http.request"}, {"type": "http.disconnect"}]

        async def receive():
            if len(waiting) == 1:
                await asyncio.sleep(0.04)  # the end of the connection may come later
            return waiting.pop(0)

        receiver = BodyReceiver(receive)
        return [(await receiver())["type"] for _ in range(3)]

    async def wait():
        await BodyReceiver(lambda: asyncio.sleep(1))()

    assert asyncio.run(read()) == ["http.request", "http.request", "http.disconnect"]
    with pytest.raises(SlowRequestError, match="the request's body did not come within 0 s"):
        asyncio.run(wait())


def test_headers_are_added_to_the_beginning_of_a_response():
    sent = []

    async def send(message):
        sent.append(message)

    async def speak():
        sender = ResponseSender(send, {"X-A": "b"})
        assert not sender.begun
        await sender({"type": "http.response.start", "status": 200, "headers": [(b"c", b"d")]})
        assert sender.begun
        await sender({"type": "http.response.body"})

    asyncio.run(speak())
    assert sent[0]["headers"] == [(b"c", b"d"), (b"x-a", b"b")]
    assert sent[1] == {"type": "http.response.body"}


# Jobs


def wait_for_state(found):
    found.thread.join(20)
    return found.describe()


def test_one_job_runs_at_a_time_and_says_how_far_it_is():
    found, go_on = jobs.Jobs(), threading.Event()
    assert found.describe() == {
        "state": "none", "phase": "", "done": 0, "total": 0, "seconds": None, "fault": "", "result": None,
    }  # fmt: skip
    found.close()  # nothing to wait for

    def work(job):
        job.phase = "tag"
        for number in job.count_steps([1, 2, 3]):
            if number == 2:
                go_on.wait(20)
        job.result = {"a": 1}

    assert found.begin(work) == 1
    assert found.thread.daemon  # the end of the program does not wait for it
    while found.done < 1:
        time.sleep(0.001)
    with pytest.raises(StageError, match="another model is being trained or loaded") as stage:
        found.begin(work)
    state = found.describe()
    assert stage.value.details["stage"] == "running" and 0 <= state.pop("seconds") < 20
    assert state == {"state": "running", "phase": "tag", "done": 1, "total": 3, "fault": "", "result": None}
    go_on.set()
    assert wait_for_state(found) == {
        "state": "done", "phase": "tag", "done": 3, "total": 3, "seconds": None, "fault": "",
        "result": {"a": 1},
    }  # fmt: skip

    def fail(job):
        raise CrfdeidError("no such model")

    assert found.begin(fail) == 2
    assert wait_for_state(found) == {
        "state": "failed", "phase": "", "done": 0, "total": 0, "seconds": None, "fault": "no such model",
        "result": None,
    }  # fmt: skip


def test_a_job_that_fails_unforeseen_says_where_and_not_what(capsys):
    found = jobs.Jobs()
    found.begin(lambda job: int("Zanzibarova"))
    state = wait_for_state(found)
    assert (state["state"], state["fault"]) == ("failed", "an error in the program; its terminal shows where")
    printed = capsys.readouterr().err
    assert "ValueError at jobs.py" in printed and "Zanzibarova" not in printed


def test_a_job_is_stopped_at_its_next_step_and_the_next_one_is_not():
    found, begun, go_on = jobs.Jobs(), threading.Event(), threading.Event()
    steps = []

    def work(job):
        for number in job.count_steps([1, 2]):
            steps.append(number)
            begun.set()
            go_on.wait(20)

    found.begin(work)
    begun.wait(20)
    found.stop()
    go_on.set()
    assert wait_for_state(found)["state"] == "stopped" and steps == [1] and found.done == 1
    found.begin(work)
    assert wait_for_state(found)["state"] == "done" and steps == [1, 1, 2]


def test_a_process_that_fails_gives_its_last_line():
    found = jobs.Jobs()
    found.run_process([sys.executable, "-c", "print('x')"])
    for code, message in (
        ("import sys; print('a\\nb ', file=sys.stderr); sys.exit(3)", "^b$"),
        ("import sys; sys.exit(3)", "^the process ended with status 3$"),
    ):
        with pytest.raises(CrfdeidError, match=message):
            found.run_process([sys.executable, "-c", code])


# Replies of routes


def test_the_study_is_described_to_a_reader(study):
    system_spans.import_consensus(study, {3: []})
    system_spans.add_system(study, "model", {1: [Span(0, 4, "DATE")]}, premarks=True)
    found = Browser(study, "ann").get("/api/study").json()
    has_parquet = find_spec("pyarrow") is not None
    assert found.pop("formats") == [name for name in corpora.FORMATS if name != "parquet" or has_parquet]
    without = found.pop("formats_without_spans")
    assert "text" in without and not {"i2b2", "jsonl", "brat", "conll", "table"} & set(without)
    keys = found.pop("keys")
    assert len(keys) == len(study.scheme.types) and keys["DATE"] == "d"
    assert found == {
        "title": "study",
        "scheme": {"name": "i2b2-2014", "categories": json.loads(json.dumps(study.scheme.categories))},
        "sets": [{"name": "1", "notes": 3, "words": 21}],
        "premarks": "model",
        "systems": [{"name": "model", "notes_read": 1}],
    }


def test_the_log_begins_with_the_first_action(study):
    system_spans.import_consensus(study, {3: []})
    eve = Browser(study, "eve")
    assert [len(eve.get("/api/log", **after).json()["actions"]) for after in ({}, {"after": 1})] == [1, 0]


def test_readers_are_listed_and_added(study):
    browser = Browser(study)
    accounts.set_password(study.store, "bob", PASSWORD)
    rows = browser.get("/api/readers").json()
    assert rows["may_add"] and rows["readers"][1:3] == [
        {"name": "bob", "role": "reader", "password": True},
        {"name": "cy", "role": "reader", "password": False},
    ]
    assert browser.get("/api/session").json() == {
        "open": True, "needs": None, "reader": None, "may_invite": True,
    }  # fmt: skip
    added = browser.post("/api/readers", {"name": "zoe"})
    assert (added.status_code, added.json()) == (201, {"reader": {"name": "zoe", "role": "reader"}})
    assert browser.post("/api/readers", {"name": "mia", "role": "adjudicator"}).status_code == 201  # owner
    for body in ({}, {"name": "x", "role": "owner"}, {"name": "x", "role": None}):
        assert browser.post("/api/readers", body).status_code == 422


def test_a_session_shows_its_reader(study):
    assert Browser(study, "eve").get("/api/session").json() == {
        "open": True, "needs": None, "reader": {"name": "eve", "role": "adjudicator"}, "may_invite": True,
    }  # fmt: skip
    browser = Browser(study, "ann")
    study.requires_login = True
    assert not browser.get("/api/session").json()["may_invite"]
    assert not browser.get("/api/readers").json()["may_add"]
    browser.client.cookies.clear()
    assert browser.get("/api/session").json()["needs"] == "password"


def test_an_adjudicator_may_add_another_without_the_key(study):
    accounts.set_password(study.store, "eve", PASSWORD)
    owner = Browser(study)
    guest = Browser(study, sessions=owner.sessions)
    guest.client.cookies.clear()
    guest.client.get(owner.post("/api/keys").json()["address"])
    asked = {"name": "mia", "role": "adjudicator"}
    refused = guest.post("/api/readers", asked)
    assert refused.json() == {
        "fault": "only an adjudicator, or who started the program, can add adjudicators"
    }
    assert guest.post("/api/login", {"name": "eve", "password": PASSWORD}).status_code == 200
    assert guest.post("/api/readers", asked).status_code == 201


def test_a_login_needs_a_name_and_a_session(study):
    browser = Browser(study)
    for body in ({}, {"name": 7}, {"name": "ann", "password": 7}, {"name": "ann", "password": ["x"]}):
        answer = browser.post("/api/login", body)
        assert (answer.status_code, answer.json()) == (
            422, {"fault": "wanted a name, and a password if the reader has one"},
        )  # fmt: skip
    first = browser.client.cookies[ADDRESS.cookie]
    answer = browser.post("/api/login", {"name": "ann"})
    assert answer.json() == {"reader": {"name": "ann", "role": "reader"}}
    assert ADDRESS.browser_cookie not in browser.client.cookies  # ann has no password
    assert browser.sessions.find(first) is None  # a new token makes the old one worthless
    browser.client.cookies.clear()
    answer = browser.post("/api/login", {"name": "ann"})
    assert answer.json() == {"fault": "no session: open the address that the program printed"}
    assert browser.get("/api/study").json() == {
        "fault": "no session: open the address that the program printed, or log in"
    }


def test_the_browser_of_a_reader_is_marked_once(study):
    accounts.set_password(study.store, "ann", PASSWORD)
    browser = Browser(study)
    body = {"name": "ann", "password": PASSWORD}
    assert "known" in browser.post("/api/login", body).headers["set-cookie"]
    assert "known" not in browser.post("/api/login", body).headers["set-cookie"]
    assert study.store.fetch_one("SELECT count(*) FROM browsers") == (1,)
    assert browser.post("/api/logout", {"everywhere": "yes"}).status_code == 204  # only true is everywhere
    assert study.store.fetch_one("SELECT count(*) FROM browsers") == (1,)


def test_a_model_is_loaded_from_a_folder_that_is_named(study):
    eve = Browser(study, "eve")
    for body in ({}, {"folder": 7}, {"folder": ["x"]}):
        assert eve.post("/api/learn/models", body).json() == {"fault": "folder: wanted the path of a model"}
    assert eve.post("/api/learn/models", {"folder": "/x"}).status_code == 422  # without a name
    answer = eve.post("/api/learn/models", {"folder": "/x", "name": "m"})
    assert (answer.status_code, answer.json()) == (202, {"job": 1})
    eve.client.app.app.state.jobs.thread.join(20)
    assert eve.get("/api/learn/job").json()["state"] == "failed" and study.list_systems() == []
    assert eve.post("/api/learn/stop").status_code == 204
    assert eve.client.app.app.state.jobs.stopping.is_set()


def test_the_page_of_learning_says_how_much_is_decided(study):
    system_spans.import_consensus(study, {3: []})
    found = Browser(study, "eve").get("/api/learn").json()
    train = f"crfdeid train {study.out / 'NAME'} --out models/trained"
    bases = ["english", "spanish"]
    assert found == {"systems": [], "notes_read": 1, "train": train, "bases": bases}


# Serving


def test_a_server_is_for_this_machine_unless_it_is_told_otherwise():
    assert ServerOptions() == ServerOptions("127.0.0.1", 0, (), None, None, True, None, None)
    serve.check_options(ServerOptions())
    identity = ProxyIdentity("X-User", frozenset({"127.0.0.1"}))
    for host, public in (("127.0.0.1", None), ("10.0.0.7", "https://ward.example.org")):
        with pytest.raises(ConfigurationError, match="--trust-header: wanted --public"):
            serve.check_options(ServerOptions(host, public=public, identity=identity))


@pytest.mark.parametrize(
    ("public", "url"),
    [
        ("https://ward.example.org", "https://ward.example.org:443/"),
        ("https://ward.example.org/", "https://ward.example.org:443/"),
        ("http://ward.example.org", "http://ward.example.org:80/"),
        ("https://ward.example.org:8443", "https://ward.example.org:8443/"),
        ("ftp://ward.example.org", None),
        ("https:///x", None),
        ("https://ward.example.org/x", None),
        ("ward.example.org", None),
    ],
)
def test_the_address_behind_a_proxy(public, url):
    found = ServerOptions(public=public)
    if url:
        assert serve.find_address(found, 5000).url == url
        return
    with pytest.raises(ConfigurationError, match="--public: wanted an address like https://ward.example.org"):
        serve.find_address(found, 5000)


def test_the_address_without_a_proxy():
    found = serve.find_address(ServerOptions(names=("desk",)), 5000)
    assert found == Address(("desk",), 5000, False)
    found = serve.find_address(ServerOptions(certificate=Path("c"), private_key=Path("k")), 5000)
    assert found == Address(("127.0.0.1", "localhost", "::1"), 5000, True)
    assert serve.choose_names(ServerOptions("ward.example.org")) == ("ward.example.org",)


@pytest.mark.slow
def test_who_has_no_password_is_named(study):
    serve.check_passwords(study)  # nobody logs in
    study.requires_login = True
    for name in ("ann", "cy", "eve"):
        accounts.set_password(study.store, name, PASSWORD)
    with pytest.raises(ConfigurationError, match="^without a password: bob; --password NAME asks for one"):
        serve.check_passwords(study)
    accounts.set_password(study.store, "bob", PASSWORD)
    serve.check_passwords(study)


def test_a_wanted_port_is_not_remembered(study):
    with serve.open_port(study, ServerOptions()) as first:
        port = first.getsockname()[1]
    assert study.store.read_setting("port") == str(port)
    with serve.bind_socket("127.0.0.1", 0) as free:
        wanted = free.getsockname()[1]
    with serve.open_port(study, ServerOptions(port=wanted)) as found:
        assert found.getsockname()[1] == wanted
    assert study.store.read_setting("port") == str(port)


def test_the_address_is_printed_where_no_browser_opens(study, monkeypatch, capsys):
    monkeypatch.setattr(serve.webbrowser, "open", lambda url: False)
    sessions = Sessions(study.store)
    for open_browser, requires_login in ((True, False), (False, False), (True, True), (False, True)):
        found = serve.Announcement(ADDRESS, sessions, requires_login, open_browser)
        with found:
            printed = capsys.readouterr().out
            assert bool(found.file) == (open_browser and not requires_login)
        assert ("?key=" in printed) != requires_login
        assert printed.startswith("Open http://127.0.0.1:8765/") and printed.endswith("\nCtrl-C ends.\n")
    assert sum(sessions.keys.values()) == 2  # the keys of who started it


def test_the_page_that_opens_the_browser_leads_to_the_address():
    path = serve.write_redirect_page("http://a/?x=1&y")
    try:
        assert path.name.startswith("crfdeid-") and path.suffix == ".html"
        wanted = '<!doctype html><meta http-equiv="refresh" content="0; url=http://a/?x=1&amp;y">'
        assert path.read_text() == wanted and path.stat().st_mode & 0o777 == 0o600
    finally:
        path.unlink()


# Options


def test_the_options_have_their_defaults():
    args = verb.build_parser().parse_args(["notes", "--store", "s.db"])
    wanted = {
        "notes": Path("notes"), "store": Path("s.db"), "source": None, "patient_from": None,
        "scheme": "i2b2-2014", "sets": 1, "title": None, "out": None, "reader": [], "adjudicator": [],
        "password": [], "model": None, "threshold": None, "premark": False, "system": None, "marks": [],
        "consensus": None, "host": "127.0.0.1", "network": False, "port": 0, "name": [], "certificate": None,
        "private_key": None, "public": None, "trust_header": None, "trusted_proxy": [], "no_browser": False,
        "no_server": False,
    }  # fmt: skip
    assert wanted.items() <= vars(args).items()
    assert verb.read_server_options(args) == ServerOptions()
    for line in ([], ["notes"], ["--store", "s.db"], ["notes", "--store", "s.db", "--sets", "x"]):
        with pytest.raises(SystemExit):
            verb.build_parser().parse_args(line)


def read_server_options(*line):
    return verb.read_server_options(verb.build_parser().parse_args(["n", "--store", "s.db", *line]))


def test_the_options_of_the_server():
    found = read_server_options(
        "--host", "::1", "--port", "7", "--name", "a", "--name", "b", "--certificate", "c", "--private-key",
        "k", "--public", "https://w", "--no-browser",
    )  # fmt: skip
    assert found == ServerOptions("::1", 7, ("a", "b"), Path("c"), Path("k"), False, "https://w", None)
    found = read_server_options("--trust-header", "X", "--trusted-proxy", "a", "--trusted-proxy", "b")
    assert found.identity == ProxyIdentity("X", frozenset({"a", "b"})) and not found.open_browser
    with pytest.raises(ConfigurationError, match="--trusted-proxy: wanted --trust-header, which it is for"):
        read_server_options("--trusted-proxy", "a")
    for more in (["--certificate", "c"], ["--private-key", "k"]):
        with pytest.raises(ConfigurationError, match="--network makes a certificate; wanted no --cert"):
            read_server_options("--network", *more)


@pytest.mark.parametrize("text", ["ann", "ann=", "=x", "="])
def test_a_pair_has_a_name_and_a_corpus(text):
    with pytest.raises(ConfigurationError, match="^.*: wanted NAME=CORPUS"):
        verb.parse_pair(text)
    assert verb.parse_pair("ann=a=b") == ("ann", Path("a=b"))


def test_lists_of_options_are_not_shared():
    for _ in range(2):
        args = verb.build_parser().parse_args(["n", "--store", "s", "--reader", "ann", "--marks", "a=b"])
        assert (args.reader, args.marks) == (["ann"], ["a=b"])


# Errors


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.RequestError("x"), 422), (errors.InvalidValueError("x"), 422),
        (errors.UnauthorizedError("x"), 401), (errors.ForbiddenError("x"), 403),
        (errors.NotFoundError("x"), 404), (errors.SlowRequestError("x"), 408),
        (errors.ConflictError(3), 409), (errors.StageError("x", "y"), 409),
        (errors.NoteRefusedError("x", "missing"), 409), (errors.MarksClosedError("x"), 423),
        (errors.TooManyAttemptsError("x"), 429), (errors.DiskFullError(), 507),
    ],
)  # fmt: skip
def test_each_error_has_its_status(error, status):
    assert error.status == status


def test_errors_say_what_a_page_can_do():
    assert errors.ConflictError(3).details == {"conflict": True}
    assert errors.StageError("none", "x", left=1).details == {"stage": "none", "left": 1}
    refused = errors.NoteRefusedError("7-01", "changed")
    assert refused.details == {"refused": "changed", "note": "7-01"} and refused.why == "changed"


def test_the_limits_are_those_of_the_manual():
    """docs/review_api.md names them."""
    assert (web_sessions.FREE_ATTEMPTS, web_sessions.FREE_OF_ADDRESS, web_sessions.FREE_OF_BROWSER) == (
        5,
        50,
        50,
    )
    assert (web_sessions.LONGEST_WAIT, web_sessions.MOST_WAITING, web_sessions.MOST_WAITING_OF_ADDRESS) == (
        300,
        16,
        4,
    )
    assert (middleware.LARGEST_BODY, middleware.BODY_SECONDS, serve.MOST_CONNECTIONS) == (1_000_000, 30, 500)
    assert (note_index.SHORTEST, listing.LONGEST_SEARCH, note_index.MOST_HITS) == (3, 200, 200)
    assert (listing.LONGEST_REPORT, listing.PAUSE) == (60, 300)
    assert (int.from_bytes(b"crfd", "big"), 2) == (APPLICATION_ID, VERSION)
    assert middleware.HEADERS["X-Frame-Options"] == "DENY" and accounts.SHORTEST_PASSWORD == 10
