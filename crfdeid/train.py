"""Train a model, and score it on other documents.

python -m crfdeid.train corpus/train --test corpus/test --config english --out models/mine
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli, config
from crfdeid.evaluate import scores
from crfdeid.systems import model, registry, tuned_notes
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.train", description=__doc__.split("\n")[0])
    parser.add_argument("train", nargs="+", type=Path, help="training corpora, in any format")
    parser.add_argument("--test", type=Path, help="documents to score the model on")
    parser.add_argument(
        "--config",
        default=config.DEFAULT,
        help="a configuration file, or a shipped one",
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    cli.add_types_option(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--engine", choices=("fast", "crfsuite"), default="fast", help="what trains a CRF")
    parser.add_argument("--overwrite", action="store_true", help="replace the model in --out")
    parser.add_argument("--resume", action="store_true", help="continue from the model in --out")
    parser.add_argument(
        "--k",
        type=cli.natural_number,
        help="keep only features of the notes of at least K patients, without long numbers",
    )
    parser.add_argument(
        "--one-note-per-patient",
        action="store_true",
        help="with --k: every document without a patient is of another patient",
    )
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    settings = registry.apply_changes(registry.read_config(args.config), args.set)
    if args.types:
        settings = registry.apply_changes(settings, [f"types={json.dumps(args.types)}"])
    if args.k is not None:
        settings = registry.apply_changes(settings, [f"min_patients={args.k}"])
    documents = [document for path in args.train for document in cli.read_documents(path, None, args)]
    if args.one_note_per_patient:
        documents = [replace(d, patient=d.id) if d.patient is None else d for d in documents]
    began = time.perf_counter()
    is_crf = settings.system == "crf"  # two_stage and multi train several times, rnn counts epochs
    total = settings.crf.get("max_iterations") if is_crf else settings.options.get("epochs")
    with tqdm(desc="train", total=total, disable=None, leave=False) as bar:
        tagger = model.train(
            documents,
            settings,
            args.out,
            lambda *_: bar.update(),
            args.engine,
            overwrite=args.overwrite,
            resume=args.resume,
        )
    print_training(documents, tagger, time.perf_counter() - began)
    if args.test:
        gold = list(cli.map_types(cli.read_documents(args.test, None, args), args))
        system = list(cli.show_progress(tagger.tag_all(gold), "score", len(gold)))
        print(f"\nScored on {args.test}: {len(gold)} documents")
        print(scores.format_scores(scores.score(gold, system, tagger.scheme)))
        print_cut_spans(tagger, gold)
        cli.print_warnings(tuned_notes.count_seen(documents, gold).lines())
    print(f"\nThe model is in {args.out}")


def print_training(documents: list[Document], tagger: Tagger, seconds: float) -> None:
    """Print the size and the time of the training."""
    spans = sum(len(document.spans) for document in documents)
    print(f"Trained on {len(documents)} documents with {spans} spans in {seconds:.0f} s")
    print_cut_spans(tagger, documents)


def print_cut_spans(tagger: Tagger, documents: list[Document]) -> None:
    """Print the number of gold spans that cut a token, if there are any."""
    if cut := tagger.pipeline.count_cut_spans(documents):
        print(f"{cut} gold spans begin or end inside a token and count as widened to it")


if __name__ == "__main__":
    cli.run(main)
