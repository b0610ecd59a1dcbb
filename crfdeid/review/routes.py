"""The study's routes, as docs/review_api.md has them: each asks who is there, calls one operation, and
answers."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from starlette.responses import Response

from crfdeid import corpora, model
from crfdeid.faults import ConfigurationFault
from crfdeid.review import (
    adjudication,
    exports,
    figures,
    learn,
    listing,
    readers,
    reading,
    surrogate_check,
    systems,
)
from crfdeid.review.faults import Forbidden, Invalid, Stage, Unauthorised
from crfdeid.review.readers import Reader
from crfdeid.review.room import Room, keys
from crfdeid.review.security import COOKIE, Session

router = APIRouter(prefix="/api")
Table = dict[str, Any]


def reply(table: Any, status: int = 200) -> Response:
    body = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(body, status, media_type="application/json")


def set_cookie(answer: Response, token: str, secure: bool) -> None:
    answer.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=secure, path="/")


def the_room(request: Request) -> Room:
    return request.app.state.room


def session(request: Request) -> Session:
    found = request.app.state.sessions.find(request.cookies.get(COOKIE))
    if found is None:
        raise Unauthorised("no session: open the address that the program printed, or log in")
    return found


def reader(request: Request) -> Reader:
    name = session(request).reader
    if name is None:
        raise Unauthorised("pick a reader's name first")
    return readers.find(the_room(request).store, name)


def adjudicator(request: Request) -> Reader:
    found = reader(request)
    if found.role != "adjudicator":
        raise Forbidden("for adjudicators alone")
    return found


async def body(request: Request) -> Table:
    """The request's JSON object; an empty body is an empty one."""
    try:
        found = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise Invalid("the request's body is no JSON") from None
    if not isinstance(found, dict):
        raise Invalid("the request's body is no JSON object")
    return found


InRoom = Annotated[Room, Depends(the_room)]
Body = Annotated[Table, Depends(body)]
Number = Annotated[int, Path(ge=1, le=1_000_000_000)]
AsReader = Annotated[Reader, Depends(reader)]
AsAdjudicator = Annotated[Reader, Depends(adjudicator)]


# Who


@router.get("/session")
def show_session(request: Request, room: InRoom) -> Response:
    found = request.app.state.sessions.find(request.cookies.get(COOKIE))
    named = readers.find(room.store, found.reader).table() if found and found.reader else None
    needs = None if found else "password" if room.guarded else "key"
    return reply({"open": found is not None, "needs": needs, "reader": named})


@router.get("/readers", dependencies=[Depends(session)])
def show_readers(room: InRoom) -> Response:
    found = [r.table() | {"password": r.password} for r in readers.everyone(room.store)]
    return reply({"readers": found, "may_add": not room.guarded})


@router.post("/readers", dependencies=[Depends(session)])
def add_reader(room: InRoom, given: Body) -> Response:
    refuse_guarded(room)
    if given.get("name") in room.systems():
        raise Stage("exists", "there is a system of this name already")
    added = readers.add(room.store, given.get("name", ""), given.get("role", "reader"))
    return reply({"reader": added.table()}, 201)


def refuse_guarded(room: Room) -> None:
    if room.guarded:
        raise Forbidden("done at the program's start where readers have passwords")


@router.post("/login")
def login(request: Request, room: InRoom, given: Body) -> Response:
    sessions, token = request.app.state.sessions, request.cookies.get(COOKIE)
    found = sessions.find(token)
    if found is None and not room.guarded:
        raise Unauthorised("no session: open the address that the program printed")
    name, password = given.get("name"), given.get("password")
    if not isinstance(name, str) or not isinstance(password, str | None):
        raise Invalid("a name, and a password where there is one")
    admitted = room.door.admit(name, password, needed=room.guarded)
    sessions.end(token)  # a new token, so that one known before is worth nothing
    answer = reply({"reader": admitted.table()})
    set_cookie(answer, sessions.begin(admitted.name), request.app.state.address.secure)
    return answer


@router.post("/logout")
def logout(request: Request, room: InRoom) -> Response:
    found = session(request)
    found.reader = None
    if room.guarded:
        request.app.state.sessions.end(request.cookies.get(COOKIE))
    return Response(status_code=204)


@router.post("/keys", dependencies=[Depends(session)])
def another_key(request: Request, room: InRoom) -> Response:
    refuse_guarded(room)
    return reply({"address": f"{request.app.state.address.url}?key={request.app.state.sessions.new_key()}"})


