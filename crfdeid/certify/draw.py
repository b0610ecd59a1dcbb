"""``certify draw``: draw notes of a release for people to read, with planted leaks among them."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crfdeid import cli, corpora
from crfdeid.certify import plan, sampling
from crfdeid.certify.readers import list_hard
from crfdeid.certify.reading_copy import Plant, draw_plants, make_reading_copy
from crfdeid.certify.sample_size import FEWEST_NOTES, Aim, make_plan
from crfdeid.certify.sampling import HELP, Unit, refuse_tuning_notes
from crfdeid.certify.store import SampleFrame, SampleStore, record_draw, refuse_second_draw, write_store
from crfdeid.corpora import storage
from crfdeid.corpora.output import hash_documents
from crfdeid.errors import ConfigurationError
from crfdeid.files import find_date
from crfdeid.policy import read_policy
from crfdeid.text.document import Document

PRECISION, LEAST_PRECISION = 0.85, 0.1


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("release", type=Path, help="the redacted notes, with the spans of what was masked")
    add("--store", type=Path, required=True, help="the file of the study to write; not for the readers")
    add(
        "--out",
        type=Path,
        required=True,
        help="the notes for the readers: a folder, or a file (.jsonl, .csv)",
    )
    add("--format", help="of the notes for the readers (default: the release's)")
    add("--from", dest="source", metavar="FORMAT", help="of the release (default: detected)")
    add("--notes", type=int, help="to draw (default: as many as certify plan says)")
    add("--seed", type=int, help="the same seed draws the same notes (default: a random one)")
    add(
        "--strata",
        type=Path,
        metavar="FILE",
        help="a CSV table with a row for each note: column id and others",
    )
    add("--by", metavar="COLUMNS", default="", help="columns of --strata, such as genre,year,site")
    add("--tuned", type=Path, action="append", default=[], metavar="PATH", help=HELP)
    add("--allowed", metavar="TYPES", default="", help="types that the policy lets stay, such as AGE,STATE: "
        "marks of these types are not leaks")  # fmt: skip
    add("--policy", default="", metavar="NAME", help="the policy of the release: what it keeps (ages, dates "
        "of a limited data set) is shown to readers, and is neither masked nor a leak")  # fmt: skip
    add("--precision", type=float, default=PRECISION,
        help="the share of the masked spans that are PHI (default: %(default)s)")  # fmt: skip
    plan.add_aim_options(parser)
    cli.add_reading_options(parser)


def run(args: argparse.Namespace) -> None:
    refuse_options(args)
    documents = list(cli.read_documents(args.release, args.source, args))
    store = make_store(documents, args)
    refuse_second_draw(args.release, store.release)
    for look in range(1, store.aim.looks + 1):
        format = args.format or args.source or corpora.detect_format(args.release)
        write_reading(store, documents, look, name_part(args.out, look), format)
    write_store(store, args.store)
    record_draw(args.release, store)
    print_draw(store, args)


def refuse_options(args: argparse.Namespace) -> None:
    if args.store.exists():
        raise ConfigurationError(f"{args.store}: exists; a store is written once")
    if bool(args.strata) != bool(args.by):
        raise ConfigurationError("--strata is a table and --by its columns; wanted both, or neither")
    if not LEAST_PRECISION <= args.precision <= 1:
        raise ConfigurationError(
            f"--precision {args.precision:g}: wanted a share from {LEAST_PRECISION:g} to 1: with a lower one "
            "hardly any masked span is PHI"
        )
    if args.policy:
        read_policy(args.policy)
    for look in range(1, args.looks + 1):
        storage.refuse_existing(name_part(args.out, look), overwrite=False)


def make_store(documents: Sequence[Document], args: argparse.Namespace) -> SampleStore:
    """Draw the notes and the plants."""
    if not any(document.spans for document in documents):
        raise ConfigurationError(
            f"{args.release}: has no spans; wanted a release without redact --no-spans, or a table of "
            "redact --with-spans"
        )
    aim, seed = plan.read_aim(args), secrets.randbits(63) if args.seed is None else args.seed
    refused = refuse_tuning_notes(documents, args.tuned)
    columns = [name for name in args.by.split(",") if name]
    strata = sampling.read_strata(args.strata, columns, args.id_column or "id") if columns else None
    frame = sampling.build_frame(documents, strata)
    sample = draw_units(frame, count_notes(args.notes, aim), seed)
    of_note = {unit.id: unit.stratum for unit in frame} if columns else {}
    counted = SampleFrame(
        len(frame), sampling.count_patients(frame), count_strata(frame), columns, of_note, refused
    )
    allowed = tuple(sorted(name for name in args.allowed.split(",") if name))
    is_shown = bool(allowed or args.policy)
    store = SampleStore(
        aim, args.precision, seed, hash_documents(documents), counted, tuple(sample), (), allowed, (),
        args.policy, is_shown, find_date(), args.seed is not None,
    )  # fmt: skip
    return replace(store, plants=draw_all_plants(documents, store))


def count_notes(asked: int | None, aim: Aim) -> int:
    """Return how many notes to draw. Raises :class:`ConfigurationError` below 100."""
    if asked is None:
        found = make_plan(aim, corrected=aim.plants > 0)
        if found is None:
            raise ConfigurationError(
                "no sample shows this aim: the expected share is too near; wanted --notes"
            )
        return found.notes
    if asked < FEWEST_NOTES:
        raise ConfigurationError(f"--notes {asked}: wanted {FEWEST_NOTES} or more; fewer show too little")
    return asked


def draw_units(frame: Sequence[Unit], number: int, seed: int) -> list[Unit]:
    if len(frame) < FEWEST_NOTES:
        raise ConfigurationError(f"a release of {len(frame)} notes; wanted {FEWEST_NOTES} or more")
    return sampling.draw_sample(frame, number, seed)


def count_strata(frame: Sequence[Unit]) -> dict[str, int]:
    names = [unit.stratum for unit in frame]
    return {name: names.count(name) for name in sorted(set(names))}


def draw_all_plants(documents: Sequence[Document], store: SampleStore) -> tuple[Plant, ...]:
    """Draw the plants of a store; each look has its half of them."""
    sample, aim, seed = store.sample, store.aim, store.seed
    by_id = {document.id: document for document in documents}
    half = -(-len(sample) // aim.looks)
    hard = list_hard([by_id[unit.id] for unit in sample]) if aim.plants else {}
    plants: list[Plant] = []
    for look in range(aim.looks):
        part = [by_id[unit.id] for unit in sample[half * look : half * (look + 1)]]
        plants += draw_plants(
            part, -(-aim.plants * (look + 1) // aim.looks) - len(plants), seed + look, store.keeps, hard
        )
    if len(plants) < aim.plants:
        raise ConfigurationError(f"{len(plants)} masked spans can be planted; wanted {aim.plants}: --plants")
    return tuple(plants)


def name_part(out: Path, look: int) -> Path:
    """Return where the notes of a look are written: ``notes.jsonl``, then ``notes.look2.jsonl``."""
    return out if look == 1 else out.with_name(f"{out.stem}.look{look}{out.suffix}")


def write_reading(
    store: SampleStore, documents: Sequence[Document], look: int, out: Path, format: str
) -> None:
    """Write the notes of a look for the readers, by id, so that their order tells nothing."""
    wanted = {unit.id for unit in store.list_part(look)}
    notes = sorted((note for note in documents if note.id in wanted), key=lambda note: note.id)
    corpora.write(
        (make_reading_copy(note, store.plants, store.keeps).document for note in notes), out, format
    )


def print_draw(store: SampleStore, args: argparse.Namespace) -> None:
    frame, parts = store.frame, [name_part(args.out, look + 1) for look in range(store.aim.looks)]
    hard = sum(plant.hard for plant in store.plants)
    print(f"{len(store.sample)} of {frame.notes} notes were drawn, with {len(store.plants)} planted leaks, "
          f"of which {hard} are hard to see.")  # fmt: skip
    print(f"Seed {store.seed}; release {store.release[:12]}; strata: {len(frame.strata)}.")
    print(
        f"For the readers: {', '.join(map(str, parts))}. They mark each PHI that they see; [TYPE] is masked."
    )
    print(f"Not for the readers: {args.store}, which says where the planted leaks are.")
