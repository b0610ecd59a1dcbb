"""Every reader's routes, as docs/review_api.md has them: each asks who is there, calls one operation, and
answers."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.responses import Response

from crfdeid import corpora
from crfdeid.review.operations import listing, marking, repeats
from crfdeid.review.study import timing
from crfdeid.review.study.study import keys
from crfdeid.review.web.requests import AsReader, Body, InRoom, Number, reader, reply

router = APIRouter(prefix="/api")


# The study


@router.get("/study", dependencies=[Depends(reader)])
def study(room: InRoom) -> Response:
    sets = [
        {"name": name, "notes": len(notes), "words": sum(note.words for note in notes)}
        for name, notes in room.sets.items()
    ]
    rows = room.store.rows("SELECT name, notes_read FROM systems ORDER BY number")
    return reply({
        "title": room.store.setting("title") or "",
        "scheme": {"name": room.scheme.name, "categories": room.scheme.categories},
        "keys": keys(room.scheme.types),
        "sets": sets,
        "premarks": room.premarks,
        "systems": [{"name": name, "notes_read": count} for name, count in rows],
        "formats": list(corpora.FORMATS),
    })  # fmt: skip


@router.get("/notes")
def notes(room: InRoom, who: AsReader, set: str | None = None, order: str = "given") -> Response:
    return reply(listing.notes(room, who, set, order))


@router.get("/progress")
def progress(room: InRoom, who: AsReader, set: str | None = None) -> Response:
    return reply(listing.progress(room, who, set))


# Marking


@router.get("/notes/{number}")
def note(room: InRoom, who: AsReader, number: Number) -> Response:
    return reply(marking.note(room, who, number))


@router.post("/notes/{number}/actions")
def act(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(marking.act(room, who, number, given))


@router.post("/notes/{number}/repeats")
def mark_repeats(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(repeats.of_mark(room, who, number, given))


@router.post("/notes/{number}/time")
def spend(room: InRoom, who: AsReader, number: Number, given: Body) -> Response:
    return reply(timing.spend(room, who, number, given))
