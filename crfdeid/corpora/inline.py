"""PHI in place, for people to read: ``Seen by <DOCTOR>Ana Ruiz</DOCTOR>``.

Written only: the note's own angle brackets stay as they are, so it cannot be read
back without doubt. The 2006 format is the same with everything escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from crfdeid import scheme
from crfdeid.document import Document, Span
from crfdeid.faults import FormatFault, SchemeFault
from crfdeid.scheme import Scheme

SUFFIX = ".txt"
COLOURS = (35, 33, 32, 36, 34, 31, 95, 93)  # ANSI foregrounds, one per category in the scheme's order
OTHER_COLOUR = 31


def pieces(
    documents: Iterable[Document], colour: bool = False, scheme: Scheme | None = None
) -> Iterator[str]:
    """The notes with each span between two marks; with ``colour``, in its category's."""
    for document in documents:
        yield from marked(
            document,
            begin=lambda span: (f"\x1b[{tint(span.type, scheme)}m" if colour else "") + f"<{span.type}>",
            end=lambda span: f"</{span.type}>" + ("\x1b[0m" if colour else ""),
            content=lambda text: text,
        )


def tint(type: str, labels: Scheme | None) -> int:
    """The ANSI colour of a type's category."""
    labels = labels or scheme.read()
    try:
        return COLOURS[list(labels.categories).index(labels.category(type)) % len(COLOURS)]
    except SchemeFault:
        return OTHER_COLOUR


def marked(
    document: Document,
    begin: Callable[[Span], str],
    end: Callable[[Span], str],
    content: Callable[[str], str],
) -> Iterator[str]:
    """The text with marks around its spans, one within the other where they nest.
    Raises :class:`FormatFault` where two spans cross, which marks cannot show."""
    text, position = document.text, 0
    opened: list[Span] = []
    for span in [*sorted(document.spans, key=lambda s: (s.start, -s.end)), None]:
        while opened and (span is None or opened[-1].end <= span.start):
            yield content(text[position : opened[-1].end]) + end(opened[-1])
            position = opened.pop().end
        if span is None:
            break
        if opened and opened[-1].end < span.end:
            raise FormatFault(
                f"{document.id}: {shown(opened[-1])} crosses {shown(span)}; "
                "marks in the text cannot show both (--overlaps longest keeps the longer one)"
            )
        yield content(text[position : span.start]) + begin(span)
        position = span.start
        opened.append(span)
    yield content(text[position:])


def shown(span: Span) -> str:
    return f"{span.type} at {span.start}-{span.end}"
