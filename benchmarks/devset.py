"""A development set with gold spans, built from the MTSamples reports at each run.

    python benchmarks/devset.py [--model FOLDER] [--misses FILE] [--write FILE]

It has 400 notes (:func:`build_notes`) and 600 search queries (:func:`build_queries`). Surrogates replace the
placeholders; heads, feet and mentions are added; a third of the notes has lines of a fixed width, one note in
twelve is in capitals. Prints how much of the PHI the model covers and what else it tags: in notes, queries,
names by the group of their surname, the same notes in other writings (:mod:`devset_writings`), and short
documents of other genres (:mod:`devset_genres`). ``--misses`` writes the missed spans and the false alarms of
notes, queries and genres with their context: that file holds text of the reports.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from random import Random

import devset_genres as genres
import devset_measure as measure
import devset_patterns as patterns
from devset_names import find_group
from devset_patterns import Piece, build_document, fill_pattern
from devset_reports import DATA, read_settled
from devset_surrogates import Cast
from devset_writings import WRITINGS

from crfdeid import cli, corpora
from crfdeid.synthetic.reidentify.convention import Place
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span

SENTENCE_END = re.compile(r"(?<=[a-z]{2}[.]) (?=[A-Z])")
COUNT, QUERIES, CLEAR = 400, 480, 120
HARD_SHARE, PAGE_SHARE = 0.33, 0.25  # of heads and feet; of notes with the line of a page's head inside


def fill_report(text: str, items: Sequence[Place], cast: Cast) -> list[Piece]:
    """Return the pieces of a report with its placeholders replaced: equal ones by the same person."""
    pieces: list[Piece] = []
    at = 0
    for item in items:
        old = text[item.start : item.end]
        pieces += [(text[at : item.start], None), (choose_replacement(old, item, cast), item.type)]
        at = item.end
    return [*pieces, (text[at:], None)]


def choose_replacement(old: str, item: Place, cast: Cast) -> str:
    if not item.replaced:
        return old
    full = "Sample" in old or item.type == "HOSPITAL"
    kind = {"DOCTOR": "full" if full else "last", "PATIENT": "full" if full else "last"}.get(item.type, "")
    index = old if item.type in ("DOCTOR", "DATE") else ""
    return cast.value(item.type, index, kind)


def add_mentions(pieces: list[Piece], cast: Cast, rng: Random) -> list[Piece]:
    """Insert mentions and bait after about one sentence in eight, and with luck a page's line."""
    sentences = iter(draw_sentences(rng))
    page_at = rng.randrange(20) if rng.random() < PAGE_SHARE else -1
    result: list[Piece] = []
    for value, type in pieces:
        if type:
            result.append((value, type))
            continue
        for number, sentence in enumerate(re.split(SENTENCE_END, value)):
            result.append((" " * (number > 0) + sentence, None))
            if not sentence.endswith("."):
                continue
            page_at -= 1
            if page_at == 0:
                line = rng.choice(patterns.read_lines("page_lines"))
                result += [("\n", None), *fill_pattern(line, cast), ("\n", None)]
            elif rng.random() < 1 / 8 and (sentence := next(sentences, "")):
                result += [(" ", None), *fill_pattern(sentence, cast)]
    return result


def draw_sentences(rng: Random) -> list[str]:
    """Return six mentions, two hard ones and four sentences without PHI, in random order."""
    drawn = [
        *rng.sample(patterns.read_lines("mentions"), 6),
        *rng.sample(patterns.read_lines("hard_mentions"), 2),
        *(patterns.choose_branches(line, rng) for line in rng.sample(patterns.read_lines("bait"), 4)),
    ]
    rng.shuffle(drawn)
    return drawn


def wrap_lines(document: Document, width: int) -> Document:
    """Replace spaces by line breaks, so that lines are at most ``width`` long where words allow it. Offsets
    do not change."""
    signs, line, space = list(document.text), 0, -1
    for at, sign in enumerate(signs):
        if sign == "\n":
            line, space = at + 1, -1
        elif at - line >= width and space > line:
            signs[space] = "\n"
            line, space = space + 1, -1
        if sign == " ":
            space = at
    return Document(document.id, "".join(signs), document.spans)


def capitalize_document(document: Document) -> Document:
    text = "".join(sign.upper() if len(sign.upper()) == 1 else sign for sign in document.text)
    return Document(document.id, text, document.spans)


