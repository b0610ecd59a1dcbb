"""Count what an annotated corpus has, without a word of it: notes, patients, types, lengths, repeats.

    crfdeid stats corpus/train
    crfdeid stats corpus/train --html stats.html --json stats.json
    crfdeid stats corpus/train --published tafvizi-2011-table-5-1      a paper's table beside ours

It tells whether a corpus is whole (notes without a span, a type with one span) before a model is trained.
"""

from __future__ import annotations

import argparse
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import quantiles

from crfdeid import cli, files, pages
from crfdeid.corpora.token_marks import TokenMark, read_token_marks
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import published_tables
from crfdeid.evaluate.published_tables import PublishedTable, align_columns
from crfdeid.evaluate.word_scores import KINDS, measure_words
from crfdeid.files import open_whole
from crfdeid.pages.pictures import Axis, draw_bars, render_figures
from crfdeid.text.document import Document, fingerprint_documents
from crfdeid.text.scheme import read_map

HEAD = ("type", "spans", "share", "notes", "words", "longest", "once in its note", "different texts")
NOT_PHI = "Non-PHI"
MARKED = {"ambiguous": "ambiguous", "in no list": "unseen"}  # the columns of marked words, and their marks
LONG = 5  # words; longer spans are counted together
SIZES = (0, 50, 100, 200, 400, 800, 1600, 3200)  # words of a note, from which notes are counted together
MANY = (1, 2, 3, 4, 5, 10, 20, 50)  # notes of a patient, from which patients are counted together


@dataclass
class TypeStatistics:
    """The spans of a type: their number, the notes that have one, their words (``longest``: of the longest),
    how many have a text that occurs once in their note, and how many different texts there are."""

    spans: int = 0
    notes: int = 0
    words: int = 0
    longest: int = 0
    once: int = 0
    texts: set[str] = field(default_factory=set, repr=False)

    def add(self, texts: Sequence[str]) -> None:
        """Add the texts of a note's spans."""
        lengths = [len(text.split()) for text in texts]
        repeats = Counter(texts)
        self.spans += len(texts)
        self.notes += 1
        self.words += sum(lengths)
        self.longest = max(self.longest, *lengths)
        self.once += sum(count == 1 for count in repeats.values())
        self.texts.update(repeats)


@dataclass(frozen=True)
class CorpusStatistics:
    """``words`` are those of each note; ``lengths`` counts spans by their number of words; ``by_patient`` are
    the numbers of notes that patients have."""

    notes: int
    patients: int
    without_patient: int
    without_spans: int
    words: list[int]
    fingerprint: str
    types: dict[str, TypeStatistics]
    lengths: Counter[int]
    by_patient: list[int]

    @property
    def spans(self) -> int:
        return sum(each.spans for each in self.types.values())

    def list_facts(self) -> dict[str, str]:
        """Return what is counted of the whole corpus, by name."""
        low, middle, high = quantiles(self.words, n=4) if len(self.words) > 1 else self.words * 3
        inside = sum(each.words for each in self.types.values())
        lengths = ", ".join(f"{name}: {count:,}" for name, count in group_lengths(self.lengths).items())
        return {
            "notes": f"{self.notes:,}",
            "patients": f"{self.patients:,}, and {self.without_patient:,} notes without one",
            "words": f"{sum(self.words):,}; half of the notes have {low:,.0f} to {high:,.0f} "
            f"(median {middle:,.0f})",
            "spans": f"{self.spans:,}, {self.spans / self.notes:.1f} in a note; "
            f"{inside / max(1, sum(self.words)):.1%} of the words",
            "notes without a span": f"{self.without_spans:,}",
            "spans by words": lengths,
            "corpus": self.fingerprint,
        }

    def list_rows(self) -> list[tuple[str, ...]]:
        """Return a row for each type, the most frequent first."""
        order = sorted(self.types.items(), key=lambda item: (-item[1].spans, item[0]))
        return [
            (
                name, f"{each.spans:,}", f"{each.spans / self.spans:.1%}", f"{each.notes:,}",
                f"{each.words / each.spans:.1f}", f"{each.longest}", f"{each.once / each.spans:.0%}",
                f"{len(each.texts):,}",
            )
            for name, each in order
        ]  # fmt: skip

    def build_json(self) -> dict[str, object]:
        """Build the JSON object of the counts."""
        types = {name: asdict(each) | {"texts": len(each.texts)} for name, each in self.types.items()}
        found = {
            name: getattr(self, name) for name in ("notes", "patients", "without_patient", "without_spans")
        }
        lengths = group_lengths(self.lengths)
        return found | {
            "words": sum(self.words),
            "lengths": lengths,
            "corpus": self.fingerprint,
            "types": types,
        }


