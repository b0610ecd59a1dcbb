"""The measures of the development set: PHI that is covered completely, and token precision."""

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


def find_tokens(document: Document) -> list[Span]:
    """Return the alphanumeric runs of the text, all with one type."""
    return [Span(*match.span(), "TOKEN") for match in TOKEN.finditer(document.text)]


def build_mask(document: Document) -> bytearray:
    """Return one byte per character: 1 where a span covers it."""
    return mask_spans(len(document.text), document.spans)


def is_covered(text: str, span: Span, mask: bytearray) -> bool:
    """Whether every letter and digit of the span is covered; other characters do not count.

    >>> found = Document("n", "Ana Ruiz", (Span(0, 3, "X"), Span(4, 8, "X")))
    >>> is_covered("Ana Ruiz", Span(0, 8, "PATIENT"), build_mask(found))
    True
    """
    return all(mask[at] for at in range(span.start, span.end) if text[at].isalnum())


def count_covered(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, tuple[int, int]]:
    """Return, by type, the number of gold spans that spans of any type cover completely, and the number of
    gold spans."""
    all_of, caught = Counter[str](), Counter[str]()
    for right, found in zip(gold, system):
        mask = build_mask(found)
        for span in right.spans:
            all_of[span.type] += 1
            caught[span.type] += is_covered(right.text, span, mask)
    return {type: (caught[type], count) for type, count in all_of.most_common()}


def compute_precision(gold: Sequence[Document], system: Sequence[Document]) -> float:
    """Return the share of tagged tokens that overlap a gold span; a token is tagged if one character is."""
    tagged = right = 0
    for answer, found in zip(gold, system):
        gold_mask, mask = build_mask(answer), build_mask(found)
        for token in find_tokens(answer):
            if any(mask[token.start : token.end]):
                tagged += 1
                right += any(gold_mask[token.start : token.end])
    return right / tagged if tagged else 0.0


def compute_strict_f1(gold: Sequence[Document], system: Sequence[Document]) -> float:
    pairs = [(set(right.spans), set(found.spans)) for right, found in zip(gold, system)]
    both, all_of = sum(len(a & b) for a, b in pairs), sum(len(a) + len(b) for a, b in pairs)
    return 2 * both / all_of if all_of else 0.0


def count_clean(gold: Sequence[Document], system: Sequence[Document]) -> int:
    """Return the number of documents in which every gold span is covered completely."""
    pairs = ((right, build_mask(found)) for right, found in zip(gold, system))
    return sum(all(is_covered(right.text, span, mask) for span in right.spans) for right, mask in pairs)


def format_table(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return the figures of the notes as text."""
    by_type = count_covered(gold, system)
    caught, count = (sum(column) for column in zip(*by_type.values()))
    lines = [
        f"{len(gold)} notes, {count} spans",
        f"wholly covered   {caught / count:.3f}",
        f"token precision  {compute_precision(gold, system):.3f}",
        f"strict F1        {compute_strict_f1(gold, system):.3f}",
        f"clean notes      {count_clean(gold, system)} of {len(gold)}",
    ]
    lines += [f"  {type:<15}{hit / of:7.3f}{hit:7} of {of}" for type, (hit, of) in by_type.items()]
    return "\n".join(lines)


def format_queries(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return the figures of the queries as text."""
    by_type = count_covered(gold, system)
    caught, count = (sum(column) for column in zip(*by_type.values()))
    clear = [found for right, found in zip(gold, system) if not right.spans]
    touched = sum(bool(found.spans) for found in clear)
    lines = [
        f"{len(gold)} queries, {count} values",
        f"wholly covered   {caught / count:.3f}",
        f"strict F1        {compute_strict_f1(gold, system):.3f}",
        f"without PHI, touched  {touched / len(clear):.3f}  {touched} of {len(clear)}",
    ]
    lines += [f"  {type:<15}{hit / of:7.3f}{hit:7} of {of}" for type, (hit, of) in by_type.items()]
    return "\n".join(lines)


def format_context(document: Document, span: Span) -> str:
    """Return one line: the id, and the span's text in brackets with its context."""
    before = document.text[max(0, span.start - CONTEXT) : span.start]
    after = document.text[span.end : span.end + CONTEXT]
    return " ".join(f"{document.id}  {before}[[{document.text_of(span)}]]{after}".split())


def find_errors(gold: Sequence[Document], system: Sequence[Document]) -> tuple[dict, dict]:
    """Return missed gold spans and false alarms (spans that overlap no gold span) by type, in context."""
    missed, alarms = defaultdict(list), defaultdict(list)
    for right, found in zip(gold, system):
        mask, gold_mask = build_mask(found), build_mask(right)
        for span in right.spans:
            if not is_covered(right.text, span, mask):
                missed[span.type].append(format_context(right, span))
        for span in found.spans:
            if not any(gold_mask[span.start : span.end]):
                alarms[span.type].append(format_context(right, span))
    return missed, alarms


def write_errors(path: Path, gold: Sequence[Document], system: Sequence[Document]) -> None:
    """Write the errors, the most frequent types first."""
    with files.open_whole(path) as out:
        for title, by_type in zip(("MISSED", "FALSE ALARMS"), find_errors(gold, system)):
            for type, lines in sorted(by_type.items(), key=lambda item: -len(item[1])):
                out.write(f"== {title} {type} {len(lines)}\n")
                out.writelines(f"{line}\n" for line in sort_lines(lines))


def sort_lines(lines: Iterable[str]) -> list[str]:
    """Sort by the text in brackets, so that repeats are neighbours."""
    return sorted(lines, key=lambda line: line.split("[[", 1)[1])
