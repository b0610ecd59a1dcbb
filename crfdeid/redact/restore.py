"""Restore the real text of released notes, with the map of their release.

    crfdeid restore clean/ --map map --map-key key --out again/ --reason "audit 17, trial 4"

Who asked for which note, when and why is added to MAP.audit.jsonl. A note whose text was changed since its
release is refused, and then no note is written. docs/redaction.md describes what is restored.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.corpora.output import choose_output
from crfdeid.errors import ConfigurationError, CrfdeidError, show_id
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.released_notes import Edit, hash_release, undo_edits
from crfdeid.redact.run.destination import Destination, remove_quotes
from crfdeid.redact.run.new_ids import IdReplacer
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.surrogate_map import SurrogateMap
from crfdeid.text.document import Document

RESTORED, REFUSED = "restored", "refused"
Audit = Callable[[str, str], None]  # writes the id of a released note and what happened


class RestoreError(CrfdeidError):
    """A note that was not released with this map, or that was changed since."""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid restore", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("notes", type=Path, help="released notes: a file or a folder in any format")
    add("--map", type=Path, required=True, help="the map of their release")
    variable = surrogate_map.KEY_VARIABLE
    add("--map-key", type=Path, help=f"its key (default: the environment variable {variable})")
    add("--out", type=Path, required=True, help="a folder or a file, which only its owner can read")
    add("--reason", required=True, help="why the real text is needed; for the audit file")
    add("--audit", type=Path, metavar="FILE", help="who asked for which note, when and why is added here "
        "(default: MAP.audit.jsonl)")  # fmt: skip
    add("--format", help="output format (default: the format of the notes)")
    add("--from", dest="source", metavar="FORMAT", help="input format (default: detected)")
    add("--overwrite", action="store_true", help="replace existing files")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if not args.reason.strip():
        raise ConfigurationError("--reason: is empty; wanted why the real text is needed")
    if args.out.resolve() == args.notes.resolve():
        raise ConfigurationError(f"{args.out}: is the notes themselves; --out needs another path")
    source = args.source or corpora.detect_format(args.notes)
    format = choose_output(args.out, args.format, source).format
    destination = Destination(args.out, format, overwrite=args.overwrite)
    map = surrogate_map.read_map(args.map, surrogate_map.read_key(args.map_key))
    restorer = ReleaseRestorer(map)
    path = args.audit or args.map.with_name(f"{args.map.name}.audit.jsonl")
    with open_audit(path, args.reason) as audit:
        refuse_strangers(cli.read_documents(args.notes, source, args), restorer, audit)
        notes = restore_each(cli.read_documents(args.notes, source, args), restorer, audit)
        count = write_private(cli.show_progress(notes, "restore"), destination)
    print(f"{count} notes restored: {destination}; {path} says who asked and why")


class ReleaseRestorer:
    """Restores the notes that were released with a map."""

    def __init__(self, map: SurrogateMap) -> None:
        self.secret = map.secret
        self.released: dict[str, dict[str, tuple[Document, list[Edit]]]] = {}
        keyed = IdReplacer("keyed", Redactor(map.secret))
        for identity, history in map.patients.items():
            kind, _, name = identity.partition(" ")
            for hash, (id, edits) in history.released.items():
                note = Document(id, "", patient=name if kind == "patient" else None)
                random = history.ids.get(f"document {id}")
                for given in (id, keyed.rename(note).id, *([f"n{random}"] if random else [])):
                    self.released.setdefault(given, {})[hash] = note, edits

    def restore(self, note: Document) -> Document:
        """Return the note with its real text, id and patient. Raises :class:`RestoreError` if the map does
        not have it, or its text is another one than was released."""
        for written in (note, remove_quotes(note)):
            for hash, (real, edits) in self.released.get(written.id, {}).items():
                if hash_release(self.secret, real.id, written.text) == hash:
                    return replace(undo_edits(written, edits), id=real.id, patient=real.patient)
        if self.released.keys() & {note.id, remove_quotes(note).id}:
            raise RestoreError(f"{show_id(note.id)}: its text was changed since its release")
        raise RestoreError(f"{show_id(note.id)}: no note of this id was released with this map")


def refuse_strangers(notes: Iterable[Document], restorer: ReleaseRestorer, audit: Audit) -> None:
    """Raise :class:`RestoreError` at the first note that cannot be restored."""
    for note in notes:
        try:
            restorer.restore(note)
        except RestoreError:
            audit(note.id, REFUSED)
            raise


def restore_each(notes: Iterable[Document], restorer: ReleaseRestorer, audit: Audit) -> Iterator[Document]:
    """Yield the restored notes. A note is in the audit file before it is given."""
    for note in notes:
        restored = restorer.restore(note)
        audit(note.id, RESTORED)
        yield restored


@contextmanager
def open_audit(path: Path, reason: str) -> Iterator[Audit]:
    """Open the audit file to add lines to it. Only its owner can read it."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    try:
        descriptor = os.open(path, flags, 0o600)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written: {error.strerror or error}") from None
    who = name_account()

    def audit(id: str, outcome: str) -> None:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        line = {"time": time, "who": who, "note": id, "outcome": outcome, "reason": reason}
        os.write(descriptor, (json.dumps(line) + "\n").encode())
        os.fsync(descriptor)

    try:
        yield audit
    finally:
        os.close(descriptor)


def name_account() -> str:
    """The account of this process, which, unlike the environment, its user cannot choose."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def write_private(notes: Iterable[Document], destination: Destination) -> int:
    """Write all notes, or none. Only the owner can read them. Return their number."""
    count = 0

    def count_each() -> Iterator[Document]:
        nonlocal count
        for count, note in enumerate(notes, 1):  # noqa: B007
            yield note

    umask = os.umask(0o077)
    try:
        write = corpora.write_each if destination.is_folder else corpora.write
        write(count_each(), destination.path, destination.format, destination.overwrite)
    finally:
        os.umask(umask)
    return count


if __name__ == "__main__":
    cli.run(main)
