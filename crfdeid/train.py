"""Train a model, and score it on other documents.

crfdeid train corpus/train --test corpus/test --config english --out models/mine
crfdeid train mine/train --test mine/test --scheme auto --out models/mine
crfdeid train mine/train --test mine/test --dry-run      only reads, and says what is odd
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli, config
from crfdeid.config import Config
from crfdeid.corpora.storage import refuse_existing
from crfdeid.errors import ConfigurationError, SchemeError
from crfdeid.evaluate import report, scores
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions, evaluate, score_spans
from crfdeid.evaluate.matching import ScoredDocument
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.files import find_date, hold_output, open_whole
from crfdeid.systems import dry_run, extras, model, model_folder, registry, training_record
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, describe_doubled
from crfdeid.text.scheme import Scheme, collect_types, read_scheme, write_scheme

AUTO = "auto"
TITLE_WIDTH = 11  # of the rows of scores, where PROFESSION is the longest title
RESAMPLES = 1000  # for the intervals of these scores


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid train", description=__doc__.split("\n")[0])
    parser.add_argument("train", nargs="+", type=Path, help="training corpora, in any format")
    parser.add_argument("--test", type=Path, help="documents to score the model on")
    parser.add_argument("--beside", metavar="MODEL", help="score this model on --test too, in one more line")
    parser.add_argument(
        "--config",
        default=config.DEFAULT,
        help="a configuration file, or a shipped one",
    )
    parser.add_argument(
        "--scheme",
        help="the types: auto takes the training corpus's types and writes them to OUT.scheme.toml; or a "
        "scheme file, or a shipped one (default: the configuration's)",
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    cli.add_overlaps_option(parser)
    cli.add_extras_option(parser)
    cli.add_types_option(parser)
    parser.add_argument("--out", type=Path, help="folder for the model")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="read everything, and say what there is, what is odd and how long training would take; no model",
    )
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
    if args.beside and not args.test:
        raise ConfigurationError("--beside: wanted --test with it")
    if not (args.out or args.dry_run or args.extras):
        raise ConfigurationError("--out FOLDER: wanted the folder of the model, or --dry-run")
    settings = read_settings(args)
    if args.extras:
        print(",".join(extras.list_missing(extras.list_extras([settings]))))
        return
    extras.check_installed(settings)
    sources = {str(path): list(cli.read_documents(path, None, args)) for path in args.train}
    documents = [document for some in sources.values() for document in some]
    if args.one_note_per_patient:
        documents = [replace(d, patient=d.id) if d.patient is None else d for d in documents]
    if args.dry_run:
        report_dry_run(documents, settings, args)
        return
    settings = set_scheme(settings, documents, args, args.out)
    if args.scheme == AUTO:
        print(f"The scheme of the corpus is in {settings.scheme}")
    check_scheme(settings, documents)
    with hold_output(args.out):
        train_and_score(sources, documents, settings, arguments, args)


def read_settings(args: argparse.Namespace) -> Config:
    """Return the configuration with the changes of the command line."""
    settings = registry.apply_changes(registry.read_config(args.config), args.set)
    changes = cli.list_changes(args)
    changes += [f"types={json.dumps(args.types)}"] if args.types else []
    changes += [f"min_patients={args.k}"] if args.k is not None else []
    return registry.apply_changes(settings, changes)


def train_and_score(
    sources: Mapping[str, list[Document]],
    documents: list[Document],
    settings: Config,
    arguments: list[str] | None,
    args: argparse.Namespace,
) -> None:
    """Train the model and score it; its folder also gets the record of the training and the card."""
    earlier = training_record.read_record(args.out) if args.resume else None
    parse_links(documents, settings)
    date, began = find_date(), time.perf_counter()
    tagger = train_model(documents, settings, args)
    seconds = time.perf_counter() - began
    print_training(documents, tagger, seconds)
    gold = list(cli.map_types(cli.read_documents(args.test, None, args), args)) if args.test else []
    parse_links(gold, settings)
    scored = score_model(documents, gold, tagger, args) if args.test else None
    command = training_record.find_command("train", sys.argv[1:] if arguments is None else arguments)
    parts = {"train": list(settings.map_types(documents)), "test": gold}
    record = training_record.describe_training(parts, settings, command, date, seconds, earlier, sources)
    training_record.add_record(args.out, record)
    training_record.write_card(args.out, settings, tagger.scheme, record, scored)
    print(f"\nThe model is in {args.out}, its card in {training_record.CARD}")


def train_model(documents: list[Document], settings: Config, args: argparse.Namespace) -> Tagger:
    """Train with a progress bar."""
    rounds = registry.find_system(settings.system).count_rounds(settings)
    iterations = settings.crf.get("max_iterations")  # two_stage and multi do not say, rnn counts epochs
    total = rounds * iterations if rounds and iterations else settings.options.get("epochs")
    with tqdm(desc="train", total=total, disable=None, leave=False) as bar:
        return model.train(
            documents,
            settings,
            args.out,
            lambda *_: bar.update(),
            args.engine,
            overwrite=args.overwrite,
            resume=args.resume,
        )


def score_model(
    documents: list[Document], gold: list[Document], tagger: Tagger, args: argparse.Namespace
) -> Evaluation:
    """Tag the test documents, print the scores, and write all figures to a file of the model's folder."""
    system = list(cli.show_progress(tagger.tag_all(gold), "score", len(gold)))
    print(f"\nScored on {args.test}: {len(gold)} documents")
    scored = evaluate_spans(gold, system, tagger.scheme)
    with open_whole(args.out / model_folder.SCORES) as file:
        file.write(json.dumps(report.build_scores_json(scored), indent=1, ensure_ascii=False) + "\n")
    print(scores.format_scores(scored.scores))
    if args.beside:
        print(score_beside(args.beside, gold))
    print_cut_spans(tagger, gold)
    cli.print_warnings(model.count_seen(documents, gold).lines())
    return scored


