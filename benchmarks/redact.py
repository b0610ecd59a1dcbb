"""What redaction costs on top of tagging, and whether it keeps its promises on a whole corpus.

    python benchmarks/redact.py [--documents 400] [--tokens 1000000]

Synthetic notes with their gold spans are redacted patient by patient and, with a key, note by note,
again and again until so many tokens are done; the seconds are those of the CPU. Then every promise is
counted: intervals between dates that say day, month and year, and found names that still stand in the
patient's output; and once more with two of five spans taken away at random, as a tagger misses them: whole
words of names and whole identifiers, found elsewhere, that stand in the output and are not listed.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import time
from collections.abc import Sequence
from datetime import date
from itertools import groupby

from crfdeid import synthetic
from crfdeid.redact.redactor import Redaction, Redactor, identify_patient
from crfdeid.redact.surrogates import kinds, name_pools
from crfdeid.redact.surrogates.dates import parser
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fine

SECRET = b"a secret of the benchmark"
FOUND = 0.6  # of the spans, where the others are missed
WHOLE = re.compile(r"[^\W_]+")


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("--documents", type=int, default=400)
    parse.add_argument("--tokens", type=int, default=1_000_000)
    given = parse.parse_args()
    corpus = list(synthetic.generate(given.documents, seed=7))
    groups = [list(group) for _, group in groupby(corpus, key=identify_patient)]
    tokens = sum(len(fine(document.text)) for document in corpus)
    spans = sum(len(document.spans) for document in corpus)
    print(f"{len(corpus)} notes of {len(groups)} patients, {tokens:,} tokens, {spans:,} spans")
    for by_note in (False, True):
        seconds, done = timed(groups, tokens, given.tokens, by_note)
        print(f"{'note by note' if by_note else 'by patient':12}  {done:,} tokens in {seconds:.1f} s of CPU, "
              f"{done / seconds:,.0f} tokens/s")  # fmt: skip
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    promises(groups)
    missed(groups, random.Random(7))


def timed(groups: list[list[Document]], tokens: int, wanted: int, by_note: bool) -> tuple[float, int]:
    Redactor(SECRET).redact(groups[0])  # reads the lists
    start, done = time.process_time(), 0
    while done < wanted:
        redactor = Redactor(SECRET, by_note=by_note)
        for group in groups:
            redactor.redact(group)
        done += tokens
    return time.process_time() - start, done


def promises(groups: list[list[Document]]) -> None:
    redactor = Redactor(SECRET)
    pairs = kept = unresolved = names = left = dates = 0
    for group in groups:
        found = redactor.redact(group)
        before, after = days(group, found)
        shifts = [new - old for old, new in zip(before, after)]
        dates += len(shifts)
        pairs += len(shifts) * (len(shifts) - 1) // 2
        kept += sum(a == b for i, a in enumerate(shifts) for b in shifts[:i])
        for redaction in found:
            unresolved += sum(not made.resolved for made in redaction.replacements)
            names += sum(kinds.kind_of(made.type) == kinds.NAME for made in redaction.replacements)
            left += sum(kinds.kind_of(span.type) == kinds.NAME for span in redaction.survivors)
    print(f"{kept:,} of {pairs:,} intervals between {dates:,} whole dates kept to the day")
    print(f"{unresolved} spans could not be read and became a marker")
    print(f"{names:,} names replaced; {left} places still hold a word of a name, listed by offset")


def missed(groups: list[list[Document]], rng: random.Random) -> None:
    repeats = listed = unlisted = 0
    for group in groups:
        notes = [note.with_spans(s for s in note.spans if rng.random() < FOUND) for note in group]
        known = {word for note in notes for span in note.spans for word in telling(note, span)}
        for redaction in Redactor(SECRET).redact(notes):
            repeats += sum(made.repeat for made in redaction.replacements)
            listed += len(redaction.survivors)
            for match in WHOLE.finditer(redaction.document.text):
                at = any(s.start <= match.start() and match.end() <= s.end for s in redaction.survivors)
                unlisted += match[0].lower() in known and not at
    print(f"with {FOUND:.0%} of the spans: {repeats:,} repeats replaced, {listed} survivors listed, "
          f"{unlisted} names and identifiers not listed")  # fmt: skip


def telling(note: Document, span: Span) -> list[str]:
    """The words of a name of five letters or more, or an identifier of six characters or more."""
    kind, text = kinds.kind_of(span.type), note.text_of(span).lower()
    if kind == kinds.NAME:
        return [
            word
            for word in WHOLE.findall(text)
            if len(word) > 4 and word not in name_pools.load_lowercase("titles")
        ]
    return [text] if kind == kinds.IDENTIFIER and len(text) > 5 and text.isalnum() else []


def days(group: Sequence[Document], found: Sequence[Redaction]) -> tuple[list[date], list[date]]:
    """The days of dates of one moment with a year of four digits, before and after."""
    before, after = [], []
    for document, redaction in zip(group, found):
        for made in redaction.replacements:
            if kinds.kind_of(made.type) == kinds.DATE and made.treatment == "shifted":
                old, new = day(document.text[made.start : made.end]), day(made.replacement)
                if old and new:
                    before.append(old)
                    after.append(new)
    return before, after


def day(text: str) -> date | None:
    moments = parser.parse_dates(text) or []
    said = {field.unit: field for field in moments[0].fields} if len(moments) == 1 else {}
    if set(said) != {"y", "m", "d"} or len(said["y"].text) != 4:
        return None
    return date(said["y"].value, said["m"].value, said["d"].value)


if __name__ == "__main__":
    main()
