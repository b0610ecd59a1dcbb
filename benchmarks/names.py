"""Recall of names by culture.

    python benchmarks/names.py [--model FOLDER] [--rounds 3] [--misses FILE]

Ten groups have 200 names each (``names_lists.txt``, and Faker's locales that the gazetteers do not use).
Every group fills the same 640 sentences and fields (``names_frames.txt``) ``--rounds`` times, so each name is
in several. A mention is recalled if spans of any type cover all its letters. The goal: no group
under 0.985, and at most 1.5 points between the best and the worst group.

The lists and frames are not the generator's. Common surnames are in the gazetteers all the same; the last
column gives the share of names of which both parts are. The interval (95%, Wilson) takes account of the fact
that the mentions of one name are alike.
"""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from math import sqrt
from pathlib import Path
from random import Random

from devset_measure import build_mask, is_covered

from crfdeid import cli, files
from crfdeid.lexicon import ordinary
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

HERE = Path(__file__).parent
SLOT = re.compile(r"\{(\w+)\}")
CHOICE = re.compile(r"\[([^]]*\|[^]]*)\]")
KINDS = {"plain": 80, "short": 40, "word": 40, "hyphen": 30, "inner": 10}
GOAL, GAP = 0.985, 0.015


@dataclass(frozen=True)
class Name:
    group: str
    kind: str
    first: str
    last: str


@dataclass(frozen=True)
class Mention:
    """A name in a frame: the document has one span for each part of the name in it."""

    name: Name
    document: Document


def read_lists() -> dict[str, dict[str, list[str]]]:
    """Return the entries of each kind by group."""
    groups: dict[str, dict[str, list[str]]] = {}
    for line in read_lines("names_lists.txt"):
        if line.startswith("@group "):
            current = groups.setdefault(line.removeprefix("@group "), {})
        else:
            kind, entries = line.split(": ", 1)
            current[kind] = list(dict.fromkeys(entries.split()))
    return groups


def read_lines(file: str) -> list[str]:
    lines = (HERE / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def expand_choices(frame: str) -> list[str]:
    """
    >>> expand_choices("[Mr.|Ms.] {last} [left.|slept.]")
    ['Mr. {last} left.', 'Mr. {last} slept.', 'Ms. {last} left.', 'Ms. {last} slept.']
    """
    parts = CHOICE.split(frame)
    options = [part.split("|") if n % 2 else [part] for n, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*options)]


def read_frames() -> list[str]:
    lines = (line.replace(r"\n", "\n").replace(r"\t", "\t") for line in read_lines("names_frames.txt"))
    return [frame for line in lines for frame in expand_choices(line)]


def read_faker(locales: Sequence[str], what: str) -> list[str]:
    """Return Faker's ``first`` or ``last`` names of one word in Latin letters, without accents."""
    names: set[str] = set()
    for locale in locales:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for kind in ("romanized_names", "names_male", "names_female", "names"):
            found = getattr(provider, f"{what}_{kind}", ())
            names.update(map(remove_accents, () if isinstance(found, property) else found))
    found = (name for name in sorted(names) if re.fullmatch("[A-Za-z]{4,}", name))
    return [name.title() if name.isupper() else name for name in found]


def remove_accents(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))


def build_names(group: str, entries: Mapping[str, Sequence[str]]) -> list[Name]:
    """Return 200 different names: as many of each kind as :data:`KINDS` says."""
    rng = Random(f"names {group}")
    firsts, lasts = (
        [*entries[what], *rng.sample(more, k=min(20, len(more)))]
        for what in ("first", "last")
        for more in [read_faker(entries.get("faker", []), what)]
    )
    names: dict[tuple[str, str], Name] = {}
    for kind, count in KINDS.items():
        goal = len(names) + count
        special = list(entries.get(kind, ())) * count
        for word in special or rng.choices(lasts, k=10 * count):
            if len(names) == goal:
                break
            first, last = choose_parts(kind, word, rng.choice(firsts), rng.choice(lasts))
            names.setdefault((first, last), Name(group, kind, first, last))
    return list(names.values())


def choose_parts(kind: str, word: str, first: str, last: str) -> tuple[str, str]:
    """Return first and last name, one of which is the word.

    >>> choose_parts("inner", "*MeiLing", "Bao", "Chan"), choose_parts("short", "Ng", "Bao", "Chan")
    (('MeiLing', 'Chan'), ('Bao', 'Ng'))
    """
    if kind == "hyphen" or word.startswith("*"):
        return word.removeprefix("*"), last
    return first, word


def write_forms(name: Name, rng: Random) -> dict[str, str]:
    """Return the text for each slot of a frame."""
    first, last = name.first, name.last
    forms = {
        "first": first,
        "last": last,
        "full": f"{first} {last}",
        "formal": f"{last}, {first}",
        "initial": f"{first[0]}. {last}",
        "middle": f"{first} {rng.choice('ABCDEGHJKLMNPRSTW')}. {last}",
    }
    return forms | {slot.upper(): text.upper() for slot, text in forms.items()}


