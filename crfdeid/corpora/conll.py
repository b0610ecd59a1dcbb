"""CoNLL: token, start, end and BIO label in columns parted by tabs; a blank line ends a line of
the note. ``# id``, ``# patient`` and ``# text`` (JSON) head each document. Without ``# text`` the text is
built from the tokens, at their offsets, blanks and line ends between them."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crfdeid import bio
from crfdeid.document import Document, Span, Token
from crfdeid.faults import DocumentFault, FormatFault
from crfdeid.files import read_text
from crfdeid.tokenizer import fine, is_line_end

SUFFIXES = (".conll", ".bio")


@dataclass
class _Lines:
    """What was read of one document so far."""

    head: dict[str, str | None] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    lines = _Lines()
    for number, line in enumerate(read_text(path, encoding).split("\n"), 1):
        where = f"{path}, line {number}"
        if line.startswith("# id = ") and (lines.tokens or lines.head):
            yield _document(lines, path)
            lines = _Lines()
        if line.startswith("# "):
            _head(lines, line, where)
        elif line.strip():
            _token(lines, line, where)
        else:
            lines.breaks.append(len(lines.tokens))
    if lines.tokens or lines.head:
        yield _document(lines, path)


def _head(lines: _Lines, line: str, where: str) -> None:
    name, _, value = line[2:].partition(" = ")
    if name in ("id", "patient", "text"):
        try:
            lines.head[name] = json.loads(value)
        except json.JSONDecodeError:
            raise FormatFault(f"{where}: {name} is not a JSON string") from None


def _token(lines: _Lines, line: str, where: str) -> None:
    columns = line.rstrip("\r").split("\t")
    try:
        text, start, end, label = columns
        token = Token(text, int(start))
    except ValueError:
        raise FormatFault(f"{where}: {len(columns)} columns; wanted token, start, end, label") from None
    if token.end != int(end) or not (label == "O" or label[:2] in ("B-", "I-")):
        raise FormatFault(f"{where}: end is not start and the token's length, or the label is not BIO")
    if lines.tokens and token.start < lines.tokens[-1].end:
        raise FormatFault(f"{where}: the token begins before the one above ends")
    lines.tokens.append(token)
    lines.labels.append(label)


def _document(lines: _Lines, path: Path) -> Document:
    text = lines.head.get("text")
    text = _built(lines) if text is None else text
    for token in lines.tokens:
        if text[token.start : token.end] != token.text:
            raise FormatFault(f"{path}: the token at {token.start}-{token.end} is not in the text there")
    try:
        return Document(
            lines.head.get("id") or path.stem, text, _spans(lines), lines.head.get("patient")
        )
    except DocumentFault as fault:
        raise FormatFault(f"{path}: {fault}") from None


def _spans(lines: _Lines) -> tuple[Span, ...]:
    return tuple(bio.decode(lines.tokens, lines.labels))


def _built(lines: _Lines) -> str:
    parts, end = [], 0
    for index, token in enumerate(lines.tokens):
        gap = token.start - end
        filled = "\n" + " " * (gap - 1) if gap and index in lines.breaks else " " * gap
        parts += [filled, token.text]
        end = token.end
    return "".join(parts)


def render(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        bio.refuse_overlaps(document)
        yield f"# id = {json.dumps(document.id)}\n"
        if document.patient is not None:
            yield f"# patient = {json.dumps(document.patient)}\n"
        yield f"# text = {json.dumps(document.text)}\n"
        tokens = split_at([t for t in fine(document.text)], document.spans)
        for token, label in zip(tokens, bio.encode(tokens, document.spans)):
            yield "\n" if is_line_end(token) and label == "O" else _row(token, label)
        yield "\n"


def _row(token: Token, label: str) -> str:
    return "" if is_line_end(token) else f"{token.text}\t{token.start}\t{token.end}\t{label}\n"


def split_at(tokens: list[Token], spans: Iterable[Span]) -> list[Token]:
    """Tokens cut where a span begins or ends inside them, so that labels can hold it.

    >>> [t.text for t in split_at([Token("x76221", 0)], [Span(1, 6, "PHONE")])]
    ['x', '76221']
    """
    edges = sorted({edge for span in spans for edge in (span.start, span.end)})
    parts = []
    for token in tokens:
        inside = edges[bisect_right(edges, token.start) : bisect_left(edges, token.end)]
        bounds = [token.start, *inside, token.end]
        parts += [Token(token.text[a - token.start : b - token.start], a) for a, b in zip(bounds, bounds[1:])]
    return parts
