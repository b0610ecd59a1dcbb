"""Compare the rules and heuristic+dictionary with the shipped CRF: speed, memory, scores, and the patterns
of the papers.

    python benchmarks/rules.py [--documents 150] [--seed 61] [--train 20 60] [--each] [--data FILE]

Scores are on the synthetic test part, which shares no names, places or frames with
the part by which the rules were written. The shipped CRF learned from all parts, so its figures
here mean little; ``--train`` adds CRFs trained on that many notes of the training part. The lists
divide names: *clear* ones are in a list of names and not common or medical words, *ambiguous* ones
are both, *unlisted* ones are in no list of names (Sibanda & Uzuner 2006, tables 9 and 13).
``--each`` adds a line for each rule. If the MTSamples reports are beside the checkout, their speed
and patterns are printed too.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import mtsamples

from crfdeid import cli, config
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.scores import Scores, score
from crfdeid.lexicon import ordinary
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules import RULES, tagger
from crfdeid.synthetic import generate
from crfdeid.systems import model
from crfdeid.systems.rule_based import make_heuristic
from crfdeid.systems.tagger import Tagger
from crfdeid.text import scheme
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fine

Tag = Callable[[Sequence[Document]], Iterable[Document]]
ITERATIONS = 40
KINDS = ("clear", "ambiguous", "unlisted")
NAMES = ("PATIENT", "DOCTOR")


def group_by_patient(documents: Sequence[Document]) -> list[list[Document]]:
    """Group the notes of each patient, in the order of the first."""
    groups: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        groups[document.patient or document.id].append(document)
    return list(groups.values())


def count_tokens(documents: Iterable[Document]) -> int:
    return sum(len(fine(document.text)) for document in documents)


def time_tagging(tag: Tag, documents: Sequence[Document]) -> tuple[list[Document], str]:
    """Tag the documents. Return them, and a line with seconds on the clock and of the processor, tokens a
    second of the processor (the machine may have other work), and the peak memory of the process so far."""
    count = count_tokens(documents)
    began, worked = time.perf_counter(), time.process_time()
    tagged = list(tag(documents))
    seconds, work = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return tagged, f"{seconds:7.2f} s {work:7.2f} s of CPU {count / work:10,.0f} tokens/s {peak:7,.0f} MB"


def classify_word(word: str, known: Lists) -> str:
    """Return what the lists make of a lowercased word of a name."""
    if word not in known.names:
        return "unlisted"
    return (
        "ambiguous"
        if known.is_ordinary(word) or word in known.eponyms or word in known.place_words
        else "clear"
    )


def count_by_kind(
    gold: Sequence[Document], system: Sequence[Document], known: Lists
) -> dict[str, tuple[int, int]]:
    """Count the words of gold names by kind: those in any span of the system, and all."""
    hits, all_of = Counter[str](), Counter[str]()
    for right, found in zip(gold, system):
        covered = {at for span in found.spans for at in range(span.start, span.end)}
        for span in right.spans:
            for token in fine(right.text_of(span)) if span.type in NAMES else ():
                if token.text.isalpha() and len(token.text) > 1:
                    of = classify_word(token.text.lower(), known)
                    all_of[of] += 1
                    hits[of] += span.start + token.start in covered
    return {of: (hits[of], all_of[of]) for of in KINDS}


def format_scores(scores: Scores, element: str) -> str:
    counts = (scores.micro(Criterion(criterion), element) for criterion in CRITERIA)
    return "  ".join(f"{c.precision:.3f} {c.recall:.3f}" for c in counts)


def format_score_table(results: dict[str, Scores]) -> str:
    """Format precision and recall of each category under the three criteria, a line for each system."""
    lines = [f"{'':<12}{'':<12}strict P R   relaxed P R  token P R"]
    for category in ("", *scheme.read_scheme().categories):
        for name, scores in results.items():
            gold = scores.micro(Criterion("strict"), category)
            if gold.tp + gold.fn:
                lines.append(f"{category or 'all':<12}{name:<12}{format_scores(scores, category)}")
    return "\n".join(lines)


def format_rule_counts(documents: Sequence[Document]) -> str:
    """Format the number of spans of each rule, after overlaps are resolved, and the share of them that have a
    character in common with a gold span of any type."""
    found, right = Counter[str](), Counter[str]()
    for document in documents:
        for span, name in tagger.load_shipped().explain(document):
            found[name] += 1
            right[name] += any(span.overlaps(gold) for gold in document.spans)
    lines = [f"{name:<24}{found[name]:6}{right[name] / found[name]:8.3f}" for name in RULES if found[name]]
    never = [name for name in RULES if not found[name]]
    return "\n".join(
        [f"{'rule':<24}{'spans':>6}{'on PHI':>8}", *lines, f"never: {', '.join(never) or 'none'}"]
    )


def train_crf(documents: int, folder: Path) -> Tagger:
    """Train a CRF on that many notes of the training part, with few iterations."""
    settings = config.read("english")
    settings = replace(settings, crf=settings.crf | {"max_iterations": ITERATIONS})
    return model.train(list(generate(documents, 1, "train")), settings, folder)


def tag_each(system: Tagger, notes: Sequence[Document]) -> list[Document]:
    """Tag the notes one by one."""
    return [system.tag(note) for note in notes]


def load_systems(sizes: Sequence[int], folder: Path) -> Iterator[tuple[str, Tag]]:
    """Yield the systems, the small ones first, since memory is the peak so far. Systems that tag a patient's
    notes together get them together."""
    rules, dictionary = tagger.load_shipped(), make_heuristic()
    yield "rules", lambda notes: [d for group in group_by_patient(notes) for d in rules.tag_patient(group)]
    yield "one note", lambda notes: [rules.tag(note) for note in notes]
    yield (
        "heuristic",
        lambda notes: [d for group in group_by_patient(notes) for d in dictionary.tag_patient(group)],
    )
    shipped = model.load()
    yield "CRF shipped", lambda notes: [shipped.tag(note) for note in notes]
    for size in sizes:
        yield f"CRF {size}", partial(tag_each, train_crf(size, folder / str(size)))


def measure_on_reports(path: Path) -> str:
    documents = mtsamples.read_reports(path)
    tagged, cost = time_tagging(lambda notes: map(tagger.load_shipped().tag, notes), documents)
    return f"MTSamples, {len(documents)} reports: {cost}\n{mtsamples.format_summary(tagged)}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=150)
    parser.add_argument("--seed", type=int, default=61)
    parser.add_argument("--part", default="test", choices=("train", "test", "all"))
    parser.add_argument("--each", action="store_true", help="a line for each rule")
    parser.add_argument(
        "--train", type=int, nargs="*", default=[], help="train a CRF on each of these numbers of notes"
    )
    parser.add_argument("--data", type=Path, default=mtsamples.DATA, help="the MTSamples reports")
    args = parser.parse_args(arguments)
    gold = list(generate(args.documents, args.seed, args.part))
    results, kinds = {}, {}
    print(f"{len(gold)} notes, {count_tokens(gold):,} tokens, {sum(len(d.spans) for d in gold):,} spans\n")
    with tempfile.TemporaryDirectory() as folder:
        for name, tag in load_systems(args.train, Path(folder)):
            list(tag(gold[:3]))
            tagged, cost = time_tagging(tag, gold)
            print(f"{name:<12}{cost}", flush=True)
            results[name] = score(gold, tagged, scheme.read_scheme())
            kinds[name] = count_by_kind(gold, tagged, ordinary.load_shipped())
    print("\n" + format_score_table(results) + "\n\nwords of names found, of any type")
    for name, found in kinds.items():
        print(
            f"{name:<12}"
            + "  ".join(f"{of} {hit / max(1, all_of):.3f} of {all_of}" for of, (hit, all_of) in found.items())
        )
    if args.each:
        print("\n" + format_rule_counts(gold))
    if args.data.is_file():
        print("\n" + measure_on_reports(args.data))


if __name__ == "__main__":
    cli.run(main)
