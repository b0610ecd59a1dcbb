"""Compile the loops that tag and redact need, for images and read-only installations.

    crfdeid warm
    NUMBA_CACHE_DIR=/opt/crfdeid/numba crfdeid warm    # into this folder; set it for later runs

Without this, the first run compiles them, which takes about half a minute. The loops are kept beside the
package, or in the folder that NUMBA_CACHE_DIR names. Where that folder is read-only later, runs use what is
in it. They are for the processor on which they were compiled: on one of another kind they are compiled again.
"""

from __future__ import annotations

import argparse
import io
import time
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from crfdeid import cli, corpora
from crfdeid.errors import ConfigurationError, show_install
from crfdeid.redact import __main__ as redact
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document

PARAGRAPH = (
    "Mr. Owen Marchetti (MRN {}) was seen on 3/4/2061 by Dr. Priya Raman at Lakeview Hospital.\n"
    "Retired bus driver from Dunmore, 67 years old. Call 617-555-0148 or mail o{}@lakeview.example.org.\n"
    "Cases {}, {}, {}, {}, {} and {}.\n"
)
NUMBERS = 8  # of a paragraph
NOTES, PARAGRAPHS = 160, 6  # enough that the compiled loops are worth loading, and that their tables grow
WIDTHS = ("", "ł", "\U0001f600")  # letters of one, two and four bytes: loops over texts are compiled for each
TAGGING = ((), ("--probabilities",), ("--threshold", "0.3"))


def build_parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog="crfdeid warm", description=__doc__.split("\n")[0])


def main(arguments: list[str] | None = None) -> None:
    build_parser().parse_args(arguments)
    if not find_spec("numba"):
        raise ConfigurationError(f"nothing to compile: numba is not installed; {show_install('fast')}")
    print("compiling the loops of tag and redact", flush=True)
    began = time.monotonic()
    count = warm()
    took = f"{count} loops compiled in {time.monotonic() - began:.0f} s"
    print(took if count else "all loops were compiled before")


def warm() -> int:
    """Tag and redact invented notes, so that numba compiles and keeps all that this needs. Return the number
    of loops that were compiled. Raises :class:`ConfigurationError` where they cannot be kept."""
    from crfdeid.engine import kept_loops

    if not kept_loops.ARE_KEPT:
        raise ConfigurationError("no folder can be written to keep the loops; NUMBA_CACHE_DIR names one")
    before = kept_loops.COMPILING.count
    said = io.StringIO()
    with TemporaryDirectory() as folder, redirect_stdout(said), redirect_stderr(said):
        for width, letter in enumerate(WIDTHS):
            notes, out = Path(folder, f"{width}.jsonl"), str(Path(folder, "out.jsonl"))
            corpora.write(make_notes(letter), notes, "jsonl")
            for options in TAGGING:
                tag.main([str(notes), "--out", out, "--overwrite", *options])
            redact.main([str(notes), "--out", out, "--overwrite"])
    return kept_loops.COMPILING.count - before


def make_notes(letter: str) -> list[Document]:
    """Invented notes, two for each patient, with a letter at the end of each."""
    first = range(4471000, 4471000 + NOTES * PARAGRAPHS * NUMBERS, NUMBERS)
    paragraphs = (PARAGRAPH.format(*range(number, number + NUMBERS)) for number in first)
    texts = ("".join(islice(paragraphs, PARAGRAPHS)) + letter for _ in range(NOTES))
    return [Document(str(number), text, (), str(number // 2)) for number, text in enumerate(texts)]


if __name__ == "__main__":
    cli.run(main)
