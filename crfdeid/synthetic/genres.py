"""The kinds of note (``lists/genres.txt``): their sections, how often they are written, and the headings
of the sections."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.synthetic.drawing import choose_pattern, read_list


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
