"""What the stack's SVM is told of a token: what each system decided there, and how they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.templates import Template
from crfdeid.feature_extraction.token import Value
from crfdeid.systems.stacking import cross_fitting
from crfdeid.systems.stacking.cross_fitting import Columns, Told
from crfdeid.text import bio
from crfdeid.text.document import Document


def listening(pipeline: Pipeline, names: Iterable[str], told: Told) -> Pipeline:
    """The SVM's line: what each system says here and beside, what each two say, what all say, and
    for how many it is PHI."""
    said = [f"by_{name}" for name in names]
    wanted: list[Template] = [((name, offset),) for name in said for offset in (-1, 0, 1)]
    wanted += [((a, 0), (b, 0)) for a, b in combinations(said, 2)]
    wanted += [
        tuple((name, 0) for name in said),
        (("votes", 0),),
        (("most", 0),),
        (("votes", 0), ("most", 0)),
    ]
    wanted += [((name, -1), (name, 0)) for name in ("votes", "most")]
    return cross_fitting.listening(pipeline, wanted, [*said, "votes", "most"], told)


def columns(pipeline: Pipeline, decided: Mapping[str, Sequence[Document]]) -> dict[str, Columns]:
    """What the SVM is told of each document, by its text: BIO labels on the stack's own tokens."""
    found: dict[str, Columns] = {}
    for versions in zip(*decided.values()):
        tokens = pipeline.tokenize(versions[0].text)
        labels = [bio.encode(tokens, document.spans) for document in versions]
        found[versions[0].text] = {f"by_{name}": row for name, row in zip(decided, labels)} | {
            "votes": [str(sum(label != bio.OUTSIDE for label in row)) for row in zip(*labels)],
            "most": [most(row) for row in zip(*labels)],
        }
    return found


def most(labels: Iterable[str]) -> Value:
    """The type that most say, the first by name on a tie; nothing where nobody says any.

    >>> most(["B-DATE", "I-DATE", "B-AGE", "O", "O", "O"]), most(["O"])
    ('DATE', None)
    """
    counts = Counter(label[2:] for label in labels if label != bio.OUTSIDE)
    return min(counts, key=lambda type: (-counts[type], type), default=None)
