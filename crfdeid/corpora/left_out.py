"""What a run does not read of a folder, and why, so that nobody takes a part of the notes for all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from crfdeid.corpora import tagged_by
from crfdeid.corpora.registry import UNREAD, find_format


def count_left_out(folder: Path, format: str) -> Counter[str]:
    """Count by reason what the folder has beside the files of the format. A reason does not name a file.

    >>> count_left_out(Path("/dev/null"), "text")
    Counter()
    """
    if not folder.is_dir():
        return Counter()
    return Counter(reason for path in folder.iterdir() if (reason := _find_reason(path, format)))


def _find_reason(path: Path, format: str) -> str | None:
    if path.name == tagged_by.FILE:
        return None
    if path.name.startswith("."):
        return "hidden"
    if path.is_dir():
        return "folders, which are not entered"
    if path.suffix.lower() in find_format(format, "read").suffixes:
        return None
    return f"{path.suffix.lower()} files" if path.suffix.lower() in UNREAD else f"not files of {format}"


def describe_left_out(folder: Path, format: str) -> str:
    """Say in one line what the folder has that is not read, or nothing."""
    counts = sorted(count_left_out(folder, format).items())
    listed = ", ".join(f"{count} {reason}" for reason, count in counts)
    return f"{folder}: left out: {listed}" if listed else ""
