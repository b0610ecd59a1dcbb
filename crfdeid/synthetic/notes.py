"""Composing a note: head, sections, tables, foot, and then noise.

Heads and feet are as hospital systems print them: some fields, all in one style. A field is ``label|label …
= value`` (``lists/head_fields.txt``). Every system uses other labels, so the labels vary more than the
values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import chain, count, islice
from random import Random

from crfdeid.synthetic import drawing, frames, genres, noise, without_sections
from crfdeid.synthetic.cast import Cast, PatientWorld, draw_world
from crfdeid.synthetic.drawing import choose_weighted, read_list
from crfdeid.synthetic.frames import Frame, parse_frame
from crfdeid.synthetic.genres import Genre, Pieces, join_sentences, write_sentences
from crfdeid.synthetic.noise import is_token_boundary
from crfdeid.synthetic.pieces import Piece, build_document, join_pieces, tidy
from crfdeid.text.document import Document

LISTED_SECTIONS = ("meds", "problems", "allergies", "labs", "references")

COLONS = (": ", ": ", ": ", ":", ":", ":  ", " : ", " ", " - ", "\t", " = ", ":\t")
BARE = 0.15  # the share of forms that print only the values, in one line
BARE_GAPS = ("|", " | ", "   ", " / ", "\t", " ", ", ", "  -  ", "", "")
GAPS = ("\n", "\n", "\n", "\n", "   ", "    ", " | ", "; ", ", ", "\t", " / ", "  ")


def choose_block(kind: str, genre: str, rng: Random) -> Frame:
    """Choose a layout block: often one for this genre only, else one for any genre."""
    own = [frame for names, frame in frames.read_blocks()[kind] if genre in names]
    open_to_all = [frame for names, frame in frames.read_blocks()[kind] if not names]
    those = own if own and rng.random() < 0.6 else open_to_all
    return choose_weighted(rng, ((frames.frame_weight(frame), frame) for frame in those))


def compose_note(genre: Genre, world: PatientWorld, number: int, rng: Random) -> Pieces:
    """Compose note ``number`` (from 0) of a patient, in pieces."""
    today = world.first_note + timedelta(number * rng.randint(2, 400))
    return LAYOUTS[genre.layout](genre, Cast(world, rng, today))


def compose_report(genre: Genre, cast: Cast) -> Pieces:
    """Compose a report: a head, sections with headings, and feet."""
    rng, pieces = cast.rng, list[Piece]()
    if rng.random() < 0.92:
        pieces += compose_edge("head", genre, cast)
    pieces += compose_body(genre, cast)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
        pieces += compose_edge("foot", genre, cast)
    return noise.add_noise(list(tidy(pieces)), rng)


def compose_article(genre: Genre, cast: Cast) -> Pieces:
    """Compose an article or the like: sections without head and foot, with headings or without any."""
    pieces = compose_body(genre, cast, headed=cast.rng.choice((0.0, 0.9)))
    return noise.add_noise(list(tidy(pieces)), cast.rng)


def compose_message(genre: Genre, cast: Cast) -> Pieces:
    """Compose a message: each section is a paragraph; some are without capitals."""
    pieces = compose_bare(genre, cast, " ", cast.rng.choice(("\n\n", "\n", " ")))
    if cast.rng.random() < 0.3:
        return noise.to_lower(pieces)
    return noise.add_noise(list(tidy(pieces)), cast.rng)


def compose_lines(genre: Genre, cast: Cast) -> Pieces:
    """Compose a form or a message of segments: each sentence is a line."""
    rng = cast.rng
    head = compose_edge("head", genre, cast) if genre.name != "hl7" and rng.random() < 0.3 else []
    lines = compose_bare(genre, cast, "\n", rng.choice(("\n", "\n", "\n\n")))
    if genre.name == "hl7" and rng.random() < 0.5:
        lines = noise.to_upper(lines)
    return noise.add_noise(list(tidy([*head, *lines])), rng)


def compose_bare(genre: Genre, cast: Cast, within: str, between: str) -> Pieces:
    """Compose the sections without headings: ``within`` separates sentences, ``between`` sections."""
    used = set[str]()
    sections = (
        write_sentences(section, cast.rng.randint(fewest, most), cast, used)
        for section, fewest, most in genre.sections
    )
    kept = [join_sentences(s, lambda index: within if index else "") for s in sections if s]
    return join_sentences(kept, lambda index: between if index else "")


def compose_edge(kind: str, genre: Genre, cast: Cast) -> Pieces:
    """Compose a head or foot, from a block or from fields; the address in it is mostly the hospital's."""
    home = cast.town
    cast.town = cast.world.hospital_town if cast.rng.random() < 0.7 else home
    chosen = (
        compose_form(kind, cast)
        if cast.rng.random() < 0.35
        else cast.render(choose_block(kind, genre.name, cast.rng))
    )
    cast.town = home
    return [*(noise.to_upper(chosen) if cast.rng.random() < 0.06 else chosen), Piece("\n\n")]


