"""Tokens a second of the rules, of english and of english+rules, with repair and without it, on one core.

    python benchmarks/rule_speed.py [--documents 500] [--rounds 5]

Tags MTSamples reports in process, once unmeasured so that all words are known, then in rounds: each system in
turn, with repair and without. Prints the median of the rounds in thousands of tokens a second of processor
time, with the least and the most.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from statistics import median

from devset_reports import DATA, read_settled

from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fine

SYSTEMS = ("rules", "english", "english+rules")


def time_tagging(tagger: Tagger, notes: Sequence[Document], repair: bool) -> float:
    """Return the seconds of processor time that tagging takes."""
    config, start = tagger.config, time.process_time()
    tagger.config = replace(config, repair=repair)
    for _ in tagger.tag_all(notes):
        pass
    tagger.config = config
    return time.process_time() - start


def format_row(name: str, tokens: int, seconds: Sequence[float]) -> str:
    """Return one line of the table: the median rate, the least and the most, in thousands a second."""
    rates = [tokens / each / 1000 for each in seconds]
    return f"{name:<32}{median(rates):8.0f}{min(rates):8.0f}{max(rates):8.0f}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args(arguments)
    notes = [Document(id, text) for id, text, _ in islice(read_settled(DATA), args.documents)]
    tokens = sum(len(fine(note.text)) for note in notes)
    taggers = {name: model.load(name) for name in SYSTEMS}
    kinds = [(name, repair) for name in SYSTEMS for repair in (True, False)]
    for name in SYSTEMS:
        time_tagging(taggers[name], notes, repair=True)
    rounds = [
        [time_tagging(taggers[name], notes, repair) for name, repair in kinds] for _ in range(args.rounds)
    ]
    print(f"{'thousand tokens a second':<32}  median   least    most")
    for (name, repair), seconds in zip(kinds, zip(*rounds)):
        print(format_row(name if repair else f"{name} without repair", tokens, seconds))


if __name__ == "__main__":
    main()
