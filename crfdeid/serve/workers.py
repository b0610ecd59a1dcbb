"""The work of a request (tag, redact, restore), done in processes that end with the request. Requests and
replies are JSON.

    server ─▶ worker (a model, warmed by invented notes) ─▶ a copy of it for each request, which then ends

A tagger remembers the words that it has seen: they stay in memory, and are tagged faster the next time,
which would tell one user what another one sent (docs/sharing.md). So a worker only passes requests on, and
never tags a note. It forks for each request, and the copy is gone with all it saw. A copy that works too long
is killed.
"""

from __future__ import annotations

import gc
import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from crfdeid import policy, synthetic
from crfdeid.corpora.jsonl import build_span_item
from crfdeid.errors import ConfigurationError, CrfdeidError, locate_error
from crfdeid.policy import Policy
from crfdeid.redact.run import tagging
from crfdeid.session import Pair, Restorer, Session, StreamRestorer
from crfdeid.systems import model
from crfdeid.systems.parallel import end_with_parent
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold, parse_threshold
from crfdeid.text.document import Document

MOST_RESTORED = 16_000_000  # characters of a reply; a map can make a text as long as it likes
SLICE = 1_000  # characters that are restored at once
Request = dict[str, Any]
Reply = tuple[bytes, dict[str, int]]  # its body, and what is counted


class LoadedEngine(NamedTuple):
    """The tagger for requests: a loaded model, what counts as PHI, and how probable it must be."""

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
    """Restore texts with the map of their redaction. Raises :class:`ConfigurationError` for a reply of more
    than :data:`MOST_RESTORED` characters."""
    notes = list(read_notes(request))
    restorer, left, reply = Restorer(read_pairs(request)), MOST_RESTORED, []
    for note in notes:
        text = restore_text(restorer, note.text, left)
        left -= len(text)
        reply.append({"id": note.id, "text": text})
    return encode({"notes": reply}), count_notes(notes, 0)


def restore_text(restorer: Restorer, text: str, most: int) -> str:
    stream, pieces = StreamRestorer(restorer), []
    for at in range(0, len(text), SLICE):
        pieces.append(stream.feed(text[at : at + SLICE]))
        most -= len(pieces[-1])
        if most < 0:
            raise ConfigurationError(
                f"the restored texts have more than {MOST_RESTORED:,} characters; wanted fewer in one request"
            )
    return "".join([*pieces, stream.finish()])


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


DONE, REFUSED, FAILED, TIMEOUT = "done", "refused", "failed", "timeout"
WARM_NOTES, WARM_SEED = 300, 2022  # invented notes, so that what a worker remembers is public
START_SECONDS = 900.0  # that a worker may need to load its model


@dataclass(frozen=True)
class Engine:
    """The tagger's settings: a model, the name or file of a policy, thresholds as the command line has
    them."""

    model: str = model.CAREFUL
    policy_name: str | None = None
    thresholds: tuple[str, ...] = ()

    def load(self) -> LoadedEngine:
        """Load the model. Raises :class:`crfdeid.errors.CrfdeidError` if the parts do not fit one another."""
        chosen = policy.read_policy(self.policy_name) if self.policy_name else None
        threshold = parse_threshold(self.thresholds)
        tagger = tagging.load_checked(self.model, chosen)
        return LoadedEngine(tagger, chosen, threshold and tagger.check_threshold(threshold))


class Task(NamedTuple):
    """``name`` is a function of :mod:`crfdeid.serve.workers`; ``seconds`` are left for it."""

    name: str
    request: dict[str, Any]
    seconds: float


class Answer(NamedTuple):
    """``body`` is the JSON of the reply where it is done, else a line for its reader or for the log."""

    outcome: str
    body: bytes
    counts: dict[str, int]


class Worker:
    """A process with a loaded model. It is used by one thread at a time, and started again if it dies."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=run_worker, args=(other, self.engine), daemon=True)
        self.process.start()
        other.close()

    def wait(self) -> None:
        """Wait until the model is loaded. Raises :class:`EOFError` if that fails."""
        if not self.connection.poll(START_SECONDS):
            raise EOFError
        self.connection.recv()

    def ask(self, job: Task) -> Answer:
        """Return the answer. A worker that died is started again, and answers the next job."""
        try:
            self.connection.send(job)
            answer: Answer = self.connection.recv()
            return answer
        except (EOFError, OSError):
            self.close()
            self._start()
            self.wait()
            return Answer(FAILED, b"a worker ended", {})

    def close(self) -> None:
        """End the process after its job."""
        self.connection.close()
        self.process.join(5)
        self.process.kill()


def run_worker(connection: Connection, engine: Engine) -> None:
    """Load the model, then answer jobs until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server finishes what it has begun
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    loaded = engine.load()
    loaded.tagger.compile()
    warm_up(loaded)
    gc.collect()
    gc.freeze()  # or each copy would write to, and so copy, the memory of all objects when it collects
    answer = answer_in_copy if loaded.tagger.is_fork_safe else answer_and_forget
    try:
        connection.send("ready")
        while True:
            connection.send(answer(loaded, connection.recv()))
    except (EOFError, OSError):
        return


def warm_up(engine: LoadedEngine) -> None:
    """Let the engine see invented notes: lists are loaded, and common words are known."""
    texts = [note.text for note in synthetic.generate(WARM_NOTES, WARM_SEED)]
    tag(engine, {"notes": [{"text": text} for text in texts]})
    for style in ("placeholder", "surrogate"):
        redact(engine, {"notes": [{"text": text} for text in texts[:5]], "style": style})


def answer_and_forget(engine: LoadedEngine, job: Task) -> Answer:
    """Answer in this process, for a tagger that cannot be forked. There is no time limit."""
    try:
        return perform(engine, job)
    finally:
        engine.tagger.forget()


def answer_in_copy(engine: LoadedEngine, job: Task) -> Answer:
    """Answer in a copy of this process."""
    reader, writer = Pipe(duplex=False)
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        end_with_parent(parent)
        reader.close()
        writer.send(perform(engine, job))
        os._exit(0)
    writer.close()
    try:
        if not reader.poll(max(0.0, job.seconds)):
            return Answer(TIMEOUT, b"", {})
        answer: Answer = reader.recv()
        return answer
    except EOFError:
        return Answer(FAILED, b"the copy of a worker was killed", {})
    finally:
        reader.close()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def perform(engine: LoadedEngine, job: Task) -> Answer:
    """Do the job. No message has text of the request."""
    try:
        body, counts = JOBS[job.name](engine, job.request)
        return Answer(DONE, body, counts)
    except CrfdeidError as error:
        return Answer(REFUSED, str(error).encode(), {})
    except Exception as error:
        return Answer(FAILED, locate_error(error).encode(), {})


JOBS: dict[str, Callable[[LoadedEngine, Request], Reply]] = {
    "tag": tag, "redact": redact, "restore": restore,
}  # fmt: skip
