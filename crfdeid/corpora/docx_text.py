"""The text of a Word file (.docx): everything in it that people wrote, also where a printed page does not
show it. Needs python-docx (``pip install crfdeid[documents]``).

Read are the body with its tables and text boxes, headers, footers, footnotes, endnotes, comments, form
fields, the words of charts and diagrams, and descriptions of pictures. A paragraph with tracked changes is
read as it is, and in a second line as it was. Pictures and embedded files are not read
(:func:`count_unread`); properties of the file and names of commenters are not part of the text.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from crfdeid.errors import FormatError

PARTS = ("header", "main", "footer", "footnotes", "endnotes", "comments", "chart", "diagramData")
PART = re.compile(rf"\.({'|'.join(PARTS)})\+xml$")  # of a content type
TEXTS = frozenset({"t", "delText", "instrText", "delInstrText", "v"})
BREAKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "sym": " "}
ADDED, REMOVED = frozenset({"ins", "moveTo"}), frozenset({"del", "moveFrom"})  # by tracked changes
IMPORTED = frozenset({"altChunk", "subDoc"})  # the text of another file, which Word shows in its place
SHOWN = {"docPr": ("title", "descr"), "textpath": ("string",), "shape": ("alt",)}  # attributes with words
UNREAD = {"media": "pictures", "embeddings": "embedded files"}  # folders in a Word file


def read_text(path: Path) -> str:
    """Return the text of all parts. Raises :class:`FormatError` where the file cannot be read, or where it
    imports another file."""
    docx = import_docx()
    try:
        parts = list(docx.Document(str(path)).part.package.iter_parts())
        roots = [docx.oxml.parser.parse_xml(part.blob) for part in sorted_parts(parts)]
    except Exception:  # zipfile, lxml and python-docx have many
        raise FormatError(
            f"{path}: not a Word file that can be read; it is damaged, or has a password"
        ) from None
    if any(_name(element) in IMPORTED for root in roots for element in root.iter()):
        raise FormatError(
            f"{path}: shows another file inside; wanted one file (open it in Word, and save it)"
        )
    return "\n".join(filter(None, (_render(root, [], frozenset()).strip("\n") for root in roots))) + "\n"


def import_docx() -> Any:
    """Return the module. Raises :class:`FormatError` if it is not installed."""
    try:
        import docx
        import docx.oxml.parser
    except ImportError:
        raise FormatError("Word files need python-docx: pip install crfdeid[documents]") from None
    return docx


def sorted_parts(parts: Collection[Any]) -> list[Any]:
    """Return the parts with text: headers first, then the body, then what belongs below."""
    kinds = {part: match[1] for part in parts if (match := PART.search(part.content_type))}
    return sorted(kinds, key=lambda part: (PARTS.index(kinds[part]), len(part.partname), part.partname))


def count_unread(path: Path) -> Counter[str]:
    """Count what the file holds that is not read; nothing for a file that cannot be read."""
    try:
        with zipfile.ZipFile(path) as file:
            folders = [Path(name).parent.name for name in file.namelist()]
    except (OSError, zipfile.BadZipFile):
        return Counter()
    return Counter(f"{UNREAD[folder]} in Word files" for folder in folders if folder in UNREAD)


def _render(element: Any, boxes: list[Any], skipped: Collection[str]) -> str:
    """Return the text below an element. Text boxes go to ``boxes``: they are read after their paragraph."""
    name = _name(element)
    if name in skipped or (name.endswith("Pr") and name not in SHOWN):  # formatting has no text
        return ""
    if name in TEXTS:
        return element.text or ""
    if name == "txbxContent":
        boxes.append(element)
        return ""
    if name == "p":
        return _render_paragraph(element)
    if name == "AlternateContent":  # the same twice, for new and for old programs
        written = [child for child in element if any(_name(each) in TEXTS for each in child.iter())]
        return "".join(_render(child, boxes, skipped) for child in written[:1])
    return BREAKS.get(name, "") + _close(name, "".join(_render_inside(element, boxes, skipped)))


def _render_inside(element: Any, boxes: list[Any], skipped: Collection[str]) -> Iterator[str]:
    """Yield the words in attributes, then the texts of the children."""
    for attribute in SHOWN.get(_name(element), ()):
        if words := element.get(attribute):
            yield f" {words} "
    for child in element:
        yield _render(child, boxes, skipped)


def _render_paragraph(paragraph: Any) -> str:
    """Return a paragraph as it is now and, where changes were tracked, as it was; then its text boxes."""
    boxes: list[Any] = []
    now, before = ("".join(_render_inside(paragraph, boxes, skipped)) for skipped in (REMOVED, ADDED))
    lines = [now, before] if before.strip() and before != now else [now]
    inner = ("".join(_render_inside(box, [], frozenset())).rstrip("\n") for box in dict.fromkeys(boxes))
    return "".join(f"{line}\n" for line in (*lines, *inner))


def _close(name: str, text: str) -> str:
    """Return the text of an element with what follows it: the cells of a row are one line, with tabs."""
    if name == "tc":
        return text.removesuffix("\n") + "\t"
    return text.removesuffix("\t") + "\n" if name == "tr" else text


def _name(element: Any) -> str:
    """The name of an element without its namespace; "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
