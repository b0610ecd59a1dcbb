"""What the development set is measured by: PHI wholly covered, and the precision of tokens."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from crfdeid import files
from crfdeid.text.document import Document, Span
from crfdeid.text.spans import mask_spans

TOKEN = re.compile(r"[^\W_]+")
CONTEXT = 40


def tokens(document: Document) -> list[Span]:
    """The alphanumeric runs of the text; a span's type is of no account here."""
    return [Span(*match.span(), "TOKEN") for match in TOKEN.finditer(document.text)]


def covered(document: Document) -> bytearray:
    """For each character, whether a span covers it."""
    return mask_spans(len(document.text), document.spans)


def wholly(text: str, span: Span, mask: bytearray) -> bool:
    """Whether every letter and digit of the span is covered; gaps of other signs do not count.

    >>> found = Document("n", "Ana Ruiz", (Span(0, 3, "X"), Span(4, 8, "X")))
    >>> wholly("Ana Ruiz", Span(0, 8, "PATIENT"), covered(found))
    True
    """
    return all(mask[at] for at in range(span.start, span.end) if text[at].isalnum())


def coverage(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, tuple[int, int]]:
    """By type: gold spans wholly covered by spans of any type, and gold spans."""
    all_of, caught = Counter[str](), Counter[str]()
    for right, found in zip(gold, system):
        mask = covered(found)
        for span in right.spans:
            all_of[span.type] += 1
            caught[span.type] += wholly(right.text, span, mask)
    return {type: (caught[type], count) for type, count in all_of.most_common()}


def precision(gold: Sequence[Document], system: Sequence[Document]) -> float:
    """The share of tagged tokens (any character of them) that are in gold."""
    tagged = right = 0
    for answer, found in zip(gold, system):
        gold_mask, mask = covered(answer), covered(found)
        for token in tokens(answer):
            if any(mask[token.start : token.end]):
                tagged += 1
                right += any(gold_mask[token.start : token.end])
    return right / tagged if tagged else 0.0


def strict_f1(gold: Sequence[Document], system: Sequence[Document]) -> float:
    pairs = [(set(right.spans), set(found.spans)) for right, found in zip(gold, system)]
    both, all_of = sum(len(a & b) for a, b in pairs), sum(len(a) + len(b) for a, b in pairs)
    return 2 * both / all_of if all_of else 0.0


def table(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """The notes' figures as lines of text."""
    by_type = coverage(gold, system)
    caught, count = (sum(column) for column in zip(*by_type.values()))
    lines = [
        f"{len(gold)} notes, {count} spans",
        f"wholly covered   {caught / count:.3f}",
        f"token precision  {precision(gold, system):.3f}",
        f"strict F1        {strict_f1(gold, system):.3f}",
    ]
    lines += [f"  {type:<15}{hit / of:7.3f}{hit:7} of {of}" for type, (hit, of) in by_type.items()]
    return "\n".join(lines)


def query_lines(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """The queries' figures as lines of text."""
    by_type = coverage(gold, system)
    caught, count = (sum(column) for column in zip(*by_type.values()))
    clear = [found for right, found in zip(gold, system) if not right.spans]
    touched = sum(bool(found.spans) for found in clear)
    lines = [
        f"{len(gold)} queries, {count} values",
        f"wholly covered   {caught / count:.3f}",
        f"strict F1        {strict_f1(gold, system):.3f}",
        f"without PHI, touched  {touched / len(clear):.3f}  {touched} of {len(clear)}",
    ]
    lines += [f"  {type:<15}{hit / of:7.3f}{hit:7} of {of}" for type, (hit, of) in by_type.items()]
    return "\n".join(lines)


def in_context(document: Document, span: Span) -> str:
    """One line: the id and the span's text between brackets, with what stands around it."""
    before = document.text[max(0, span.start - CONTEXT) : span.start]
    after = document.text[span.end : span.end + CONTEXT]
    return " ".join(f"{document.id}  {before}[[{document.text_of(span)}]]{after}".split())


def mistakes(gold: Sequence[Document], system: Sequence[Document]) -> tuple[dict, dict]:
    """Missed gold spans and false alarms (spans that touch no gold), each by type, in context."""
    missed, alarms = defaultdict(list), defaultdict(list)
    for right, found in zip(gold, system):
        mask, gold_mask = covered(found), covered(right)
        for span in right.spans:
            if not wholly(right.text, span, mask):
                missed[span.type].append(in_context(right, span))
        for span in found.spans:
            if not any(gold_mask[span.start : span.end]):
                alarms[span.type].append(in_context(right, span))
    return missed, alarms


def write_misses(path: Path, gold: Sequence[Document], system: Sequence[Document]) -> None:
    """Write the mistakes, the most frequent types first."""
    with files.open_whole(path) as out:
        for title, by_type in zip(("MISSED", "FALSE ALARMS"), mistakes(gold, system)):
            for type, lines in sorted(by_type.items(), key=lambda item: -len(item[1])):
                out.write(f"== {title} {type} {len(lines)}\n")
                out.writelines(f"{line}\n" for line in ordered(lines))


def ordered(lines: Iterable[str]) -> list[str]:
    """By what stands between the brackets, so that what repeats stands together."""
    return sorted(lines, key=lambda line: line.split("[[", 1)[1])
