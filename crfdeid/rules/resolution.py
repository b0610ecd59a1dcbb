"""From what single rules found to spans that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from crfdeid.rules.indexed_note import Note
from crfdeid.rules.rule import Rule
from crfdeid.text.document import Span

NAMES = frozenset(["PATIENT", "DOCTOR"])


class Finding(NamedTuple):
    """A span and the rule that found it. The span's type can differ from the rule's where the
    rule only guesses."""

    span: Span
    rule: Rule


def find(note: Note, lists, rules: Iterable[Rule]) -> list[Finding]:
    """All that each rule finds, overlapping as it comes."""
    return [
        Finding(Span(start, end, rule.type), rule)
        for rule in rules
        for start, end in set(rule.find(note, lists))
    ]


def resolved(text: str, findings: Sequence[Finding], rank: dict[str, int]) -> list[Finding]:
    """Findings without overlap. Names that share a character become one name; of others the
    longest is kept, on a tie the one of the first rule by ``rank``, and what sticks out of a
    kept one stays found if a letter or digit is in it: no character is lost."""
    names = [f for f in findings if f.span.type in NAMES]
    others = [f for f in findings if f.span.type not in NAMES]
    pool = [*others, *whole_names(names, rank)]
    pool.sort(key=lambda f: (f.span.start - f.span.end, rank[f.rule.name], f.span.start))
    kept: list[Finding] = []
    taken = bytearray(len(text))
    for finding in pool:
        for start, end in free(taken, finding.span):
            if any(character.isalnum() for character in text[start:end]):
                kept.append(Finding(trimmed(text, start, end, finding.span.type), finding.rule))
                taken[start:end] = b"\1" * (end - start)
    return sorted(kept, key=lambda f: f.span)


def whole_names(names: Sequence[Finding], rank: dict[str, int]) -> Iterator[Finding]:
    """Overlapping names as one, of the type and rule that is no guess, or of the first rule."""
    group: list[Finding] = []
    end = -1
    for finding in sorted(names, key=lambda f: f.span):
        if group and finding.span.start >= end:
            yield united(group, rank)
            group = []
        end = max(end, finding.span.end) if group else finding.span.end
        group.append(finding)
    if group:
        yield united(group, rank)


def united(group: Sequence[Finding], rank: dict[str, int]) -> Finding:
    best = min(group, key=lambda f: (f.rule.guess and f.span.type == f.rule.type, rank[f.rule.name]))
    start, end = min(f.span.start for f in group), max(f.span.end for f in group)
    return Finding(Span(start, end, best.span.type), best.rule)


def free(taken: bytearray, span: Span) -> Iterator[tuple[int, int]]:
    """The stretches of the span that nothing has taken yet."""
    at = span.start
    while at < span.end:
        if taken[at]:
            at += 1
            continue
        stop = taken.find(1, at, span.end)
        stop = span.end if stop < 0 else stop
        yield at, stop
        at = stop


def trimmed(text: str, start: int, end: int, type: str) -> Span:
    """Without white space at the ends, and without punctuation where a piece was cut off."""
    while text[start].isspace() or text[start] in ",;-/":
        start += 1
    while text[end - 1].isspace() or text[end - 1] in ",;-/":
        end -= 1
    return Span(start, end, type)
