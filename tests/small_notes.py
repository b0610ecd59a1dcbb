"""Notes and settings small enough to train on in a second."""

from crfdeid.config import Config
from crfdeid.text.document import Document, Span

NAMES = ["Ruiz", "Smith", "Nowak", "Okafor", "Lindqvist", "Haddad", "Tanaka", "Moreau"]


def note(number: int) -> Document:
    """A note of two lines with a DOCTOR, a DATE and an AGE."""
    name, day, age = NAMES[number % len(NAMES)], number % 27 + 1, number % 80 + 9
    pieces = [
        ("Seen by Dr. ", None), (name, "DOCTOR"), (" on ", None), (f"3/{day}/2061", "DATE"), (".\nA ", None),
        (str(age), "AGE"), (" year old with pain, no fever; BP 120/80.\n", None),
    ]  # fmt: skip
    text, spans = "", []
    for piece, type in pieces:
        if type:
            spans.append(Span(len(text), len(text) + len(piece), type))
        text += piece
    return Document(f"{100 + number}-01", text, tuple(spans), patient=str(100 + number))


SMALL = Config(features=("lexical", "orthographic"), crf={"c1": 0.1, "c2": 0.01, "max_iterations": 40})
