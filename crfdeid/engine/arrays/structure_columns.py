"""The observations of :mod:`crfdeid.feature_extraction.structure` and
:mod:`crfdeid.feature_extraction.context` for all tokens of a batch at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.arrays.vocabulary import (
    COLON,
    FULL_STOP,
    LOWERED_ALPHABETIC,
    NONE,
    WITH_CAPITAL,
    TokenVocabulary,
    ValueNumbers,
)
from crfdeid.feature_extraction.context import (
    FAR,
    HEADING_WORDS,
    LAST,
    NAME,
    NO_CUE,
    NUMBERS,
    Kinds,
    find_kind,
)
from crfdeid.feature_extraction.structure import (
    ENDS,
    MOST_LINES,
    MOST_PARTS,
    MOST_SEEN,
    MOST_SENTENCES,
    NEAR,
    SHORT,
    TRADE_MARKS,
    is_countable,
)
from crfdeid.feature_extraction.token import YES

BY_LOWERED_TEXT = ("line_label", "label_elsewhere", "sentence_first")  # their value is a lowered text
REMEMBERED = 20_000  # headings whose numbers are kept at once
MOST_KEPT = 16  # tokens of a heading that is kept
OPEN, CLOSE, COMMA, TRADE_MARK = 1, 2, 3, 4
OF_BRACKETS = {"(": OPEN, ")": CLOSE, ",": COMMA, **dict.fromkeys(TRADE_MARKS, TRADE_MARK)}
LONGEST = 40  # the exponent of the number of tokens in a line is less


def find_last(marked: np.ndarray) -> Ints:
    """For each place the index of the last marked place up to it, -1 before the first.

    >>> find_last(np.array([False, True, False])).tolist()
    [-1, 1, 1]
    """
    places = np.flatnonzero(marked)
    sizes = np.diff(places, prepend=0, append=len(marked))
    return np.repeat(np.append(NONE, places), sizes)


def shift_right(places: Ints, by: int = 1) -> Ints:
    """Each place's value at the token ``by`` to the right, -1 at the first tokens."""
    return np.concatenate([np.full(by, NONE), places])[: len(places)]


def find_fields(batch: Batch) -> tuple[Ints, np.ndarray]:
    """The token that is each token's field (the word before the nearest colon on its left), and whether it is
    in the token's line."""
    names = np.zeros(len(batch), bool)  # a word before a colon
    names[:-1] = ((batch.flags[:-1] & LOWERED_ALPHABETIC) != 0) & ((batch.flags[1:] & COLON) != 0)
    # A name is the field of the tokens after its colon: from the second token after the name.
    after = shift_right(find_last(names), 2)
    return after, after >= batch.line_first[batch.line]


def number_headings(columns: ValueNumbers, name: str, batch: Batch) -> Ints:
    """The number of the words before each line's first colon, as a value of ``name``; -1 without a heading,
    -2 for a heading whose value has no number."""
    colons = np.flatnonzero(batch.flags & COLON)
    lines = batch.line[colons]
    is_first = np.diff(lines, prepend=NONE) != 0
    numbers = np.full(len(batch.line_first), NONE, np.int32)
    chosen = lines[is_first]
    numbers[chosen] = [
        number_heading(columns, name, batch, first, colon)
        for first, colon in zip(batch.line_first[chosen].tolist(), colons[is_first].tolist())
    ]
    return numbers


def number_heading(columns: ValueNumbers, name: str, batch: Batch, first: int, colon: int) -> int:
    """The number of the words from token ``first`` to before ``colon`` (:func:`number_headings`). That of few
    texts is kept."""
    if colon - first > MOST_KEPT:
        return find_heading(columns, name, batch, first, colon)
    key = name, batch.texts[first:colon].tobytes()
    if key not in columns.headings:
        if len(columns.headings) > REMEMBERED:
            columns.headings.clear()
        columns.headings[key] = find_heading(columns, name, batch, first, colon)
    return columns.headings[key]


def find_heading(columns: ValueNumbers, name: str, batch: Batch, first: int, colon: int) -> int:
    words = read_words(columns.vocabulary, batch, first, colon)
    number = columns.number(name, words) if words else NONE
    return NONE - 1 if words and number == NONE else number


