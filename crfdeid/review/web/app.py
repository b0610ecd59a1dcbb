"""The reading room's web application: the key, the page's files, and faults as answers. The study's routes
are in :mod:`crfdeid.review.web.reader_routes` and :mod:`crfdeid.review.web.adjudicator_routes`."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import Answer, StoreError
from crfdeid.review.study.study import Study
from crfdeid.review.web import adjudicator_routes, middleware, reader_routes, requests, session_routes
from crfdeid.review.web.jobs import Jobs
from crfdeid.review.web.middleware import SecurityMiddleware
from crfdeid.review.web.sessions import Address, Sessions

STATIC = Path(__file__).parents[1] / "static"
NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.(html|js|css|svg|png)", re.ASCII)
KINDS = {
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
}  # fmt: skip


def application(
    study: Study, sessions: Sessions, address: Address, static: Path = STATIC
) -> SecurityMiddleware:
    """The ASGI application."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.room, app.state.sessions, app.state.address = study, sessions, address
    app.state.jobs = Jobs()
    for module in (session_routes, reader_routes, adjudicator_routes):
        app.include_router(module.router)
    add_faults(app)
    add_page(app, static)
    return SecurityMiddleware(app, address)


def add_page(app: FastAPI, static: Path) -> None:
    @app.get("/")
    def front(request: Request, key: str | None = None) -> Response:
        """The page; a key becomes a cookie and leaves the address."""
        if key is None:
            return file("index.html")
        answer = RedirectResponse("/", status_code=303)
        if token := request.app.state.sessions.redeem(key):
            requests.set_cookie(answer, token, request.app.state.address)
        return answer

    @app.get("/static/{name}")
    def file(name: str) -> Response:
        path = static / name
        if not NAME.fullmatch(name) or not path.is_file():
            raise HTTPException(404)
        return Response(path.read_bytes(), media_type=KINDS[name.rsplit(".", 1)[1]])


def add_faults(app: FastAPI) -> None:
    """Every fault as one line of JSON, which repeats nothing of the request."""

    @app.exception_handler(CrfdeidError)
    async def of_fault(request: Request, fault: CrfdeidError) -> Response:
        status = fault.status if isinstance(fault, Answer) else 500 if isinstance(fault, StoreError) else 422
        more = fault.more if isinstance(fault, Answer) else {}
        return requests.reply({"fault": str(fault)} | more, status)

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        told = {404: "no such page", 405: "no such action here"}.get(error.status_code, "refused")
        return requests.reply({"fault": told}, error.status_code)

    @app.exception_handler(Exception)
    async def of_exception(request: Request, error: Exception) -> Response:
        return requests.reply({"fault": middleware.OWN}, 500)  # the guard says on the terminal where it arose

    @app.exception_handler(RequestValidationError)
    async def of_validation(request: Request, error: RequestValidationError) -> Response:
        places = sorted({".".join(str(part) for part in found["loc"]) for found in error.errors()})
        return requests.reply({"fault": f"not a value that can be: {', '.join(places)}"}, 422)