def score_beside(name: str, gold: list[Document]) -> str:
    """Return the line "all" of another model on the test documents, with the model's name in front."""
    tagger = model.load(name)
    system = list(cli.show_progress(tagger.tag_all(gold), "score", len(gold)))
    found = evaluate_spans(gold, system, tagger.scheme).scores
    return scores.format_line(found, max(len(name) + 1, TITLE_WIDTH), name, False, "", "")


def parse_links(documents: list[Document], settings: Config) -> None:
    """Parse the sentences of the documents, where the settings need that, with a bar."""
    sentences = extras.list_sentences(documents, [settings])
    cli.show_counts(extras.parse_sentences(sentences), "parse", len(sentences))


def report_dry_run(documents: list[Document], settings: Config, args: argparse.Namespace) -> None:
    """Print what a training would read, what is odd, and an estimate of its time. Raises what the training
    would raise."""
    train, test = documents, list(cli.read_documents(args.test, None, args)) if args.test else []
    with tempfile.TemporaryDirectory() as folder:
        settings = set_scheme(settings, documents, args, Path(folder) / "model")
        refused = None
        try:
            check_scheme(settings, documents)
            train, test = (list(settings.map_types(side)) for side in (train, test))
        except SchemeError as error:
            refused = error
        scheme, pipeline = read_scheme(settings.scheme), Pipeline(tokenizer=settings.tokenizer)
        odd = [f"- {line}" for line in dry_run.list_oddities(train, test, scheme, pipeline)]
        head = ["", "Odd:" if odd else "Nothing is odd."]
        print("\n".join([*dry_run.describe_corpora(train, test, scheme), *head, *odd]))
        if refused:
            raise refused
        estimate = dry_run.estimate_training(documents, settings, args.engine)
        print(f"\nTraining {args.config}: {estimate}")


def set_scheme(settings: Config, documents: list[Document], args: argparse.Namespace, out: Path) -> Config:
    """Return the settings with the scheme of the command line; that of the documents' types is written
    beside ``out``."""
    if args.scheme and args.types:
        raise ConfigurationError("--types and --scheme: wanted one of them; a map names its scheme")
    if args.scheme == AUTO:
        path = out.with_name(f"{out.name}.scheme.toml")
        refuse_existing(path, args.overwrite or args.resume)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_scheme(collect_types(documents, out.name), path)
        return registry.apply_changes(settings, [f"scheme={json.dumps(str(path))}"])
    if args.scheme:
        return registry.apply_changes(settings, [f"scheme={json.dumps(args.scheme)}"])
    return settings


def check_scheme(settings: Config, documents: list[Document]) -> None:
    """Raise :class:`SchemeError` where the documents have a type that the scheme lacks."""
    try:
        read_scheme(settings.scheme).check(settings.map_types(documents))
    except SchemeError as error:
        raise SchemeError(f"{error}; --scheme {AUTO} takes the types of the corpus") from None


def evaluate_spans(gold: list[Document], system: list[Document], scheme: Scheme) -> Evaluation:
    """Score the spans found. A type that was not in the training notes counts as missed."""
    options = EvaluationOptions(scheme, unknown_types="count", resamples=RESAMPLES)
    right, found = (
        score_spans([ScoredDocument(each, ()) for each in side], options) for side in (gold, system)
    )
    return evaluate(right, found, options)


def print_training(documents: list[Document], tagger: Tagger, seconds: float) -> None:
    """Print the size and the time of the training."""
    spans = sum(len(document.spans) for document in documents)
    print(f"Trained on {len(documents)} documents with {spans} spans in {seconds:.0f} s")
    for line in describe_doubled(documents):
        print(line.capitalize())
    print_cut_spans(tagger, documents)


def print_cut_spans(tagger: Tagger, documents: list[Document]) -> None:
    """Print the number of gold spans that cut a token, if there are any."""
    if cut := tagger.pipeline.count_cut_spans(documents):
        print(f"{cut} gold spans begin or end inside a token and count as widened to it")


if __name__ == "__main__":
    cli.run(main)