def read_words(vocabulary: TokenVocabulary, batch: Batch, first: int, colon: int) -> str:
    """The words of a line before its colon; empty where there are too many for a heading."""
    words: list[str] = []
    for text, flags in zip(batch.texts[first:colon].tolist(), batch.flags[first:colon].tolist()):
        if len(words) == HEADING_WORDS:
            return ""
        if flags & LOWERED_ALPHABETIC:
            words.append(vocabulary.lowered[text])
    return " ".join(words)


def line_label(columns: ValueNumbers, batch: Batch) -> Ints:
    where, is_field = find_fields(batch)
    own = number_lowered(columns, "line_label", batch, where, is_field)
    headings = np.maximum(number_headings(columns, "line_label", batch), NONE)
    return np.where(is_field, own, headings[batch.line]).astype(np.int32)


def number_lowered(columns: ValueNumbers, name: str, batch: Batch, where: Ints, valid: np.ndarray) -> Ints:
    """The numbers of the lowered texts of the tokens ``where`` [tokens], -1 where not ``valid``."""
    texts = batch.texts[np.where(valid, where, 0)]
    return np.where(valid, columns.vocabulary.values[name].rows[texts], NONE)


def label_elsewhere(columns: ValueNumbers, batch: Batch) -> Ints:
    if not len(batch):
        return np.zeros(0, np.int32)
    where, is_field = find_fields(batch)
    countable = columns.number_texts("countable", is_countable)[batch.texts] != 0
    is_short = (batch.line_stop - batch.line_first <= SHORT)[batch.line]
    step = len(batch)
    key = number_words(columns, batch) * step
    places = np.flatnonzero(is_field & countable & is_short)
    known = np.sort((key + np.arange(len(batch)))[places])  # by word, then by place
    asked = np.flatnonzero(countable)
    found = np.full(len(batch), NONE)
    found[asked] = find_far(known, key[asked], asked, step)
    return number_lowered(columns, "label_elsewhere", batch, where[found], found != NONE)


def number_words(columns: ValueNumbers, batch: Batch) -> Ints:
    """A number for each token that is the same where the document and the lowered text are."""
    size = len(columns.vocabulary.lower_numbers)
    return batch.document * np.int64(size) + columns.vocabulary.lower.rows[batch.texts]


def find_far(known: Ints, key: Ints, tokens: Ints, step: int) -> Ints:
    """For each of ``tokens`` the first token of its key that is more than :data:`NEAR` away, or -1. ``known``
    are sums of a key and a token, sorted; keys are multiples of ``step``, and tokens are smaller."""
    known = np.append(known, np.iinfo(np.int64).max)
    first = known[np.searchsorted(known, key)] - key
    after = known[np.searchsorted(known, key + tokens + NEAR, side="right")] - key
    return np.where(first < tokens - NEAR, first, np.where(after < step, after, NONE))


def seen_before(columns: ValueNumbers, batch: Batch) -> Ints:
    words = np.flatnonzero(columns.number_texts("alphanumeric", str.isalnum)[batch.texts])
    key = number_words(columns, batch)[words]
    order = np.argsort(key, kind="stable")
    begins = np.append(True, np.diff(key[order]) != 0)[: len(order)]
    rank = np.arange(len(order)) - find_last(begins)
    numbers = np.array([columns.number("seen_before", str(n)) for n in range(MOST_SEEN + 1)], np.int32)
    found = np.full(len(batch), NONE, np.int32)
    found[words[order]] = numbers[np.minimum(rank, MOST_SEEN)]
    return found


def line_length(columns: ValueNumbers, batch: Batch) -> Ints:
    numbers = np.array([columns.number("line_length", str(n)) for n in range(LONGEST)], np.int32)
    return numbers[np.frexp(batch.line_stop - batch.line_first)[1] - 1][batch.line]


def line_part(columns: ValueNumbers, batch: Batch) -> Ints:
    is_long = batch.line_stop - batch.line_first > SHORT
    above = count_before(
        is_long, np.searchsorted(batch.line_first, batch.bounds[batch.document[batch.line_first]])
    )
    stops = count_before(
        columns.number_texts("stop", lambda text: text in (".", ";"))[batch.texts] != 0,
        batch.line_first[batch.line],
    )
    heads = np.where(is_long, np.minimum(above, MOST_LINES), MOST_LINES + 1)
    names = [*map(str, range(MOST_LINES + 1)), "x"]
    numbers = np.array(
        [[columns.number("line_part", f"{head}.{n}") for n in range(MOST_SENTENCES + 1)] for head in names],
        np.int32,
    )
    return numbers[heads[batch.line], np.minimum(stops, MOST_SENTENCES)]


