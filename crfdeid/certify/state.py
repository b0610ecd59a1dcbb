"""``certify state``: say from the marks of readers what a release still holds, with bounds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from crfdeid import cli
from crfdeid.certify import sampling
from crfdeid.certify.readers import count_note, find_systems_among, list_systems, read_marks
from crfdeid.certify.reading_copy import list_masked, make_reading_copy
from crfdeid.certify.sample_size import FEWEST_NOTES
from crfdeid.certify.sampling import HELP, refuse_tuning_notes
from crfdeid.certify.statement import Statement, make_statement
from crfdeid.certify.statement_text import render_statement
from crfdeid.certify.store import (
    Marks,
    SampleStore,
    close_marks,
    list_draws,
    read_store,
    refuse_edited_marks,
    refuse_unrecorded,
    write_store,
)
from crfdeid.corpora import storage
from crfdeid.corpora.output import hash_documents
from crfdeid.errors import ConfigurationError
from crfdeid.files import open_whole
from crfdeid.text.document import Document, Span

KINDS = {".txt": "text", ".json": "json", ".html": "html"}


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("store", type=Path, help="what certify draw has written")
    add("release", type=Path, help="the release, unchanged")
    add("--reader", action="append", default=[], metavar="NAME=PATH", help="the notes as a reader marked "
        "them, in any format; without it, the last look again, from the store")  # fmt: skip
    add("--model", action="append", default=[], metavar="NAME", help="the model of the release: readers "
        "whose marks come from it are named, as with the rules and the models that ship")  # fmt: skip
    add("--out", type=Path, action="append", default=[], help="also to a file: .txt, .json, or .html to sign")
    add("--overwrite", action="store_true", help="replace existing files")
    add("--tuned", type=Path, action="append", default=[], metavar="PATH", help=HELP)
    add("--from", dest="source", metavar="FORMAT", help="of the release (default: detected)")
    cli.add_reading_options(parser)


def run(args: argparse.Namespace) -> None:
    for path in args.out:
        if path.suffix not in KINDS:
            raise ConfigurationError(f"{path}: wanted a name that ends in {', '.join(KINDS)}")
        storage.refuse_existing(path, args.overwrite)
    store = read_store(args.store)
    documents = list(cli.read_documents(args.release, args.source, args))
    refuse_changes(store, documents, args.release)
    refuse_tuning_notes(documents, args.tuned)
    looked = take_look(store, documents, args.reader)
    refuse_edited_marks(args.release, looked, len(looked.looks) - len(store.looks))
    statement = restate(looked, documents, list_systems(args.model), list_draws(args.release))
    close_marks(args.release, looked)
    if looked != store:
        write_store(looked, args.store)
    for path in args.out:
        with open_whole(path) as file:
            file.write(render_statement(statement, KINDS[path.suffix]))
    print(render_statement(statement, "text"), end="")


def refuse_changes(store: SampleStore, documents: Sequence[Document], release: Path) -> None:
    """Raise :class:`ConfigurationError` where the release, the draw or the marks are not what they were."""
    if hash_documents(documents) != store.release:
        raise ConfigurationError(
            f"{release}: has changed since the draw; wanted the release that was sampled"
        )
    refuse_unrecorded(release, store)
    refuse_edited_marks(release, store)
    frame = sampling.build_frame(documents, store.frame.stratum_of or None)
    if tuple(sampling.draw_sample(frame, len(store.sample), store.seed)) != store.sample:
        raise ConfigurationError(f"{release}: seed {store.seed} does not draw the sample of the store")
    if len(store.sample) < FEWEST_NOTES:
        raise ConfigurationError(f"a sample of {len(store.sample)} notes; wanted {FEWEST_NOTES} or more")


def take_look(store: SampleStore, documents: Sequence[Document], readers: Sequence[str]) -> SampleStore:
    """Return the store with the marks of a new look; unchanged where they equal the last look's, or
    where there are no readers."""
    if not readers:
        if not store.looks:
            raise ConfigurationError("no marks in the store yet; wanted --reader NAME=PATH")
        return store
    if store.looks and (marks := try_marks(store, documents, readers)) == store.looks[-1]:
        return store
    if len(store.looks) >= store.aim.looks:
        raise ConfigurationError(
            f"{store.aim.looks} look{'s' * (store.aim.looks > 1)} planned, and taken; one more breaks the "
            "promise; without --reader the last statement is printed again"
        )
    marks = collect_marks(store, documents, readers, len(store.looks) + 1)
    return store.with_look(marks)


def try_marks(store: SampleStore, documents: Sequence[Document], readers: Sequence[str]) -> Marks | None:
    """Return the marks as the last look's; None where they are of other notes."""
    try:
        return collect_marks(store, documents, readers, len(store.looks))
    except ConfigurationError:
        if len(store.looks) >= store.aim.looks:
            raise
        return None


def collect_marks(
    store: SampleStore, documents: Sequence[Document], readers: Sequence[str], look: int
) -> Marks:
    """Read what the readers marked in the notes of a look."""
    wanted = {unit.id for unit in store.list_part(look)}
    copies = {
        note.id: make_reading_copy(note, store.plants, store.keeps) for note in documents if note.id in wanted
    }
    found: dict[str, dict[str, list[tuple[int, int, str]]]] = {}
    for pair in readers:
        name, path = parse_reader(pair)
        if name in found:
            raise ConfigurationError(f"--reader {name}: occurs twice; wanted another name for each reader")
        marks = read_marks(name, path, copies)
        found[name] = {id: [(s.start, s.end, s.type) for s in spans] for id, spans in marks.items() if spans}
    return found


def parse_reader(pair: str) -> tuple[str, Path]:
    name, equals, path = pair.partition("=")
    if not (name and equals and path):
        raise ConfigurationError(f"--reader {pair}: wanted NAME=PATH")
    return name, Path(path)


def restate(
    store: SampleStore,
    documents: Sequence[Document],
    systems: Sequence[str],
    draws: Sequence[Mapping[str, str]] = (),
) -> Statement:
    """Return the statement of the looks in the store. ``systems`` may not have played the readers, and
    ``draws`` are those from the release."""
    by_id = {document.id: document for document in documents}
    copies, counts = {}, []
    read: dict[str, dict[str, list[Span]]] = {}
    for number, look in enumerate(store.looks, 1):
        for unit in store.list_part(number):
            marks = {
                reader: [Span(*mark) for mark in notes.get(unit.id, ())] for reader, notes in look.items()
            }
            note = by_id[unit.id]
            copies[unit.id] = make_reading_copy(note, store.plants, store.keeps)
            counts.append(count_note(copies[unit.id], list_counted(note, store), marks, store.allowed))
            for reader, spans in marks.items():
                read.setdefault(reader, {})[unit.id] = spans
    likes = find_systems_among(copies, read, systems)
    return make_statement(store, store.list_read(), counts, likes, draws, systems)


def recount(path: Path, release: Path, documents: Sequence[Document], systems: Sequence[str]) -> str:
    """Return the statement of a store as JSON, counted again. Raises :class:`ConfigurationError` where the
    store or the release changed after the draw, or nobody has read the sample."""
    store = read_store(path)
    refuse_changes(store, documents, release)
    take_look(store, documents, ())
    return render_statement(restate(store, documents, list_systems(systems), list_draws(release)), "json")


def list_counted(document: Document, store: SampleStore) -> list[Span]:
    """Return the masked spans that count: none that the release lets stay."""
    kept = store.keeps.list_kept(document)
    return [span for number, span in enumerate(list_masked(document)) if number not in kept]
