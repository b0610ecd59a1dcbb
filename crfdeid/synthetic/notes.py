"""Composing a note: head, sections, tables, foot, and then noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from itertools import chain, count, islice
from random import Random

from crfdeid.synthetic import drawing, forms, frames, genres, noise
from crfdeid.synthetic.cast import Cast, PatientWorld, draw_world
from crfdeid.synthetic.drawing import choose_weighted, is_in_part
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.genres import Genre
from crfdeid.synthetic.pieces import Piece, build_document, tidy
from crfdeid.text.document import Document

Pieces = list[Piece]

# The share of a section's sentences that hold PHI; most of a note must be narrative without any.
PHI_SHARE = 0.17
PHI_SHARES = {
    "queries": 0.7, "letter": 0.35, "phone": 0.4, "social_work": 0.35, "ed": 0.3, "discharge": 0.3,
    "admission": 0.5, "exam": 0.05, "radiology": 0.25, "operative": 0.1, "social": 0.3, "family": 0.3,
}  # fmt: skip
LISTED_SECTIONS = ("meds", "problems", "allergies", "labs")


@cache
def select_frames(section: str, part: str, phi: bool) -> tuple[tuple[float, Frame], ...]:
    """Return the frames of a section, with or without PHI, that belong to ``part``; all of them
    if the part has none."""
    kind = [frame for frame in frames.read_sections().get(section, ()) if bool(frame.types) == phi]
    chosen = [frame for frame in kind if is_in_part(frame.text, part)] or kind
    return tuple((frames.frame_weight(frame), frame) for frame in chosen)


def choose_frames(section: str, count: int, rng: Random, part: str, used: set[str]) -> Iterator[Frame]:
    """Yield ``count`` frames of the section, those in ``used`` only when nothing else is left."""
    share = PHI_SHARES.get(section, PHI_SHARE)
    for _ in range(count):
        frames_of_kind = (
            select_frames(section, part, rng.random() < share)
            or select_frames(section, part, False)
            or select_frames(section, part, True)
        )
        fresh = [entry for entry in frames_of_kind if entry[1].text not in used] or frames_of_kind
        if fresh:
            frame = choose_weighted(rng, fresh)
            used.add(frame.text)
            yield frame


def choose_block(kind: str, genre: str, rng: Random) -> Frame:
    """Choose a layout block: often one for this genre only, else one for any genre."""
    own = [frame for names, frame in frames.read_blocks()[kind] if genre in names]
    open_to_all = [frame for names, frame in frames.read_blocks()[kind] if not names]
    those = own if own and rng.random() < 0.6 else open_to_all
    return choose_weighted(rng, ((frames.frame_weight(frame), frame) for frame in those))


def compose_note(genre: Genre, world: PatientWorld, number: int, rng: Random) -> Pieces:
    """Compose note ``number`` (from 0) of a patient, in pieces."""
    today = world.first_note + timedelta(number * rng.randint(2, 400))
    cast = Cast(world, rng, today)
    if genre.name == "query":
        return compose_queries(genre, cast)
    pieces: Pieces = []
    if rng.random() < 0.92:
        pieces += compose_edge("head", genre, cast)
    pieces += compose_body(genre, cast)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
        pieces += compose_edge("foot", genre, cast)
    return noise.add_noise(list(tidy(pieces)), rng)


def compose_edge(kind: str, genre: Genre, cast: Cast) -> Pieces:
    """Compose a head or foot, from a block or from fields; the address in it is mostly the hospital's."""
    home = cast.town
    cast.town = cast.world.hospital_town if cast.rng.random() < 0.7 else home
    chosen = (
        forms.compose_form(kind, cast)
        if cast.rng.random() < 0.35
        else cast.render(choose_block(kind, genre.name, cast.rng))
    )
    cast.town = home
    return [*(noise.to_upper(chosen) if cast.rng.random() < 0.06 else chosen), Piece("\n\n")]


