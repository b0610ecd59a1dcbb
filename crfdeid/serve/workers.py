"""Work in processes that end with their request.

    server ─▶ worker (a model, warmed by invented notes) ─▶ a copy of it for each request, which then ends

A tagger remembers the words that it has seen: they stay in memory, and are tagged faster the next time,
which would tell one user what another one sent (docs/sharing.md). So a worker only passes requests on, and
never tags a note. It forks for each request, and the copy is gone with all it saw. A copy that works too long
is killed.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from crfdeid import policy, synthetic
from crfdeid.errors import CrfdeidError, locate_error
from crfdeid.redact.run import tagging
from crfdeid.serve import work
from crfdeid.systems import model
from crfdeid.systems.parallel import end_with_parent
from crfdeid.systems.threshold import parse_threshold

DONE, REFUSED, FAILED, TIMEOUT = "done", "refused", "failed", "timeout"
WARM_NOTES, WARM_SEED = 300, 2022  # invented notes, so that what a worker remembers is public
START_SECONDS = 900.0  # that a worker may need to load its model


@dataclass(frozen=True)
class Engine:
    """What finds the PHI: a model, the name or file of a policy, thresholds as the command line has them."""

    model: str = model.CAREFUL
    policy_name: str | None = None
    thresholds: tuple[str, ...] = ()

    def load(self) -> work.LoadedEngine:
        """Load the model. Raises :class:`crfdeid.errors.CrfdeidError` if the parts do not fit one another."""
        chosen = policy.read_policy(self.policy_name) if self.policy_name else None
        threshold = parse_threshold(self.thresholds)
        tagger = tagging.load_checked(self.model, chosen)
        return work.LoadedEngine(tagger, chosen, threshold and tagger.check_threshold(threshold))


class Task(NamedTuple):
    """``name`` is a function of :mod:`crfdeid.serve.work`; ``seconds`` are left for it."""

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


def warm_up(engine: work.LoadedEngine) -> None:
    """Let the engine see invented notes: lists are loaded, and common words are known."""
    texts = [note.text for note in synthetic.generate(WARM_NOTES, WARM_SEED)]
    work.tag(engine, {"notes": [{"text": text} for text in texts]})
    for style in ("placeholder", "surrogate"):
        work.redact(engine, {"notes": [{"text": text} for text in texts[:5]], "style": style})


def answer_and_forget(engine: work.LoadedEngine, job: Task) -> Answer:
    """Answer in this process, for a tagger that cannot be forked. There is no time limit."""
    try:
        return perform(engine, job)
    finally:
        engine.tagger.forget()


def answer_in_copy(engine: work.LoadedEngine, job: Task) -> Answer:
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


def perform(engine: work.LoadedEngine, job: Task) -> Answer:
    """Do the job. No message has text of the request."""
    try:
        body, counts = JOBS[job.name](engine, job.request)
        return Answer(DONE, body, counts)
    except CrfdeidError as error:
        return Answer(REFUSED, str(error).encode(), {})
    except Exception as error:
        return Answer(FAILED, locate_error(error).encode(), {})


JOBS: dict[str, Callable[[work.LoadedEngine, work.Request], work.Reply]] = {
    "tag": work.tag, "redact": work.redact, "restore": work.restore,
}  # fmt: skip
