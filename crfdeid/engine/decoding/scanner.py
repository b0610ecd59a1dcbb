"""The tokenizer ``fine`` with the look-up of each token's text, compiled by numba."""

from __future__ import annotations

import numpy as np
import regex
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary
from crfdeid.engine.decoding.hashing import OPTIONS

# The kinds of characters that the tokenizer distinguishes.
UNKNOWN, SPACE, NEWLINE, RETURN, CAPITAL, SMALL, LETTER, MARK, DIGIT, RULE, OTHER = range(11)
KINDS = regex.compile(
    r"(?P<RETURN>\r)|(?P<NEWLINE>[\n-\f\x85\u2028\u2029])|(?P<SPACE>\s)|(?P<CAPITAL>\p{Lu})"
    r"|(?P<SMALL>\p{Ll})|(?P<LETTER>[\p{Lo}\p{Lm}\p{Lt}])|(?P<MARK>\p{M})|(?P<DIGIT>\d)"
    r"|(?P<RULE>[-=*_~\#])|(?P<OTHER>.)",
    regex.DOTALL,
)


def character_kind(character: str) -> int:
    return globals()[KINDS.match(character).lastgroup]


@njit(**OPTIONS)
def token_end(points, kinds, at, size):
    """The end of the token of the tokenizer ``fine`` that begins at ``at`` (comments have the numbers of its
    cases); ``at`` itself at white space."""
    k = kinds[points[at]]
    if k == SPACE:
        return at
    if k == NEWLINE:
        return at + 1
    if k == RETURN:
        return at + 2 if at + 1 < size and points[at + 1] == 10 else at + 1
    # 1: at most one capital, marks, then small letters with their marks
    end = at + 1 if k == CAPITAL else at
    while end < size and kinds[points[end]] == MARK:
        end += 1
    if end < size and kinds[points[end]] == SMALL:
        while end < size and (kinds[points[end]] == SMALL or kinds[points[end]] == MARK):
            end += 1
        return end
    if k == CAPITAL:
        return capitals_end(points, kinds, at, size)
    if k in (DIGIT, LETTER):
        end = at + 1
        while end < size and (kinds[points[end]] == k or (k == LETTER and kinds[points[end]] == MARK)):
            end += 1
        return end
    if k == RULE:
        end = at + 1
        while end < size and points[end] == points[at]:
            end += 1
        return end
    return at + 1


@njit(**OPTIONS)
def capitals_end(points, kinds, at, size):
    """2: capitals with their marks. Before a small letter the token ends one character earlier: before the
    last mark, or before the last capital if it has no mark."""
    end, last = at, at
    while end < size and kinds[points[end]] == CAPITAL:
        last = end
        end += 1
        while end < size and kinds[points[end]] == MARK:
            end += 1
    if end < size and kinds[points[end]] == SMALL:
        if end > last + 1:
            return end - 1
        return last if last > at else at + 1
    return end


@njit(**OPTIONS)
def hash_text(points, start, end):
    """FNV-1a over code points, with its high bits mixed into the low ones."""
    value = np.uint64(14695981039346656037)
    for i in range(start, end):
        value = (value ^ np.uint64(points[i])) * np.uint64(1099511628211)
    return value ^ (value >> np.uint64(32))


@njit(**OPTIONS)
def find_text(points, start, end, slots, pool, pool_first):
    """The slot of a text, or the free slot where it belongs."""
    mask = np.uint64(len(slots) - 1)
    place = hash_text(points, start, end) & mask
    while slots[place] != NONE:
        first = pool_first[slots[place]]
        if pool_first[slots[place] + 1] - first == end - start:
            same = True
            for i in range(end - start):
                if pool[first + i] != points[start + i]:
                    same = False
                    break
            if same:
                return place
        place = (place + np.uint64(1)) & mask
    return place


@njit(**OPTIONS)
def scan(points, kinds, slots, pool, pool_first, starts, ends, numbers):
    """Tokenize; return the number of tokens, or -1 - i where the kind of character i is not known.
    ``numbers`` is -1 for a text that is not in the pool."""
    count, at, size = 0, 0, len(points)
    for i in range(size):
        if kinds[points[i]] == UNKNOWN:
            return -1 - i
    while at < size:
        end = token_end(points, kinds, at, size)
        if end > at:
            starts[count] = at
            ends[count] = end
            numbers[count] = slots[find_text(points, at, end, slots, pool, pool_first)]
            count += 1
            at = end
        else:
            at += 1
    return count


class Scanner:
    """The tokenizer ``fine`` with a vocabulary: a :data:`crfdeid.engine.arrays.batch.Scan`. It keeps a hash
    table of the vocabulary's texts."""

    def __init__(self) -> None:
        self.kinds = np.full(0x110000, UNKNOWN, np.uint8)
        self.kinds[:256] = [character_kind(chr(point)) for point in range(256)]
        self.slots = np.full(1 << 12, NONE, np.int32)
        self.pool = np.zeros(1 << 14, np.uint32)
        self.pool_first = np.zeros(1 << 11, np.int64)
        self.count = 0

    def __call__(self, text: str, vocabulary: TokenVocabulary) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        starts, ends = np.empty(len(points), np.int64), np.empty(len(points), np.int64)
        numbers = np.empty(len(points), np.int32)
        while True:
            arrays = (self.slots, self.pool, self.pool_first)
            count = scan(points, self.kinds, *arrays, starts, ends, numbers)
            if count >= 0:
                break
            self.kinds[points[-1 - count]] = character_kind(chr(points[-1 - count]))
        numbers, starts, ends = numbers[:count].copy(), starts[:count].copy(), ends[:count].copy()
        for index in np.flatnonzero(numbers == NONE).tolist():
            numbers[index] = self._number(points, int(starts[index]), int(ends[index]), text, vocabulary)
        return numbers, starts, ends

    def _number(
        self, points: np.ndarray, start: int, end: int, text: str, vocabulary: TokenVocabulary
    ) -> int:
        """The number of a text that was not in the pool when this document began."""
        part = text[start:end]
        if part not in vocabulary.numbers:
            vocabulary.add(part)
            self._insert(points, start, end)
        return vocabulary.numbers[part]

    def _insert(self, points: np.ndarray, start: int, end: int) -> None:
        used = int(self.pool_first[self.count])
        while used + end - start > len(self.pool):
            self.pool = np.concatenate([self.pool, np.zeros_like(self.pool)])
        self.pool[used : used + end - start] = points[start:end]
        if self.count + 2 > len(self.pool_first):
            self.pool_first = np.concatenate([self.pool_first, np.zeros_like(self.pool_first)])
        self.pool_first[self.count + 1] = used + end - start
        if 2 * self.count > len(self.slots):
            self.slots = np.full(2 * len(self.slots), NONE, np.int32)
            fill_texts(self.slots, self.pool, self.pool_first, self.count)
        self.slots[find_text(points, start, end, self.slots, self.pool, self.pool_first)] = self.count
        self.count += 1


@njit(**OPTIONS)
def fill_texts(slots, pool, pool_first, count):
    for number in range(count):
        start, end = pool_first[number], pool_first[number + 1]
        slots[find_text(pool, start, end, slots, pool, pool_first)] = number
