"""A small model, and a site that writes doctors and days otherwise."""

import dataclasses

import pytest
from small_notes import NAMES, SMALL

from crfdeid.systems import model
from crfdeid.text.document import Document, Span

OPTIONS = {"inside": ["short_shape", "line_case"], "beside": ["short_shape"], "trees": 10, "rows": 2}
JUDGED = dataclasses.replace(
    SMALL, system="judged", repair=False, options=OPTIONS, crf=SMALL.crf | {"max_iterations": 10}
)


def write_note(number):
    """A note of the site: "ATT//Ruiz [2061.3.4] AGE=17", and a line without PHI."""
    name, day, age = NAMES[number % len(NAMES)], f"2061.3.{number % 27 + 1}", str(number % 80 + 9)
    text, spans = "", []
    for piece, type in [("ATT//", None), (name, "DOCTOR"), (" [", None), (day, "DATE"), ("] AGE=", None),
                        (age, "AGE"), ("\nNo fever; BP 120/80.\n", None)]:  # fmt: skip
        if type:
            spans.append(Span(len(text), len(text) + len(piece), type))
        text += piece
    return Document(f"s{number}", text, tuple(spans), patient=f"p{number // 2}")


@pytest.fixture(scope="session")
def site():
    return [write_note(number) for number in range(16)]


@pytest.fixture(scope="session")
def before(notes, tmp_path_factory):
    return model.train(notes[:24], JUDGED, tmp_path_factory.mktemp("judged") / "before")
