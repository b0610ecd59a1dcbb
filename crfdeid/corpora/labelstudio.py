"""Label Studio's JSON export: an array of tasks with ``data.text`` and annotations. The annotations of
several people are pooled, each span once; cancelled annotations are skipped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from crfdeid.corpora.format import Format
from crfdeid.corpora.jsonl import build_document, parse_json
from crfdeid.errors import FormatError
from crfdeid.files import read_text
from crfdeid.text.document import Document, Span


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield a document for each task."""
    tasks = parse_json(read_text(path, encoding), str(path))
    if not isinstance(tasks, list):
        raise FormatError(f"{path}: wanted Label Studio's array of tasks")
    for number, task in enumerate(tasks, 1):
        where = f"{path}, task {number}"
        yield build_document(_convert_task(task, where), where, number)


def _convert_task(task: Any, where: str) -> dict[str, Any]:
    """Return the task as an object of :mod:`crfdeid.corpora.jsonl`."""
    try:
        data = task["data"]
        annotations = [a for a in task.get("annotations", []) if not a.get("was_cancelled")]
        results = [result for annotation in annotations for result in annotation["result"]]
        scores = {
            (value["start"], value["end"], label): result.get("score")
            for result in results
            if "labels" in (value := result.get("value", {}))
            for label in value["labels"]
        }
        spans = [{"start": s, "end": e, "type": t, "probability": p} for (s, e, t), p in scores.items()]
        id = data.get("id", task.get("id"))
    except (KeyError, TypeError, AttributeError):
        raise FormatError(f"{where}: wanted data.text and annotations with start, end and labels") from None
    item = {"text": data.get("text"), "spans": spans, "patient": data.get("patient")}
    return item if id is None else item | {"id": id}


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the array, a task for each document."""
    yield "["
    for number, document in enumerate(documents, 1):
        task = json.dumps(_build_task(document, number), ensure_ascii=False)
        yield ("," if number > 1 else "") + "\n" + task
    yield "\n]\n"


def _build_task(document: Document, number: int) -> dict[str, Any]:
    data = {"id": document.id, "text": document.text}
    if document.patient is not None:
        data["patient"] = document.patient
    results = [_build_result(document, span) for span in document.spans]
    return {"id": number, "data": data, "annotations": [{"result": results}]}


def _build_result(document: Document, span: Span) -> dict[str, Any]:
    value = {
        "start": span.start, "end": span.end, "text": document.text_of(span), "labels": [span.type],
    }  # fmt: skip
    score = {} if span.probability is None else {"score": round(span.probability, 6)}
    return {"type": "labels", "from_name": "label", "to_name": "text", "value": value} | score


FORMAT = Format("labelstudio", (".json",), read=read, render_corpus=render_corpus)
