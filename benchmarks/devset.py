"""A development set with gold, made when it is run from the MTSamples reports.

    python benchmarks/devset.py [--model FOLDER] [--misses FILE]

400 notes (:func:`notes`) and 600 search queries (:func:`queries`). Placeholders become
surrogates; heads, feet and mentions are added; a third is cut at a fixed width, one in
twelve is in capitals. Prints how much of the PHI the model covers, and what else it tags.
``--misses`` writes what was missed, and what was tagged wrongly, with its context: reading
matter that holds the text of the reports.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

import devset_measure as measure
import devset_patterns as patterns
from devset_reports import DATA, settled
from devset_surrogates import Cast

from crfdeid import cli
from crfdeid.synthetic.reidentify.convention import Place
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

SLOT = re.compile(r"\{([A-Z-]+)(\d?)(?:\.(\w+))?\}")
SENTENCE_END = re.compile(r"(?<=[a-z]{2}[.]) (?=[A-Z])")
Piece = tuple[str, str | None]
COUNT, QUERIES, CLEAR = 400, 480, 120


def filled(pattern: str, cast: Cast) -> list[Piece]:
    """The pieces of a pattern.

    >>> filled("on {DATE.iso}", Cast(Random(1)))
    [('on ', None), ('2007-10-19', 'DATE')]
    """
    pieces: list[Piece] = []
    at = 0
    for slot in SLOT.finditer(pattern):
        pieces += [(pattern[at : slot.start()], None), (cast.value(slot[1], slot[2], slot[3] or ""), slot[1])]
        at = slot.end()
    return [piece for piece in [*pieces, (pattern[at:], None)] if piece[0]]


def assembled(id: str, pieces: Iterable[Piece]) -> Document:
    text, spans = "", []
    for value, type in pieces:
        if type:
            spans.append(Span(len(text), len(text) + len(value), type))
        text += value
    return Document(id, text, tuple(spans))


def body(text: str, items: Sequence[Place], cast: Cast) -> list[Piece]:
    """The pieces of a report, its placeholders replaced: the same one by the same person."""
    pieces: list[Piece] = []
    at = 0
    for item in items:
        old = text[item.start : item.end]
        pieces += [(text[at : item.start], None), (replacement(old, item, cast), item.type)]
        at = item.end
    return [*pieces, (text[at:], None)]


def replacement(old: str, item: Place, cast: Cast) -> str:
    if not item.replaced:
        return old
    full = "Sample" in old or item.type == "HOSPITAL"
    kind = {"DOCTOR": "full" if full else "last", "PATIENT": "full" if full else "last"}.get(item.type, "")
    index = old if item.type in ("DOCTOR", "DATE") else ""
    return cast.value(item.type, index, kind)


def with_mentions(pieces: list[Piece], cast: Cast, rng: Random) -> list[Piece]:
    """Sentences of :data:`patterns.MENTIONS` put between sentences, about one in fifteen."""
    chosen = iter(rng.sample(patterns.lines(patterns.MENTIONS), 8))
    result: list[Piece] = []
    for value, type in pieces:
        if type:
            result.append((value, type))
            continue
        for number, sentence in enumerate(re.split(SENTENCE_END, value)):
            result.append((" " * (number > 0) + sentence, None))
            if sentence.endswith(".") and rng.random() < 1 / 15 and (mention := next(chosen, None)):
                result += [(" ", None), *filled(mention, cast)]
    return result


def cut(document: Document, width: int) -> Document:
    """Spaces become line breaks, so that no line is longer than ``width`` where words allow;
    offsets stay."""
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


def capitals(document: Document) -> Document:
    text = "".join(sign.upper() if len(sign.upper()) == 1 else sign for sign in document.text)
    return Document(document.id, text, document.spans)


def note(id: str, text: str, items: Sequence[Place]) -> Document:
    rng = Random(f"devset {id}")
    cast = Cast(rng)
    head = rng.choice(patterns.blocks(patterns.HEADS)) if rng.random() < 0.8 else ""
    foot = rng.choice(patterns.blocks(patterns.FEET)) if rng.random() < 0.75 else ""
    middle = with_mentions(body(text, items, cast), cast, rng)
    made = assembled(id, [*filled(head, cast), *middle, ("\n", None), *filled(foot, cast)])
    changes: list[Callable[[Document], Document]] = []
    if rng.random() < 1 / 3:
        changes.append(partial(cut, width=rng.randrange(60, 81)))
    if rng.random() < 1 / 12:
        changes.append(capitals)
    for change in changes:
        made = change(made)
    return made


def notes(path: Path = DATA, count: int = COUNT) -> list[Document]:
    """The notes: those of the settled reports that come first."""
    return [note(*report) for report in islice(settled(path), count)]


def queries() -> list[Document]:
    """Search queries, a fifth of them without PHI."""
    rng = Random("devset queries")
    shapes = patterns.lines(patterns.QUERIES)
    asked = [assembled(f"query{n:03}", filled(shapes[n % len(shapes)], Cast(rng))) for n in range(QUERIES)]
    clear = [
        shape.replace("{topic}", topic)
        for shape in patterns.lines(patterns.CLEAR_QUERIES)
        for topic in (patterns.TOPICS if "{topic}" in shape else [""])
    ]
    rng.shuffle(clear)
    return asked + [Document(f"clear{n:03}", text) for n, text in enumerate(clear[:CLEAR])]


def main(arguments: list[str] | None = None) -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--model", type=Path, help="a model folder (default: the one that ships)")
    parse.add_argument("--data", type=Path, default=DATA)
    parse.add_argument("--misses", type=Path, help="write misses and false alarms to this file")
    given = parse.parse_args(arguments)
    tag = model.load(given.model).tag
    gold, asked = notes(given.data), queries()
    system = [tag(Document(d.id, d.text)) for d in cli.progress(gold, "tag")]
    answered = [tag(Document(d.id, d.text)) for d in asked]
    print(measure.table(gold, system))
    print(measure.query_lines(asked, answered))
    if given.misses:
        measure.write_misses(given.misses, [*gold, *asked], [*system, *answered])


if __name__ == "__main__":
    cli.run(main)
