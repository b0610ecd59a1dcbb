"""Small corpora and models that several tests share."""

import pytest
from hypothesis import settings

from crfdeid import model
from crfdeid.crf import Model
from crfdeid.document import Document, Span
from crfdeid.experiment import Experiment

settings.register_profile("crfdeid", deadline=None)  # a busy machine is no failure
settings.load_profile("crfdeid")

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


SMALL = Experiment(
    features=("lexical", "orthographic"), crf={"c1": 0.1, "c2": 0.01, "max_iterations": 40}
)


@pytest.fixture(scope="session")
def notes() -> list[Document]:
    return [note(number) for number in range(40)]


@pytest.fixture(scope="session")
def small_model(notes, tmp_path_factory) -> Model:
    return model.train(notes[:30], SMALL, tmp_path_factory.mktemp("models") / "small", engine="crfsuite")
