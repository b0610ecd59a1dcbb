"""The kinds of note (``lists/genres.txt``): their sections, how often they are written, the headings of the
sections, and their sentences: frames with PHI and without, each of them once in a note as far as
possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.synthetic import frames
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import choose_pattern, choose_weighted, is_in_part, read_list
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.pieces import Piece

Pieces = list[Piece]

# The share of a section's sentences that hold PHI; most of a note must be narrative without any.
PHI_SHARE = 0.17
PHI_SHARES = {
    "queries": 0.7, "letter": 0.35, "phone": 0.4, "social_work": 0.35, "ed": 0.3, "discharge": 0.3,
    "admission": 0.5, "exam": 0.05, "radiology": 0.25, "operative": 0.1, "social": 0.3, "family": 0.3,
    "case_opening": 0.85, "case_history": 0.12, "case_findings": 0.03, "case_course": 0.1,
    "case_discussion": 0.02, "dialogue_doctor": 0.04, "dialogue_patient": 0.06, "portal": 0.25,
    "portal_opening": 0.6, "portal_closing": 0.8, "portal_reply": 0.3, "phone_lines": 0.6,
    "gp_letter": 0.3, "gp_opening": 0.7, "gp_closing": 0.35, "obx": 0.08, "run_sheet": 0.45,
    "operative_log": 0.75, "lab_header": 0.8, "lab_lines": 0.06, "transfer": 0.6, "consent": 0.25,
    "prescription": 0.5, "reminder": 0.7, "psych": 0.4, "pathology_gross": 0.25, "query_what": 0.0,
    "query_verb": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Genre:
    """``sections`` are in their usual order, each with its minimum and maximum of sentences (of turns, rows
    or searches in layouts that have them); ``weight`` is the share among notes; a ``held_out`` genre is only
    in the test part; ``layout`` names how a note is composed."""

    name: str
    weight: float
    sections: tuple[tuple[str, int, int], ...]
    held_out: bool
    layout: str = "report"


def parse_genre(line: str) -> Genre:
    """Parse a line of ``lists/genres.txt``.

    >>> parse_genre("*nursing 5: nursing 6-14").held_out
    True
    >>> parse_genre("portal 3 message: portal 2-7")
    Genre(name='portal', weight=3.0, sections=(('portal', 2, 7),), held_out=False, layout='message')
    """
    head, _, rows = line.partition(": ")
    name, weight, *layout = head.removeprefix("*").split()
    parts = (row.replace("-", " ").split() for row in rows.split(", "))
    sections = tuple((section, int(fewest), int(most)) for section, fewest, most in parts)
    return Genre(name, float(weight), sections, line[0] == "*", *layout)


@cache
def read_genres() -> dict[str, Genre]:
    """Read all genres by name."""
    return {genre.name: genre for genre in map(parse_genre, read_list("genres"))}


def select_genres(names: tuple[str, ...]) -> tuple[Genre, ...]:
    """Return the genres of those names; without names, all. Raises :class:`ConfigurationError` for an unknown
    name."""
    known = read_genres()
    for name in names:
        if name not in known:
            raise ConfigurationError(
                f"{name}: no such genre{did_you_mean(name, known)}; there are {', '.join(known)}"
            )
    return tuple(known[name] for name in names or known)


def weigh_genres(genres: tuple[Genre, ...], part: str) -> list[tuple[float, Genre]]:
    """Return the genres with their weights in ``part``: train has no held-out genre, and in test they make
    up half of the notes."""
    if part == "train" and (kept := [(g.weight, g) for g in genres if not g.held_out]):
        return kept
    return [(genre.weight * (4 if part == "test" and genre.held_out else 1), genre) for genre in genres]


@cache
def read_headings() -> dict[str, list[str]]:
    """Read the headings of each section."""
    return {section: row.split("|") for section, row in (line.split(": ") for line in read_list("headings"))}


def choose_heading(section: str, rng: Random) -> str:
    """Choose a heading of the section, or now and then one that no section has."""
    if rng.random() < 0.12 or section not in read_headings():
        return rng.choice(read_list("heading_words"))
    return rng.choice(read_headings()[section])


def choose_heading_style(rng: Random) -> str:
    """Choose how one writer formats all headings."""
    return choose_pattern("heading", rng).replace("/", "\n").replace("_", " ")


def format_heading(heading: str, style: str) -> str:
    """Format a heading.

    >>> format_heading("Family History", "{upper}: ")
    'FAMILY HISTORY: '
    """
    return style.format(upper=heading.upper(), title=heading, low=heading.lower())


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


def write_sentences(section: str, count: int, cast: Cast, used: set[str]) -> list[Pieces]:
    """Write ``count`` sentences of the section."""
    return [cast.render(frame) for frame in choose_frames(section, count, cast.rng, cast.world.part, used)]


def join_sentences(sentences: Sequence[Pieces], before: Callable[[int], str]) -> Pieces:
    """Join sentences; ``before`` gives the text before each, by its number."""
    pieces: Pieces = []
    for index, sentence in enumerate(sentences):
        pieces += [Piece(before(index)), *sentence]
    return pieces
