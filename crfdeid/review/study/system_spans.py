"""What systems found in the notes, and what comes from other corpora: premarks, votes, a consensus made
elsewhere."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from crfdeid.errors import FormatError
from crfdeid.review.study import accounts, consensus
from crfdeid.review.study.errors import Invalid, Refused, Stage
from crfdeid.review.study.note_index import Note
from crfdeid.review.study.source import fingerprint
from crfdeid.review.study.study import Study, book
from crfdeid.systems import crf
from crfdeid.systems.model import Tagger
from crfdeid.systems.model_folder import sha256
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import keep_longest

Found = Mapping[int, Sequence[Span]]  # by the note's number


def tagged(
    study: Study, tagger: Tagger, shown: Callable[[list[Note]], Iterable[Note]] = iter
) -> dict[int, Sequence[Span]]:
    """The tagger's spans in every note that can be read, with probabilities where it is a CRF. Raises
    :class:`SchemeError` on a type that the study's scheme lacks."""
    found: dict[int, Sequence[Span]] = {}
    for note in shown(study.notes.all):
        try:
            document = study.notes.document(note.number)
        except Refused:
            continue
        answer = (
            tagger.tag(document, probabilities=True)
            if isinstance(tagger, crf.Model)
            else tagger.tag(document)
        )
        study.scheme.check([answer])
        found[note.number] = answer.spans
    return found


def name_of(tagger: Tagger) -> str:
    """The model's folder, and the beginning of its manifest's checksum: trained again, it is another."""
    return f"{tagger.folder.name} {sha256(tagger.folder / 'manifest.json')[:6]}"


def add_model(
    study: Study,
    tagger: Tagger,
    premarks: bool = False,
    progress: Callable[[list[Note]], Iterable[Note]] = iter,
) -> None:
    """Tag all notes, unless the same model has done so before. Readers see its spans if ``premarks``."""
    name = name_of(tagger)
    if name not in study.systems():
        add(study, name, tagged(study, tagger, progress))
    if premarks:
        study.store.set("premarks", name)


def matched(study: Study, documents: Iterable[Document]) -> dict[int, Sequence[Span]]:
    """The spans of a corpus of the study's notes. Raises :class:`FormatError` on a document that is no
    note of the study or has another text, and :class:`SchemeError`."""
    known = {note.id: note for note in study.notes.all}
    found: dict[int, Sequence[Span]] = {}
    for document in study.scheme.checked(documents):
        if document.id not in known:
            raise FormatError(f"{document.id}: no note of this study")
        note = known[document.id]
        if fingerprint(document.text) != note.fingerprint:
            raise FormatError(f"{document.id}: another text than the study's note of this name")
        found[note.number] = keep_longest(document.spans)
    return found


def add(study: Study, name: str, found: Found, premarks: bool = False) -> None:
    """Take a system's spans into the study; readers are shown them from now on if ``premarks``.

    Raises :class:`Stage` where there is a system or a reader of this name, :class:`Invalid`.
    """
    with study.store.writing() as connection:
        refuse_name(study, name)
        (number,) = connection.execute("SELECT count(*) FROM systems").fetchone()
        row = (name, number + 1, time.time(), len(study.decided()))
        connection.execute("INSERT INTO systems VALUES(?, ?, ?, ?)", row)
        rows = ((name, n, as_json(spans), len(spans), doubt(spans)) for n, spans in found.items())
        connection.executemany("INSERT INTO found VALUES(?, ?, ?, ?, ?)", rows)
        if premarks:
            study.store.set("premarks", name)


def refuse_name(study: Study, name: str) -> None:
    """Raise :class:`Stage` where there is a system or reader of this name, :class:`Invalid` where it is
    no name."""
    if not isinstance(name, str) or not accounts.NAME.fullmatch(name):
        raise Invalid("a system's name: 1 to 60 letters, digits, spaces and . ' @ - _")
    if name in study.systems() or name in [reader.name for reader in accounts.everyone(study.store)]:
        raise Stage("exists", "there is a system or reader of this name already")


def as_json(spans: Iterable[Span]) -> str:
    return json.dumps([[s.start, s.end, s.type, s.probability] for s in sorted(spans)], separators=(",", ":"))


def doubt(spans: Sequence[Span]) -> float | None:
    """How many of the spans are expected to be wrong; None where a probability is lacking.

    >>> doubt([Span(0, 1, "AGE", 0.75), Span(2, 3, "AGE", 0.5)])
    0.75
    """
    known = [span.probability for span in spans if span.probability is not None]
    return sum(1 - probability for probability in known) if len(known) == len(spans) else None


def add_reader(study: Study, name: str, found: Found) -> None:
    """Take marks made elsewhere as those of a reader who has finished these notes, but for notes that the
    reader has begun already."""
    shelf = book(accounts.add(study.store, name, "reader").name)
    with study.store.writing():
        for number, spans in found.items():
            if version := study.marking.entry(shelf, number).version:
                continue  # what the reader did here since stays
            rows = consensus.rows(tuple(spans))
            action = {"kind": "add_many", "spans": rows, "by": "import"}
            version = study.marking.append(shelf, number, version, name, action).version
            study.marking.append(shelf, number, version, name, {"kind": "done"})


def add_consensus(study: Study, found: Found) -> None:
    """Take a consensus made elsewhere, of notes that have none yet. Raises :class:`Stage`."""
    with study.store.writing():
        for number, spans in found.items():
            entry = study.consensus.entry(consensus.BOOK, number)
            if entry.state.opened:
                raise Stage("exists", f"note {study.notes.note(number).id} has a consensus already")
            action = {"kind": "import", "spans": consensus.rows(tuple(spans))}
            study.consensus.append(consensus.BOOK, number, entry.version, "import", action)