# The study


@router.get("/study", dependencies=[Depends(reader)])
def study(room: InRoom) -> Response:
    sets = [
        {"name": name, "notes": len(notes), "words": sum(note.words for note in notes)}
        for name, notes in room.sets.items()
    ]
    rows = room.store.rows("SELECT name, notes_read FROM systems ORDER BY number")
    return reply({
        "title": room.store.setting("title") or "",
        "scheme": {"name": room.scheme.name, "categories": room.scheme.categories},
        "keys": keys(room.scheme.types),
        "sets": sets,
        "premarks": room.premarks,
        "systems": [{"name": name, "notes_read": count} for name, count in rows],
        "formats": list(corpora.FORMATS),
    })  # fmt: skip


@router.get("/notes")
def notes(room: InRoom, who: AsReader, set: str | None = None, order: str = "given") -> Response:
    return reply(listing.notes(room, who, set, order))


@router.get("/progress")
def progress(room: InRoom, who: AsReader, set: str | None = None) -> Response:
    return reply(listing.progress(room, who, set))


# Marking


@router.get("/notes/{number}")
def note(room: InRoom, who: AsReader, number: Number) -> Response:
    return reply(reading.note(room, who, number))


@router.post("/notes/{number}/actions")
def act(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(reading.act(room, who, number, given))


@router.post("/notes/{number}/repeats")
def repeats(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(reading.repeats(room, who, number, given))


@router.post("/notes/{number}/time")
def spend(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(reading.spend(room, who, number, given))


# Consensus


@router.get("/consensus", dependencies=[Depends(adjudicator)])
def consensus_notes(room: InRoom, set: str | None = None) -> Response:
    return reply(adjudication.notes(room, set))


@router.get("/consensus/{number}")
def consensus(room: InRoom, who: AsReader, number: Number) -> Response:
    return reply(adjudication.view(room, who, number))


@router.post("/consensus/{number}/open")
def open_consensus(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(adjudication.opened(room, who, number, given))


@router.post("/consensus/{number}/actions")
def decide(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(adjudication.act(room, who, number, given))


# Measures


@router.get("/measures", dependencies=[Depends(adjudicator)])
def measures(room: InRoom, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.everything(room, set, rules))


@router.get("/measures/mistakes", dependencies=[Depends(adjudicator)])
def mistakes(room: InRoom, voter: str, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.mistakes(room, voter, set, rules))


# Surrogates


@router.get("/surrogates", dependencies=[Depends(adjudicator)])
def surrogate_notes(room: InRoom, set: str | None = None) -> Response:
    return reply(surrogate_check.notes(room, set))


@router.get("/surrogates/{number}")
def surrogates(room: InRoom, who: AsAdjudicator, number: Number) -> Response:
    return reply(surrogate_check.view(room, who, number))


@router.post("/surrogates/export", dependencies=[Depends(adjudicator)])
def export_surrogates(room: InRoom, given: Body) -> Response:
    return reply(surrogate_check.export(room, given))


@router.post("/surrogates/{number}/actions")
def replace(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(surrogate_check.act(room, who, number, given))


# Export and learning


@router.post("/export", dependencies=[Depends(adjudicator)])
def export(room: InRoom, given: Body) -> Response:
    return reply(exports.export(room, given))


@router.get("/learn", dependencies=[Depends(adjudicator)])
def curve(room: InRoom) -> Response:
    train = f"make train CORPUS={room.out}/NAME"
    return reply({"systems": learn.curve(room), "notes_read": len(room.decided()), "train": train})


@router.post("/learn/models", dependencies=[Depends(adjudicator)])
def load_model(request: Request, room: InRoom, given: Body) -> Response:
    refuse_guarded(room)
    folder, name = given.get("folder"), given.get("name", "")
    if not isinstance(folder, str):
        raise ConfigurationFault("folder: wanted the path of a model")
    systems.refuse_name(room, name)

    def work(shown: Any) -> None:
        found = systems.tagged(room, model.load(folder), shown)
        systems.add(room, name, found, given.get("premarks") is True)

    return reply({"job": request.app.state.jobs.begin(work)}, 202)


@router.get("/learn/job", dependencies=[Depends(adjudicator)])
def job(request: Request) -> Response:
    return reply(request.app.state.jobs.table())


@router.get("/learn/disagreements", dependencies=[Depends(adjudicator)])
def disagreements(room: InRoom, system: str) -> Response:
    return reply(learn.disagreements(room, system))
