"""Draw documents from the written corpus: as they were written, and with every slot filled anew
(:mod:`crfdeid.synthetic.written_filler`)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from crfdeid.synthetic import noise
from crfdeid.synthetic.pieces import Piece, build_document, tidy
from crfdeid.synthetic.written_corpus import ENGLISH, WrittenDocument, find_written, read_corpus
from crfdeid.text.document import Document


def generate_written(
    part: str = "all", seed: int = 1, fills: int = 0, language: str = ENGLISH
) -> Iterator[Document]:
    """Return the documents of ``part``, each as :func:`draw_fills` yields it."""
    documents = read_corpus(part, language)
    return (note for document in documents for note in draw_fills(document, seed, fills))


def draw_fills(document: WrittenDocument, seed: int, fills: int) -> Iterator[Document]:
    """Yield the document as it was written, and ``fills`` more times with other people, places, dates and
    numbers, some of them with noise (:mod:`crfdeid.synthetic.noise`). All are notes of one patient."""
    yield build_document(copy_document(document), document.id, document.id)
    unaccented = find_written(document.language).unaccented
    for number in range(1, fills + 1):
        rng = Random(f"{seed}-{document.id}-{number}")
        filled = noise.add_noise(list(tidy(fill_document(document, rng))), rng)
        if unaccented and rng.random() < unaccented:
            filled = noise.drop_all_accents(filled)
        yield build_document(filled, f"{document.id}.{number}", document.id)


def fill_document(document: WrittenDocument, rng: Random, part: str = "all") -> list[Piece]:
    """Return the pieces of the document with every mention filled anew; ``part`` restricts the names."""
    filler = find_written(document.language).fill(document, rng, part)
    return [Piece(p) if isinstance(p, str) else Piece(filler.fill(p), p.type) for p in document.parts]


def copy_document(document: WrittenDocument) -> list[Piece]:
    """Return the pieces of the document as it was written."""
    return [Piece(p) if isinstance(p, str) else Piece(p.text, p.type) for p in document.parts]
