"""Places that a second reader should look at in the written corpus: likely mistakes of annotation, with
their lines.

python -m crfdeid.synthetic.written_checks FILE ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import regex

from crfdeid.lexicon import ENGLISH
from crfdeid.synthetic.written_corpus import PEOPLE, WrittenDocument, find_written, read_hand

REPEATED = (*PEOPLE, "CITY", "HOSPITAL", "ORGANIZATION", "STREET", "LOCATION-OTHER")
NUMERIC = regex.compile(r"\b\d{1,2}([/.-])\d{1,2}\1(\d{4}|\d\d)\b|\b\d{4}-\d\d-\d\d\b")
CONTACT = regex.compile(
    r"[\w.]+@[\w.]+\.\w+|\bwww\.|https?://|\b0\d{2,4}[ -]\d{3}[ -]?\d{3,4}\b"
    r"|\(?\b\d{3}\)?[ .-]\d{3}[.-]\d{4}\b"
)
LONG_NUMBER = regex.compile(r"(?<![\d.,])\d{6,}(?![\d.,]*\d)")
WORD = regex.compile(r"\p{L}[\p{L}'’-]*\p{L}")


@cache
def read_first_names(language: str = ENGLISH) -> frozenset[str]:
    return frozenset(name.lower() for name in find_written(language).checks.read_first_names())


def check_document(document: WrittenDocument) -> Iterator[str]:
    """Yield what looks wrong in one document: what, and the words."""
    for check in CHECKS:
        yield from check(document)


def find_unused_cast(document: WrittenDocument) -> Iterator[str]:
    used = {mention.key for mention in document.mentions}
    yield from (f"cast {key} is never mentioned" for key in document.cast if key not in used)


def find_wrong_edges(document: WrittenDocument) -> Iterator[str]:
    """Yield mentions that begin or end with what does not belong into the span, or have a doubtful type."""
    known = find_written(document.language).checks
    for text, type in ((mention.text, mention.type) for mention in document.mentions):
        if type in PEOPLE and any(edge.match(text) for edge in known.name_edges):
            yield f"a title, credential or 's inside {type}: {text}"
        if type == "DATE" and known.durations.fullmatch(text):
            yield f"a duration as DATE: {text}"
        if type == "AGE" and known.ages.match(text):
            yield f"AGE is only the number: {text}"
        if type == "PROFESSION" and known.jobs.match(text):
            yield f"PROFESSION without retired, former, a: {text}"


def find_untagged_repeats(document: WrittenDocument) -> Iterator[str]:
    """Yield words of mentions that also occur outside of every span."""
    wanted = {m.text for m in document.mentions if m.type in REPEATED and len(m.text) > 2}
    for member in document.cast.values():
        wanted |= {
            name for name in f"{member.first} {member.last}".split() if len(name) > 2 and name[0].isupper()
        }
    outside = "\0".join(part for part in document.parts if isinstance(part, str))
    for words in sorted(wanted):
        if regex.search(rf"(?<!\w){regex.escape(words)}(?!\w)", outside):
            yield f"a repeat outside of spans: {words}"


def find_untagged_patterns(document: WrittenDocument) -> Iterator[str]:
    """Yield dates, contacts, long numbers and names behind titles that no span covers."""
    known = find_written(document.language).checks
    for part in document.parts:
        if not isinstance(part, str):
            continue
        for pattern in (known.calendar, NUMERIC, CONTACT, LONG_NUMBER):
            yield from (f"not marked: {match[0]}" for match in pattern.finditer(part))
        for match in known.titled.finditer(part):
            yield f"a name behind a title, not marked: {match[0]}"


def find_untagged_names(document: WrittenDocument) -> Iterator[str]:
    """Yield common first names outside of spans that stand in capitals or with a capital."""
    names = read_first_names(document.language) - find_written(document.language).checks.no_names
    for part in document.parts:
        if isinstance(part, str):
            for match in WORD.finditer(part):
                word = match[0]
                if word.istitle() and word.lower() in names:
                    yield f"a common first name, not marked: {word}"


CHECKS: tuple[Callable[[WrittenDocument], Iterator[str]], ...] = (
    find_unused_cast, find_wrong_edges, find_untagged_repeats, find_untagged_patterns, find_untagged_names,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    for name in sys.argv[1:] if arguments is None else arguments:
        documents = read_hand(Path(name))
        for document in documents:
            for finding in check_document(document):
                print(f"{document.id}: {finding}")
        words = sum(
            len(" ".join(p if isinstance(p, str) else p.text for p in d.parts).split()) for d in documents
        )
        spans = sum(len(d.mentions) for d in documents)
        bare = sum(not d.mentions for d in documents)
        print(
            f"{name}: {len(documents)} documents, {words} words, {spans} spans, {bare} without PHI",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
