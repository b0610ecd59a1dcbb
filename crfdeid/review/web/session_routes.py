"""The routes of sessions and readers (docs/review_api.md, Who)."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crfdeid.review.study import accounts
from crfdeid.review.study.errors import Forbidden, Invalid, Unauthorised
from crfdeid.review.study.study import Study
from crfdeid.review.web.requests import Body, InRoom, refuse_guarded, reply, session, set_cookie, token
from crfdeid.review.web.sessions import Session

router = APIRouter(prefix="/api")


@router.get("/session")
def show_session(request: Request, room: InRoom) -> Response:
    found = request.app.state.sessions.find(token(request))
    named = accounts.find(room.store, found.reader).table() if found and found.reader else None
    needs = None if found else "password" if room.guarded else "key"
    return reply({"open": found is not None, "needs": needs, "reader": named})


@router.get("/readers", dependencies=[Depends(session)])
def show_readers(room: InRoom) -> Response:
    found = [r.table() | {"password": r.password} for r in accounts.everyone(room.store)]
    return reply({"readers": found, "may_add": not room.guarded})


@router.post("/readers", dependencies=[Depends(session)])
def add_reader(request: Request, room: InRoom, given: Body) -> Response:
    refuse_guarded(room)
    role = given.get("role", "reader")
    if role == "adjudicator":
        refuse_usurper(room, session(request))
    added = accounts.add(room.store, given.get("name", ""), role)
    return reply({"reader": added.table()}, 201)


def refuse_usurper(study: Study, present: Session) -> None:
    """Where names have passwords, nobody becomes an adjudicator by adding one. Raises :class:`Forbidden`."""
    everyone = {found.name: found for found in accounts.everyone(study.store)}
    adjudicates = present.reader in everyone and everyone[present.reader].role == "adjudicator"
    if any(found.password for found in everyone.values()) and not adjudicates:
        raise Forbidden("where readers have passwords, an adjudicator adds adjudicators")


@router.post("/login")
def login(request: Request, room: InRoom, given: Body) -> Response:
    sessions, known = request.app.state.sessions, token(request)
    found = sessions.find(known)
    if found is None and not room.guarded:
        raise Unauthorised("no session: open the address that the program printed")
    name, password = given.get("name"), given.get("password")
    if not isinstance(name, str) or not isinstance(password, str | None):
        raise Invalid("a name, and a password where there is one")
    admitted = room.door.admit(name, password, needed=room.guarded)
    sessions.end(known)  # a new token, so that one known before is worth nothing
    answer = reply({"reader": admitted.table()})
    set_cookie(answer, sessions.begin(admitted.name), request.app.state.address)
    return answer


@router.post("/logout")
def logout(request: Request, room: InRoom) -> Response:
    found = session(request)
    found.reader = None
    if room.guarded:
        request.app.state.sessions.end(token(request))
    return Response(status_code=204)


@router.post("/keys", dependencies=[Depends(session)])
def another_key(request: Request, room: InRoom) -> Response:
    refuse_guarded(room)
    return reply({"address": f"{request.app.state.address.url}?key={request.app.state.sessions.new_key()}"})
