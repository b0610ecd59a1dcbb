"""CoNLL: a token a line, ``token⇥start⇥end⇥label`` with BIO labels.

A document begins with ``# id = …`` (or ``-DOCSTART-``) and carries its text as
``# text = "…"`` in JSON's notation, since tokens alone do not tell which white space
stood between them. In a file without such lines the text is rebuilt: tokens at their
offsets, a line end before a token that follows an empty line, spaces elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from crfdeid import bio, tokenizer
from crfdeid.document import Document, Span, Token
from crfdeid.faults import FormatFault

SUFFIX = ".conll"
LONGEST_GAP = 20_000_000  # characters between tokens; more is a damaged offset
ROW = re.compile(r"([^\t]+)\t(\d{1,12})\t(\d{1,12})\t(O|[BI]-[^\t]+)", re.ASCII)
COMMENT = re.compile(r"# (id|patient|text) = (.*)", re.DOTALL)


@dataclass
class Page:
    """A document while its lines are read."""

    where: str
    id: str | None = None
    patient: str | None = None
    text: str | None = None
    rebuilt: list[str] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    gap: str = " "

    @property
    def complete(self) -> bool:
        """Whether a line that begins a document begins the next one: ``# text`` may
        come before ``# id``."""
        return bool(self.tokens or self.id is not None)

    @property
    def begun(self) -> bool:
        return bool(self.tokens or self.id is not None or self.text is not None)

    def add(self, token: Token, label: str) -> None:
        if (missing := token.start - (self.tokens[-1].end if self.tokens else 0)) > 0:
            self.rebuilt.append(" " * (missing - 1) + (self.gap if self.tokens else " "))
        self.rebuilt.append(token.text)
        self.tokens.append(token)
        self.labels.append(label)
        self.gap = " "

    def document(self, default_id: str) -> Document:
        text = "".join(self.rebuilt) if self.text is None else self.text
        spans = tuple(bio.decode(self.tokens, self.labels))
        return Document(self.id or default_id, text, spans, self.patient)


def parse(file: TextIO, where: str) -> Iterator[Document]:
    """The documents; the first without an id has the file's stem, the next stem-2 …"""
    stem, count = Path(where).stem, 0
    page = Page(where)
    for number, line in enumerate(file, 1):
        line = line.rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
        if begins(line) and page.complete:
            count += 1
            yield page.document(stem if count == 1 else f"{stem}-{count}")
            page = Page(where)
        take(page, line, f"{where}: line {number}")
    if page.begun:
        yield page.document(stem if count == 0 else f"{stem}-{count + 1}")


def begins(line: str) -> bool:
    return line.startswith("# id = ") or (line.startswith("-DOCSTART-") and not ROW.fullmatch(line))


def take(page: Page, line: str, where: str) -> None:
    """Add one line to the page. Raises :class:`FormatFault` where it is none."""
    if not line:
        page.gap = "\n"
    elif comment := COMMENT.fullmatch(line):
        name, value = comment.groups()
        setattr(page, name, from_json(value, where) if name == "text" or value.startswith('"') else value)
    elif not (line.startswith("# ") or begins(line)):
        page.add(*row(page, line, where))


def from_json(value: str, where: str) -> str:
    try:
        text = json.loads(value)
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise FormatFault(f"{where}: not a text in JSON's notation")
    return text


def row(page: Page, line: str, where: str) -> tuple[Token, str]:
    """The token and label of a line, checked against the text or the tokens before."""
    if not (match := ROW.fullmatch(line)):
        raise FormatFault(f"{where}: not a token; wanted TOKEN⇥START⇥END⇥LABEL, LABEL being O, B-TYPE or I-TYPE")
    word, start, end, label = match[1], int(match[2]), int(match[3]), match[4]
    previous = page.tokens[-1].end if page.tokens else 0
    if not previous <= start < end or start - previous > LONGEST_GAP:
        raise FormatFault(f"{where}: {start}-{end} does not follow the token before, which ends at {previous}")
    if page.text is None and end - start != len(word):
        raise FormatFault(f"{where}: {start}-{end} is not as long as the token")
    if page.text is not None and shown(page.text[start:end]) != word:
        raise FormatFault(f"{where}: the token is not what the text has at {start}-{end}")
    return Token(word, start), label


def shown(text: str) -> str:
    """``text`` with its white space made visible, so that it fits a column."""
    return re.sub(r"\s", "␣", text)


def pieces(
    documents: Iterable[Document], tokenize: Callable[[str], list[Token]] = tokenizer.fine
) -> Iterator[str]:
    """One block of lines per document. Raises :class:`crfdeid.faults.DocumentFault`
    where spans overlap."""
    for document in documents:
        bio.refuse_overlaps(document)
        tokens = cut(document.text, tokenize(document.text), document.spans)
        yield f"# id = {json.dumps(document.id)}\n"
        if document.patient is not None:
            yield f"# patient = {json.dumps(document.patient)}\n"
        yield f"# text = {json.dumps(document.text)}\n"
        end = 0
        for token, label in zip(tokens, bio.encode(tokens, document.spans)):
            if re.search(r"[\t\r\n]", label):
                raise FormatFault(f"{document.id}: type {label[2:]!r} cannot be written in CoNLL")
            yield "\n" if "\n" in document.text[end : token.start] else ""
            yield f"{shown(token.text)}\t{token.start}\t{token.end}\t{label}\n"
            end = token.end
        yield "\n"


def cut(text: str, tokens: Sequence[Token], spans: Sequence[Span]) -> list[Token]:
    """The tokens, cut where a span begins or ends within one, so that labels hold every
    span exactly; white space is a token only at the edge of a span.

    >>> [t.text for t in cut("BUN x76221 ", [Token("BUN", 0), Token("x76221", 4)], [Span(5, 11, "PHONE")])]
    ['BUN', 'x', '76221', ' ']
    """
    starts, ends = {span.start for span in spans}, {span.end for span in spans}
    edges = {0, len(text)} | starts | ends
    edges |= {token.start for token in tokens} | {token.end for token in tokens}
    return [
        Token(text[a:b], a)
        for a, b in pairwise(sorted(edges))
        if not text[a:b].isspace() or a in starts or b in ends
    ]
