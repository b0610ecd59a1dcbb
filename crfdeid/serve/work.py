"""What a request asks for, done with a loaded tagger: tag, redact, restore. Requests and replies are JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from crfdeid.corpora.jsonl import build_span_item
from crfdeid.policy import Policy
from crfdeid.session import Pair, Restorer, Session
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document

Request = dict[str, Any]
Reply = tuple[bytes, dict[str, int]]  # its body, and what is counted


class LoadedEngine(NamedTuple):
    """What finds the PHI of requests: a loaded model, what counts as PHI, and how probable it must be."""

    tagger: Tagger
    policy: Policy | None = None
    threshold: Threshold | None = None


def tag(engine: LoadedEngine, request: Request) -> Reply:
    """Find the spans of each note."""
    notes = list(read_notes(request))
    probabilities = bool(request.get("probabilities"))
    tagged = engine.tagger.tag_all(notes, probabilities, threshold=engine.threshold)
    found = list(map(engine.policy.select_phi, tagged)) if engine.policy else list(tagged)
    reply = [{"id": note.id, "spans": [build_span_item(span) for span in note.spans]} for note in found]
    return encode({"notes": reply}), count_notes(notes, sum(len(note.spans) for note in found))


def redact(engine: LoadedEngine, request: Request) -> Reply:
    """Redact the notes as the texts of one session; the map in the reply undoes it. The session is not
    closed, because that would forget what a worker knows: its copy ends, or it forgets by itself."""
    notes = list(read_notes(request))
    pairs = read_pairs(request)
    style = request.get("style", "placeholder")
    session = Session(engine.tagger, style, engine.policy, engine.threshold, pairs)
    texts = session.redact_all([note.text for note in notes])
    reply = [{"id": note.id, "text": text} for note, text in zip(notes, texts)]
    written = [{"issued": pair.issued, "real": pair.real, "type": pair.type} for pair in session.pairs]
    return encode({"notes": reply, "map": written}), count_notes(notes, len(written))


def restore(engine: LoadedEngine, request: Request) -> Reply:
    """Restore texts with the map of their redaction."""
    notes = list(read_notes(request))
    restorer = Restorer(read_pairs(request))
    reply = [{"id": note.id, "text": restorer.restore(note.text)} for note in notes]
    return encode({"notes": reply}), count_notes(notes, 0)


def read_notes(request: Request) -> Iterator[Document]:
    """Yield the notes; one without an id has its number. Raises :class:`crfdeid.errors.DocumentError` for a
    text that is not valid."""
    for number, note in enumerate(request["notes"], 1):
        id, patient = note.get("id"), note.get("patient")
        yield Document(str(number) if id is None else id, note["text"], patient=patient)


def read_pairs(request: Request) -> list[Pair]:
    return [Pair(pair["issued"], pair["real"], pair["type"]) for pair in request.get("map", ())]


def encode(reply: Any) -> bytes:
    return json.dumps(reply, separators=(",", ":")).encode()


def count_notes(notes: list[Document], spans: int) -> dict[str, int]:
    return {"notes": len(notes), "characters": sum(len(note.text) for note in notes), "spans": spans}
