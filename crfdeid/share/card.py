"""The card of a model that can be shared: the claim, and the figures of the attack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from crfdeid.share.attack import Figures
from crfdeid.share.canaries import NAMES

CLAIM = (
    "Every string occurs with at least k training patients or in a public list; "
    "planted names were not recovered."
)
LIMITS = (
    "The model is not anonymous and not differentially private. It was trained on the notes of patients: an "
    "attacker can learn from its weights what these notes have in common. The card counts what this attack "
    "found; another attack can find more."
)


def write_card(folder: Path, figures: Figures) -> None:
    """Write ``card.json`` and ``CARD.md`` into the model's folder. They hold counts and names of files."""
    table = {"claim": CLAIM, "limits": LIMITS} | figures.to_table()
    (folder / "card.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    (folder / "CARD.md").write_text("".join(f"{line}\n" for line in format_card(figures)), encoding="utf-8")


def format_card(figures: Figures) -> Iterator[str]:
    """Yield the lines of the card."""
    k = figures.k
    yield "# Model card\n"
    yield f"**{CLAIM}** k is {k}.\n"
    yield f"{LIMITS}\n"
    yield f"Trained on {figures.notes} notes of {figures.patients} patients. The model has"
    yield f"{figures.attributes} attributes; each occurs in the notes of {figures.fewest_patients} patients"
    yield "or more.\n"
    yield "## Strings of the training notes that can be read in the model\n"
    yield f"| strings | of 1 patient | of 2 to {k - 1} | of {k} or more |"
    yield "|---|---|---|---|"
    for kind, cells in figures.strings.items():
        yield f"| {kind} | " + " | ".join(f"{read} of {count}" for read, count in cells) + " |"
    yield "\n## Planted names\n"
    yield "A twin was trained in the same way on notes with invented names. Guessed: the model scores the"
    yield f"name above {NAMES:,} invented ones, as many as the census has surnames. Mean rank: the share of"
    yield f"{figures.decoys} invented names that score higher; chance is 0.5.\n"
    yield "| names | planted | read | guessed | mean rank |"
    yield "|---|---|---|---|---|"
    for title, own in figures.canaries.items():
        yield f"| {title} | {own.planted} | {own.read} | {own.guessed} | {own.mean_rank:.3f} |"
    yield "\n## Other files\n"
    yield f"{figures.scanned_files} other files have {figures.scanned_rare} strings of fewer than {k}"
    yield "patients."
    yield f"Public lists in the folder: {', '.join(figures.public_lists) or 'none'}."
