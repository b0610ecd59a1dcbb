"""Syntactic bigrams: the two links to a word's left, or right, and the words they lead to.

After Tafvizi 2011, sections 2.1 and 3.3. Where a word has several links on a side, each makes a bigram;
a link that no second link follows is a feature by itself. Words are in lower case and as written,
without the parser's senses.

Linkages are cached on disk. A key is the SHA-256 of the parser's version and the sentence; a value has
link names and positions, no words. Someone can guess a short sentence and check its hash, so keep the
file where the notes are.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import link_parser
from crfdeid.feature_extraction.link_parser import WALL, Linkage
from crfdeid.feature_extraction.token import Value
from crfdeid.text.sentences import split_sentences
from crfdeid.text.tokenized import TokenizedDocument

CHUNK = 50  # sentences for one run of the parser
FOLDER = "CRFDEID_CACHE"  # the environment variable that names the cache's folder
TABLE = "CREATE TABLE IF NOT EXISTS linkages (key BLOB PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID"


def find_cache() -> Path:
    """Return the cache's path: in ``$CRFDEID_CACHE``, else in the user's folder of caches."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get(FOLDER) or f"{caches}/crfdeid"
    return Path(folder).expanduser() / "link_grammar.sqlite"


def parse_cached(texts: Sequence[str], path: Path) -> list[Linkage]:
    """Return one linkage per sentence, from the cache at ``path`` or else from the parser."""
    keys = [_hash_sentence(link_parser.read_version(), text) for text in texts]
    with _open_cache(path) as database:
        known = dict(_read_linkages(database, keys))
        new = {key: text for key, text in zip(keys, texts) if key not in known}
        if new:
            found = dict(zip(new, link_parser.parse(list(new.values()))))
            _write_linkages(database, found)
            known |= found
    return [known[key] for key in keys]


def list_unparsed(texts: Iterable[str], path: Path) -> list[str]:
    """Return the different sentences of texts, folded as a system sees them, that the cache does not have."""
    version = link_parser.read_version()
    sentences = (text[slice(*part)] for text in texts for part in split_sentences(text))
    by_key = {_hash_sentence(version, sentence): sentence for sentence in sentences}
    with _open_cache(path) as database:
        known = {key for key, _ in _read_linkages(database, list(by_key))}
    return [sentence for key, sentence in by_key.items() if key not in known]


def parse_ahead(sentences: Sequence[str], path: Path, jobs: int) -> Iterator[int]:
    """Parse sentences with ``jobs`` parsers at once, and yield how many each finished chunk has. Its linkages
    are in the cache by then, so that what is stopped continues there."""
    version = link_parser.read_version()
    chunks = [sentences[start : start + CHUNK] for start in range(0, len(sentences), CHUNK)]
    pool = ThreadPoolExecutor(jobs)  # a thread waits for a parser, which is a process
    try:
        waiting = {pool.submit(link_parser.parse, chunk): chunk for chunk in chunks}
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
