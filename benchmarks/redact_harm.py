"""The price of redaction: how often it changes what is not PHI, and of what class that is.

    python benchmarks/redact_harm.py [--documents 40] [--model NAME] [--part test] [--reports 600 1000]

It reads three kinds of documents. The reports of the development set (:mod:`devset`) from 400 on are not in
the set that models are judged by; ``--reports`` says which. Documents of the written corpus (docs/written.md)
have gold spans, or contain no PHI. The texts of ``shared/data/clinical_english`` have no gold spans and
little PHI, so that nearly every change counts. Each document is tagged and redacted as the only note of its
patient, by the default of ``redact``.

A false change is a replacement that no gold span overlaps and that differs from its text. The benchmark
prints the false changes per 1,000 words, by class and by type, the notes that have one, and the repeats that
are false; where there are gold spans, also the notes that still have the text of one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import devset
from devset_reports import read_settled
from hiding import redact_each
from remaining import IDENTIFYING, count_notes

from crfdeid import cli, corpora
from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, fold
from crfdeid.redact.redactor import Redaction, Replacement
from crfdeid.redact.run import tagging
from crfdeid.synthetic.written_corpus import generate_written
from crfdeid.systems import model
from crfdeid.text.document import Document, SpanIndex

TEXTS = Path(__file__).parent.parent.parent / "shared" / "data" / "clinical_english"
OTHER, NUMBER = "other", "number or mark"
AROUND = 40  # characters of the context of a change that is shown
CLASSES = {
    "title or credential": ("titles",),
    "drug": ("drug_words",),
    "eponym, device, maker": ("eponyms", "clinical_names", "makers"),
    "abbreviation": ("abbreviations",),
    "medical word": ("medical_words",),
    "ordinary word": ("common_words",),
}


def classify_change(text: str) -> str:
    """Return the first class that has all words of a changed text.

    >>> [classify_change(text) for text in ("M.D.", "Foley", "3-0", "Quevix")]
    ['title or credential', 'eponym, device, maker', 'number or mark', 'other']
    """
    words = [fold(word) for word in WORD.findall(text)]
    if not words:
        return NUMBER
    whole = fold(text.strip())
    for name, lists in CLASSES.items():
        known = word_lists.load_lowercase(*lists)
        if whole in known or all(word in known for word in words):
            return name
    return OTHER


def list_false(gold: Document, redaction: Redaction) -> Iterator[tuple[str, Replacement]]:
    """Yield the text of each replacement that no gold span overlaps and that changes it."""
    index = SpanIndex(gold.spans)
    for made in redaction.replacements:
        text = gold.text[made.start : made.end]
        if made.replacement != text and not index.find(made):
            yield text, made


def report(title: str, notes: Sequence[Document], redactions: Sequence[Redaction]) -> Iterator[str]:
    """Yield the lines of one group of notes."""
    false = [list(list_false(note, redaction)) for note, redaction in zip(notes, redactions)]
    words = sum(len(WORD.findall(note.text)) for note in notes)
    changes = [(text, made.type) for each in false for text, made in each]
    hit, repeats = sum(map(bool, false)), sum(made.repeat for each in false for _, made in each)
    yield (
        f"{title}: {len(notes)} notes, {words:,} words, {len(changes)} false changes in {hit} notes, "
        f"{repeats} of them repeats"
    )
    for by, name in (
        ("class", lambda change: classify_change(change[0])),
        ("type", lambda change: change[1]),
    ):
        yield f"  per 1,000 words by {by}: {show_rates(changes, name, words)}"
    if any(note.spans for note in notes):
        yield f"  {count_notes(notes, redactions, *IDENTIFYING)} (names, numbers, contacts, streets)"


def show_context(note: Document, made: Replacement) -> str:
    before, after = note.text[max(0, made.start - AROUND) : made.start], note.text[made.end :][:AROUND]
    return repr(f"{before}[{note.text[made.start : made.end]}]{after}")


def show_rates(changes: Sequence[tuple[str, str]], name: Callable[[tuple[str, str]], str], words: int) -> str:
    counts = Counter(map(name, changes))
    return ", ".join(f"{kind} {1000 * n / words:.2f}" for kind, n in counts.most_common()) or "none"


def choose_groups(documents: int, part: str, reports: Sequence[int]) -> Iterator[tuple[str, list[Document]]]:
    """Yield the groups of notes by their titles, at most ``documents`` in each of those but the reports."""
    if reports:
        chosen = islice(read_settled(devset.DATA), *reports)
        yield "reports {} to {}".format(*reports), [devset.build_note(*report) for report in chosen]
    written = list(generate_written(part))
    yield f"written, {part}, with PHI", spread([note for note in written if note.spans], documents)
    yield f"written, {part}, without PHI", spread([note for note in written if not note.spans], documents)
    for path in sorted(TEXTS.glob("*.jsonl")):
        yield path.stem, list(islice(corpora.read(path, "jsonl"), documents))


def spread(notes: Sequence[Document], count: int) -> list[Document]:
    """Return at most ``count`` notes from the whole range.

    >>> spread(range(10), 3)
    [0, 3, 7]
    """
    step = max(1, len(notes) / count)
    return [notes[round(number * step)] for number in range(min(count, len(notes)))]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=40, help="of each group (default: %(default)s)")
    parser.add_argument("--model", default=model.RELEASE)
    parser.add_argument("--reports", type=int, nargs=2, default=(), metavar=("FIRST", "END"))
    parser.add_argument("--part", default="test", help="of the written corpus (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="print the false changes with their surrogates")
    args = parser.parse_args(arguments)
    tagger, threshold = tagging.load_tagger("tag", args.model)
    tag_group = tagging.build_tagger("tag", tagger, threshold)
    for title, notes in choose_groups(args.documents, args.part, args.reports):
        tagged = [found for note in notes for found in tag_group([note])]
        redactions = redact_each(tagged, title)
        print(*report(title, notes, redactions), sep="\n")
        if args.show:
            print(*(f"    {made.type} {show_context(note, made)} > {made.replacement!r}"
                    for note, redaction in zip(notes, redactions)
                    for _, made in list_false(note, redaction)), sep="\n")  # fmt: skip


if __name__ == "__main__":
    cli.run(main)
