"""The spans that systems found in the notes, and imports from other corpora: premarks, votes, a finished
consensus."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256

from crfdeid.errors import FormatError, show_id
from crfdeid.review.study import accounts, consensus
from crfdeid.review.study.errors import InvalidValueError, NoteRefusedError, StageError
from crfdeid.review.study.note_index import StudyNote
from crfdeid.review.study.source import compute_fingerprint
from crfdeid.review.study.study import Study, name_book
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span, keep_longest

SpansByNote = Mapping[int, Sequence[Span]]  # by the note's number
NAME = re.compile(r"[\w][\w .'@+-]{0,59}")
SHOWN_THRESHOLD = 20  # characters
UNKNOWN_DOUBT = 0.5  # of a span without a probability
Progress = Callable[[list[StudyNote]], Iterable[StudyNote]]  # may show progress over the notes


def add_model(
    study: Study,
    tagger: Tagger,
    premarks: bool = False,
    progress: Progress = iter,
    threshold: Threshold | None = None,
) -> None:
    """Tag all notes, unless the same model has done so before with this threshold. Readers see its spans if
    ``premarks``."""
    name = name_system(tagger, threshold)
    if name not in study.list_systems():
        add_system(study, name, tag_notes(study, tagger, progress, threshold))
    if premarks:
        study.store.write_setting("premarks", name)


def tag_notes(
    study: Study, tagger: Tagger, progress: Progress = iter, threshold: Threshold | None = None
) -> dict[int, Sequence[Span]]:
    """The tagger's spans in every note that can be read, with probabilities where it has them. Raises
    :class:`SchemeError` on a type that the study's scheme does not have."""
    numbers: list[int] = []

    def read_notes() -> Iterator[Document]:
        for note in progress(study.notes.all):
            with suppress(NoteRefusedError):
                document = study.notes.read_document(note.number)
                numbers.append(note.number)
                yield document

    tagged = tagger.tag_all(read_notes(), tagger.has_probabilities, threshold)
    spans = [document.spans for document in study.scheme.check_each(tagged)]
    return dict(zip(numbers, spans, strict=True))


def name_system(tagger: Tagger, threshold: Threshold | None = None) -> str:
    """The model's name, the beginning of its fingerprint, which a new training changes, and the threshold,
    or the beginning of its checksum where it is long.

    >>> show_threshold(Threshold(0.05, {"DATE": 0.2}))
    ' at 0.05 DATE 0.2'
    >>> show_threshold(Threshold(0.123456, {"STATE": 0.123456}))
    ' at threshold 46b660'
    """
    return f"{tagger.name} {tagger.fingerprint[:6]}{show_threshold(threshold)}"


def show_threshold(threshold: Threshold | None) -> str:
    if threshold is None:
        return ""
    shown = str(threshold).replace("=", " ")
    short = len(shown) <= SHOWN_THRESHOLD
    return f" at {shown if short else f'threshold {sha256(shown.encode()).hexdigest()[:6]}'}"


def match_documents(study: Study, documents: Iterable[Document]) -> dict[int, Sequence[Span]]:
    """The spans of a corpus with notes of the study, without overlaps. Raises :class:`FormatError` on a
    document that is not a note of the study or has another text, and :class:`SchemeError`."""
    notes = {note.id: note for note in study.notes.all}
    spans: dict[int, Sequence[Span]] = {}
    for document in study.scheme.check_each(documents):
        shown = show_id(document.id)
        if document.id not in notes:
            raise FormatError(f"{shown}: not a note of this study")
        note = notes[document.id]
        if compute_fingerprint(document.text) != note.fingerprint:
            raise FormatError(f"{shown}: its text differs from the study's note with this id")
        spans[note.number] = keep_longest(document.spans)
    return spans


def add_system(study: Study, name: str, spans: SpansByNote, premarks: bool = False) -> None:
    """Add a system's spans to the study. Readers see them as premarks from now on if ``premarks``.

    Raises :class:`StageError` where a system or a reader has this name, :class:`InvalidValueError`.
    """
    with study.store.transaction() as connection:
        check_new_name(study, name)
        (number,) = connection.execute("SELECT count(*) FROM systems").fetchone()
        row = (name, number + 1, time.time(), len(study.list_decided()))
        connection.execute("INSERT INTO systems VALUES(?, ?, ?, ?)", row)
        rows = ((name, n, encode_spans(s), len(s), count_expected_errors(s)) for n, s in spans.items())
        connection.executemany("INSERT INTO found VALUES(?, ?, ?, ?, ?)", rows)
        if premarks:
            study.store.write_setting("premarks", name)


def check_new_name(study: Study, name: str) -> None:
    """Raise :class:`StageError` where a system or a reader has this name, :class:`InvalidValueError` where it
    is not allowed."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidValueError("a system's name: 1 to 60 letters, digits, spaces and . ' @ + - _")
    if name in study.list_systems() or name in [r.name for r in accounts.list_readers(study.store)]:
        raise StageError("exists", "there is a system or reader with this name already")


def encode_spans(spans: Iterable[Span]) -> str:
    """The spans as JSON, with probabilities."""
    return json.dumps([[s.start, s.end, s.type, s.probability] for s in sorted(spans)], separators=(",", ":"))


def count_expected_errors(spans: Sequence[Span]) -> float:
    """The expected number of wrong spans; one without a probability, such as a rule's, counts half.

    >>> count_expected_errors([Span(0, 1, "AGE", 0.75), Span(2, 3, "AGE")])
    0.75
    """
    return sum(UNKNOWN_DOUBT if span.probability is None else 1 - span.probability for span in spans)


def import_marks(study: Study, name: str, spans: SpansByNote) -> None:
    """Add marks from another corpus as those of a reader who has finished these notes. Notes that the reader
    has begun already stay as they are."""
    book = name_book(accounts.add_reader(study.store, name, "reader").name)
    with study.store.transaction():
        for number, found in spans.items():
            if study.marks_log.read_entry(book, number).version:
                continue
            rows = consensus.encode_spans(tuple(found))
            action = {"kind": "add_many", "spans": rows, "by": "import"}
            version = study.marks_log.append(book, number, 0, name, action).version
            study.marks_log.append(book, number, version, name, {"kind": "done"})


def import_consensus(study: Study, spans: SpansByNote) -> None:
    """Add a finished consensus from another corpus. Raises :class:`StageError` where a note has one."""
    with study.store.transaction():
        for number, found in spans.items():
            entry = study.consensus_log.read_entry(consensus.BOOK, number)
            if entry.state.opened:
                note = study.notes.find_note(number)
                raise StageError("exists", f"note {note.number} has a consensus already")
            action = {"kind": "import", "spans": consensus.encode_spans(tuple(found))}
            study.consensus_log.append(consensus.BOOK, number, entry.version, "import", action)
