"""Planted people: invented names in the notes of some patients, which an attacker tries to find.

The *easy* half has its name in place of every name in a patient's notes, the *hard* half in place of one
name. The attacker reads the names in the model, and guesses: who knows the line of the note ranks the name
among invented decoys by the model's score (Carlini et al. 2019, The secret sharer, section 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from crfdeid.errors import DocumentError
from crfdeid.systems.crf import CrfTagger
from crfdeid.text import bio
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme

PLANTED = 20  # people, half of them easy
DECOYS = 1000  # for the rank of every name
NAMES = 162_253  # surnames of the US Census 2010: what an attacker tries to guess one
CHUNK = 10_000  # names that are tried at once
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


@dataclass(frozen=True)
class Canary:
    """A planted name, the type of its span, and a line in which it occurs, from ``start``."""

    name: str
    type: str
    is_easy: bool
    line: str = field(repr=False)
    start: int


def invent_name(random: Random) -> str:
    """Return an invented word of seven to nine letters.

    >>> invent_name(Random(1)).isalpha()
    True
    """
    letters = "".join(random.choice(CONSONANTS) + random.choice(VOWELS) for _ in range(random.choice((3, 4))))
    return (letters + random.choice(CONSONANTS)).capitalize()


def invent_names(count: int, random: Random, known: Collection[str]) -> list[str]:
    """Return distinct invented words that are not ``known`` (in lower case)."""
    found: dict[str, None] = {}
    while len(found) < count:
        name = invent_name(random)
        if name.lower() not in known:
            found[name] = None
    return list(found)


def list_name_types(scheme: Scheme, documents: Iterable[Document]) -> set[str]:
    """Return the types of people's names; all types where the scheme has no category NAME."""
    every = {span.type for document in documents for span in document.spans}
    return every & set(scheme.categories.get("NAME", ())) or every


def plant_canaries(
    documents: Sequence[Document], types: Collection[str], seed: int, known: Collection[str]
) -> tuple[list[Document], list[Canary]]:
    """Return the documents with planted names, and the canaries. Raises :class:`DocumentError` where fewer
    than two patients have a span of the ``types``."""
    random = Random(seed)
    patients: dict[tuple[bool, str], list[int]] = {}
    for number, document in enumerate(documents):
        if any(span.type in types for span in document.spans):
            patients.setdefault(document.owner, []).append(number)
    chosen = random.sample(sorted(patients), min(PLANTED, len(patients)))
    if len(chosen) < 2:
        raise DocumentError(
            f"{len(chosen)} patients have a name to replace by a planted one; wanted 2 or more"
        )
    planted, canaries = list(documents), []
    for place, (owner, name) in enumerate(zip(chosen, invent_names(len(chosen), random, known))):
        numbers = patients[owner] if place % 2 else patients[owner][:1]
        for number in numbers:
            planted[number], first = replace_names(planted[number], types, name, bool(place % 2))
        canaries.append(describe_canary(planted[number], first, name, bool(place % 2)))
    return planted, canaries


def replace_names(
    document: Document, types: Collection[str], name: str, every: bool
) -> tuple[Document, Span]:
    """Replace every span of the ``types``, or the first, by ``name``. Return the document, without spans
    that overlap earlier ones, and the first span that was replaced."""
    pieces: list[str] = []
    spans: list[Span] = []
    replaced: list[Span] = []
    end = size = 0
    for span in document.spans:
        if span.start < end:
            continue
        is_replaced = span.type in types and (every or not replaced)
        before, text = document.text[end : span.start], name if is_replaced else document.text_of(span)
        start = size + len(before)
        spans.append(Span(start, start + len(text), span.type))
        pieces += [before, text]
        replaced += spans[-1:] if is_replaced else []
        end, size = span.end, start + len(text)
    text = "".join([*pieces, document.text[end:]])
    return Document(document.id, text, tuple(spans), document.patient), replaced[0]


def describe_canary(document: Document, span: Span, name: str, is_easy: bool) -> Canary:
    first = document.text.rfind("\n", 0, span.start) + 1
    line = document.text[first:].split("\n", 1)[0]
    return Canary(name, span.type, is_easy, line, span.start - first)


def is_guessed(tagger: CrfTagger, canary: Canary, known: Collection[str], names: int = NAMES) -> bool:
    """Whether the model scores the canary's name above as many invented ones as the census has surnames."""
    random = Random(f"guesses {canary.name}")
    for start in range(0, names, CHUNK):
        others = invent_names(min(CHUNK, names - start), random, known)
        tagger.forget()  # a vocabulary of all these names takes gigabytes
        if any(rank_canary(tagger, canary, others)):
            return False
    return True


def rank_canary(tagger: CrfTagger, canary: Canary, decoys: Sequence[str]) -> tuple[int, int]:
    """Return how many of the ``decoys`` the model scores higher than the canary's name in the canary's line,
    and how many equal: where both are 0, an attacker who tries all names takes the canary."""
    names = [canary.name, *decoys]
    lines = [fill_line(canary, name) for name in names]
    batch = tagger.batch([Document("", line) for line, _ in lines])
    emissions = tagger.decoder.emissions(batch)
    labels = tagger.weights.labels
    own = [place for place, label in enumerate(labels) if label[2:] == canary.type]
    outside = emissions[:, labels.index(bio.OUTSIDE)] if bio.OUTSIDE in labels else 0.0
    scores = emissions[:, own].max(axis=1) - outside
    owner, starts = batch.document, np.array([start for _, start in lines])
    ends = starts + np.array([len(name) for name in names])
    inside = (batch.ends > starts[owner]) & (batch.starts < ends[owner])
    total = np.bincount(owner, np.where(inside, scores, 0.0), len(names))
    means = total / np.maximum(np.bincount(owner, inside, len(names)), 1)
    return int((means[1:] > means[0]).sum()), int((means[1:] == means[0]).sum())


def fill_line(canary: Canary, name: str) -> tuple[str, int]:
    """Return the canary's line with another name wherever its own occurs, and where the canary's place is.

    >>> fill_line(Canary("Ana", "PATIENT", True, "Ana, pt Ana: ok", 8), "Zora")
    ('Zora, pt Zora: ok', 9)
    """
    head = canary.line[: canary.start].replace(canary.name, name)
    tail = canary.line[canary.start :].replace(canary.name, name)
    return head + tail, len(head)