def draw_head(rng: Random) -> str:
    """Return a head, or for one note in five none or an opening sentence."""
    if rng.random() < 0.8:
        return rng.choice(patterns.read_blocks("hard_heads" if rng.random() < HARD_SHARE else "heads"))
    return f"{rng.choice(patterns.read_lines('openings'))} " if rng.random() < 0.5 else ""


def draw_foot(rng: Random) -> str:
    if rng.random() >= 0.75:
        return ""
    return rng.choice(patterns.read_blocks("hard_feet" if rng.random() < HARD_SHARE else "feet"))


def build_note(id: str, text: str, items: Sequence[Place]) -> Document:
    rng = Random(f"devset {id}")
    cast = Cast(rng)
    head, foot = draw_head(rng), draw_foot(rng)
    middle = add_mentions(fill_report(text, items, cast), cast, rng)
    document = build_document(
        id, [*fill_pattern(head, cast), *middle, ("\n", None), *fill_pattern(foot, cast)]
    )
    changes: list[Callable[[Document], Document]] = []
    if rng.random() < 1 / 3:
        changes.append(partial(wrap_lines, width=rng.randrange(60, 81)))
    if rng.random() < 1 / 12:
        changes.append(capitalize_document)
    for change in changes:
        document = change(document)
    return document


def build_notes(path: Path = DATA, count: int = COUNT) -> list[Document]:
    """Return notes from the first ``count`` settled reports."""
    return [build_note(*report) for report in islice(read_settled(path), count)]


def build_queries() -> list[Document]:
    """Return search queries; one in five has no PHI."""
    rng = Random("devset queries")
    shapes = [*patterns.read_lines("queries"), *patterns.read_lines("hard_queries")]
    asked = [
        build_document(
            f"query{n:03}", fill_pattern(patterns.choose_branches(shapes[n % len(shapes)], rng), Cast(rng))
        )
        for n in range(QUERIES)
    ]
    clear = [
        patterns.choose_branches(shape, rng).replace("{topic}", topic)
        for shape in patterns.read_lines("clear_queries")
        for topic in (rng.sample(patterns.TOPICS, 9) if "{topic}" in shape else [""])
    ]
    rng.shuffle(clear)
    return asked + [Document(f"clear{n:03}", text) for n, text in enumerate(clear[:CLEAR])]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder (default: the shipped model)")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--misses", type=Path, help="write misses and false alarms to this file")
    parser.add_argument("--write", type=Path, metavar="FILE", help="only write the notes, for other commands")
    args = parser.parse_args(arguments)
    if args.write:
        corpora.write(build_notes(args.data), args.write, "jsonl")
        return
    tagger = model.load(args.model)
    gold, asked = build_notes(args.data), build_queries()
    system, answered = tag_bare(tagger, gold), tag_bare(tagger, asked)
    print(measure.format_table(gold, system))
    print(measure.format_queries(asked, answered))
    print(measure.format_counts("names by group", measure.count_covered(gold, system, find_name_group)))
    rows = ((name, rewritten, tag_bare(tagger, rewritten)) for name, rewritten in rewrite_notes(gold))
    print(measure.format_rows("by writing", chain([("plain", gold, system)], rows), True))
    other = [(name, genres.build_genre(name)) for name in genres.GENRES]
    found = [tag_bare(tagger, documents) for _, documents in other]
    print(measure.format_rows("by genre", [(*kind, answers) for kind, answers in zip(other, found)]))
    years = genres.GENRES.index("year_query")
    queries, answers = [*asked, *other[years][1]], [*answered, *found[years]]
    print(measure.format_clear_queries(queries, answers, "safe_harbor"))
    if args.misses:
        others = (document for _, documents in other for document in documents)
        measure.write_errors(args.misses, [*gold, *asked, *others], [*system, *answered, *chain(*found)])


def tag_bare(tagger: Tagger, gold: Sequence[Document]) -> list[Document]:
    """Return the documents with the spans that the tagger finds in their text."""
    return list(tagger.tag_all(Document(document.id, document.text) for document in gold))


def rewrite_notes(notes: Sequence[Document]) -> Iterator[tuple[str, list[Document]]]:
    """Yield each writing with the notes in it."""
    for name, rewrite in WRITINGS.items():
        yield name, [rewrite(note) for note in notes]


def find_name_group(document: Document, span: Span) -> str | None:
    return find_group(document.text_of(span)) if span.type in ("DOCTOR", "PATIENT") else None


if __name__ == "__main__":
    cli.run(main)
