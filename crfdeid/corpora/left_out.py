"""What a run does not read of its input, and why: nobody takes a part of the notes for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crfdeid.corpora import documents, storage, tagged_by
from crfdeid.corpora.messages import count_attachments
from crfdeid.corpora.registry import UNREAD, find_format, list_files

SPOKEN = (*UNREAD, *documents.READERS)  # suffixes that a reason names


def count_left_out(
    path: Path, format: str, recursive: bool = False, encoding: str | None = None
) -> Counter[str]:
    """Count by reason what a folder has beside the files of the format, and what is inside the files of the
    format ``documents``, or with an encoding inside messages, and not read. A reason does not name a file.

    >>> count_left_out(Path("/dev/null"), "text")
    Counter()
    """
    left_out = Counter(_list_reasons(path, format, recursive) if path.is_dir() else ())
    if format == documents.FORMAT.name:
        for file in list_files(path, format, recursive):
            left_out += documents.count_unread(file)
    read_messages = find_format(format, "read").read_messages
    if read_messages and encoding:
        for file in list_files(path, format, recursive):
            left_out += count_attachments(read_messages(file, encoding))
    return left_out


def _list_reasons(path: Path, format: str, recursive: bool) -> Iterator[str]:
    entered = set(storage.list_folders(path)) if recursive else {path}
    for folder in entered:
        for entry in folder.iterdir():
            if entry not in entered and (reason := _find_reason(entry, format)):
                yield reason


def _find_reason(path: Path, format: str) -> str | None:
    if path.name == tagged_by.FILE:
        return None
    if path.name.startswith("."):
        return "hidden"
    if path.is_dir():
        return "folders, which are not entered"
    if path.suffix.lower() in find_format(format, "read").suffixes:
        return None
    return f"{path.suffix.lower()} files" if path.suffix.lower() in SPOKEN else f"not files of {format}"


def describe_left_out(path: Path, left_out: Counter[str]) -> str:
    """Say in one line what is not read of a file or folder, or nothing."""
    listed = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
    return f"{path}: left out: {listed}" if listed else ""
