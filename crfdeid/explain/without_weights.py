"""Why a system whose features have no weights tags a note as it does: an hmm, a network, judged spans.

The score of a labelling of an hmm is the logarithm of a probability: a sum over the words. Each word adds a
*transition*, that the class before ends and another one begins (0 where the class goes on), and an
*emission*, the word itself: as the first word of its class, or after the word before. The emission of a word
that is not PHI loses the recall bias. The probability of a label sums all labellings of the sequence.

Of a network, each token around is hidden in turn: in its place a recurrent network sees what is before
and after a sequence, and a transformer its mask (occlusion: Zeiler & Fergus 2014). Where two tokens say the
same, hiding one changes little, because the other still says it.

Of a rescored or judged model the table says what its CRFs gave to every candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain.attribution import find_number, find_sequence
from crfdeid.explain.text import escape_controls, format_title
from crfdeid.systems.judged.judged import JudgedTagger, apply_trees
from crfdeid.systems.judged.rescored import RescoredTagger
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.works.hmm import HmmTagger
from crfdeid.systems.works.hmm_counts import FEATURES, UNKNOWN, find_symbol
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenizer import fold_text

REACH = 20  # tokens on each side of the explained one that are hidden in turn


LEAST = 0.01  # candidates that are less probable are not listed

START = "the start"


@dataclass(frozen=True)
class Label:
    """A label that a token could have. ``before`` is the class before it in the best labelling with this
    label. ``elsewhere`` is what the other words of this labelling score, less those of the best labelling of
    all; ``behind`` is how far the whole labelling scores below the best."""

    name: str
    probability: float
    before: str
    transition: float
    emission: float
    elsewhere: float
    behind: float


class HmmSequence:
    """The scores of one sequence: arrays [class] of each word, for the best labelling and for the sum of all.
    ``begun`` are those where a class begins at the word, ``stayed`` where it goes on."""

    def __init__(self, tagger: HmmTagger, tokens: Sequence[Token]) -> None:
        self.tagger, self.types = tagger, tagger.types
        self.symbols = [find_symbol(tagger.vocabulary, t.text, i == 0) for i, t in enumerate(tokens)]
        self.steps = list(map(tagger.score_step, self.symbols, self.symbols[1:]))

    @cached_property
    def best(self) -> Passes:
        return Passes(self, np.maximum)

    @cached_property
    def total(self) -> Passes:
        return Passes(self, np.logaddexp)

    @cached_property
    def labels(self) -> list[str]:
        """The best labelling, as the model tags."""
        kinds, begins = self.tagger.find_best_path(self.symbols)
        return [self.name(kind, begin) for kind, begin in zip(kinds, begins)]

    def name(self, kind: int, begins: bool) -> str:
        return f"{'B' if begins else 'I'}-{self.types[kind]}" if kind else bio.OUTSIDE

    def probability(self, at: int, label: str) -> float:
        """P(the word has the label)."""
        whole = self.total.whole
        ways = [score for name, score, _, _ in self.list_ways(at, self.total) if name == label]
        return float(np.exp(np.logaddexp.reduce(ways) - whole))

    def list_ways(self, at: int, passes: Passes) -> Iterator[tuple[str, float, int, bool]]:
        """Each label at this word, the score of the labellings that have it, its class, and whether the class
        begins here. O has two ways: it begins, or goes on."""
        for begins, scores in ((True, passes.begun[at]), (False, passes.stayed[at])):
            for kind, score in enumerate((scores + passes.behind[at]).tolist()):
                if score > -np.inf:
                    yield self.name(kind, begins), score, kind, begins

    def explain(self, at: int) -> list[Label]:
        """Each label of the word: the winner, then the others by their probability."""
        ways: dict[str, tuple[float, int, bool]] = {}
        for name, score, kind, begins in self.list_ways(at, self.best):
            if name not in ways or score > ways[name][0]:
                ways[name] = score, kind, begins
        rows = [(name, score, *self.split(at, kind, begins)) for name, (score, kind, begins) in ways.items()]
        winner = next(row for row in rows if row[0] == self.labels[at])
        rest = winner[1] - winner[3] - winner[4]
        found = [
            Label(name, self.probability(at, name), before, turn, word,
                  score - turn - word - rest, max(0.0, winner[1] - score))
            for name, score, before, turn, word in rows
        ]  # fmt: skip
        return sorted(found, key=lambda label: (label.name != winner[0], -label.probability, label.name))

    def split(self, at: int, kind: int, begins: bool) -> tuple[str, float, float]:
        """The class before in the best labelling, the transition from it, and the emission of the word."""
        bias = self.tagger.bias[kind]
        if not at:
            turn, first = self.tagger.score_start(self.symbols[0])
            return START, float(turn[kind]), float(first[kind] + bias)
        turns, firsts, after = self.steps[at - 1]
        if not begins:
            return self.types[kind] or bio.OUTSIDE, 0.0, float(after[kind] + bias)
        before = int((self.best.scores[at - 1] + turns[:, kind] + firsts[:, kind]).argmax())
        emission = float(firsts[before, kind] + bias)
        return self.types[before] or bio.OUTSIDE, float(turns[before, kind]), emission


class Passes:
    """The forward and the backward pass; ``join`` is ``maximum`` for the best labelling, ``logaddexp`` for
    the sum of all. ``scores`` [words][class] are those up to a word, ``behind`` [words][class] those after
    it, with the bias of the word itself."""

    def __init__(self, sequence: HmmSequence, join: np.ufunc) -> None:
        tagger, steps = sequence.tagger, sequence.steps
        bias = tagger.bias
        turn, first = tagger.score_start(sequence.symbols[0])
        self.begun, self.stayed = [turn + first], [np.full(len(bias), -np.inf)]
        self.scores = [turn + first + bias]
        for turns, firsts, after in steps:
            self.begun.append(join.reduce(self.scores[-1][:, None] + turns + firsts, axis=0))
            self.stayed.append(self.scores[-1] + after)
            self.scores.append(join(self.begun[-1], self.stayed[-1]) + bias)
        self.behind = [tagger.score_end(sequence.symbols[-1]) + bias]
        for turns, firsts, after in reversed(steps):
            later = self.behind[-1]
            self.behind.append(join(join.reduce(turns + firsts + later, axis=1), after + later) + bias)
        self.behind.reverse()
        self.whole = float(join.reduce(join(self.begun[0], self.stayed[0]) + self.behind[0]))


class HmmTrace:
    """A document's tokens and its sequences, labelled by a model."""

    def __init__(self, tagger: HmmTagger, document: Document) -> None:
        folding = fold_text(document.text)
        tokenized, self.ranges = tagger.pipeline.tokenize_document(folding.fold_document(document))
        self.document, self.tagger = document, tagger
        self.tokens = [folding.unfold_token(token) for token in tokenized.tokens]
        self.sequences = [HmmSequence(tagger, tokenized.tokens[s.start : s.stop]) for s in self.ranges]

    def number_at(self, offset: int) -> int:
        """As :func:`crfdeid.explain.attribution.find_number`."""
        return find_number(self.document, self.tokens, offset)

    def list_tokens(self) -> list[str]:
        """Every token with its number, offset, label and its probability, as lines."""
        rows = [("token", "at", "label", "probability", "text")]
        for part, sequence in zip(self.ranges, self.sequences):
            for at, number in enumerate(part):
                token, label = self.tokens[number], sequence.labels[at]
                probability = f"{sequence.probability(at, label):.4f}"
                text = escape_controls(token.text)
                rows.append((str(number), str(token.start), label, probability, text))
        return align_columns(rows)

    def explain(self, number: int, runners: int) -> list[str]:
        """Why one token got its label, beside ``runners`` other labels and O, as lines. Raises
        :class:`DocumentError` where no sequence contains the token."""
        index = find_sequence(self.document, self.tokens, self.ranges, number)
        sequence, at = self.sequences[index], number - self.ranges[index].start
        labels = sequence.explain(at)
        shown = [label for n, label in enumerate(labels) if n <= runners or label.name == bio.OUTSIDE]
        word, feature = divmod(sequence.symbols[at], len(FEATURES))
        known = "unknown" if word == UNKNOWN else "known"
        rows = [("label", "probability", "from", "transition", "emission", "elsewhere", "behind")]
        rows += [
            (label.name, f"{label.probability:.6f}", label.before, f"{label.transition:+.4f}",
             f"{label.emission:+.4f}", f"{label.elsewhere:+.4f}", f"{label.behind:.4f}")
            for label in shown
        ]  # fmt: skip
        title = format_title(number, self.tokens[number], labels[0].name)
        return [title, f"a word that is {known}, written as {FEATURES[feature]}", "", *align_columns(rows)]


