"""The outermost layer: which requests are refused before their body is read, and what every reply has.

Nothing of a request is logged or repeated in a reply: not its path, its headers, its fields, its text.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import sys
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from crfdeid.errors import locate_error
from crfdeid.network import LOOPBACK_NAMES
from crfdeid.serve.dispatcher import Dispatcher, Limits, Metrics

OPEN = ("/health",)  # needs no key
RETRY_AFTER = 1  # seconds
GRACE = 5.0  # seconds that a request may take more than its work
HEADERS = [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
INTERNAL_ERROR = "an error in the program; its log shows where"
BUSY = "too many requests wait"
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


class Guard:
    """Checks host, key, load and body, limits the time, and counts."""

    def __init__(
        self, app: Any, key: bytes, limits: Limits, dispatcher: Dispatcher, metrics: Metrics
    ) -> None:
        self.app, self.key, self.limits = app, key, limits
        self.dispatcher, self.metrics = dispatcher, metrics

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return  # a websocket is never accepted
        begun, sender = time.perf_counter(), Sender(send)
        try:
            await self._answer(scope, receive, sender)
        finally:
            self.metrics.count_request(scope["path"], sender.status, time.perf_counter() - begun)

    async def _answer(self, scope: Message, receive: Any, sender: Sender) -> None:
        if refusal := self.find_refusal(scope):
            await sender.refuse(*refusal)
            return
        try:
            async with asyncio.timeout(self.limits.seconds + GRACE):
                await self.app(scope, receive, sender)
        except TimeoutError:
            await sender.refuse(408, "the request did not come in time")
        except Exception as error:
            print(f"crfdeid.serve: {locate_error(error)}", file=sys.stderr, flush=True)
            await sender.refuse(500, INTERNAL_ERROR)

    def find_refusal(self, scope: Message) -> tuple[int, str] | None:
        """Status and reason where the request is refused, else None."""
        headers: dict[str, bytes] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), value)
        if scope["path"] in OPEN:
            return None
        return self.check_sender(headers) or (self.check_body(headers) if scope["method"] == "POST" else None)

    def check_sender(self, headers: dict[str, bytes]) -> tuple[int, str] | None:
        """The key; without one, that no page of another site sends the request (DNS rebinding)."""
        if self.key:
            sent = headers.get("authorization", b"").removeprefix(b"Bearer ") or headers.get("x-api-key", b"")
            if not hmac.compare_digest(sent, self.key):
                return 401, "wanted the key: Authorization: Bearer KEY"
            return None
        host = headers.get("host", b"").decode("latin-1").rpartition(":")
        name = (host[0] if host[2].isdecimal() and host[0] else "".join(host)).strip("[]")
        return None if name in LOOPBACK_NAMES else (400, "the Host of this request is not this machine")

    def check_body(self, headers: dict[str, bytes]) -> tuple[int, str] | None:
        length = headers.get("content-length", b"").decode("latin-1")
        if "transfer-encoding" in headers or not length.isdecimal():
            return 411, "wanted a request of known length"
        if len(length) > 18 or int(length) > self.limits.body:
            return 413, f"a request of more than {self.limits.body:,} bytes"
        if headers.get("content-type", b"").split(b";")[0].strip() != b"application/json":
            return 415, "a request's body must be application/json"
        return (503, BUSY) if self.dispatcher.is_full else None


class Sender:
    """Sends replies with the headers that every reply has."""

    def __init__(self, send: Send) -> None:
        self.send, self.status = send, 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await self.send(message)

    async def refuse(self, status: int, reason: str) -> None:
        """Send an error, unless a reply was begun."""
        if self.status:
            return
        body = json.dumps({"error": reason}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status == 503:
            headers.append((b"retry-after", str(RETRY_AFTER).encode()))
        if status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})
