"""How much each feature template and group tells of what is PHI: information gain.

    python -m crfdeid.importance corpus/train --config english
    python -m crfdeid.importance corpus/train --about type --by net --csv gain.csv

Sibanda & Uzuner 2006 (section 6.4) rank features so; the definition is in docs/explain.md. Nothing
is trained, and no word of a note is shown.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crfdeid import anatomy, command, experiment, information_gain, model_folder, published, scheme, templates
from crfdeid.document import Document
from crfdeid.faults import DocumentFault
from crfdeid.files import whole
from crfdeid.information_gain import TARGETS, Gain
from crfdeid.text_table import aligned

PAPER = "sibanda-uzuner-2006-section-6-4"
TEMPLATES = {  # the paper's features; it lemmatises words
    "target word": "{0}[0]",
    "bigram before": "{0}[-2]|{0}[-1]",
    "bigram after": "{0}[1]|{0}[2]",
    "word before": "{0}[-1]",
    "word after": "{0}[1]",
}
WORDS = ("lemma", "lower", "word")
COLUMNS = ("rank", "about", "of", "name", "group", "values", "gain", "chance", "net")


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
    command.add_reading_options(parse)
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = parser().parse_args(arguments)
    documents = [document for path in given.corpus for document in command.documents(path, None, given)]
    if not any(document.spans for document in documents):
        raise DocumentFault("no span in the documents: nothing to tell apart")
    observed, groups = measured(documents, given.config)
    rows = {
        (about, of): information_gain.rank(columns, observed.targets[about], given.seed, given.by == "net")
        for of, columns in (
            ("group", information_gain.together(observed.codes, groups)),
            ("template", observed.codes),
        )
        for about in TARGETS
    }
    target = observed.targets[given.about]
    what = {
        "corpus": ", ".join(map(str, given.corpus)),
        "documents": len(documents),
        "tokens": len(target),
        "config": given.config,
        "entropy": {about: information_gain.entropy(observed.targets[about]) for about in TARGETS},
    }
    write(given, what, list(table(rows, groups)))
    print(told(given, what, rows, groups))


def measured(documents: Sequence[Document], config: str) -> tuple[information_gain.Observed, dict[str, str]]:
    """What the templates of a configuration say in the documents, and each template's group."""
    settings = experiment.read(config)
    scheme.read(settings.scheme).check(documents)
    groups = anatomy.groups_in(map(templates.find, settings.features))
    with tempfile.TemporaryDirectory() as name:
        line = model_folder.lay_out(Path(name) / "model", documents, settings)
        return information_gain.observe(line, command.progress(documents, "observe")), groups


def table(
    rows: dict[tuple[str, str], list[Gain]], groups: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """One row a gain, in the order of :data:`COLUMNS`."""
    for (about, of), gains in rows.items():
        for rank, gain in enumerate(gains, 1):
            group = gain.name if of == "group" else groups[gain.name]
            yield {"rank": rank, "about": about, "of": of, "group": group, **asdict(gain), "net": gain.net}


def write(given: argparse.Namespace, what: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    if given.csv:
        with whole(given.csv) as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if given.json:
        with whole(given.json) as file:
            json.dump(what | {"seed": given.seed, "gains": rows}, file, indent=1, ensure_ascii=False)
            file.write("\n")


def told(
    given: argparse.Namespace,
    what: dict[str, Any],
    rows: dict[tuple[str, str], list[Gain]],
    groups: dict[str, str],
) -> str:
    about = {"phi": "PHI or not", "type": "the type"}[given.about]
    corpus = f"{what['corpus']}: {what['documents']} documents, {what['tokens']} tokens"
    single, joints = rows[given.about, "template"], rows[given.about, "group"]
    lines = [
        f"Information gain about {about}, in bits of {what['entropy'][given.about]:.4f}; {corpus}",
        "",
        *aligned([GROUP_HEADS, *grouped(single, joints, groups)]),
        "",
        *aligned(
            [
                ("template", "group", *HEADS),
                *((gain.name, groups[gain.name], *figures(gain)) for gain in single[: given.top]),
            ]
        ),
    ]
    return "\n".join([*lines, *beside([gain.name for gain in single], corpus)])


HEADS = ("values", "gain", "by chance", "net")
GROUP_HEADS = ("group", "templates", "best template", "gain", "net", "all together", "by chance")


def grouped(
    single: Sequence[Gain], joints: Sequence[Gain], groups: dict[str, str]
) -> Iterator[tuple[str, ...]]:
    """A row for each group, in the order of its best template."""
    by_name = {gain.name: gain for gain in joints}
    for group in dict.fromkeys(groups[gain.name] for gain in single):
        own = [gain for gain in single if groups[gain.name] == group]
        best, all_of_it = own[0], by_name[group]
        told = (best.gain, best.net, all_of_it.gain, all_of_it.chance)
        yield group, str(len(own)), best.name, *(f"{bits:.4f}" for bits in told)


def figures(gain: Gain) -> tuple[str, ...]:
    return str(gain.values), f"{gain.gain:.4f}", f"{gain.chance:.4f}", f"{gain.net:.4f}"


def beside(ranked: Sequence[str], corpus: str) -> list[str]:
    """The paper's five features beside our ranks, where the configuration has one of them."""
    ours = {}
    for name, template in TEMPLATES.items():
        places = [ranked.index(t) + 1 for word in WORDS if (t := template.format(word)) in ranked]
        if places:
            ours[name] = {"rank": float(places[0])}
    return ["", "", published.beside(published.read(PAPER), ours, corpus)] if ours else []


if __name__ == "__main__":
    command.run(main)
