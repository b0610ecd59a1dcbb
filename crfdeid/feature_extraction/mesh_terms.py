"""The MeSH identifier of a token's noun phrase (Sibanda & Uzuner 2006, section 5).

Terms come from the shipped list ``mesh_headings`` (30,532 headings), or from a user's own UMLS file
MRCONSO.RRF, which also has their synonyms. The identifiers are MeSH's unique ones (D006331), not
positions in its tree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import regex

from crfdeid.errors import FormatError
from crfdeid.feature_extraction.part_of_speech import PartsOfSpeech, parse_chunks
from crfdeid.feature_extraction.token import Value
from crfdeid.lexicon.letters import remember_words
from crfdeid.text import gazetteer
from crfdeid.text.tokenized import TokenizedDocument

UMLS = "CRFDEID_UMLS"  # the environment variable that names a MRCONSO.RRF
HEADINGS = "mesh_headings"
# Columns of MRCONSO.RRF (UMLS Reference Manual, chapter 3).
LANGUAGE, SOURCE, CODE, STRING, SUPPRESSED, WIDTH = 1, 11, 13, 14, 16, 18
WORD = regex.compile(r"[^\W_]+")

Terms = Mapping[tuple[str, ...], str]


def strip_plural(word: str) -> str:
    """Return the word without its regular plural. A wrong singular does no harm: terms and notes get
    the same one.

    >>> [strip_plural(word) for word in ("diseases", "biopsies", "pancreas", "mass", "virus", "pus")]
    ['disease', 'biopsy', 'pancrea', 'mass', 'virus', 'pus']
    """
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and len(word) > 3 and word[-2] not in "siu" else word


def normalize_term(text: str) -> tuple[str, ...]:
    """
    >>> normalize_term("Heart Failures, Congestive")
    ('heart', 'failure', 'congestive')
    """
    return tuple(strip_plural(word) for word in WORD.findall(text.casefold()))


def list_forms(heading: str) -> Iterator[tuple[str, ...]]:
    """Yield a heading as it is, and with the part after its comma put first.

    >>> list(list_forms("Heart Failure, Congestive"))
    [('heart', 'failure', 'congestive'), ('congestive', 'heart', 'failure')]
    """
    yield normalize_term(heading)
    parts = heading.split(", ")
    if len(parts) > 1:
        yield normalize_term(" ".join(reversed(parts)))


def index_terms(rows: Iterable[tuple[str, str]]) -> dict[tuple[str, ...], str]:
    """Map the forms of (identifier, heading) pairs to identifiers. Where two headings share a form, one
    that is written so wins over one whose parts are turned; else the first wins."""
    plain: dict[tuple[str, ...], str] = {}
    turned: dict[tuple[str, ...], str] = {}
    for identifier, heading in rows:
        first, *others = list_forms(heading)
        plain.setdefault(first, identifier)
        for form in others:
            turned.setdefault(form, identifier)
    return {form: identifier for form, identifier in (turned | plain).items() if form}


@cache
def read_headings() -> Terms:
    """Read the terms of the shipped headings: those with the lower identifier first."""
    entries = (entry.rpartition("|") for entry in gazetteer.read_entries(gazetteer.find_gazetteer(HEADINGS)))
    rows = [(identifier, heading) for heading, _, identifier in entries]
    return index_terms(sorted(rows, key=lambda row: int(row[0][1:])))


@cache
def read_umls(path: Path) -> Terms:
    """Read the English MeSH terms of a MRCONSO.RRF with their synonyms. Raises :class:`FormatError`."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            found = index_terms(_read_umls_rows(path, file))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    if not found:
        raise FormatError(f"{path}: no English MeSH term (source MSH)")
    return found


def _read_umls_rows(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if "|MSH|" not in line:  # most of the 16 million lines are of other sources
            continue
        row = line.rstrip("\n").split("|")
        if len(row) < WIDTH:
            raise FormatError(f"{path}, line {number}: {len(row)} columns; wanted the {WIDTH} of MRCONSO.RRF")
        if row[LANGUAGE] == "ENG" and row[SOURCE] == "MSH" and row[SUPPRESSED] not in "OEY":
            yield row[CODE], row[STRING]


def read_terms() -> Terms:
    """Read the user's UMLS file where the environment names one, else the shipped headings."""
    return read_umls(Path(path)) if (path := os.environ.get(UMLS)) else read_headings()


def find_identifier(terms: Terms, words: Sequence[str]) -> Value:
    """Return the identifier of the longest part of a noun phrase that ends with its head.

    >>> find_identifier({("heart", "failure"): "D006333"}, ("severe", "heart", "failure"))
    'D006333'
    """
    return next((terms[part] for i in range(len(words)) if (part := tuple(words[i:])) in terms), None)


def mesh(
    pos: PartsOfSpeech, document: TokenizedDocument, read: Callable[[], Terms] = read_terms
) -> list[Value]:
    """The identifier of the noun phrase, at each of its tokens."""
    terms = read()
    values: list[Value] = [None] * len(document.tokens)
    for name, part in parse_chunks(document, pos(document)):
        if name == "NP":
            words = [form for i in part for form in _normalize_word(document.lowered[i])]
            values[part.start : part.stop] = [find_identifier(terms, words)] * len(part)
    return values


_normalize_word = remember_words(100_000)(normalize_term)
