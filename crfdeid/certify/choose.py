"""``certify choose``: choose the least cautious threshold whose share of missed spans is bounded.

Learn then test with a fixed sequence (Angelopoulos et al. 2021): thresholds are tested from the most cautious
one, each by the bound of Korn & Graubard over patients, and the first that fails ends the sequence. So the
bound of the chosen one holds with the whole confidence. The sequence must not depend on the notes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from crfdeid import cli
from crfdeid.certify.bounds import ASSUMED_EFFECT, Clusters, bound_clustered_share, pass_in_sequence
from crfdeid.certify.sample_size import FEWEST_NOTES
from crfdeid.certify.sampling import name_patient
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError
from crfdeid.files import open_whole
from crfdeid.systems import model
from crfdeid.systems.model import KEY, hash_notes
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span, find_unmasked, mask_spans

THRESHOLDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class TestedThreshold:
    """A threshold: the share of the spans that it misses, with its bound, and the share of the masked
    characters that are PHI."""

    threshold: float
    misses: int
    spans: int
    missed: float
    bound: float
    precision: float


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("corpus", type=Path, help="notes with gold spans that neither trained nor tuned the model")
    add("--model", default=model.DEFAULT, help="default: %(default)s")
    add("--aim", type=float, default=0.01, help="the largest share of missed spans (default: %(default)s)")
    add("--confidence", type=float, default=0.95, help="of the bound (default: %(default)s)")
    add("--thresholds", type=float, nargs="+", default=THRESHOLDS, metavar="T", help="to choose from, fixed "
        "before the notes were seen (default: %(default)s)")  # fmt: skip
    add("--out", type=Path, help="write the choice, its table, and the hashes of the notes as JSON")
    add("--from", dest="source", metavar="FORMAT", help="of the corpus (default: detected)")
    cli.add_reading_options(parser)


def run(args: argparse.Namespace) -> None:
    if not (0 < args.aim < 1 and 0.5 < args.confidence < 1):
        raise ConfigurationError("--aim and --confidence: wanted shares below 1, the confidence above 0.5")
    if args.out:
        storage.refuse_existing(args.out, overwrite=False)
    gold = list(cli.read_documents(args.corpus, args.source, args))
    if len(gold) < FEWEST_NOTES:
        raise ConfigurationError(f"{args.corpus}: {len(gold)} notes; wanted {FEWEST_NOTES} or more")
    thresholds = sorted(set(args.thresholds))
    points = measure_points(gold, model.load(args.model), thresholds, args.confidence)
    passed = pass_in_sequence((point.bound for point in points), args.aim)
    print("\n".join(list_lines(points, passed, args.aim, args.confidence)))
    if args.out:
        write_choice(args.out, points, passed, args, gold)


def measure_points(
    gold: Sequence[Document], tagger: Tagger, thresholds: Iterable[float], confidence: float
) -> list[TestedThreshold]:
    """Tag the notes by each threshold, and measure what it misses."""
    points = []
    for threshold in thresholds:
        tagged = list(tagger.tag_all(gold, threshold=threshold))
        points.append(measure_point(gold, tagged, threshold, confidence))
    return points


def measure_point(
    gold: Sequence[Document], tagged: Sequence[Document], threshold: float, confidence: float
) -> TestedThreshold:
    found = count_missed(gold, tagged)
    bound = bound_clustered_share(found, confidence, ASSUMED_EFFECT)
    return TestedThreshold(threshold, int(found.misses.sum()), int(found.spans.sum()), found.share, bound,
                 measure_precision(gold, tagged))  # fmt: skip


def count_missed(gold: Sequence[Document], tagged: Sequence[Document]) -> Clusters:
    """Count gold spans, and those of which a letter or digit is not masked, by patient."""
    place: dict[str, int] = {}
    owners = [place.setdefault(name_patient(note), len(place)) for note in gold]
    misses, spans = np.zeros(len(place)), np.zeros(len(place))
    for owner, note, system in zip(owners, gold, tagged):
        mask = mask_spans(len(note.text), system.spans)
        misses[owner] += sum(is_missed(note.text, span, mask) for span in note.spans)
        spans[owner] += len(note.spans)
    return Clusters(misses, spans)


def is_missed(text: str, span: Span, mask: bytearray) -> bool:
    """Whether a letter or digit of the span is not masked."""
    ranges = find_unmasked(mask, span.start, span.end)
    return any(character.isalnum() for start, end in ranges for character in text[start:end])


def measure_precision(gold: Sequence[Document], tagged: Sequence[Document]) -> float:
    """The share of the masked words' characters, white space left out, that are PHI."""
    right = masked = 0
    for note, system in zip(gold, tagged):
        phi = mask_spans(len(note.text), note.spans)
        for at, is_masked in enumerate(mask_spans(len(note.text), system.spans)):
            if is_masked and not note.text[at].isspace():
                masked, right = masked + 1, right + phi[at]
    return right / max(masked, 1)


def list_lines(
    points: Sequence[TestedThreshold], passed: int, aim: float, confidence: float
) -> Iterable[str]:
    yield f"{'threshold':>9}{'missed':>9}{'spans':>9}{'share':>9}{'bound':>9}{'precision':>11}"
    for number, point in enumerate(points):
        mark = "  passes" if number < passed else ""
        yield (
            f"{point.threshold:>9g}{point.misses:>9,}{point.spans:>9,}{point.missed:>9.2%}{point.bound:>9.2%}"
            f"{point.precision:>11.3f}{mark}"
        )
    if not passed:
        yield f"No threshold misses at most {aim:.2%} of the PHI spans at {confidence:.0%} confidence."
        return
    yield (
        f"Threshold {points[passed - 1].threshold:g}: at most {aim:.2%} of the PHI spans of such notes are "
        f"missed, at {confidence:.0%} confidence."
    )


def write_choice(
    path: Path,
    points: Sequence[TestedThreshold],
    passed: int,
    args: argparse.Namespace,
    gold: Sequence[Document],
) -> None:
    """Write the choice. ``tuned_notes`` has the hashes that certify draw refuses."""
    chosen = points[passed - 1].threshold if passed else None
    table = {"threshold": chosen, "aim": args.aim, "confidence": args.confidence,
             "points": [asdict(point) for point in points], KEY: hash_notes(gold)}  # fmt: skip
    with open_whole(path) as file:
        file.write(json.dumps(table, indent=1) + "\n")
