"""Rank feature templates and groups by how much they say about what is PHI: information gain.

    crfdeid importance corpus/train --config english
    crfdeid importance corpus/train --about type --by net --csv gain.csv

Sibanda & Uzuner 2006 (section 6.4) rank their features in this way; docs/explain.md has the definition.
Nothing is trained, and the output shows no word of a note.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crfdeid import cli, config
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.evaluate import published_tables
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain import model_weights
from crfdeid.feature_extraction import information_gain, templates
from crfdeid.feature_extraction.information_gain import TARGETS, Gain, Observed
from crfdeid.files import open_whole
from crfdeid.systems import model_folder, registry
from crfdeid.text import scheme
from crfdeid.text.document import Document

PAPER = "sibanda-uzuner-2006-section-6-4"
TEMPLATES = {  # the paper's features; the paper lemmatises words
    "target word": "{0}[0]",
    "bigram before": "{0}[-2]|{0}[-1]",
    "bigram after": "{0}[1]|{0}[2]",
    "word before": "{0}[-1]",
    "word after": "{0}[1]",
}
WORDS = ("lemma", "lower", "word")
TARGET_NAMES = {"phi": "PHI or not", "type": "the type"}
COLUMNS = ("rank", "about", "of", "name", "group", "values", "gain", "chance", "net")
HEADS = ("values", "gain", "by chance", "net")
GROUP_HEADS = ("group", "templates", "best template", "gain", "net", "all together", "by chance")


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid importance", description=__doc__.split("\n")[0])
    parser.add_argument("corpus", nargs="+", type=Path, help="annotated documents, in any format")
    parser.add_argument("--config", default=config.DEFAULT, help="a shipped configuration, or a file")
    parser.add_argument("--about", choices=TARGETS, default="phi", help="PHI or not (default), or the type")
    parser.add_argument(
        "--by", choices=("gain", "net"), default="gain", help="rank by gain (default) or net gain"
    )
    parser.add_argument("--top", type=int, default=30, help="templates to print (default: 30)")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffle for the gain by chance")
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write all gains, about PHI and about the type"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="the same, with corpus, tokens and entropy")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    documents = [document for path in args.corpus for document in cli.read_documents(path, None, args)]
    if not any(document.spans for document in documents):
        raise DocumentError("no span in the documents: wanted documents with PHI spans")
    corpus = f"{', '.join(map(str, args.corpus))} ({len(documents)} documents; {args.config})"
    observed, groups = observe_configuration(documents, args.config)
    importance = rank_all(observed, groups, corpus, args.seed, net=args.by == "net")
    write_tables(args, importance)
    print(as_text(importance, args.about, args.top))


def observe_configuration(documents: Sequence[Document], name: str) -> tuple[Observed, dict[str, str]]:
    """The values of a configuration's templates in the documents, and each template's group. Raises
    :class:`ConfigurationError` where the configuration's system has no templates."""
    settings = registry.read_config(name)
    if not settings.features:
        raise ConfigurationError(f"{name}: the system {settings.system} has no feature templates to rank")
    scheme.read_scheme(settings.scheme).check(documents)
    groups = model_weights.map_groups(map(templates.find_group, settings.features))
    with tempfile.TemporaryDirectory() as folder:
        pipeline = model_folder.create_folder(Path(folder) / "model", documents, settings).pipeline
        return information_gain.observe_corpus(pipeline, cli.show_progress(documents, "observe")), groups


def write_tables(args: argparse.Namespace, importance: Importance) -> None:
    if args.csv:
        with open_whole(args.csv) as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(gain_rows(importance))
    if args.json:
        with open_whole(args.json) as file:
            json.dump(as_json(importance), file, indent=1, ensure_ascii=False)
            file.write("\n")


@dataclass(frozen=True)
class Importance:
    """``corpus`` describes the corpus; ``groups`` is the group of each template. ``gains`` are ranked lists
    by what they are about (``phi`` or ``type``) and of (``template`` or ``group``); ``entropy`` is the most
    that can be gained about each, in bits."""

    corpus: str
    tokens: int
    groups: Mapping[str, str] = field(repr=False)
    entropy: Mapping[str, float]
    gains: Mapping[tuple[str, str], list[Gain]] = field(repr=False)


def rank_all(
    observed: Observed, groups: Mapping[str, str], corpus: str, seed: int = 0, net: bool = False
) -> Importance:
    joints = information_gain.join_groups(observed.codes, groups)
    gains = {
        (about, of): information_gain.rank_columns(columns, observed.targets[about], seed, net)
        for of, columns in (("group", joints), ("template", observed.codes))
        for about in TARGETS
    }
    entropy = {about: information_gain.entropy(observed.targets[about]) for about in TARGETS}
    return Importance(corpus, len(observed.targets["phi"]), groups, entropy, gains)


def gain_rows(importance: Importance) -> Iterator[dict[str, Any]]:
    """One row for each gain, with the keys of :data:`COLUMNS`; the gain of a group is the gain of all its
    templates together."""
    for (about, of), gains in importance.gains.items():
        for rank, gain in enumerate(gains, 1):
            group = gain.name if of == "group" else importance.groups[gain.name]
            yield {"rank": rank, "about": about, "of": of, "group": group, **asdict(gain), "net": gain.net}


def as_json(importance: Importance) -> dict[str, Any]:
    what = {"corpus": importance.corpus, "tokens": importance.tokens, "entropy": dict(importance.entropy)}
    return what | {"gains": list(gain_rows(importance))}


def as_text(importance: Importance, about: str, top: int) -> str:
    """The groups, the ``top`` templates, and the paper's ranks beside ours."""
    templates = importance.gains[about, "template"]
    rows = ((gain.name, importance.groups[gain.name], *format_gain(gain)) for gain in templates[:top])
    where = f"{importance.corpus}, {importance.tokens} tokens"
    lines = [
        f"Information gain about {TARGET_NAMES[about]}, in bits of {importance.entropy[about]:.4f}; {where}",
        "",
        *align_columns([GROUP_HEADS, *group_rows(importance, about)]),
        "",
        *align_columns([("template", "group", *HEADS), *rows]),
    ]
    return "\n".join(
        [*lines, *(compare_with_paper([gain.name for gain in templates], where) if about == "phi" else [])]
    )


def format_gain(gain: Gain) -> tuple[str, ...]:
    return str(gain.values), f"{gain.gain:.4f}", f"{gain.chance:.4f}", f"{gain.net:.4f}"


def group_rows(importance: Importance, about: str) -> Iterator[tuple[str, ...]]:
    """A row for each group, in the order of its best template."""
    joints = {gain.name: gain for gain in importance.gains[about, "group"]}
    own: dict[str, list[Gain]] = {}
    for gain in importance.gains[about, "template"]:
        own.setdefault(importance.groups[gain.name], []).append(gain)
    for group, gains in own.items():
        bits = (gains[0].gain, gains[0].net, joints[group].gain, joints[group].chance)
        yield group, str(len(gains)), gains[0].name, *(f"{value:.4f}" for value in bits)


def compare_with_paper(templates: Sequence[str], corpus: str) -> list[str]:
    """The paper's five features and our ranks as a table, where the configuration has one of the features."""
    ours = {}
    for name, template in TEMPLATES.items():
        places = [templates.index(t) + 1 for word in WORDS if (t := template.format(word)) in templates]
        if places:
            ours[name] = {"rank": float(places[0])}
    caption = f"{corpus}, rank among {len(templates)} templates"
    return (
        ["", "", published_tables.format_beside(published_tables.read_table(PAPER), ours, caption)]
        if ours
        else []
    )


if __name__ == "__main__":
    cli.run(main)
