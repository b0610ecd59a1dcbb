"""Write the folder of an adapted model, its card, and the page of what it gained.

The folder is a copy of the model's, in which weights, trees and shares of words are replaced: a model like
any other. Its list of notes also has the corrected ones, so that ``certify`` refuses them as a sample.
The card has counts and hashes and no text; the page has text.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crfdeid.adapt.choose import Choice, Lines
from crfdeid.adapt.ways import SHIPPED
from crfdeid.engine import crfsuite_file
from crfdeid.errors import ModelError
from crfdeid.evaluate import error_page, report
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions, compare, evaluate, score_spans
from crfdeid.evaluate.matching import Criterion, ScoredDocument
from crfdeid.files import find_date
from crfdeid.systems import model, model_folder, training_record
from crfdeid.systems.crf import CrfTagger, find_weights
from crfdeid.systems.judged.judged import SHARES, TREES, JudgedTagger
from crfdeid.systems.judged.training import write_trees
from crfdeid.systems.repeated_lines import RepeatedLines
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme

RESAMPLES = 1000
MEASURED = (
    "The figures are of cross-validation by patient on the corrected notes: each note was tagged by a model "
    "that had not seen its patient. The way was chosen by them, so they flatter a little."
)

LINES = (
    "Lines that repeat in the unlabelled notes: {}, each of at least {} patients. They are marked as that "
    "model marks most of them. No note was corrected, so the gain is not measured."
)

STAY = "They stay: on the corrected notes as many spans are covered, and strict F1 is not lower."
LEFT_OUT = "They are left out: on the corrected notes fewer spans are covered, or strict F1 is lower."


@dataclass(frozen=True)
class Source:
    """An adaptation: the tagger before, the command, the seconds that it took, and the lists
    of the site in the notation of ``--always``."""

    before: CrfTagger
    command: Sequence[str]
    seconds: float
    lists: str = ""


def refuse_full(folder: Path, overwrite: bool) -> None:
    """Raise :class:`ModelError` where the folder of the model would be replaced."""
    if folder.exists() and any(folder.iterdir()) and not overwrite:
        raise ModelError(f"{folder}: exists and is not empty; --overwrite replaces it")


def write_model(choice: Choice, source: Source, folder: Path) -> None:
    """Write the adapted model with its record and its card, whole or not at all."""
    before = source.before
    with copy_model(before.folder, folder) as built:
        write_learned(choice.tagger, built)
        if choice.way.lists and source.lists:
            with (built / model.SITE_TERMS).open("a", encoding="utf-8") as file:
                file.write(source.lists)
        if choice.lines and choice.lines.is_kept:
            write_site_lines(choice.lines.lines, built)
        known = model.read_model_hashes(before.folder) or []
        model.write_note_hashes(built, [*known, *model.hash_notes(choice.gold)])
    write_record(choice, source, folder)


def write_lines(
    lines: RepeatedLines, notes: Sequence[Document], k: int, source: Source, folder: Path
) -> None:
    """Write the model with the lines that repeat in ``notes``, which nobody has corrected."""
    before = source.before
    with copy_model(before.folder, folder) as built:
        write_site_lines(lines, built)
    earlier = training_record.read_record(before.folder)
    record = training_record.describe_training(
        {"unlabelled": notes}, before.config, source.command, find_date(), source.seconds, earlier
    )
    record["lines"] = {"model": name_model(before), "k": k, "lines": len(lines.marks)}
    training_record.add_record(folder, record)
    learned = LINES.format(len(lines.marks), k)
    section = f"From the model `{before.name}` (`{before.fingerprint[:12]}`). {learned}"
    training_record.write_card(folder, before.config, before.scheme, record, None, ["## Adapted", section])


def write_site_lines(lines: RepeatedLines, folder: Path) -> None:
    (folder / model.SITE_LINES).write_text(lines.render(), encoding="utf-8")


@contextmanager
def copy_model(before: Path, folder: Path) -> Iterator[Path]:
    """Give a copy of a model to change, which then takes the place of ``folder``, whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with model.make_folder_beside(folder) as place:
        built = place / "model"
        left_out = shutil.ignore_patterns(*model_folder.ADDED, model_folder.MANIFEST)
        shutil.copytree(before, built, ignore=left_out)
        yield built
        model.replace_folder(folder, built)


def write_learned(tagger: CrfTagger, folder: Path) -> None:
    """Write the files that adapting changes."""
    weights = tagger.weights
    crfsuite_file.write(find_weights(folder), weights.labels, weights.attributes, weights.records)
    if isinstance(tagger, JudgedTagger):
        write_trees(folder / TREES, tagger.trees)
        tagger.view.shares.write(folder / SHARES)


