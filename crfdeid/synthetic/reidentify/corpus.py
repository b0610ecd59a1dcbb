"""The kinds of corpora that texts are made into: re-identified, ambiguous, and out of dictionary (Sibanda &
Uzuner 2006, sections 3 and 6); of shuffled syllables, with and without coreference (Tafvizi 2011,
chapter 5).

A text gets a head, a foot and mentions with PHI of every type. Heads and feet are those of
:mod:`crfdeid.synthetic`. Mentions (``mentions.txt``) are sentences for any form of their slot; the
documents go through all forms of all slots in turn. Of a made corpus, tokens are marked that are ambiguous,
and that are in no list (Sibanda & Uzuner 2006, tables 6 and 10).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean
from crfdeid.files import read_text
from crfdeid.synthetic import drawing, frames, genres, noise, notes, pieces
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import choose_weighted
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.pieces import Piece
from crfdeid.synthetic.reidentify import renaming
from crfdeid.synthetic.reidentify.convention import SourceText
from crfdeid.synthetic.reidentify.fill import SourceCast, detect_form
from crfdeid.synthetic.reidentify.renaming import WORD, Renaming, is_renamable, read_dictionary, words_to_keep
from crfdeid.text.document import Document

KINDS: dict[str, Callable[[Iterable[str]], Callable[[Random], Renaming | None]]] = {
    "reidentified": lambda texts: renaming.keep_names,
    "ambiguous": renaming.build_ambiguous,
    "out-of-dictionary": renaming.build_out_of_dictionary,
    "syllables": renaming.build_syllables,
    "no-coreference": renaming.build_without_coreference,
}
WRAPPED, CAPITALS = 1 / 3, 1 / 12  # the share of documents with wrapped lines, and in capitals

MENTIONS = 3  # in each document
HEAD, FOOT = 0.8, 0.75  # the share of documents with one
SENTENCE_END = re.compile(r"(?<=[a-z]{2}[.]) (?=[A-Z])")
TEST_SHARE = 3  # one in three of a slot's mentions is for the test part


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
        mentions = [] if plain else choose_mentions(number, part, rng)
        yield finish_document(list(compose_parts(source, cast, mentions, plain)), source, rng, plain)


def compose_parts(
    source: SourceText, cast: SourceCast, mentions: Sequence[Frame], plain: bool
) -> Iterator[Part]:
    """Yield the parts of the document, with the places of the text filled."""
    if not plain:
        yield from (Part("head", piece) for piece in compose_head(cast))
    rest = list(source.texts_between())
    longest = max(range(len(rest)), key=lambda number: len(rest[number]))  # where the mentions go
    for number, text in enumerate(rest):
        if number:
            place = source.places[number - 1]
            yield Part("host", Piece(fill_place(source, number - 1, cast), place.type))
        if plain or number != longest:
            yield Part("host", Piece(text))
            continue
        for stretch in spread_mentions(text, mentions, cast.rng):
            if isinstance(stretch, str):
                yield Part("host", Piece(stretch))
            else:
                yield from (Part("mention", piece) for piece in cast.render(stretch))
    if not plain:
        yield from (Part("foot", piece) for piece in compose_foot(cast))


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


def compose_head(cast: Cast) -> list[Piece]:
    """Compose a head, or nothing."""
    return compose_any_edge("head", cast) if cast.rng.random() < HEAD else []


def compose_foot(cast: Cast) -> list[Piece]:
    """Compose a foot, or nothing."""
    return [Piece("\n\n"), *compose_any_edge("foot", cast)] if cast.rng.random() < FOOT else []


def compose_any_edge(kind: str, cast: Cast) -> list[Piece]:
    """Compose a head or foot of any genre."""
    known = [genre for genre in genres.read_genres().values() if genre.name != "query"]
    return notes.compose_edge(
        kind, choose_weighted(cast.rng, ((genre.weight, genre) for genre in known)), cast
    )


@cache
def read_mentions() -> dict[str, tuple[str, ...]]:
    """Read the mentions by slot; ``{}`` marks the place of the slot."""
    found: dict[str, list[str]] = {}
    for line in read_text(Path(__file__).parent / "mentions.txt").splitlines():
        if line and not line.startswith("#"):
            slot, _, sentence = line.partition(": ")
            found.setdefault(slot, []).append(sentence)
    return {slot: tuple(group) for slot, group in found.items()}


@cache
def list_forms() -> tuple[tuple[str, str | None], ...]:
    """List every slot of the mentions in every form, shuffled."""
    pairs = [(slot, form) for slot in read_mentions() for form in frames.VARIANTS[slot] or (None,)]
    Random("mentions").shuffle(pairs)
    return tuple(pairs)


def choose_mentions(number: int, part: str, rng: Random) -> list[Frame]:
    """Choose the mentions of document ``number``; consecutive numbers go through all forms."""
    pairs = list_forms()
    turn = [pairs[(number * MENTIONS + step) % len(pairs)] for step in range(MENTIONS)]
    return [build_mention(slot, form, part, rng) for slot, form in turn]


def build_mention(slot: str, form: str | None, part: str, rng: Random) -> Frame:
    """Choose a mention of the part for a slot in one form."""
    of_slot = read_mentions()[slot]
    chosen = {
        "all": of_slot,
        "test": of_slot[::TEST_SHARE],
        "train": tuple(s for n, s in enumerate(of_slot) if n % TEST_SHARE),
    }[part]
    text = rng.choice(chosen).replace("{}", f"{{{slot}.{form}}}" if form else f"{{{slot}}}")
    return frames.parse_frame(text, "mentions.txt")


def spread_mentions(text: str, sentences: Sequence[Frame], rng: Random) -> Iterator[str | Frame]:
    """Put the sentences between the sentences of the text, or after it if it has none."""
    gaps = [match.span() for match in SENTENCE_END.finditer(text)]
    chosen = sorted(rng.sample(gaps, min(len(gaps), len(sentences))))
    at = 0
    for (start, end), sentence in zip(chosen, sentences):
        yield from (text[at:start], " ", sentence, " ")
        at = end
    yield text[at:]
    for sentence in sentences[len(chosen) :]:
        yield from ("\n", sentence)


def mark_tokens(corpus: Sequence[ReidentifiedDocument]) -> list[TokenMark]:
    """Mark every word of two letters or more in spans, and every ambiguous one outside spans.

    *Ambiguous*: a word of a name or place that also occurs outside PHI in the corpus. *Unseen*: a
    word of a name or place that is in no shipped list and does not occur outside PHI. Words for the kind
    of a place (Hospital) are neither; case does not matter.
    """
    outside = {word for made in corpus for _, _, word in find_words_outside(made.document)}
    inside = [mark for made in corpus for mark in mark_spans(made, outside)]
    texts = {made.document.id: made.document.text for made in corpus}
    both = {texts[mark.document][mark.start : mark.end].lower() for mark in inside if mark.ambiguous}
    rest = [
        TokenMark(
            made.document.id,
            start,
            end,
            "",
            True,
            False,
            "host" if is_within(start, made.source_ranges) else "",
        )
        for made in corpus
        for start, end, word in find_words_outside(made.document)
        if word in both
    ]
    return sorted([*inside, *rest])


def mark_spans(made: ReidentifiedDocument, outside: set[str]) -> Iterator[TokenMark]:
    """Mark the words in the spans of a document; ``outside`` are the words outside PHI in the corpus."""
    text = made.document.text
    for span, where in zip(made.document.spans, made.where):
        renamable = is_renamable(
            covered := made.document.text_of(span), span.type, detect_form(covered, span.type)
        )
        for match in WORD.finditer(text, span.start, span.end):
            word = match[0].lower()
            counts = renamable and word not in words_to_keep(span.type) and not is_abbreviation(match[0])
            unseen = counts and word not in outside and word not in read_dictionary()
            ambiguous = counts and word in outside
            yield TokenMark(made.document.id, match.start(), match.end(), span.type, ambiguous, unseen, where)


def is_abbreviation(word: str) -> bool:
    """Whether the word can be initials.

    >>> [is_abbreviation(word) for word in ("JM", "rsk", "LEE", "Lee", "Jo")]
    [True, True, True, False, False]
    """
    return len(word) <= 3 and (word.isupper() or word.islower())


def find_words_outside(document: Document) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and lowercased text of the words outside spans."""
    bounds = [0, *(end for span in document.spans for end in (span.start, span.end)), len(document.text)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        if number % 2 == 0:
            for match in WORD.finditer(document.text, start, end):
                yield match.start(), match.end(), match[0].lower()


def is_within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether an offset is in one of the ranges."""
    return any(start <= at < end for start, end in ranges)


def format_table(found: Sequence[TokenMark], documents: Sequence[Document]) -> str:
    """Format the distribution of words by type, as in tables 1, 6 and 10 of the paper."""
    words = sum(1 for document in documents for _ in find_words_outside(document))
    counts = {kind: Counter(m.type for m in found if getattr(m, kind)) for kind in ("ambiguous", "unseen")}
    lines = [f"{'words':<16}{'all':>8}{'ambiguous':>11}{'unseen':>8}"]
    lines += [f"{'Non-PHI':<16}{words:>8}{counts['ambiguous']['']:>11}{0:>8}"]
    for type, count in sorted(Counter(mark.type for mark in found if mark.type).items()):
        lines.append(f"{type:<16}{count:>8}{counts['ambiguous'][type]:>11}{counts['unseen'][type]:>8}")
    return "\n".join(lines)
