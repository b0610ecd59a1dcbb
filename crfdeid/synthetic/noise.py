"""The noise of notes in archives: lost spaces, cut lines, capitals, typos, misread letters.

Every function takes pieces and returns pieces, so that spans stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any  # of regex, which has no types of patterns

import regex

from crfdeid.lexicon.letters import drop_accents
from crfdeid.synthetic.invented import misspell
from crfdeid.synthetic.pieces import Piece, join_pieces

Pieces = list[Piece]
TABULAR = regex.compile(r"\S {3,}\S|[_=]{8}|\|")
WORD = regex.compile(r"\b[a-z]{5,}\b")
ANY_WORD = regex.compile(r"\p{L}{4,}")
SIGN = regex.compile(r"\S")
INSIDE = regex.compile(r"(?<=\S) (?=\S)")
BETWEEN_LETTERS = regex.compile(r"(?<=\p{L}\p{L})(?=\p{L}\p{L})")
# Signs that a scanner confuses: letters and digits of like form, and letters that touch.
LIKE_FORMS = (
    "l1I| 1lI Il1 ilj ji tf ft O0QD 0O o0ac ao ceo eco S5 5S sa B8R 8B3 38 Z2 2Z G6C 6Gb bh6 hb qg9 gq9 9g "
    "7T/ /7l uv vu nru HN NH EF FEP PF RB DO CG YV VY ., ,. :; -~"
)
MISREAD: dict[str, Sequence[str]] = {signs[0]: signs[1:] for signs in LIKE_FORMS.split(" ")}
MISREAD |= {"m": ("rn", "nn"), "w": ("vv",), "d": ("cl",)}
TOUCHING = regex.compile("rn|cl|vv|ri")
TOUCHED = {"rn": "m", "cl": "d", "vv": "w", "ri": "n"}
GAP = regex.compile(r"(?<=[a-z0-9][.,:;]) (?=[A-Za-z0-9])")


def to_upper(pieces: Sequence[Piece]) -> Pieces:
    """Write everything in capitals."""
    return [Piece(text.upper(), type) for text, type in pieces]


def to_lower(pieces: Sequence[Piece]) -> Pieces:
    """Write everything without capitals."""
    return [Piece(text.lower(), type) for text, type in pieces]


def drop_all_accents(pieces: Sequence[Piece]) -> Pieces:
    """Write everything without accents."""
    return [Piece(drop_accents(text), type) for text, type in pieces]


def edit_outside(pieces: Sequence[Piece], edit: Callable[[str], str]) -> Pieces:
    """Apply ``edit`` to the text outside spans."""
    return [Piece(text, type) if type else Piece(edit(text)) for text, type in pieces]


def add_typos(pieces: Sequence[Piece], rng: Random, rate: float) -> Pieces:
    """Misspell the share ``rate`` of the words outside spans."""
    return edit_outside(
        pieces, lambda text: WORD.sub(lambda m: misspell(m[0], rng) if rng.random() < rate else m[0], text)
    )


def edit_share(
    pieces: Sequence[Piece], pattern: Any, rate: float, rng: Random, edit: Callable[[str], str]
) -> Pieces:
    """Apply ``edit`` to the share ``rate`` of the matches of ``pattern``, in spans too."""
    return [
        Piece(pattern.sub(lambda m: edit(m[0]) if rng.random() < rate else m[0], text), type)
        for text, type in pieces
    ]


def add_typos_anywhere(pieces: Sequence[Piece], rng: Random, rate: float) -> Pieces:
    """Misspell the share ``rate`` of the words, names too."""
    return edit_share(pieces, ANY_WORD, rate, rng, lambda word: misspell(word, rng))


def misread(pieces: Sequence[Piece], rng: Random, rate: float) -> Pieces:
    """Misread the share ``rate`` of the characters, as a scanner does; lose spaces half as often, and break
    words now and then. Spaces beside a span stay.

    >>> join_pieces(misread([Piece("Seen by Dr. "), Piece("Burns", "DOCTOR")], Random(2), 0.1))
    'Scen by Dr, Burns'
    """
    steps: tuple[tuple[Any, float, Callable[[str], str]], ...] = (
        (TOUCHING, rate * 2, TOUCHED.__getitem__),
        (SIGN, rate, lambda sign: rng.choice(MISREAD.get(sign, sign))),
        (INSIDE, rate / 2, lambda space: ""),
        (BETWEEN_LETTERS, rate / 8, lambda nothing: " "),
    )
    result = list(pieces)
    for pattern, share, edit in steps:
        result = edit_share(result, pattern, share, rng, edit)
    return result


def drop_spaces(pieces: Sequence[Piece], rng: Random, rate: float) -> Pieces:
    """Drop the share ``rate`` of the spaces after punctuation outside spans."""
    return edit_outside(pieces, lambda text: GAP.sub(lambda m: "" if rng.random() < rate else " ", text))


def double_spaces(pieces: Sequence[Piece]) -> Pieces:
    """Write two spaces after a full stop, as typists do."""
    return edit_outside(pieces, lambda text: regex.sub(r"(?<=[a-z0-9)]\.) (?=[A-Z])", "  ", text))


def run_together(pieces: Sequence[Piece], rng: Random, rate: float) -> Pieces:
    """Drop the share ``rate`` of the single spaces beside spans, where a token still ends between the two
    characters.

    >>> join_pieces(run_together([Piece("PEND "), Piece("01/26/2098", "DATE")], Random(1), 1.0))
    'PEND01/26/2098'
    >>> pieces = [Piece("Jaffrey", "PATIENT"), Piece(" Marital")]
    >>> join_pieces(run_together(pieces, Random(1), 1.0))
    'JaffreyMarital'
    """
    result = list(pieces)
    for index in range(1, len(result)):
        a, b = result[index - 1], result[index]
        if (a.type is None) == (b.type is None) or rng.random() >= rate:
            continue
        left, right = a.text.removesuffix(" "), b.text.removeprefix(" ")
        if len(left) + len(right) < len(a.text) + len(b.text) and is_token_boundary(left[-1:], right[:1]):
            result[index - 1 : index + 1] = [Piece(left, a.type), Piece(right, b.type)]
    return result


def is_token_boundary(a: str, b: str) -> bool:
    """Whether a token would end between the two characters.

    >>> [is_token_boundary(*pair) for pair in (("D", "0"), ("y", "M"), ("Y", "M"), ("", "M"))]
    [True, True, False, False]
    """
    return (a.isalpha() and b.isdigit()) or (a.isdigit() and b.isalpha()) or (a.islower() and b.isupper())


def wrap_lines(pieces: Sequence[Piece], width: int) -> Pieces:
    """Wrap long lines at a space so that they have at most ``width`` characters, also inside a span. Tables
    stay as they are.

    >>> join_pieces(wrap_lines([Piece("Seen by Dr. "), Piece("Ana Ruiz", "DOCTOR")], 16))
    'Seen by Dr. Ana\\nRuiz'
    """
    text = "\n".join(
        line if TABULAR.search(line) else cut_line(line, width) for line in join_pieces(pieces).split("\n")
    )
    return split_like(pieces, text)


def cut_line(line: str, width: int) -> str:
    """Turn some of the spaces of a line into line ends."""
    characters, start = list(line), 0
    while len(line) - start > width:
        space = line.rfind(" ", start + 1, start + width + 1)
        if space <= start:
            break
        characters[space] = "\n"
        start = space + 1
    return "".join(characters)


def split_like(pieces: Sequence[Piece], text: str) -> Pieces:
    """Split ``text``, which is as long as the pieces together, where the pieces are split."""
    cut_up, position = [], 0
    for piece in pieces:
        cut_up.append(Piece(text[position : position + len(piece.text)], piece.type))
        position += len(piece.text)
    return cut_up


def flatten(pieces: Sequence[Piece], rng: Random) -> Pieces:
    """Write the note in one line, as text columns of a table often hold it."""
    end = rng.choice((" ", " ", " ", "  ", ",", ", ", " | "))
    return [Piece(regex.sub(r" *\n\s*", end if type is None else " ", text), type) for text, type in pieces]


def add_noise(pieces: Sequence[Piece], rng: Random) -> Pieces:
    """Add the noise of some archive to a note; a third of the notes stay clean."""
    noisy = vary_writing(add_slips(pieces, rng), rng)
    if rng.random() < 0.07:
        return flatten(noisy, rng)
    if rng.random() < 0.35:
        noisy = wrap_lines(noisy, rng.choice((60, 64, 70, 72, 75, 78, 80)))
    return noisy


def add_slips(pieces: Sequence[Piece], rng: Random) -> Pieces:
    """Add what typists do: two spaces, typos, lost spaces."""
    noisy = list(pieces)
    if rng.random() < 0.35:
        noisy = double_spaces(noisy)
    if rng.random() < 0.45:
        noisy = add_typos(noisy, rng, rng.choice((0.002, 0.005, 0.015)))
    if rng.random() < 0.3:
        noisy = drop_spaces(noisy, rng, rng.choice((0.01, 0.03, 0.1)))
    if rng.random() < 0.35:
        noisy = run_together(noisy, rng, rng.choice((0.02, 0.04, 0.1)))
    return noisy


def vary_writing(pieces: Sequence[Piece], rng: Random) -> Pieces:
    """Write one note in three otherwise: with many typos, scanned, in capitals or without any."""
    noisy, chance = list(pieces), rng.random()
    if chance < 0.05:
        noisy = add_typos_anywhere(noisy, rng, rng.choice((0.02, 0.05, 0.08)))
    elif chance < 0.11:
        noisy = misread(noisy, rng, rng.choice((0.005, 0.015, 0.03)))
    chance = rng.random()
    if chance < 0.25:
        noisy = (to_upper if chance < 0.11 else to_lower)(noisy)
    return noisy
