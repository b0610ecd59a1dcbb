"""Security: which requests the server accepts, and which headers every response has.

Pages of other sites cannot reach the study (Host and Origin are checked, against DNS rebinding and cross-site
requests), nor can other users of this machine (a one-time key, then a cookie). A note's text cannot run as a
script or leave the browser (Content-Security-Policy). Errors and logs hold no request body and no note text.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from crfdeid.network import is_loopback
from crfdeid.review.study.errors import SlowRequestError
from crfdeid.review.web.sessions import Address

LARGEST_BODY = 1_000_000  # bytes of a request's body
BODY_SECONDS = 30.0  # within which it has come
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
Receive = Callable[[], Awaitable[Message]]


class SecurityMiddleware:
    """The outermost ASGI layer: refuses requests, and adds headers to responses."""

    def __init__(self, app: Any, address: Address) -> None:
        self.app, self.address = app, address
        # On localhost the header would also bind other servers of this machine.
        is_strict = address.secure and not any(map(is_loopback, address.names))
        self.extra = {"Strict-Transport-Security": "max-age=31536000"} if is_strict else {}

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # a websocket is never accepted
        sender = ResponseSender(send, HEADERS | self.extra)
        if refusal := self.find_refusal(scope):
            await sender.send_error(*refusal)
            return
        try:
            await self.app(scope, BodyReceiver(receive), sender)
        except Exception as error:  # its message could hold note text
            print_location(error)
            if not sender.begun:
                await sender.send_error(500, INTERNAL_ERROR)

    def find_refusal(self, scope: Message) -> tuple[int, str] | None:
        """Status and reason where the request is refused, else None."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        return self.check_origin(scope["method"], headers) or self.check_body(headers)

    def check_origin(self, method: str, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.address.hosts:
            return 400, "the Host of this request is not this server"
        if method not in ("GET", "HEAD") and not origins:
            return 403, "a request that changes something must name its Origin"
        if any(origin.lower() not in self.address.origins for origin in origins):
            return 403, "the Origin of this request is not this server"
        if headers.get("sec-fetch-site", ["same-origin"])[0] not in ("same-origin", "none") and (
            headers.get("sec-fetch-mode", [""])[0] != "navigate" or method != "GET"
        ):
            return 403, "a request from another site"
        return None

    def check_body(self, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        length = headers.get("content-length", ["0"])[0]
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > LARGEST_BODY:
            return 413, f"a request of more than {LARGEST_BODY:,} bytes, or of unknown length"
        if int(length) and headers.get("content-type", [""])[0].split(";")[0].strip() != "application/json":
            return 415, "a request's body must be application/json"
        return None


class BodyReceiver:
    """Receives a request's body. Raises :class:`SlowRequestError` where it does not come in time."""

    def __init__(self, receive: Receive) -> None:
        self.receive, self.done = receive, False
        self.until = asyncio.get_running_loop().time() + BODY_SECONDS

    async def __call__(self) -> Message:
        if self.done:  # what comes now is the end of the connection
            return await self.receive()
        try:
            async with asyncio.timeout_at(self.until):
                message = await self.receive()
        except TimeoutError:
            raise SlowRequestError(f"the request's body did not come within {BODY_SECONDS:.0f} s") from None
        self.done = not message.get("more_body", False)
        return message


class ResponseSender:
    """Sends responses with the headers that every response has."""

    def __init__(self, send: Send, headers: dict[str, str]) -> None:
        self.send, self.begun = send, False
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            message = {**message, "headers": [*message.get("headers", ()), *self.headers]}
        await self.send(message)

    async def send_error(self, status: int, text: str) -> None:
        body = json.dumps({"fault": text}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def print_location(error: BaseException) -> None:
    """Print where an unforeseen error was raised, to the terminal: file, line and class, and not its
    message."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = ", ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames)
    print(f"crfdeid.review: {type(error).__name__} at {places}", file=sys.stderr)
