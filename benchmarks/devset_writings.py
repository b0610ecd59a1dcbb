"""The notes of the development set in other writings. The spans move with their text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from random import Random

from crfdeid.text.document import Document, Span

Edit = tuple[int, int, str]  # text[start:end] becomes the string
WORD = re.compile(r"[^\W\d_]{3,}")
CONFUSIONS = {
    "rn": "m", "cl": "d", "m": "rn nn", "d": "cl", "l": "1 I", "I": "l 1", "1": "l I", "O": "0", "0": "O",
    "S": "5", "5": "S", "B": "8", "8": "B", "Z": "2", "g": "q", "q": "g", "e": "c", "c": "e", "i": "l",
    "h": "b", ",": ".", ".": ",", "u": "ii", "t": "f",
}  # fmt: skip
READINGS = re.compile(
    "|".join(map(re.escape, CONFUSIONS)) + r"|(?P<space>(?<=\w) (?=\w))|(?<=[a-z])(?=[a-z])"
)
NEIGHBOURS = dict(zip("abcdefghijklmnopqrstuvwxyz", "snvfrgjkoljknmkpqetyyiecxr"))
DASHES = "\N{EN DASH}\N{EM DASH}\N{NON-BREAKING HYPHEN}\N{HYPHEN}\N{MINUS SIGN}"
SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
MISTYPED, MISREAD, LOST, BROKEN, SPACED = 0.1, 0.015, 0.01, 0.002, 0.15  # shares of words, signs, spaces


def apply_edits(document: Document, edits: Iterable[Edit]) -> Document:
    """Return the document with its text edited and its spans moved. Edits are sorted and do not overlap; one
    that inserts at an edge of a span, has an edge inside, or would leave a span empty, is not made.

    >>> note = apply_edits(Document("n", "Ana Ruiz", (Span(4, 8, "DOCTOR"),)), [(1, 2, "nn"), (4, 4, "x")])
    >>> note.text, note.text_of(note.spans[0])
    ('Anna Ruiz', 'Ruiz')
    """
    edges = sorted({edge for span in document.spans for edge in (span.start, span.end)})
    kept = [edit for edit in edits if not is_at_edge(edit, edges) and not is_whole_loss(edit, edges)]
    pieces, at = [], 0
    for start, end, new in kept:
        pieces += [document.text[at:start], new]
        at = end
    ends = [end for _, end, _ in kept]
    shifts = [0, *accumulate(len(new) - (end - start) for start, end, new in kept)]

    def move(offset: int) -> int:
        return offset + shifts[bisect_left(ends, offset + 1)]

    spans = (Span(move(span.start), move(span.end), span.type) for span in document.spans)
    return Document(document.id, "".join([*pieces, document.text[at:]]), tuple(spans))


def is_at_edge(edit: Edit, edges: list[int]) -> bool:
    """Whether an edge lies inside the edited text, or where an edit inserts."""
    start, end, _ = edit
    first = bisect_left(edges, start + (end > start))
    return first < len(edges) and edges[first] < end + (end == start)


def is_whole_loss(edit: Edit, edges: list[int]) -> bool:
    start, end, new = edit
    return not new and start in edges and end in edges


def change_signs(document: Document, change: Callable[[str], str]) -> Document:
    """Replace every character by one character. Offsets do not change."""
    return Document(document.id, "".join(map(change, document.text)), document.spans)


def keep_length(convert: Callable[[str], str]) -> Callable[[str], str]:
    """Return ``convert`` for one character, except where its result is longer."""
    return lambda sign: new if len(new := convert(sign)) == 1 else sign


def break_lines(document: Document, mark: str) -> Document:
    """Write another mark at the end of each line."""
    return apply_edits(document, ((*match.span(), mark) for match in re.finditer("\n", document.text)))


def mistype(document: Document) -> Document:
    """Make a typing error in one word of ten: a letter lost, doubled, swapped or of a neighbouring key."""
    rng = Random(f"mistype {document.id}")
    words = (match for match in WORD.finditer(document.text) if rng.random() < MISTYPED)
    return apply_edits(document, (mistype_word(match, rng) for match in words))


def mistype_word(match: re.Match[str], rng: Random) -> Edit:
    at = rng.randrange(len(match[0]) - 1)
    one, two = match[0][at : at + 2]
    near = NEIGHBOURS.get(one.lower(), one)
    forms = [("", 1), (one + one, 1), (two + one, 2), (near.upper() if one.isupper() else near, 1)]
    new, length = rng.choice(forms)
    return match.start() + at, match.start() + at + length, new


def misread(document: Document) -> Document:
    """Confuse characters of similar shape, and lose or insert spaces, as OCR does."""
    rng = Random(f"misread {document.id}")
    return apply_edits(document, find_misreadings(document.text, rng))


def find_misreadings(text: str, rng: Random) -> Iterator[Edit]:
    for match in READINGS.finditer(text):
        share = LOST if match["space"] else MISREAD if match[0] else BROKEN
        if rng.random() < share:
            insert = "" if match["space"] else " "
            yield *match.span(), rng.choice(CONFUSIONS.get(match[0], "").split() or [insert])


def typeset(document: Document) -> Document:
    """Write Unicode dashes for hyphens, curly quotes, and no-break or thin spaces for some spaces."""
    rng = Random(f"typeset {document.id}")
    dash, space = rng.choice(DASHES), rng.choice(SPACES)
    text = re.sub(r'(^|[\s(])"', "\\1\N{LEFT DOUBLE QUOTATION MARK}", document.text)
    text = text.replace('"', "\N{RIGHT DOUBLE QUOTATION MARK}").replace(
        "'", "\N{RIGHT SINGLE QUOTATION MARK}"
    )
    text = text.replace("-", dash)
    text = "".join(space if sign == " " and rng.random() < SPACED else sign for sign in text)
    return Document(document.id, text, document.spans)


WRITINGS: dict[str, Callable[[Document], Document]] = {
    "CRLF line ends": lambda note: break_lines(note, "\r\n"),
    "CR line ends": lambda note: break_lines(note, "\r"),
    "no line breaks": lambda note: break_lines(note, " "),
    "all capitals": lambda note: change_signs(note, keep_length(str.upper)),
    "all small": lambda note: change_signs(note, keep_length(str.lower)),
    "typing errors": mistype,
    "noise like OCR": misread,
    "Unicode marks": typeset,
}