def list_candidates(tagger: RescoredTagger, document: Document) -> list[str]:
    """Return the lines of a table: each candidate with its probability, those of the members, the expression
    that it is, whether it repeats a sure span, and whether it is a span. It quotes the note."""
    folding = fold_text(document.text)
    ((found, judged),) = tagger.judge([folding.fold_document(document)])
    tokens, given = found.note.tokens, set(tagger.tag(document).spans)
    rows = [["offsets", "type", "span", "probability", *tagger.members, "also", "text"]]
    for (key, members), probability in sorted(zip(found.probabilities.items(), judged.tolist())):
        if max(probability, *members) >= LEAST:
            span = folding.unfold(Span(tokens[key[0]].start, tokens[key[1]].end, key[2]))
            also = found.kinds.get(key, "") or "repeat" * (key in found.repeats)
            figures = [f"{value:.3f}" for value in (probability, *members)]
            text = escape_controls(document.text_of(span))
            place = f"{span.start}-{span.end}"
            rows.append([place, span.type, "yes" * (span in given), *figures, also, text])
    return align_columns(rows)


def list_judged(tagger: JudgedTagger, document: Document) -> list[str]:
    """Return the lines of a table: each candidate with the probability that the trees give, those of the CRF
    and of the network (where there is one), and whether it is a span. It quotes the note."""
    folding = fold_text(document.text)
    batch = tagger.batch([folding.fold_document(document)])
    found, columns = tagger.view.describe(tagger, batch)
    judged, given = apply_trees(tagger.trees, columns, tagger.compiled), set(tagger.tag(document).spans)
    members = tagger.view.find_members(found, columns)
    places = zip(batch.starts[found.first].tolist(), batch.ends[found.last].tolist(), found.types.tolist())
    rows = [["offsets", "type", "span", "judged", *members, "text"]]
    for (start, end, type), *probable in zip(places, judged.tolist(), *members.values()):
        if max(probable) >= LEAST:
            span = folding.unfold(Span(start, end, tagger.view.rows.types[type]))
            is_given, text = "yes" * (span in given), escape_controls(document.text_of(span))
            figures = [f"{value:.3f}" for value in probable]
            rows.append([f"{span.start}-{span.end}", span.type, is_given, *figures, text])
    return align_columns(rows)


