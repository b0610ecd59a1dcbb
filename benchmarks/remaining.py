"""What of the PHI stays in redacted notes, and how much of it is listed.

    python benchmarks/remaining.py [--data FILE] [--notes 400]

The notes are those of the development set. Spans are missed at random (one in five), or by the default of
``redact``. Counted are the repeats that were replaced, the survivors and the suspicious places, each with
those that are PHI; and the notes in which the text of a gold span is a whole word outside the surrogates,
with those in which every such place is listed. The last counts are also without ages, dates and places, whose
texts ("5", "in") occur everywhere.

The last part leaves out one span in ten and takes the likeliest places of all, which the page of a release
shows first: how many are PHI, and how many of the gold texts they have.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path

import devset
from hiding import miss_at_random, redact_each

from crfdeid import cli
from crfdeid.redact.leftover.suspicious import SURVIVOR, Suspicion, estimate_probability
from crfdeid.redact.redactor import Redaction
from crfdeid.redact.run import tagging
from crfdeid.redact.surrogates import kinds
from crfdeid.systems import model
from crfdeid.text.document import Document, mask_spans

IDENTIFYING = (kinds.NAME, kinds.USERNAME, kinds.IDENTIFIER, kinds.PHONE, kinds.EMAIL, kinds.URL, kinds.IP,
               kinds.STREET)  # fmt: skip
FEW, FIRST = 0.1, (20, 30, 40)  # share of spans that are missed; places of a hundred notes
Range = tuple[int, int]


def tag_by_default(gold: Sequence[Document]) -> list[Document]:
    """Tag each note as the only one of its patient, as ``redact`` does without options."""
    tagger, threshold = tagging.load_tagger("tag", model.RELEASE)
    tag_group = tagging.build_tagger("tag", tagger, threshold)
    return [tagged for note in gold for tagged in tag_group([note])]


def find_remaining(gold: Document, redaction: Redaction) -> Iterator[tuple[Range, str]]:
    """Yield where the text of a gold span is outside the surrogates, with the kind of the span."""
    text = redaction.document.text
    mask = mask_spans(len(text), redaction.document.spans)
    for span in gold.spans:
        words = r"\s+".join(map(re.escape, gold.text_of(span).split()))
        for match in re.finditer(rf"(?<!\w){words}(?!\w)", text):
            if not any(mask[match.start() : match.end()]):
                yield match.span(), kinds.kind_of(span.type)


def list_ranges(redaction: Redaction) -> list[Range]:
    """The ranges of survivors and suspicious places."""
    return [(place.start, place.end) for place in (*redaction.survivors, *redaction.suspicions)]


def overlap_any(place: Range, others: Sequence[Range]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in others)


def count_notes(gold: Sequence[Document], redactions: Sequence[Redaction], *wanted: str) -> str:
    """Count the notes that keep a gold text of the ``wanted`` kinds, and those in which all are listed."""
    kept = all_listed = 0
    for note, redaction in zip(gold, redactions):
        places = {place for place, kind in find_remaining(note, redaction) if not wanted or kind in wanted}
        kept += bool(places)
        all_listed += bool(places) and all(overlap_any(place, list_ranges(redaction)) for place in places)
    return f"{kept} notes keep a gold text, {all_listed} of them with every place listed"


def count_lists(gold: Sequence[Document], redactions: Sequence[Redaction]) -> str:
    """Count the survivors and suspicious places, and those that are a gold text."""
    counts = [0, 0, 0, 0]
    for note, redaction in zip(gold, redactions):
        places = [place for place, _ in find_remaining(note, redaction)]
        for number, found in enumerate((redaction.survivors, redaction.suspicions)):
            counts[2 * number] += len(found)
            counts[2 * number + 1] += sum(overlap_any((one.start, one.end), places) for one in found)
    return "survivors {}, PHI {}; suspicious {}, PHI {}".format(*counts)


def rank_places(redactions: Sequence[Redaction]) -> list[tuple[float, int, Range]]:
    """The listed places of all notes with the number of their note, the likeliest first."""
    places = [
        (estimate_probability(redaction.document, place), number, (place.start, place.end))
        for number, redaction in enumerate(redactions)
        for place in (*(Suspicion(*span[:2], SURVIVOR) for span in map(astuple, redaction.survivors)),
                      *redaction.suspicions)
    ]  # fmt: skip
    return sorted(places, key=lambda each: -each[0])


def count_first(gold: Sequence[Document], redactions: Sequence[Redaction], per_hundred: int) -> str:
    """Count the PHI among the likeliest places of a hundred notes."""
    left = [list(find_remaining(note, redaction)) for note, redaction in zip(gold, redactions)]
    ranked = rank_places(redactions)[: round(len(gold) * per_hundred / 100)]
    hits = [any(overlap_any(place, [other]) for other, _ in left[number]) for _, number, place in ranked]
    wanted = [(number, place) for number, found in enumerate(left) for place in {place for place, _ in found}]
    shown = [
        any(n == number and overlap_any(place, [other]) for _, n, other in ranked) for number, place in wanted
    ]
    return (
        f"first {per_hundred} of 100 notes: {sum(hits)} of {len(ranked)} are PHI; they have {sum(shown)} of "
        f"{len(wanted)} gold texts"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=devset.DATA)
    parser.add_argument("--notes", type=int, default=devset.COUNT)
    args = parser.parse_args(arguments)
    gold = devset.build_notes(args.data, args.notes)
    for name, tag in (("missed at random", miss_at_random), ("the default of redact", tag_by_default)):
        redactions = redact_each(tag(gold), name)
        repeats = sum(made.repeat for redaction in redactions for made in redaction.replacements)
        print(f"{name}: {repeats} repeats replaced; {count_lists(gold, redactions)}")
        print(f"  all kinds: {count_notes(gold, redactions)}")
        print(f"  names, numbers, contacts, streets: {count_notes(gold, redactions, *IDENTIFYING)}")
    redactions = redact_each(miss_at_random(gold, FEW), "one in ten missed")
    for per_hundred in FIRST:
        print(f"one in ten missed: {count_first(gold, redactions, per_hundred)}")


if __name__ == "__main__":
    cli.run(main)
