"""Who sends a request, and how the server reads it and replies."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Depends, Path, Request
from starlette.responses import Response

from crfdeid.review.study import accounts
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import ForbiddenError, InvalidValueError, StageError, UnauthorizedError
from crfdeid.review.study.study import Json, Study
from crfdeid.review.web.sessions import Address, LoginSession, ProxyIdentity

BROWSER_SECONDS = 180 * 24 * 3600


def reply(content: Any, status: int = 200) -> Response:
    """``content`` as a JSON response."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return Response(body, status, media_type="application/json")


def set_cookie(response: Response, token: str, address: Address) -> None:
    response.set_cookie(
        address.cookie, token, httponly=True, samesite="strict", secure=address.secure, path="/"
    )


def set_browser_cookie(response: Response, token: str, address: Address) -> None:
    """Mark the browser as one that the reader used; the mark opens nothing."""
    response.set_cookie(
        address.browser_cookie, token, max_age=BROWSER_SECONDS, httponly=True, samesite="strict",
        secure=address.secure, path="/",
    )  # fmt: skip


def read_token(request: Request) -> str | None:
    return request.cookies.get(request.app.state.address.cookie)


def read_browser_token(request: Request) -> str | None:
    return request.cookies.get(request.app.state.address.browser_cookie)


def find_client(request: Request) -> str:
    """The network address that sends the request."""
    return request.client.host if request.client else ""


def find_study(request: Request) -> Study:
    study: Study = request.app.state.study
    return study


def find_session(request: Request) -> LoginSession | None:
    """The session of a request: its cookie's, or the session of the person whom a trusted proxy names."""
    identity: ProxyIdentity | None = request.app.state.identity
    if identity is None:
        session: LoginSession | None = request.app.state.sessions.find(read_token(request))
        return session
    name = identity.read_name(find_client(request), request.headers.getlist(identity.header))
    readers = accounts.list_readers(find_study(request).store)
    return LoginSession(name) if name in [reader.name for reader in readers] else None


def require_session(request: Request) -> LoginSession:
    """The session of a request. Raises :class:`UnauthorizedError` where it has none."""
    session = find_session(request)
    if session is None:
        raise UnauthorizedError("no session: open the address that the program printed, or log in")
    return session


def require_reader(request: Request) -> Reader:
    """The reader whose name the session has. Raises :class:`UnauthorizedError`, and :class:`StageError` where
    ``X-Reader`` names another: the window was opened before somebody else picked a name."""
    name = require_session(request).reader
    if name is None:
        raise UnauthorizedError("pick a reader's name first")
    if unquote(request.headers.get("x-reader", name)) != name:
        raise StageError("reader", "another name was picked in this browser since; load this page again")
    return accounts.find_reader(find_study(request).store, name)


def require_adjudicator(request: Request) -> Reader:
    reader = require_reader(request)
    if reader.role != "adjudicator":
        raise ForbiddenError("only for adjudicators")
    return reader


async def read_body(request: Request) -> Json:
    """The request's JSON object; an empty body counts as an empty object."""
    try:
        body = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise InvalidValueError("the request's body is not JSON") from None
    if not isinstance(body, dict):
        raise InvalidValueError("the request's body is not a JSON object")
    return body


OpenStudy = Annotated[Study, Depends(find_study)]
JsonBody = Annotated[Json, Depends(read_body)]
NoteNumber = Annotated[int, Path(ge=1, le=1_000_000_000)]
CurrentReader = Annotated[Reader, Depends(require_reader)]
CurrentAdjudicator = Annotated[Reader, Depends(require_adjudicator)]


def refuse_where_login_is_required(study: Study) -> None:
    if study.requires_login:
        raise ForbiddenError("where readers log in with passwords, this is done when the program starts")
