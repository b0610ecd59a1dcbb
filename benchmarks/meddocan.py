"""MEDDOCAN (IberLEF 2019): train on its training part, score on its development part.

    python benchmarks/meddocan.py [--config meddocan_best] [--train DIR ...] [--test DIR] [--written test]
    python benchmarks/meddocan.py --model FOLDER --written test   a model that is there, without training

Each DIR holds brat files. Prints the task's three scores, the same for only the narrative (about 19% of the
spans; the others are in templated heads and feet), and times. ``--written`` prints what the model does on
the Spanish written documents of a part (docs/written.md): gold spans that spans of any type cover
completely, token precision, strict F1 and alarms per 1,000 words, with the types of i2b2 2014, so that sex
and relatives ("su hermano") do not count. Never tune on the test split: use the development part.
"""

from __future__ import annotations

import argparse
import re
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import devset_measure as measure
from foreign import WRITTEN_HEAD, format_written
from tqdm import tqdm

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.evaluate import official
from crfdeid.synthetic.written_corpus import PARTS, generate_written
from crfdeid.systems import model, registry
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document
from crfdeid.text.scheme import read_map

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
    parser.add_argument("--model", type=Path, help="with --written: a model that is there; no training")
    parser.add_argument("--written", choices=PARTS, help="also the Spanish written documents of this part")
    args = parser.parse_args()
    if args.model:
        print_written(model.load(args.model), args.written or "test")
        return
    train = [document for folder in args.train for document in corpora.read(folder, "brat")]
    gold = list(corpora.read(args.test, "brat"))
    with tempfile.TemporaryDirectory() as folder:
        settings = registry.read_config(args.config)
        tagger = run_benchmark(train, gold, settings, Path(folder) / "model", args.engine)
        if args.written:
            print_written(tagger, args.written)


def run_benchmark(
    train: Sequence[Document], gold: Sequence[Document], settings: Config, folder: Path, engine: str
) -> Tagger:
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
            official.format_scores(official.score_documents(list(map(part, gold)), list(map(part, system))))
        )
    return tagger


def print_written(tagger: Tagger, part: str) -> None:
    """Print what the tagger does on the Spanish written documents of a part, and on each type of them."""
    gold = list(generate_written(part, language="spanish"))
    tagged = tagger.tag_all(document.with_spans(()) for document in gold)
    found = list(read_map("2014").apply_all(tagged))
    print(f"\n{WRITTEN_HEAD}\n{format_written(f'Spanish, {part}', gold, found)}")
    print(measure.format_counts("covered, by type", measure.count_covered(gold, found)))


if __name__ == "__main__":
    main()
