"""What adapting a model gains on sources that no training has: the learning curve of crfdeid adapt.

    python benchmarks/adapt.py [--model FOLDER] [--sizes 5 20] [--draws 1] [--source NAME …] [--lines]

A source is one of the four sites of adapt_sites.py (a head, a foot, staff and numbers that recur), or a hand
of the written corpus's test part with forty documents or more (nearly each of its documents is of another
hospital). The source ``meddocan`` has the cases of MEDDOCAN's development part, for a Spanish model that has
not seen them. Of each source 20 notes at random are those that can be corrected; at most 80 others judge.
With ``--lines``, the lines that repeat in notes which nobody has corrected are added to the model as it is (0
notes) and to each adapted one: for a site 60 texts of the other sites in its writing and the 20 notes, for
MEDDOCAN 100 cases of its training part. Prints strict F1, the share of PHI that is covered, and the share of
errors that are gone, by source and all.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

import adapt_sites
import devset_measure as measure
import spanish

from crfdeid.adapt import choose, ways
from crfdeid.synthetic.pieces import build_document
from crfdeid.synthetic.written_corpus import copy_document, read_corpus
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.repeated_lines import learn_lines
from crfdeid.text.document import Document

CORRECTED, MOST = 20, 80
UNLABELLED = 100  # cases of MEDDOCAN
MEDDOCAN = "meddocan"
LARGE = 40  # documents of a hand, so that enough are left to judge
HEAD = f"{'source':<22}{'notes':>6}{'covered':>18}{'strict F1':>18}{'errors gone':>13}{'s':>6}  way"
Totals = defaultdict[tuple[str, int], list[Counter[str]]]


def read_sources() -> dict[str, list[Document]]:
    """Return the notes of each source."""
    sources = {layout.name: adapt_sites.draw_notes(layout) for layout in adapt_sites.LAYOUTS}
    hands: dict[str, list[Document]] = defaultdict(list)
    for document in read_corpus("test"):
        hands[document.hand].append(build_document(copy_document(document), document.id, document.id))
    return sources | {name: notes for name, notes in hands.items() if len(notes) >= LARGE}


def split_source(name: str, notes: Sequence[Document], draw: int) -> tuple[list[Document], list[Document]]:
    """Return the notes that can be corrected, in random order, and those that judge."""
    order = list(notes)
    Random(f"{name}{draw}").shuffle(order)
    return order[:CORRECTED], order[CORRECTED : CORRECTED + MOST]


def draw_unlabelled(name: str, corrected: Sequence[Document]) -> list[Document]:
    """Return notes of a source that nobody has corrected; none for a hand."""
    rng = Random(f"unlabelled {name}")
    if name == MEDDOCAN:
        cases = list(spanish.read_cases(("train",)))
        return [note.with_spans(()) for note in rng.sample(cases, UNLABELLED)]
    for layout in adapt_sites.LAYOUTS:
        if layout.name == name:
            others = adapt_sites.draw_others(layout)
            return [note.with_spans(()) for note in [*rng.sample(others, MOST - CORRECTED), *corrected]]
    return []


def add_lines(tagger: CrfTagger, unlabelled: Sequence[Document]) -> CrfTagger:
    """Return the tagger with the lines that repeat in the notes."""
    lines = learn_lines(list(tagger.tag_all(unlabelled)))
    found = copy.copy(tagger)
    found.finish = lines.apply
    return found


def count(gold: Sequence[Document], found: Sequence[Document]) -> Counter[str]:
    """Count strict spans, and those that are covered."""
    covered, spans = measure.sum_covered(gold, found)
    both = sum(len({*one.spans} & {*other.spans}) for one, other in zip(gold, found))
    return Counter(spans=spans, covered=covered, right=both, found=sum(len(d.spans) for d in found))


def compute_f1(counts: Counter[str]) -> float:
    return 2 * counts["right"] / max(1, counts["spans"] + counts["found"])


def format_line(name: str, size: int, before: Counter[str], after: Counter[str], seconds: float) -> str:
    """Return the figures before and after; ``errors gone`` is the share of 1 - F1 that adapting takes."""
    covered = [each["covered"] / max(1, each["spans"]) for each in (before, after)]
    f1 = [compute_f1(each) for each in (before, after)]
    gone = (f1[1] - f1[0]) / (1 - f1[0])
    pairs = "".join(f"{one:>9.3f} → {other:.3f} " for one, other in (covered, f1))
    return f"{name:<22}{size:>6}{pairs}{gone:>10.0%}{seconds:>8.0f}"


def measure_source(
    tagger: CrfTagger,
    name: str,
    notes: Sequence[Document],
    sizes: Sequence[int],
    draw: int,
    totals: Totals,
    with_lines: bool = False,
) -> None:
    """Adapt to the first notes of a source, print what that does to the others, and add it to the totals."""
    corrected, judges = split_source(name, notes, draw)
    bare = [note.with_spans(()) for note in judges]
    before = count(judges, list(tagger.tag_all(bare)))
    unlabelled = draw_unlabelled(name, corrected) if with_lines else []
    for size in [0, *sizes] if unlabelled else sizes:
        began = time.process_time()
        adapted, way = tagger, "as it is"
        if size:
            choice = choose.adapt(tagger, corrected[:size])
            adapted, way = choice.tagger, choice.way.name
        seconds = time.process_time() - began
        after = count(judges, list(adapted.tag_all(bare)))
        if unlabelled:
            lined = count(judges, list(add_lines(adapted, unlabelled).tag_all(bare)))
            print(f"{format_line(name, size, after, lined, 0)}  {way}, then lines", flush=True)
        is_site = name in {layout.name for layout in adapt_sites.LAYOUTS}
        kind = name if name == MEDDOCAN else "sites" if is_site else "hands"
        for key in ((kind, size), ("all", size)):
            totals[key] = [one + other for one, other in zip(totals[key], (before, after))]
        print(f"{format_line(name, size, before, after, seconds)}  {way}", flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default=model.DEFAULT)
    parser.add_argument("--sizes", type=int, nargs="*", default=[5, 10, 20])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--source", nargs="+", help="only these")
    parser.add_argument("--lines", action="store_true", help="also with the lines of unlabelled notes")
    args = parser.parse_args(arguments)
    tagger, totals = ways.check_model(model.load(args.model)), defaultdict(lambda: [Counter(), Counter()])
    tagger.compile()
    is_spanish = args.source == [MEDDOCAN]
    sources = {MEDDOCAN: list(spanish.read_cases(("dev",)))} if is_spanish else read_sources()
    print(HEAD)
    for draw in range(args.draws):
        for name in args.source or sources:
            measure_source(tagger, name, sources[name], args.sizes, draw, totals, args.lines)
    for (kind, size), (before, after) in sorted(totals.items()):
        print(format_line(kind, size, before, after, 0))


if __name__ == "__main__":
    main()
