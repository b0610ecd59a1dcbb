"""Why a network gave a token its label: how the probability changes where one token is hidden.

A network has no weights that mean something by themselves. Each token around is hidden in turn: in its place
a recurrent network sees what is before and after a sequence, and a transformer its mask (occlusion: Zeiler &
Fergus 2014). Where two tokens say the same, hiding one changes little, because the other still says it.
"""

from __future__ import annotations

import numpy as np

from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain.attribution import find_number, find_sequence
from crfdeid.explain.text import escape_controls, format_title
from crfdeid.systems.tagger import Tagger
from crfdeid.text import bio
from crfdeid.text.document import Document
from crfdeid.text.folding import fold_text

REACH = 20  # tokens on each side of the explained one that are hidden in turn


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