def fill_frame(id: str, frame: str, name: Name) -> Mention:
    """Return the frame with the name in its slots, one span for each.

    >>> fill_frame("1", "cc: {full}", Name("Chinese", "word", "Mei", "He")).document.text
    'cc: Mei He'
    """
    rng = Random(f"{id} {frame}")
    forms, text, spans, at = write_forms(name, rng), "", [], 0
    title = rng.choice(("Mr.", "Ms.", "Mrs."))
    for slot in SLOT.finditer(frame):
        text += frame[at : slot.start()]
        value = title if slot[1] == "title" else forms[slot[1]]
        if slot[1] != "title":
            spans.append(Span(len(text), len(text) + len(value), "NAME"))
        text, at = text + value, slot.end()
    return Mention(name, Document(id, text + frame[at:], tuple(spans)))


def build_mentions(rounds: int) -> Iterator[Mention]:
    """Yield every frame ``rounds`` times for each group. The names of a group take turns."""
    frames = read_frames()
    for group, entries in read_lists().items():
        rng, names = Random(f"mentions {group}"), build_names(group, entries)
        order: list[Name] = []
        for number, frame in enumerate(frames * rounds):
            order = order or rng.sample(names, len(names))
            yield fill_frame(f"{group} {number}", frame, order.pop())


def is_recalled(mention: Mention, found: Document) -> bool:
    mask = build_mask(found)
    return all(is_covered(found.text, span, mask) for span in mention.document.spans)


Results = list[tuple[Name, bool]]


def compute_interval(results: Results) -> tuple[float, float]:
    """Return the 95% interval of Wilson. Where names differ more than chance lets them, the design effect
    (the variance between names over that of independent mentions) divides the number of mentions."""
    by_name: dict[Name, list[bool]] = defaultdict(list)
    for name, hit in results:
        by_name[name].append(hit)
    count = len(results)
    share = sum(hit for _, hit in results) / count
    between = sum((sum(hits) - share * len(hits)) ** 2 for hits in by_name.values())
    chance = share * (1 - share) * count
    return wilson(share, count / max(1.0, between / chance if chance else 1.0))


def wilson(share: float, count: float, z: float = 1.96) -> tuple[float, float]:
    """
    >>> [round(end, 3) for end in wilson(0.95, 100)]
    [0.888, 0.978]
    """
    middle = share + z * z / (2 * count)
    half = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def compute_recall(results: Results) -> float:
    return sum(hit for _, hit in results) / len(results)


def compute_listed(names: set[Name]) -> float:
    """Return the share of names of which both parts are in the gazetteers of names."""
    known = ordinary.load_shipped().names
    return sum(name.first.lower() in known and name.last.lower() in known for name in names) / len(names)


def format_line(title: str, results: Results) -> str:
    low, high = compute_interval(results)
    cells = [f"{title:<12}{compute_recall(results):.3f}  {low:.3f}-{high:.3f}"]
    for kind in KINDS:
        of = [result for result in results if result[0].kind == kind]
        cells.append(f"{compute_recall(of):.3f}" if of else "    -")
    return "  ".join([*cells, f"{compute_listed({name for name, _ in results}):.2f}"])


def format_table(results: Results) -> str:
    """Return a line for each group, the worst first, then the gap between the best and the worst."""
    groups: dict[str, Results] = defaultdict(list)
    for name, hit in results:
        groups[name.group].append((name, hit))
    worst_first = sorted(groups, key=lambda group: compute_recall(groups[group]))
    low, high = (compute_recall(groups[worst_first[end]]) for end in (0, -1))
    short = sum(compute_recall(of) < GOAL for of in groups.values())
    head = f"{'':<12}recall 95%        {'':<5}" + "".join(f"{kind:<7}" for kind in KINDS) + "listed"
    return "\n".join(
        [head, *(format_line(group, groups[group]) for group in worst_first), format_line("all", results),
         f"best - worst {high - low:.3f} (goal: at most {GAP}); {short} of {len(groups)} groups under {GOAL}"]
    )  # fmt: skip


def write_misses(path: Path, mentions: Sequence[Mention], found: Sequence[Document]) -> None:
    """Write the frames in which the name was not covered, with what was found in brackets."""
    with files.open_whole(path) as out:
        for mention, document in zip(mentions, found):
            if not is_recalled(mention, document):
                shown = document.text
                for span in reversed(document.spans):
                    shown = f"{shown[: span.start]}[[{shown[span.start : span.end]}]]{shown[span.end :]}"
                out.write(f"{mention.name.group}\t{mention.name.kind}\t{shown!r}\n")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", help="a model folder or a union of systems (default: the shipped model)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each group fills all frames")
    parser.add_argument("--misses", type=Path, help="write the missed names in their frames to this file")
    args = parser.parse_args(arguments)
    tag, mentions = model.load(args.model).tag, list(build_mentions(args.rounds))
    found = [tag(Document(m.document.id, m.document.text)) for m in cli.show_progress(mentions, "tag")]
    results = [(mention.name, is_recalled(mention, document)) for mention, document in zip(mentions, found)]
    print(f"{len(read_frames())} frames, {len({name for name, _ in results})} names, {len(results)} mentions")
    print(format_table(results))
    if args.misses:
        write_misses(args.misses, mentions, found)


if __name__ == "__main__":
    cli.run(main)
