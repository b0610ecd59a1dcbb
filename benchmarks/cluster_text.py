"""Write the text that the shipped word clusters were learned from: the MTSamples reports that are not in the
development set, with their line breaks restored.

    python benchmarks/cluster_text.py /tmp/reports.jsonl
    crfdeid clusters /tmp/reports.jsonl --out gazetteers/clusters.txt --overwrite \\
        --source 'MTSamples ...; licence: ...' --retrieved 2026-11-21
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from devset import COUNT
from devset_reports import DATA, read_settled, restore_lines

from crfdeid import cli, corpora
from crfdeid.text.document import Document


def read_other_reports(path: Path = DATA) -> Iterator[Document]:
    """Yield the reports that are not in the development set."""
    used = {id for id, _, _ in islice(read_settled(path), COUNT)}
    with path.open(encoding="utf-8") as lines:
        for report in map(json.loads, lines):
            if report["id"] not in used:
                yield Document(report["id"], restore_lines(report["text"]))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    args = parser.parse_args(arguments)
    corpora.write(read_other_reports(args.data), args.out, "jsonl", overwrite=True)


if __name__ == "__main__":
    cli.run(main)
