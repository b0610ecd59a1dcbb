"""How a model does on writing that its training has not seen: each source is left out in turn.

    python benchmarks/foreign.py [--model FOLDER …]                  models that are there, on every source
    python benchmarks/foreign.py --train [--config FILE] [--set KEY=VALUE …] [--notes 600]

With ``--train`` five models are trained on generated notes, the written corpus (train and dev) and real
texts as hosts (:mod:`hosts`). Each lacks one of the five real sources and the hands of a fifth of the
written corpus, and is judged on both; each is also judged on notes_hand_dev, which no training has. So
every source is judged by a model that has not seen it, nor its hand. Features, biases, thresholds and
repair forms are chosen by this table alone.

In a real source only spans of other types than dates and ages count, per 1,000 words, since its dates and
ages are real; ``medicine`` is the share of words of medical_words that they touch, ``n/7`` counts durations
that are dates. In written documents: PHI covered completely, token precision, strict F1, false alarms per
1,000 words, and the documents without PHI that are touched.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import devset_measure as measure
import hosts

from crfdeid import cli, config, synthetic
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.pieces import build_document
from crfdeid.synthetic.written_corpus import WrittenDocument, copy_document, draw_fills, read_corpus
from crfdeid.systems import model, registry
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

FOLDS = 5
FILLS = 4  # how many more times each written document is drawn
HAND_DEV = hosts.FOLDER / "notes_hand_dev"
REAL = {"DATE", "AGE"}
DURATION = re.compile(r"\d{1,2}/(?:7|52|12)")
TAG = re.compile(rf"<(/?)({'|'.join(map(re.escape, read_scheme().types))})>")
READ = 200  # texts of a real source that are tagged
WRITTEN_HEAD = (
    f"{'source':<24}{'docs':>6}{'spans':>7}{'covered':>9}{'prec.':>8}{'F1':>8}{'alarms':>8}  touched"
)
REAL_HEAD = f"{'real source':<24}{'docs':>6}{'words':>8}{'other':>8}{'medicine':>10}{'n/7':>6}"


def read_inline(path: Path) -> Document:
    """Read a document whose spans are marked in place, ``<CITY>Dunmore</CITY>``."""
    parts: list[str] = []
    spans: list[Span] = []
    raw, at, length, start = path.read_text(encoding="utf-8"), 0, 0, 0
    for tag in TAG.finditer(raw):
        parts.append(raw[at : tag.start()])
        length, at = length + tag.start() - at, tag.end()
        if tag[1]:
            spans.append(Span(start, length, tag[2]))
        start = length
    return Document(path.stem, "".join([*parts, raw[at:]]), tuple(spans))


def read_hand_dev() -> list[Document]:
    """Return the documents of notes_hand_dev, none where they are not there."""
    return [read_inline(path) for path in sorted(HAND_DEV.glob("[0-9]*.txt"))]


def count_words(documents: Iterable[Document]) -> int:
    return sum(len(document.text.split()) for document in documents)


def format_written(name: str, gold: Sequence[Document], found: Sequence[Document]) -> str:
    """Return the line of a written source."""
    covered, precision, f1 = measure.compute_shares(gold, found)
    clear = [system for right, system in zip(gold, found) if not right.spans]
    alarms = 1000 * measure.count_alarms(gold, found) / max(1, count_words(gold))
    spans, touched = sum(len(document.spans) for document in gold), sum(bool(d.spans) for d in clear)
    shares = f"{covered:>9.3f}{precision:>8.3f}{f1:>8.3f}{alarms:>8.1f}"
    return f"{name:<24}{len(gold):>6}{spans:>7}{shares}  {touched} of {len(clear)}"


def format_real(name: str, found: Sequence[Document]) -> str:
    """Return the line of a real source, of which nobody marked the PHI."""
    words = count_words(found)
    others = [document.with_spans(s for s in document.spans if s.type not in REAL) for document in found]
    other = sum(len(document.spans) for document in others)
    durations = sum(
        span.type == "DATE" and bool(DURATION.fullmatch(document.text_of(span)))
        for document in found
        for span in document.spans
    )
    touched, medical = map(sum, zip(*map(count_medical, others)))
    shares = f"{1000 * other / words:>8.2f}{touched / medical:>10.2%}{durations:>6}"
    return f"{name:<24}{len(found):>6}{words:>8}{shares}"


def count_medical(document: Document) -> tuple[int, int]:
    """Return how many medical words of the text spans touch, and how many there are."""
    mask = measure.build_mask(document)
    tokens = [token for token in measure.find_tokens(document) if document.text_of(token).lower() in MEDICAL]
    return sum(any(mask[token.start : token.end]) for token in tokens), len(tokens)


MEDICAL = frozenset(read_list("medical_words"))


def group_written(documents: Sequence[WrittenDocument]) -> list[list[WrittenDocument]]:
    """Return the documents in five groups, with all of a hand in one."""
    hands = sorted({document.hand for document in documents})
    group = {hand: number % FOLDS for number, hand in enumerate(hands)}
    return [[d for d in documents if group[d.hand] == number] for number in range(FOLDS)]


def tag_real(tagger: Tagger, name: str) -> list[Document]:
    texts = hosts.read_texts(name)[:READ]
    return list(tagger.tag_all([Document(id, text) for id, text in texts]))


def copy_all(documents: Iterable[WrittenDocument]) -> list[Document]:
    """Return the documents as they were written."""
    return [build_document(copy_document(document), document.id, document.id) for document in documents]


def print_written(documents: Sequence[WrittenDocument], found: Mapping[str, Document]) -> None:
    """Print a line for each family, and one for all."""
    families = defaultdict(list)
    for document, gold in zip(documents, copy_all(documents)):
        families[document.family].append(gold)
    everything = [gold for some in families.values() for gold in some]
    for name, gold in [*sorted(families.items()), ("written, all", everything)]:
        print(format_written(name, gold, [found[document.id] for document in gold]))


def judge(tagger: Tagger) -> None:
    """Print the table of a model as it is."""
    documents = read_corpus("test")
    print(WRITTEN_HEAD)
    found = tagger.tag_all([d.with_spans(()) for d in copy_all(documents)])
    print_written(documents, {document.id: document for document in found})
    if gold := read_hand_dev():
        print(format_written("notes_hand_dev", gold, list(tagger.tag_all(d.with_spans(()) for d in gold))))
    print(REAL_HEAD)
    for name in hosts.FILES:
        if found_there := tag_real(tagger, name):
            print(format_real(name, found_there))


def cross_validate(settings: config.Config, notes: int, folder: Path) -> None:
    """Train five models and print the table of what each has not seen."""
    documents = [*read_corpus("train"), *read_corpus("dev")]
    groups, gold = group_written(documents), read_hand_dev()
    generated = list(synthetic.generate(notes, 2014))
    found: dict[str, Document] = {}
    dev, real = [], []
    for number, (left_out, source) in enumerate(zip(groups, hosts.FILES)):
        hands = {document.hand for document in left_out}
        seen = [document for document in documents if document.hand not in hands]
        host = [d for some in hosts.make_hosts(without=[source]).values() for d in some]
        written = [filled for document in seen for filled in draw_fills(document, 1, FILLS)]
        tagger = model.train([*generated, *host, *written], settings, folder / str(number), overwrite=True)
        asked = [d.with_spans(()) for d in copy_all(left_out)]
        found.update((document.id, document) for document in tagger.tag_all(asked))
        dev.append(list(tagger.tag_all(d.with_spans(()) for d in gold)))
        real.append(format_real(source, tag_real(tagger, source)))
        print(f"fold {number + 1} of {FOLDS}: without {', '.join(sorted(hands))}, {source}", flush=True)
    print(WRITTEN_HEAD)
    print_written(documents, found)
    for number, tagged in enumerate(dev if gold else (), 1):
        print(format_written(f"notes_hand_dev, fold {number}", gold, tagged))
    print("\n".join([REAL_HEAD, *real]))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", nargs="+", default=["english"], help="models to judge on every source")
    parser.add_argument("--train", action="store_true", help="train five models, each without some sources")
    parser.add_argument("--config", default="english")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    parser.add_argument("--notes", type=int, default=600, help="generated notes in each training")
    parser.add_argument("--keep", type=Path, help="a folder for the five models")
    args = parser.parse_args(arguments)
    if not args.train:
        for name in args.model:
            print(f"# {name}")
            judge(model.load(name))
        return
    settings = registry.apply_changes(registry.read_config(args.config), args.set)
    with tempfile.TemporaryDirectory() as folder:
        cross_validate(settings, args.notes, args.keep or Path(folder))


if __name__ == "__main__":
    cli.run(main)
