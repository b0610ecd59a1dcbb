"""The text of a PDF file: its pages, comments and form fields. Needs pypdf (``pip install
crfdeid[documents]``). A page that shows something and has no text, as a scan, is an error: an empty note
would look like one without PHI. Pictures beside text are not read (:func:`count_unread`)."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crfdeid.errors import FormatError

PAINTS = re.compile(rb"(?<![A-Za-z/])(Do|f\*?|F|B\*?|b\*?|S|s|sh|EI)(?![A-Za-z*])")  # operators that draw
UNREADABLE = 0.1  # share of characters that are none, where a font does not say which letters it shows


def read_text(path: Path) -> str:
    """Return the text of all pages, then of comments and form fields. Raises :class:`FormatError`."""
    reader = open_pdf(path)
    try:
        pages = [page.extract_text() for page in reader.pages]
        blank = [n for n, page in enumerate(reader.pages, 1) if not pages[n - 1].strip() and _is_drawn(page)]
        more = list(_read_comments(reader)) + list(_read_fields(reader))
    except Exception:  # pypdf raises many, and their messages can quote the file
        raise FormatError(f"{path}: not a PDF file that can be read; it is damaged") from None
    if blank:
        raise FormatError(
            f"{path}, page {blank[0]}: no text, as a scan has none; wanted one with recognized text (OCR)"
        )
    text = "\n".join([*pages, *more]) + "\n"
    if _share_unreadable(text) > UNREADABLE:
        raise FormatError(
            f"{path}: its fonts do not say which letters they show; wanted text, such as by OCR"
        )
    return text


def open_pdf(path: Path) -> Any:
    """Open a file. Raises :class:`FormatError` where it cannot be read, or pypdf is not installed."""
    try:
        import pypdf
    except ImportError:
        raise FormatError("PDF files need pypdf: pip install crfdeid[documents]") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings can quote the file
    try:
        reader = pypdf.PdfReader(path)
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception:
        raise FormatError(f"{path}: not a PDF file that can be read") from None
    if locked:
        raise FormatError(f"{path}: has a password; wanted a file without one")
    return reader


def count_unread(path: Path) -> Counter[str]:
    """Count what the file holds that is not read; nothing for a file that cannot be read."""
    try:
        reader = open_pdf(path)
        pictures = sum(len(_find_pictures(page)) for page in reader.pages)
        attached = len(reader.attachments)
    except Exception:  # reading the file raises the error that the user sees
        return Counter()
    return +Counter({"pictures in PDF files": pictures, "files attached to PDF files": attached})


def _find_pictures(page: Any) -> list[str]:
    objects = page.get("/Resources", {}).get("/XObject", {})
    return [name for name, item in objects.items() if item.get_object().get("/Subtype") == "/Image"]


def _is_drawn(page: Any) -> bool:
    """Whether the page shows something."""
    contents = page.get_contents()
    return contents is not None and PAINTS.search(contents.get_data()) is not None


def _read_comments(reader: Any) -> Iterator[str]:
    for page in reader.pages:
        for item in page.get("/Annots") or ():
            if words := item.get_object().get("/Contents"):
                yield str(words)


def _read_fields(reader: Any) -> Iterator[str]:
    for name, field in (reader.get_fields() or {}).items():
        if (value := field.get("/V")) is not None:
            yield f"{name}: {value}"


def _share_unreadable(text: str) -> float:
    """The share of characters that are controls, private, not assigned, or the sign for none."""
    letters = [c for c in text if not c.isspace()]
    bad = sum(c == "\ufffd" or unicodedata.category(c) in ("Cc", "Co", "Cn") for c in letters)
    return bad / max(1, len(letters))