def count_before(marked: np.ndarray, since: Ints) -> Ints:
    """The number of marked places from ``since`` to before each place."""
    total = np.append(0, np.cumsum(marked))
    return total[:-1] - total[since]


def sentence_first(columns: ValueNumbers, batch: Batch) -> Ints:
    begins = np.zeros(len(batch) + 1, bool)
    begins[1:] = (batch.flags & FULL_STOP) != 0
    begins[batch.line_first] = True
    where = find_last(begins[:-1])
    return number_lowered(columns, "sentence_first", batch, where, where != NONE)


def find_begins(columns: ValueNumbers, batch: Batch) -> np.ndarray:
    """Whether each token is the first word of a sentence, of a line, or of what follows a colon."""
    words = (batch.flags & LOWERED_ALPHABETIC) != 0
    ends = columns.number_texts("ends of sentences", lambda lowered: int(lowered in ENDS))[batch.texts] != 0
    since = np.maximum(batch.line_first[batch.line], shift_right(find_last(ends)))
    return words & (shift_right(find_last(words)) < since)


def sentence_begin(columns: ValueNumbers, batch: Batch) -> Ints:
    return np.where(find_begins(columns, batch), columns.number("sentence_begin", YES), NONE).astype(np.int32)


def written_elsewhere(columns: ValueNumbers, batch: Batch) -> Ints:
    if not len(batch):
        return np.zeros(0, np.int32)
    is_long = columns.number_texts("long words", lambda text: int(len(text) > 1 and text.isalpha())) != 0
    places = np.flatnonzero(is_long[batch.texts])
    is_small = (batch.flags[places] & WITH_CAPITAL) == 0
    kind = np.where(is_small, 0, np.where(find_begins(columns, batch)[places], 2, 1))
    keys, word = np.unique(number_words(columns, batch)[places], return_inverse=True)
    counts = np.zeros((len(keys), 3), np.int64)
    np.add.at(counts, (word, kind), 1)
    others = counts[word]
    others[np.arange(len(places)), kind] -= 1
    numbers = [columns.number("written_elsewhere", name) for name in ("small", "inside", "begin")]
    found = np.select([others[:, n] > 0 for n in range(3)], numbers, NONE)
    values = np.full(len(batch), NONE, np.int32)
    values[places] = np.where(is_small, NONE, found)
    return values


def line_numbers(columns: ValueNumbers, batch: Batch) -> Ints:
    is_number = columns.number_texts("whole numbers", lambda text: int(text.isdigit()))[batch.texts]
    is_word = (batch.flags & LOWERED_ALPHABETIC) != 0
    totals = [np.append(0, np.cumsum(marked)) for marked in (is_number, is_word)]
    numbers, words = (total[batch.line_stop] - total[batch.line_first] for total in totals)
    table = [
        [columns.number("line_numbers", f"{size}{mark}") for mark in ("", "t")] for size in range(LONGEST)
    ]
    sizes = np.frexp(numbers)[1]
    found = np.array(table, np.int32)[sizes, (numbers > words).astype(np.int64)]
    return np.where(numbers > 0, found, NONE)[batch.line].astype(np.int32)


def bracket_part(columns: ValueNumbers, batch: Batch) -> Ints:
    kind = number_brackets(columns, batch)
    opened, closed = find_last(kind == OPEN), find_last(kind == CLOSE)
    inside = (opened > closed) & (opened >= batch.line_first[batch.line])
    commas, marks = (np.append(0, np.cumsum(kind == one)) for one in (COMMA, TRADE_MARK))
    parts = np.clip(commas[1:] - commas[opened], 0, MOST_PARTS)
    marked = marks[1:] > marks[opened]
    names = [[f"{part}{mark}" for mark in ("", "r")] for part in range(MOST_PARTS + 1)]
    numbers = np.array([[columns.number("bracket_part", name) for name in own] for own in names], np.int32)
    return np.where(inside, numbers[parts, marked.astype(int)], NONE).astype(np.int32)


