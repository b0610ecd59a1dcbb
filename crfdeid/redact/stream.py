"""A stream of notes, redacted patient by patient and written one by one.

    read ─▶ groups of one patient ─▶ spans ─▶ redacted ─▶ journal ─▶ written

Memory holds one patient's notes. Where a patient's notes lie apart they are brought together first,
which holds all of them, unless each note is looked at by itself.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.redact.output import Destination, Journal
from crfdeid.redact.redactor import Redactor, identity
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap
from crfdeid.systems import model
from crfdeid.text.document import Document

SPANS = ("auto", "gold", "tag")
Group = Sequence[Document]


def groups(read: Callable[[], Iterable[Document]], apart: bool) -> Iterator[list[Document]]:
    """The notes of one patient after the other. ``read`` is called twice, first to see whether
    they lie together."""
    if apart:
        yield from ([document] for document in read())
    elif together(map(identity, read())):
        yield from (list(group) for _, group in groupby(read(), key=identity))
    else:
        found: dict[str, list[Document]] = {}
        for document in read():
            found.setdefault(identity(document), []).append(document)
        yield from found.values()


def together(patients: Iterable[str]) -> bool:
    """
    >>> together("aabc"), together("aba")
    (True, False)
    """
    seen: set[str] = set()
    for patient, _ in groupby(patients):
        if patient in seen:
            return False
        seen.add(patient)
    return True


def finder(spans: str, folder: str | None) -> Callable[[Group], list[Document]]:
    """What gives the notes of a patient their spans, together: what a system finds in one it may know
    in the others. A note without any is tagged, unless they are said to be gold: a format that lost
    its spans must not let a note pass as it is."""
    if spans == "gold":
        return list
    loaded: list[model.Tagger] = []

    def bare(note: Document) -> bool:
        return spans == "tag" or not note.spans

    def tag(group: Group) -> list[Document]:
        waiting = [note for note in group if bare(note)]
        if not waiting:
            return list(group)
        if not loaded:
            loaded.append(model.load(folder))
        found = model.tag_all(loaded[0], waiting)
        return [next(found) if bare(note) else note for note in group]

    return tag


def released(
    groups: Iterable[Group],
    find: Callable[[Group], list[Document]],
    redactor: Redactor,
    where: Destination,
    journal: Journal,
    new_ids: bool = False,
) -> Iterator[Document]:
    """The redacted notes that are not written yet."""
    for group in groups:
        names = {note.id: renamed(note, redactor.secret) if new_ids else note for note in group}
        waiting = {id for id, note in names.items() if not where.has(note.id)}
        journal.report.written_before += len(group) - len(waiting)
        if not waiting:
            continue
        with silent(group[0].id):
            redactions = redactor.redacted(find(group))
        for note, redaction in zip(group, redactions):
            if note.id in waiting:
                told = replace(redaction, named=redaction.named and not new_ids)
                journal.add(told, names[note.id].id)
                yield replace(redaction.document, id=names[note.id].id, patient=names[note.id].patient)


class Silenced(CrfdeidError):
    """An error of this program, told without what it said: that could be text of a note."""


@contextmanager
def silent(id: str) -> Iterator[None]:
    """Turn any error but a fault into one line that names the note and the place in the code."""
    try:
        yield
    except CrfdeidError:
        raise
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(at.filename).name}, line {at.lineno}"
        raise Silenced(
            f"{id}: not redacted, nor the patient's other notes: {where}; please report it"
        ) from None


def renamed(document: Document, secret: bytes) -> Document:
    """Other names for the note and its patient, by the secret."""
    draws = KeyedChoices(secret, "names of notes")
    patient = document.patient and f"p{draws.digest('patient', document.patient).hex()[:12]}"
    return replace(document, id=f"n{draws.digest('document', document.id).hex()[:16]}", patient=patient)


@contextmanager
def kept(redactor: Redactor, path: Path, key: bytes) -> Iterator[None]:
    """Redact by the map in ``path``, made first if there is none, and add to it what is given, also
    where the run is broken off. Raises :class:`ConfigurationError` where its rules are others,
    :class:`MapError` where another run has changed it meanwhile: it stays as that one left it."""
    if path.exists():
        held = surrogate_map.read(path, key)
        if held.rules != redactor.rules:
            said = (
                f"--shift-years {held.rules.years} --season-weeks {held.rules.weeks} --zip {held.rules.zip}"
            )
            raise ConfigurationError(f"{path}: this map was begun with {said}")
    else:
        held = SurrogateMap(redactor.secret, redactor.rules)
        surrogate_map.write(held, path, key)
    redactor.secret, redactor.past = held.secret, held.patients
    before = path.read_bytes()
    try:
        yield
    finally:
        if path.is_file() and path.read_bytes() != before:
            raise MapError(f"{path}: another run changed it meanwhile; what this run gave is not in it")
        surrogate_map.write(held, path, key)
