"""The cost of redaction, and whether it keeps its promises on a whole corpus.

    python benchmarks/redact.py [--documents 400] [--rounds 5] [--data notes.jsonl]

Notes are redacted in this process, in turns: tagged by the default model, and tagged and redacted as the
command does; synthetic notes also with their gold spans, patient by patient and note by note. Seconds are
those of the CPU; shown are the median of the rounds, the least and the most, and the ratio to the first way,
round by round. Then the promises are counted for synthetic notes: intervals between dates with day, month and
year, and found names that remain in the patient's output. The last line repeats this with two of five spans
removed at random, as if a tagger had missed them: whole words of names and whole identifiers, found
elsewhere, that remain in the output and are not listed.

    python benchmarks/redact.py --files [--documents 400] [--jobs 1 2] [--rounds 5] [--data notes.jsonl]

The command itself, from a file without spans to a file, with tagging: seconds that pass, from the start of
the program to its end, seconds of the CPU in all its processes, and the memory of the largest. Ratios are
those of a round: with the start, and without the time that one note takes. In each round two processes that
only count run beside each other, and one alone: what the machine gives to two at that moment. The outputs are
compared byte for byte.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

from beside import count_beside

from crfdeid import cli, corpora, synthetic
from crfdeid.lexicon import word_lists
from crfdeid.redact.redactor import Redaction, Redactor, identify_patient
from crfdeid.redact.run import tagging
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.dates import parser as date_parser
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fine

SECRET = b"a secret of the benchmark"
FOUND = 0.6  # the share of spans that is kept when some are missed
WORD = re.compile(r"[^\W_]+")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", action="store_true", help="measure the command, from file to file")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="with --files")
    parser.add_argument("--data", type=Path, help="notes as JSON Lines, instead of synthetic ones")
    args = parser.parse_args()
    cli.collect_rarely()  # as the command does
    read = corpora.read(args.data, "jsonl") if args.data else synthetic.generate(args.documents, seed=7)
    corpus = list(islice(read, args.documents))
    groups = [list(group) for _, group in groupby(corpus, key=identify_patient)]
    tokens = sum(len(fine(document.text)) for document in corpus)
    spans = sum(len(document.spans) for document in corpus)
    print(f"{len(corpus)} notes of {len(groups)} patients, {tokens:,} tokens, {spans:,} spans")
    if args.files:
        measure_command(corpus, tokens, args.jobs, args.rounds)
        return
    seconds = measure_rounds(groups, args.rounds, has_gold=not args.data)
    first = next(iter(seconds.values()))
    for name, each in seconds.items():
        print(f"{name:36} {show([tokens / one for one in each], ',.0f')} tokens/s; "
              f"{show([one / two for one, two in zip(each, first)], '.2f')} times the first")  # fmt: skip
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    if not args.data:
        count_promises(groups)
        count_missed(groups, random.Random(7))


def show(values: Sequence[float], form: str) -> str:
    """The median of some values, with the least and the most."""
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


class Run(NamedTuple):
    """Seconds that passed, seconds of the CPU, and MB of memory."""

    passed: float
    cpu: float = 0
    memory: float = 0


def measure_command(corpus: list[Document], tokens: int, jobs: Sequence[int], rounds: int) -> None:
    """Print what the command needs with each number of processes, and how the first compares."""
    with tempfile.TemporaryDirectory() as place:
        notes, one = Path(place) / "notes.jsonl", Path(place) / "one.jsonl"
        corpora.write((note.with_spans(()) for note in corpus), notes, "jsonl")
        corpora.write([corpus[0].with_spans(())], one, "jsonl")
        run_command(one, 1)  # compiles what is not yet on the disk
        ways: dict[str, Callable[[], Run]] = {
            "counting, one process": lambda: Run(count_beside(1)),
            "counting, two processes": lambda: Run(count_beside(2)),
            "one note": lambda: run_command(one, 1),
            **{f"--jobs {number}": partial(run_command, notes, number) for number in jobs},
        }
        runs: dict[str, list[Run]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                runs[name].append(way())
        print_runs(runs, tokens, [f"--jobs {number}" for number in jobs])
        outputs = {notes.with_suffix(f".{number}.jsonl").read_bytes() for number in jobs}
        print("the outputs are equal" if len(outputs) == 1 else "the outputs DIFFER")


def print_runs(runs: dict[str, list[Run]], tokens: int, jobs: Sequence[str]) -> None:
    alone, beside, start = ([run.passed for run in own] for own in list(runs.values())[:3])
    print(f"two processes that only count: {show([2 * a / b for a, b in zip(alone, beside)], '.2f')} "
          f"times one; one note: {show(start, '.2f')} s")  # fmt: skip
    first = [run.passed for run in runs[jobs[0]]]
    for name in jobs:
        passed, cpu, memory = zip(*runs[name])
        speeds = [tokens / each for each in passed]
        print(f"{name}  {show(passed, '.1f')} s, {show(speeds, ',.0f')} tokens/s; "
              f"{show(cpu, '.1f')} s of CPU; {show(memory, '.0f')} MB")  # fmt: skip
        if name != jobs[0]:
            faster = [a / b for a, b in zip(first, passed)]
            started = [(a - s) / (b - s) for a, b, s in zip(first, passed, start)]
            print(f"  {show(faster, '.2f')} times as fast, {show(started, '.2f')} times once started")


def run_command(notes: Path, jobs: int) -> Run:
    """Run ``crfdeid.redact`` on a file."""
    out = notes.with_suffix(f".{jobs}.jsonl")
    arguments = ["--jobs", str(jobs), "--seed", "1", str(notes), "--out", str(out), "--overwrite"]
    begin = time.monotonic()
    command = [sys.executable, "-m", "crfdeid.redact", *arguments]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(running.pid, 0)
    assert status == 0
    return Run(time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def measure_rounds(groups: list[list[Document]], rounds: int, has_gold: bool) -> dict[str, list[float]]:
    """The seconds of CPU of each way, round by round. A first round, which is not counted, reads the lists
    and compiles the loops."""
    bare = [[note.with_spans(()) for note in group] for group in groups]
    tagger, threshold = tagging.load_tagger("tag", model.RELEASE)
    assert tagger is not None
    ways: dict[str, Callable[[], object]] = {
        f"tagging ({model.RELEASE}, {threshold})": lambda: list(
            tagger.tag_all((note for group in bare for note in group), threshold=threshold)
        ),
        "tagging and redaction": lambda: tag_and_redact(bare, tagger, threshold),
    }
    if has_gold:
        ways["redaction of gold spans, by patient"] = lambda: redact_all(groups, by_note=False)
        ways["redaction of gold spans, note by note"] = lambda: redact_all(groups, by_note=True)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            start = time.process_time()
            way()
            if number:
                seconds[name].append(time.process_time() - start)
    return seconds


def redact_all(groups: Iterable[list[Document]], by_note: bool) -> None:
    redactor = Redactor(SECRET, by_note=by_note)
    for group in groups:
        redactor.redact(group)


def tag_and_redact(bare: Iterable[list[Document]], tagger: Tagger, threshold: Threshold | None) -> None:
    """Tag and redact as the command does with one process."""
    ahead = tagging.AheadTagger("tag", model.RELEASE, tagger, threshold, 1)
    todo = (tagging.PatientNotes(group, {}, set(), False) for group in bare)
    redact_all((ahead.tag_group(each.group) for each in ahead.read_ahead(todo)), by_note=False)


def count_promises(groups: list[list[Document]]) -> None:
    redactor = Redactor(SECRET)
    pairs = kept = unresolved = names = left = dates = 0
    for group in groups:
        redactions = redactor.redact(group)
        before, after = collect_days(group, redactions)
        shifts = [new - old for old, new in zip(before, after)]
        dates += len(shifts)
        pairs += len(shifts) * (len(shifts) - 1) // 2
        kept += sum(a == b for i, a in enumerate(shifts) for b in shifts[:i])
        for redaction in redactions:
            unresolved += sum(not made.resolved for made in redaction.replacements)
            names += sum(kinds.kind_of(made.type) == kinds.NAME for made in redaction.replacements)
            left += sum(kinds.kind_of(span.type) == kinds.NAME for span in redaction.survivors)
    print(f"{kept:,} of {pairs:,} intervals between {dates:,} whole dates kept to the day")
    print(f"{unresolved} spans could not be read and became a marker")
    print(f"{names:,} names replaced; {left} places still contain a word of a name, listed by offset")


def count_missed(groups: list[list[Document]], rng: random.Random) -> None:
    repeats = listed = unlisted = 0
    for group in groups:
        notes = [note.with_spans(s for s in note.spans if rng.random() < FOUND) for note in group]
        known = {word for note in notes for span in note.spans for word in list_identifying(note, span)}
        for redaction in Redactor(SECRET).redact(notes):
            repeats += sum(made.repeat for made in redaction.replacements)
            listed += len(redaction.survivors)
            for match in WORD.finditer(redaction.document.text):
                is_listed = any(
                    s.start <= match.start() and match.end() <= s.end for s in redaction.survivors
                )
                unlisted += match[0].lower() in known and not is_listed
    print(f"with {FOUND:.0%} of the spans: {repeats:,} repeats replaced, {listed} survivors listed, "
          f"{unlisted} names and identifiers not listed")  # fmt: skip


def list_identifying(note: Document, span: Span) -> list[str]:
    """The words of a name with five or more letters, or an identifier with six or more characters."""
    kind, text = kinds.kind_of(span.type), note.text_of(span).lower()
    if kind == kinds.NAME:
        titles = word_lists.load_lowercase("titles")
        return [word for word in WORD.findall(text) if len(word) > 4 and word not in titles]
    return [text] if kind == kinds.IDENTIFIER and len(text) > 5 and text.isalnum() else []


def collect_days(group: Sequence[Document], redactions: Sequence[Redaction]) -> tuple[list[date], list[date]]:
    """The days of single dates with a year of four digits, before and after."""
    before, after = [], []
    for document, redaction in zip(group, redactions):
        for made in redaction.replacements:
            if kinds.kind_of(made.type) == kinds.DATE and made.treatment == "shifted":
                old, new = parse_day(document.text[made.start : made.end]), parse_day(made.replacement)
                if old and new:
                    before.append(old)
                    after.append(new)
    return before, after


def parse_day(text: str) -> date | None:
    """The day of a text that is one whole date with a year of four digits."""
    expressions = date_parser.parse_dates(text) or []
    fields = {field.unit: field for field in expressions[0].fields} if len(expressions) == 1 else {}
    if set(fields) != {"y", "m", "d"} or len(fields["y"].text) != 4:
        return None
    return date(fields["y"].value, fields["m"].value, fields["d"].value)


if __name__ == "__main__":
    main()
