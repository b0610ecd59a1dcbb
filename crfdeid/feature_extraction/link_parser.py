"""The Link Grammar Parser, as a program that parses many sentences in one run.

Debian's package ``link-grammar`` has the program ``link-parser``. A sentence of at most 50 words gets the
parser's first linkage (Tafvizi 2011, section 4.1.5), which leaves words out where no full one exists. A
sentence that takes longer than one second of the processor gets none.
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
MOST_WORDS = 50  # of text between white space
MOST_BYTES = 1500  # the program reads lines of 2,048
SECONDS = 1  # of the processor, for one sentence
PATIENCE = 30  # seconds of the clock for one sentence, where many programs share the processor
# The program's answer to a command separates the answers to the sentences.
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
    """``words`` are half-open ranges of the sentence without its white space, ``WALL`` for a word that is
    not in the text; ``links`` are two word numbers, left and right, and the link's name."""

    words: tuple[tuple[int, int], ...] = ()
    links: tuple[tuple[int, int, str], ...] = ()


@cache
def read_version() -> str:
    """Return the first line of the program's ``--version``. Raises :class:`ConfigurationError` where the
    program is not installed."""
    lines = _run(["--version"], "").splitlines()
    return lines[0] if lines else ""


def parse(sentences: Sequence[str]) -> list[Linkage]:
    """Return one linkage per sentence, empty where the parser finds none. Raises
    :class:`ConfigurationError` where the program fails."""
    prepared = [prepare_line(sentence) for sentence in sentences]
    lines = "".join(f"{text}\n{COMMAND}\n" for text in prepared if text)
    if not lines:
        return [Linkage()] * len(sentences)
    # The program also answers to the options, but none of them is the command.
    answers = _run(["en", *OPTIONS], lines, PATIENCE * len(sentences)).split(ANSWER)
    if len(answers) != sum(map(bool, prepared)) + 1:
        raise ConfigurationError(
            f"{PROGRAM}: {len(answers) - 1} answers to {sum(map(bool, prepared))} sentences; wanted one each"
        )
    left = iter(answers)
    return [
        read_linkage(sentence, next(left)) if text else Linkage()
        for sentence, text in zip(sentences, prepared)
    ]


def prepare_line(sentence: str) -> str:
    """Return the program's input line for a sentence: empty if the sentence is too long, and never a
    line that is a command to the program.

    >>> prepare_line("!!  Seen by\\tDr. Ruiz")
    'Seen by Dr. Ruiz'
    """
    words = sentence.split()
    text = STARTS_COMMAND.sub("", " ".join(words)).replace("\0", "")
    return text if len(words) <= MOST_WORDS and len(text.encode("utf-8", "replace")) <= MOST_BYTES else ""


def read_linkage(sentence: str, answer: str) -> Linkage:
    """Read the program's PostScript lists, the first if there are several.

    >>> read_linkage("He ran.", "[(LEFT-WALL)(he)(ran.v-d)(.)]\\n[[1 2 0 (Ss)]]\\n[0]")
    Linkage(words=((-1, -1), (0, 2), (2, 5), (5, 6)), links=((1, 2, 'Ss'),))
    """
    found = WORDS.search(answer.replace("\n", ""))
    if found is None:
        return Linkage()
    words = tuple(align_words("".join(sentence.split()).lower(), found[1].split(")(")))
    links = ((int(a), int(b), name) for a, b, name in LINK.findall(found[2] or ""))
    return Linkage(words, tuple(link for link in links if link[1] < len(words)))


def align_words(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the range of each of the parser's words in ``text``, which is in lower case and without white
    space."""
    free = 0
    for word in words:
        places = [(at, -len(form)) for form in list_spellings(word) if (at := text.find(form, free)) >= 0]
        if not places or word.endswith("-WALL"):
            yield WALL
            continue
        at, size = min(places)
        free = at - size
        yield at, free


def list_spellings(word: str) -> list[str]:
    """Return the spellings, in lower case, that a word of the parser may have in the text.

    >>> list_spellings("Dr..x"), list_spellings("[hernia]"), list_spellings("bar[?].n")
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