def measure_corpus(documents: Iterable[Document]) -> CorpusStatistics:
    """Count what the documents have."""
    documents = list(documents)
    types: dict[str, TypeStatistics] = {}
    lengths: Counter[int] = Counter()
    for document in documents:
        texts: dict[str, list[str]] = {}
        for span in document.spans:
            texts.setdefault(span.type, []).append(" ".join(document.text_of(span).split()))
        for type, found in texts.items():
            types.setdefault(type, TypeStatistics()).add(found)
            lengths.update(len(text.split()) for text in found)
    by_patient = Counter(document.patient for document in documents if document.patient is not None)
    return CorpusStatistics(
        len(documents),
        len(by_patient),
        sum(document.patient is None for document in documents),
        sum(not document.spans for document in documents),
        [len(document.text.split()) for document in documents],
        fingerprint_documents(documents),
        types,
        lengths,
        list(by_patient.values()),
    )


def group_lengths(lengths: Counter[int]) -> dict[str, int]:
    """Count spans by their words, the long ones together.

    >>> group_lengths(Counter({1: 9, 2: 3, 7: 1, 5: 1}))
    {'1': 9, '2': 3, '5 or more': 2}
    """
    grouped: dict[str, int] = {}
    for length, count in sorted(lengths.items()):
        name = f"{LONG} or more" if length >= LONG else str(length)
        grouped[name] = grouped.get(name, 0) + count
    return grouped


def format_statistics(found: CorpusStatistics) -> str:
    """Format the counts as text."""
    facts = [f"{name + ':':<22}{value}" for name, value in found.list_facts().items()]
    return "\n".join([*facts, "", *align_columns([list(HEAD), *map(list, found.list_rows())])])


def is_table_of_words(table: PublishedTable) -> bool:
    """Whether a paper's table counts the words of each kind of a corpus."""
    cells = (cell for row in table.rows.values() for cell in row)
    return NOT_PHI in table.rows and all(cell.isdecimal() for cell in cells)


def find_table_of_words(name: str) -> PublishedTable:
    """Read a paper's table. Raises :class:`ConfigurationError` where it does not count words."""
    table = published_tables.read_table(name)
    if not is_table_of_words(table):
        known = [
            n for n in published_tables.list_tables() if is_table_of_words(published_tables.read_table(n))
        ]
        raise ConfigurationError(f"--published {name}: no counts of words; wanted {' or '.join(known)}")
    return table


def count_words(
    documents: Sequence[Document], marks: Iterable[TokenMark] = ()
) -> dict[str, dict[str, float]]:
    """Count the words of each of the eight kinds of i2b2 2006, and of Non-PHI; with ``marks`` also the marked
    ones (Sibanda & Uzuner 2006, tables 6 and 10). Raises :class:`SchemeError` at a type that the map 2006
    does not have."""
    to_2006 = read_map("2006")
    mapped = list(to_2006.apply_all(documents))
    counts = measure_words([(each, each) for each in mapped], to_2006.scheme).counts()
    rows: dict[str, dict[str, float]] = {
        KINDS.get(kind, kind): {"words": count.tp} for kind, count in counts.items()
    }
    for mark in marks:
        row = rows.setdefault((to_2006.types.get(mark.type) if mark.type else "") or NOT_PHI, {})
        for column, flag in MARKED.items():
            row[column] = row.get(column, 0) + getattr(mark, flag)
    return rows


