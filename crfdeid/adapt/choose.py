"""Choose the way to adapt a model by cross-validation on the corrected notes, and adapt it on all of them.

    corrected notes → folds by patient → each way, learned without a fold, tags the fold → strict F1 of all
    folds → the best way → learned of all notes

The model as it is is one of the ways. Another one wins only where it covers as many spans, and where its F1
is higher in nineteen of twenty resamples of the patients (:func:`is_better`): with a few notes, a small gain
is chance, and adapting to notes that have nothing in common does harm. For each fold the weights are trained
once; the trees of a fold learn of the candidates of the other folds, each found by a CRF that had not seen
its note. So the trees see how far the adapted CRF is to be trusted on a new note of the site.

    unlabelled notes → read by the adapted model → lines that repeat → after the adapted model

The lines are measured in the same folds: the model of a fold reads the unlabelled notes of other patients,
and the lines that it learns are used in the notes of the fold. They stay only where they cover as many spans
and F1 is not lower (:func:`add_lines`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from crfdeid.adapt.ways import (
    SHIPPED,
    Judged,
    Way,
    add_lists,
    add_trees,
    judge_candidates,
    list_ways,
    place_lines,
    split_rows,
    train_weights,
)
from crfdeid.corpora.folds import Part, make_folds
from crfdeid.errors import DocumentError
from crfdeid.evaluate.leakage import find_covered
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.model import hash_text
from crfdeid.systems.repeated_lines import LEAST, RepeatedLines, learn_lines
from crfdeid.systems.term_lists import Terms
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

FOLDS = 5
RESAMPLES, SURE = 1000, 0.95
FEWEST = 3  # patients; with fewer there is nothing to choose by
SEED = 0
THEN_LINES = ", then lines that repeat"  # after the name of a way

Found = dict[str, list[Document]]  # by the name of a way: the notes as it tagged them, in order
Tick = Callable[[], None]


@dataclass(frozen=True)
class Fold:
    """A fold of the corrected notes: those ``inside``, and the tagger that learned of the ``rest``."""

    tagger: CrfTagger
    rest: Sequence[Document]
    inside: Sequence[Document]


@dataclass(frozen=True)
class Unlabelled:
    """Notes that nobody has corrected, and what each tagger reads in them. A line is of at least ``least``
    patients; ``tick`` is called after each note that is read."""

    notes: Sequence[Document]
    least: int
    tick: Tick
    found: dict[CrfTagger, list[Document]] = field(default_factory=dict, repr=False)

    def learn(
        self, tagger: CrfTagger, corrected: Sequence[Document], without: Sequence[Document] = ()
    ) -> RepeatedLines:
        """Learn the lines of the notes as the tagger tags them, except of the patients of ``without``."""
        patients = {note.owner[1] for note in without}
        notes = [note for note in self.read(tagger) if note.owner[1] not in patients]
        right = [tagger.pipeline.resolve_overlaps(fold_document(note)) for note in corrected]
        return learn_lines(notes, self.least, right)

    def read(self, tagger: CrfTagger) -> Sequence[Document]:
        """Return the notes as the tagger tags them; it does so once."""
        if tagger not in self.found:
            self.found[tagger] = []
            for note in tagger.tag_all([note.with_spans(()) for note in self.notes]):
                self.found[tagger].append(note)
                self.tick()
        return self.found[tagger]


@dataclass(frozen=True)
class Lines:
    """The ``lines`` that repeat in unlabelled ``notes``, and what the chosen way with such lines found in the
    corrected notes in cross-validation. ``uses_marks``: the marks of the corrected notes are among them."""

    lines: RepeatedLines
    notes: Sequence[Document]
    least: int
    uses_marks: bool
    found: list[Document]
    is_kept: bool


@dataclass(frozen=True)
class Choice:
    """The chosen ``way`` and its ``tagger``. ``gold`` are the corrected notes, and ``found`` what each way
    found in them in cross-validation; ``folds`` and ``lists`` are of the chosen way."""

    way: Way
    tagger: CrfTagger
    gold: Sequence[Document]
    found: Found
    folds: Sequence[Fold] = field(default=(), repr=False)
    lists: Terms | None = None
    lines: Lines | None = None

    @property
    def before(self) -> list[Document]:
        """The notes as the model tags them that is adapted."""
        return self.found[SHIPPED.name]

    @property
    def after(self) -> list[Document]:
        """The notes as the chosen way tagged them in cross-validation."""
        return self.found[self.way.name]


@dataclass(frozen=True)
class Held:
    """One fold and one strength of the weights: the tagger that has not seen the fold's
    notes, and its judged candidates there."""

    tagger: CrfTagger
    judged: Sequence[Judged]


def adapt(
    tagger: CrfTagger, notes: Sequence[Document], tick: Tick = lambda: None, lists: Terms | None = None
) -> Choice:
    """Adapt the tagger to corrected notes and lists; ``tick`` is called after each training. Raises
    what :func:`check_notes` raises."""
    check_notes(notes)
    ways, folds = list_ways(tagger, lists), split_notes(notes)
    held = {c2: hold_out_each(tagger, folds, c2, tick) for c2 in sorted({way.c2 for way in ways})}
    built = {way.name: build_folds(way, held[way.c2], folds, lists) for way in ways}
    found = {name: tag_folds(own, notes) for name, own in built.items()}
    chosen = choose_way(ways, notes, found)
    whole = train_weights(tagger, notes, chosen.c2)
    tick()
    judged = [row for one in held[chosen.c2] for row in one.judged]
    adapted = add_trees(whole, judged, chosen.rounds)
    own = lists if chosen.lists else None
    return Choice(chosen, add_lists(adapted, own), notes, found, built[chosen.name], own)


def check_notes(notes: Sequence[Document]) -> None:
    """Raise :class:`DocumentError` where no span is marked, or there are too few patients to choose by."""
    if not any(note.spans for note in notes):
        raise DocumentError("no span in the corrected notes: nothing to learn from")
    if (patients := len({note.owner for note in notes})) < FEWEST:
        raise DocumentError(f"the corrected notes are of {patients} patients; wanted at least {FEWEST}")


def split_notes(notes: Sequence[Document]) -> list[tuple[list[Document], list[Document]]]:
    """Return the folds by patient, each as the notes outside and inside."""
    number = min(FOLDS, len({note.owner for note in notes}))
    folds = make_folds(Part("corrected notes", tuple(notes)), number, SEED)
    return [(list(rest.documents), list(held.documents)) for rest, held in folds]


def hold_out_each(
    tagger: CrfTagger, folds: Sequence[tuple[list[Document], list[Document]]], c2: float, tick: Tick
) -> list[Held]:
    """Train the weights without each fold, and judge the candidates in it."""
    found = []
    for rest, inside in folds:
        adapted = train_weights(tagger, rest, c2)
        found.append(Held(adapted, judge_candidates(adapted, inside)))
        tick()
    return found


def build_folds(
    way: Way,
    held: Sequence[Held],
    folds: Sequence[tuple[list[Document], list[Document]]],
    lists: Terms | None,
) -> list[Fold]:
    """Return each fold with the tagger of the way, learned without it."""
    built, parts = [], [each.judged for each in held]
    for number, (each, fold) in enumerate(zip(held, folds)):
        adapted = add_trees(each.tagger, list(split_rows(parts, number)), way.rounds)
        built.append(Fold(add_lists(adapted, lists if way.lists else None), *fold))
    return built


def tag_folds(folds: Sequence[Fold], notes: Sequence[Document]) -> list[Document]:
    """Return the notes, each as the tagger of its fold tags it."""
    by_id: dict[str, Document] = {}
    for fold in folds:
        bare = [note.with_spans(()) for note in fold.inside]
        by_id |= {note.id: note for note in fold.tagger.tag_all(bare)}
    return [by_id[note.id] for note in notes]


def choose_way(ways: Sequence[Way], notes: Sequence[Document], found: Found) -> Way:
    """Return the best of the ways that are surely better than the model as it is, or that one."""
    before = found[SHIPPED.name]
    able = [way for way in ways if way != SHIPPED and is_better(notes, before, found[way.name])]
    return max([SHIPPED, *able], key=lambda way: compute_f1(notes, found[way.name]))


def is_better(gold: Sequence[Document], before: Sequence[Document], after: Sequence[Document]) -> bool:
    """Whether ``after`` covers as many spans as ``before``, and has the higher strict F1 in
    :data:`SURE` of the resamples of patients."""
    pairs = [[count_note(*pair) for pair in zip(gold, found)] for found in (before, after)]
    patients = {owner: number for number, owner in enumerate(dict.fromkeys(note.owner for note in gold))}
    totals = np.zeros((len(patients), 2, 3))
    np.add.at(totals, [patients[note.owner] for note in gold], np.array(pairs).transpose(1, 0, 2))
    covered = totals.sum(axis=0)[:, 2]
    drawn = np.random.default_rng(SEED).integers(0, len(patients), (RESAMPLES, len(patients)))
    right, wrong, _ = totals[drawn].sum(axis=1).transpose(2, 1, 0)
    f1 = 2 * right / np.maximum(1, 2 * right + wrong)
    return bool(covered[1] >= covered[0] and (f1[1] > f1[0]).mean() >= SURE)


def count_note(gold: Document, found: Document) -> tuple[int, int, int]:
    """Return how many spans are right and wrong (missed, or false), and how many are covered."""
    keys, own = ({(span.start, span.end, span.type) for span in each.spans} for each in (gold, found))
    covered = sum(is_covered for _, is_covered in find_covered(gold, found))
    return len(keys & own), len(keys ^ own), covered


def compute_f1(gold: Sequence[Document], found: Sequence[Document]) -> float:
    """Return the strict F1 of all spans: start, end and type.

    >>> from crfdeid.text.document import Span
    >>> note = Document("n", "Ana Ruiz", (Span(0, 3, "X"), Span(4, 8, "X")))
    >>> compute_f1([note], [note.with_spans(note.spans[:1])])
    0.6666666666666666
    """
    right, wrong, _ = map(sum, zip(*(count_note(*pair) for pair in zip(gold, found))))
    return 2 * right / max(1, 2 * right + wrong)


def add_lines(
    choice: Choice, notes: Sequence[Document], least: int = LEAST, tick: Tick = lambda: None
) -> Choice:
    """Let the adapted model read unlabelled notes and learn the lines that repeat, with the marks of the
    corrected notes or without. They stay where :func:`is_no_worse`."""
    texts = {hash_text(note.text) for note in choice.gold}
    others = [note for note in notes if hash_text(note.text) not in texts]
    unlabelled = Unlabelled(others, least, tick)
    tried = [try_lines(choice, unlabelled, uses_marks) for uses_marks in (True, False)]
    best = max(tried, key=lambda lines: (lines.is_kept, compute_f1(choice.gold, lines.found)))
    way = replace(choice.way, name=choice.way.name + THEN_LINES)
    choice = replace(choice, found=choice.found | {way.name: best.found}, lines=best)
    if not best.is_kept:
        return choice
    return replace(choice, way=way, tagger=place_lines(choice.tagger, best.lines, choice.lists))


def count_reads(choice: Choice, notes: Sequence[Document]) -> int:
    """Return at most how many notes :func:`add_lines` reads."""
    return len(notes) * len({choice.tagger, *(fold.tagger for fold in choice.folds)})


def try_lines(choice: Choice, unlabelled: Unlabelled, uses_marks: bool) -> Lines:
    """Learn the lines of all notes; and in each fold without its patients, to find what they bring."""
    folds = []
    for fold in choice.folds:
        lines = unlabelled.learn(fold.tagger, fold.rest if uses_marks else (), fold.inside)
        folds.append(replace(fold, tagger=place_lines(fold.tagger, lines, choice.lists)))
    found = tag_folds(folds, choice.gold)
    learned = unlabelled.learn(choice.tagger, choice.gold if uses_marks else ())
    is_kept = bool(learned.marks) and is_no_worse(choice.gold, choice.after, found)
    return Lines(learned, unlabelled.notes, unlabelled.least, uses_marks, found, is_kept)


def is_no_worse(gold: Sequence[Document], before: Sequence[Document], after: Sequence[Document]) -> bool:
    """Whether ``after`` covers as many spans as ``before``, and its strict F1 is not lower."""
    covered = [sum(count_note(*pair)[2] for pair in zip(gold, found)) for found in (before, after)]
    return covered[1] >= covered[0] and compute_f1(gold, after) >= compute_f1(gold, before)
