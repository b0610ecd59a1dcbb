"""Real public texts as hosts: documents with gold spans from texts that hold almost no PHI.

    python benchmarks/hosts.py --out hosts/ [--without mtsamples]

The texts are expected in ../shared/data; one that is not there is left out, and the command says so. Dates,
ages and names behind titles are labelled, as :mod:`crfdeid.synthetic.reidentify` does for MTSamples. A
sentence with something else that may be PHI is left out, such as a capital word that few texts have, or a
town: it would be wrong to call it no PHI. Most documents stay plain; the others get a head, a foot and
mentions. The reports of the development set (:mod:`devset`) are never hosts.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

from devset_reports import DATA, read_settled

from crfdeid import cli, corpora
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.reidentify import convention
from crfdeid.synthetic.reidentify.convention import SourceText
from crfdeid.synthetic.reidentify.corpus import make_corpus
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import split_sentences

FOLDER = DATA.parent.parent
FILES = {
    "mtsamples": "mtsamples/mtsamples.jsonl",
    "mts_notes": "clinical_english/mts_dialog_notes.jsonl",
    "mts_dialogues": "clinical_english/mts_dialog_dialogues.jsonl",
    "vignettes": "clinical_english/medec_vignettes.jsonl",
    "abstracts": "clinical_english/pubmedqa_abstracts.jsonl",
}
COUNTS = {"mtsamples": 500, "mts_notes": 900, "mts_dialogues": 700, "vignettes": 700, "abstracts": 500}
DEVSET = 420  # reports, from the first settled one, that the development set is made of
PLAIN = 0.6  # the share of documents to which nothing is added
SHORTEST = 40  # characters that must be left of a text
WORD = re.compile(r"[A-Za-z]{2,}")
CAPITAL = re.compile(r"\b[A-Z][A-Za-z'’-]*")
SMALL, CAPITALS, ABBREVIATION = 2, 4, 5  # texts that must write a word so; letters of an abbreviation


def read_texts(name: str) -> list[tuple[str, str]]:
    """Return id and text of each text of a source, without the reports of the development set; none where the
    source is not there."""
    path = FOLDER / FILES[name]
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as lines:
        rows = [(row["id"], row["text"]) for row in map(json.loads, lines)]
    if name != "mtsamples":
        return [(id, text.replace("\r\n", "\n")) for id, text in rows]
    kept_aside = {id for id, _, _ in islice(read_settled(path), DEVSET)}
    return [(id, convention.restore_from_commas(text)) for id, text in rows if id not in kept_aside]


@cache
def read_words(*names: str) -> frozenset[str]:
    return frozenset(word.lower() for name in names for entry in read_list(name) for word in entry.split())


class Writings:
    """In how many texts a word is written in small letters, and with capitals."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.small, self.capital = Counter[str](), Counter[str]()
        for text in texts:
            words = set(WORD.findall(text))
            self.small.update(filter(str.islower, words))
            self.capital.update(word for word in words if not word.islower())

    def is_doubtful(self, text: str) -> bool:
        """Whether a word with a capital may be PHI: a place, or a word that few texts have."""
        return any(self._is_rare(part) for part in re.split(r"[-'’]", text) if len(part) > 1)

    def _is_rare(self, word: str) -> bool:
        low = word.lower()
        is_common = low in read_words("common_words")
        if (
            len(low) > 3
            and not is_common
            and low in read_words("us_cities", "world_cities", "us_states", "countries")
        ):
            return True
        if is_common or self.small[low] >= SMALL or self.capital[word] >= CAPITALS:
            return False
        return not (word.isupper() and (self.capital[word] > 1 or len(word) <= ABBREVIATION))


def drop_doubtful(text: str, writings: Writings) -> str:
    """Return the text without the sentences in which something may be PHI that no rule settles."""
    rules = convention.read_convention("mtsamples")
    places = convention.find_places(text, rules)
    unsettled = [match.span() for match in convention.find_unsettled(text, places, rules)]
    known = bytearray(len(text))
    for place in places:
        known[place.start : place.end] = b"\1" * (place.end - place.start)

    def is_doubtful(start: int, end: int) -> bool:
        if any(a < end and start < b for a, b in unsettled):
            return True
        words = (match for match in CAPITAL.finditer(text, start, end) if not known[match.start()])
        return any(
            writings.is_doubtful(word[0])
            for word in words
            if word.start() > start or not writings.small[word[0].lower()]
        )

    kept, at = [], 0
    for start, end in split_sentences(text):
        if is_doubtful(start, end):
            kept.append(text[at:start])
            at = end
    return re.sub(r"\n{3,}", "\n\n", "".join([*kept, text[at:]])).strip()


def make_hosts(
    counts: Mapping[str, int] = COUNTS, seed: int = 1, without: Sequence[str] = ()
) -> dict[str, list[Document]]:
    """Return, by source, at most ``counts[source]`` documents with gold spans. The texts of all sources say
    which words are common, those of a source in ``without`` too few do not."""
    texts = {name: read_texts(name) for name in FILES if name not in without}
    writings = Writings(text for rows in texts.values() for _, text in rows)
    return {
        name: list(
            _make_documents(
                name, Random(f"{seed}-{name}").sample(rows, min(counts[name], len(rows))), writings, seed
            )
        )
        for name, rows in texts.items()
        if rows
    }


def _make_documents(
    name: str, rows: Sequence[tuple[str, str]], writings: Writings, seed: int
) -> Iterator[Document]:
    rules = convention.read_convention("mtsamples")
    cut = ((f"{name}-{id}", drop_doubtful(text, writings)) for id, text in rows)
    sources = [
        SourceText(id, text, tuple(convention.find_places(text, rules)), id)
        for id, text in cut
        if len(text) >= SHORTEST
    ]
    plain = round(len(sources) * PLAIN)
    for part, is_plain in ((sources[:plain], True), (sources[plain:], False)):
        if part:
            yield from (made.document for made in make_corpus("reidentified", part, seed, plain=is_plain))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="a folder, with a file NAME.jsonl for each source"
    )
    parser.add_argument("--without", nargs="+", default=[], choices=FILES, help="leave out these sources")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    hosts = make_hosts(COUNTS, args.seed, args.without)
    for name in FILES:
        print(
            f"{name}: {len(hosts[name])} documents" if name in hosts else f"{name}: left out", file=sys.stderr
        )
        if name in hosts:
            corpora.write(hosts[name], args.out / f"{name}.jsonl", "jsonl", overwrite=True)


if __name__ == "__main__":
    cli.run(main)
