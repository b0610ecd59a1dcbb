"""The routes: the requests and replies as OpenAPI describes them; each route asks a worker and replies."""

from __future__ import annotations

import sys
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from crfdeid import __version__
from crfdeid.serve import dispatcher, guard
from crfdeid.serve.dispatcher import BusyError, Dispatcher, Limits
from crfdeid.serve.guard import Guard
from crfdeid.serve.workers import DONE, REFUSED, TIMEOUT, Answer

LONGEST_PAIR = 10_000  # characters of a text in a map


class Strict(BaseModel):
    """A request with a field that is not known is refused: it may be a misspelt one."""

    model_config = ConfigDict(extra="forbid")


class Note(Strict):
    id: str | None = Field(None, max_length=200, description="default: the number of the note")
    text: str
    patient: str | None = Field(None, max_length=200, description="notes of one patient follow one another")


class Pair(Strict):
    """An issued text, and the real text in its place."""

    issued: str = Field(min_length=1, max_length=LONGEST_PAIR, pattern=r"\S")
    real: str = Field(max_length=LONGEST_PAIR)
    type: str


class TagRequest(Strict):
    notes: list[Note] = Field(min_length=1)
    probabilities: bool = False


class RedactRequest(Strict):
    """The notes are the texts of one conversation or of one patient. ``map`` comes from an earlier reply."""

    notes: list[Note] = Field(min_length=1)
    style: Literal["placeholder", "surrogate"] = "placeholder"
    map: list[Pair] = []


class RestoreRequest(Strict):
    notes: list[Note] = Field(min_length=1)
    map: list[Pair]


class Span(BaseModel):
    """``text[start:end]``: offsets count code points."""

    start: int
    end: int
    type: str
    probability: float | None = None


class TaggedNote(BaseModel):
    id: str
    spans: list[Span]


class TagReply(BaseModel):
    notes: list[TaggedNote]


class WrittenNote(BaseModel):
    id: str
    text: str


class RestoreReply(BaseModel):
    notes: list[WrittenNote]


class RedactReply(BaseModel):
    """``map`` undoes the redaction: it is as secret as the notes. The service does not keep it."""

    notes: list[WrittenNote]
    map: list[Pair]


class Error(BaseModel):
    error: str


STATUSES = {DONE: 200, REFUSED: 422, TIMEOUT: 504}
LATE = "the request took too long"
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Error, "description": description}
    for status, description in {
        401: "no key, or a wrong one", 413: "too large", 422: "not as this page describes",
        503: "too many requests wait; Retry-After says when to come again", 504: LATE,
    }.items()
}  # fmt: skip
FIELDS = {
    name
    for request in (TagRequest, RedactRequest, RestoreRequest)
    for name in (*request.model_fields, "id", "text", "patient", "issued", "real", "type", "body")
}


def application(dispatcher: Dispatcher, counts: dispatcher.Metrics, key: bytes, limits: Limits) -> Guard:
    """The ASGI application."""
    app = FastAPI(title="crfdeid", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.dispatcher, app.state.metrics = dispatcher, counts
    add_routes(app)
    add_error_handlers(app)
    return Guard(app, key, limits, dispatcher, counts)


def add_routes(app: FastAPI) -> None:
    @app.post("/tag", response_model=TagReply, responses=ERRORS)
    async def tag(request: Request, body: TagRequest) -> Response:
        """Find the PHI of notes."""
        return await reply(request, "tag", body.model_dump())

    @app.post("/redact", response_model=RedactReply, responses=ERRORS)
    async def redact(request: Request, body: RedactRequest) -> Response:
        """Replace the PHI of the texts of one conversation or patient."""
        return await reply(request, "redact", body.model_dump())

    @app.post("/restore", response_model=RestoreReply, responses=ERRORS)
    async def restore(request: Request, body: RestoreRequest) -> Response:
        """Bring the real texts back, with the map of the redaction."""
        return await reply(request, "restore", body.model_dump())

    @app.get("/health")
    async def health() -> dict[str, str]:
        """Whether the service is ready; it binds its address when its workers have loaded the model."""
        return {"status": "ready"}

    @app.get("/metrics", response_class=Response)
    async def show_metrics(request: Request) -> Response:
        """Counts and times for Prometheus."""
        content, media_type = request.app.state.metrics.render()
        return Response(content, media_type=media_type)


async def reply(request: Request, name: str, body: dict[str, Any]) -> Response:
    """Ask a worker and reply with its answer."""
    try:
        answer = await request.app.state.dispatcher.ask(name, body)
    except BusyError:
        return report(503, guard.BUSY, {"Retry-After": str(guard.RETRY_AFTER)})
    return reply_to(answer, request.app.state.metrics)


def reply_to(answer: Answer, counts: dispatcher.Metrics) -> Response:
    if answer.outcome == DONE:
        counts.count_work(answer.counts)
        return Response(answer.body, media_type="application/json")
    if answer.outcome not in STATUSES:
        print(f"crfdeid.serve: {answer.body.decode()}", file=sys.stderr, flush=True)
        return report(500, guard.INTERNAL_ERROR)
    return report(STATUSES[answer.outcome], answer.body.decode() or LATE)


def report(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": reason}, status, headers)


def add_error_handlers(app: FastAPI) -> None:
    """Reply to every error with one line of JSON, which repeats no part of the request."""

    @app.exception_handler(RequestValidationError)
    async def reply_to_validation_error(request: Request, error: RequestValidationError) -> Response:
        places = sorted({".".join(map(show_place, found["loc"])) for found in error.errors()})
        return report(422, f"not a valid value: {', '.join(places[:5])}")

    @app.exception_handler(HTTPException)
    async def reply_to_http_error(request: Request, error: HTTPException) -> Response:
        reasons = {404: "no such address", 405: "this address does not allow this method"}
        return report(error.status_code, reasons.get(error.status_code, "refused"))


def show_place(part: str | int) -> str:
    """A part of the place of an error. A field that the service does not have is not repeated."""
    return str(part) if isinstance(part, int) or part in FIELDS else "?"
