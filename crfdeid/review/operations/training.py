"""Training on the consensus by the running interpreter, in a process of its own, and what it brings.

A model is trained on the decided notes only, or a shipped or earlier model is adapted to them
(:mod:`crfdeid.adapt`), which says what it gained by cross-validation, so that five notes show something.
Adapting also learns the lines that repeat in the notes that nobody has decided.

The figures are those of each model on notes that it was not trained on, and where it disagrees with the
readers of open notes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from hashlib import sha256
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from crfdeid import corpora, lexicon
from crfdeid.evaluate import error_analysis
from crfdeid.evaluate.scores import Counts
from crfdeid.evaluate.significance import bootstrap
from crfdeid.review.operations.exports import EXPORT_NAME, make_folder, select_documents
from crfdeid.review.study import agreement, system_spans
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import InvalidValueError, NoteRefusedError, NotFoundError, StageError
from crfdeid.review.study.note_index import key_patient
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.systems import model, training_record
from crfdeid.systems.repeated_lines import LEAST
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

KEPT_ASIDE = 5  # one of 5 patients is kept aside to test on
MOST_OPEN = 500  # undecided notes in which lines that repeat are looked for
RESAMPLES = 2000  # of the patients kept aside
FEWEST = 10  # decided notes with which some are kept aside


class TrainingWork(Protocol):
    """The side of a job that its work sees: its phase is shown, and it can be stopped."""

    phase: str
    result: Json | None

    def count_steps(self, items: Sequence[object]) -> Iterable[object]: ...

    def run_process(self, command: list[str]) -> None: ...


def check_training(study: Study, name: object) -> str:
    """The name of a new model. Raises :class:`InvalidValueError`, :class:`StageError` where it is taken or no
    note is decided."""
    if not isinstance(name, str) or not EXPORT_NAME.fullmatch(name):
        raise InvalidValueError("a model's name: 1 to 60 letters, digits, - and _")
    system_spans.check_new_name(study, name)
    if not study.list_decided():
        raise StageError("nothing", "no note has a decided consensus to train on")
    if find_model_folder(study, name).exists():
        raise StageError("exists", "there is a model with this name already")
    return name


def list_bases(study: Study) -> list[str]:
    """The names of the models that can be adapted: those trained here, latest first, and the shipped ones."""
    own = [name for name in study.list_systems()[::-1] if find_model_folder(study, name).is_dir()]
    if find_scheme(study) != lexicon.SCHEME:
        return own
    shipped = [lexicon.find_language(name).model for name in lexicon.LANGUAGES]
    return own + [name for name in shipped if name not in own]


def find_scheme(study: Study) -> str:
    return study.store.read_setting("scheme") or scheme.DEFAULT


def check_base(study: Study, base: object) -> str | None:
    """The model to adapt, None to train without one. Raises :class:`InvalidValueError`."""
    if base in (None, ""):
        return None
    if not isinstance(base, str) or base not in list_bases(study):
        raise InvalidValueError("base: wanted one of the models that can be adapted")
    return base


def train_model(
    study: Study, name: str, premarks: bool, base: str | None = None
) -> Callable[[TrainingWork], None]:
    """The work of a job: train on the decided notes, or adapt ``base`` to them; a fifth of their patients is
    kept aside. Then tag all notes with the model, and compare it on those kept aside with the system before
    it."""

    def train(job: TrainingWork) -> None:
        learned, aside = split_decided(study)
        folder = find_model_folder(study, name)
        make_folder(folder.parent)
        job.phase = "train"
        with TemporaryDirectory(dir=folder.parent) as scratch:
            corpus = Path(scratch) / "consensus.jsonl"
            corpora.write(select_documents(study, learned, "consensus", ""), corpus, "jsonl")
            job.run_process(build_command(study, corpus, folder, base, learned))
        folder.chmod(0o700)  # its features hold words of the notes
        before = study.premark_system or next(reversed(study.list_systems()), None)
        job.phase = "tag"
        found = system_spans.tag_notes(study, model.load(folder), job.count_steps)  # type: ignore[arg-type]
        system_spans.add_system(study, name, found, premarks)
        systems = [one for one in (before, name) if one]
        job.result = {
            "learned": len(learned),
            "aside": len(aside),
            "patients": count_patients(study, aside),
            "figures": [score_system(study, one, aside) for one in systems] if aside else [],
            "adapted": describe_adapted(base, folder) if base else None,
        }

    return train


def build_command(
    study: Study, corpus: Path, folder: Path, base: str | None, learned: Sequence[int]
) -> list[str]:
    """The command that trains on a corpus of the ``learned`` notes, or adapts ``base`` to it."""
    if base is None:
        options = [str(corpus), "--out", str(folder), "--scheme", find_scheme(study)]
        return [sys.executable, "-m", "crfdeid.train", *options]
    own = find_model_folder(study, base)
    before = str(own) if own.is_dir() else base
    options = ["--notes", str(corpus), "--model", before, "--out", str(folder)]
    return [sys.executable, "-m", "crfdeid.adapt", *options, *write_open(study, learned, corpus)]


def write_open(study: Study, learned: Sequence[int], corpus: Path) -> list[str]:
    """Write undecided notes beside the corpus, and return the options that adapt to them."""
    documents = list(read_open(study, learned))
    if not documents:
        return []
    path = corpus.with_name("open.jsonl")
    corpora.write(documents, path, "jsonl")
    return ["--unlabelled", str(path)]


def read_open(study: Study, learned: Sequence[int]) -> Iterator[Document]:
    """Yield at most :data:`MOST_OPEN` undecided notes of patients that are not kept aside; none where
    notes do not say whose they are, or where they and the ``learned`` ones are of few patients."""
    decided = set(study.list_decided())
    able = [note.number for note in study.notes.all if note.number not in decided]
    numbers = [number for number in able if not is_kept_aside(study, number)][:MOST_OPEN]
    patients = {study.notes.find_note(number).patient for number in [*numbers, *learned]}
    if None in patients or len(patients) < LEAST:
        return
    for number in numbers:
        with suppress(NoteRefusedError):
            yield study.notes.read_document(number)


def describe_adapted(base: str, folder: Path) -> Json:
    """From which model a model was adapted, in which way, and its figures before and after."""
    record = (training_record.read_record(folder) or {}).get("adapted", {})
    return {"base": base} | {key: record[key] for key in ("way", "patients", "gain") if key in record}


def find_model_folder(study: Study, name: str) -> Path:
    return study.out / "models" / name


def split_decided(study: Study) -> tuple[list[int], list[int]]:
    """The numbers of the decided notes to train on, and of those kept aside: all notes of a fifth of the
    patients, the same ones each time."""
    decided = study.list_decided()
    if len(decided) < FEWEST:
        return decided, []
    is_aside = {number: is_kept_aside(study, number) for number in decided}
    aside = [number for number in decided if is_aside[number]]
    return [number for number in decided if not is_aside[number]] or decided, aside


def is_kept_aside(study: Study, number: int) -> bool:
    patient = key_patient(study.notes.find_note(number))
    return int(sha256(patient.encode("utf-8", "surrogatepass")).hexdigest(), 16) % KEPT_ASIDE == 0


def score_system(study: Study, name: str, numbers: Sequence[int]) -> Json:
    """Strict recall and precision of a system on notes with a consensus, with the number of spans of the
    consensus, and 95% intervals by the bootstrap over patients; None of a single patient."""
    import numpy as np

    found = [count_against_consensus(study, name, number) for number in numbers]
    counts, patients = reduce(add, found, Counts()), [key_patient(study.notes.find_note(n)) for n in numbers]
    rows = np.array([(one.tp, one.fp, one.fn) for one in found])
    intervals = bootstrap(rows, patients, RESAMPLES) if len(set(patients)) > 1 else {}
    row: Json = {"name": name, "spans": counts.tp + counts.fn}
    for figure, value in (("recall", counts.recall), ("precision", counts.precision)):
        row |= {figure: value, f"{figure}_interval": intervals.get(figure)}
    return row


def count_patients(study: Study, numbers: Iterable[int]) -> int:
    return len({key_patient(study.notes.find_note(number)) for number in numbers})


def build_curve(study: Study) -> list[Json]:
    """Each system with the number of decided notes when it was loaded, and its strict recall and precision on
    the notes decided later: it cannot have been trained on these."""
    sql = """SELECT note, min(at) FROM actions WHERE book = 'consensus'
             AND json_extract(action, '$.kind') IN ('done', 'import') GROUP BY note"""
    decided, decided_at = set(study.list_decided()), dict(study.store.fetch_all(sql))
    points = []
    sql = "SELECT name, at, notes_read FROM systems ORDER BY number"
    for name, loaded_at, notes_read in study.store.fetch_all(sql):
        later = [number for number in sorted(decided) if decided_at[number] > loaded_at]
        counts = reduce(add, (count_against_consensus(study, name, number) for number in later), Counts())
        points.append({
            "name": name,
            "notes_read": notes_read,
            "tested": len(later),
            "recall": counts.recall if counts.tp + counts.fn else None,
            "precision": counts.precision if counts.tp + counts.fp else None,
            "premarks": name == study.premark_system,
        })  # fmt: skip
    return points


def count_against_consensus(study: Study, system: str, number: int) -> Counts:
    gold = study.consensus_log.read_entry(BOOK, number).state.spans
    return agreement.count_equal_spans(gold, study.read_spans(system, number))


def list_disagreements(study: Study, system: str) -> Json:
    """The open notes where a system differs from the marks there now, most differences first. Raises
    :class:`NotFoundError`."""
    names = study.list_systems()
    if system not in names:
        raise NotFoundError("no system with this name")
    earlier = names[: names.index(system)]
    decided = set(study.list_decided())
    rows = []
    for note in study.notes.all:
        if note.number in decided or note.number in study.notes.refused:
            continue
        against, spans = find_present_spans(study, note.number, earlier)
        if against and (count := count_differences(study, note.number, spans, system)):
            rows.append({"number": note.number, "id": note.id, "against": against, "differences": count})
    return {"notes": sorted(rows, key=lambda row: (-row["differences"], row["number"]))}


def find_present_spans(study: Study, number: int, earlier: Sequence[str]) -> tuple[str | None, list[Span]]:
    """The union of the marks of the readers who have finished the note, else the spans of the last of the
    ``earlier`` systems; with the word that names them."""
    finished = [name for name, done in study.find_readers(number).items() if done]
    if finished:
        entries = (study.marks_log.read_entry(name_book(name), number) for name in finished)
        return "readers", sorted({span for entry in entries for span in entry.state.spans})
    return (earlier[-1], study.read_spans(earlier[-1], number)) if earlier else (None, [])


def count_differences(study: Study, number: int, present: Sequence[Span], system: str) -> int:
    try:
        text = study.notes.read_document(number).text
    except NoteRefusedError:
        return 0
    both = (present, study.read_spans(system, number))
    trimmed = [Document("", text, tuple(agreement.trim_punctuation(text, spans))) for spans in both]
    return sum(1 for _ in error_analysis.compare_spans(*trimmed))
