"""Measure recall and precision of a model by the setting that trades one for the other.

    crfdeid thresholds corpus/test --model english --recall 0.99 --out curves/
    crfdeid thresholds corpus/test --model models/svm --at 0 0.5 1

For a CRF, ``rescored`` and models joined with one of them the setting is the threshold of ``crfdeid.tag
--threshold``; for svm, mega, snow, multi, hmm, rnn and encoders it is the bias of ``crfdeid.tag
--recall-bias``. Choose it on documents that are used neither for training nor for the test. The figures are
of tokens, before repair. For hmm and joined models the notes are tagged anew at each of some values.

Tafvizi 2011 (section 7.2.1) leaves "profiling the ROC curve" and the trade of precision for recall to later
work.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.metrics import precision_recall_curve, roc_auc_score, roc_curve

from crfdeid import cli, files, pages
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.evaluate.calibration import draw_calibration
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain.retagging import (
    RECALL_BIAS,
    THRESHOLD,
    find_setting,
    list_sweep,
    rank_tokens,
    tag_sweep,
)
from crfdeid.files import hold_output, open_whole
from crfdeid.pages.curves import draw_curve
from crfdeid.pages.pictures import Axis, fit_shares, render_figures, render_file
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

OPTIONS = {THRESHOLD: "tag --threshold", RECALL_BIAS: "tag --recall-bias"}
NEVER = -1e9  # the margin of tokens that no value tags
BIASES = (-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
OWN = "as tagged"  # the operating point: without any setting
DOTS = "A dot is a value of {}; the ring is what the model tags without any."
THRESHOLDS = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001)


class CurvePoint(NamedTuple):
    """``bias`` is the setting ``recall_bias``; ``recall`` and ``precision`` are of tokens, PHI or not;
    ``alarms`` is the share of the tokens that are not PHI and are labelled as PHI."""

    bias: float
    recall: float
    precision: float
    alarms: float


@dataclass(frozen=True)
class Margins:
    """``margin`` [tokens] is how far PHI scores above O (:meth:`Tagger.find_margins`), without the recall
    bias of a linear classifier; ``phi`` [tokens] is whether the token is PHI in the gold standard. Where
    they come from tagging at some values (:mod:`crfdeid.explain.retagging`), ``measured`` has what was tagged
    at each bias."""

    margin: np.ndarray
    phi: np.ndarray
    measured: Mapping[float, np.ndarray] = field(default_factory=dict)

    def at(self, bias: float) -> CurvePoint:
        """Recall, precision and false alarms where the margin and ``bias`` are at least 0 together."""
        found = self.measured.get(bias, self.margin >= -bias)
        right, wrong = float((found & self.phi).sum()), float((found & ~self.phi).sum())
        return CurvePoint(
            bias,
            right / float(self.phi.sum()),
            right / (right + wrong) if right + wrong else 0.0,
            wrong / float((~self.phi).sum()),
        )

    @property
    def area(self) -> float:
        """The area under the ROC curve: recall against false alarms."""
        return float(roc_auc_score(self.phi, self.margin))

    def choose(self, recall: float, setting: str) -> float:
        """Return the most precise value of the setting that finds at least this share of the tokens of PHI,
        with three digits. The rounding is to the side of recall. Raises :class:`ConfigurationError` where no
        value that was tried finds so many."""
        needed = math.ceil(recall * int(self.phi.sum()) - 1e-9)
        lowest = float(np.sort(self.margin[self.phi])[::-1][max(needed, 1) - 1])
        if lowest <= NEVER:
            most = float((self.margin[self.phi] > NEVER).mean())
            raise ConfigurationError(f"--recall {recall:g}: no value finds so much; the most is {most:.4f}")
        if setting == THRESHOLD:
            value = bias_to_threshold(-lowest)
            return round_down(value)
        return math.ceil(-lowest * 1000 + 1e-6) / 1000


def round_down(value: float) -> float:
    """Return a number above 0 with three digits, and below ``value``.

    >>> round_down(0.012399), round_down(0.99999)
    (0.0123, 0.999)
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(f"{math.floor(value / unit * (1 - 1e-12)) * unit:.3g}")


def threshold_to_bias(threshold: float) -> float:
    """Return what makes a margin of the logarithm of P(PHI) / P(O) cross 0 at this probability of PHI."""
    return math.log(1 - threshold) - math.log(threshold) if threshold < 1 else -math.inf


def bias_to_threshold(bias: float) -> float:
    """Return the probability of PHI that :func:`threshold_to_bias` takes.

    >>> round(bias_to_threshold(threshold_to_bias(0.02)), 12)
    0.02
    """
    return 1 / (1 + math.exp(bias))


