"""Writing a study's results where the study's owner said, in any format of crfdeid.corpora."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crfdeid import corpora
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import Invalid, Stage, Unknown
from crfdeid.review.study.study import Study, book
from crfdeid.text.document import Document

Table = dict[str, Any]
NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def export(study: Study, given: Mapping[str, Any]) -> Table:
    """Write the consensus, or a reader's or a system's spans, in the notes that have them."""
    part, what, who = given.get("set"), given.get("what", "consensus"), str(given.get("who"))
    chosen = [note.number for note in study.part(part)]
    documents = list(spans_of(study, chosen, what, who))
    if not documents:
        raise Stage("nothing", "no note to write")
    path = write(study, documents, given)
    found = corpora.FORMATS[given["format"]]
    trainable = found.read is not None and found.has_spans
    return {"path": str(path), "notes": len(documents), "train": training(path) if trainable else None}


def training(path: Path) -> str:
    """The line that trains on an export. Make takes no path with white space.

    >>> training(Path("/study/gold")), training(Path("/my study/gold"))
    ('make train CORPUS=/study/gold', "python -m crfdeid.train '/my study/gold' --out models/trained")
    """
    absolute = str(path.absolute())
    if shlex.quote(absolute) == absolute:
        return f"make train CORPUS={absolute}"
    return f"python -m crfdeid.train {shlex.quote(absolute)} --out models/trained"


def spans_of(study: Study, numbers: Iterable[int], what: str, who: str) -> Iterator[Document]:
    """The notes with what is asked for, without those that do not have it."""
    if what == "system" and who not in study.systems():
        raise Unknown("no system of this name")
    decided = set(study.decided())
    for number in numbers:
        document = study.notes.document
        if what == "consensus" and number in decided:
            yield document(number).with_spans(study.consensus.entry(BOOK, number).state.spans)
        elif what == "reader" and study.finished(number).get(who):
            yield document(number).with_spans(study.marking.entry(book(who), number).state.spans)
        elif what == "system":
            yield document(number).with_spans(study.found(who, number))
        elif what not in ("consensus", "reader"):
            raise Invalid("what: consensus, reader or system")


def write(study: Study, documents: Iterable[Document], given: Mapping[str, Any]) -> Path:
    """Write into the study's folder of exports, never over what is there."""
    name, format = given.get("name"), given.get("format")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise Invalid("an export's name: 1 to 60 letters, digits, - and _")
    if not isinstance(format, str) or format not in corpora.FORMATS:
        raise Invalid(f"formats are {', '.join(corpora.FORMATS)}")
    found = corpora.FORMATS[format]
    path = study.out / (name if found.render_document is not None else name + found.suffixes[0])
    if path.exists():
        raise Stage("exists", "there is an export of this name already")
    try:
        study.out.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Stage("unwritable", f"{study.out}: cannot be made: {error.strerror}") from None
    corpora.write(documents, path, format)
    path.chmod(0o700 if path.is_dir() else 0o600)  # it may hold PHI
    return path