def render_page(found: CorpusStatistics, name: str) -> str:
    """Render the counts as a page."""
    most = max((each.spans for each in found.types.values()), default=1)
    parts = {
        "<!-- facts -->": pages.render_facts(found.list_facts()),
        "<!-- pictures -->": render_figures(list(draw_pictures(found))),
        "<!-- types -->": pages.render_table(
            "Types", HEAD, found.list_rows(), draw=lambda row: draw_bar(found.types[row[0]].spans / most)
        ),
    }
    body = pages.fill_file(files.PACKAGE / "evaluate" / "stats_page.html", parts)
    return pages.render_page("What the corpus has", pages.stamp(corpus=name), body)


def draw_pictures(found: CorpusStatistics) -> Iterator[str]:
    """Yield pictures of the lengths of notes and of spans, and of the notes that patients have."""
    yield draw_counts("Words of a note", "notes", group_sizes(found.words, SIZES))
    yield draw_counts("Words of a span", "spans", group_lengths(found.lengths))
    if found.by_patient:
        yield draw_counts("Notes of a patient", "patients", group_sizes(found.by_patient, MANY))


def draw_counts(title: str, unit: str, counts: dict[str, int]) -> str:
    """Draw how many of a unit there are in each group."""
    rows = {name: [float(count)] for name, count in counts.items()}
    axis = Axis(unit, 0, max([4, *counts.values()]))
    return draw_bars(title, f"The number of {unit} by group.", axis, rows)


def group_sizes(sizes: Iterable[int], edges: Sequence[int]) -> dict[str, int]:
    """Count sizes between the edges, from the first group that has one to the last.

    >>> group_sizes([1, 1, 7, 900], (1, 2, 5, 10, 20))
    {'1': 2, '2 to 4': 0, '5 to 9': 1, '10 to 19': 0, '20 or more': 1}
    """
    places = Counter(bisect_right(edges, size) - 1 for size in sizes)
    return {name_group(edges, place): places[place] for place in range(min(places), max(places) + 1)}


def name_group(edges: Sequence[int], place: int) -> str:
    if place == len(edges) - 1:
        return f"{edges[place]:,} or more"
    first, last = edges[place], edges[place + 1] - 1
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def draw_bar(share: float) -> str:
    """A cell with a bar, of a share of the widest."""
    bar = f'<span class="bar" style="width:{8 * share:.2f}rem"></span>'
    return f'<td class="track" aria-hidden="true">{bar}</td>'


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid stats", description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path, help="a file or folder of annotated notes, in any format")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="of the corpus (default: detected)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page; it has no text of a note")
    parser.add_argument(
        "--published",
        metavar="TABLE",
        help="print a paper's counts of words beside ours, such as tafvizi-2011-table-5-1",
    )
    parser.add_argument(
        "--tokens", type=Path, metavar="FILE", help="the marked tokens that reidentify wrote, for --published"
    )
    cli.add_types_option(parser)
    cli.add_reading_options(parser)
    cli.add_recursive_option(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    published = find_table_of_words(args.published) if args.published else None
    reading = cli.build_reading(args, args.source)
    cli.report_left_out(args.corpus, reading)
    read = list(cli.show_progress(reading.read(args.corpus), "read"))
    documents = list(read_map(args.types).apply_all(read)) if args.types else read
    found = measure_corpus(documents)
    if args.json:
        with open_whole(args.json) as file:
            file.write(json.dumps(found.build_json(), indent=1, ensure_ascii=False) + "\n")
    if args.html:
        with open_whole(args.html) as file:
            file.write(render_page(found, args.corpus.name))
    texts = [format_statistics(found)]
    if published:
        marks = read_token_marks(args.tokens) if args.tokens else ()
        corpus = f"{args.corpus.name} ({found.notes} notes)"
        texts.append(published_tables.format_beside(published, count_words(read, marks), corpus))
    print("\n\n".join(texts))


if __name__ == "__main__":
    cli.run(main)
