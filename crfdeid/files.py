"""Writing that cannot leave half a file behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from crfdeid.errors import FormatError


@contextmanager
def whole(
    path: Path | str, mode: str = "w", encoding: str | None = "utf-8", private: bool = False
) -> Iterator[IO]:
    """Open a temporary file that becomes ``path`` only when the block ends without
    an error, and is removed otherwise. Text is written without newline translation. A
    ``private`` file is its owner's alone from its first byte, whatever the umask, and so is
    its folder if that is made for it."""
    path = Path(path)
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    text = {} if "b" in mode else {"encoding": encoding, "newline": ""}
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, mode, **text) as file:
            yield file
        if not private:  # as it was made, it is
            os.chmod(name, 0o666 & ~umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def read_text(path: Path | str, encoding: str = "utf-8") -> str:
    """The file's text, line ends untouched. Raises :class:`FormatError` where the
    file cannot be read or is not in ``encoding`` (it names the byte offset)."""
    try:
        return decoded(Path(path).read_bytes(), str(path), encoding)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from None


def decoded(data: bytes, where: str, encoding: str = "utf-8") -> str:
    """The text of ``data``, which came from ``where``; faults as of :func:`read_text`."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{where}: not {encoding}: byte {error.start} cannot be decoded; --encoding names another"
        ) from None
    except LookupError:
        raise FormatError(f"{encoding}: no such encoding") from None
