"""CoNLL: token, start, end and BIO label in columns separated by tabs; a blank line ends a line of
the note. Each document begins with ``# id``, ``# patient`` and ``# text`` (JSON), or with
``-DOCSTART-``. Without ``# text`` the text is built from the tokens, at their offsets, with blanks
and line ends between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from crfdeid.corpora.format import Format
from crfdeid.corpora.storage import open_text
from crfdeid.errors import FormatError, show_id
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenizer import fine

NUMBER = re.compile(r"\d{1,12}", re.ASCII)
MOST_BLANKS = 20_000_000  # between the tokens of a file without texts; more is a damaged offset


@dataclass
class _Lines:
    """The part of one document that was read so far. ``breaks`` are the numbers of the tokens
    before which a blank line is; ``head`` holds id, patient and text."""

    head: dict[str, str] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    length: int = 0  # of all tokens

    @property
    def is_complete(self) -> bool:
        """Whether a line that begins a document begins the next one; ``# text`` may precede ``# id``."""
        return bool(self.tokens or "id" in self.head)

    @property
    def blank_count(self) -> int:
        """The number of blanks that the document's text gets between its tokens."""
        return 0 if "text" in self.head or not self.tokens else self.tokens[-1].end - self.length


def read(path: Path, encoding: str = "utf-8") -> Iterator[Document]:
    """Yield the documents of one file."""
    lines, count, blanks = _Lines(), 0, 0
    with open_text(path, encoding) as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
            if _begins_document(line) and lines.is_complete:
                count, blanks = count + 1, blanks + lines.blank_count
                yield _build_document(lines, path, count)
                lines = _Lines()
            where = f"{path}, line {number}"
            _read_line(lines, line, where)
            if blanks + lines.blank_count > MOST_BLANKS:
                raise FormatError(f"{where}: over {MOST_BLANKS:,} blanks between the tokens of the file")
    if lines.tokens or lines.head:
        yield _build_document(lines, path, count + 1)


def _begins_document(line: str) -> bool:
    return line.startswith("# id = ") or (line.startswith("-DOCSTART-") and line.count("\t") != 3)


def _read_line(lines: _Lines, line: str, where: str) -> None:
    if not line.strip():
        lines.breaks.add(len(lines.tokens))
    elif line.startswith("# "):
        _read_head(lines, line, where)
    elif not _begins_document(line):
        _read_token(lines, line, where)


def _read_head(lines: _Lines, line: str, where: str) -> None:
    """Read a line ``# name = value``. Our values are JSON; the ids of other programs often are not."""
    name, _, value = line[2:].partition(" = ")
    if name not in ("id", "patient", "text"):
        return
    if name == "text" or value.startswith('"'):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, str):
            raise FormatError(f"{where}: {name} is not a JSON string")
        value = parsed
    lines.head[name] = value


def _read_token(lines: _Lines, line: str, where: str) -> None:
    columns = line.split("\t")
    if len(columns) != 4:
        raise FormatError(f"{where}: {len(columns)} columns; wanted token, start, end, label")
    text, start, end, label = columns
    if not (NUMBER.fullmatch(start) and NUMBER.fullmatch(end) and len(text) == int(end) - int(start) > 0):
        raise FormatError(f"{where}: end is not start and the token's length")
    if not (label == "O" or (label[:2] in ("B-", "I-") and label[2:])):
        raise FormatError(f"{where}: its label is not O, B-TYPE or I-TYPE")
    previous = lines.tokens[-1].end if lines.tokens else 0
    if int(start) < previous:
        raise FormatError(f"{where}: the token does not follow the one above, which ends at {previous}")
    lines.tokens.append(Token(text, int(start)))
    lines.labels.append(label)
    lines.length += len(text)


def _build_document(lines: _Lines, path: Path, number: int) -> Document:
    text = lines.head.get("text")
    text = _join_tokens(lines) if text is None else text
    end = 0
    for token in (*lines.tokens, Token("", len(text))):
        if show_white_space(text[token.start : token.end]) != show_white_space(token.text):
            raise FormatError(f"{path}: the token at {token.start}-{token.end} is not in the text there")
        if text[end : token.start].strip():
            where = f"{path}: no token for the text at {end}-{token.start}"
            raise FormatError(f"{where}; was the file cut short?")
        end = token.end
    id = lines.head.get("id", path.stem if number == 1 else f"{path.stem}-{number}")
    return Document(id, text, tuple(bio.decode(lines.tokens, lines.labels)), lines.head.get("patient"))


def _join_tokens(lines: _Lines) -> str:
    """Build a text with each token at its offset."""
    parts, end = [], 0
    for index, token in enumerate(lines.tokens):
        gap = token.start - end
        between = "\n" + " " * (gap - 1) if gap and index in lines.breaks else " " * gap
        parts += [between, token.text]
        end = token.end
    return "".join(parts)


def render_corpus(
    documents: Iterable[Document], tokenize: Callable[[str], list[Token]] = fine
) -> Iterator[str]:
    """Yield the lines of each document. Raises :class:`DocumentError` where spans overlap."""
    for document in documents:
        bio.refuse_overlaps(document)
        yield f"# id = {json.dumps(document.id)}\n"
        if document.patient is not None:
            yield f"# patient = {json.dumps(document.patient)}\n"
        yield f"# text = {json.dumps(document.text)}\n"
        tokens = cut_tokens(document.text, tokenize(document.text), document.spans)
        end = 0
        for token, label in zip(tokens, bio.encode(tokens, document.spans)):
            if re.search(r"[\t\r\n]", label):
                where = f"{show_id(document.id)}: the type at {token.start}-{token.end}"
                raise FormatError(f"{where} cannot be written in CoNLL")
            yield "\n" if "\n" in document.text[end : token.start] else ""
            yield f"{show_white_space(token.text)}\t{token.start}\t{token.end}\t{label}\n"
            end = token.end
        yield "\n"


def show_white_space(text: str) -> str:
    """Replace each white-space character with a visible one, so that the text fits a column."""
    return re.sub(r"\s", "␣", text)


def cut_tokens(text: str, tokens: Iterable[Token], spans: Iterable[Span]) -> list[Token]:
    """Cut tokens where a span begins or ends inside them, so that labels can hold it. White space
    is a token only where a span begins or ends with it.

    >>> [t.text for t in cut_tokens("x76221 ", [Token("x76221", 0)], [Span(1, 7, "PHONE")])]
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


FORMAT = Format("conll", (".conll", ".bio"), read=read, render_corpus=render_corpus)
