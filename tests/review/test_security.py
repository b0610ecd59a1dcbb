"""Security of the review server: who gets in, which headers go out, and that no note text leaks."""

import asyncio
import contextlib
import io
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from shutil import which

import pytest

pytest.importorskip("fastapi", reason="pip install 'crfdeid[review]'")
pytest.importorskip("argon2", reason="pip install 'crfdeid[review]'")

import uvicorn
from review_client import ADDRESS, CANARY, ORIGIN, TEXTS, Browser
from starlette.testclient import TestClient

from crfdeid import connections, corpora, network
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.review import __main__ as verb
from crfdeid.review.operations import adjudication, marking
from crfdeid.review.study import accounts
from crfdeid.review.study.errors import StageError, TooManyAttemptsError, UnauthorizedError
from crfdeid.review.study.study import name_book, open_study
from crfdeid.review.web import middleware, routes, serve
from crfdeid.review.web import sessions as web_sessions
from crfdeid.review.web.serve import application
from crfdeid.review.web.sessions import Address, Logins, LoginSession, Sessions
from crfdeid.text.document import Document

PASSWORD = "correct horse battery"


def test_the_key_works_once_and_becomes_a_strict_cookie(study):
    browser = Browser(study)
    key = browser.sessions.create_key(owner=True)
    browser.client.cookies.clear()
    first = browser.get("/", key=key)
    assert first.status_code == 303 and first.headers["location"] == "/"
    cookie = first.headers["set-cookie"].lower()
    assert (
        all(part in cookie for part in ("httponly", "samesite=strict", "path=/")) and "secure" not in cookie
    )
    browser.client.cookies.clear()
    assert "set-cookie" not in browser.get("/", key=key).headers
    assert "set-cookie" not in browser.get("/", key="x").headers
    assert browser.get("/api/session").json() == {
        "open": False, "needs": "key", "reader": None, "may_invite": True,
    }  # fmt: skip


def test_nothing_is_answered_without_a_session_or_a_name(study):
    browser = Browser(study)
    assert browser.get("/api/readers").status_code == 200
    for path in ("/api/study", "/api/notes", "/api/notes/1", "/api/consensus/1"):
        assert browser.get(path).status_code == 401, path
    browser.client.cookies.clear()
    assert len(routes.router.routes) > 25
    for route in routes.router.routes:
        path = route.path.replace("{number}", "1")
        if path in ("/api/session",):
            continue
        answer = browser.post(path) if "POST" in route.methods else browser.get(path)
        assert answer.status_code in (401, 422), (path, answer.status_code)
        assert set(answer.json()) == {"fault"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 400),
        ({"Host": "127.0.0.1:8766"}, 400),
        ({"Host": "127.0.0.1"}, 400),
        ({"Host": "localhost:8765", "Origin": "http://localhost:8765"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "https://127.0.0.1:8765"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_host_origin_and_kind_of_body_are_checked(study, headers, status):
    ann = Browser(study, "ann")
    assert ann.post("/api/notes/1/time", {"seconds": 1}, headers).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200),  # a link on another page
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "cors"}, 200),
    ],
)
def test_another_site_may_only_lead_to_a_page(study, headers, status):
    assert Browser(study, "ann").client.get("/", headers=headers).status_code == status


