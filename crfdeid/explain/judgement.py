"""Why a rescored or judged model gives a span or not: what its CRFs said of every candidate."""

from __future__ import annotations

from crfdeid.evaluate.published_tables import align_columns
from crfdeid.explain.text import escape_controls
from crfdeid.systems.judged.judged import JudgedTagger, find_batch_candidates
from crfdeid.systems.judged.rescored import RescoredTagger
from crfdeid.text.document import Document, Span
from crfdeid.text.folding import fold_text

LEAST = 0.01  # candidates that are less probable are not listed


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
    """Return the lines of a table: each candidate of the CRF with the probability that the trees give, that
    of the CRF, and whether it is a span. It quotes the note."""
    folding = fold_text(document.text)
    batch = tagger.batch([folding.fold_document(document)])
    found = find_batch_candidates(tagger, batch, tagger.options.least)
    judged, given = tagger.judge(batch).probabilities, set(tagger.tag(document).spans)
    places = zip(batch.starts[found.first].tolist(), batch.ends[found.last].tolist(), found.types.tolist())
    rows = [["offsets", "type", "span", "judged", "CRF", "text"]]
    for (start, end, type), trees, crf in zip(places, judged.tolist(), found.probabilities.tolist()):
        if max(trees, crf) >= LEAST:
            span = folding.unfold(Span(start, end, tagger.judge_rows.types[type]))
            is_given, text = "yes" * (span in given), escape_controls(document.text_of(span))
            rows.append([f"{span.start}-{span.end}", span.type, is_given, f"{trees:.3f}", f"{crf:.3f}", text])
    return align_columns(rows)
