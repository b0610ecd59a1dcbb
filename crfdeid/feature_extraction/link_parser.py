"""The Link Grammar Parser, as a program that is asked about many sentences at once.

Debian's package ``link-grammar`` brings the program ``link-parser``. Of each sentence of at most
50 words the first linkage is taken (Tafvizi 2011, section 4.1.5), with words left out where the
parser finds no full one; a sentence that takes longer than a second has none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from crfdeid.errors import ConfigurationError

PROGRAM = "link-parser"
MOST_WORDS = 50  # between white space
MOST_BYTES = 1500  # the program reads lines of 2,048
SECONDS = 1  # for one sentence
# What the program answers to a command: it parts the sentences' answers.
COMMAND, ANSWER = "!width=16381", "width set to 16381"
OPTIONS = (
    "-verbosity=0", "-graphics=0", "-postscript=1", "-walls=1", "-spell=0", "-panic=0",
    f"-timeout={SECONDS}",
)  # fmt: skip
WORDS = re.compile(r"\[\((.*?)\)\]\[(\[.*?\])?\]\[0\]")
LINK = re.compile(r"\[(\d+) (\d+) -?\d+ \(([A-Z]+[a-z]*)[^)]*\)\]")
GUESSED = re.compile(r"\[[?!~&]\]")  # marks a word that is not in the dictionary
SENSE = re.compile(r"\.[a-z][\w-]*$")  # patient.n
STARTS_COMMAND = re.compile(r"^[\W_]+")
WALL = (-1, -1)


@dataclass(frozen=True)
class Linkage:
    """``words`` are half-open ranges of the sentence without its white space, ``WALL`` where a
    word has none; ``links`` are two word numbers, left and right, and a link's name."""

    words: tuple[tuple[int, int], ...] = ()
    links: tuple[tuple[int, int, str], ...] = ()


@cache
def version() -> str:
    """What the program says of itself. Raises :class:`ConfigurationError` where there is none."""
    said = _run(["--version"], "").splitlines()
    return said[0] if said else ""


def parse(sentences: Sequence[str]) -> list[Linkage]:
    """One linkage a sentence, empty where there is none. Raises :class:`ConfigurationError`."""
    asked = [line(sentence) for sentence in sentences]
    lines = "".join(f"{text}\n{COMMAND}\n" for text in asked if text)
    if not lines:
        return [Linkage()] * len(sentences)
    # The options tell of themselves too, but none of them is the command.
    answers = _run(["en", *OPTIONS], lines, (SECONDS + 1) * len(sentences)).split(ANSWER)
    if len(answers) != sum(map(bool, asked)) + 1:
        raise ConfigurationError(
            f"{PROGRAM}: {len(answers) - 1} answers to {sum(map(bool, asked))} sentences; wanted one each"
        )
    left = iter(answers)
    return [linkage(sentence, next(left)) if text else Linkage() for sentence, text in zip(sentences, asked)]


def line(sentence: str) -> str:
    """What the program is given for a sentence: nothing for one too long, and never what it
    could take for a command.

    >>> line("!!  Seen by\\tDr. Ruiz")
    'Seen by Dr. Ruiz'
    """
    words = sentence.split()
    text = STARTS_COMMAND.sub("", " ".join(words)).replace("\0", "")
    return text if len(words) <= MOST_WORDS and len(text.encode("utf-8", "replace")) <= MOST_BYTES else ""


def linkage(sentence: str, answer: str) -> Linkage:
    """Read the program's PostScript lists, the first if there are several.

    >>> linkage("He ran.", "[(LEFT-WALL)(he)(ran.v-d)(.)]\\n[[1 2 0 (Ss)]]\\n[0]")
    Linkage(words=((-1, -1), (0, 2), (2, 5), (5, 6)), links=((1, 2, 'Ss'),))
    """
    found = WORDS.search(answer.replace("\n", ""))
    if found is None:
        return Linkage()
    words = tuple(aligned("".join(sentence.split()).lower(), found[1].split(")(")))
    links = ((int(a), int(b), name) for a, b, name in LINK.findall(found[2] or ""))
    return Linkage(words, tuple(link for link in links if link[1] < len(words)))


def aligned(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the parser's words stand in ``text``, which has no white space and small letters."""
    free = 0
    for word in words:
        places = [(at, -len(form)) for form in written(word) if (at := text.find(form, free)) >= 0]
        if not places or word.endswith("-WALL"):
            yield WALL
            continue
        at, size = min(places)
        free = at - size
        yield at, free


def written(word: str) -> list[str]:
    """How a word of the parser may have been written, in small letters.

    >>> written("Dr..x"), written("[hernia]"), written("bar[?].n")
    (['dr..x', 'dr.'], ['hernia'], ['bar.n', 'bar'])
    """
    bare = word[1:-1] if word.startswith("[") and word.endswith("]") and len(word) > 2 else word
    bare = GUESSED.sub("", bare).lower()
    return list(dict.fromkeys(form for form in (bare, SENSE.sub("", bare)) if form))


def _run(options: Sequence[str], lines: str, seconds: float = 0) -> str:
    program = shutil.which(PROGRAM)
    if program is None:
        raise ConfigurationError(
            f"links_left and links_right need the program {PROGRAM}: apt-get install link-grammar"
        )
    try:
        done = subprocess.run(
            [program, *options],
            input=lines.encode("utf-8", "replace"),
            capture_output=True,
            timeout=60 + seconds,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigurationError(f"{PROGRAM}: {type(error).__name__}; wanted its answers") from None
    if done.returncode:
        raise ConfigurationError(f"{PROGRAM}: exit status {done.returncode}; wanted 0")
    return done.stdout.decode("utf-8", "replace")
