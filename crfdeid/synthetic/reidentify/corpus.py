"""The kinds of corpora that texts are made into: re-identified, ambiguous, and out of dictionary (Sibanda &
Uzuner 2006, sections 3 and 6); of shuffled syllables, with and without coreference (Tafvizi 2011,
chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import NamedTuple

from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean
from crfdeid.synthetic import drawing, noise, pieces
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.pieces import Piece
from crfdeid.synthetic.reidentify import head_and_foot, renaming
from crfdeid.synthetic.reidentify.fill import SourceCast
from crfdeid.synthetic.reidentify.renaming import Renaming
from crfdeid.synthetic.reidentify.source_text import SourceText
from crfdeid.text.document import Document

KINDS: dict[str, Callable[[Iterable[str]], Callable[[Random], Renaming | None]]] = {
    "reidentified": lambda texts: renaming.keep_names,
    "ambiguous": renaming.build_ambiguous,
    "out-of-dictionary": renaming.build_out_of_dictionary,
    "syllables": renaming.build_syllables,
    "no-coreference": renaming.build_without_coreference,
}
WRAPPED, CAPITALS = 1 / 3, 1 / 12  # the share of documents with wrapped lines, and in capitals


class Part(NamedTuple):
    """A piece of a document in the making; ``where`` is ``host`` (the text itself), ``head``, ``foot`` or
    ``mention``."""

    where: str
    piece: Piece


@dataclass(frozen=True)
class ReidentifiedDocument:
    """A document; ``where`` says in which part (see :class:`Part`) each of its spans is;
    ``source_ranges`` are the ranges that are from the text itself, as start and end."""

    document: Document
    where: tuple[str, ...]
    source_ranges: tuple[tuple[int, int], ...]


def make_corpus(
    kind: str,
    sources: Sequence[SourceText],
    seed: int,
    part: str = "all",
    plain: bool = False,
    count: int | None = None,
) -> Iterator[ReidentifiedDocument]:
    """Yield the corpus of ``kind`` from the texts of ``part``, or from the first ``count`` of them. The
    patient of a text, or else its id, decides whether it is in train or test; the two share no names.
    ``plain`` adds nothing and leaves lines as they are. Raises :class:`ConfigurationError` for an unknown
    kind or part, :class:`DocumentError` if the part has no text."""
    if kind not in KINDS:
        raise ConfigurationError(
            f"{kind}: no such corpus{did_you_mean(kind, KINDS)}; wanted {', '.join(KINDS)}"
        )
    drawing.check_part(part)
    chosen = [source for source in sources if drawing.is_in_part(source.patient or source.id, part)][:count]
    if not chosen:
        raise DocumentError(f"none of {len(sources)} documents is in part {part}")
    renaming_for = KINDS[kind](text for source in chosen for text in source.texts_between())
    for number, source in enumerate(chosen):
        rng = Random(f"{seed}-{kind}-{source.id}")
        cast = SourceCast(source, rng, part, renaming_for(rng))
        mentions = [] if plain else head_and_foot.choose_mentions(number, part, rng)
        yield finish_document(list(compose_parts(source, cast, mentions, plain)), source, rng, plain)


def compose_parts(
    source: SourceText, cast: SourceCast, mentions: Sequence[Frame], plain: bool
) -> Iterator[Part]:
    """Yield the parts of the document, with the places of the text filled."""
    if not plain:
        yield from (Part("head", piece) for piece in head_and_foot.compose_head(cast))
    rest = list(source.texts_between())
    longest = max(range(len(rest)), key=lambda number: len(rest[number]))  # where the mentions go
    for number, text in enumerate(rest):
        if number:
            place = source.places[number - 1]
            yield Part("host", Piece(fill_place(source, number - 1, cast), place.type))
        if plain or number != longest:
            yield Part("host", Piece(text))
            continue
        for stretch in head_and_foot.spread_mentions(text, mentions, cast.rng):
            if isinstance(stretch, str):
                yield Part("host", Piece(stretch))
            else:
                yield from (Part("mention", piece) for piece in cast.render(stretch))
    if not plain:
        yield from (Part("foot", piece) for piece in head_and_foot.compose_foot(cast))


def fill_place(source: SourceText, number: int, cast: SourceCast) -> str:
    """Return the text for a place: its surrogate, or the real text there (in the wording of the
    corpus)."""
    place = source.places[number]
    text = source.text[place.start : place.end]
    if not place.replaced:
        return cast.reword(text, place.type, "acronym" if text.isupper() else None)
    return cast.make_surrogate(text, place)


def finish_document(made: list[Part], source: SourceText, rng: Random, plain: bool) -> ReidentifiedDocument:
    """Build the document of these parts, sometimes with wrapped lines or in capitals."""
    texts = [part.piece for part in made]
    if not plain and rng.random() < WRAPPED:
        texts = noise.wrap_lines(texts, rng.randrange(60, 81))
    if not plain and rng.random() < CAPITALS:
        texts = noise.to_upper(texts)
    document = pieces.build_document(texts, source.id, source.patient)
    ends = list(accumulate(len(piece.text) for piece in texts))
    bounds = [(end - len(p.text), end, part.where) for part, p, end in zip(made, texts, ends)]
    typed = [(a, b, where) for (a, b, where), piece in zip(bounds, texts) if piece.type]
    where = tuple(next(w for a, b, w in typed if a < s.end and s.start < b) for s in document.spans)
    return ReidentifiedDocument(document, where, tuple((a, b) for a, b, w in bounds if w == "host" and a < b))
