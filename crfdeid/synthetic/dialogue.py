"""Conversations of a patient and a clinician, as they are transcribed: turns, interjections, few names."""

from __future__ import annotations

from random import Random

import regex

from crfdeid.synthetic import noise
from crfdeid.synthetic.cast import Cast
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.frames import parse_frame
from crfdeid.synthetic.genres import Genre, Pieces, join_sentences, write_sentences
from crfdeid.synthetic.pieces import Piece

SIDES = ("dialogue_doctor", "dialogue_patient")
PAUSE = regex.compile(r"(?<=[a-z]),? (?=[a-z]{2})")
MARK = regex.compile(r" ?(?<![A-Z0-9])[.,?!](?=\s|$)")
SPACED = regex.compile(r"(?<=[\w'])(?=[,?!](?:\s|$)|\.$|\.(?= [a-z]))")


def compose_dialogue(genre: Genre, cast: Cast) -> Pieces:
    """Compose a conversation, mostly in lower case; some have no punctuation, or spaces before it."""
    rng, used = cast.rng, set[str]()
    _, fewest, most = genre.sections[0]
    labels = [parse_frame(f"{label} ", "speakers.txt") for label in choose_speakers(rng)]
    end = rng.choice(("\n", "\n", "\n", "\n\n", " "))
    first, pauses = rng.randrange(2), rng.choice((0.0, 0.02, 0.05))
    turns = []
    for number in range(rng.randint(fewest, most)):
        side = (number + first) % 2
        turn = compose_turn(SIDES[side], cast, used)
        turns.append([*cast.render(labels[side]), *add_pauses(turn, rng, pauses)])
    said = join_sentences(turns, lambda index: end if index else "")
    return transcribe(said, rng)


def choose_speakers(rng: Random) -> list[str]:
    """Choose the labels of the two sides."""
    return rng.choice(read_list("speakers")).split(" = ")


def compose_turn(side: str, cast: Cast, used: set[str]) -> Pieces:
    """Compose what one person says: often an interjection first, sometimes nothing else."""
    rng = cast.rng
    chance = rng.random()
    sounds = ", ".join(rng.choices(read_list("interjections"), k=rng.choice((1, 1, 1, 2))))
    opening = [Piece(sounds if rng.random() < 0.4 else sounds[:1].upper() + sounds[1:])]
    if chance < 0.14:
        return [*opening, Piece(rng.choice((".", ".", "", "?", "...")))]
    dictated = side == SIDES[0] and rng.random() < 0.08
    section = rng.choice(("hpi", "plan", "labs", "exam")) if dictated else side
    sentences = write_sentences(section, rng.choice((1, 1, 2, 2, 3, 4)), cast, used)
    said = join_sentences(sentences, lambda index: " " if index else "")
    return [*opening, Piece(rng.choice((", ", ". ", ", ", " "))), *said] if chance < 0.55 else said


def add_pauses(pieces: Pieces, rng: Random, rate: float) -> Pieces:
    """Put "uh" or "you know" between some of the words outside spans."""

    def pause(match: regex.Match[str]) -> str:
        if rng.random() >= rate:
            return match[0]
        sound = rng.choice(("uh", "um", "you know", "like", "i mean", "uh", "er", "well", "hm"))
        return rng.choice((f", {sound}, ", f" {sound} ", f" {sound}, ", f"... {sound} "))

    return noise.edit_outside(pieces, lambda text: PAUSE.sub(pause, text))


def transcribe(pieces: Pieces, rng: Random) -> Pieces:
    """Write a conversation as one of the ways of transcription has it."""
    chance = rng.random()
    if chance < 0.2:
        pieces = noise.edit_outside(pieces, lambda text: SPACED.sub(" ", text))
    elif chance < 0.32:
        pieces = noise.edit_outside(pieces, lambda text: MARK.sub("", text))
    return noise.to_lower(pieces) if rng.random() < 0.65 else pieces
