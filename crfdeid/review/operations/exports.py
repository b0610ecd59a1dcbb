"""Writing a study's results into its folder of exports, in any format of :mod:`crfdeid.corpora`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from crfdeid import corpora
from crfdeid.review.study.consensus import BOOK
from crfdeid.review.study.errors import InvalidValueError, NotFoundError, StageError
from crfdeid.review.study.study import Json, Study, name_book
from crfdeid.text.document import Document

EXPORT_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")


def export_spans(study: Study, body: Json) -> Json:
    """Write the consensus, or the spans of a reader or a system, in the notes that have them."""
    what, who = body.get("what", "consensus"), str(body.get("who"))
    numbers = [note.number for note in study.find_set(body.get("set"))]
    documents = list(select_documents(study, numbers, what, who))
    if not documents:
        raise StageError("nothing", "no note to write")
    path = write_documents(study, documents, body)
    format = corpora.FORMATS[body["format"]]
    train = build_train_command(path) if format.read is not None and format.has_spans else None
    return {"path": str(path), "notes": len(documents), "train": train}


def build_train_command(path: Path) -> str:
    """The command that trains on an export.

    >>> build_train_command(Path("/my study/gold"))
    "crfdeid train '/my study/gold' --out models/trained"
    """
    return f"crfdeid train {shlex.quote(str(path.absolute()))} --out models/trained"


def select_documents(study: Study, numbers: Iterable[int], what: str, who: str) -> Iterator[Document]:
    """The notes with the spans of ``what``: the consensus, or the reader or system ``who``. Notes without
    them are left out."""
    if what not in ("consensus", "reader", "system"):
        raise InvalidValueError("what: wanted consensus, reader or system")
    if what == "system" and who not in study.list_systems():
        raise NotFoundError("no system with this name")
    decided = set(study.list_decided())
    for number in numbers:
        read_document = study.notes.read_document
        if what == "consensus" and number in decided:
            yield read_document(number).with_spans(study.consensus_log.read_entry(BOOK, number).state.spans)
        elif what == "reader" and study.find_readers(number).get(who):
            entry = study.marks_log.read_entry(name_book(who), number)
            yield read_document(number).with_spans(entry.state.spans)
        elif what == "system":
            yield read_document(number).with_spans(study.read_spans(who, number))


def write_documents(study: Study, documents: Iterable[Document], body: Json) -> Path:
    """Write into the study's folder of exports, and never over an existing file."""
    name, format_name = body.get("name"), body.get("format")
    if not isinstance(name, str) or not EXPORT_NAME.fullmatch(name):
        raise InvalidValueError("an export's name: 1 to 60 letters, digits, - and _")
    if not isinstance(format_name, str) or format_name not in corpora.FORMATS:
        raise InvalidValueError(f"formats are {', '.join(corpora.FORMATS)}")
    format = corpora.FORMATS[format_name]
    path = study.out / (name if format.render_document is not None else name + format.suffixes[0])
    if path.exists():
        raise StageError("exists", "there is an export with this name already")
    make_folder(study.out)
    corpora.write(documents, path, format_name)
    path.chmod(0o700 if path.is_dir() else 0o600)  # it may hold PHI
    return path


def make_folder(path: Path) -> None:
    """Create a folder that only its owner reads. Raises :class:`StageError` where it cannot be created."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StageError("unwritable", f"{path}: cannot be created: {error.strerror}") from None
