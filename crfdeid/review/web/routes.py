"""Every route of docs/review_api.md: each checks who asks, calls one operation, and replies."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from crfdeid import corpora
from crfdeid.errors import ConfigurationError
from crfdeid.review.measures import figures
from crfdeid.review.operations import (
    adjudication,
    exports,
    listing,
    marking,
    questions,
    surrogate_review,
    team,
    training,
)
from crfdeid.review.study import accounts, system_spans
from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import ForbiddenError, InvalidValueError, UnauthorizedError
from crfdeid.review.study.study import Study
from crfdeid.review.web.jobs import Jobs
from crfdeid.review.web.requests import (
    CurrentAdjudicator,
    CurrentReader,
    JsonBody,
    NoteNumber,
    OpenStudy,
    find_client,
    find_session,
    read_browser_token,
    read_token,
    refuse_where_login_is_required,
    reply,
    require_adjudicator,
    require_reader,
    require_session,
    set_browser_cookie,
    set_cookie,
)
from crfdeid.review.web.sessions import LoginSession
from crfdeid.systems import model

router = APIRouter(prefix="/api")
WITH_SESSION = [Depends(require_session)]
FOR_READERS = [Depends(require_reader)]
FOR_ADJUDICATORS = [Depends(require_adjudicator)]
WRITABLE = [name for name in corpora.FORMATS if name != "parquet" or find_spec("pyarrow")]


# Who: sessions and readers


@router.get("/session")
def show_session(request: Request, study: OpenStudy) -> Response:
    session = find_session(request)
    reader = (
        accounts.find_reader(study.store, session.reader).describe() if session and session.reader else None
    )
    needs = None if session else "proxy" if request.app.state.identity else find_need(study)
    may_invite = not study.requires_login
    return reply({"open": session is not None, "needs": needs, "reader": reader, "may_invite": may_invite})


def find_need(study: Study) -> str:
    """The credentials that open a session."""
    return "password" if study.requires_login else "key"


@router.get("/readers", dependencies=WITH_SESSION)
def list_readers(study: OpenStudy) -> Response:
    readers = [
        reader.describe() | {"password": reader.has_password} for reader in accounts.list_readers(study.store)
    ]
    return reply({"readers": readers, "may_add": not study.requires_login})


@router.post("/readers", dependencies=WITH_SESSION)
def add_reader(request: Request, study: OpenStudy, body: JsonBody) -> Response:
    refuse_where_login_is_required(study)
    role = body.get("role", "reader")
    if role == "adjudicator":
        refuse_self_promotion(study, require_session(request))
    added = accounts.add_reader(study.store, body.get("name", ""), role)
    return reply({"reader": added.describe()}, 201)


def refuse_self_promotion(study: Study, session: LoginSession) -> None:
    """Raise :class:`ForbiddenError` unless the session is an adjudicator's, or began with the key that the
    program printed. Otherwise any reader could become an adjudicator by adding one."""
    readers = {reader.name: reader for reader in accounts.list_readers(study.store)}
    adjudicates = session.reader in readers and readers[session.reader].role == "adjudicator"
    if not (adjudicates or session.owner):
        raise ForbiddenError("only an adjudicator, or who started the program, can add adjudicators")


@router.post("/login")
async def log_in(request: Request, study: OpenStudy, body: JsonBody) -> Response:
    if request.app.state.identity:
        raise ForbiddenError("the proxy in front of this server logs people in")
    sessions, token = request.app.state.sessions, read_token(request)
    session = await run_in_threadpool(sessions.find, token)
    if session is None and not study.requires_login:
        raise UnauthorizedError("no session: open the address that the program printed")
    name, password = body.get("name"), body.get("password")
    if not isinstance(name, str) or not isinstance(password, str | None):
        raise InvalidValueError("wanted a name, and a password if the reader has one")
    is_known = await run_in_threadpool(sessions.is_known_browser, read_browser_token(request), name)
    reader = await request.app.state.logins.authenticate(
        name, password, study.requires_login, find_client(request), is_known
    )
    is_owner = session is not None and session.owner
    if reader.role == "adjudicator" and not (reader.has_password or is_owner):
        raise ForbiddenError(
            "an adjudicator needs a password, or the address that the program printed when it started"
        )
    return await run_in_threadpool(begin_session, request, reader, is_owner, is_known)


def begin_session(request: Request, reader: Reader, is_owner: bool, is_known: bool) -> Response:
    """The reply to a login: a new token makes the old one worthless."""
    sessions, address = request.app.state.sessions, request.app.state.address
    sessions.end(read_token(request))
    response = reply({"reader": reader.describe()})
    set_cookie(response, sessions.begin(LoginSession(reader.name, is_owner)), address)
    if reader.has_password and not is_known:
        set_browser_cookie(response, sessions.remember_browser(reader.name), address)
    return response


@router.post("/logout")
def log_out(request: Request, study: OpenStudy, body: JsonBody) -> Response:
    session, sessions, token = require_session(request), request.app.state.sessions, read_token(request)
    if study.requires_login:
        sessions.end(token)
    else:
        sessions.forget_reader(token)
    if body.get("everywhere") is True and session.reader:
        accounts.sign_out_everywhere(study.store, session.reader)
    return Response(status_code=204)


@router.post("/keys", dependencies=WITH_SESSION)
def create_key(request: Request, study: OpenStudy) -> Response:
    refuse_where_login_is_required(study)
    key = request.app.state.sessions.create_key()
    return reply({"address": f"{request.app.state.address.url}?key={key}"})


# The study


@router.post("/preferences")
def write_preferences(study: OpenStudy, reader: CurrentReader, body: JsonBody) -> Response:
    accounts.write_keys(study.store, reader.name, body.get("keys"), study.scheme.types)
    return reply({"keys": accounts.read_keys(study.store, reader.name, study.scheme.types)})


@router.get("/study")
def show_study(study: OpenStudy, reader: CurrentReader) -> Response:
    sets = [
        {"name": name, "notes": len(notes), "words": sum(note.words for note in notes)}
        for name, notes in study.sets.items()
    ]
    systems = study.store.fetch_all("SELECT name, notes_read FROM systems ORDER BY number")
    return reply({
        "title": study.store.read_setting("title") or "",
        "scheme": {"name": study.scheme.name, "categories": study.scheme.categories},
        "keys": accounts.read_keys(study.store, reader.name, study.scheme.types),
        "sets": sets,
        "premarks": study.premark_system,
        "systems": [{"name": name, "notes_read": count} for name, count in systems],
        "formats": WRITABLE,
        "formats_without_spans": [name for name, found in corpora.FORMATS.items() if not found.has_spans],
    })  # fmt: skip


@router.get("/notes")
def list_notes(
    study: OpenStudy, reader: CurrentReader, set: str | None = None, order: str = "given"
) -> Response:
    return reply(listing.list_notes(study, reader, set, order))


@router.post("/search", dependencies=FOR_READERS)
def search_notes(study: OpenStudy, body: JsonBody) -> Response:
    """By POST, so that what is searched is in no address and no log."""
    return reply(listing.search_notes(study, body))


@router.get("/progress")
def show_progress(study: OpenStudy, reader: CurrentReader, set: str | None = None) -> Response:
    return reply(listing.measure_progress(study, reader, set))


# Marking


@router.get("/notes/{number}")
def show_note(study: OpenStudy, reader: CurrentReader, number: NoteNumber) -> Response:
    return reply(marking.show_note(study, reader, number))


@router.post("/notes/{number}/actions")
def change_marks(study: OpenStudy, reader: CurrentReader, number: NoteNumber, body: JsonBody) -> Response:
    return reply(marking.change_marks(study, reader, number, body))


@router.post("/notes/{number}/repeats")
def mark_repeats(study: OpenStudy, reader: CurrentReader, number: NoteNumber, body: JsonBody) -> Response:
    return reply(marking.mark_repeats(study, reader, number, body))


@router.post("/notes/{number}/shown")
def record_shown(study: OpenStudy, reader: CurrentReader, number: NoteNumber, body: JsonBody) -> Response:
    return reply(marking.record_shown(study, reader, number, body))


@router.post("/notes/{number}/questions")
def ask_question(study: OpenStudy, reader: CurrentReader, number: NoteNumber, body: JsonBody) -> Response:
    return reply(questions.ask_question(study, reader, number, body))


@router.get("/questions", dependencies=FOR_ADJUDICATORS)
def list_questions(study: OpenStudy) -> Response:
    return reply(questions.list_questions(study))


@router.post("/questions/{number}")
def answer_question(
    study: OpenStudy, reader: CurrentAdjudicator, number: NoteNumber, body: JsonBody
) -> Response:
    return reply(questions.answer_question(study, reader, number, body))


@router.post("/notes/{number}/time")
def record_time(study: OpenStudy, reader: CurrentReader, number: NoteNumber, body: JsonBody) -> Response:
    return reply(listing.record_time(study, reader, number, body))


# The team


@router.get("/team", dependencies=FOR_ADJUDICATORS)
def show_team(study: OpenStudy, set: str | None = None) -> Response:
    return reply(team.show_team(study, set))


@router.post("/team/assign", dependencies=FOR_ADJUDICATORS)
def assign_notes(study: OpenStudy, body: JsonBody) -> Response:
    return reply(team.assign_notes(study, body))


@router.get("/log", dependencies=FOR_ADJUDICATORS)
def list_actions(study: OpenStudy, after: Annotated[int, Query(ge=0)] = 0) -> Response:
    return reply(team.list_actions(study, after))


# Consensus


@router.get("/consensus", dependencies=FOR_ADJUDICATORS)
def list_consensus_notes(
    study: OpenStudy, reader: CurrentReader, set: str | None = None, order: str = "given"
) -> Response:
    voters = {"last_voters": adjudication.find_last_voters(study, reader)}
    return reply(listing.list_notes_to_decide(study, set, order) | voters)


@router.get("/consensus/{number}")
def show_consensus(study: OpenStudy, reader: CurrentReader, number: NoteNumber) -> Response:
    return reply(adjudication.show_consensus(study, reader, number))


@router.post("/consensus/{number}/open")
def open_consensus(
    study: OpenStudy, reader: CurrentAdjudicator, number: NoteNumber, body: JsonBody
) -> Response:
    return reply(adjudication.open_consensus(study, reader, number, body))


@router.post("/consensus/{number}/actions")
def change_consensus(
    study: OpenStudy, reader: CurrentAdjudicator, number: NoteNumber, body: JsonBody
) -> Response:
    return reply(adjudication.change_consensus(study, reader, number, body))


# Measures


@router.get("/measures", dependencies=FOR_ADJUDICATORS)
def show_measures(study: OpenStudy, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.compute_figures(study, set, rules))


@router.get("/measures/mistakes", dependencies=FOR_ADJUDICATORS)
def list_mistakes(study: OpenStudy, voter: str, set: str | None = None, rules: str | None = None) -> Response:
    return reply(figures.list_mistakes(study, voter, set, rules))


# Surrogates


@router.get("/surrogates", dependencies=FOR_ADJUDICATORS)
def list_surrogate_notes(study: OpenStudy, set: str | None = None) -> Response:
    return reply(surrogate_review.list_notes(study, set))


@router.get("/surrogates/{number}")
def show_surrogates(study: OpenStudy, reader: CurrentAdjudicator, number: NoteNumber) -> Response:
    return reply(surrogate_review.show_surrogates(study, reader, number))


@router.post("/surrogates/export", dependencies=FOR_ADJUDICATORS)
def export_surrogates(study: OpenStudy, body: JsonBody) -> Response:
    return reply(surrogate_review.export_notes(study, body))


@router.post("/surrogates/{number}/actions")
def change_surrogates(
    study: OpenStudy, reader: CurrentAdjudicator, number: NoteNumber, body: JsonBody
) -> Response:
    return reply(surrogate_review.change_surrogates(study, reader, number, body))


# Export and learning


@router.post("/export", dependencies=FOR_ADJUDICATORS)
def export_spans(study: OpenStudy, body: JsonBody) -> Response:
    return reply(exports.export_spans(study, body))


@router.get("/learn", dependencies=FOR_ADJUDICATORS)
def show_learning_curve(study: OpenStudy) -> Response:
    train = exports.build_train_command(study.out / "NAME")
    systems = training.build_curve(study)
    found = {"systems": systems, "notes_read": len(study.list_decided()), "train": train}
    return reply(found | {"bases": training.list_bases(study)})


@router.post("/learn/models", dependencies=FOR_ADJUDICATORS)
def load_model(request: Request, study: OpenStudy, body: JsonBody) -> Response:
    refuse_where_login_is_required(study)
    folder, name = body.get("folder"), body.get("name", "")
    if not isinstance(folder, str):
        raise ConfigurationError("folder: wanted the path of a model")
    system_spans.check_new_name(study, name)

    def tag_notes(job: Jobs) -> None:
        job.phase = "tag"
        found = system_spans.tag_notes(study, model.load(folder), job.count_steps)
        system_spans.add_system(study, name, found, body.get("premarks") is True)

    return reply({"job": request.app.state.jobs.begin(tag_notes)}, 202)


@router.post("/learn/train", dependencies=FOR_ADJUDICATORS)
def train_model(request: Request, study: OpenStudy, body: JsonBody) -> Response:
    name = training.check_training(study, body.get("name"))
    base = training.check_base(study, body.get("base"))
    work = training.train_model(study, name, body.get("premarks") is True, base)
    return reply({"job": request.app.state.jobs.begin(work)}, 202)


@router.post("/learn/stop", dependencies=FOR_ADJUDICATORS)
def stop_job(request: Request) -> Response:
    request.app.state.jobs.stop()
    return Response(status_code=204)


@router.get("/learn/job", dependencies=FOR_ADJUDICATORS)
def show_job(request: Request) -> Response:
    return reply(request.app.state.jobs.describe())


@router.get("/learn/disagreements", dependencies=FOR_ADJUDICATORS)
def list_disagreements(study: OpenStudy, system: str) -> Response:
    return reply(training.list_disagreements(study, system))
