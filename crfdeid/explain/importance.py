"""How much each feature template and group tells of what is PHI: information gain.

    python -m crfdeid.importance corpus/train --config english
    python -m crfdeid.importance corpus/train --about type --by net --csv gain.csv

Sibanda & Uzuner 2006 (section 6.4) rank features so; docs/explain.md has the definition. Nothing
is trained, and no word of a note is shown.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from crfdeid import cli
from crfdeid import config as experiment
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.explain import importance_table, information_gain, model_weights
from crfdeid.explain.importance_table import Importance
from crfdeid.explain.information_gain import TARGETS, Observed
from crfdeid.feature_extraction import templates
from crfdeid.files import whole
from crfdeid.systems import model_folder
from crfdeid.text import scheme
from crfdeid.text.document import Document


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.importance", description=__doc__.split("\n")[0])
    parse.add_argument("corpus", nargs="+", type=Path, help="annotated documents, in any format")
    parse.add_argument("--config", default=experiment.DEFAULT, help="a shipped configuration, or a file")
    parse.add_argument("--about", choices=TARGETS, default="phi", help="PHI or not (default), or the type")
    parse.add_argument("--by", choices=("gain", "net"), default="gain", help="what ranks (default: gain)")
    parse.add_argument("--top", type=int, default=30, help="templates to print (default: 30)")
    parse.add_argument("--seed", type=int, default=0, help="for the gain by chance")
    parse.add_argument("--csv", type=Path, metavar="FILE", help="write every gain, about PHI and type")
    parse.add_argument("--json", type=Path, metavar="FILE", help="the same, with what was measured")
    cli.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    documents = [document for path in given.corpus for document in cli.documents(path, None, given)]
    if not any(document.spans for document in documents):
        raise DocumentError("no span in the documents: nothing to tell apart")
    corpus = f"{', '.join(map(str, given.corpus))} ({len(documents)} documents; {given.config})"
    observed, groups = measured(documents, given.config)
    found = importance_table.ranked(observed, groups, corpus, given.seed, net=given.by == "net")
    write(given, found)
    print(importance_table.as_text(found, given.about, given.top))


def measured(documents: Sequence[Document], config: str) -> tuple[Observed, dict[str, str]]:
    """What the templates of a configuration say in the documents, and each template's group."""
    settings = experiment.read(config)
    if not settings.features:
        raise ConfigurationError(f"{config}: the system {settings.system} has no feature templates to rank")
    scheme.read(settings.scheme).check(documents)
    groups = model_weights.groups_in(map(templates.find, settings.features))
    with tempfile.TemporaryDirectory() as name:
        line = model_folder.lay_out(Path(name) / "model", documents, settings)
        return information_gain.observe(line, cli.progress(documents, "observe")), groups


def write(args: argparse.Namespace, found: Importance) -> None:
    if args.csv:
        with whole(args.csv) as file:
            writer = csv.DictWriter(file, importance_table.COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(importance_table.rows(found))
    if args.json:
        with whole(args.json) as file:
            json.dump(importance_table.as_json(found), file, indent=1, ensure_ascii=False)
            file.write("\n")
