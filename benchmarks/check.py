"""How much planted PHI ``crfdeid check`` finds in source code, and how often it is wrong about code without.

    python benchmarks/check.py [--values 40] [--clean PATH ...]

Lines of fixtures, SQL dumps, tables, logs and notebooks get invented names, numbers, dates and streets; the
first names and surnames are drawn from the public lists. It prints the share of planted values that are
found, by type, with strong evidence and with any; then the findings in each folder of --clean.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from crfdeid.check import __main__ as check
from crfdeid.check.texts import Skipped, list_files, read_files
from crfdeid.systems import model
from crfdeid.text.document import Document
from crfdeid.text.gazetteer import find_gazetteer, read_entries

SEED = 22
TEMPLATES = {
    "title": ["NOTE = 'Mr. {} was seen today.'", "# discussed with Dr. {}", "'text': 'Seen by Dr. {}.'"],
    "full name": [
        'patient_name = "{}"', "INSERT INTO p VALUES (17, '{}', 3);", '3,"{}",open',
        "INFO loaded patient {}", '"source": ["df[df.name == \'{}\']"]',
    ],
    "surname alone": ['"last_name": "{}",', "17,{},open", "log.info('{} called')"],
    "SSN": ['ssn = "{}"', "VALUES (17, '{}');", "17,{},open", "DEBUG ssn={}"],
    "number": ['mrn="{}"', "-- MRN {}", "ERROR account {} not found", "17,{},open"],
    "telephone": ["# call {}", "VALUES (17, '{}');", "17,{},open", "  phone: {}"],
    "date of birth": ["dob = '{}'", "# born {}", "VALUES (17, '{}');", '"birth_date": "{}"'],
    "street": ['street = "{}"', "17,{},open", "VALUES (17, '{}');"],
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--values", type=int, default=40, help="planted values for each template")
    parser.add_argument("--clean", nargs="*", default=["crfdeid"], help="folders of code without PHI")
    args = parser.parse_args()
    show_recall(list(plant(Random(SEED), args.values)))
    for path in args.clean:
        show_alarms(Path(path))


def plant(rng: Random, values: int) -> Iterator[tuple[str, str, str]]:
    """Yield for each planted value its kind, its line, and itself."""
    first, last = (read_entries(find_gazetteer(name)) for name in ("first_names", "surnames"))
    for kind, templates in TEMPLATES.items():
        for template in templates:
            for _ in range(values):
                value = invent(rng, kind, rng.choice(first).title(), rng.choice(last).title())
                yield kind, template.format(value), value


def invent(rng: Random, kind: str, first: str, last: str) -> str:
    """Invent a value of a kind."""
    choices = {
        "title": last,
        "surname alone": last,
        "full name": f"{first} {last}",
        "SSN": f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
        "number": str(rng.randint(2_000_000, 9_999_999)),
        "telephone": f"{rng.randint(201, 989)}-{rng.randint(600, 989)}-{rng.randint(1000, 9999)}",
        "date of birth": f"{rng.randint(1, 12):02}/{rng.randint(1, 28):02}/{rng.randint(1930, 2019)}",
        "street": f"{rng.randint(2, 990)} {last} {rng.choice(['Street', 'Ave', 'Road', 'Lane'])}",
    }
    return choices[kind]


def show_recall(planted: list[tuple[str, str, str]]) -> None:
    """Print the share of planted values of which a part is found, alone in a file of three lines."""
    tagger = model.load("rules")
    counts: Counter[tuple[str, str]] = Counter()
    for kind, line, value in planted:
        text = f"x = 1\n{line}\ny = 2\n"
        start = text.index(value)
        for span in tagger.tag(Document("1", text)).spans:
            if span.type in check.TYPES and span.start < start + len(value) and start < span.end:
                counts[kind, check.ANY] += 1
                counts[kind, check.STRONG] += check.counts(text, span, check.STRONG)
                break
    sizes = Counter(kind for kind, _, _ in planted)
    for kind, size in sizes.items():
        print(f"{kind:14} {size:4} planted  strong {counts[kind, check.STRONG] / size:.2f}  "
              f"any {counts[kind, check.ANY] / size:.2f}")  # fmt: skip


def show_alarms(path: Path) -> None:
    """Print the findings of both kinds in a folder."""
    tagger = model.load("rules")
    lines = sum(
        text.text.count("\n") for text in read_files(list_files([path], []), check.LARGEST, Skipped())
    )
    found = []
    for evidence in (check.STRONG, check.ANY):
        args = check.build_parser().parse_args([str(path), "--evidence", evidence])
        findings = check.find_phi(tagger, check.read_texts(args, Skipped()), args)
        found.append(len({repr(finding) for finding in findings}))
    print(f"{path.name}: {lines} lines, findings: strong {found[0]}, any {found[1]}")


if __name__ == "__main__":
    main()