def measure_margins(tagger: Tagger, documents: Iterable[Document], values: Iterable[float] = ()) -> Margins:
    """The margins of the tokens of gold documents; ``values`` of the setting are measured where tokens have
    no scores. Raises :class:`ConfigurationError` where the system
    does not score tokens, :class:`ModelError` where the model's only labels are PHI, and
    :class:`DocumentError` where all tokens are PHI or none is."""
    settings = tagger.config
    if not tagger.operating_setting:
        return retag_margins(tagger, list(documents), values)
    parts = [document_margins(tagger, document) for document in documents]
    margin, phi = (np.concatenate(column) for column in zip(*parts)) if parts else (np.zeros(0), np.zeros(0))
    check_both(phi)
    own = 0.0 if tagger.operating_setting == THRESHOLD else settings.recall_bias
    return Margins(margin - own, phi)


def retag_margins(tagger: Tagger, documents: Sequence[Document], values: Iterable[float]) -> Margins:
    """As :func:`measure_margins`, where tokens have no scores: the documents are tagged at each value of the
    sweep, and a margin is that of the value from which on the token is tagged."""
    if not (setting := find_setting(tagger)):
        raise ConfigurationError(f"the system {tagger.config.system} does not score tokens")
    folded = [fold_document(document) for document in documents]
    phi = np.concatenate([np.zeros(0, bool), *(find_phi(tagger, document)[1] for document in folded)])
    check_both(phi)
    bare = [document.with_spans(()) for document in folded]
    sweep = list_sweep(setting, values)
    shown = cli.show_progress(sweep, "tag", len(sweep))
    found = tag_sweep(tagger, bare, shown, lambda own, document: find_phi(own, document)[1])
    biases = [threshold_to_bias(value) if setting == THRESHOLD else value for value in sweep]
    return Margins(np.append(-np.array(biases), NEVER)[rank_tokens(found)], phi, dict(zip(biases, found)))


def check_both(phi: np.ndarray) -> None:
    """Raise :class:`DocumentError` where all tokens are PHI or none is."""
    if not 0 < phi.sum() < len(phi):
        raise DocumentError("all tokens of the documents are PHI, or none is: there is no curve")


def document_margins(tagger: Tagger, document: Document) -> tuple[np.ndarray, np.ndarray]:
    """Margins, and whether they are PHI, of the tokens that are in a sequence and are not line ends."""
    document = fold_document(document)
    here, phi = find_phi(tagger, document)
    return tagger.find_margins(document.with_spans(()))[here], phi


def find_phi(tagger: Tagger, document: Document) -> tuple[list[int], np.ndarray]:
    """Return the numbers of the tokens of a folded document that are in a sequence and are not line ends, and
    whether a span covers them."""
    tokenized, sequences = tagger.pipeline.tokenize_document(document)
    labels = bio.encode(tokenized.tokens, document.spans)
    here = [i for sequence in sequences for i in sequence if not tokenized.tokens[i].text.isspace()]
    return here, np.array([labels[index] != bio.OUTSIDE for index in here], bool)


