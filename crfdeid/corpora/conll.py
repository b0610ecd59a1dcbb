"""CoNLL: token, start, end and BIO label in columns parted by tabs; a blank line ends a line of
the note. ``# id``, ``# patient`` and ``# text`` (JSON) head each document, or ``-DOCSTART-`` parts
them. Without ``# text`` the text is built from the tokens, at their offsets, blanks and line ends
between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from crfdeid.corpora.storage import opened
from crfdeid.errors import FormatError
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenizer import fine

SUFFIXES = (".conll", ".bio")
NUMBER = re.compile(r"\d{1,12}", re.ASCII)
LONGEST_GAP = 20_000_000  # characters between two tokens; more is a damaged offset


@dataclass
class _Lines:
    """What was read of one document so far."""

    head: dict[str, str] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)

    @property
    def complete(self) -> bool:
        """Whether a line that begins a document begins the next; ``# text`` may precede ``# id``."""
        return bool(self.tokens or "id" in self.head)


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    lines, count = _Lines(), 0
    with opened(path, encoding) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\r\n").removeprefix("\ufeff")
            if _begins(line) and lines.complete:
                count += 1
                yield _document(lines, path, count)
                lines = _Lines()
            _take(lines, line, f"{path}, line {number}")
    if lines.tokens or lines.head:
        yield _document(lines, path, count + 1)


def _begins(line: str) -> bool:
    return line.startswith("# id = ") or (line.startswith("-DOCSTART-") and line.count("\t") != 3)


def _take(lines: _Lines, line: str, where: str) -> None:
    if not line.strip():
        lines.breaks.add(len(lines.tokens))
    elif line.startswith("# "):
        _head(lines, line, where)
    elif not _begins(line):
        _token(lines, line, where)


def _head(lines: _Lines, line: str, where: str) -> None:
    """Our heads are JSON; the ids of other programs' files often are not."""
    name, _, value = line[2:].partition(" = ")
    if name not in ("id", "patient", "text"):
        return
    if name == "text" or value.startswith('"'):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
        if not isinstance(value, str):
            raise FormatError(f"{where}: {name} is not a JSON string")
    lines.head[name] = value


def _token(lines: _Lines, line: str, where: str) -> None:
    columns = line.split("\t")
    if len(columns) != 4:
        raise FormatError(f"{where}: {len(columns)} columns; wanted token, start, end, label")
    text, start, end, label = columns
    if not (NUMBER.fullmatch(start) and NUMBER.fullmatch(end) and len(text) == int(end) - int(start) > 0):
        raise FormatError(f"{where}: end is not start and the token's length")
    if not (label == "O" or (label[:2] in ("B-", "I-") and label[2:])):
        raise FormatError(f"{where}: its label is not O, B-TYPE or I-TYPE")
    previous = lines.tokens[-1].end if lines.tokens else 0
    if not 0 <= int(start) - previous <= LONGEST_GAP:
        raise FormatError(f"{where}: the token does not follow the one above, which ends at {previous}")
    lines.tokens.append(Token(text, int(start)))
    lines.labels.append(label)


def _document(lines: _Lines, path: Path, number: int) -> Document:
    text = lines.head.get("text")
    text = _built(lines) if text is None else text
    for token in lines.tokens:
        if shown(text[token.start : token.end]) != shown(token.text):
            raise FormatError(f"{path}: the token at {token.start}-{token.end} is not in the text there")
    id = lines.head.get("id", path.stem if number == 1 else f"{path.stem}-{number}")
    return Document(id, text, tuple(bio.decode(lines.tokens, lines.labels)), lines.head.get("patient"))


def _built(lines: _Lines) -> str:
    parts, end = [], 0
    for index, token in enumerate(lines.tokens):
        gap = token.start - end
        filled = "\n" + " " * (gap - 1) if gap and index in lines.breaks else " " * gap
        parts += [filled, token.text]
        end = token.end
    return "".join(parts)


def render(documents: Iterable[Document], tokenize: Callable[[str], list[Token]] = fine) -> Iterator[str]:
    for document in documents:
        bio.refuse_overlaps(document)
        yield f"# id = {json.dumps(document.id)}\n"
        if document.patient is not None:
            yield f"# patient = {json.dumps(document.patient)}\n"
        yield f"# text = {json.dumps(document.text)}\n"
        tokens = split_at(document.text, tokenize(document.text), document.spans)
        end = 0
        for token, label in zip(tokens, bio.encode(tokens, document.spans)):
            if re.search(r"[\t\r\n]", label):
                raise FormatError(f"{document.id}: type {label[2:]!r} cannot be written in CoNLL")
            yield "\n" if "\n" in document.text[end : token.start] else ""
            yield f"{shown(token.text)}\t{token.start}\t{token.end}\t{label}\n"
            end = token.end
        yield "\n"


def shown(text: str) -> str:
    """``text`` with its white space visible, so that it fits a column; as long as before."""
    return re.sub(r"\s", "␣", text)


def split_at(text: str, tokens: Iterable[Token], spans: Iterable[Span]) -> list[Token]:
    """Tokens cut where a span begins or ends inside them, so that labels can hold it; white
    space is a token only where a span begins or ends with it.

    >>> [t.text for t in split_at("x76221 ", [Token("x76221", 0)], [Span(1, 7, "PHONE")])]
    ['x', '76221', ' ']
    """
    spans = tuple(spans)
    starts, ends = {span.start for span in spans}, {span.end for span in spans}
    edges = {0, len(text)} | starts | ends
    for token in tokens:
        edges |= {token.start, token.end}
    return [
        Token(text[a:b], a)
        for a, b in pairwise(sorted(edges))
        if not text[a:b].isspace() or a in starts or b in ends
    ]
