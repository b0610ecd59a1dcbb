"""Score a system's documents against gold ones.

    python -m crfdeid.evaluate gold/ system/
    python -m crfdeid.evaluate gold/ system/ --json scores.json --html errors.html
    python -m crfdeid.evaluate gold/ system/ --against other/      is the difference real

Either side may be in any format. docs/scoring.md says what each number means.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from crfdeid import cli
from crfdeid.corpora.token_marks import read_token_marks
from crfdeid.evaluate import error_analysis, error_page, evaluation, report, token_subsets
from crfdeid.evaluate.evaluation import Evaluation, EvaluationOptions
from crfdeid.files import open_whole
from crfdeid.text import scheme


def build_parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m crfdeid.evaluate", description=__doc__.split("\n")[0])
    parse.add_argument("gold", type=Path)
    parse.add_argument("system", type=Path)
    parse.add_argument("--against", type=Path, metavar="OTHER", help="a second system, to compare with")
    parse.add_argument("--rules", choices=("i2b2", "meddocan"), default="i2b2", help="whose official scores")
    parse.add_argument("--scheme", help="label scheme (default: that of the rules)")
    parse.add_argument("--hipaa", choices=("script", "list"), default="script", help="list includes IDNUM")
    parse.add_argument("--missing-documents", choices=("error", "ignore"), default="error")
    parse.add_argument("--unknown-types", choices=("error", "count"), default="error")
    parse.add_argument("--format", "--from", help="of all sides (default: detected)")
    parse.add_argument("--encoding", default="utf-8")
    parse.add_argument("--by", choices=("document", "patient"), default="document", help="what is resampled")
    parse.add_argument(
        "--resamples", type=cli.natural_number, default=10_000, help="0: no intervals (default: 10000)"
    )
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--tokens", type=Path, metavar="FILE", help="score these tokens alone too")
    parse.add_argument("--json", type=Path, metavar="FILE", help="write every figure")
    parse.add_argument("--csv", type=Path, metavar="FILE", help="write one row a mistake, without text")
    parse.add_argument("--html", type=Path, metavar="FILE", help="write a page to read; it holds note text")
    return parse


def main(arguments: list[str] | None = None) -> None:
    given = build_parser().parse_args(arguments)
    choices = build_options(given)
    paths = [path for path in (given.gold, given.system, given.against) if path]
    gold, system, *others = evaluation.read_sides(paths, choices, given.format, given.encoding)
    found = evaluation.evaluate(gold, system, choices)
    texts = [report.format_report(found)]
    if given.tokens:
        texts.append(format_subset_scores(found, given))
    sheet = report.build_json(found) if given.json else {}
    for other in others:
        compared = evaluation.compare(found, evaluation.evaluate(gold, other, choices))
        texts.append(report.format_comparison(compared, found.recipe, choices))
        sheet["comparison"] = report.build_comparison_json(compared, found.recipe, choices)
    write_files(given, found, sheet)  # before printing: a reader may close the pipe early
    print("\n\n".join(texts))


def format_subset_scores(found: Evaluation, args: argparse.Namespace) -> str:
    """Scores on the tokens of a table that ``reidentify`` wrote."""
    gold, system = zip(*found.pairs)
    return token_subsets.format_table(gold, system, read_token_marks(args.tokens), args.resamples)


def build_options(args: argparse.Namespace) -> EvaluationOptions:
    return EvaluationOptions(
        scheme=scheme.read_scheme(args.scheme or {"i2b2": "i2b2-2014", "meddocan": "meddocan"}[args.rules]),
        rules=args.rules,
        hipaa=args.hipaa,
        missing=args.missing_documents,
        unknown=args.unknown_types,
        by=args.by,
        resamples=args.resamples,
        seed=args.seed,
    )


def write_files(args: argparse.Namespace, found: Evaluation, sheet: dict) -> None:
    if args.json:
        with open_whole(args.json) as file:
            json.dump(sheet, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if args.csv:
        import pandas  # half a second, only where it is needed

        frame = pandas.DataFrame(
            error_analysis.build_rows(found.mistakes), columns=error_analysis.COLUMNS, dtype=object
        )
        with open_whole(args.csv) as file:
            frame.to_csv(file, index=False, lineterminator="\n")
    if args.html:
        error_page.write_page(found, args.html)


if __name__ == "__main__":
    cli.run(main)