def measure_operating_point(tagger: Tagger, documents: Sequence[Document]) -> CurvePoint:
    """Recall, precision and false alarms of what the model tags without any setting, before repair."""
    folded = [fold_document(document) for document in documents]
    tagged = tagger.tag_unrepaired([document.with_spans(()) for document in folded])
    gold, found = (
        np.concatenate([find_phi(tagger, document)[1] for document in side]) for side in (folded, tagged)
    )
    return Margins(np.where(found, 1.0, -1.0), gold).at(0.0)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid thresholds", description=__doc__.split("\n")[0])
    parser.add_argument("gold", type=Path, help="a corpus with its spans, in any format")
    parser.add_argument("--model", required=True, help="a model folder")
    parser.add_argument(
        "--at", "--bias", type=float, nargs="+", metavar="VALUE", help="values of the setting to measure"
    )
    parser.add_argument(
        "--recall",
        type=float,
        nargs="+",
        default=[],
        metavar="SHARE",
        help="choose the most precise value that finds this share of the tokens of PHI, such as 0.99",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the curves as SVG, and an HTML page")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if wrong := [share for share in args.recall if not 0 < share <= 1]:
        raise ConfigurationError(f"--recall {wrong[0]:g}: wanted a share above 0 and at most 1")
    tagger = model.load(args.model)
    setting = find_setting(tagger)
    values = list_values(args.at, tagger)
    documents = list(cli.read_documents(args.gold, None, args))
    margins = measure_margins(tagger, cli.show_progress(documents, "score"), values)
    own = measure_operating_point(tagger, documents)
    chosen = {share: margins.choose(share, setting) for share in args.recall}
    table = tabulate_points(margins, setting, sorted({*values, *chosen.values()}), own)
    facts = describe_margins(margins, tagger)
    print("\n".join(facts.values()) + "\n")
    print("\n".join(align_columns(table)))
    for share, value in chosen.items():
        print(f"\nrecall {share:g}: {setting} {value:g}, {OPTIONS[setting]} {value:g}")
    print(f"\narea under the ROC curve {margins.area:.4f}")
    if args.out:
        marked = {f"{value:g}": measure_point(margins, setting, value) for value in values} | {OWN: own}
        drawn = draw_pictures(margins, setting, marked)
        about = pages.stamp(corpus=args.gold.name, system=tagger.folder.name)
        with hold_output(args.out):
            write_curves(args.out, drawn, "Recall of a model", about, facts, table)


def list_values(given: Sequence[float] | None, tagger: Tagger) -> list[float]:
    """Return the values of the setting to measure: those given, or the usual ones, and the model's own bias.
    Raises :class:`ConfigurationError` on a threshold that is not a probability."""
    if find_setting(tagger) != THRESHOLD:
        return [*(given or BIASES), tagger.config.recall_bias]
    for value in given or ():
        if not 0 < value <= 1:
            raise ConfigurationError(f"--at {value:g}: wanted a threshold above 0 and at most 1")
    return list(given or THRESHOLDS)


def measure_point(margins: Margins, setting: str, value: float) -> CurvePoint:
    """Return the point of a value of the setting."""
    return margins.at(threshold_to_bias(value) if setting == THRESHOLD else value)


def tabulate_points(
    margins: Margins, setting: str, values: Sequence[float], own: CurvePoint
) -> list[list[str]]:
    """Return the head, a row for each value of the setting, and one for what the model tags without any."""
    points = [(f"{value:g}", measure_point(margins, setting, value)) for value in values]
    rows = ([name, *(f"{number:.4f}" for number in point[1:])] for name, point in (*points, (OWN, own)))
    return [[setting, "recall", "precision", "false alarms"], *rows]


def describe_margins(margins: Margins, tagger: Tagger) -> dict[str, str]:
    """Return the lines above the table, by what they are about."""
    phi = int(margins.phi.sum())
    facts = {"tokens": f"{len(margins.phi):,} tokens, {phi:,} of PHI"}
    own = f"the model's recall_bias is {tagger.config.recall_bias:g}"
    facts["model"] = f"system {tagger.config.system}; {own}"
    if tagger.parts:
        facts["model"] = f"systems {' + '.join(part.config.system for part in tagger.parts)}"
    if margins.measured:
        facts["sweep"] = f"tagged anew at {len(margins.measured)} values of the setting"
    return facts


def draw_pictures(margins: Margins, setting: str, marked: dict[str, CurvePoint]) -> dict[str, str]:
    """Draw the ROC curve, the curve of precision and recall, and, where the setting is a probability, the
    calibration, by the name of their files; with the ``marked`` points."""
    alarms, recall, _ = roc_curve(margins.phi, margins.margin)
    precision, found, _ = precision_recall_curve(margins.phi, margins.margin)
    least = max(min(point.alarms for point in marked.values()) / 2, 0.5 / (~margins.phi).sum())
    low = Axis("false alarms: tokens that are not PHI and are tagged", least, 1.0, is_log=True)
    high = fit_shares("recall", [point.recall for point in marked.values()])
    exact = fit_shares("precision", [point.precision for point in marked.values()])
    drawn = {
        "roc": draw_curve(
            f"Recall and false alarms (ROC), area {margins.area:.4f}",
            f"Recall of tokens by the share of false alarms. {DOTS.format(setting)}",
            (low, high),
            list(zip(alarms.tolist(), recall.tolist())),
            {name: (point.alarms, point.recall) for name, point in marked.items()},
            own=OWN,
        ),
        "precision_recall": draw_curve(
            f"Precision and recall, by {setting}",
            f"Precision of tokens by their recall. {DOTS.format(setting)}",
            (high, exact),
            list(zip(found.tolist(), precision.tolist())),
            {name: (point.recall, point.precision) for name, point in marked.items()},
            own=OWN,
        ),
    }
    if setting == THRESHOLD and not margins.measured:
        title = "Are probabilities right? Tokens"
        drawn["calibration"] = draw_calibration(title, "tokens", expit(margins.margin), margins.phi)
    return drawn


def write_curves(
    folder: Path,
    drawn: Mapping[str, str],
    title: str,
    about: Mapping[str, str],
    facts: Mapping[str, str],
    table: Sequence[Sequence[str]],
) -> None:
    """Write the pictures ``drawn``, by the name of their files, and the page ``curves.html`` with the
    ``facts`` and the ``table`` of points."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn.items():
        with open_whole(folder / f"{name}.svg") as file:
            file.write(render_file(picture))
    head, *rows = table
    parts = {
        "<!-- facts -->": pages.render_facts(facts),
        "<!-- curves -->": render_figures(list(drawn.values())),
        "<!-- points -->": pages.render_table("Points of the curves", head, rows),
    }
    body = pages.fill_file(files.PACKAGE / "explain" / "curves.html", parts)
    with open_whole(folder / "curves.html") as file:
        file.write(pages.render_page(title, about, body))


if __name__ == "__main__":
    cli.run(main)
