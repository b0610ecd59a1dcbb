"""Observations of the structure of a note: the label of a line, the label under which the same word occurs
elsewhere, how often a word was there before, and the place in a line.

Headers and footers of notes repeat each other: a number under ``NHC:`` and a name under ``Médico:`` occur
again without their labels. These observations know no language.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from crfdeid.feature_extraction.context import field, read_heading
from crfdeid.feature_extraction.token import YES, Value
from crfdeid.text.tokenized import TokenizedDocument

SHORT = 25  # tokens of a line that can be one of a form; longer ones are prose
NEAR = 6  # tokens: a word this near is the same mention
MOST_SEEN = 4  # more occurrences before are not distinguished
MOST_LINES = 4  # nor are more lines of prose
MOST_SENTENCES = 5
MOST_PARTS = 3  # commas in a bracket that are distinguished
ENDS = (".", "?", "!", ":", ";", "•")  # what a sentence begins after
TRADE_MARKS = ("®", "™")


def line_label(document: TokenizedDocument) -> list[Value]:
    """The word before the nearest colon on the left in the line, or the words before the line's first colon.

    >>> from crfdeid.text.tokenizer import fine
    >>> line_label(TokenizedDocument("Date of birth: 3", fine("Date of birth: 3")))
    ['date of birth', 'date of birth', 'date of birth', 'date of birth', 'birth']
    """
    nearest = field(document)
    values: list[Value] = []
    for line in document.lines:
        first = read_heading(document, line) or None
        values += [nearest[index] or first for index in line]
    return values


def label_elsewhere(document: TokenizedDocument) -> list[Value]:
    """The label (the word before the nearest colon on the left) under which the same word or number first
    occurs in a short line, more than six tokens away."""
    labels = field(document)
    places: dict[str, list[int]] = {}
    for line in document.lines:
        if len(line) <= SHORT:
            for index in line:
                if labels[index] and is_countable(document.lowered[index]):
                    places.setdefault(document.lowered[index], []).append(index)
    return [_find_far(places.get(text, []), index, labels) for index, text in enumerate(document.lowered)]


def _find_far(places: list[int], index: int, labels: list[Value]) -> Value:
    """The label of the first of ``places`` that is not near."""
    near = bisect_left(places, index - NEAR)
    if near:
        return labels[places[0]]
    after = bisect_right(places, index + NEAR)
    return labels[places[after]] if after < len(places) else None


def is_countable(lowered: str) -> bool:
    """Whether a lowered text can be recognized elsewhere: two letters or digits, or more."""
    return len(lowered) > 1 and lowered.isalnum()


def seen_before(document: TokenizedDocument) -> list[Value]:
    """How many times the same word or number was there before, up to 4; no value for marks.

    >>> from crfdeid.text.tokenizer import fine
    >>> seen_before(TokenizedDocument("Ana, ana", fine("Ana, ana")))
    ['0', None, '1']
    """
    counts: dict[str, int] = {}
    values: list[Value] = []
    for text in document.lowered:
        if not text.isalnum():
            values.append(None)
            continue
        values.append(str(min(counts.get(text, 0), MOST_SEEN)))
        counts[text] = counts.get(text, 0) + 1
    return values


def line_length(document: TokenizedDocument) -> list[Value]:
    """The number of tokens in the line, as the exponent of a power of two: 4 for 16 to 31."""
    return [str(len(line).bit_length() - 1) for line in document.lines for _ in line]


def line_part(document: TokenizedDocument) -> list[Value]:
    """The number of long lines above, ``x`` in a short line; and the number of full stops and semicolons
    before the token in its line. Each is up to a limit."""
    values: list[Value] = []
    above = 0
    for line in document.lines:
        is_long, stops = len(line) > SHORT, 0
        head = str(min(above, MOST_LINES)) if is_long else "x"
        for index in line:
            values.append(f"{head}.{min(stops, MOST_SENTENCES)}")
            stops += document.lowered[index] in (".", ";")
        above += is_long
    return values


def sentence_first(document: TokenizedDocument) -> list[Value]:
    """The first word of the sentence in lower case. A sentence ends at a full stop and at a line end."""
    values: list[Value] = []
    for line in document.lines:
        begins = True
        first = ""
        for index in line:
            first = document.lowered[index] if begins else first
            values.append(first)
            begins = document.lowered[index] == "."
    return values


def sentence_begin(document: TokenizedDocument) -> list[Value]:
    """``1`` at the first word of a sentence, a line, or what follows a colon: a capital says little there.

    >>> from crfdeid.text.tokenizer import fine
    >>> sentence_begin(TokenizedDocument("2. Ada? Not her", fine("2. Ada? Not her")))
    [None, None, '1', None, '1', None]
    """
    values: list[Value] = []
    for line in document.lines:
        begins = True
        for index in line:
            text = document.lowered[index]
            is_word = text.isalpha()
            values.append(YES if begins and is_word else None)
            begins = text in ENDS or (begins and not is_word)
    return values


def written_elsewhere(document: TokenizedDocument) -> list[Value]:
    """How a word that begins with a capital is written at its other places in the note: ``small`` where once
    in small letters, else ``inside`` where once with a capital inside a sentence, else ``begin`` (Chieu & Ng
    2003, section 4.2).  No value where it occurs once.

    >>> from crfdeid.text.tokenizer import fine
    >>> text = "Rash. No rash. Saw Ivo. Ivo left"
    >>> written_elsewhere(TokenizedDocument(text, fine(text)))
    ['small', None, None, None, None, None, 'begin', None, 'inside', None]
    """
    begins = sentence_begin(document)
    forms: dict[str, list[tuple[int, str]]] = {}
    for index, (token, lowered) in enumerate(zip(document.tokens, document.lowered)):
        if len(lowered) > 1 and lowered.isalpha():
            form = "small" if token.text == lowered else "begin" if begins[index] else "inside"
            forms.setdefault(lowered, []).append((index, form))
    values: list[Value] = [None] * len(document.tokens)
    for places in forms.values():
        for index, form in places if len(places) > 1 else ():
            if form != "small":
                others = {other for at, other in places if at != index}
                values[index] = next(kind for kind in ("small", "inside", "begin") if kind in others)
    return values


def line_numbers(document: TokenizedDocument) -> list[Value]:
    """How many numbers the line has, as an exponent of two, and ``t`` where they outnumber its words, as in a
    row of a table.

    >>> from crfdeid.text.tokenizer import fine
    >>> line_numbers(TokenizedDocument("BP 80 50", fine("BP 80 50")))
    ['2t', '2t', '2t']
    """
    values: list[Value] = []
    for line in document.lines:
        texts = [document.lowered[index] for index in line]
        numbers, words = sum(map(str.isdigit, texts)), sum(map(str.isalpha, texts))
        value = f"{numbers.bit_length()}{'t' if numbers > words else ''}" if numbers else None
        values += [value] * len(line)
    return values


def bracket_part(document: TokenizedDocument) -> list[Value]:
    """In brackets the number of commas since they were opened, up to 3, and ``r`` after a trade mark: the
    maker of a drug or a device is a part behind its name.

    >>> from crfdeid.text.tokenizer import fine
    >>> bracket_part(TokenizedDocument("a (b®, c)", fine("a (b®, c)")))
    [None, '0', '0', '0r', '1r', '1r', None]
    """
    values: list[Value] = []
    for line in document.lines:
        part: int | None = None
        mark = ""
        for index in line:
            text = document.lowered[index]
            if text in ("(", ")"):
                part, mark = (0 if text == "(" else None), ""
            elif part is not None:
                part, mark = part + (text == ","), "r" if text in TRADE_MARKS else mark
            values.append(None if part is None else f"{min(part, MOST_PARTS)}{mark}")
    return values


def bracket_left(document: TokenizedDocument) -> list[Value]:
    """In brackets the number of commas from the token to their end, up to 3.

    >>> from crfdeid.text.tokenizer import fine
    >>> bracket_left(TokenizedDocument("a (b, c)", fine("a (b, c)")))
    [None, None, '1', '1', '0', '0']
    """
    values: list[Value] = [None] * len(document.tokens)
    for line in document.lines:
        part: int | None = None
        for index in reversed(line):
            text = document.lowered[index]
            if text in ("(", ")"):
                part = 0 if text == ")" else None
            elif part is not None:
                part += text == ","
            values[index] = None if part is None else str(min(part, MOST_PARTS))
    return values


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    "line_label": line_label,
    "label_elsewhere": label_elsewhere,
    "seen_before": seen_before,
    "line_length": line_length,
    "line_part": line_part,
    "sentence_first": sentence_first,
    "sentence_begin": sentence_begin,
    "written_elsewhere": written_elsewhere,
    "line_numbers": line_numbers,
    "bracket_part": bracket_part,
    "bracket_left": bracket_left,
}
