"""Wild texts through the taggers: spans that fit, engines that agree, and the command line now and then."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import regex

from campaign.area import Area
from campaign.wild_text import draw_text
from crfdeid import corpora
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text.document import Document, Span

TEXTS = 40  # of a case
BLANK_END = regex.compile(r"^\s|\s\Z")
NEVER = -(10**15)  # characters seen, so that an engine stays in numpy


@cache
def load_engines() -> dict[str, Tagger]:
    """The shipped model in numpy, compiled and in CRFsuite, and the union with the rules."""
    plain, compiled = model.load("english"), model.load("english")
    plain.seen = NEVER  # type: ignore[attr-defined]
    compiled.compile()
    reference = model.load("english", engine="crfsuite")
    return {"numpy": plain, "compiled": compiled, "crfsuite": reference, "union": model.load("english+rules")}


def run(draw: Random, place: Path) -> str:
    documents = [Document(str(number), draw_text(draw)) for number in range(TEXTS)]
    if draw.random() < 0.02:
        return run_command(draw, documents, place)
    engines = load_engines()
    names = ("numpy", "compiled", "crfsuite") if draw.random() < 0.2 else ("compiled",)
    found = {name: [each.spans for each in engines[name].tag_all(documents)] for name in (*names, "union")}
    for spans, document in ((spans, each) for some in found.values() for spans, each in zip(some, documents)):
        check_spans(document.text, spans)
    assert len({tuple(found[name]) for name in names}) == 1, "engines differ"
    return f"{TEXTS} texts by {len(names) + 1} taggers"


def check_spans(text: str, spans: tuple[Span, ...]) -> None:
    """Spans are inside, sorted, apart, and do not begin or end with a blank (in Unicode's sense: U+001C to
    U+001F are blanks for Python and not for the tokenizer)."""
    for span in spans:
        assert 0 <= span.start < span.end <= len(text), "a span leaves its text"
        assert not BLANK_END.search(text[span.start : span.end]), "a span has blank ends"
    assert all(a.end <= b.start for a, b in pairwise(spans)), "spans overlap or are not sorted"


def run_command(draw: Random, documents: list[Document], place: Path) -> str:
    """The command line gives what the library gives, with one process or two."""
    corpora.write(documents, place / "in.jsonl", "jsonl")
    name = draw.choice(("english", "english+rules"))
    jobs = str(draw.choice((1, 2)))
    command = [sys.executable, "-m", "crfdeid", "tag", str(place / "in.jsonl"), "--model", name]
    command += ["--jobs", jobs, "--out", str(place / "out.jsonl")]
    subprocess.run(command, check=True, capture_output=True)
    lines = (place / "out.jsonl").read_text("utf-8").split("\n")[:-1]
    found = [[(s["start"], s["end"], s["type"]) for s in json.loads(line)["spans"]] for line in lines]
    tagger = load_engines()["compiled" if name == "english" else "union"]
    own = [[(s.start, s.end, s.type) for s in each.spans] for each in tagger.tag_all(documents)]
    assert found == own, "the command line differs from the library"
    return "command line"


AREA = Area("inputs", 4, run)