def bracket_left(columns: ValueNumbers, batch: Batch) -> Ints:
    kind, size = number_brackets(columns, batch), len(batch)
    opens, closes = (size - 1 - find_last(kind[::-1] == one)[::-1] for one in (OPEN, CLOSE))
    inside = (closes < opens) & (closes < batch.line_stop[batch.line])
    commas = np.append(0, np.cumsum(kind == COMMA))
    parts = np.minimum(commas[closes] - commas[:-1], MOST_PARTS)
    numbers = np.array([columns.number("bracket_left", str(n)) for n in range(MOST_PARTS + 1)], np.int32)
    return np.where(inside, numbers[parts], NONE).astype(np.int32)


def number_brackets(columns: ValueNumbers, batch: Batch) -> Ints:
    """The place of each token in brackets: one of the numbers of :data:`OF_BRACKETS`, or 0."""
    return columns.number_texts("brackets", lambda text: OF_BRACKETS.get(text, 0))[batch.texts]


FAST: dict[str, Callable[[ValueNumbers, Batch], Ints]] = {
    observe.__name__: observe
    for observe in (
        line_label,
        label_elsewhere,
        seen_before,
        line_length,
        line_part,
        sentence_first,
        sentence_begin,
        written_elsewhere,
        line_numbers,
        bracket_part,
        bracket_left,
    )
}


def observe_cues(name: str, kinds: Kinds, columns: ValueNumbers, batch: Batch) -> Ints:
    """The value numbers [tokens] of the observation ``name``."""
    observation, table = NAME.fullmatch(name).groups()
    names = ["", *sorted({*kinds.values(), *NUMBERS})]
    number = {kind: place for place, kind in enumerate(names)}
    found = columns.number_texts(f"cues {table}", lambda lowered: number[find_kind(kinds, lowered)])
    return OF_CUES[observation](name, names, columns, batch, found[batch.texts])


def cue_before(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    where = shift_right(find_last(kind > 0))
    return number_near(name, names, columns, kind, where, where >= batch.line_first[batch.line])


def cue_after(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    size = len(batch)
    where = size - 1 - shift_right(find_last(kind[::-1] > 0))[::-1]
    return number_near(name, names, columns, kind, where, where < batch.line_stop[batch.line])


def number_near(
    name: str, names: list[str], columns: ValueNumbers, kind: Ints, where: Ints, valid: np.ndarray
) -> Ints:
    """The numbers of the kinds at ``where`` [tokens] with their distances; of no cue where not ``valid``."""
    numbers = [[columns.number(name, f"{one}.{far}") for far in range(FAR + 1)] for one in names]
    far = np.minimum(np.abs(np.arange(len(kind)) - where), FAR)
    near = np.array(numbers, np.int32)[kind[np.where(valid, where, 0)], far]
    return np.where(valid, near, columns.number(name, NO_CUE)).astype(np.int32)


def cues(name: str, names: list[str], columns: ValueNumbers, batch: Batch, kind: Ints) -> Ints:
    places = np.flatnonzero(kind)
    line, own = batch.line[places], kind[places].astype(np.int64)
    changes = np.append(True, (np.diff(line) != 0) | (np.diff(own) != 0))[: len(places)]
    places, line, own = places[changes], line[changes], own[changes]
    state = own.copy()
    for back in range(1, LAST):  # the state's digits are the kinds of the last cues
        inside = shift_right(line, back) == line
        state += np.where(inside, shift_right(own, back), 0) * len(names) ** back
    marked = np.zeros(len(batch), bool)
    marked[places] = True
    after = np.append(0, np.cumsum(marked))[:-1] - 1  # which of the places is the last before each token
    valid = (after != NONE) & (np.append(line, NONE)[after] == batch.line)
    keys, back_to = np.unique(state, return_inverse=True)
    numbers = np.array([columns.number(name, name_state(key, names)) for key in keys.tolist()], np.int32)
    values = np.append(numbers[back_to], NONE)[np.where(valid, after, NONE)]
    return np.where(valid, values, columns.number(name, NO_CUE)).astype(np.int32)


def name_state(state: int, names: list[str]) -> str:
    """The value of a state.

    >>> name_state(2 * 3 + 1, ["", "code", "street"])
    'street.code'
    """
    last: list[str] = []
    while state:
        state, kind = divmod(state, len(names))
        last.append(names[kind])
    return ".".join(reversed(last))


OF_CUES: dict[str, Callable[[str, list[str], ValueNumbers, Batch, Ints], Ints]] = {
    observation.__name__: observation for observation in (cue_before, cue_after, cues)
}