def compose_body(genre: Genre, cast: Cast, headed: float = 0.85) -> Pieces:
    """Compose the sections of a note with their headings and tables; ``headed`` is the share that has one."""
    rng, used = cast.rng, set[str]()
    style, gap = genres.choose_heading_style(rng), rng.choice(("\n\n", "\n\n", "\n", "\n", "\n \n"))
    sections = [entry for entry in genre.sections if rng.random() < 0.88]
    if rng.random() < 0.15:
        rng.shuffle(sections)
    pieces: Pieces = []
    for section, fewest, most in sections:
        sentences = write_sentences(section, rng.randint(fewest, most), cast, used)
        if not sentences:
            continue
        if rng.random() < headed:
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


def vary_case(pieces: Pieces, rng: Random) -> Pieces:
    """Write a section, now and then, in capitals or without any."""
    chance = rng.random()
    return noise.to_upper(pieces) if chance < 0.04 else noise.to_lower(pieces) if chance < 0.055 else pieces


Composer = Callable[[Genre, Cast], Pieces]
LAYOUTS: Mapping[str, Composer] = {
    "report": compose_report,
    "article": compose_article,
    "message": compose_message,
    "lines": compose_lines,
    "turns": without_sections.compose_dialogue,
    "records": without_sections.compose_records,
    "queries": without_sections.compose_queries,
}


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


@cache
def read_fields(kind: str) -> tuple[tuple[tuple[str, ...], Frame], ...]:
    """Read the labels and the value of every field of ``head`` or ``foot``."""
    rows = (line.split(" = ", 1) for line in read_list(f"{kind}_fields"))
    return tuple(
        (tuple(labels.split("|")), parse_frame(value, f"{kind}_fields.txt")) for labels, value in rows
    )


def compose_form(kind: str, cast: Cast) -> list[Piece]:
    """Compose a head or foot of some fields. A head begins with the patient, the record and the date."""
    rng, known = cast.rng, read_fields(kind)
    first = [row for row in known[:8] if rng.random() < 0.35] if kind == "head" else []
    rows = first + rng.choices(known, [frames.frame_weight(value) for _, value in known], k=rng.randint(2, 7))
    colon, gap, per_line = rng.choice(COLONS), rng.choice(GAPS), rng.randint(1, 4)
    label, width = choose_casing(rng), rng.choice((0, 0, 0, 16, 20, 24))
    if rng.random() < BARE:
        label, colon, gap, width, per_line = drop_label, "", rng.choice(BARE_GAPS), 0, 99
    pieces: list[Piece] = []
    for index, (labels, value) in enumerate(dict.fromkeys(rows)):
        labelled = f"{label(rng.choice(labels))}{colon}".ljust(width)
        cell = [Piece(labelled), *cast.render(value)]
        ending = "\n" if index % per_line == 0 else gap or choose_gap(join_pieces(pieces), join_pieces(cell))
        pieces += [Piece(ending if index else ""), *cell]
        if gap != "\n" and width and "\t" not in gap:
            pieces.append(Piece(" " * max(0, width * 2 - len(join_pieces(cell)))))
    return pieces


def choose_gap(before: str, after: str) -> str:
    """Return nothing between two values where a token ends anyway, else a blank.

    >>> choose_gap("4471203", "Ruiz"), choose_gap("RUIZ", "ANA")
    ('', ' ')
    """
    return "" if is_token_boundary(before[-1:], after[:1]) else " "


def drop_label(label: str) -> str:
    """Write nothing in place of a label."""
    return ""


def choose_casing(rng: Random) -> Callable[[str], str]:
    """Choose how all labels are written: as they are, in capitals, or small."""
    return rng.choice((str, str, str, str.upper, str.upper, str.title, str.lower))
