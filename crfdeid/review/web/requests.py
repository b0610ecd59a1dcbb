"""Who is behind a request, and how it is read and answered."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Depends, Path, Request
from starlette.responses import Response

from crfdeid.review.study import accounts
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Forbidden, Invalid, Stage, Unauthorised
from crfdeid.review.study.study import Study
from crfdeid.review.web.sessions import Address, Session

Table = dict[str, Any]


def reply(table: Any, status: int = 200) -> Response:
    body = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(body, status, media_type="application/json")


def set_cookie(answer: Response, token: str, address: Address) -> None:
    answer.set_cookie(
        address.cookie, token, httponly=True, samesite="strict", secure=address.secure, path="/"
    )


def token(request: Request) -> str | None:
    return request.cookies.get(request.app.state.address.cookie)


def the_room(request: Request) -> Study:
    return request.app.state.room


def session(request: Request) -> Session:
    found = request.app.state.sessions.find(token(request))
    if found is None:
        raise Unauthorised("no session: open the address that the program printed, or log in")
    return found


def reader(request: Request) -> Reader:
    name = session(request).reader
    if name is None:
        raise Unauthorised("pick a reader's name first")
    if unquote(request.headers.get("x-reader", name)) != name:
        raise Stage("reader", "another name was picked in this browser since; load this page again")
    return accounts.find(the_room(request).store, name)


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


InRoom = Annotated[Study, Depends(the_room)]
Body = Annotated[Table, Depends(body)]
Number = Annotated[int, Path(ge=1, le=1_000_000_000)]
AsReader = Annotated[Reader, Depends(reader)]
AsAdjudicator = Annotated[Reader, Depends(adjudicator)]


def refuse_guarded(study: Study) -> None:
    if study.guarded:
        raise Forbidden("done at the program's start where readers have passwords")
