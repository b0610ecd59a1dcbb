"""The tokenizer ``fine`` with the look-up of each token's text, compiled by numba."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import regex
from numba import njit

from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary
from crfdeid.engine.kept_loops import BARE, INLINED

# The kinds of characters that the tokenizer distinguishes.
UNKNOWN, SPACE, NEWLINE, RETURN, CAPITAL, SMALL, LETTER, MARK, DIGIT, RULE, OTHER = range(11)
BASIS = np.uint64(14695981039346656037)
KINDS = regex.compile(
    r"(?P<RETURN>\r)|(?P<NEWLINE>[\n-\f\x85\u2028\u2029])|(?P<SPACE>\s)|(?P<CAPITAL>\p{Lu})"
    r"|(?P<SMALL>\p{Ll})|(?P<LETTER>[\p{Lo}\p{Lm}\p{Lt}])|(?P<MARK>\p{M})|(?P<DIGIT>\d)"
    r"|(?P<RULE>[-=*_~\#])|(?P<OTHER>.)",
    regex.DOTALL,
)


def character_kind(character: str) -> int:
    return globals()[KINDS.match(character).lastgroup]


@njit(**BARE)
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


@njit(**BARE)
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


@njit(**INLINED)
def hash_character(value, point):
    """FNV-1a over code points, one after the other, from :data:`BASIS` on."""
    return (value ^ np.uint64(point)) * np.uint64(1099511628211)


@njit(**BARE)
def hash_text(points, start, end):
    value = BASIS
    for i in range(start, end):
        value = hash_character(value, points[i])
    return value


@njit(**BARE)
def find_text(points, start, end, hashed, slots, pool, pool_first):
    """The slot of a text with its hash, or the free slot where it belongs."""
    mask = np.uint64(len(slots) - 1)
    place = (hashed ^ (hashed >> np.uint64(32))) & mask
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


@njit(**INLINED)
def ascii_token_end(points, kinds, at, size):
    """As :func:`token_end` for ASCII, with the hash of the token; not for blanks."""
    kind, first = kinds[points[at]], points[at]
    hashed, end = hash_character(BASIS, first), at + 1
    if kind == CAPITAL and end < size and kinds[points[end]] == SMALL:
        kind = SMALL
    if kind in (SMALL, DIGIT):
        while end < size and kinds[points[end]] == kind:
            hashed = hash_character(hashed, points[end])
            end += 1
    elif kind == CAPITAL:
        before = hashed
        while end < size and kinds[points[end]] == CAPITAL:
            before, hashed = hashed, hash_character(hashed, points[end])
            end += 1
        if end < size and kinds[points[end]] == SMALL:
            hashed, end = before, end - 1
    elif kind == RULE:
        while end < size and points[end] == first:
            hashed = hash_character(hashed, first)
            end += 1
    elif kind == RETURN and end < size and points[end] == 10:
        hashed, end = hash_character(hashed, points[end]), end + 1
    return end, hashed


@njit(**BARE)
def scan(points, kinds, is_ascii, state, slots, pool, pool_first, starts, ends, numbers, new):
    """Tokenize, and number the tokens' texts. ``state`` has the character to begin at, the number of tokens,
    of texts in the pool, and of those that are new; ``new`` are the tokens that brought them. Stop where the
    table is too small for another text."""
    at, count, texts, added = state
    size = len(points)
    alone = at  # marks before it are tokens by themselves: what follows them is looked at once
    while at < size:
        if kinds[points[at]] == SPACE:
            at += 1
            continue
        if is_ascii:
            end, hashed = ascii_token_end(points, kinds, at, size)
        else:
            end = token_end(points, kinds, at, size) if at >= alone else at + 1
            if kinds[points[at]] == MARK and end == at + 1 and at >= alone:
                alone = end
                while alone < size and kinds[points[alone]] == MARK:
                    alone += 1
            hashed = hash_text(points, at, end)
        slot = find_text(points, at, end, hashed, slots, pool, pool_first)
        if slots[slot] == NONE:
            first = pool_first[texts]
            if first + end - at > len(pool) or texts + 2 > len(pool_first) or 2 * texts >= len(slots):
                break
            for i in range(end - at):
                pool[first + i] = points[at + i]
            pool_first[texts + 1] = first + end - at
            slots[slot] = texts
            new[added] = count
            texts += 1
            added += 1
        starts[count], ends[count], numbers[count] = at, end, slots[slot]
        count += 1
        at = end
    state[0], state[1], state[2], state[3] = at, count, texts, added


class Scanner:
    """The tokenizer ``fine`` with a vocabulary: a :data:`crfdeid.engine.arrays.batch.Scan`. It keeps a hash
    table of the vocabulary's texts, which nobody else adds to."""

    def __init__(self) -> None:
        self.kinds = np.full(0x110000, UNKNOWN, np.uint8)
        self.kinds[:256] = [character_kind(chr(point)) for point in range(256)]
        self.slots = np.full(1 << 12, NONE, np.int32)
        self.pool = np.zeros(1 << 14, np.uint32)
        self.pool_first = np.zeros(1 << 11, np.int64)
        self.count = 0

    def __call__(
        self, texts: Sequence[str], vocabulary: TokenVocabulary
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        room = sum(map(len, texts))
        numbers, starts, ends, new = (np.empty(room, np.int64) for _ in range(4))
        state, bounds, added = np.array([0, 0, self.count, 0]), [0], list[str]()
        for text in texts:
            known, state[0] = int(state[3]), 0
            self._scan(text, state, starts, ends, numbers, new)
            tokens = new[known : state[3]]
            added += [text[a:b] for a, b in zip(starts[tokens].tolist(), ends[tokens].tolist())]
            bounds.append(int(state[1]))
        self.count = int(state[2])
        vocabulary.add(added)
        count = bounds[-1]
        return numbers[:count].copy(), starts[:count].copy(), ends[:count].copy(), np.array(bounds)

    def _scan(
        self, text: str, state: np.ndarray, starts: np.ndarray, ends: np.ndarray, numbers: np.ndarray,
        new: np.ndarray,
    ) -> None:  # fmt: skip
        """Tokenize one text as :func:`scan` does, with as much room as it needs."""
        is_ascii = text.isascii()
        points = self._encode(text, is_ascii)
        while state[0] < len(points):
            table = self.slots, self.pool, self.pool_first
            scan(points, self.kinds, is_ascii, state, *table, starts, ends, numbers, new)
            if state[0] < len(points):
                self._enlarge(int(state[2]))

    def _encode(self, text: str, is_ascii: bool) -> np.ndarray:
        """The code points of a text, whose kinds are then known."""
        if is_ascii:
            return np.frombuffer(text.encode("ascii"), np.uint8)
        points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        for point in set(points[self.kinds[points] == UNKNOWN].tolist()):
            self.kinds[point] = character_kind(chr(point))
        return points

    def _enlarge(self, count: int) -> None:
        """Make room for as many texts again."""
        self.pool = np.concatenate([self.pool, np.zeros_like(self.pool)])
        self.pool_first = np.concatenate([self.pool_first, np.zeros_like(self.pool_first)])
        self.slots = np.full(2 * len(self.slots), NONE, np.int32)
        fill_texts(self.slots, self.pool, self.pool_first, count)


@njit(**BARE)
def fill_texts(slots, pool, pool_first, count):
    for number in range(count):
        start, end = pool_first[number], pool_first[number + 1]
        hashed = hash_text(pool, start, end)
        slots[find_text(pool, start, end, hashed, slots, pool, pool_first)] = number