def test_a_request_without_origin_changes_nothing(study):
    ann = Browser(study, "ann")
    body = json.dumps({"version": 0, "kind": "done"})
    answer = ann.client.post(
        "/api/notes/1/actions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 403 and ann.get("/api/notes/1").json()["version"] == 0


def test_large_and_endless_bodies_are_refused(study):
    ann = Browser(study, "ann")
    assert ann.post("/api/notes/1/actions", {"kind": "x" * middleware.LARGEST_BODY}).status_code == 413
    endless = ann.client.post(
        "/api/login", content=iter([b"{}"]), headers={"Origin": ORIGIN, "Content-Type": "application/json"}
    )
    assert endless.status_code == 413


def test_every_answer_has_the_strict_headers(study):
    browser = Browser(study, "ann")
    answers = [
        browser.get("/"), browser.get("/nowhere"), browser.get("/api/notes/1"), browser.get("/api/notes/x"),
        browser.post("/api/notes/1/actions"), browser.client.put("/api/notes/1", headers={"Origin": ORIGIN}),
        browser.client.get("/", headers={"Host": "evil.example"}), browser.get("/static/../server.py"),
    ]  # fmt: skip
    for answer in answers:
        assert {name.title(): answer.headers[name] for name in middleware.HEADERS} == {
            name.title(): value for name, value in middleware.HEADERS.items()
        }
    policy = middleware.HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
    assert "*" not in policy


@pytest.mark.parametrize(
    "name", ["..%2fserver.py", "%2e%2e/server.py", "store.py", ".hidden.js", "a/b.js", "x.js%00"]
)
def test_only_the_pages_files_are_served(study, name):
    assert Browser(study).get(f"/static/{name}").status_code == 404


def test_no_error_repeats_the_request_or_a_note(study, capsys, monkeypatch):
    ann = Browser(study, "ann")
    monkeypatch.setattr(marking, "show_note", lambda *_: 1 / int("0" if CANARY else CANARY))
    monkeypatch.setattr(adjudication, "show_consensus", lambda *_: int(TEXTS["7-02"][0]))
    answers = [
        ann.get("/api/notes/1"),
        ann.get("/api/consensus/2"),
        ann.get(f"/api/notes/{CANARY}"),
        ann.get("/api/notes", set=CANARY),
        ann.get("/api/notes", order=CANARY),
        ann.get("/api/notes/2/" + CANARY),
        ann.post("/api/notes/2/actions", {"version": 0, "kind": CANARY}),
        ann.post("/api/notes/2/actions", {"version": 0, "kind": "add", "start": 0, "end": 1, "type": CANARY}),
        ann.post("/api/notes/2/actions", {"version": CANARY, "kind": "done"}),
        ann.post("/api/login", {"name": CANARY}),
        ann.client.post(
            "/api/login", content=CANARY, headers={"Origin": ORIGIN, "Content-Type": "application/json"}
        ),
    ]
    assert [answer.status_code for answer in answers] == [
        500,
        500,
        422,
        404,
        422,
        404,
        422,
        422,
        422,
        401,
        422,
    ]
    printed = capsys.readouterr()
    assert not [answer for answer in answers if CANARY in answer.text]
    assert all(set(answer.json()) == {"fault"} for answer in answers)
    assert CANARY not in printed.out + printed.err and "ZeroDivisionError at" in printed.err


def test_a_note_full_of_script_stays_data(study):
    answer = Browser(study, "ann").get("/api/notes/3")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["text"].startswith("<script>")


def test_passwords_are_argon2(study):
    accounts.set_password(study.store, "ann", PASSWORD)
    (hash,) = study.store.fetch_one("SELECT password FROM readers WHERE name = 'ann'")
    assert hash.startswith("$argon2id$")
    browser = Browser(study)
    assert browser.post("/api/login", {"name": "ann"}).status_code == 401
    assert browser.post("/api/login", {"name": "ann", "password": PASSWORD}).status_code == 200
    assert browser.post("/api/login", {"name": "bob"}).status_code == 200  # has none; only on this machine


@pytest.fixture
def checker(study, monkeypatch):
    """Logins in which the password of all readers is "right"."""
    monkeypatch.setattr(web_sessions, "is_match", lambda hash, password: password == "right")
    accounts.set_password(study.store, "ann", PASSWORD)
    made = Logins(study.store)
    yield made
    made.checks.shutdown()


def log_in(checker, name, password, address="10.0.0.7", known=False, needed=True):
    return asyncio.run(checker.authenticate(name, password, needed, address, known))


def test_guessing_is_slowed_by_name_and_address(checker, monkeypatch):
    for _ in range(web_sessions.FREE_ATTEMPTS):
        with pytest.raises(UnauthorizedError):
            log_in(checker, "ann", "wrong")
    with pytest.raises(TooManyAttemptsError) as waiting:
        log_in(checker, "ann", "right")
    assert waiting.value.details["seconds"] >= 1
    assert log_in(checker, "ann", "right", "10.0.0.8").name == "ann"  # another desk has not guessed
    assert log_in(checker, "ann", "right", known=True).name == "ann"  # nor has the reader's own browser
    later = time.monotonic() + 2
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert log_in(checker, "ann", "right").name == "ann"
    for name in ("bob", "nobody"):  # bob has no password, and one is needed
        with pytest.raises(UnauthorizedError):
            log_in(checker, name, "right")


def test_parallel_guesses_are_not_all_free(checker):
    async def guess() -> list[object]:
        tries = [checker.authenticate("ann", f"{n}", True, "10.0.0.7", False) for n in range(60)]
        return await asyncio.gather(*tries, return_exceptions=True)

    found = asyncio.run(guess())
    assert sum(isinstance(one, UnauthorizedError) for one in found) <= web_sessions.FREE_ATTEMPTS
    assert sum(isinstance(one, TooManyAttemptsError) for one in found) >= 60 - web_sessions.FREE_ATTEMPTS


def test_an_address_that_tries_many_names_waits(checker):
    for n in range(web_sessions.FREE_OF_ADDRESS):
        with pytest.raises(UnauthorizedError):
            log_in(checker, f"name{n}", "wrong")
    with pytest.raises(TooManyAttemptsError):
        log_in(checker, "another", "wrong")


def test_the_right_password_is_heard_while_its_address_floods_the_server(checker, monkeypatch):
    for n in range(web_sessions.FREE_OF_ADDRESS + 1):
        with contextlib.suppress(UnauthorizedError, TooManyAttemptsError):
            log_in(checker, f"name{n}", "wrong")
    assert log_in(checker, "ann", "right").name == "ann"
    checker.waiting["10.0.0.7"] = web_sessions.MOST_WAITING
    assert log_in(checker, "ann", "right").name == "ann"
    for name in ["ann"] * web_sessions.FREE_ATTEMPTS + ["bob", "nobody"]:  # a wrong one says nothing else
        with pytest.raises(TooManyAttemptsError, match="too many people are logging in"):
            log_in(checker, name, "wrong")
    with pytest.raises(TooManyAttemptsError, match="too many wrong passwords"):
        log_in(checker, "ann", "right")  # guesses at a name are slowed as before
    checker.waiting["10.0.0.9"] = web_sessions.MOST_HEARD
    with pytest.raises(TooManyAttemptsError):
        log_in(checker, "ann", "right", "10.0.0.9")


def test_the_count_of_wrong_passwords_is_bounded(checker, monkeypatch):
    monkeypatch.setattr(web_sessions, "MOST_COUNTED", 2)
    for name in ("a", "b", "c"):
        checker.throttle.count_attempt({name: 5})
    assert list(checker.throttle.attempts) == ["b", "c"]


def test_each_wrong_password_doubles_the_wait_up_to_five_minutes(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    throttle = web_sessions.Throttle()
    waits = []
    for _ in range(13):
        throttle.count_attempt({"key": 2})
        waits.append(throttle.find_wait("key", 2))
        now[0] += waits[-1]  # not a moment earlier
    assert waits == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    throttle.count_attempt({"key": 2})
    now[0] += 299.9
    with pytest.raises(TooManyAttemptsError, match="too many wrong passwords") as waiting:
        throttle.count_attempt({"key": 2, "other": 9})
    assert waiting.value.details["seconds"] == 1 and "other" not in throttle.attempts
    now[0] -= 200
    with pytest.raises(TooManyAttemptsError) as waiting:
        throttle.count_attempt({"key": 2})
    assert waiting.value.details["seconds"] == 201  # rounded up
    assert throttle.find_wait("nobody", 1) == 0


def test_a_login_that_succeeds_is_taken_back_from_the_other_counts():
    throttle = web_sessions.Throttle()
    for _ in range(3):
        throttle.count_attempt({"own": 9, "address": 9})
    throttle.count_attempt({"once": 9})
    throttle.take_back({"own": 9, "address": 9, "once": 9, "never": 9}, "own")
    assert {key: times for key, (times, _) in throttle.attempts.items()} == {"address": 2}


def test_a_crowd_of_logins_is_refused_but_not_the_browser_that_is_known(checker):
    checker.waiting["10.0.0.7"] = web_sessions.MOST_WAITING_OF_ADDRESS - 1
    checker.refuse_crowd("10.0.0.7", False)
    checker.waiting["10.0.0.7"] += 1
    checker.refuse_crowd("10.0.0.8", False)
    with pytest.raises(TooManyAttemptsError, match="too many people are logging in; try again") as waiting:
        checker.refuse_crowd("10.0.0.7", False)
    assert waiting.value.details["seconds"] == 1
    checker.waiting["10.0.0.9"] = web_sessions.MOST_WAITING - web_sessions.MOST_WAITING_OF_ADDRESS
    with pytest.raises(TooManyAttemptsError):
        checker.refuse_crowd("10.0.0.8", False)
    checker.refuse_crowd("10.0.0.7", True)
    checker.waiting["10.0.0.9"] = 2 * web_sessions.MOST_WAITING
    with pytest.raises(TooManyAttemptsError):
        checker.refuse_crowd("10.0.0.7", True)


def test_nobody_waits_after_the_check_whether_it_was_right_or_wrong(checker):
    log_in(checker, "ann", "right")
    for name in ("ann", "../ann", ""):
        with pytest.raises(UnauthorizedError, match="no reader with this name and password"):
            log_in(checker, name, "wrong")
    assert dict(checker.waiting) == {}
    assert set(checker.throttle.attempts) == {"10.0.0.7", ("10.0.0.7", "ann")}


def test_a_reader_without_a_password_needs_one_where_readers_log_in(checker):
    assert log_in(checker, "bob", None, needed=False).name == "bob"
    for name, password in (("bob", None), ("bob", "right"), ("ann", None), ("nobody", None)):
        with pytest.raises(UnauthorizedError):
            log_in(checker, name, password, needed=name != "nobody")


def test_a_right_password_takes_its_own_count_back(checker):
    with pytest.raises(UnauthorizedError):
        log_in(checker, "ann", "wrong")
    log_in(checker, "ann", "right")
    assert checker.throttle.attempts == {"10.0.0.7": (1, checker.throttle.attempts["10.0.0.7"][1])}


def test_a_browser_of_the_reader_is_known_until_the_reader_signs_out_everywhere(study):
    accounts.set_password(study.store, "ann", PASSWORD)
    browser = Browser(study)
    browser.post("/api/login", {"name": "ann", "password": PASSWORD})
    token = browser.client.cookies[ADDRESS.browser_cookie]
    assert browser.sessions.is_known_browser(token, "ann")
    assert not browser.sessions.is_known_browser(token, "bob")
    other = Browser(study, sessions=browser.sessions)
    other.post("/api/login", {"name": "ann", "password": PASSWORD})
    assert browser.post("/api/logout", {"everywhere": True}).status_code == 204
    assert other.get("/api/study").status_code == 401
    assert not browser.sessions.is_known_browser(token, "ann")
    assert browser.get("/api/session").json()["open"]  # on this machine another name can come in


def test_a_new_password_ends_the_sessions_of_the_old_one(study):
    ann = Browser(study, "ann")
    accounts.set_password(study.store, "ann", PASSWORD)
    assert ann.get("/api/study").status_code == 401


def test_sessions_survive_a_restart(study):
    token = Sessions(study.store).begin(LoginSession("ann", True))
    assert Sessions(study.store).find(token) == LoginSession("ann", True)
    assert token not in str(study.store.fetch_all("SELECT * FROM sessions"))


def test_from_other_machines_only_a_password_opens_the_study(study):
    accounts.set_password(study.store, "eve", PASSWORD)
    study.requires_login = True
    browser = Browser(study)
    browser.client.cookies.clear()
    assert browser.get("/api/session").json()["needs"] == "password"
    assert browser.get("/api/readers").status_code == 401
    assert browser.post("/api/login", {"name": "ann"}).status_code == 401
    assert browser.post("/api/login", {"name": "eve", "password": PASSWORD}).status_code == 200
    assert browser.get("/api/study").status_code == 200
    for path in ("/api/readers", "/api/keys", "/api/learn/models"):
        assert browser.post(path, {"name": "x", "folder": "/"}).status_code == 403, path
    assert browser.post("/api/logout").status_code == 204
    assert browser.get("/api/study").status_code == 401


def test_a_reader_logs_out_and_another_browser_gets_in(study):
    browser = Browser(study, "ann")
    address = browser.post("/api/keys").json()["address"]
    assert address.startswith("http://127.0.0.1:8765/?key=")
    browser.post("/api/logout")
    assert browser.get("/api/session").json() == {
        "open": True, "needs": None, "reader": None, "may_invite": True,
    }  # fmt: skip
    assert browser.post("/api/readers", {"name": "zoe", "role": "reader"}).status_code == 201
    assert browser.post("/api/readers", {"name": "zoe", "role": "adjudicator"}).json()["stage"] == "exists"
    for name in ("", " x", "a\nb", "x" * 61, "<b>", 7):
        assert browser.post("/api/readers", {"name": name, "role": "reader"}).status_code == 422


def test_a_window_of_one_reader_does_not_act_as_another(study):
    browser = Browser(study, "ann")  # one browser, two windows: in the second, bob comes in
    Browser(study, "bob").act(1, "add", start=12, end=16, type="DOCTOR")
    browser.post("/api/login", {"name": "bob"})
    body = {"version": 0, "kind": "add", "start": 20, "end": 28, "type": "DATE"}
    for name in ("ann", "bob", "%62ob"):
        answer = browser.post("/api/notes/1/actions", body, {"X-Reader": name})
        assert answer.status_code == 409
        assert ("state" in answer.json()) == (name != "ann")  # ann is not shown bob's marks
    assert browser.client.get("/api/notes/1", headers={"X-Reader": "ann"}).json()["stage"] == "reader"
    assert browser.client.get("/api/notes/1", headers={"X-Reader": "bob"}).status_code == 200


def test_no_reader_becomes_an_adjudicator(study):
    """Without passwords too: who was invited can neither add an adjudicator nor come in as one."""
    owner = Browser(study, "ann")
    invited = Browser(study, sessions=owner.sessions)
    invited.client.cookies.clear()
    address = owner.post("/api/keys").json()["address"]
    invited.client.get(address)
    assert invited.post("/api/login", {"name": "bob"}).status_code == 200
    assert invited.post("/api/readers", {"name": "mallory", "role": "adjudicator"}).status_code == 403
    assert invited.post("/api/readers", {"name": "zoe"}).status_code == 201
    assert invited.post("/api/login", {"name": "eve"}).status_code == 403
    assert invited.get("/api/session").json()["reader"]["name"] == "bob"
    accounts.set_password(study.store, "eve", PASSWORD)
    assert invited.post("/api/login", {"name": "eve", "password": PASSWORD}).status_code == 200
    assert owner.post("/api/readers", {"name": "mia", "role": "adjudicator"}).status_code == 201


@pytest.mark.parametrize(
    "name",
    ["\N{CYRILLIC SMALL LETTER A}nn", "ANN", "\u00e4nn", "\u212bnn", "b\N{GREEK SMALL LETTER OMICRON}b"],
)
def test_names_that_look_the_same_are_refused(study, name):
    answer = Browser(study).post("/api/readers", {"name": name})
    assert answer.json()["stage"] == "exists"


def test_a_trusted_proxy_names_the_reader_and_nobody_else_does(study):
    study.requires_login = True
    identity = web_sessions.ProxyIdentity("X-Forwarded-User", frozenset({"10.0.0.2"}))
    app = application(study, Sessions(study.store), ADDRESS, identity=identity)

    def ask(client, path="/api/study", **headers):
        caller = TestClient(app, base_url=ORIGIN, client=(client, 5000))
        return caller.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    assert ask("10.0.0.2", X_Forwarded_User="ann").status_code == 200
    assert ask("10.0.0.2", "/api/session", X_Forwarded_User="eve").json()["reader"]["role"] == "adjudicator"
    assert ask("10.0.0.2").status_code == 401
    assert ask("10.0.0.2", X_Forwarded_User="mallory").status_code == 401
    assert ask("10.0.0.3", X_Forwarded_User="ann").status_code == 401
    twice = [("X-Forwarded-User", "ann"), ("X-Forwarded-User", "eve")]
    caller = TestClient(app, base_url=ORIGIN, client=("10.0.0.2", 5000))
    assert caller.get("/api/study", headers=twice).status_code == 401
    token = Sessions(study.store).begin(LoginSession("ann", True))
    assert ask("10.0.0.3", Cookie=f"{ADDRESS.cookie}={token}").status_code == 401  # a cookie opens nothing
    body = {"Origin": ORIGIN, "X-Forwarded-User": "ann"}
    assert caller.post("/api/login", json={"name": "eve"}, headers=body).status_code == 403


def test_the_options_for_a_proxy():
    found = server_options("--trust-header", "X-User", "--public", "https://ward.example.org")
    serve.check_options(found)
    assert found.identity.proxies == {"127.0.0.1"} and not found.open_browser
    assert serve.find_address(found, 5000).origins == {
        "https://ward.example.org", "https://ward.example.org:443",
    }  # fmt: skip
    for arguments in (["--trust-header", "X"], ["--trusted-proxy", "10.0.0.2"]):
        with pytest.raises(ConfigurationError, match="wanted"):
            serve.check_options(server_options(*arguments))
    with pytest.raises(ConfigurationError, match="--public: wanted an address"):
        serve.find_address(server_options("--public", "ward"), 1)


def test_twenty_readers_work_at_once_behind_a_proxy(study):
    """All connections come from the proxy's address; each reader's marks are saved, and theirs alone."""
    names = [f"reader {n}" for n in range(20)]
    for name in names:
        accounts.add_reader(study.store, name, "reader")
    public = Address(("ward.example.org",), 443, True)
    identity = web_sessions.ProxyIdentity("X-Forwarded-User", frozenset({"127.0.0.1"}))
    app = application(study, Sessions(study.store), public, identity=identity)
    with run_server(lambda port: app) as port, ThreadPoolExecutor(20) as desks:
        found = list(desks.map(lambda name: mark_as(port, public, name), names))
    assert found == [[200] * 7] * 20
    for n, name in enumerate(names):
        spans = study.marks_log.read_entry(name_book(name), 1).state.spans
        assert [span.start for span in spans] == ([12, 20, 30] if n % 2 else [12, 20])
        assert study.find_readers(1)[name]


def mark_as(port, public, name):
    """The replies to a reader who marks the first note and finishes it."""
    headers = {"Host": "ward.example.org", "Origin": "https://ward.example.org", "X-Forwarded-User": name}
    ask = partial(send, port, headers | {"Content-Type": "application/json"})
    (status, state), is_odd = ask("/api/notes/1"), int(name.split()[1]) % 2
    replies = [status]
    for start, end in [(12, 16), (20, 28), (30, 34)]:
        body = {"version": state["version"], "kind": "add", "start": start, "end": end, "type": "DOCTOR"}
        status, state = ask("/api/notes/1/actions", body)
        replies.append(status)
    if not is_odd:
        status, state = ask("/api/notes/1/actions", {"version": state["version"], "kind": "undo"})
    else:
        status, _ = ask("/api/notes")
    replies += [status, ask("/api/notes/1/shown", {"stretches": [[0, len(TEXTS["7-01"][0])]]})[0]]
    return [*replies, ask("/api/notes/1/actions", {"version": state["version"], "kind": "done"})[0]]


def send(port, headers, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers)
    with urllib.request.urlopen(asked, timeout=60) as reply:
        return reply.status, json.loads(reply.read() or b"{}")


@contextlib.contextmanager
def run_server(make_app):
    """Serve on a free port with the settings of the real server; yields the port."""
    with serve.bind_socket("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        limit = serve.MOST_CONNECTIONS
        server = uvicorn.Server(network.build_config(make_app(port), None, None, limit_concurrency=limit))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield port
        server.should_exit = server.force_exit = True
        thread.join(5)


@pytest.fixture
def served(study):
    """The study on a free port; the port and the sessions."""
    sessions = Sessions(study.store)
    with run_server(lambda port: application(study, sessions, Address(("127.0.0.1",), port))) as port:
        yield port, sessions


def send_login(port, token, name):
    body = json.dumps({"name": name, "password": "wrong"}).encode()
    headers = {
        "Content-Type": "application/json",
        "Origin": f"http://127.0.0.1:{port}",
        "Cookie": f"crfdeid-{port}={token}",
    }
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/api/login", body, headers)
    try:
        return urllib.request.urlopen(asked, timeout=20).status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_flood_of_logins_stops_no_reader(study, served, monkeypatch):
    port, sessions = served
    token, checked = sessions.begin(LoginSession("ann")), threading.Event()
    monkeypatch.setattr(web_sessions, "is_match", lambda hash, password: not checked.wait(20))
    with ThreadPoolExecutor(50) as crowd:
        replies = [crowd.submit(send_login, port, token, f"nobody{n}") for n in range(50)]
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/notes/1", headers={"Cookie": f"crfdeid-{port}={token}"}
        )
        assert urllib.request.urlopen(asked, timeout=15).status == 200  # while passwords wait for their check
        assert not checked.is_set()
        checked.set()
        found = Counter(reply.result() for reply in replies)
    assert set(found) == {401, 429} and found[401] <= web_sessions.FREE_OF_ADDRESS


def test_connections_that_send_nothing_are_closed(served, monkeypatch):
    port, _ = served
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.2)
    head = f"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    half = f"{head}Content-Type: application/json\r\nContent-Length: 40\r\n\r\n{{".encode()
    for sent, wanted in ((b"", b""), (b"GET / HTTP/1.1\r\nHost:", b""), (half, b"HTTP/1.1 408 ")):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(sent)
            assert line.recv(13) == wanted


def test_an_address_has_a_bounded_number_of_connections(served, monkeypatch):
    port, _ = served
    monkeypatch.setattr(connections, "MOST_OF_ADDRESS", 3)
    lines = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(4)]
    with contextlib.suppress(ConnectionResetError):
        assert lines[3].recv(1) == b""
    for line in lines:
        line.close()


@pytest.mark.parametrize("name", ["\ud800", "a" * 61, "a" * 900_000, "", "a\0b"])
def test_an_invalid_name_is_refused_and_not_remembered(study, name):
    answer = Browser(study).post("/api/login", {"name": name, "password": "x"})
    assert answer.status_code == 401


def test_no_reader_gets_the_name_of_a_system(study):
    study.store.execute("INSERT INTO systems VALUES('model', 1, 0, 0)")
    assert Browser(study).post("/api/readers", {"name": "model"}).json()["stage"] == "exists"
    with pytest.raises(StageError):
        accounts.add_reader(study.store, "model", "reader")


def test_a_session_ends_when_it_is_not_used(study, monkeypatch):
    sessions = Sessions(study.store)
    token = sessions.redeem(sessions.create_key(owner=True))
    assert sessions.find(token)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + web_sessions.IDLE_SECONDS + 1)
    assert sessions.find(token) is None


def server_options(*arguments):
    args = verb.build_parser().parse_args(["notes", "--store", "s.db", *arguments])
    return verb.read_server_options(args)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "other machines can reach this address; wanted --certificate"),
        (["--host", "10.1.2.3"], "other machines can reach this address"),
        (["--host", "ward.example.org"], "other machines can reach this address"),
        (["--certificate", "/nowhere.pem"], "no such file"),
        (["--certificate", __file__], "need each other"),
        (["--host", "::", "--certificate", __file__, "--private-key", __file__], "wanted a certificate"),
    ],
)
def test_other_addresses_are_refused_without_tls(arguments, message):
    with pytest.raises(ConfigurationError, match=message):
        serve.check_options(server_options(*arguments))


