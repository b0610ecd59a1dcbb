"""The errors that a user can correct, and Ctrl-C while the modules of a command load.

A message is one line: where, what was found, what was wanted. It gives files, lines and offsets,
never the text of a note, nor a column, type, element or attribute that a file of documents made up.
The command line prints it and exits with status 2.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from types import FrameType


class CrfdeidError(Exception):
    """Anything that a user can correct."""


class DocumentError(CrfdeidError):
    """Spans that do not fit their document."""


class FormatError(CrfdeidError):
    """A file that does not follow its format."""


class SchemeError(CrfdeidError):
    """A type that the label scheme does not have."""


class TemplateError(CrfdeidError):
    """A feature template that cannot be read."""


class ConfigurationError(CrfdeidError):
    """A setting that does not exist, is missing, or has the wrong type."""


class ModelError(CrfdeidError):
    """A model folder that is damaged, incomplete, or of a newer version."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C during work that can be resumed; the message says what was kept."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion to end a message with, or an empty string.

    >>> did_you_mean("shpae", ["shape", "lower"])
    '; did you mean shape?'
    >>> did_you_mean("zzz", ["shape"])
    ''
    """
    match = get_close_matches(word, list(known), n=1)
    return f"; did you mean {match[0]}?" if match else ""


def show_install(extra: str) -> str:
    """Return the command that installs an extra of this package where this program runs.

    >>> show_install("works").removeprefix(sys.executable)
    " -m pip install 'crfdeid[works]'"
    """
    return f"{shlex.quote(sys.executable or 'python3')} -m pip install 'crfdeid[{extra}]'"


def show_nltk_download(data: str) -> str:
    """Return the command that installs data of nltk where this program finds it.

    >>> show_nltk_download("punkt_tab").removeprefix(sys.executable)
    ' -m nltk.downloader punkt_tab (without a network: docs/install.md)'
    """
    return (
        f"{shlex.quote(sys.executable or 'python3')} -m nltk.downloader {data}"
        " (without a network: docs/install.md)"
    )


def looks_like_id(text: str) -> bool:
    """Whether a message may show ``text``: a short word with a digit, unlike a name.

    >>> looks_like_id("110-01"), looks_like_id("Mr. Ruiz of 12 Main Street"), looks_like_id("Ruiz")
    (True, False, False)
    """
    return bool(re.fullmatch(r"(?=.*\d)[\w.-]{1,40}", text))


def show_id(id: str, position: str = "") -> str:
    """Return an identifier as a message may name it: itself, or ``position`` where it may be a name.

    >>> show_id("110-01"), show_id("Mr. Ruiz", "number 3"), show_id("Mr. Ruiz")
    ('110-01', 'number 3', 'the document whose id has length 8')
    """
    return id if looks_like_id(id) else position or f"the document whose id has length {len(id)}"


def locate_error(error: Exception) -> str:
    """Return the class of an unforeseen error and the lines of code that led to it, without its message."""
    frames = traceback.extract_tb(error.__traceback__)[:-6:-1]
    places = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} at {places}"


def stop_early(number: int, frame: FrameType | None) -> None:
    """Print one line, as later :func:`crfdeid.cli.run`, and no traceback."""
    os.write(2, b"crfdeid: stopped before it began\n")
    os._exit(130)


def handle_interrupts() -> None:
    """Stop early at Ctrl-C, until :func:`crfdeid.cli.run` begins. Where it is ignored, as in what a shell
    runs in the background, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_early)
