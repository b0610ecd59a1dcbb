"""The forms of a text: folded for comparison, normalized for search, cased like another text, misspelt; and
the caches of answers about words.

An edit changes one letter, adds or removes one, or exchanges two neighbours. There are two ways to look up a
name of which a word may be a misspelling.

:class:`SimilarNames` is for the names of a patient. Names of six letters may have one edit, names of nine or
more two. Only words that begin or end with the same three letters are compared, so that a text of thousands
of words costs a few comparisons.

:func:`find_close_name` is for the most common first names (Douglass 2005, section 5.1.1). Two words that
differ by at most k edits have something in common: the letters that remain when at most k letters of each are
deleted. So the candidates come from one dictionary of such remains.

A word that was asked about before is answered faster than a new one, and stays in memory. Who tags notes of
several users (:mod:`crfdeid.serve`) empties the caches between them (:func:`forget_words`), so that neither
shows a user which words another one sent. A cache whose keys are words of notes is made by
:func:`remember_words` and not by :mod:`functools`.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet

import regex

from crfdeid.text import gazetteer

MIN_LENGTH, MIN_TWO_EDITS = 6, 9
END = 3  # letters at the beginning or end that are equal
SHORTEST = 5  # letters of a name whose misspellings are looked for
LONGEST = 13  # letters of a misspelling: the longest popular name and two more
LONG_NAME = 8  # letters of a name that may have two typos

WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:['’`]\p{L}[\p{L}\p{M}]*)*")
POSSESSIVE = regex.compile(r"(?<=\p{L}{2})['’`][sS]$")
NOT_ASCII = regex.compile(r"[^\0-\x7f]+")
INVISIBLE = ("Mn", "Me", "Cf")  # Unicode categories: combining marks, zero-width and soft characters


def fold(text: str) -> str:
    """Lowercase ``text`` and remove accents and apostrophes.

    >>> fold("O'Núñez")
    'onunez'
    """
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c) and c not in "'’`").casefold()


def drop_accents(text: str) -> str:
    """Write ``text`` without accents, letter for letter.

    >>> drop_accents("Muñoz, 3.º")
    'Munoz, 3.º'
    """
    return "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def fold_each(texts: Sequence[str]) -> list[str]:
    """Fold texts of one line each. Many are folded at once.

    >>> fold_each(["O'Neil", "Núñez"])
    ['oneil', 'nunez']
    """
    if (joined := "\n".join(texts)).isascii():
        return fold(joined).split("\n") if texts else []
    plain = fold("\n".join(text if text.isascii() else "" for text in texts)).split("\n")
    return [folded or fold(text) for folded, text in zip(plain, texts)]


def match_case(text: str, like: str) -> str:
    """Write ``text`` with the capitals of ``like``.

    >>> match_case("Weber", "SMITH"), match_case("Weber", "smith"), match_case("mcweber", "McKay")
    ('WEBER', 'weber', 'Mcweber')
    """
    if len(like) > 1 and like.isupper():
        return text.upper()
    if like.islower():
        return text.lower()
    return text[:1].upper() + text[1:]


def capitalize_words(text: str, like: str) -> str:
    """Capitalize every word if the last of several words in ``like`` has a capital, otherwise only the
    first word, if ``like`` begins with a capital."""
    found = WORD.findall(like)
    if found and found[-1][0].isupper() and len(found) > 1:
        return str(WORD.sub(lambda m: m[0][:1].upper() + m[0][1:], text))
    return text[:1].upper() + text[1:] if found and found[0][0].isupper() else text.lower()


def split_possessive(word: str) -> tuple[str, str]:
    """Split a word from its possessive ending.

    >>> split_possessive("Smith's"), split_possessive("O'Neil")
    (('Smith', "'s"), ("O'Neil", ''))
    """
    if match := POSSESSIVE.search(word):
        return word[: match.start()], match[0]
    return word, ""


def pluralize(name: str) -> str:
    """
    >>> pluralize("Garcia"), pluralize("Davis")
    ('Garcias', 'Davises')
    """
    return name + ("es" if name[-1] in "sxz" else "s")


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, which spaces separate."""
    return frozenset(text.split())


class NormalizedText(NamedTuple):
    """A text prepared for search. ``offsets`` gives for each character of ``text`` its offset in the
    original text, which has ``length`` characters. It is None if no offset differs."""

    text: str
    offsets: Sequence[int] | None
    length: int

    def find_original_range(self, start: int, end: int) -> tuple[int, int]:
        """The offsets of ``text[start:end]`` in the original text, with the invisible characters after it."""
        if self.offsets is None:
            return start, end
        after = self.offsets[end] if end < len(self.offsets) else self.length
        return self.offsets[start], max(self.offsets[end - 1] + 1, after)


def normalize(text: str) -> NormalizedText:
    r"""Lowercase ``text`` and remove accents and invisible characters, so that a search finds it however it
    is written or encoded.

    >>> normalize("Jos\u00e9").text, normalize("Jose\u0301").text
    ('jose', 'jose')
    >>> normalize("Smi\u200bth").find_original_range(0, 5)
    (0, 6)
    """
    if text.isascii():
        return NormalizedText(text.lower(), None, len(text))
    forms = {each: normalize_character(each) for each in set("".join(NOT_ASCII.findall(text)))}
    for character, form in forms.items():
        if len(form) == 1 and form.isascii():
            text = text.replace(character, form)
    rest = {ord(c): form for c, form in forms.items() if len(form) != 1 or not form.isascii()}
    others = [chr(code) for code, form in rest.items() if len(form) != 1]
    offsets = list_offsets(text, others, forms) if others else None
    return NormalizedText(text.translate(rest).lower() if rest else text.lower(), offsets, len(text))


