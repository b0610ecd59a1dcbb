"""Train a model, and score it on held-out documents.

python -m crfdeid.train corpus/train --test corpus/test --config english --out models/mine
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from tqdm import tqdm

from crfdeid import cli, config
from crfdeid.evaluate import scores
from crfdeid.systems import model, registry
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.train", description=__doc__.split("\n")[0])
    parse.add_argument("train", nargs="+", type=Path, help="training corpora, in any format")
    parse.add_argument("--test", type=Path, help="documents to score the model on")
    parse.add_argument("--config", default=config.DEFAULT, help="a shipped configuration, or a file")
    parse.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    parse.add_argument("--out", type=Path, required=True, help="folder for the model")
    parse.add_argument("--engine", choices=("fast", "crfsuite"), default="fast")
    parse.add_argument("--overwrite", action="store_true", help="replace a model that is there")
    parse.add_argument("--resume", action="store_true", help="go on from the model in --out")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    settings = registry.apply_changes(registry.read_config(given.config), given.set)
    documents = [document for path in given.train for document in cli.documents(path, None, given)]
    began = time.perf_counter()
    alone = settings.system == "crf"  # others train several times, or tell epochs
    total = settings.crf.get("max_iterations") if alone else settings.options.get("epochs")
    with tqdm(desc="train", total=total, disable=None, leave=False) as bar:
        tagger = model.train(
            documents,
            settings,
            given.out,
            lambda *_: bar.update(),
            given.engine,
            overwrite=given.overwrite,
            resume=given.resume,
        )
    tell(documents, tagger, time.perf_counter() - began)
    if given.test:
        gold = list(cli.documents(given.test, None, given))
        system = list(cli.progress(tagger.tag_all(gold), "score", len(gold)))
        print(f"\nScored on {given.test}: {len(gold)} documents")
        print(scores.format_scores(scores.score(gold, system, tagger.scheme)))
        tell_cut(tagger, gold)
    print(f"\nThe model is in {given.out}")


def tell(documents: list[Document], tagger: Tagger, seconds: float) -> None:
    spans = sum(len(document.spans) for document in documents)
    print(f"Trained on {len(documents)} documents with {spans} spans in {seconds:.0f} s")
    tell_cut(tagger, documents)


def tell_cut(tagger: Tagger, documents: list[Document]) -> None:
    if cut := tagger.pipeline.count_cut_spans(documents):
        print(f"{cut} gold spans begin or end inside a token and count as widened to it")


if __name__ == "__main__":
    cli.run(main)
