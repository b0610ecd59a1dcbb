"""A dry run: the data of a training, its oddities and its likely time; it writes no model.

The report has counts and types of the scheme, and no text of a note.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crfdeid.config import Config
from crfdeid.corpora.folds import Part, draw_sample
from crfdeid.evaluate.published_tables import align_columns
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.systems import model
from crfdeid.systems.model import hash_text
from crfdeid.text.document import Document, describe_doubled, drop_doubled, keep_longest
from crfdeid.text.scheme import Scheme
from crfdeid.text.tokenizer import fold_document

FEW = 5  # spans of a type; less is hardly learned
SAMPLES = 10, 20, 40, 80, 160  # notes of the timed trainings; the first warms up what is compiled and loaded
LEAST = (
    3  # trainings; more follow until one takes LONG seconds, because some systems slow down with the notes
)
LONG = 3.0
SEED = 1


@dataclass(frozen=True)
class Estimate:
    """The ``seconds`` of the whole training, from trainings on samples of ``notes`` and their seconds."""

    seconds: float
    notes: tuple[int, ...]
    measured: tuple[float, ...]

    def __str__(self) -> str:
        sizes = " and ".join(map(str, self.notes))
        times = " and ".join(f"{seconds:.1f}" for seconds in self.measured)
        return f"about {format_duration(self.seconds)} on this machine ({sizes} notes took {times} s)"


def format_duration(seconds: float) -> str:
    """Format a time that is not known exactly.

    >>> [format_duration(seconds) for seconds in (0.3, 42, 400, 9000)]
    ['1 second', '42 seconds', '7 minutes', '2.5 hours']
    """
    if seconds < 100:
        count = max(1, round(seconds))
        return f"{count} second{'s' * (count > 1)}"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def describe_corpora(train: Sequence[Document], test: Sequence[Document], scheme: Scheme) -> list[str]:
    """Return the sizes of both corpora, and their spans by type of the scheme, as lines."""
    sides = (train, test)
    counts = [Counter(span.type for document in side for span in document.spans) for side in sides]
    patients = [len({d.patient for d in side if d.patient is not None}) for side in sides]
    words = map(count_words, sides)
    rows = [["", "train", "test"]]
    for name, pair in (
        ("notes", map(len, sides)),
        ("patients", patients),
        ("words", words),
        ("spans", (count.total() for count in counts)),
        *((type, [count[type] for count in counts]) for type in scheme.types if any(c[type] for c in counts)),
    ):
        rows.append([name, *(f"{number:,}" for number in pair)])
    return align_columns(rows)


def list_oddities(
    train: Sequence[Document], test: Sequence[Document], scheme: Scheme, pipeline: Pipeline
) -> Iterator[str]:
    """Yield a line for each thing that is odd: about each corpus, and about both together."""
    for name, side in (("train", train), ("test", test)):
        lines = [*list_odd_types(side, scheme), *list_odd_notes(side), *list_odd_spans(side, pipeline)]
        yield from (f"{name}: {line}" for line in lines)
    yield from list_shared(train, test)
    learned, scored = (Counter(s.type for d in side for s in d.spans) for side in (train, test))
    for type in scheme.types:
        if 0 < learned[type] < FEW:
            yield f"train: spans of {type}, too few to learn from: {learned[type]}"
        if scored[type] and not learned[type]:
            yield f"test: spans of {type}, of which train has none: {scored[type]}"


def list_odd_notes(documents: Sequence[Document]) -> Iterator[str]:
    """Yield what is odd about the notes of a corpus: repeats, and what they lack."""
    if twice := len(documents) - len({document.id for document in documents}):
        yield f"notes with the id of another note: {twice}"
    if twice := len(documents) - len({hash_text(document.text) for document in documents}):
        yield f"notes with the text of another note: {twice}"
    if empty := sum(not document.text.strip() for document in documents):
        yield f"empty notes: {empty}"
    if bare := sum(not document.spans for document in documents):
        yield f"notes without a span: {bare}"
    if missing := sum(document.patient is None for document in documents):
        yield f"notes without a patient, each counted as another's: {missing}"


def list_odd_types(documents: Sequence[Document], scheme: Scheme) -> Iterator[str]:
    """Yield how many spans are of types that the scheme does not have; the types may be text of a note."""
    others = [s.type for d in documents for s in d.spans if s.type not in scheme.types]
    if others:
        yield (
            f"spans of types that scheme {scheme.name} does not have, which cannot be learned and count as "
            f"missed in a test: {len(others)} (types: {len(set(others))})"
        )


def list_odd_spans(documents: Sequence[Document], pipeline: Pipeline) -> Iterator[str]:
    """Yield what is odd about the ends of the spans of a corpus."""
    if cut := pipeline.count_cut_spans(map(fold_document, documents)):
        yield f"spans that begin or end inside a token and count as widened to it: {cut}"
    texts = (document.text_of(span) for document in documents for span in document.spans)
    if wide := sum(text != text.strip() for text in texts):
        yield f"spans that begin or end with white space: {wide}"
    yield from describe_doubled(documents)
    if over := sum(len(drop_doubled(d.spans)) - len(keep_longest(d.spans)) for d in documents):
        yield f"spans that overlap a longer one: {over}"


def list_shared(train: Sequence[Document], test: Sequence[Document]) -> Iterator[str]:
    """Yield what both corpora have: patients, ids and texts. A score of such notes flatters."""
    patients, ids = ({getattr(d, key) for d in train} - {None} for key in ("patient", "id"))
    texts = {hash_text(document.text) for document in train}
    if shared := [document for document in test if document.patient in patients]:
        number = len({document.patient for document in shared})
        where = "notes of test with a patient id of train"
        yield f"both: {where}: {len(shared)} (patients: {number})"
    if same := sum(document.id in ids for document in test):
        yield f"both: notes of test with the id of a note of train: {same}"
    if same := sum(hash_text(document.text) in texts for document in test):
        yield f"both: notes of test with the text of a note of train: {same}"


def estimate_training(documents: Sequence[Document], settings: Config, engine: str) -> Estimate:
    """Train on small samples, and extrapolate along the line through two times by words. Raises what
    :func:`crfdeid.systems.model.train` raises."""
    model.check_documents([fold_document(d) for d in settings.map_types(documents)], settings)
    able = Part("", tuple(document for document in documents if document.spans))
    sizes: list[int] = []
    words: list[int] = []
    times: list[float] = []
    for size in dict.fromkeys(min(size, len(able.documents)) for size in SAMPLES):
        if len(times) >= LEAST and times[-1] > LONG:
            break
        sample = draw_sample(able, size, SEED).documents
        sizes.append(size)
        words.append(count_words(sample))
        times.append(time_training(sample, settings, engine))
    seconds = extrapolate(words[-2:], times[-2:], count_words(documents))
    return Estimate(seconds, tuple(sizes[-2:]), tuple(times[-2:]))


def count_words(documents: Sequence[Document]) -> int:
    return sum(len(document.text.split()) for document in documents)


def extrapolate(words: Sequence[int], times: Sequence[float], total: int) -> float:
    """Return the time of ``total`` words, on the line through two points. Of one point, and where the line
    falls, it is the line through zero and the larger sample.

    >>> extrapolate([100, 200], [3, 5], 1000), extrapolate([100, 200], [1, 4], 400)
    (21.0, 10.0)
    """
    if len(words) == 2 and words[0] < words[1] and times[0] < times[1]:
        slope = (times[1] - times[0]) / (words[1] - words[0])
        return times[1] + slope * (total - words[1])
    return times[-1] * total / max(1, words[-1])


def time_training(documents: Sequence[Document], settings: Config, engine: str) -> float:
    """Train into a folder that is removed, and return the seconds."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        model.train(documents, replace(settings, min_patients=0), Path(folder) / "model", engine=engine)
        return time.perf_counter() - began
