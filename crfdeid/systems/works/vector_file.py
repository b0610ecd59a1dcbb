"""Word vectors from a file, of which only the wanted words are kept in memory.

    word2vec, text      a line ``WORDS DIMENSIONS``, then a word and its numbers on each line; fastText's
                        ``.vec`` files have this form
    word2vec, binary    the same line, then a word, a space and its numbers as float32
    GloVe               as the first form, without the first line

A name that ends with ``.gz`` is decompressed. Words of GloVe can have spaces inside.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Container, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from crfdeid.errors import FormatError

HEAD = re.compile(rb"(\d+)[ \t](\d+)\s*")
LONGEST = 10_000  # bytes of a word
WANTED = "wanted word vectors of word2vec (text or binary), GloVe or fastText (.vec)"
Entry = tuple[str, bytes | list[bytes]]  # a word and its numbers, not yet read


def read_vectors(path: Path, words: Container[str], most: int) -> dict[str, np.ndarray]:
    """Return the vectors of ``words``, and of the first ``most`` words of the file (files have frequent words
    first). Words with white space inside are left out. Raises :class:`FormatError` where the file has
    another form or is cut short."""
    found: dict[str, np.ndarray] = {}
    try:
        with open_vectors(path) as file:
            for number, (word, numbers) in enumerate(read_entries(file, path)):
                if (number < most or word in words) and word not in found and is_word(word):
                    found[word] = read_numbers(numbers, f"{path}: vector {number + 1}")
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "damaged"
        raise FormatError(f"{path}: {reason}; {WANTED}") from None
    if not found:
        raise FormatError(f"{path}: no vector of a word; {WANTED}")
    return found


def open_vectors(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def is_word(word: str) -> bool:
    return bool(word) and not any(character.isspace() for character in word)


def read_numbers(numbers: bytes | list[bytes], where: str) -> np.ndarray:
    """Return a vector as float32. Raises :class:`FormatError` where a number is not finite."""
    if isinstance(numbers, bytes):
        vector = np.frombuffer(numbers, "<f4")
    else:
        try:
            vector = np.array(numbers, np.float32)
        except ValueError:
            raise FormatError(f"{where}: wanted numbers") from None
    if not np.isfinite(vector).all():
        raise FormatError(f"{where}: wanted finite numbers")
    return vector


def read_entries(file: BinaryIO, path: Path) -> Iterator[Entry]:
    """Yield the entries of a file of any form. Raises :class:`FormatError` where one is incomplete, or where
    the file has fewer than it says."""
    if not (head := HEAD.fullmatch(first := file.readline())):
        file.seek(0)
        yield from read_lines(file, path, len(first.split()) - 1)
        return
    count, size, place = int(head[1]), int(head[2]), file.tell()
    is_text = len(split_line(file.readline(), size)) == size + 1
    file.seek(place)
    found = 0
    for entry in read_lines(file, path, size) if is_text else read_records(file, path, count, size):
        found += 1
        yield entry
    if found != count:
        raise FormatError(f"{path}: {found} vectors, and its first line says {count}; {WANTED}")


def split_line(line: bytes, size: int) -> list[bytes]:
    """Return the word and its ``size`` numbers; another number of parts where the line has another form."""
    parts = line.rstrip().rsplit(None, size)
    return parts if len(parts) == size + 1 and is_number(parts[1]) else []


def is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_lines(file: BinaryIO, path: Path, size: int) -> Iterator[Entry]:
    """Yield the entries of the lines."""
    for number, line in enumerate(file, 1):
        parts = split_line(line, size) if size > 0 else []
        if not parts:
            raise FormatError(f"{path}: vector {number}: wanted a word and {max(size, 1)} numbers; {WANTED}")
        yield parts[0].decode("utf-8", "replace"), parts[1:]


def read_records(file: BinaryIO, path: Path, count: int, size: int) -> Iterator[Entry]:
    """Yield the entries of a binary file."""
    for number in range(1, count + 1):
        word = bytearray()
        while (byte := file.read(1)) not in (b" ", b"") and len(word) < LONGEST:
            word += byte
        numbers = file.read(4 * size)
        if byte != b" " or len(numbers) < 4 * size:
            raise FormatError(f"{path}: vector {number} of {count} is not whole; {WANTED}")
        yield word.lstrip(b"\n").decode("utf-8", "replace"), numbers
