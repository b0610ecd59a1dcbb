"""Limits of a server for one network address. By itself, uvicorn waits for ever for a
request that does not come."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 20.0  # within which a request's first line and headers have come
MOST_OF_ADDRESS = 200  # open connections of one network address
MOST_HEADERS = 16_384  # bytes of a request's first line and headers


class GuardedProtocol(H11Protocol):
    """Closes a connection that sends no request in time, and those of an address that has too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.waits_since = self.loop.time()
        if self.client and sum(is_of(other, self.client[0]) for other in self.connections) > MOST_OF_ADDRESS:
            transport.abort()
        else:
            self.loop.call_later(HEADER_SECONDS, self.close_if_silent)

    def on_response_complete(self) -> None:
        self.waits_since = self.loop.time()
        super().on_response_complete()

    def close_if_silent(self) -> None:
        if self.transport.is_closing():
            return
        left = self.waits_since + HEADER_SECONDS - self.loop.time()
        waits = self.cycle is None or self.cycle.response_complete
        if waits and left <= 0:
            self.transport.close()
        else:
            self.loop.call_later(max(left, 1.0), self.close_if_silent)


def is_of(connection: Any, address: str) -> bool:
    return bool(connection.client) and connection.client[0] == address
