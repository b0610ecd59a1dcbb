"""Two systems on the same gold documents."""

from __future__ import annotations

from dataclasses import dataclass

from crfdeid.evaluate.evaluation import Evaluation
from crfdeid.evaluate.matching import CRITERIA, Criterion
from crfdeid.evaluate.pairing import PairError
from crfdeid.evaluate.significance import Difference, Z, randomisation, z_test


@dataclass(frozen=True)
class Comparison:
    """``randomised[criterion][metric]``; ``z[kind]`` is the F of each system, and their z."""

    randomised: dict[str, dict[str, Difference]]
    z: dict[str, tuple[float, float, Z]]


def compare(first: Evaluation, second: Evaluation) -> Comparison:
    """Raises :class:`PairError` where the two were not scored on the same documents."""
    if first.scores.ids != second.scores.ids:
        raise PairError("the two systems were not scored on the same documents")
    return Comparison(
        {criterion: randomised(first, second, Criterion(criterion)) for criterion in CRITERIA},
        z_tests(first, second),
    )


def randomised(first: Evaluation, second: Evaluation, track: Criterion) -> dict[str, Difference]:
    tables = first.scores.documents(track), second.scores.documents(track)
    return randomisation(*tables, first.groups, first.choices.resamples or 1, first.choices.seed)


def z_tests(first: Evaluation, second: Evaluation) -> dict[str, tuple[float, float, Z]]:
    """Per kind of word; the sample size is the number of gold words of the kind."""
    ours, theirs = first.words.counts(), second.words.counts()
    results = {}
    for kind in ours.keys() & theirs.keys():
        one, two = ours[kind], theirs[kind]
        z = z_test(one.f1, one.tp + one.fn, two.f1, two.tp + two.fn)
        results[kind] = (one.f1, two.f1, z)
    return {kind: results[kind] for kind in first.words.kinds if kind in results}
