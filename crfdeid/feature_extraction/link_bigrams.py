"""Syntactic bigrams: the two links to a word's left, or right, and the words they lead to.

After Tafvizi 2011, sections 2.1 and 3.3. Where a word has several links on a side each makes a
bigram, and one link alone where no second follows. Words are told as written, in small letters,
without the parser's senses.

Linkages are kept on disk. A key is the SHA-256 of the parser's version and the sentence; what
is kept are link names and positions, no words. A hash of a short sentence can be guessed, so
the file belongs where the notes do.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import link_parser
from crfdeid.feature_extraction.link_parser import WALL, Linkage
from crfdeid.feature_extraction.token import Value
from crfdeid.text.sentences import split_sentences
from crfdeid.text.tokenized import TokenizedDocument

FOLDER = "CRFDEID_CACHE"  # the environment variable that names the cache's folder
TABLE = "CREATE TABLE IF NOT EXISTS linkages (key BLOB PRIMARY KEY, found TEXT NOT NULL) WITHOUT ROWID"


def cache_file() -> Path:
    """The cache: in ``$CRFDEID_CACHE``, else among the user's other caches."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = os.environ.get(FOLDER) or f"{caches}/crfdeid"
    return Path(folder).expanduser() / "link_grammar.sqlite"


def parsed(texts: Sequence[str], path: Path) -> list[Linkage]:
    """One linkage a sentence, from the cache at ``path`` or else from the parser."""
    keys = [_key(link_parser.version(), text) for text in texts]
    try:
        with closing(_opened(path)) as database:
            known = dict(_found(database, keys))
            new = {key: text for key, text in zip(keys, texts) if key not in known}
            if new:
                known |= zip(new, link_parser.parse(list(new.values())))
                rows = [(key, json.dumps([known[key].words, known[key].links])) for key in new]
                with database:
                    database.executemany("INSERT OR REPLACE INTO linkages VALUES (?, ?)", rows)
    except (sqlite3.Error, ValueError, OSError):
        raise ConfigurationError(f"{path}: no readable cache of linkages; remove the file") from None
    return [known[key] for key in keys]


def _key(version: str, text: str) -> bytes:
    return sha256(f"{version}\n{' '.join(text.split())}".encode("utf-8", "replace")).digest()


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=60)  # seconds another run may hold it
    database.execute(TABLE)
    return database


def _found(database: sqlite3.Connection, keys: Sequence[bytes]) -> Iterator[tuple[bytes, Linkage]]:
    for key in set(keys):
        for (found,) in database.execute("SELECT found FROM linkages WHERE key = ?", (key,)):
            words, links = json.loads(found)
            yield key, Linkage(tuple(map(tuple, words)), tuple(map(tuple, links)))


@lru_cache(1)
def linkages(document: TokenizedDocument) -> list[tuple[list[int], Linkage]]:
    """Of each sentence: where its characters but white space stand in the document, and its linkage."""
    ranges = split_sentences(document.text)
    places = [[at for at in range(*part) if not document.text[at].isspace()] for part in ranges]
    return list(zip(places, parsed([document.text[slice(*part)] for part in ranges], cache_file())))


def links(side: int, document: TokenizedDocument) -> list[Value]:
    """The bigrams on one side, -1 or 1, of each token's word."""
    first_of = {token.start: index for index, token in enumerate(document.tokens)}
    values: list[Value] = [None] * len(document.tokens)
    for places, linkage in linkages(document):
        for word, (start, end) in enumerate(linkage.words):
            told = tuple(dict.fromkeys(bigrams(document.text, places, linkage, word, side)))
            if told and (start, end) != WALL:
                for index in {first_of[at] for at in places[start:end] if at in first_of}:
                    values[index] = told
    return values


def bigrams(text: str, places: list[int], linkage: Linkage, word: int, side: int) -> Iterator[str]:
    for name, other in neighbours(linkage, word, side):
        head = f"{name}:{written(text, places, linkage.words[other])}"
        seconds = list(neighbours(linkage, other, side))
        for second, last in seconds:
            yield f"{head}>{second}:{written(text, places, linkage.words[last])}"
        if not seconds:
            yield head


def neighbours(linkage: Linkage, word: int, side: int) -> Iterator[tuple[str, int]]:
    """The links of a word on one side, and the words they lead to; the walls are no words.

    >>> list(neighbours(Linkage(((0, 2), (2, 5)), ((0, 1, "Ss"),)), 0, 1))
    [('Ss', 1)]
    """
    for left, right, name in linkage.links:
        here, there = (left, right) if side > 0 else (right, left)
        if here == word and linkage.words[there] != WALL:
            yield name, there


def written(text: str, places: list[int], part: tuple[int, int]) -> str:
    return "".join(text[at] for at in places[slice(*part)]).lower()


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "links_left": partial(links, -1),
    "links_right": partial(links, 1),
}
