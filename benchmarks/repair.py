"""What each form of repair is worth on the development set, and on writing that nobody here wrote.

    python benchmarks/repair.py [--model FOLDER]

Tags the notes of :mod:`devset`, and those of notes_hand_dev, once without repair, then repairs the spans with
no form, with all forms, with all except one, and with one only. Prints coverage, token precision, strict F1
and the notes whose PHI is all covered.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

import devset
import devset_measure as measure
from foreign import read_hand_dev

from crfdeid import cli
from crfdeid.repair import FORMS, Repair, repair_spans
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document


def format_row(name: str, gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return one line of the table."""
    counts = measure.count_covered(gold, system).values()
    covered = sum(hit for hit, _ in counts) / sum(count for _, count in counts)
    precision, f1 = measure.compute_precision(gold, system), measure.compute_strict_f1(gold, system)
    clean = sum(map(is_clean, gold, system))
    return f"{name:<28}{covered:8.4f}{precision:11.4f}{f1:11.4f}{clean:7}"


def is_clean(gold: Document, system: Document) -> bool:
    """Whether all PHI of a note is covered."""
    mask = measure.build_mask(system)
    return all(measure.is_covered(gold.text, span, mask) for span in gold.spans)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder (default: the shipped model)")
    parser.add_argument("--data", type=Path, default=devset.DATA)
    args = parser.parse_args(arguments)
    tagger = model.load(args.model)
    for title, gold in (
        ("development set", devset.build_notes(args.data)),
        ("notes_hand_dev", read_hand_dev()),
    ):
        print(f"# {title}")
        print_table(tagger, gold)


def print_table(tagger: Tagger, gold: Sequence[Document]) -> None:
    """Print a row for no form, for all, for all except each one, and for each one only."""
    bare = [Document(note.id, note.text) for note in gold]
    found = list(tagger.tag_unrepaired(cli.show_progress(bare, "tag")))

    def print_row(name: str, forms: Iterable[Repair]) -> None:
        chosen = list(forms)
        print(format_row(name, gold, [repair_spans(document, chosen) for document in found]))

    print(f"{'forms':<28} covered  precision  strict F1  clean")
    print_row("none", ())
    print_row("all", FORMS.values())
    for name in FORMS:
        print_row(f"all except {name}", (form for key, form in FORMS.items() if key != name))
    for name, form in FORMS.items():
        print_row(f"only {name}", [form])


if __name__ == "__main__":
    cli.run(main)
