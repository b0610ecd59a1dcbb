"""Compile the loops that most tests need: not every process of a test run compiles them for a minute."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from small_notes import SMALL, note

import crfdeid
from crfdeid.systems import model


def compile_loops() -> None:
    notes = [note(number) for number in range(20)]
    tagger = crfdeid.load()
    tagger.compile()
    for options in ({}, {"probabilities": True}, {"threshold": 0.3}):
        list(tagger.tag_all(notes, **options))
    tagger.find_candidates(notes, 0.01)
    with TemporaryDirectory() as folder:
        for least in (0, 2):
            model.train(notes, replace(SMALL, min_patients=least), Path(folder) / str(least))


if __name__ == "__main__":
    compile_loops()
