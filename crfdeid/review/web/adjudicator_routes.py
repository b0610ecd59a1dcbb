"""The adjudicators' routes (docs/review_api.md: consensus, measures, surrogates, export and learning)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from crfdeid.errors import ConfigurationError
from crfdeid.review.measures import figures
from crfdeid.review.operations import (
    adjudication,
    adjudication_actions,
    exports,
    learning_curve,
    surrogate_review,
)
from crfdeid.review.study import system_spans
from crfdeid.review.web.requests import (
    AsAdjudicator,
    AsReader,
    Body,
    InRoom,
    Number,
    adjudicator,
    refuse_guarded,
    reply,
)
from crfdeid.systems import model

router = APIRouter(prefix="/api")


# Consensus


@router.get("/consensus", dependencies=[Depends(adjudicator)])
def consensus_notes(room: InRoom, set: str | None = None) -> Response:
    return reply(adjudication.notes(room, set))


@router.get("/consensus/{number}")
def consensus(room: InRoom, who: AsReader, number: Number) -> Response:
    return reply(adjudication.view(room, who, number))


@router.post("/consensus/{number}/open")
def open_consensus(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(adjudication.opened(room, who, number, given))


@router.post("/consensus/{number}/actions")
def decide(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(adjudication_actions.act(room, who, number, given))


# Measures


@router.get("/measures", dependencies=[Depends(adjudicator)])
def measures(room: InRoom, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.everything(room, set, rules))


@router.get("/measures/mistakes", dependencies=[Depends(adjudicator)])
def mistakes(room: InRoom, voter: str, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.mistakes(room, voter, set, rules))


# Surrogates


@router.get("/surrogates", dependencies=[Depends(adjudicator)])
def surrogate_notes(room: InRoom, set: str | None = None) -> Response:
    return reply(surrogate_review.notes(room, set))


@router.get("/surrogates/{number}")
def surrogates(room: InRoom, who: AsAdjudicator, number: Number) -> Response:
    return reply(surrogate_review.view(room, who, number))


@router.post("/surrogates/export", dependencies=[Depends(adjudicator)])
def export_surrogates(room: InRoom, given: Body) -> Response:
    return reply(surrogate_review.export(room, given))


@router.post("/surrogates/{number}/actions")
def replace(room: InRoom, who: AsAdjudicator, number: Number, given: Body) -> Response:
    return reply(surrogate_review.act(room, who, number, given))


# Export and learning


@router.post("/export", dependencies=[Depends(adjudicator)])
def export(room: InRoom, given: Body) -> Response:
    return reply(exports.export(room, given))


@router.get("/learn", dependencies=[Depends(adjudicator)])
def curve(room: InRoom) -> Response:
    train = exports.training(room.out / "NAME")
    return reply({"systems": learning_curve.curve(room), "notes_read": len(room.decided()), "train": train})


@router.post("/learn/models", dependencies=[Depends(adjudicator)])
def load_model(request: Request, room: InRoom, given: Body) -> Response:
    refuse_guarded(room)
    folder, name = given.get("folder"), given.get("name", "")
    if not isinstance(folder, str):
        raise ConfigurationError("folder: wanted the path of a model")
    system_spans.refuse_name(room, name)

    def work(shown: Any) -> None:
        found = system_spans.tagged(room, model.load(folder), shown)
        system_spans.add(room, name, found, given.get("premarks") is True)

    return reply({"job": request.app.state.jobs.begin(work)}, 202)


@router.get("/learn/job", dependencies=[Depends(adjudicator)])
def job(request: Request) -> Response:
    return reply(request.app.state.jobs.table())


@router.get("/learn/disagreements", dependencies=[Depends(adjudicator)])
def disagreements(room: InRoom, system: str) -> Response:
    return reply(learning_curve.disagreements(room, system))
