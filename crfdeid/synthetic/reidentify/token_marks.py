"""Which tokens of a made corpus are ambiguous, and which are in no list (Sibanda & Uzuner 2006,
tables 6 and 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from crfdeid.corpora.token_marks import TokenMark
from crfdeid.synthetic.reidentify.corpus import ReidentifiedDocument
from crfdeid.synthetic.reidentify.fill import detect_form
from crfdeid.synthetic.reidentify.renaming import WORD, is_renamable, read_dictionary, words_to_keep
from crfdeid.text.document import Document


def mark_tokens(corpus: Sequence[ReidentifiedDocument]) -> list[TokenMark]:
    """Mark every word of two letters or more in spans, and every ambiguous one outside spans.

    *Ambiguous*: a word of a name or place that also occurs outside PHI in the corpus. *Unseen*: a
    word of a name or place that is in no shipped list and does not occur outside PHI. Words for the kind
    of a place (Hospital) are neither; case does not matter.
    """
    outside = {word for made in corpus for _, _, word in find_words_outside(made.document)}
    inside = [mark for made in corpus for mark in mark_spans(made, outside)]
    texts = {made.document.id: made.document.text for made in corpus}
    both = {texts[mark.document][mark.start : mark.end].lower() for mark in inside if mark.ambiguous}
    rest = [
        TokenMark(
            made.document.id,
            start,
            end,
            "",
            True,
            False,
            "host" if is_within(start, made.source_ranges) else "",
        )
        for made in corpus
        for start, end, word in find_words_outside(made.document)
        if word in both
    ]
    return sorted([*inside, *rest])


def mark_spans(made: ReidentifiedDocument, outside: set[str]) -> Iterator[TokenMark]:
    """Mark the words in the spans of a document; ``outside`` are the words outside PHI in the corpus."""
    text = made.document.text
    for span, where in zip(made.document.spans, made.where):
        renamable = is_renamable(
            covered := made.document.text_of(span), span.type, detect_form(covered, span.type)
        )
        for match in WORD.finditer(text, span.start, span.end):
            word = match[0].lower()
            counts = renamable and word not in words_to_keep(span.type) and not is_abbreviation(match[0])
            unseen = counts and word not in outside and word not in read_dictionary()
            ambiguous = counts and word in outside
            yield TokenMark(made.document.id, match.start(), match.end(), span.type, ambiguous, unseen, where)


def is_abbreviation(word: str) -> bool:
    """Whether the word can be initials.

    >>> [is_abbreviation(word) for word in ("JM", "rsk", "LEE", "Lee", "Jo")]
    [True, True, True, False, False]
    """
    return len(word) <= 3 and (word.isupper() or word.islower())


def find_words_outside(document: Document) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and lowercased text of the words outside spans."""
    bounds = [0, *(end for span in document.spans for end in (span.start, span.end)), len(document.text)]
    for number, (start, end) in enumerate(pairwise(bounds)):
        if number % 2 == 0:
            for match in WORD.finditer(document.text, start, end):
                yield match.start(), match.end(), match[0].lower()


def is_within(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether an offset is in one of the ranges."""
    return any(start <= at < end for start, end in ranges)


def format_table(found: Sequence[TokenMark], documents: Sequence[Document]) -> str:
    """Format the distribution of words by type, as in tables 1, 6 and 10 of the paper."""
    words = sum(1 for document in documents for _ in find_words_outside(document))
    counts = {kind: Counter(m.type for m in found if getattr(m, kind)) for kind in ("ambiguous", "unseen")}
    lines = [f"{'words':<16}{'all':>8}{'ambiguous':>11}{'unseen':>8}"]
    lines += [f"{'Non-PHI':<16}{words:>8}{counts['ambiguous']['']:>11}{0:>8}"]
    for type, count in sorted(Counter(mark.type for mark in found if mark.type).items()):
        lines.append(f"{type:<16}{count:>8}{counts['ambiguous'][type]:>11}{counts['unseen'][type]:>8}")
    return "\n".join(lines)
