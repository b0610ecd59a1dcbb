"""Syntactic bigrams: the two links to a word's left, or right, and the words they lead to.

After Tafvizi 2011, sections 2.1 and 3.3. Where a word has several links on a side, each makes a bigram;
a link that no second link follows is a feature by itself. Words are in lower case and as written,
without the parser's senses.

Linkages are cached on disk. A key is the SHA-256 of the parser's version and the sentence; a value has
link names and positions, no words. Someone can guess a short sentence and check its hash, so keep the
file where the notes are.

The Link Grammar Parser is a program that parses many sentences in one run: Debian's package
``link-grammar`` has ``link-parser``. A sentence of at most 50 words gets the parser's first linkage
(Tafvizi 2011, section 4.1.5), which leaves words out where no full one exists. A sentence that takes longer
than one second of the processor gets none.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.token import Value
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import split_sentences

CHUNK = 50  # sentences for one run of the parser
FOLDER = "CRFDEID_CACHE"  # the environment variable that names the cache's folder
TABLE = "CREATE TABLE IF NOT EXISTS linkages (key BLOB PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID"

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


def find_cache() -> Path:
    """Return the cache's path: in ``$CRFDEID_CACHE``, else in the user's folder of caches."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get(FOLDER) or f"{caches}/crfdeid"
    return Path(folder).expanduser() / "link_grammar.sqlite"


def parse_cached(texts: Sequence[str], path: Path) -> list[Linkage]:
    """Return one linkage per sentence, from the cache at ``path`` or else from the parser."""
    keys = [_hash_sentence(read_version(), text) for text in texts]
    with _open_cache(path) as database:
        known = dict(_read_linkages(database, keys))
        new = {key: text for key, text in zip(keys, texts) if key not in known}
        if new:
            found = dict(zip(new, parse(list(new.values()))))
            _write_linkages(database, found)
            known |= found
    return [known[key] for key in keys]


def list_unparsed(texts: Iterable[str], path: Path) -> list[str]:
    """Return the different sentences of texts, folded as a system sees them, that the cache does not have."""
    version = read_version()
    sentences = (text[slice(*part)] for text in texts for part in split_sentences(text))
    by_key = {_hash_sentence(version, sentence): sentence for sentence in sentences}
    with _open_cache(path) as database:
        known = {key for key, _ in _read_linkages(database, list(by_key))}
    return [sentence for key, sentence in by_key.items() if key not in known]


def parse_ahead(sentences: Sequence[str], path: Path, jobs: int) -> Iterator[int]:
    """Parse sentences with ``jobs`` parsers at once, and yield how many each finished chunk has. Its linkages
    are in the cache by then, so that what is stopped continues there."""
    version = read_version()
    chunks = [sentences[start : start + CHUNK] for start in range(0, len(sentences), CHUNK)]
    pool = ThreadPoolExecutor(jobs)  # a thread waits for a parser, which is a process
    try:
        waiting = {pool.submit(parse, chunk): chunk for chunk in chunks}
        for future in as_completed(waiting):
            chunk = waiting[future]
            keys = (_hash_sentence(version, sentence) for sentence in chunk)
            with _open_cache(path) as database:
                _write_linkages(database, dict(zip(keys, future.result())))
            yield len(chunk)
    finally:
        pool.shutdown(cancel_futures=True)


def _hash_sentence(version: str, text: str) -> bytes:
    return sha256(f"{version}\n{' '.join(text.split())}".encode("utf-8", "replace")).digest()


@contextmanager
def _open_cache(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the cache, and make it where it is missing. Raises :class:`ConfigurationError` where the file is
    something else."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        with closing(sqlite3.connect(path, timeout=60)) as database:  # seconds that another run may hold it
            database.execute(TABLE)
            yield database
    except (sqlite3.Error, ValueError, OSError):
        raise ConfigurationError(f"{path}: not a readable cache of linkages; remove the file") from None


def _read_linkages(database: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, Linkage]]:
    for key in set(keys):
        for (found,) in database.execute("SELECT found FROM linkages WHERE key = ?", (key,)):
            words, links = json.loads(found)
            yield key, Linkage(tuple(map(tuple, words)), tuple(map(tuple, links)))


def _write_linkages(database: sqlite3.Connection, found: Mapping[bytes, Linkage]) -> None:
    rows = [(key, json.dumps([linkage.words, linkage.links])) for key, linkage in found.items()]
    with database:
        database.executemany("INSERT OR REPLACE INTO linkages VALUES (?, ?)", rows)


@lru_cache(1)
def parse_document(document: TokenizedDocument) -> list[tuple[list[int], Linkage]]:
    """Return two things per sentence: the offsets of its characters except white space, and its linkage."""
    ranges = split_sentences(document.text)
    offsets = [[at for at in range(*part) if not document.text[at].isspace()] for part in ranges]
    return list(zip(offsets, parse_cached([document.text[slice(*part)] for part in ranges], find_cache())))


def list_bigrams(side: int, document: TokenizedDocument) -> list[Value]:
    """Return the bigrams on one side, -1 or 1, of each token's word."""
    first_of = {token.start: index for index, token in enumerate(document.tokens)}
    values: list[Value] = [None] * len(document.tokens)
    for offsets, linkage in parse_document(document):
        for word, (start, end) in enumerate(linkage.words):
            bigrams = tuple(dict.fromkeys(make_bigrams(document.text, offsets, linkage, word, side)))
            if bigrams and (start, end) != WALL:
                for index in {first_of[at] for at in offsets[start:end] if at in first_of}:
                    values[index] = bigrams
    return values


def make_bigrams(text: str, offsets: list[int], linkage: Linkage, word: int, side: int) -> Iterator[str]:
    """Yield the bigrams of one word, such as ``Ss:was>Pvf:admitted``."""
    for name, other in find_neighbours(linkage, word, side):
        head = f"{name}:{read_word(text, offsets, linkage.words[other])}"
        seconds = list(find_neighbours(linkage, other, side))
        for second, last in seconds:
            yield f"{head}>{second}:{read_word(text, offsets, linkage.words[last])}"
        if not seconds:
            yield head


def find_neighbours(linkage: Linkage, word: int, side: int) -> Iterator[tuple[str, int]]:
    """Yield the links of a word on one side and the words that they lead to, except walls.

    >>> list(find_neighbours(Linkage(((0, 2), (2, 5)), ((0, 1, "Ss"),)), 0, 1))
    [('Ss', 1)]
    """
    for left, right, name in linkage.links:
        here, there = (left, right) if side > 0 else (right, left)
        if here == word and linkage.words[there] != WALL:
            yield name, there


def read_word(text: str, offsets: list[int], part: tuple[int, int]) -> str:
    return "".join(text[at] for at in offsets[slice(*part)]).lower()


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "links_left": partial(list_bigrams, -1),
    "links_right": partial(list_bigrams, 1),
}


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
