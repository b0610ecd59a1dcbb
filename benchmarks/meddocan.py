"""MEDDOCAN (IberLEF 2019): train on its training part, score on its development part.

    python benchmarks/meddocan.py [--config meddocan_best] [--train DIR ...] [--test DIR]

Each DIR holds brat files. Prints the task's three scores, the same for only the narrative (about 19% of the
spans; the others are in templated heads and feet), and times. Never tune on the test split: use the
development part.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.evaluate import meddocan
from crfdeid.systems import model, registry
from crfdeid.text.document import Document

DATA = Path("../shared/data/meddocan")
HEAD_ENDS = re.compile(r"\nInforme clínico|\nMédico:.*")  # the last fields before the narrative
FOOT_BEGINS = re.compile(r"\nRemitido por|\nResponsable clínico|\nCorrespondencia")


def select_narrative(document: Document) -> Document:
    """Return the document with only the spans between its templated head and foot."""
    heads = [match.end() for match in HEAD_ENDS.finditer(document.text)]
    foot = FOOT_BEGINS.search(document.text)
    start, stop = max(heads, default=0), foot.start() if foot else len(document.text)
    return document.with_spans(s for s in document.spans if start <= s.start and s.end <= stop)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", type=Path, nargs="+", default=[DATA / "train" / "brat"])
    parser.add_argument("--test", type=Path, default=DATA / "dev" / "brat")
    parser.add_argument("--config", default="meddocan", help="a configuration (default: meddocan)")
    parser.add_argument("--engine", choices=("fast", "crfsuite"), default="fast")
    args = parser.parse_args()
    train = [document for folder in args.train for document in corpora.read(folder, "brat")]
    gold = list(corpora.read(args.test, "brat"))
    with tempfile.TemporaryDirectory() as folder:
        run_benchmark(train, gold, registry.read_config(args.config), Path(folder) / "model", args.engine)


def run_benchmark(
    train: Sequence[Document], gold: Sequence[Document], settings: Config, folder: Path, engine: str
) -> None:
    began = time.perf_counter()
    with tqdm(desc="train", disable=None, leave=False) as bar:
        tagger = model.train(train, settings, folder, lambda *_: bar.update(), engine)
    trained = time.perf_counter()
    tagger.compile()
    system = list(tagger.tag_all(gold))
    tagged = time.perf_counter()
    tokens = sum(len(tagger.pipeline.tokenize(document.text)) for document in gold)
    print(f"train: {len(train)} documents, {trained - began:.1f} s with engine {engine}")
    print(f"tag: {len(gold)} documents, {tokens} tokens, {tokens / (tagged - trained):,.0f} tokens/s")
    print(f"gold spans that cut a token: {tagger.pipeline.count_cut_spans([*train, *gold])}")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    for title, part in (("all spans", lambda d: d), ("only the narrative", select_narrative)):
        print(f"\n{title}")
        print(
            meddocan.format_scores(meddocan.score_documents(list(map(part, gold)), list(map(part, system))))
        )


if __name__ == "__main__":
    main()
