"""Retrain a model with strings of several patients only, attack the result, and write it with its card.

    crfdeid share models/mine corpus/train --k 5 --out models/shared

The model has only features of the notes of at least K patients. Where the attack finds more than the claim
says, nothing is written.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli, files
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.evaluate.significance import find_edge_interval
from crfdeid.feature_extraction import word_clusters
from crfdeid.files import hold_output
from crfdeid.share import attack, canaries, strings
from crfdeid.share.attack import Figures
from crfdeid.share.canaries import NAMES
from crfdeid.systems import model, model_folder, registry
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.tagger import ModelFolder
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

CLAIM = (
    "Every string occurs with at least k training patients or in a public list; "
    "planted names were not recovered."
)
LIMITS = (
    "The model is not anonymous and not differentially private. It was trained on the notes of patients: an "
    "attacker can learn from its weights what these notes have in common. The card counts what this attack "
    "found; another attack can find more."
)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid share", description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, help="the model whose configuration is used")
    parser.add_argument("corpus", nargs="+", type=Path, help="training corpora, in any format")
    parser.add_argument(
        "--k",
        type=cli.natural_number,
        default=5,
        help="keep only strings of at least K patients (default: 5)",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the model that can be shared")
    parser.add_argument("--overwrite", action="store_true", help="replace the model in --out")
    parser.add_argument(
        "--seed", type=cli.natural_number, default=1, help="of the planted names (default: 1)"
    )
    parser.add_argument(
        "--public",
        action="append",
        default=[],
        metavar="LIST",
        help="a list of the model that anyone may have",
    )
    parser.add_argument(
        "--one-note-per-patient",
        action="store_true",
        help="every document without a patient is of another patient",
    )
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    source = model_folder.read_folder(model_folder.find_folder(str(args.model)))
    settings = choose_settings(source, args)
    documents = [document for path in args.corpus for document in cli.read_documents(path, None, args)]
    if args.one_note_per_patient:
        documents = [replace(d, patient=d.id) if d.patient is None else d for d in documents]
    with (
        hold_output(args.out),
        tempfile.TemporaryDirectory(prefix=f".{args.out.name}.", dir=args.out.parent) as place,
    ):
        figures = build_model(documents, settings, Path(place), args)
        if breaches := figures.list_breaches():
            raise ModelError(f"the claim does not hold, nothing was written: {'; '.join(breaches)}")
        finish_folder(Path(place) / "model", figures, args.out)
    print(*format_card(figures), sep="\n")
    print(f"\nThe model is in {args.out}, its card in CARD.md and card.json")


def choose_settings(source: ModelFolder, args: argparse.Namespace) -> Config:
    """Return the model's configuration with its own templates and ``--k``. Raises :class:`ConfigurationError`
    or :class:`ModelError` where such a model cannot be shared."""
    if args.k < 2:
        raise ConfigurationError(f"--k {args.k}: wanted 2 or more")
    if args.out.exists() and any(args.out.iterdir()) and not args.overwrite:
        raise ModelError(f"{args.out}: exists and is not empty; --overwrite replaces it")
    refuse_own_clusters(source, args.public)
    features = tuple(str(source.path / "features" / Path(name).name) for name in source.config.features)
    settings = replace(source.config, features=features, min_patients=args.k)
    registry.check(settings)
    return settings


def refuse_own_clusters(source: ModelFolder, declared: Sequence[str]) -> None:
    """Raise :class:`ModelError` where the model's word clusters are a list of the user: learned from notes,
    it has words of these."""
    name = word_clusters.LIST
    if name in declared or not (source.path / "gazetteers" / f"{name}.txt").is_file():
        return
    if model_folder.find_list(name, source.config) != files.find_folder("gazetteers") / f"{name}.txt":
        wanted = f"wanted the list of the package, or --public {name} where anyone may have it"
        raise ModelError(f"{source.path}: the word clusters are your own list; {wanted}")


def build_model(
    documents: Sequence[Document], settings: Config, place: Path, args: argparse.Namespace
) -> attack.Figures:
    """Train the model in ``place/model`` and its twin with planted names, and attack both."""
    tagger = train(documents, settings, place / "model", "train")
    folded = [fold_document(document) for document in documents]
    known = strings.count_strings(folded, tagger.pipeline)
    taken = {*known.in_spans, *known.others}
    types = canaries.list_name_types(tagger.scheme, folded)
    planted, people = canaries.plant_canaries(folded, types, args.seed, taken)
    twin = train(planted, settings, place / "twin", "train with planted names")
    public, others = attack.list_public(place / "model", args.public)
    if others:
        raise ModelError(f"{args.model}: {len(others)} lists that are not public; wanted --public for each")
    with tqdm(desc="attack", total=len(folded), disable=None, leave=False) as bar:
        return attack.attack_model(tagger, twin, people, folded, public, args.seed, bar.update)


def train(documents: Sequence[Document], settings: Config, folder: Path, title: str) -> CrfTagger:
    total = settings.crf.get("max_iterations")
    with tqdm(desc=title, total=total, disable=None, leave=False) as bar:
        tagger = model.train(documents, settings, folder, lambda *_: bar.update())
    assert isinstance(tagger, CrfTagger)  # the only system that has min_patients
    return tagger


def finish_folder(folder: Path, figures: attack.Figures, out: Path) -> None:
    """Write the card and the manifest, and put the model in place of what is in ``out``."""
    write_card(folder, figures)
    (folder / "manifest.json").unlink()
    model.replace_folder(out, folder)


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
        yield f"| {kind} | " + " | ".join(show_share(read, count) for read, count in cells) + " |"
    yield "\nIn brackets: the exact 95% interval (Clopper & Pearson 1934), where none was read, or each.\n"
    yield "## Planted names\n"
    yield "A twin was trained in the same way on notes with invented names. Guessed: the model scores the"
    yield f"name above {NAMES:,} invented ones, as many as the census has surnames. Mean rank: the share of"
    yield f"{figures.decoys} invented names that score higher; chance is 0.5.\n"
    yield "| names | planted | read | guessed | mean rank |"
    yield "|---|---|---|---|---|"
    for title, own in figures.canaries.items():
        read, guessed = (show_share(count, own.planted) for count in (own.read, own.guessed))
        yield f"| {title} | {own.planted} | {read} | {guessed} | {own.mean_rank:.3f} |"
    yield "\n## Other files\n"
    yield f"{figures.scanned_files} other files have {figures.scanned_rare} strings of fewer than {k}"
    yield "patients."
    yield f"Public lists in the folder: {', '.join(figures.public_lists) or 'none'}."


def show_share(count: int, total: int) -> str:
    """Return a count of a total, with the interval of the share where it is 0 or 1.

    >>> show_share(0, 200), show_share(3, 200), show_share(0, 0)
    ('0 of 200 (0.0% to 1.8%)', '3 of 200', '0 of 0')
    """
    interval = find_edge_interval(count, 0, total - count, "recall")
    return f"{count} of {total}" + (f" ({interval.low:.1%} to {interval.high:.1%})" if interval else "")


if __name__ == "__main__":
    cli.run(main)
