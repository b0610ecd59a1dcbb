"""What tagged a folder: a small hidden file beside the notes, so that a score of them can say whether the
model had seen them. It has the name of the model and counts, and no text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from crfdeid.errors import FormatError
from crfdeid.files import open_whole, read_text

FILE = ".tagged_by.json"


@dataclass(frozen=True)
class TaggedBy:
    """The model, its version, and how many of the ``total`` notes it had ``seen`` when it was trained."""

    model: str
    version: str
    seen: int
    total: int

    def describe(self) -> str:
        """Warn that a score flatters the model, or return nothing.

        >>> TaggedBy("english", "0.1.0", 0, 9).describe()
        ''
        >>> TaggedBy("english", "0.1.0", 3, 9).describe()
        'warning: 3 of these 9 notes trained or tuned the model english; a score of them flatters it'
        """
        if not self.seen:
            return ""
        return (
            f"warning: {self.seen} of these {self.total} notes trained or tuned the model {self.model}; "
            "a score of them flatters it"
        )


def write_record(folder: Path, record: TaggedBy) -> None:
    """Write what tagged the notes of the folder."""
    with open_whole(folder / FILE) as file:
        file.write(json.dumps(asdict(record)) + "\n")


def read_record(path: Path) -> TaggedBy | None:
    """Read what tagged the notes of the folder; ``None`` without a record. Raises :class:`FormatError`."""
    file = path / FILE
    if not file.is_file():
        return None
    try:
        found = TaggedBy(**json.loads(read_text(file)))
    except (ValueError, TypeError):
        raise FormatError(f"{file}: not what tag writes; remove it if you do not need it") from None
    return found
