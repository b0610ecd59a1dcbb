"""Parts of a corpus: folds that keep a patient's documents together, and samples that grow."""

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
    """Documents to train on or to score. ``name`` is the name of their corpus."""

    name: str
    documents: tuple[Document, ...]

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_documents(self.documents)

    @property
    def spans(self) -> int:
        """The number of spans of all documents."""
        return sum(len(document.spans) for document in self.documents)


Owner = tuple[bool, str]  # whether it is a patient; the patient, or the document's identifier


def make_folds(part: Part, number: int, seed: int) -> list[tuple[Part, Part]]:
    """Return pairs (training part, test part): each document is in one test part, and a patient's
    documents are all in the same one. A document without a patient is a group by itself.

    Patients come in an order drawn from ``seed``, those with most documents first, each into the
    smallest fold. Raises :class:`ConfigurationError` where an identifier occurs twice, or where
    there are fewer patients than folds.
    """
    if twice := [id for id, count in Counter(d.id for d in part.documents).items() if count > 1]:
        raise ConfigurationError(
            f"{part.name}: document {twice[0]} occurs twice: wanted each once, to make folds"
        )
    groups: dict[Owner, list[Document]] = {}
    for document in part.documents:
        groups.setdefault(document.owner, []).append(document)
    if len(groups) < number:
        raise ConfigurationError(
            f"{number} folds of {len(groups)} patients: wanted at most {len(groups)} folds"
        )
    order = sorted(groups)
    Random(seed).shuffle(order)
    held = [set[Owner]() for _ in range(number)]
    sizes = [0] * number
    for group in sorted(order, key=lambda group: -len(groups[group])):
        smallest = sizes.index(min(sizes))
        held[smallest].add(group)
        sizes[smallest] += len(groups[group])
    return [hold_out(part, owners) for owners in held]


def hold_out(part: Part, held: set[Owner]) -> tuple[Part, Part]:
    """Return the training part, and the test part with the documents of the owners in ``held``."""
    test = tuple(document for document in part.documents if document.owner in held)
    train = tuple(document for document in part.documents if document.owner not in held)
    return Part(part.name, train), Part(part.name, test)


def draw_sample(part: Part, number: int, seed: int) -> Part:
    """Draw ``number`` documents and keep the corpus's order. With the same seed, a larger sample
    holds the smaller one."""
    order = list(range(len(part.documents)))
    Random(seed).shuffle(order)
    return Part(part.name, tuple(part.documents[index] for index in sorted(order[:number])))


def draw_patients(part: Part, number: int, seed: int) -> Part:
    """Draw patients until they have ``number`` documents, of the last one perhaps not all, and keep the
    corpus's order. With the same seed, a larger sample holds the smaller one. A document without a patient
    is drawn by itself, as :func:`draw_sample` does."""
    groups: dict[Owner, list[int]] = {}
    for index, document in enumerate(part.documents):
        groups.setdefault(document.owner, []).append(index)
    order = list(groups.values())
    Random(seed).shuffle(order)
    drawn = [index for group in order for index in group][:number]
    return Part(part.name, tuple(part.documents[index] for index in sorted(drawn)))


def have_common_text(one: Part, other: Part) -> bool:
    """Whether a document of one part has the same text as a document of the other."""
    return not {document.text for document in one.documents}.isdisjoint(d.text for d in other.documents)


def join_parts(parts: Sequence[Part]) -> Part:
    """Join several corpora. Identifiers may recur; patients of the same name become one."""
    documents = tuple(document for part in parts for document in part.documents)
    return parts[0] if len(parts) == 1 else Part("+".join(part.name for part in parts), documents)