def write_record(choice: Choice, source: Source, folder: Path) -> None:
    """Write how the model was made into its manifest, and its card."""
    before = source.before
    record = training_record.describe_training(
        {"corrected": choice.gold, "unlabelled": choice.lines.notes if choice.lines else ()},
        before.config,
        source.command,
        find_date(),
        source.seconds,
        training_record.read_record(before.folder),
    )
    record["adapted"] = describe_adapting(choice, before)
    if choice.lines:
        record["lines"] = describe_lines(choice.lines)
    training_record.add_record(folder, record)
    after = measure(choice.gold, choice.after, before.scheme)
    sections = list(describe_gain(choice, record["adapted"]))
    training_record.write_card(folder, before.config, before.scheme, record, after, sections)


def name_model(tagger: CrfTagger) -> dict[str, str]:
    """Return what a record says of the model that was adapted."""
    return {"name": tagger.name, "fingerprint": tagger.fingerprint}


def describe_adapting(choice: Choice, before: CrfTagger) -> dict[str, Any]:
    """Return from what the model was adapted, and how."""
    hashes = sorted(model.hash_text(note.text) for note in choice.gold)
    patients = len({note.owner for note in choice.gold})
    found = {"before": choice.before, "after": choice.after}
    gain = {name: list_figures(choice, notes) for name, notes in found.items()}
    return {
        "model": name_model(before),
        "way": choice.way.name,
        "patients": patients,
        "gain": gain,
        "notes": hashes,
    }


def describe_lines(lines: Lines) -> dict[str, Any]:
    """Return how many lines of unlabelled notes were learned, and whether the model has them."""
    return {
        "k": lines.least,
        "lines": len(lines.lines.marks),
        "corrected_marks": lines.uses_marks,
        "kept": lines.is_kept,
    }


def list_figures(choice: Choice, found: Sequence[Document]) -> dict[str, float]:
    """Return the share that is covered of the corrected notes, strict precision, F1 and its interval."""
    scored = measure(choice.gold, found, choice.tagger.scheme)
    counts = scored.scores.micro(Criterion("strict"))
    low, high = scored.intervals["strict"]["f1"]
    covered = scored.leakage.figures()["covered recall"]
    return {"covered": covered, "precision": counts.precision, "f1": counts.f1, "low": low, "high": high}


def describe_gain(choice: Choice, adapted: Mapping[str, Any]) -> Iterator[str]:
    """Yield the card's section on adapting."""
    yield "## Adapted"
    name, fingerprint = adapted["model"]["name"], adapted["model"]["fingerprint"]
    notes = f"{len(choice.gold)} corrected notes: {choice.way.name}"
    yield f"From the model `{name}` (`{fingerprint[:12]}`) by {notes}."
    yield "\n".join(format_table(choice))
    yield MEASURED
    if choice.lines:
        yield format_lines(choice.lines)


def format_table(choice: Choice) -> Iterator[str]:
    """Yield the lines of a Markdown table: what each way covers, its strict precision and F1."""
    yield "| way | covered | precision | strict F1 | 95% interval |"
    yield "|---|---:|---:|---:|---|"
    for name, found in choice.found.items():
        title = f"**{name}**" if name == choice.way.name else name
        *figures, low, high = list_figures(choice, found).values()
        yield f"| {title} | {' | '.join(f'{one:.3f}' for one in figures)} | {low:.3f} to {high:.3f} |"


def format_lines(lines: Lines) -> str:
    """Say how many lines were learned, of which notes, and whether they stay."""
    count, patients = len(lines.lines.marks), len({note.owner for note in lines.notes})
    notes = f"{len(lines.notes)} unlabelled notes of {patients} patients"
    of = ", with the marks of the corrected notes" if lines.uses_marks else ""
    said = f"Lines that repeat in {notes}: {count}, each of {lines.least} or more patients{of}."
    return f"{said} {STAY if lines.is_kept else LEFT_OUT if count else ''}".rstrip()


def list_warnings(choice: Choice) -> Iterator[str]:
    """Warn where the adapted model covers less than the one before: a missed name does more harm than a wrong
    span."""
    before, after = (
        measure(choice.gold, found, choice.tagger.scheme).leakage.figures()["covered recall"]
        for found in (choice.before, choice.after)
    )
    if after < before:
        lost = f"{after:.3f} of the spans are covered, {before:.3f} before"
        yield f"warning: {lost}; a lower --threshold covers more (crfdeid thresholds)"


def measure(gold: Sequence[Document], found: Sequence[Document], scheme: Scheme) -> Evaluation:
    """Score what was found, with intervals over patients."""
    options = EvaluationOptions(scheme, unknown_types="count", unit="patient", resamples=RESAMPLES)
    right, system = (score_spans([ScoredDocument(d, ()) for d in side], options) for side in (gold, found))
    return evaluate(right, system, options)


def write_page(choice: Choice, path: Path) -> None:
    """Write the page of the chosen way with the model before beside it: every error in its note, and what
    changed by type. It holds note text."""
    scheme = choice.tagger.scheme
    after, before = (measure(choice.gold, found, scheme) for found in (choice.after, choice.before))
    names = ["adapted", SHIPPED.name]
    compared = report.format_comparison(compare(after, before), after.signature, after.options, names)
    tables = [report.format_summary(before), compared]
    error_page.write_page([after, before], path, names, tables, "corrected notes")
