"""Scores on some tokens alone: those that are ambiguous between PHI and not, those that no
list holds (Sibanda & Uzuner 2006, tables 9 and 13).

The tokens come as a table, which ``python -m crfdeid.reidentify`` writes beside a corpus:
``document,start,end,type,ambiguous,unseen,where``, no text; ``type`` is empty where the token
is no PHI. A token counts as tagged where system spans cover every character of it, whatever
their type: PHI or not is what is asked, as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import FormatError, did_you_mean
from crfdeid.evaluate.leakage import mask_document
from crfdeid.evaluate.pairing import pair_documents
from crfdeid.evaluate.scores import Counts
from crfdeid.evaluate.significance import Interval, bootstrap
from crfdeid.text.document import Document

KINDS = ("ambiguous", "unseen")


def select_marks(marks: Iterable[TokenMark], kind: str) -> list[TokenMark]:
    """The marks of a kind. Raises :class:`FormatError` for one that there is not."""
    if kind not in KINDS:
        raise FormatError(
            f"{kind}: no kind of tokens{did_you_mean(kind, KINDS)}; wanted {' or '.join(KINDS)}"
        )
    return [mark for mark in marks if getattr(mark, kind)]


def count_tokens(
    gold: Sequence[Document], system: Sequence[Document], marks: Iterable[TokenMark]
) -> np.ndarray:
    """An array [document, class, 3] of tp, fp, fn on the marked tokens, in gold's order; the
    classes are PHI and Non-PHI. Whether a token is PHI says gold. Raises what
    :func:`crfdeid.evaluate.pairing.pair_documents` raises, and :class:`FormatError` for
    a mark that leaves its document, or has none."""
    pairs = pair_documents(gold, system)
    by_id = group_by_document(marks, {document.id: len(document.text) for document, _ in pairs})
    counts = np.zeros((len(pairs), 2, 3), dtype=np.int64)
    for row, (right, found) in enumerate(pairs):
        truth, tagged = mask_document(right), mask_document(found)
        for mark in by_id[right.id]:
            phi, said = (bool(side[mark.start : mark.end].all()) for side in (truth, tagged))
            if phi == said:
                counts[row, 0 if phi else 1, 0] += 1
            else:
                counts[row, 0, 2 if phi else 1] += 1
                counts[row, 1, 1 if phi else 2] += 1
    return counts


def group_by_document(marks: Iterable[TokenMark], lengths: Mapping[str, int]) -> dict[str, list[TokenMark]]:
    found: dict[str, list[TokenMark]] = {id: [] for id in lengths}
    for mark in marks:
        if mark.document not in found:
            raise FormatError(f"{mark.document}: a marked token, but no such document in gold")
        if mark.end > lengths[mark.document]:
            raise FormatError(f"{mark.document}: the marked token {mark.start}-{mark.end} leaves the text")
        found[mark.document].append(mark)
    return found


def format_table(
    gold: Sequence[Document], system: Sequence[Document], marks: Sequence[TokenMark], resamples: int = 10_000
) -> str:
    """P, R and F1 of PHI and Non-PHI on the tokens of each kind, with 95% intervals of the
    recall of PHI. Where no marked token is Non-PHI, precision says nothing and is left out."""
    lines = [f"{'tokens alone':<12}{'class':<9}{'tokens':>7}   P      R      F1       95% interval of R"]
    for kind in KINDS:
        counts = count_tokens(gold, system, select_marks(marks, kind))
        for row, name in enumerate(("PHI", "Non-PHI")):
            total = Counts(*map(int, counts[:, row].sum(axis=0)))
            if size := total.tp + total.fn:
                one_sided = not counts[:, 1 - row, [0, 2]].any()
                interval = bootstrap(counts[:, row], resamples=resamples)["recall"] if resamples else None
                lines.append(_figures(kind, name, size, total, one_sided, interval))
    return "\n".join(lines)


def _figures(
    kind: str, name: str, size: int, total: Counts, one_sided: bool, interval: Interval | None
) -> str:
    left, right = ("-", "-") if one_sided else (f"{total.precision:.4f}", f"{total.f1:.4f}")
    ends = f"   {interval.low:.4f}-{interval.high:.4f}" if interval else ""
    return f"{kind:<12}{name:<9}{size:>7}   {left:<6} {total.recall:.4f} {right:<6}{ends}".rstrip()
