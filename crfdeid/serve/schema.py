"""The requests and replies of the service, as OpenAPI describes them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """A request with a field that is not known is refused: it may be a misspelt one."""

    model_config = ConfigDict(extra="forbid")


class Note(Strict):
    id: str | None = Field(None, max_length=200, description="default: the number of the note")
    text: str
    patient: str | None = Field(None, max_length=200, description="notes of one patient follow one another")


class Pair(Strict):
    """What was issued, and the real text in its place."""

    issued: str = Field(min_length=1, pattern=r"\S")
    real: str
    type: str


class TagRequest(Strict):
    notes: list[Note] = Field(min_length=1)
    probabilities: bool = False


class RedactRequest(Strict):
    """The notes are the texts of one conversation or of one patient. ``map`` is that of an earlier reply."""

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
