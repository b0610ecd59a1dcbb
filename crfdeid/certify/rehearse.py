"""``certify rehearse``: play a reader of invented notes, who finds a share of the leaks that gold spans show.

It shows what a study would say before people read. Its marks prove nothing about a real release.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from random import Random

from crfdeid import cli, corpora
from crfdeid.certify.reading_copy import ReadingCopy, make_reading_copy
from crfdeid.certify.state import refuse_changes
from crfdeid.certify.store import read_store
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document, Span, find_unmasked, mask_spans, merge_overlapping


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("store", type=Path, help="what certify draw has written")
    add("release", type=Path, help="the release, unchanged")
    add("--gold", type=Path, required=True, help="the invented notes before redaction, with their spans")
    add("--finds", type=float, default=0.95, help="share of the leaks that are found (default: %(default)s)")
    add("--seed", type=int, required=True, help="another seed is another reader")
    add("--out", type=Path, required=True, help="the marks of the reader: a file (.jsonl, .csv) or a folder")
    add("--from", dest="source", metavar="FORMAT", help="of the release (default: detected)")
    cli.add_reading_options(parser)


def run(args: argparse.Namespace) -> None:
    if not 0 <= args.finds <= 1:
        raise ConfigurationError(f"--finds {args.finds:g}: wanted a share between 0 and 1")
    storage.refuse_existing(args.out, overwrite=False)
    store = read_store(args.store)
    documents = list(cli.read_documents(args.release, args.source, args))
    refuse_changes(store, documents, args.release)
    gold = {document.id: document for document in cli.read_documents(args.gold, None, args)}
    wanted, rng = {unit.id for unit in store.sample}, Random(f"{args.seed} reader")
    copies = [make_reading_copy(note, store.plants, store.keeps) for note in documents if note.id in wanted]
    marked = [mark_leaks(copy, find_gold(gold, copy, args.gold), args.finds, rng) for copy in copies]
    corpora.write(sorted(marked, key=lambda note: note.id), args.out, corpora.detect_format(args.release))


def find_gold(gold: dict[str, Document], copy: ReadingCopy, path: Path) -> Document:
    if copy.document.id not in gold:
        raise ConfigurationError(f"{path}: lacks a note of the sample; wanted the notes before redaction")
    return gold[copy.document.id]


def mark_leaks(copy: ReadingCopy, gold: Document, finds: float, rng: Random) -> Document:
    """Return the note with the leaks that the reader finds: planted ones, and gold texts that still stand."""
    leaks = merge_overlapping(sorted([*copy.plants, *list_standing(copy, gold)]))
    return copy.document.with_spans(leak for leak in leaks if rng.random() < finds)


def list_standing(copy: ReadingCopy, gold: Document) -> Iterator[Span]:
    """The parts of gold spans that stand in the copy, outside its markers and plants. The text between these
    is that of the gold note, in its order."""
    text, after = copy.document.text, 0
    for start, end in find_unmasked(mask_spans(len(text), [*copy.masks, *copy.plants]), 0, len(text)):
        at = gold.text.find(text[start:end], after)
        if at < 0:
            continue
        after = at + end - start
        for span in gold.spans:
            left, right = max(span.start, at), min(span.end, after)
            if any(map(str.isalnum, gold.text[left:right])):
                yield Span(left - at + start, right - at + start, span.type)
