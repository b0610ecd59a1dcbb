"""Rank feature templates and groups by how much they say about what is PHI: information gain.

    python -m crfdeid.importance corpus/train --config english
    python -m crfdeid.importance corpus/train --about type --by net --csv gain.csv

Sibanda & Uzuner 2006 (section 6.4) rank their features in this way; docs/explain.md has the definition.
Nothing is trained, and the output shows no word of a note.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from crfdeid import cli, config
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.explain import importance_table, model_weights
from crfdeid.explain.importance_table import Importance
from crfdeid.feature_extraction import information_gain, templates
from crfdeid.feature_extraction.information_gain import TARGETS, Observed
from crfdeid.files import open_whole
from crfdeid.systems import model_folder, registry
from crfdeid.text import scheme
from crfdeid.text.document import Document


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m crfdeid.importance", description=__doc__.split("\n")[0])
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
    importance = importance_table.rank_all(observed, groups, corpus, args.seed, net=args.by == "net")
    write_tables(args, importance)
    print(importance_table.as_text(importance, args.about, args.top))


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
            writer = csv.DictWriter(file, importance_table.COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(importance_table.gain_rows(importance))
    if args.json:
        with open_whole(args.json) as file:
            json.dump(importance_table.as_json(importance), file, indent=1, ensure_ascii=False)
            file.write("\n")