class NetworkTrace:
    """A document's tokens and sequences, and the network that labels them."""

    def __init__(self, tagger: Tagger, document: Document) -> None:
        folding = fold_text(document.text)
        self.tagger, self.document, self.folded = tagger, document, folding.fold_document(document)
        tokenized, self.sequences = tagger.pipeline.tokenize_document(self.folded)
        self.tokens = [folding.unfold_token(token) for token in tokenized.tokens]

    def number_at(self, offset: int) -> int:
        """As :func:`crfdeid.explain.attribution.find_number`."""
        return find_number(self.document, self.tokens, offset)

    def list_tokens(self) -> list[str]:
        """Every token with its number, offset, most probable label and its probability, as lines."""
        rows = [("token", "at", "label", "probability", "text")]
        found = find_probabilities(self.tagger.score_tokens(self.folded))
        for number in (number for part in self.sequences for number in part):
            token, best = self.tokens[number], int(found[number].argmax())
            text = escape_controls(token.text)
            probability = f"{found[number, best]:.4f}"
            rows.append((str(number), str(token.start), self.tagger.labels[best], probability, text))
        return align_columns(rows)

    def explain(self, number: int, runners: int, top: int) -> list[str]:
        """Why one token got its label, as lines: the labels by probability, ``runners`` beside the winner and
        O; then the ``top`` tokens that change the probability of the winner most when they are hidden.
        Raises :class:`DocumentError` where no sequence contains the token."""
        part = self.sequences[find_sequence(self.document, self.tokens, self.sequences, number)]
        around = range(max(part.start, number - REACH), min(part.stop, number + REACH + 1))
        found = find_probabilities(self.tagger.score_hidden(self.folded, around, number))
        labels, order = self.tagger.labels, np.argsort(-found[0], kind="stable").tolist()
        shown = [y for n, y in enumerate(order) if n <= runners or labels[y] == bio.OUTSIDE]
        rows = [("label", "probability"), *((labels[y], f"{found[0, y]:.6f}") for y in shown)]
        hidden = [("hidden", "probability", "change", *(labels[y] for y in shown[1:]), "text")]
        changes = found[1:] - found[0]
        for at in np.argsort(-abs(changes[:, order[0]]), kind="stable")[:top].tolist():
            text = escape_controls(self.tokens[around[at]].text)
            own, change = found[1 + at, order[0]], changes[at, order[0]]
            others = (f"{changes[at, y]:+.4f}" for y in shown[1:])
            hidden.append((str(around[at]), f"{own:.4f}", f"{change:+.4f}", *others, text))
        title = format_title(number, self.tokens[number], labels[order[0]])
        return [title, "", *align_columns(rows), "", *align_columns(hidden)]


def find_probabilities(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of each row.

    >>> find_probabilities(np.log([[1.0, 3.0]])).round(6).tolist()
    [[0.25, 0.75]]
    """
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: np.ndarray = raised / raised.sum(axis=1, keepdims=True)
    return found
