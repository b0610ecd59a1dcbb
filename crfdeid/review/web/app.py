"""The web application of a review study: the one-time key, the page's files, and errors as JSON. The study's
routes are in :mod:`crfdeid.review.web.routes`."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from crfdeid import pages
from crfdeid.errors import CrfdeidError
from crfdeid.review.study.errors import RequestError, StoreError
from crfdeid.review.study.study import Study
from crfdeid.review.web import middleware, requests, routes
from crfdeid.review.web.jobs import Jobs
from crfdeid.review.web.middleware import SecurityMiddleware
from crfdeid.review.web.sessions import Address, Logins, ProxyIdentity, Sessions

STATIC = Path(__file__).parents[1] / "static"
COLOURS = "colours.css"  # of all pages, also those that other commands write
FILE_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.(html|js|css|svg|png)", re.ASCII)
MEDIA_TYPES = {
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
}  # fmt: skip
HTTP_ERRORS = {404: "no such page", 405: "this page does not allow this method"}


def application(
    study: Study,
    sessions: Sessions,
    address: Address,
    static: Path = STATIC,
    identity: ProxyIdentity | None = None,
) -> SecurityMiddleware:
    """The ASGI application that serves ``study`` at ``address``, and the page's files from ``static``. With
    an ``identity``, a proxy says who sends a request, and nobody logs in here."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.state.study, app.state.sessions, app.state.address = study, sessions, address
    app.state.identity = identity
    app.state.jobs, app.state.logins = Jobs(), Logins(study.store)
    app.include_router(routes.router)
    add_error_handlers(app)
    add_page(app, static)
    return SecurityMiddleware(app, address)


def add_page(app: FastAPI, static: Path) -> None:
    @app.get("/")
    def show_page(request: Request, key: str | None = None) -> Response:
        """The page. A key in the address becomes a cookie, and a redirect removes it from the address."""
        if key is None:
            return send_file("index.html")
        response = RedirectResponse("/", status_code=303)
        if token := request.app.state.sessions.redeem(key):
            requests.set_cookie(response, token, request.app.state.address)
        return response

    @app.get("/static/{name}")
    def send_file(name: str) -> Response:
        path = (pages.ROOM if name == COLOURS else static) / name
        if not FILE_NAME.fullmatch(name) or not path.is_file():
            raise HTTPException(404)
        return Response(path.read_bytes(), media_type=MEDIA_TYPES[name.rsplit(".", 1)[1]])


def add_error_handlers(app: FastAPI) -> None:
    """Reply to every error with one line of JSON, which repeats no part of the request."""

    @app.exception_handler(CrfdeidError)
    async def reply_to_error(request: Request, error: CrfdeidError) -> Response:
        status = (
            error.status if isinstance(error, RequestError) else 500 if isinstance(error, StoreError) else 422
        )
        details = error.details if isinstance(error, RequestError) else {}
        return requests.reply({"fault": str(error)} | details, status)

    @app.exception_handler(HTTPException)
    async def reply_to_http_error(request: Request, error: HTTPException) -> Response:
        return requests.reply({"fault": HTTP_ERRORS.get(error.status_code, "refused")}, error.status_code)

    @app.exception_handler(Exception)
    async def reply_to_unforeseen_error(request: Request, error: Exception) -> Response:
        # The middleware prints where it was raised.
        return requests.reply({"fault": middleware.INTERNAL_ERROR}, 500)

    @app.exception_handler(RequestValidationError)
    async def reply_to_validation_error(request: Request, error: RequestValidationError) -> Response:
        fields = sorted({".".join(str(part) for part in found["loc"]) for found in error.errors()})
        return requests.reply({"fault": f"not a valid value: {', '.join(fields)}"}, 422)
