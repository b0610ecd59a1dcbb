"""Recall against precision by threshold, for svm, mega, snow and multi.

    python -m crfdeid.thresholds corpus/test --model models/svm
    python -m crfdeid.thresholds corpus/test --model models/svm --bias 0 0.5 1

``crfdeid.train … --set recall_bias=0.5`` trains a model with the threshold that was chosen; choose it
on documents that are neither trained on nor tested on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from crfdeid import cli
from crfdeid.evaluate.text_table import aligned
from crfdeid.explain import precision_recall
from crfdeid.systems import model


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.thresholds", description=__doc__.split("\n")[0])
    parse.add_argument("gold", type=Path, help="a corpus with its spans, in any format")
    parse.add_argument("--model", type=Path, required=True, help="a model folder")
    parse.add_argument("--bias", type=float, nargs="+", default=precision_recall.BIASES, metavar="BIAS")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    tagger = model.load(given.model)
    documents = cli.documents(given.gold, None, given)
    found = precision_recall.measure(tagger, cli.progress(documents, "score"))
    own = tagger.pipeline.config.recall_bias
    print(f"{len(found.phi):,} tokens, {int(found.phi.sum()):,} of PHI; the model's recall_bias is {own:g}\n")
    rows = [["recall_bias", "recall", "precision", "false alarms"]]
    for bias in sorted({*given.bias, own}):
        rows.append([f"{bias:g}", *(f"{value:.4f}" for value in found.at(bias)[1:])])
    print("\n".join(aligned(rows)))
    print(f"\narea under the ROC curve {found.area:.4f}")
