"""Additions to a text: a head, a foot and mentions with PHI of every type.

Heads and feet are those of :mod:`crfdeid.synthetic`. Mentions (``mentions.txt``) are
sentences for any form of their slot; the documents go through all forms of all slots in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

from crfdeid.files import read_text
from crfdeid.synthetic import frames, genres, notes, slots
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import choose_weighted
from crfdeid.synthetic.frames import Frame
from crfdeid.synthetic.pieces import Piece

MENTIONS = 3  # in each document
HEAD, FOOT = 0.8, 0.75  # the share of documents with one
SENTENCE_END = re.compile(r"(?<=[a-z]{2}[.]) (?=[A-Z])")
TEST_SHARE = 3  # one in three of a slot's mentions is for the test part


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
    pairs = [(slot, form) for slot in read_mentions() for form in slots.VARIANTS[slot] or (None,)]
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
    """Put the sentences between those of the text, or after it if it has none."""
    gaps = [match.span() for match in SENTENCE_END.finditer(text)]
    chosen = sorted(rng.sample(gaps, min(len(gaps), len(sentences))))
    at = 0
    for (start, end), sentence in zip(chosen, sentences):
        yield from (text[at:start], " ", sentence, " ")
        at = end
    yield text[at:]
    for sentence in sentences[len(chosen) :]:
        yield from ("\n", sentence)
