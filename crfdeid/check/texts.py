"""The texts to check, with the numbers of their lines: whole files, or the added lines of a patch."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from crfdeid.errors import FormatError

BINARY_BYTES = 8192  # of a file; a NUL among them means that it is binary, as for git
HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
SKIPPED_FOLDERS = frozenset(("__pycache__", "node_modules"))


@dataclass
class CheckedText:
    """The text of a file, or of the hunks of a patch. ``lines`` has for each line its number in the file; 0
    for a line that was not added and is only context."""

    path: str
    text: str = field(repr=False)
    lines: Sequence[int] = ()

    def find_line(self, offset: int) -> int:
        """The number of the line at an offset of the text, 0 for context."""
        at = self.text.count("\n", 0, offset)
        return self.lines[at] if self.lines else at + 1


@dataclass
class Skipped:
    """The files that were not read: ``binary`` counts them, ``large`` has their paths."""

    binary: int = 0
    large: list[str] = field(default_factory=list)


def list_files(paths: Iterable[Path], excluded: Sequence[str]) -> Iterator[Path]:
    """Yield the files, and the files of folders by name. Hidden folders, links and what a pattern of
    ``excluded`` matches are left out. Raises :class:`FormatError` where a path does not exist."""
    for path in paths:
        if not path.exists():
            raise FormatError(f"{path}: no such file or folder")
        for found in walk_folder(path) if path.is_dir() else [path]:
            names = (found.as_posix(), found.name)
            if not any(fnmatch(name, pattern) for name in names for pattern in excluded):
                yield found


def walk_folder(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in SKIPPED_FOLDERS)
        files = (Path(place) / name for name in sorted(names))
        yield from (path for path in files if path.is_file() and not path.is_symlink())


def read_files(paths: Iterable[Path], largest: int, skipped: Skipped) -> Iterator[CheckedText]:
    """Yield the texts of files; note in ``skipped`` what is binary or has more than ``largest`` bytes."""
    for path in paths:
        try:
            if path.stat().st_size > largest:
                skipped.large.append(str(path))
                continue
            content = path.read_bytes()
        except OSError as error:
            raise FormatError(f"{path}: {error.strerror or error}") from None
        if b"\0" in content[:BINARY_BYTES]:
            skipped.binary += 1
        else:
            yield CheckedText(str(path), decode(content))


def decode(content: bytes) -> str:
    """The text of a file, which need not be UTF-8: no byte is left out."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_patch(patch: str, skipped: Skipped) -> Iterator[CheckedText]:
    """Yield for each file of a unified diff the lines that it has after the patch, added ones with their
    numbers. Raises :class:`FormatError` where a hunk ends too early."""
    lines = iter(patch.split("\n"))
    path, text, numbers = "", list[str](), list[int]()
    for line in lines:
        if line.startswith("+++ "):
            yield from finish(path, text, numbers)
            path, text, numbers = read_path(line), [], []
        elif match := HUNK.match(line):
            for number, content in read_hunk(lines, match):
                text.append(content)
                numbers.append(number)
        elif line.startswith(("Binary files ", "GIT binary patch")):
            skipped.binary += 1
    yield from finish(path, text, numbers)


def finish(path: str, text: Sequence[str], numbers: Sequence[int]) -> Iterator[CheckedText]:
    if any(numbers):
        yield CheckedText(path, "\n".join(text), numbers)


def read_path(line: str) -> str:
    """The path of the new file in its line of a patch.

    >>> read_path("+++ b/notes/a.txt"), read_path('+++ "b/a b.txt"'), read_path("+++ a.txt\\t2026-01-01")
    ('notes/a.txt', 'a b.txt', 'a.txt')
    """
    return line.removeprefix("+++ ").partition("\t")[0].strip('"\r').removeprefix("b/")


def read_hunk(lines: Iterator[str], head: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a hunk after the patch, each with its number, or 0 if it was there before."""
    old, new = (int(count) if count is not None else 1 for count in (head["old"], head["new"]))
    number = int(head["start"])
    while old > 0 or new > 0:
        line = next(lines, None)
        if line is None:
            raise FormatError("the patch ends inside a hunk")
        mark, content = line[:1], line[1:]
        if mark == "\\":  # no newline at the end of the file
            continue
        old, new = old - (mark != "+"), new - (mark != "-")
        if mark != "-":
            yield (number if mark == "+" else 0), content
            number += 1
