"""Label Studio's JSON: one array of tasks, each with ``data.text`` and annotations.

The annotations of several people are pooled, each distinct span once; cancelled ones
are passed over. A task that nobody has annotated has its ``predictions``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from crfdeid.corpora.fields import identity, string, whole
from crfdeid.document import Document, Span

SUFFIX = ".json"


def document_of(task: dict[str, Any], default_id: str) -> Document:
    """Raises KeyError, TypeError, ValueError or AttributeError where the task is not
    Label Studio's. The id is ``data.id`` where there is one, since Label Studio
    numbers the tasks itself."""
    data = task["data"]
    id = identity(data.get("id", task.get("id")), default_id)
    patient = data.get("patient")
    return Document(id, string(data["text"]), spans_of(task), None if patient is None else identity(patient))


def spans_of(task: dict[str, Any]) -> tuple[Span, ...]:
    """The spans of all regions that have labels; relations and choices have none."""
    done = [made for made in task.get("annotations") or () if not made.get("was_cancelled")]
    found: dict[Span, None] = {}
    for made in done or task.get("predictions") or ():
        for region in made["result"]:
            value = region.get("value", {})
            for label in value.get("labels", ()):
                span = Span(whole(value["start"]), whole(value["end"]), string(label), region.get("score"))
                found.setdefault(span)
    return tuple(found)


def pieces(documents: Iterable[Document]) -> Iterator[str]:
    yield "["
    for number, document in enumerate(documents):
        yield (",\n" if number else "\n") + json.dumps(task_of(document), ensure_ascii=False)
    yield "\n]\n"


def task_of(document: Document) -> dict[str, Any]:
    patient = {} if document.patient is None else {"patient": document.patient}
    return {
        "data": {"id": document.id, **patient, "text": document.text},
        "annotations": [{"result": [region(document, i, span) for i, span in enumerate(document.spans)]}],
    }


def region(document: Document, number: int, span: Span) -> dict[str, Any]:
    """``from_name`` and ``to_name`` are those of Label Studio's own template for spans."""
    offsets = {"start": span.start, "end": span.end}
    value = offsets | {"text": document.covered(span), "labels": [span.type]}
    scored = {} if span.probability is None else {"score": round(span.probability, 4)}
    names = {"id": f"P{number}", "from_name": "label", "to_name": "text", "type": "labels"}
    return names | {"value": value} | scored
