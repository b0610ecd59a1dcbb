"""The web application of a review study: the one-time key, the page's files, and errors as JSON (its routes
are in :mod:`crfdeid.review.web.routes`); bound to an address and served until Ctrl-C."""

from __future__ import annotations

import gc
import os
import re
import socket
import tempfile
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from crfdeid import pages
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.network import (
    ALL_INTERFACES,
    LOOPBACK_NAMES,
    bind_socket,
    build_config,
    check_certificate,
    is_loopback,
)
from crfdeid.review.study import accounts
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


MOST_CONNECTIONS = 500  # more get status 503


@dataclass(frozen=True)
class ServerOptions:
    """``port`` 0 takes a free port. ``names`` are the host names in the browsers' addresses, where these are
    not ``host``. ``certificate`` and ``private_key`` are PEM files. ``public`` is the address that browsers
    see, where a proxy stands before the server; ``identity`` says which one names the readers."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    certificate: Path | None = None
    private_key: Path | None = None
    open_browser: bool = True
    public: str | None = None
    identity: ProxyIdentity | None = None


def check_options(options: ServerOptions) -> None:
    """Refuse an address that other machines can reach unless the connection is encrypted. Raises
    :class:`ConfigurationError`."""
    for path in (options.certificate, options.private_key):
        if path and not path.is_file():
            raise ConfigurationError(f"{path}: no such file")
    if bool(options.certificate) != bool(options.private_key):
        raise ConfigurationError("--certificate and --private-key need each other")
    if options.identity and not (is_loopback(options.host) and options.public):
        raise ConfigurationError(
            "--trust-header: wanted --public, the address in browsers, and a --host of this machine only"
        )
    if options.certificate:
        check_certificate(options.certificate, options.private_key)
    if not is_loopback(options.host) and not options.certificate:
        raise ConfigurationError(
            f"--host {options.host}: other machines can reach this address; wanted --certificate, "
            "--private-key and a password for every reader (--password NAME)"
        )
    if options.host in ALL_INTERFACES and not options.names:
        raise ConfigurationError(
            f"--host {options.host}: wanted --name, the host name in browsers' addresses"
        )


def check_passwords(study: Study) -> None:
    """Raise :class:`ConfigurationError` where login is required and a reader has no password, or there are no
    readers."""
    readers = accounts.list_readers(study.store)
    if study.requires_login and not readers:
        raise ConfigurationError("nobody could log in: --reader NAME --password NAME adds a reader")
    if study.requires_login and (without := [reader.name for reader in readers if not reader.has_password]):
        raise ConfigurationError(f"without a password: {', '.join(without)}; --password NAME asks for one")


def serve(study: Study, options: ServerOptions) -> None:
    """Serve until Ctrl-C."""
    if not options.identity:
        check_passwords(study)
    os.umask(0o077)  # files written from now on may hold PHI
    with open_port(study, options) as listening:
        port = listening.getsockname()[1]
        address = find_address(options, port)
        sessions = Sessions(study.store)
        app = application(study, sessions, address, identity=options.identity)
        config = build_config(
            app, options.certificate, options.private_key, limit_concurrency=MOST_CONNECTIONS
        )
        server = uvicorn.Server(config)
        gc.freeze()  # the study stays in memory: no collection of garbage looks at it while a reader waits
        announcement = Announcement(address, sessions, study.requires_login, options.open_browser)
        try:
            with suppress(KeyboardInterrupt), announcement:
                server.run([listening])
        finally:
            app.app.state.jobs.close()


def open_port(study: Study, options: ServerOptions) -> socket.socket:
    """A listening socket: on the port of the last time where none is wanted and that one is free, so that the
    cookies and bookmarks of browsers still hold."""
    known = study.store.read_setting("port")
    if known and not options.port:
        with suppress(ConfigurationError):
            return bind_socket(options.host, int(known))
    listening = bind_socket(options.host, options.port)
    if not options.port:
        study.store.write_setting("port", str(listening.getsockname()[1]))
    return listening


def find_address(options: ServerOptions, port: int) -> Address:
    """The address in the browsers. Raises :class:`ConfigurationError` where ``public`` is not one."""
    if options.public is None:
        return Address(choose_names(options), port, bool(options.certificate))
    found = urlsplit(options.public)
    if found.scheme not in ("http", "https") or not found.hostname or found.path not in ("", "/"):
        raise ConfigurationError("--public: wanted an address like https://ward.example.org")
    secure = found.scheme == "https"
    return Address((found.hostname,), found.port or (443 if secure else 80), secure)


def choose_names(options: ServerOptions) -> tuple[str, ...]:
    """The host names that requests may have."""
    if options.names:
        return options.names
    if is_loopback(options.host):
        return tuple(dict.fromkeys((options.host, *LOOPBACK_NAMES)))
    return (options.host,)


class Announcement:
    """Prints the address, or opens the browser on it. The browser gets the name of a file that only its owner
    can read: other users of this machine could see the key in the arguments of the browser's process."""

    def __init__(
        self, address: Address, sessions: Sessions, requires_login: bool, open_browser: bool
    ) -> None:
        self.url = address.url if requires_login else f"{address.url}?key={sessions.create_key(owner=True)}"
        self.open_browser = open_browser and not requires_login
        self.file: Path | None = None

    def __enter__(self) -> None:
        if self.open_browser:
            self.file = write_redirect_page(self.url)
            if webbrowser.open(self.file.as_uri()):
                print("Opened in the browser (--no-browser prints the address). Ctrl-C ends.", flush=True)
                return
        print(f"Open {self.url}\nCtrl-C ends.", flush=True)

    def __exit__(self, *_: object) -> None:
        if self.file:
            self.file.unlink(missing_ok=True)


def write_redirect_page(url: str) -> Path:
    """Write a page of mode 0600 that leads to ``url``."""
    descriptor, name = tempfile.mkstemp(prefix="crfdeid-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(url)}">')
    return Path(name)
