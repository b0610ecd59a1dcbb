"""Searches that clinicians type: whole frames, or a name, a topic and a day in any order."""

from __future__ import annotations

from random import Random

from crfdeid.synthetic import noise
from crfdeid.synthetic.cast import Cast, draw_world
from crfdeid.synthetic.genres import Genre, Pieces, choose_frames, join_sentences, write_sentences
from crfdeid.synthetic.pieces import Piece, join_pieces

# Which parts a query has, and how often. The order is free.
KEYWORDS = (
    ("query_who", 0.6), ("query_what", 0.85), ("query_what", 0.2), ("query_when", 0.25),
    ("query_where", 0.12),
)  # fmt: skip


def compose_queries(genre: Genre, cast: Cast) -> Pieces:
    """Compose one search, or some, one a line, each about another patient."""
    rng, part, used = cast.rng, cast.world.part, set[str]()
    _, fewest, most = genre.sections[0]
    count = 1 if rng.random() < 0.5 else rng.randint(fewest + 1, most)
    queries = []
    for frame in choose_frames("queries", count, rng, part, used):
        about = draw_world(rng, part)
        asked = Cast(about, rng, about.first_note)
        line = asked.render(frame) if rng.random() < 0.6 else compose_keywords(asked, used)
        queries.append(vary_query(line, rng))
    lines = join_sentences(queries, lambda index: "\n" if index else "")
    return noise.add_typos(lines, rng, rng.choice((0, 0.01, 0.04)))


def compose_keywords(cast: Cast, used: set[str]) -> Pieces:
    """Compose a search of keywords: who, what, when and where, in any order."""
    rng = cast.rng
    names = [name for name, chance in KEYWORDS if rng.random() < chance] or ["query_who"]
    if rng.random() < 0.6:
        rng.shuffle(names)
    parts = [part for name in names for part in write_sentences(name, 1, cast, used)]
    if rng.random() < 0.25:
        parts = [*write_sentences("query_verb", 1, cast, used), *parts]
    gap = rng.choice((" ", " ", " ", " ", " ", ", ", " - ", "  "))
    return join_sentences(parts, lambda index: gap if index else "")


def vary_query(line: Pieces, rng: Random) -> Pieces:
    """Write a search as people type: mostly without capitals, now and then with a mark at its end."""
    chance = rng.random()
    cased = noise.to_lower(line) if chance < 0.72 else noise.to_upper(line) if chance < 0.76 else line
    asks = rng.random() < 0.05 and not join_pieces(cased).endswith(("?", "."))
    return [*cased, Piece(rng.choice("??.!"))] if asks else cased
