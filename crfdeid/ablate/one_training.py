"""One training from start to end.

The result holds no text of a note, except the words in the model::

    run.json       fingerprint, settings, seconds, sizes, memory
    spans.jsonl    the system's spans by document, without text
    model/         the model, with the templates as the run rewrote them
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from crfdeid import __version__
from crfdeid.ablate.jobs import MODEL, RESULT, Job
from crfdeid.config import Config
from crfdeid.corpora.folds import Part
from crfdeid.errors import FormatError
from crfdeid.feature_extraction import templates
from crfdeid.systems import model, model_folder, registry, training_record
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span

SPANS = "spans.jsonl"


@dataclass(frozen=True)
class Cost:
    """Wall time in seconds, tokens of the test documents, bytes of the model folder, peak memory of the
    process in bytes (0 where the operating system does not report it), and processor time in seconds, which
    other programs on the machine change less than wall time (0 in results of before)."""

    train_seconds: float
    tag_seconds: float
    tokens: int
    model_bytes: int
    peak_bytes: int
    train_cpu_seconds: float = 0.0
    tag_cpu_seconds: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        return self.tokens / self.tag_seconds if self.tag_seconds else 0.0

    @property
    def tokens_per_cpu_second(self) -> float:
        return self.tokens / self.tag_cpu_seconds if self.tag_cpu_seconds else 0.0


def train_job(job: Job, folder: Path, on_iteration: Callable[[int], None]) -> None:
    """Train, tag the test documents, and write the result to the new folder ``folder``. Calls
    ``on_iteration`` with the number of each iteration."""
    folder.mkdir(parents=True)
    tagger, cost = load_trained(job, job.trained) if job.trained else train_model(job, folder, on_iteration)
    trained, cpu_trained = time.perf_counter(), time.process_time()
    system = list(tagger.tag_all(job.test.documents))
    cost = replace(
        cost,
        tag_seconds=time.perf_counter() - trained,
        tag_cpu_seconds=time.process_time() - cpu_trained,
        tokens=sum(len(tagger.pipeline.tokenize(document.text)) for document in job.test.documents),
        peak_bytes=max(cost.peak_bytes, measure_peak_memory()),
    )
    write_spans(system, folder / SPANS)
    write_result(job, cost, folder / RESULT)


def train_model(job: Job, folder: Path, on_iteration: Callable[[int], None]) -> tuple[Tagger, Cost]:
    """Train the model of the job in ``folder``."""
    config = write_templates(job, folder / "templates")
    began, cpu_began = time.perf_counter(), time.process_time()
    tagger = model.train(job.train.documents, config, folder / MODEL, lambda number, _: on_iteration(number))
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
    shutil.rmtree(folder / "templates", ignore_errors=True)
    size = sum(path.stat().st_size for path in (folder / MODEL).rglob("*") if path.is_file())
    return tagger, Cost(seconds, 0.0, 0, size, 0, cpu_seconds)


def load_trained(job: Job, trained: Path) -> tuple[Tagger, Cost]:
    """Load the model of another job with this one's settings of tagging; the training costs what that one
    did."""
    folder = model_folder.read_folder(trained / MODEL)
    own = {key: getattr(job.config, key) for key in registry.find_system(job.config.system).decoding}
    tagger = model.load_model(replace(folder, config=replace(folder.config, **own), learned=folder.config))
    return tagger, read_cost(trained)


def read_cost(folder: Path) -> Cost:
    return Cost(**json.loads((folder / RESULT).read_text(encoding="utf-8"))["cost"])


def write_templates(job: Job, folder: Path) -> Config:
    """Write the template files that the run changes to ``folder``, and return the configuration that uses
    them."""
    if not job.templates:
        return job.config
    folder.mkdir()
    paths = {group: folder / templates.find_group(group).name for group in job.templates}
    for group, path in paths.items():
        path.write_text(job.templates[group], encoding="utf-8")
    return replace(job.config, features=tuple(str(paths.get(g, g)) for g in job.config.features))


def measure_peak_memory() -> int:
    """Return the peak memory of this process in bytes. Only Linux reports it for this process without
    the one that started it; elsewhere the result is 0."""
    try:
        match = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        match = None
    return int(match[1]) * 1024 if match and sys.platform == "linux" else 0


def write_spans(documents: Iterable[Document], path: Path) -> None:
    """Write identifier, offsets and types, one document on a line."""
    with path.open("w", encoding="utf-8") as file:
        for document in documents:
            spans = [[span.start, span.end, span.type] for span in document.spans]
            file.write(json.dumps({"id": document.id, "spans": spans}) + "\n")


def write_result(job: Job, cost: Cost, path: Path) -> None:
    parts = {name: summarize_part(part) for name, part in (("train", job.train), ("test", job.test))}
    table = {
        "fingerprint": job.fingerprint,
        "title": job.title,
        "version": __version__,
        "libraries": training_record.list_libraries(),
        "settings": job.config.to_table(),
        "rewritten": sorted(job.templates),
        "model": (job.trained or job.folder).name,
        **parts,
        "cost": asdict(cost),
    }
    path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def summarize_part(part: Part) -> dict[str, object]:
    return {"documents": len(part.documents), "spans": part.spans, "fingerprint": part.fingerprint}


def read_output(job: Job) -> tuple[list[Document], Cost]:
    """Read the system's documents and the cost of a finished job. Raises :class:`FormatError` where the
    file of spans lacks a document."""
    spans = dict(map(parse_spans, (job.folder / SPANS).read_text(encoding="utf-8").splitlines()))
    if missing := [document.id for document in job.test.documents if document.id not in spans]:
        raise FormatError(f"{job.folder / SPANS}: no document {missing[0]}; delete the folder to run again")
    system = [document.with_spans(spans[document.id]) for document in job.test.documents]
    return system, read_cost(job.folder)


def parse_spans(line: str) -> tuple[str, tuple[Span, ...]]:
    """Return identifier and spans of one line of :data:`SPANS`.

    >>> parse_spans('{"id": "n1", "spans": [[0, 3, "DATE"]]}') == ("n1", (Span(0, 3, "DATE"),))
    True
    """
    row = json.loads(line)
    return row["id"], tuple(Span(*span) for span in row["spans"])
