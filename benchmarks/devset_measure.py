"""The measures of the development set: PHI that is covered completely, and token precision."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from crfdeid import files, policy
from crfdeid.text.document import Document, Span, mask_spans

TOKEN = re.compile(r"[^\W_]+")
CONTEXT = 40
HEAD = (
    f"{'documents':>10}{'spans':>8}{'covered':>16}{'precision':>16}{'strict F1':>16}{'clean':>8}{'alarms':>8}"
)
Row = tuple[str, Sequence[Document], Sequence[Document]]  # name, gold, system


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


def read_type(document: Document, span: Span) -> str:
    return span.type


def count_covered(
    gold: Sequence[Document],
    system: Sequence[Document],
    kind: Callable[[Document, Span], str | None] = read_type,
) -> dict[str, tuple[int, int]]:
    """Return, by type (or another ``kind`` of a gold span; ``None`` is not counted), the number of gold spans
    that spans of any type cover completely, and the number of gold spans."""
    all_of, caught = Counter[str](), Counter[str]()
    for right, found in zip(gold, system):
        mask = build_mask(found)
        for span in right.spans:
            if (name := kind(right, span)) is not None:
                all_of[name] += 1
                caught[name] += is_covered(right.text, span, mask)
    return {name: (caught[name], count) for name, count in all_of.most_common()}


def sum_covered(gold: Sequence[Document], system: Sequence[Document]) -> tuple[int, int]:
    """Return the number of gold spans that are covered completely, and the number of gold spans."""
    return count_covered(gold, system, lambda document, span: "all").get("all", (0, 0))


def compute_precision(gold: Sequence[Document], system: Sequence[Document]) -> float:
    """Return the share of tagged tokens that overlap a gold span; a token is tagged if one character is."""
    counts = [count_tokens(*pair) for pair in zip(gold, system)]
    tagged = sum(count for _, count in counts)
    return sum(right for right, _ in counts) / tagged if tagged else 0.0


def count_tokens(gold: Document, system: Document) -> tuple[int, int]:
    """Return the tagged tokens of a note that overlap a gold span, and all tagged ones."""
    gold_mask, mask = build_mask(gold), build_mask(system)
    tagged = [token for token in find_tokens(gold) if any(mask[token.start : token.end])]
    return sum(any(gold_mask[token.start : token.end]) for token in tagged), len(tagged)


def compute_strict_f1(gold: Sequence[Document], system: Sequence[Document]) -> float:
    pairs = [(set(right.spans), set(found.spans)) for right, found in zip(gold, system)]
    both, all_of = sum(len(a & b) for a, b in pairs), sum(len(a) + len(b) for a, b in pairs)
    return 2 * both / all_of if all_of else 0.0


def count_clean(gold: Sequence[Document], system: Sequence[Document]) -> int:
    """Return the number of documents in which every gold span is covered completely."""
    pairs = ((right, build_mask(found)) for right, found in zip(gold, system))
    return sum(all(is_covered(right.text, span, mask) for span in right.spans) for right, mask in pairs)


def count_alarms(gold: Sequence[Document], system: Sequence[Document]) -> int:
    """Return the number of found spans that overlap no gold span."""
    masks = ((build_mask(right), found) for right, found in zip(gold, system))
    return sum(not any(mask[span.start : span.end]) for mask, found in masks for span in found.spans)


def format_counts(title: str, counts: Mapping[str, tuple[int, int]]) -> str:
    """Return one line for each entry: covered, of all."""
    return "\n".join(
        [title, *(f"  {name:<22}{hit / of:7.3f}{hit:7} of {of}" for name, (hit, of) in counts.items())]
    )


def format_table(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return the figures of the notes as text."""
    caught, count = sum_covered(gold, system)
    lines = [
        f"{len(gold)} notes, {count} spans",
        f"wholly covered   {caught / count:.3f}",
        f"token precision  {compute_precision(gold, system):.3f}",
        f"strict F1        {compute_strict_f1(gold, system):.3f}",
        f"clean notes      {count_clean(gold, system)} of {len(gold)}",
    ]
    return format_counts("\n".join(lines), count_covered(gold, system))


def format_queries(gold: Sequence[Document], system: Sequence[Document]) -> str:
    """Return the figures of the queries as text."""
    caught, count = sum_covered(gold, system)
    clear = [found for right, found in zip(gold, system) if not right.spans]
    touched = sum(bool(found.spans) for found in clear)
    lines = [
        f"{len(gold)} queries, {count} values",
        f"wholly covered   {caught / count:.3f}",
        f"strict F1        {compute_strict_f1(gold, system):.3f}",
        f"without PHI, touched  {touched / len(clear):.3f}  {touched} of {len(clear)}",
    ]
    return format_counts("\n".join(lines), count_covered(gold, system))


def format_clear_queries(gold: Sequence[Document], system: Sequence[Document], name: str) -> str:
    """Return how many queries without PHI under a policy are touched: all spans, and those it selects."""
    select = policy.read_policy(name).select_phi
    clear = [found for right, found in zip(gold, system) if not select(right).spans]
    plain, selected = (sum(bool(found.spans) for found in some) for some in (clear, map(select, clear)))
    shares = f"{plain / len(clear):.3f}, with the policy {selected / len(clear):.3f}"
    return f"without PHI under {name}, touched  {shares}  {plain}, {selected} of {len(clear)}"


def compute_shares(gold: Sequence[Document], system: Sequence[Document]) -> tuple[float, float, float]:
    """Return the share of gold spans that are covered, token precision, and strict F1."""
    caught, count = sum_covered(gold, system)
    return caught / (count or 1), compute_precision(gold, system), compute_strict_f1(gold, system)


def format_rows(title: str, rows: Iterable[Row], compare: bool = False) -> str:
    """Return a table with a line for each row; ``compare`` adds the differences to the first row."""
    lines, base = [f"{title:<20}{HEAD}"], None
    for name, gold, system in rows:
        shares = compute_shares(gold, system)
        base = base or shares
        changes = [f" ({one - first:+.3f})" if compare else "" for one, first in zip(shares, base)]
        cells = "".join(f"{f'{one:.3f}{change}':>16}" for one, change in zip(shares, changes))
        counts = f"{len(gold):>10}{sum_covered(gold, system)[1]:>8}"
        ends = f"{count_clean(gold, system):>8}{count_alarms(gold, system):>8}"
        lines.append(f"{name:<20}{counts}{cells}{ends}")
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