def compose_body(genre: Genre, cast: Cast) -> Pieces:
    """Compose the sections of a note with their headings and tables."""
    rng, used = cast.rng, set[str]()
    style, gap = genres.choose_heading_style(rng), rng.choice(("\n\n", "\n\n", "\n", "\n", "\n \n"))
    sections = [entry for entry in genre.sections if rng.random() < 0.88]
    if rng.random() < 0.15:
        rng.shuffle(sections)
    pieces: Pieces = []
    for section, fewest, most in sections:
        sentences = [
            cast.render(f)
            for f in choose_frames(section, rng.randint(fewest, most), rng, cast.world.part, used)
        ]
        if not sentences:
            continue
        if rng.random() < 0.85:
            pieces.append(Piece(genres.format_heading(genres.choose_heading(section, rng), style)))
        pieces += [*vary_case(lay_out(section, sentences, rng), rng), Piece(gap)]
        if section in ("labs", "exam", "meds", "plan") and rng.random() < 0.3:
            pieces += [*cast.render(choose_block("table", genre.name, rng)), Piece(gap)]
    return pieces


def lay_out(section: str, sentences: Sequence[Pieces], rng: Random) -> Pieces:
    """Lay out the sentences as a paragraph or as a list of one of several kinds."""
    listing = 0.8 if section in LISTED_SECTIONS else 0.18
    if rng.random() >= listing:
        return join_sentences(sentences, lambda index: " " if index else "")
    mark = rng.choice(("", "", "{}. ", "{}) ", "- ", "-", "* ", "#{} ", "  {}. ", "• "))
    return join_sentences(sentences, lambda index: ("\n" if index else "") + mark.format(index + 1))


def join_sentences(sentences: Sequence[Pieces], before: Callable[[int], str]) -> Pieces:
    """Join sentences; ``before`` gives the text before each, by its number."""
    pieces: Pieces = []
    for index, sentence in enumerate(sentences):
        pieces += [Piece(before(index)), *sentence]
    return pieces


def vary_case(pieces: Pieces, rng: Random) -> Pieces:
    """Write a section, now and then, in capitals or without any."""
    chance = rng.random()
    return noise.to_upper(pieces) if chance < 0.04 else noise.to_lower(pieces) if chance < 0.055 else pieces


def compose_queries(genre: Genre, cast: Cast) -> Pieces:
    """Compose searches that clinicians type, one a line, each about another patient."""
    rng, part, used = cast.rng, cast.world.part, set[str]()
    _, fewest, most = genre.sections[0]
    count = 1 if rng.random() < 0.4 else rng.randint(fewest + 1, most)
    pieces: Pieces = []
    for frame in choose_frames("queries", count, rng, part, used):
        about = draw_world(rng, part)
        asked = Cast(about, rng, about.first_note)
        line = asked.render(frame)
        pieces += [*(noise.to_lower(line) if rng.random() < 0.75 else line), Piece("\n")]
    return noise.add_typos(pieces[:-1], rng, 0.01)


def generate_patient(seed: int, number: int, part: str, kinds: tuple[Genre, ...]) -> Iterator[Document]:
    """Yield the notes of one patient: one to five."""
    rng = Random(f"{seed}-{number}")
    about = draw_world(rng, part)
    for note in range(rng.choice((1, 1, 2, 2, 3, 4, 5))):
        rng = Random(f"{seed}-{number}-{note}")
        genre = choose_weighted(rng, genres.weigh_genres(kinds, part))
        id = f"{100 + number}-{note + 1:02}"
        yield build_document(compose_note(genre, about, note, rng), id, str(100 + number))


def generate(documents: int, seed: int, part: str = "all", kinds: tuple[str, ...] = ()) -> Iterator[Document]:
    """Yield invented notes with gold spans. The parts train and test share no names and places, and some
    genres are only in test; ``kinds`` restricts the genres. A note depends on the seed, the part, the
    kinds and its position, not on the number of ``documents``. Raises
    :class:`~crfdeid.errors.ConfigurationError` for an unknown part or genre.

    >>> [note.id for note in generate(3, seed=1)][0]
    '100-01'
    """
    drawing.check_part(part)
    chosen = genres.select_genres(kinds)
    return islice(chain.from_iterable(generate_patient(seed, n, part, chosen) for n in count()), documents)
