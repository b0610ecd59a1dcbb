"""Parts of a corpus: folds that keep a patient together, and samples that grow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from crfdeid.errors import ConfigurationError
from crfdeid.text.document import Document, fingerprint_documents


@dataclass(frozen=True)
class Part:
    """Documents that are trained or scored on together. ``name`` is that of their corpus."""

    name: str
    documents: tuple[Document, ...]

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_documents(self.documents)

    @property
    def spans(self) -> int:
        return sum(len(document.spans) for document in self.documents)


def folds(part: Part, number: int, seed: int) -> list[tuple[Part, Part]]:
    """Pairs (training part, test part): each document is in one test part, and a patient's
    documents are all in the same; a document without patient stands for itself. Patients come in
    an order drawn from ``seed``, those with most documents first, each into the smallest fold."""
    if twice := [id for id, count in Counter(d.id for d in part.documents).items() if count > 1]:
        raise ConfigurationError(f"{part.name}: document {twice[0]} occurs twice: folds want one of each")
    groups: dict[tuple[bool, str], list[Document]] = {}
    for document in part.documents:
        groups.setdefault(owner(document), []).append(document)
    if len(groups) < number:
        raise ConfigurationError(f"{number} folds of {len(groups)} patients: wanted at most one each")
    order = sorted(groups)
    Random(seed).shuffle(order)
    held = [set[tuple[bool, str]]() for _ in range(number)]
    sizes = [0] * number
    for group in sorted(order, key=lambda group: -len(groups[group])):
        smallest = sizes.index(min(sizes))
        held[smallest].add(group)
        sizes[smallest] += len(groups[group])
    return [split(part, chosen) for chosen in held]


def owner(document: Document) -> tuple[bool, str]:
    """Whom a document is of: its patient, or itself."""
    return document.patient is not None, document.patient or document.id


def split(part: Part, held: set[tuple[bool, str]]) -> tuple[Part, Part]:
    test = tuple(document for document in part.documents if owner(document) in held)
    train = tuple(document for document in part.documents if owner(document) not in held)
    return Part(part.name, train), Part(part.name, test)


def sample(part: Part, number: int, seed: int) -> Part:
    """``number`` documents in the corpus's order; a larger sample of the same seed holds a
    smaller one."""
    order = list(range(len(part.documents)))
    Random(seed).shuffle(order)
    return Part(part.name, tuple(part.documents[index] for index in sorted(order[:number])))


def shared(one: Part, other: Part) -> bool:
    """Whether a document of ``other`` has the text of one of ``one``."""
    return not {document.text for document in one.documents}.isdisjoint(d.text for d in other.documents)


def joined(parts: Sequence[Part]) -> Part:
    """Several corpora as one. Identifiers may recur; patients are told apart by name alone."""
    documents = tuple(document for part in parts for document in part.documents)
    return parts[0] if len(parts) == 1 else Part("+".join(part.name for part in parts), documents)