def test_other_addresses_are_refused_without_passwords(study):
    study.requires_login = True
    with pytest.raises(ConfigurationError, match="without a password: ann, bob, cy, eve"):
        serve.check_passwords(study)
    study.store.execute("DELETE FROM readers")
    with pytest.raises(ConfigurationError, match="nobody could log in"):
        serve.check_passwords(study)


def test_addresses():
    secure = Address(("ward.example.org",), 443, True)
    assert (
        middleware.SecurityMiddleware(None, secure).extra
        and not middleware.SecurityMiddleware(None, ADDRESS).extra
    )
    assert secure.origins == {"https://ward.example.org", "https://ward.example.org:443"}
    assert serve.choose_names(server_options()) == ("127.0.0.1", "localhost", "::1")
    assert serve.choose_names(server_options("--host", "0.0.0.0", "--name", "a", "--name", "b")) == ("a", "b")
    with serve.bind_socket("127.0.0.1", 0) as taken:
        assert taken.proto == socket.IPPROTO_TCP  # or asyncio leaves Nagle's delay on
    with serve.bind_socket("127.0.0.1", 0) as taken, pytest.raises(ConfigurationError, match="--port"):
        serve.bind_socket("127.0.0.1", taken.getsockname()[1])


def test_the_browser_is_opened_by_a_file_that_only_its_owner_reads(study, monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(serve.webbrowser, "open", lambda url: seen.append(url) or True)
    announcement = serve.Announcement(ADDRESS, Sessions(study.store), requires_login=False, open_browser=True)
    with announcement:
        assert "key" not in seen[0] and announcement.file.stat().st_mode & 0o777 == 0o600
        assert "?key=" in announcement.file.read_text()
    assert not announcement.file.exists() and "key" not in capsys.readouterr().out
    with serve.Announcement(ADDRESS, Sessions(study.store), requires_login=True, open_browser=True):
        assert capsys.readouterr().out.startswith("Open http://127.0.0.1:8765/\n")


def test_a_pattern_finds_the_patients_of_plain_texts(tmp_path):
    corpora.write([Document(id, id) for id in ("7-01", "7-02", "x")], tmp_path / "notes", "text")
    base = [str(tmp_path / "notes"), "--no-server", "--store"]
    verb.main([*base, str(tmp_path / "a.db"), "--patient-from", r"^(\d+)-"])
    opened = open_study(tmp_path / "a.db")
    assert [note.patient for note in opened.notes.all] == ["7", "7", None]
    opened.store.close()
    with pytest.raises(ConfigurationError, match="no regular expression"):
        verb.main([*base, str(tmp_path / "b.db"), "--patient-from", "("])
    assert not (tmp_path / "b.db").exists()


def start_server(corpus, *arguments):
    command = [sys.executable, "-m", "crfdeid.review", str(corpus / "notes"), "--store", str(corpus / "s.db")]
    server = subprocess.Popen(
        [*command, "--no-browser", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines = [server.stdout.readline(), server.stdout.readline()]
    return server, lines[1].split()[1]


def stop_server(server):
    server.send_signal(2)
    _, errors = server.communicate(timeout=20)
    return errors


@pytest.mark.slow
def test_the_verb_serves_and_survives_kill_9(corpus):
    server, url = start_server(corpus, "--reader", "ann")
    root = url.split("?")[0]
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())

    def call(path, body=None):
        headers = {"Origin": root.rstrip("/"), "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with opener.open(urllib.request.Request(root + path, data, headers if data else {})) as answer:
            return json.load(answer)

    opener.open(url).close()
    call("api/login", {"name": "ann"})
    body = {"version": 0, "kind": "add", "start": 12, "end": 16, "type": "DOCTOR"}
    assert call("api/notes/1/actions", body)["version"] == 1
    server.kill()
    out, err = server.communicate()
    assert CANARY not in out + err and "GET" not in out + err
    server, url = start_server(corpus)
    urllib.request.urlopen(url).close()  # it is up
    assert stop_server(server) == ""
    store = accounts.Store(corpus / "s.db")
    assert store.fetch_one("SELECT version FROM states") == (1,)
    store.close()


def test_a_missing_password_is_an_error(corpus, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    base = [str(corpus / "notes"), "--store", str(corpus / "s.db"), "--no-server", "--reader", "ann"]
    with pytest.raises(CrfdeidError, match="a password of at least 10 characters"):
        verb.main([*base, "--password", "ann"])


@pytest.mark.slow
@pytest.mark.skipif(which("openssl") is None, reason="makes a certificate with openssl")
def test_tls_and_passwords_open_another_address(corpus, monkeypatch):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "1", "-subj", "/CN=ward.test", "-keyout", corpus / "key.pem", "-out", corpus / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse battery\n"))
    verb.main(
        [
            str(corpus / "notes"),
            "--store",
            str(corpus / "s.db"),
            "--reader",
            "ann",
            "--password",
            "ann",
            "--no-server",
        ]
    )
    arguments = ("--host", "0.0.0.0", "--name", "localhost", "--certificate", str(corpus / "cert.pem"))
    with pytest.raises(ConfigurationError, match="wanted --name"):
        named = ["--host", "::", *arguments[4:], "--private-key", str(corpus / "key.pem")]
        serve.check_options(server_options(*named))
    server, url = start_server(corpus, *arguments, "--private-key", str(corpus / "key.pem"))
    assert url.startswith("https://localhost:") and "key" not in url
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    body = json.dumps({"name": "ann", "password": PASSWORD}).encode()
    headers = {"Origin": url.rstrip("/"), "Content-Type": "application/json"}
    request = urllib.request.Request(url + "api/login", body, headers)
    with urllib.request.urlopen(request, context=context) as answer:
        assert answer.headers["set-cookie"].startswith("__Host-crfdeid-")
        assert "secure" in answer.headers["set-cookie"].lower()
        assert "strict-transport-security" not in answer.headers  # localhost has other servers
    stop_server(server)


def test_the_verb_says_what_is_missing(corpus, monkeypatch, capsys):
    monkeypatch.setattr(verb, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(ConfigurationError, match=r"uvicorn not installed: .* install 'crfdeid\[review\]'"):
        verb.main([str(corpus / "notes"), "--store", str(corpus / "s.db")])


def test_a_model_at_another_threshold_is_another_system(corpus, small_model):
    base = [str(corpus / "notes"), "--store", str(corpus / "s.db"), "--no-server"]
    with pytest.raises(ConfigurationError, match="--threshold: wanted --model"):
        verb.main([*base, "--threshold", "0.1"])
    with pytest.raises(ConfigurationError, match="the system rules gives no probabilities"):
        verb.main([*base, "--model", "rules", "--threshold", "0.1"])
    for more in ([], ["--threshold", "0.1"], ["--threshold", "0.1"], ["--threshold", "DATE=0.2"]):
        verb.main([*base, "--model", str(small_model.folder), *more])
    store = accounts.Store(corpus / "s.db")
    names = [name for (name,) in store.fetch_all("SELECT name FROM systems ORDER BY name")]
    store.close()
    assert [name[len("small 123456") :] for name in names] == ["", " at 0.1", " at DATE 0.2"]


@pytest.mark.slow
def test_systems_that_learn_nothing_and_unions_have_names_of_their_own(corpus):
    base = [str(corpus / "notes"), "--store", str(corpus / "s.db"), "--no-server"]
    for name in ("rules", "heuristic", "rules+heuristic", "rules"):
        verb.main([*base, "--model", name])
    store = accounts.Store(corpus / "s.db")
    names = [name for (name,) in store.fetch_all("SELECT name FROM systems ORDER BY number")]
    store.close()
    assert [name[:-7] for name in names] == ["rules", "heuristic", "rules+heuristic"]
    assert len({name[-6:] for name in names}) == 3


def test_the_verb_takes_in_people_and_corpora(corpus, capsys):
    base = [str(corpus / "notes"), "--store", str(corpus / "s.db"), "--no-server"]
    gold = str(corpus / "notes")
    verb.main(
        [
            *base,
            "--adjudicator",
            "eve",
            "--marks",
            f"dan={gold}",
            "--system",
            f"rules={gold}",
            "--premark",
            "--consensus",
            gold,
        ]
    )
    assert capsys.readouterr().out.startswith("3 notes in 1 set; the store is ")
    (corpus / "notes" / "8-01.xml").write_text("changed")
    verb.main(base)
    assert capsys.readouterr().err == "refused: note 8-01 is missing on disk\n"
    for wrong in (["--marks", "dan"], ["--sets", "0"], ["--premark"]):
        with pytest.raises(ConfigurationError):
            verb.main([*base, *wrong])


def test_the_room_has_the_colours_of_all_pages(study):
    answer = Browser(study).get("/static/colours.css")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/css")
    assert "--accent:" in answer.text and "prefers-color-scheme: dark" in answer.text
