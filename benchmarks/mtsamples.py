"""The shipped model on the 1,584 MTSamples reports: what can be measured without gold spans.

    python benchmarks/mtsamples.py [--model FOLDER] [--data FILE] [--frequent FILE]

Prints the recall of patterns that are certainly PHI, how much text is tagged per type, time, tokens per
second and peak memory. ``--frequent`` writes the 100 most frequent tagged strings of medical words: false
alarms to read.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from crfdeid import cli, files
from crfdeid.systems import model
from crfdeid.text import gazetteer
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fine

DATA = Path("../shared/data/mtsamples/mtsamples.jsonl")
WORDS = "medical_words"
MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"

# Patterns that are certainly PHI; group 1 is the span.
PATTERNS = {
    "numeric date with year": (
        r"(?<![\d/.-])((?:1[0-2]|0?[1-9])[/-](?:3[01]|[12]\d|0?[1-9])[/-](?:(?:19|20)\d\d|\d\d))(?![\d/-])"
    ),
    "month-name date": rf"\b({MONTH} (?:of )?(?:\d{{1,2}}(?:, ?\d{{4}})?|\d{{4}}))\b",
    "NN-year-old": r"\b(\d{1,3})[- ]year[- ]old",
    "Dr. X": r"\bDr\. ([A-Z](?:[a-z]+|[A-Z]+)?)\b",
    "Mr. ABC": r"\bM(?:r|s|rs)\. ([A-Z](?:[a-z]+|[A-Z]+)?)\b",
    "ABCD General Hospital": r"\b((?:ABCD?|XYZ) (?:General |Memorial )?(?:Hospital|Medical Center|Clinic))\b",
}
COMPILED = {name: re.compile(pattern) for name, pattern in PATTERNS.items()}


def read_reports(path: Path = DATA) -> list[Document]:
    """Read the reports without changes: commas replace their line breaks."""
    rows = map(json.loads, files.read_text(path).splitlines())
    return [Document(row["id"], row["text"]) for row in rows]


def count_patterns(documents: Iterable[Document]) -> dict[str, tuple[int, int]]:
    """Return, by pattern, the number of matches with every letter and digit in a span, and of all matches.

    >>> from crfdeid.text.document import Span
    >>> recall([Document("n", "Dr. X saw Mr. ABC", (Span(4, 5, "DOCTOR"),))])["Mr. ABC"]
    (0, 1)
    """
    hits, all_of = Counter[str](), Counter[str]()
    for document in documents:
        covered = {at for span in document.spans for at in range(span.start, span.end)}
        for name, pattern in COMPILED.items():
            for match in pattern.finditer(document.text):
                all_of[name] += 1
                hits[name] += all(
                    at in covered for at in range(*match.span(1)) if document.text[at].isalnum()
                )
    return {name: (hits[name], all_of[name]) for name in COMPILED}


def count_tagged(documents: Iterable[Document]) -> dict[str, tuple[int, int]]:
    """Return, by type, the numbers of spans and of tagged characters; the most frequent type first."""
    spans, characters = Counter[str](), Counter[str]()
    for document in documents:
        for span in document.spans:
            spans[span.type] += 1
            characters[span.type] += span.end - span.start
    return {type: (count, characters[type]) for type, count in spans.most_common()}


def find_frequent(
    documents: Iterable[Document], words: frozenset[str], most: int = 100
) -> list[tuple[str, int]]:
    """Return the most frequent tagged strings that consist of ``words``."""
    texts = Counter(
        " ".join(document.text_of(span).lower().split()) for document in documents for span in document.spans
    )
    known = Counter({text: count for text, count in texts.items() if is_known(text, words)})
    return known.most_common(most)


def is_known(text: str, words: frozenset[str]) -> bool:
    found = re.findall(r"[^\W\d_]+", text)
    return bool(found) and all(word in words for word in found)


def format_summary(documents: Sequence[Document]) -> str:
    total = sum(len(document.text) for document in documents)
    lines = [f"{'recall of what is PHI beyond doubt':<36}"]
    lines += [
        f"  {name:<26}{hit / of:7.3f}{hit:7} of {of}"
        for name, (hit, of) in count_patterns(documents).items()
        if of
    ]
    lines += ["", f"{'tagged':<18}{'spans':>7}  characters of {total:,}"]
    lines += [
        f"  {type:<16}{count:7}{size:9} {size / total:8.3%}"
        for type, (count, size) in count_tagged(documents).items()
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, help="a model folder (default: the shipped model)")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--frequent", type=Path, help="write the tagged strings that are medical words here")
    args = parser.parse_args(arguments)
    tagger, documents = model.load(args.model), read_reports(args.data)
    began = time.perf_counter()
    tagged = list(cli.show_progress(tagger.tag_all(documents), "tag", len(documents)))
    seconds = time.perf_counter() - began
    tokens = sum(len(fine(document.text)) for document in documents)
    print(f"{len(documents)} reports, {tokens:,} tokens, {seconds:.1f} s, {tokens / seconds:,.0f} tokens/s")
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB\n")
    print(format_summary(tagged))
    if args.frequent:
        words = gazetteer.read_gazetteer(gazetteer.find_gazetteer(WORDS)).words
        with files.open_whole(args.frequent) as out:
            out.writelines(f"{count}\t{text}\n" for text, count in find_frequent(tagged, words))


if __name__ == "__main__":
    cli.run(main)
