"""Spans to BIO labels, and back.

Illegal sequences are repaired as conlleval does: an ``I-X`` that follows neither ``B-X`` nor ``I-X``
begins a span. No token that has a PHI label is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crfdeid.errors import DocumentError, show_id
from crfdeid.text.document import Document, Span, Token, find_overlap
from crfdeid.text.scheme import show_span

OUTSIDE = "O"


def encode(tokens: Sequence[Token], spans: Iterable[Span]) -> list[str]:
    """Return one label per token. A token that shares a character with a span gets the span's label:
    better a character too many than one too few. ``spans`` are sorted and do not overlap.

    >>> tokens = [Token("Dr", 0), Token("Ana", 3), Token("Ruiz", 7)]
    >>> encode(tokens, (Span(3, 11, "DOCTOR"),))
    ['O', 'B-DOCTOR', 'I-DOCTOR']
    """
    labels, waiting = [], iter(spans)
    span, previous = next(waiting, None), None
    for token in tokens:
        while span and span.end <= token.start:
            span = next(waiting, None)
        if span and span.start < token.end:
            labels.append(f"{'I' if span is previous else 'B'}-{span.type}")
            previous = span
        else:
            labels.append(OUTSIDE)
    return labels


def mark_last(labels: Sequence[str]) -> list[str]:
    """Return the labels with ``B`` at the last token of each span in place of its first: the labels of a text
    that is read backwards, for a CRF that learns where spans end.

    >>> mark_last(["B-AGE", "I-AGE", "B-AGE", "O"])
    ['I-AGE', 'B-AGE', 'B-AGE', 'O']
    """
    return [
        label if label == OUTSIDE else ("I" if after == f"I{label[1:]}" else "B") + label[1:]
        for label, after in zip(labels, [*labels[1:], OUTSIDE])
    ]


def decode(tokens: Sequence[Token], labels: Sequence[str]) -> list[Span]:
    """Return the spans of a label sequence.

    >>> decode([Token("Ana", 3), Token("Ruiz", 7)], ["I-DOCTOR", "I-DOCTOR"])
    [Span(start=3, end=11, type='DOCTOR', probability=None)]
    """
    return [
        Span(tokens[first].start, tokens[last].end, labels[first][2:])
        for first, last in find_labelled_runs(labels)
    ]


def find_labelled_runs(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first and last index of each run of one span's labels, repaired.

    >>> find_labelled_runs(["B-DATE", "I-DATE", "B-DATE", "O", "I-AGE"])
    [(0, 1), (2, 2), (4, 4)]
    """
    runs: list[tuple[int, int]] = []
    previous = OUTSIDE
    for index, label in enumerate(labels):
        if label[0] == "I" and previous[2:] == label[2:]:
            runs[-1] = (runs[-1][0], index)
        elif label != OUTSIDE:
            runs.append((index, index))
        previous = label
    return runs


def list_illegal_pairs(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of labels of which the second cannot follow the first.

    >>> list_illegal_pairs(["O", "B-AGE", "I-AGE", "I-DATE"])  # doctest: +NORMALIZE_WHITESPACE
    [('O', 'I-AGE'), ('O', 'I-DATE'), ('B-AGE', 'I-DATE'), ('I-AGE', 'I-DATE'), ('I-DATE', 'I-AGE')]
    """
    known = list(labels)
    return [(a, b) for a in known for b in known if b[0] == "I" and a[1:] != b[1:]]


def refuse_overlaps(document: Document) -> None:
    """Raise :class:`DocumentError` if two spans overlap: BIO gives a token only one label. The error names
    the two spans, and the option that allows them."""
    if pair := find_overlap(document.spans):
        a, b = pair
        raise DocumentError(
            f"{show_id(document.id)}: {show_span(a)} overlaps {show_span(b)}; "
            "BIO labels cannot hold both: --overlaps longest keeps the longer one"
        )


def count_cut_spans(tokens: Sequence[Token], spans: Iterable[Span]) -> int:
    """Count the spans that begin or end inside a token, which :func:`encode` widens to whole tokens.

    >>> count_cut_spans([Token("x76221", 0)], [Span(1, 6, "PHONE")])
    1
    """
    starts = {token.start for token in tokens}
    ends = {token.end for token in tokens}
    return sum(span.start not in starts or span.end not in ends for span in spans)
