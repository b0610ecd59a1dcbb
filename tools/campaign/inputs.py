"""Wild texts through the taggers: spans that fit, offsets that invert, time that follows the characters,
engines that agree on a sample, and the command line now and then."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median

import regex

from campaign.area import Area
from campaign.wild_text import draw_text
from crfdeid import cli, corpora
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fold_text

TEXTS = 2000  # of a case: the taggers are loaded once, and a million texts are 500 cases
CHUNK = 50  # texts that are timed together
COMPARED = 20  # texts of a case that all engines tag
COMMANDS = 0.05  # of the cases go through the command line too
TIMES = 20  # what a character may take, against the median
BLANK_END = regex.compile(r"^\s|\s\Z")
NEVER = -(10**15)  # characters seen, so that an engine stays in numpy
Found = list[tuple[Span, ...]]


@cache
def load_engines() -> dict[str, Tagger]:
    """The shipped model in numpy, compiled and in CRFsuite, and the union with the rules."""
    plain, compiled = model.load("english"), model.load("english")
    plain.seen = NEVER  # type: ignore[attr-defined]
    compiled.compile()
    reference = model.load("english", engine="crfsuite")
    engines = {
        "numpy": plain,
        "compiled": compiled,
        "crfsuite": reference,
        "union": model.load("english+rules"),
    }
    cli.collect_rarely()  # as the commands do: one search for garbage takes as long as many texts
    cli.keep_loaded()
    return engines


def run(draw: Random, place: Path) -> Counter[str]:
    documents = [Document(str(number), draw_text(draw)) for number in range(TEXTS)]
    engines = load_engines()
    found = {name: tag_in_chunks(engines[name], documents) for name in ("compiled", "union")}
    for spans in found.values():
        for document, some in zip(documents, spans):
            check_spans(document.text, some)
            check_inverse(document.text, some)
    compared = draw.sample(range(TEXTS), k=COMPARED)
    for name in ("numpy", "crfsuite"):
        others = engines[name].tag_all([documents[number] for number in compared])
        assert [each.spans for each in others] == [found["compiled"][n] for n in compared], f"{name} differs"
    outcome = Counter({"texts by two taggers": TEXTS, "of them by three engines": COMPARED})
    if draw.random() < COMMANDS:
        run_command(draw, documents, found, place)
        outcome["of them by the command line"] = TEXTS
    return outcome


def tag_in_chunks(tagger: Tagger, documents: list[Document]) -> Found:
    """The spans of each document; no chunk takes :data:`TIMES` of the median time of a character."""
    found: Found = []
    rates = []
    for begin in range(0, len(documents), CHUNK):
        chunk = documents[begin : begin + CHUNK]
        began = time.process_time()
        found += [each.spans for each in tagger.tag_all(chunk)]
        rates.append((time.process_time() - began) / sum(len(each.text) for each in chunk))
    worst, usual = max(rates[1:]), median(rates)  # the first one of a run loads what is loaded late
    begin = CHUNK * rates.index(worst)
    assert worst <= TIMES * usual, f"texts from {begin} on take {worst / usual:.0f} times as long as others"
    return found


def check_spans(text: str, spans: tuple[Span, ...]) -> None:
    """Spans are inside, sorted, apart, and do not begin or end with a blank (in Unicode's sense: U+001C to
    U+001F are blanks for Python and not for the tokenizer)."""
    for span in spans:
        assert 0 <= span.start < span.end <= len(text), "a span leaves its text"
        assert not BLANK_END.search(text[span.start : span.end]), "a span has blank ends"
    assert all(a.end <= b.start for a, b in pairwise(spans)), "spans overlap or are not sorted"


def check_inverse(text: str, spans: tuple[Span, ...]) -> None:
    """The way into the folded text and back gives the same spans."""
    folding = fold_text(text)
    if folding.text is not text:
        for span in spans:
            folded = folding.fold(span)
            assert folded is not None and folding.unfold(folded) == span, "an offset does not invert"


def run_command(draw: Random, documents: list[Document], expected: dict[str, Found], place: Path) -> None:
    """The command line gives what the library gives, with one process or two."""
    corpora.write(documents, place / "in.jsonl", "jsonl")
    name = draw.choice(("english", "english+rules"))
    jobs = str(draw.choice((1, 2)))
    command = [sys.executable, "-m", "crfdeid", "tag", str(place / "in.jsonl"), "--model", name]
    command += ["--jobs", jobs, "--out", str(place / "out.jsonl")]
    subprocess.run(command, check=True, capture_output=True)
    lines = (place / "out.jsonl").read_text("utf-8").split("\n")[:-1]
    found = [[(s["start"], s["end"], s["type"]) for s in json.loads(line)["spans"]] for line in lines]
    spans = expected["compiled" if name == "english" else "union"]
    assert found == [[(s.start, s.end, s.type) for s in some] for some in spans], (
        "the command line differs from the library"
    )


AREA = Area("inputs", 4, run)
