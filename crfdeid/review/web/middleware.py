"""The door: which requests are let in, who is behind them, and which headers go out.

A page elsewhere must not reach the study (Host and Origin checked, against DNS rebinding and cross-site
requests), nor another user of this machine (a one-time key, then a cookie), nor may a note's text run as a
script or leave (Content-Security-Policy). Faults and logs hold no request body and no note text.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from crfdeid.review.web.sessions import Address, is_loopback

LARGEST = 1_000_000  # bytes of a request's body
INTERNAL_ERROR = "an error in the program; its terminal shows where"

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class SecurityMiddleware:
    """The outermost ASGI layer."""

    def __init__(self, app: Any, address: Address) -> None:
        self.app, self.address = app, address
        pinned = address.secure and not any(map(is_loopback, address.names))  # localhost has other servers
        self.extra = {"Strict-Transport-Security": "max-age=31536000"} if pinned else {}

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket is never accepted
        outgoing = Outgoing(send, HEADERS | self.extra)
        if refused := self.refusal(scope):
            await outgoing.fault(*refused)
            return
        try:
            await self.app(scope, receive, outgoing)
        except Exception as error:  # whatever it is, its message could hold note text
            tell(error)
            if not outgoing.begun:
                await outgoing.fault(500, INTERNAL_ERROR)

    def refusal(self, scope: Message) -> tuple[int, str] | None:
        """Status and reason where a request is not let in."""
        given: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        return self.stranger(scope["method"], given) or self.oversized(scope["method"], given)

    def stranger(self, method: str, given: dict[str, list[str]]) -> tuple[int, str] | None:
        hosts, origins = given.get("host", []), given.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.address.hosts:
            return 400, "the Host of this request is not this server"
        if method not in ("GET", "HEAD") and not origins:
            return 403, "a request that changes something must name its Origin"
        if any(origin.lower() not in self.address.origins for origin in origins):
            return 403, "the Origin of this request is not this server"
        if given.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none") and (
            given.get("sec-fetch-mode", [""])[0] != "navigate" or method != "GET"
        ):
            return 403, "a request from another site"
        return None

    def oversized(self, method: str, given: dict[str, list[str]]) -> tuple[int, str] | None:
        length = given.get("content-length", ["0"])[0]
        if "transfer-encoding" in given or not length.isdecimal() or int(length) > LARGEST:
            return 413, f"a request of more than {LARGEST:,} bytes, or of unknown length"
        if int(length) and given.get("content-type", [""])[0].split(";")[0].strip() != "application/json":
            return 415, "a request's body must be application/json"
        return None


class Outgoing:
    """``send`` with the headers that every answer has."""

    def __init__(self, send: Send, headers: dict[str, str]) -> None:
        self.send, self.begun = send, False
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message = {**message, "headers": [*message.get("headers", ()), *self.headers]}
        await self.send(message)

    async def fault(self, status: int, text: str) -> None:
        body = json.dumps({"fault": text}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def tell(error: BaseException) -> None:
    """Where an unforeseen error arose, on the terminal: file, line and kind, and not its message."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = ", ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames)
    print(f"crfdeid.review: {type(error).__name__} at {places}", file=sys.stderr)