def list_offsets(text: str, others: Iterable[str], forms: Mapping[str, str]) -> list[int]:
    """The offset in ``text`` of each character that results when the forms replace the ``others``."""
    offsets: list[int] = []
    at = 0
    for match in regex.finditer(f"[{''.join(map(regex.escape, others))}]", text):
        offsets += range(at, match.start())
        offsets += [match.start()] * len(forms[match[0]])
        at = match.end()
    return [*offsets, *range(at, len(text))]


def remove_invisible(text: str) -> str:
    r"""Remove zero-width and soft characters.

    >>> remove_invisible("Smi\u200bth")
    'Smith'
    """
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")


@lru_cache(maxsize=4096)
def normalize_character(character: str) -> str:
    """The searchable form of a character; empty if the character is invisible."""
    parts = unicodedata.normalize("NFKD", character).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in INVISIBLE)


def remove_marks(text: str) -> str:
    """Return the letters and digits of ``text`` in capitals.

    >>> remove_marks("12-34 ab")
    '1234AB'
    """
    return "".join(c for c in text if c.isalnum()).upper()


class SimilarNames:
    """Finds the name that a word may be a misspelling of. ``names`` are folded."""

    def __init__(self, names: Iterable[str]) -> None:
        self.by_start: dict[str, list[str]] = defaultdict(list)
        self.by_end: dict[str, list[str]] = defaultdict(list)
        for name in sorted(names):
            if len(name) >= MIN_LENGTH:
                self.by_start[name[:END]].append(name)
                self.by_end[name[-END:]].append(name)

    def find_name(self, word: str) -> str | None:
        """Return the name with the fewest edits to ``word``, or None if each needs too many.

        >>> names = SimilarNames(["wrzeszczynski", "okafor"])
        >>> [names.find_name(word) for word in ("wrzeszcynsky", "okafro", "okapi")]
        ['wrzeszczynski', 'okafor', None]
        """
        start, end = word[:END], word[-END:]
        if start not in self.by_start and end not in self.by_end:
            return None
        near = {*self.by_start.get(start, ()), *self.by_end.get(end, ())}
        found = ((count_edits(word, name), name) for name in near if abs(len(word) - len(name)) <= 2)
        return min(((n, name) for n, name in found if n <= allow_edits(name)), default=(0, None))[1]


def allow_edits(name: str) -> int:
    """The number of edits that a misspelling of ``name`` may have."""
    return 2 if len(name) >= MIN_TWO_EDITS else 1


def count_edits(a: str, b: str) -> int:
    """Count the edits between two words (optimal string alignment).

    >>> count_edits("jenifer", "jennifer"), count_edits("simth", "smith"), count_edits("kim", "tom")
    (1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, above[j - 2] + 1)
            row.append(best)
    return row[-1]


def count_allowed_typos(length: int) -> int:
    """Return the number of typos that a name of that length may have."""
    return 0 if length < SHORTEST else 1 if length < LONG_NAME else 2


def delete_letters(word: str, most: int) -> set[str]:
    """Return the word without each choice of at most ``most`` of its letters.

    >>> sorted(delete_letters("ana", 1))
    ['aa', 'an', 'ana', 'na']
    """
    places = range(len(word))
    taken = (set(out) for count in range(most + 1) for out in combinations(places, count))
    return {"".join(word[i] for i in places if i not in out) for out in taken}


@cache
def index_by_deletions(names: frozenset[str]) -> dict[str, list[str]]:
    """Index the names by what remains of them after deletions."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        for rest in delete_letters(name, count_allowed_typos(len(name))):
            found.setdefault(rest, []).append(name)
    return found


def find_close_name(word: str, names: frozenset[str]) -> str | None:
    """Return the name of which ``word`` is a misspelling, or None. Both are lowercased and have the same
    first letter.

    >>> names = frozenset(["william", "maria"])
    >>> find_close_name("willaim", names), find_close_name("marria", names), find_close_name("malaria", names)
    ('william', 'maria', None)
    """
    if len(word) > LONGEST:
        return None
    known = index_by_deletions(names)
    candidates = {
        name for rest in delete_letters(word, count_allowed_typos(len(word))) for name in known.get(rest, ())
    }
    near = (
        n
        for n in sorted(candidates)
        if n[0] == word[0] and count_edits(word, n) <= count_allowed_typos(len(n))
    )
    return next(near, None)


Answer = TypeVar("Answer")
_caches: WeakSet[Any] = WeakSet()  # of functions that lru_cache wraps


def remember_words(size: int) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a decorator that keeps a function's last ``size`` answers until :func:`forget_words`."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        cached = lru_cache(size)(function)
        _caches.add(cached)
        return cached

    return decorate


def forget_words() -> None:
    """Empty all these caches, and what tables found last."""
    gazetteer.forget_texts()
    for cached in _caches:
        cached.cache_clear()
